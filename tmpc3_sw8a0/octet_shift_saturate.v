// octet_shift_saturate: q = min(max(value >>> shift, low), high), three cycles later.
//
// The shift is arithmetic: it rounds down. The half and the zero point are in the value already. low and high are steady.
module octet_shift_saturate #(
    parameter BITS = 48,
    parameter SHIFT_BITS = 6  // at least 4
) (
    input  wire                   clock,
    input  wire signed [BITS-1:0] value,
    input  wire [SHIFT_BITS-1:0]  shift,
    input  wire signed [8:0]      low,
    input  wire signed [8:0]      high,
    output reg  signed [8:0]      q
);
    reg signed [BITS-1:0] coarse, fine;  // shifted by multiples of 8, then by the rest
    reg [2:0] rest;

    wire below = fine < $signed({{(BITS-9){low[8]}}, low});
    wire above = fine > $signed({{(BITS-9){high[8]}}, high});

    always @(posedge clock) begin
        coarse <= value >>> {shift[SHIFT_BITS-1:3], 3'b000};
        rest <= shift[2:0];
        fine <= coarse >>> rest;
        q <= below ? low : above ? high : fine[8:0];
    end
endmodule
