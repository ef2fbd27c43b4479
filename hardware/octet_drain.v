// octet_drain: takes the sums of all columns at once, and gives them to the requantizers, REQUANTIZERS a cycle, with the
// number of their word of constants: 0, 1, ... channel_words - 1, and again. load comes at most every
// COLUMNS / REQUANTIZERS cycles.
module octet_drain #(
    parameter COLUMNS = 16,
    parameter REQUANTIZERS = 2,
    parameter ACC_BITS = 24,
    parameter FIELD_BITS = 16
) (
    input  wire                             clock,
    input  wire                             reset,
    input  wire                             restart,        // before the first sums of a step
    input  wire                             load,
    input  wire [COLUMNS*ACC_BITS-1:0]      sums,
    input  wire [FIELD_BITS-1:0]            channel_words,  // of the step
    output wire                             valid,
    output wire [FIELD_BITS-1:0]            channel_word,
    output wire [REQUANTIZERS*ACC_BITS-1:0] some
);
    localparam BEATS = COLUMNS / REQUANTIZERS;
    localparam LEFT_BITS = 9;

    reg [COLUMNS*ACC_BITS-1:0] held;
    reg [LEFT_BITS-1:0] left;
    reg [FIELD_BITS-1:0] number;

    assign valid = left != 0;
    assign channel_word = number;
    assign some = held[REQUANTIZERS*ACC_BITS-1:0];

    always @(posedge clock) begin
        if (reset) left <= 0;
        else if (load) begin
            held <= sums;
            left <= BEATS[LEFT_BITS-1:0];
        end else if (left != 0) begin
            held <= held >> (REQUANTIZERS * ACC_BITS);
            left <= left - 1'b1;
        end
        if (restart) number <= 0;
        else if (left != 0) number <= number + 1'b1 == channel_words ? {FIELD_BITS{1'b0}} : number + 1'b1;
    end
endmodule
