// octet_unloader: reads the result from memory, a byte after the other, pixel after pixel, and gives it to the host.
module octet_unloader #(
    parameter LANES = 4,
    parameter LEVELS = 2,       // LANES = 2 ** LEVELS
    parameter CHANNELS = 10,
    parameter PIXELS = 1,
    parameter PIXEL_WORDS = 4,  // from a pixel to the next
    parameter BASE = 0,
    parameter FIELD_BITS = 16
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire                  start,
    output wire                  done,      // with the last byte that the host takes
    output wire [FIELD_BITS-1:0] address,
    input  wire [8*LANES-1:0]    word,      // arrives two cycles after its address
    output reg                   valid,
    input  wire                  ready,
    output wire [7:0]            data
);
    reg [FIELD_BITS-1:0] channel, pixel, first;
    reg [2:0] waits;  // one bit: the cycles until the word is there

    wire taken = valid && ready;
    wire pixel_ends = channel + 1'b1 == CHANNELS[FIELD_BITS-1:0];
    assign done = taken && pixel_ends && pixel + 1'b1 == PIXELS[FIELD_BITS-1:0];
    assign address = first + (channel >> LEVELS);
    wire [8*LANES-1:0] shifted = word >> {channel & (LANES[FIELD_BITS-1:0] - 1'b1), 3'b000};
    assign data = shifted[7:0];

    always @(posedge clock)
        if (reset) begin
            valid <= 1'b0;
            waits <= 0;
        end else begin
            waits <= {waits[1:0], 1'b0};
            if (start) begin
                {channel, pixel} <= 0;
                first <= BASE[FIELD_BITS-1:0];
                waits <= 3'd1;
            end else if (waits[2]) valid <= 1'b1;
            else if (taken) begin
                valid <= 1'b0;
                channel <= pixel_ends ? {FIELD_BITS{1'b0}} : channel + 1'b1;
                if (pixel_ends) begin
                    pixel <= pixel + 1'b1;
                    first <= first + PIXEL_WORDS[FIELD_BITS-1:0];
                end
                if (!done) waits <= 3'd1;
            end
        end

    wire unused = &{1'b0, shifted};
endmodule
