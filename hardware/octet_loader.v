// octet_loader: the image as the host sends it, a byte a beat, pixel after pixel, the channels of a pixel together, becomes
// words of LANES channels. The last word of a pixel is filled with zeros.
//
// It takes an image as soon as the one before it is no longer needed.
module octet_loader #(
    parameter LANES = 4,
    parameter CHANNELS = 3,
    parameter PIXELS = 1024,
    parameter FIELD_BITS = 16
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire                  valid,
    output wire                  ready,
    input  wire [7:0]            data,
    input  wire                  release_image,  // it has been read for the last time
    output reg                   full,
    output wire [LANES-1:0]      write_lanes,
    output wire [FIELD_BITS-1:0] write_address,
    output wire [8*LANES-1:0]    write_data
);
    reg [FIELD_BITS-1:0] channel, pixel, word;
    reg [LANES-1:0] lane;  // one bit

    wire taken = valid && ready;
    wire pixel_ends = channel + 1'b1 == CHANNELS[FIELD_BITS-1:0];
    wire word_ends = pixel_ends || lane[LANES-1];
    wire image_ends = pixel_ends && pixel + 1'b1 == PIXELS[FIELD_BITS-1:0];
    wire [LANES:0] one = {{LANES{1'b0}}, 1'b1};
    wire [LANES-1:0] first_lane = one[LANES-1:0];
    wire [LANES:0] next_lane = {lane, 1'b0};

    assign ready = !full && !reset;
    assign write_lanes = !taken ? {LANES{1'b0}} : lane[0] ? {LANES{1'b1}} : lane;
    assign write_address = word;
    wire [8*LANES+7:0] alone = {{(8*LANES){1'b0}}, data};
    assign write_data = lane[0] ? alone[8*LANES-1:0] : {LANES{data}};

    always @(posedge clock)
        if (reset) begin
            full <= 1'b0;
            {channel, pixel, word} <= 0;
            lane <= first_lane;
        end else begin
            if (release_image) full <= 1'b0;
            if (taken) begin
                channel <= pixel_ends ? {FIELD_BITS{1'b0}} : channel + 1'b1;
                lane <= word_ends ? first_lane : next_lane[LANES-1:0];
                if (word_ends) word <= image_ends ? {FIELD_BITS{1'b0}} : word + 1'b1;
                if (pixel_ends) pixel <= image_ends ? {FIELD_BITS{1'b0}} : pixel + 1'b1;
                if (image_ends) full <= 1'b1;
            end
        end

    wire unused = &{1'b0, one[LANES], next_lane[LANES], alone[8*LANES+7:8*LANES]};
endmodule
