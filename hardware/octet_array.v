// octet_array: LANES * COLUMNS multipliers. Each cycle LANES inputs, that all columns share, meet the weights of COLUMNS
// output channels:
//
//   sums[c] = Sum over the cycles from first to last, and over the lanes, of x[lane] * w[c, lane]      in ACC_BITS that wrap
//
// Operands, products, each level of the adder tree and the accumulators have registers: done is raised 3 + LEVELS cycles
// after last, when sums are there for one cycle. A sum may follow another without a pause.
module octet_array #(
    parameter LANES = 4,
    parameter COLUMNS = 16,
    parameter LEVELS = 2,    // of the adder tree: LANES = 2 ** LEVELS
    parameter W_BITS = 8,
    parameter ACC_BITS = 24  // at least 9 + W_BITS + LEVELS
) (
    input  wire                            clock,
    input  wire                            reset,
    input  wire                            valid,
    input  wire                            first,
    input  wire                            last,
    input  wire [LANES*9-1:0]              x,
    input  wire [COLUMNS*LANES*W_BITS-1:0] w,
    output wire                            done,
    output wire [COLUMNS*ACC_BITS-1:0]     sums
);
    localparam TREE_BITS = 9 + W_BITS + LEVELS;
    localparam STAGES = 2 + LEVELS;  // before the accumulators

    reg [STAGES-1:0] valids, firsts, lasts;
    reg [LANES*9-1:0] x_held;
    reg [COLUMNS*LANES*W_BITS-1:0] w_held;
    reg finished;
    assign done = finished;

    always @(posedge clock) begin
        valids <= reset ? {STAGES{1'b0}} : {valids[STAGES-2:0], valid};
        firsts <= {firsts[STAGES-2:0], first};
        lasts <= {lasts[STAGES-2:0], last};
        finished <= !reset && valids[STAGES-1] && lasts[STAGES-1];
        x_held <= x;
        w_held <= w;
    end

    genvar c;
    generate
        for (c = 0; c < COLUMNS; c = c + 1) begin : column
            // A tree in an array: node i adds nodes 2 i and 2 i + 1; the products are the last LANES nodes.
            reg [2*LANES*TREE_BITS-1:0] node;
            reg signed [ACC_BITS-1:0] acc;
            wire signed [TREE_BITS-1:0] root = node[TREE_BITS +: TREE_BITS];
            wire signed [ACC_BITS-1:0] more = {{(ACC_BITS-TREE_BITS+1){root[TREE_BITS-1]}}, root[TREE_BITS-2:0]};
            integer i;
            always @(posedge clock) begin
                node[TREE_BITS-1:0] <= {TREE_BITS{1'b0}};
                for (i = 1; i < LANES; i = i + 1)
                    node[i*TREE_BITS +: TREE_BITS] <= node[2*i*TREE_BITS +: TREE_BITS] + node[(2*i+1)*TREE_BITS +: TREE_BITS];
                for (i = 0; i < LANES; i = i + 1)
                    node[(LANES+i)*TREE_BITS +: TREE_BITS] <=
                        $signed(x_held[i*9 +: 9]) * $signed(w_held[(c*LANES+i)*W_BITS +: W_BITS]);
                if (valids[STAGES-1]) acc <= firsts[STAGES-1] ? more : acc + more;
            end
            assign sums[c*ACC_BITS +: ACC_BITS] = acc;
        end
    endgenerate
endmodule
