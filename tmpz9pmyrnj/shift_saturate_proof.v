// Proven: octet_shift_saturate gives min(max(floor(value / 2 ** shift), low), high), three cycles later, for every value, shift
// and range. floor is said without a shift: q lies between low and high; if it is neither end, then
// q * 2 ** shift <= value < (q + 1) * 2 ** shift; at the ends one of both holds.
module shift_saturate_proof #(
    parameter BITS = 47,
    parameter SHIFT_BITS = 6
) (
    input wire                   clock,
    input wire signed [BITS-1:0] value,
    input wire [SHIFT_BITS-1:0]  shift,
    input wire signed [8:0]      low,
    input wire signed [8:0]      high
);
    wire signed [8:0] q;
    octet_shift_saturate #(.BITS(BITS), .SHIFT_BITS(SHIFT_BITS)) unit (
        .clock(clock), .value(value), .shift(shift), .low(low), .high(high), .q(q));

    localparam WIDE = BITS + 64;  // no shift loses a bit
    reg signed [BITS-1:0] value_1, value_2, value_3;
    reg [SHIFT_BITS-1:0] shift_1, shift_2, shift_3;
    reg signed [8:0] low_1, high_1;
    reg [2:0] known = 0;
    always @(posedge clock) begin
        {value_3, value_2, value_1} <= {value_2, value_1, value};
        {shift_3, shift_2, shift_1} <= {shift_2, shift_1, shift};
        low_1 <= low;
        high_1 <= high;
        known <= {known[1:0], 1'b1};
    end
    wire signed [WIDE-1:0] wide_value = value_3, wide_q = q;
    wire signed [WIDE-1:0] from = wide_q <<< shift_3, to = (wide_q + 1) <<< shift_3;

    always @* begin
        if (known[2] && low_1 <= high_1) begin
            assert (low_1 <= q && q <= high_1);
            assert (from <= wide_value || q == low_1);
            assert (wide_value < to || q == high_1);
        end
    end
endmodule
