// octet_residual_adder: two bytes become one.
//
//   y = saturate((a * ma + b * mb + addend) >>> shift), or an exception's value where a is its a and first <= b <= last
//
// It takes a pair a cycle; y is there 7 cycles later. The constants are steady, and hold the half and all zero points: the
// exporter proves them equal to the float32 rule on all 65,536 pairs.
module octet_residual_adder #(
    parameter M_BITS = 24,       // with the sign
    parameter SUM_BITS = 36,
    parameter SHIFT_BITS = 5,
    parameter EXCEPTIONS = 1,    // slots; at least 1
    parameter SLOT_BITS = 1 + 8 + 3 * 9,
    parameter RECORD_BITS = EXCEPTIONS * SLOT_BITS + SHIFT_BITS + SUM_BITS + 2 * M_BITS
) (
    input  wire                   clock,
    input  wire signed [8:0]      a,
    input  wire signed [8:0]      b,
    input  wire [RECORD_BITS-1:0] record,  // slots {used, value, last, first, a}, then {shift, addend, mb, ma}
    input  wire signed [8:0]      low,
    input  wire signed [8:0]      high,
    output wire [7:0]             y
);
    wire [EXCEPTIONS*SLOT_BITS-1:0] slots;
    wire [SHIFT_BITS-1:0] shift;
    wire signed [SUM_BITS-1:0] addend;
    wire signed [M_BITS-1:0] ma, mb;
    assign {slots, shift, addend, mb, ma} = record;

    // 1: the operands. 2, 3: the products. 4: the sum
    reg signed [8:0] a_1, b_1;
    wire signed [M_BITS+8:0] product_a, product_b;
    octet_multiplier #(.A_BITS(9), .B_BITS(M_BITS)) multiplier_a (.clock(clock), .a(a_1), .b(ma), .product(product_a));
    octet_multiplier #(.A_BITS(9), .B_BITS(M_BITS)) multiplier_b (.clock(clock), .a(b_1), .b(mb), .product(product_b));
    reg signed [SUM_BITS-1:0] value;
    wire [M_BITS+8+SUM_BITS:0] wide_a = {{SUM_BITS{product_a[M_BITS+8]}}, product_a};
    wire [M_BITS+8+SUM_BITS:0] wide_b = {{SUM_BITS{product_b[M_BITS+8]}}, product_b};
    always @(posedge clock) begin
        a_1 <= a;
        b_1 <= b;
        value <= $signed(wide_a[SUM_BITS-1:0]) + $signed(wide_b[SUM_BITS-1:0]) + addend;
    end

    // 5, 6, 7
    wire signed [8:0] saturated;
    octet_shift_saturate #(.BITS(SUM_BITS), .SHIFT_BITS(SHIFT_BITS)) shifter (
        .clock(clock), .value(value), .shift(shift), .low(low), .high(high), .q(saturated));

    // 2: exceptions are looked up beside it, and wait.
    reg [8:0] found, next_found;  // {there is one, its value}
    reg [9*5-1:0] waiting;
    reg [SLOT_BITS-1:0] slot;
    integer e;
    always @* begin
        next_found = 9'd0;
        slot = {SLOT_BITS{1'b0}};
        for (e = 0; e < EXCEPTIONS; e = e + 1) begin
            slot = slots[e*SLOT_BITS +: SLOT_BITS];
            if (slot[SLOT_BITS-1] && a_1 == $signed(slot[8:0]) && b_1 >= $signed(slot[17:9]) && b_1 <= $signed(slot[26:18]))
                next_found = {1'b1, slot[34:27]};
        end
    end
    always @(posedge clock) begin
        found <= next_found;
        waiting <= {waiting[9*4-1:0], found};
    end
    assign y = waiting[9*5-1] ? waiting[9*4 +: 8] : saturated[7:0];

    wire unused = &{1'b0, saturated[8], wide_a[M_BITS+8+SUM_BITS:SUM_BITS], wide_b[M_BITS+8+SUM_BITS:SUM_BITS]};
endmodule
