// octet_requantizer: from a sum of products to a byte, with the constants of its output channel.
//
//   acc = start + sum
//   q   = saturate((acc * m + addend) >>> shift), or an exception's value where first <= acc <= first + length
//
// It takes one sum a cycle; q is there 7 cycles later. acc wraps in ACC_BITS, which hold every acc that can be. The exporter
// proves m, addend, shift and exceptions equal to the float32 rule for each of these.
module octet_requantizer #(
    parameter ACC_BITS = 24,
    parameter M_BITS = 26,       // with its sign
    parameter SUM_BITS = 48,     // of acc * m + addend; at least ACC_BITS and M_BITS
    parameter SHIFT_BITS = 6,
    parameter EXCEPTIONS = 1,    // slots of each channel; at least 1
    parameter LENGTH_BITS = 1,
    parameter SLOT_BITS = 1 + 8 + LENGTH_BITS + ACC_BITS,
    parameter RECORD_BITS = EXCEPTIONS * SLOT_BITS + SHIFT_BITS + SUM_BITS + M_BITS + ACC_BITS
) (
    input  wire                       clock,
    input  wire signed [ACC_BITS-1:0] sum,
    input  wire [RECORD_BITS-1:0]     record,  // slots {used, value, length, first}, then {shift, addend, m, start}
    input  wire signed [8:0]          low,
    input  wire signed [8:0]          high,
    output wire [7:0]                 q
);
    wire [EXCEPTIONS*SLOT_BITS-1:0] slots_in;
    wire [SHIFT_BITS-1:0] shift_in;
    wire signed [SUM_BITS-1:0] addend_in;
    wire signed [M_BITS-1:0] m_in;
    wire signed [ACC_BITS-1:0] start;
    assign {slots_in, shift_in, addend_in, m_in, start} = record;

    // 1: the accumulator, and its constants beside it
    reg signed [ACC_BITS-1:0] acc;
    reg signed [M_BITS-1:0] m;
    reg [EXCEPTIONS*SLOT_BITS-1:0] slots;
    reg signed [SUM_BITS-1:0] addend_1, addend_2, addend_3;
    reg [SHIFT_BITS-1:0] shift_1, shift_2, shift_3, shift_4;
    always @(posedge clock) begin
        acc <= start + sum;
        m <= m_in;
        slots <= slots_in;
        {addend_3, addend_2, addend_1} <= {addend_2, addend_1, addend_in};
        {shift_4, shift_3, shift_2, shift_1} <= {shift_3, shift_2, shift_1, shift_in};
    end

    // 2, 3: the product. 4: the sum; what SUM_BITS lack of the product are copies of its sign.
    wire signed [ACC_BITS+M_BITS-1:0] product;
    octet_multiplier #(.A_BITS(ACC_BITS), .B_BITS(M_BITS)) multiplier (.clock(clock), .a(acc), .b(m), .product(product));
    wire signed [ACC_BITS+M_BITS+SUM_BITS-1:0] wide = {{SUM_BITS{product[ACC_BITS+M_BITS-1]}}, product};
    reg signed [SUM_BITS-1:0] value;
    always @(posedge clock) value <= $signed(wide[SUM_BITS-1:0]) + addend_3;

    // 5, 6, 7
    wire signed [8:0] saturated;
    octet_shift_saturate #(.BITS(SUM_BITS), .SHIFT_BITS(SHIFT_BITS)) shifter (
        .clock(clock), .value(value), .shift(shift_4), .low(low), .high(high), .q(saturated));

    // 2: exceptions are looked up beside it, and wait.
    reg [8:0] found;  // {there is one, its value}
    reg [9*5-1:0] waiting;
    reg [8:0] next_found;
    reg [ACC_BITS-1:0] distance;
    reg [SLOT_BITS-1:0] slot;
    integer e;
    always @* begin
        next_found = 9'd0;
        distance = {ACC_BITS{1'b0}};
        slot = {SLOT_BITS{1'b0}};
        for (e = 0; e < EXCEPTIONS; e = e + 1) begin
            slot = slots[e*SLOT_BITS +: SLOT_BITS];
            distance = acc - slot[ACC_BITS-1:0];
            if (slot[SLOT_BITS-1] && distance <= {{(ACC_BITS-LENGTH_BITS){1'b0}}, slot[ACC_BITS +: LENGTH_BITS]})
                next_found = {1'b1, slot[ACC_BITS+LENGTH_BITS +: 8]};
        end
    end
    always @(posedge clock) begin
        found <= next_found;
        waiting <= {waiting[9*4-1:0], found};
    end
    assign q = waiting[9*5-1] ? waiting[9*4 +: 8] : saturated[7:0];

    wire unused = &{1'b0, saturated[8], wide[ACC_BITS+M_BITS+SUM_BITS-1:SUM_BITS]};
endmodule
