// Proven: octet_residual_adder is, for every pair of bytes, every addend, shift, exception and range, and these ma and mb,
//
//   y = the exception's value where a is its a and first <= b <= last, else saturate((a * ma + b * mb + addend) >>> shift)
//
// seven cycles later. The record, low and high are steady.
module adder_proof #(
    parameter M_BITS = 24,
    parameter SUM_BITS = 34,
    parameter SHIFT_BITS = 5,
    parameter MA = 2122715,
    parameter MB = 791492,
    parameter REST_BITS = 36 + SHIFT_BITS + SUM_BITS
) (
    input wire                   clock,
    input wire signed [8:0]      a,
    input wire signed [8:0]      b,
    input wire [REST_BITS-1:0]   rest_in,  // the record, but for ma and mb
    input wire signed [8:0]      low_in,
    input wire signed [8:0]      high_in
);
    reg [REST_BITS-1:0] rest;
    wire signed [M_BITS-1:0] ma = MA, mb = MB;
    reg signed [8:0] low, high;
    reg [7:0] known = 0;
    always @(posedge clock) begin
        rest <= known == 0 ? rest_in : rest;
        low <= known == 0 ? low_in : low;
        high <= known == 0 ? high_in : high;
        known <= {known[6:0], 1'b1};
    end

    wire [7:0] y;
    octet_residual_adder #(.M_BITS(M_BITS), .SUM_BITS(SUM_BITS), .SHIFT_BITS(SHIFT_BITS), .EXCEPTIONS(1)) unit (
        .clock(clock), .a(a), .b(b), .record({rest, mb, ma}), .low(low), .high(high), .y(y));

    reg [7*9-1:0] as, bs;
    always @(posedge clock) begin
        as <= {as[6*9-1:0], a};
        bs <= {bs[6*9-1:0], b};
    end
    wire signed [8:0] a_7 = as[6*9 +: 9], b_7 = bs[6*9 +: 9];

    wire signed [SUM_BITS-1:0] addend = rest[SUM_BITS-1:0];
    wire [SHIFT_BITS-1:0] shift = rest[SUM_BITS +: SHIFT_BITS];
    wire [35:0] slot = rest[REST_BITS-1 -: 36];
    wire signed [SUM_BITS-1:0] sum = a_7 * ma + b_7 * mb + addend;
    wire signed [SUM_BITS-1:0] shifted = sum >>> shift, wide_low = low, wide_high = high;
    wire signed [SUM_BITS-1:0] saturated = shifted < wide_low ? wide_low : shifted > wide_high ? wide_high : shifted;
    wire excepted = slot[35] && a_7 == $signed(slot[8:0]) && b_7 >= $signed(slot[17:9]) && b_7 <= $signed(slot[26:18]);
    always @* if (known[7]) assert (y == (excepted ? slot[34:27] : saturated[7:0]));
endmodule
