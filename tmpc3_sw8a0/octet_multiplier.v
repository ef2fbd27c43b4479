// octet_multiplier: a * b, signed and exact, two cycles later.
//
// Both factors are cut into 17 unsigned bits and a signed rest, so that each partial product fits the signed 18 x 18
// multipliers that FPGAs have. Partial products are registered, then added.
module octet_multiplier #(
    parameter A_BITS = 24,
    parameter B_BITS = 24
) (
    input  wire                            clock,
    input  wire signed [A_BITS-1:0]        a,
    input  wire signed [B_BITS-1:0]        b,
    output reg  signed [A_BITS+B_BITS-1:0] product
);
    localparam LOW = 17;
    localparam BITS = A_BITS + B_BITS;

    generate
        if (A_BITS <= LOW + 1 && B_BITS <= LOW + 1) begin : whole
            reg signed [BITS-1:0] all;
            always @(posedge clock) begin
                all <= a * b;
                product <= all;
            end
        end else if (A_BITS <= LOW + 1) begin : cut_b
            wire signed [LOW:0] b_low = {1'b0, b[LOW-1:0]};
            wire signed [B_BITS-LOW-1:0] b_high = b[B_BITS-1:LOW];
            reg signed [A_BITS+LOW:0] low;
            reg signed [BITS-LOW-1:0] high;
            always @(posedge clock) begin
                low <= a * b_low;
                high <= a * b_high;
                product <= $signed({high, {LOW{1'b0}}}) + {{(BITS-A_BITS-LOW-1){low[A_BITS+LOW]}}, low};
            end
        end else if (B_BITS <= LOW + 1) begin : cut_a
            wire signed [LOW:0] a_low = {1'b0, a[LOW-1:0]};
            wire signed [A_BITS-LOW-1:0] a_high = a[A_BITS-1:LOW];
            reg signed [B_BITS+LOW:0] low;
            reg signed [BITS-LOW-1:0] high;
            always @(posedge clock) begin
                low <= a_low * b;
                high <= a_high * b;
                product <= $signed({high, {LOW{1'b0}}}) + {{(BITS-B_BITS-LOW-1){low[B_BITS+LOW]}}, low};
            end
        end else begin : cut_both
            wire signed [LOW:0] a_low = {1'b0, a[LOW-1:0]}, b_low = {1'b0, b[LOW-1:0]};
            wire signed [A_BITS-LOW-1:0] a_high = a[A_BITS-1:LOW];
            wire signed [B_BITS-LOW-1:0] b_high = b[B_BITS-1:LOW];
            reg signed [2*LOW+1:0] low;
            reg signed [A_BITS:0] middle_a;
            reg signed [B_BITS:0] middle_b;
            reg signed [BITS-2*LOW-1:0] high;
            always @(posedge clock) begin
                low <= a_low * b_low;
                middle_a <= a_high * b_low;
                middle_b <= a_low * b_high;
                high <= a_high * b_high;
                // The lowest product is not negative and has 2 * LOW bits: it stands beside the highest.
                product <= $signed({high, low[2*LOW-1:0]})
                         + ($signed({{(B_BITS-LOW-1){middle_a[A_BITS]}}, middle_a, {LOW{1'b0}}})
                          + $signed({{(A_BITS-LOW-1){middle_b[B_BITS]}}, middle_b, {LOW{1'b0}}}));
            end
            wire unused = &{1'b0, low[2*LOW+1:2*LOW]};
        end
    endgenerate
endmodule
