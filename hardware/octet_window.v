// octet_window: which word of the input and which word of weights the array multiplies in each cycle of a convolution.
//
//   for row, column of the output                 row_step, pixel_step: how far the window moves
//     for group of COLUMNS output channels        group_words: 0, or how far it moves where channels are not mixed
//       for kernel row, kernel column             line_words, tap_step: to the next line, from a tap's last word to the next
//         for word of the tap                     words: of LANES channels each
//
// Outside the image it says so: the padding is read there. Weights follow one another through all groups, and begin again
// at every pixel; at every tap where all taps have the same ones. Where it pauses, no sum begins sooner than PAUSE cycles
// after the one before it.
module octet_window #(
    parameter FIELD_BITS = 16,
    parameter PAUSE = 8
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire                  start,  // with the step's numbers, which stay
    input  wire                  pauses,
    input  wire [FIELD_BITS-1:0] input_rows, input_columns, output_rows, output_columns, groups, kernel_rows, kernel_columns,
    input  wire [FIELD_BITS-1:0] words, origin, tap_step, line_words, group_words, pixel_step, row_step,
    input  wire [FIELD_BITS-1:0] stride_rows, stride_columns, first_row, first_column,
    input  wire [FIELD_BITS-1:0] first_weights,
    input  wire                  same_taps,
    output reg                   valid, first, last, in_image,
    output reg  [FIELD_BITS-1:0] address, weights
);
    localparam PAUSE_BITS = 9;

    reg running, begins;
    reg [PAUSE_BITS-1:0] pause;
    reg [FIELD_BITS-1:0] word, kernel_column, kernel_row, group, output_column, output_row;  // the loops
    reg [FIELD_BITS-1:0] at, line, corner, pixel, row;                   // words: of this cycle, and where each loop began
    reg [FIELD_BITS-1:0] input_row, input_column, top, left;             // in the image; negative numbers wrap
    reg [FIELD_BITS-1:0] weight;

    wire word_ends = word + 1'b1 == words;
    wire tap_ends = word_ends && kernel_column + 1'b1 == kernel_columns;
    wire sum_ends = tap_ends && kernel_row + 1'b1 == kernel_rows;
    wire pixel_ends = sum_ends && group + 1'b1 == groups;
    wire row_ends = pixel_ends && output_column + 1'b1 == output_columns;
    wire all_ends = row_ends && output_row + 1'b1 == output_rows;
    wire issues = running && !(pauses && begins && pause != 0);

    wire [FIELD_BITS-1:0] next_row = row + row_step;
    wire [FIELD_BITS-1:0] next_pixel = row_ends ? next_row : pixel + pixel_step;
    wire [FIELD_BITS-1:0] next_corner = pixel_ends ? next_pixel : corner + group_words;
    wire [FIELD_BITS-1:0] next_line = sum_ends ? next_corner : line + line_words;
    wire [FIELD_BITS-1:0] next_top = row_ends ? top + stride_rows : top;
    wire [FIELD_BITS-1:0] next_left = row_ends ? first_column : pixel_ends ? left + stride_columns : left;

    always @(posedge clock) begin
        valid <= issues && !reset;
        first <= begins;
        last <= sum_ends;
        in_image <= input_row < input_rows && input_column < input_columns;
        address <= at;
        weights <= weight;
        if (pause != 0) pause <= pause - 1'b1;
        if (reset) running <= 1'b0;
        else if (start) begin
            running <= 1'b1;
            begins <= 1'b1;
            pause <= 0;
            {word, kernel_column, kernel_row, group, output_column, output_row} <= 0;
            at <= origin;
            line <= origin;
            corner <= origin;
            pixel <= origin;
            row <= origin;
            input_row <= first_row;
            top <= first_row;
            input_column <= first_column;
            left <= first_column;
            weight <= first_weights;
        end else if (issues) begin
            begins <= sum_ends;
            if (begins) pause <= PAUSE[PAUSE_BITS-1:0] - 1'b1;
            weight <= pixel_ends || (same_taps && word_ends) ? first_weights : weight + 1'b1;
            word <= word_ends ? {FIELD_BITS{1'b0}} : word + 1'b1;
            at <= !word_ends ? at + 1'b1 : tap_ends ? next_line : at + tap_step;
            if (word_ends) begin
                kernel_column <= tap_ends ? {FIELD_BITS{1'b0}} : kernel_column + 1'b1;
                input_column <= tap_ends ? next_left : input_column + 1'b1;
            end
            if (tap_ends) begin
                kernel_row <= sum_ends ? {FIELD_BITS{1'b0}} : kernel_row + 1'b1;
                input_row <= sum_ends ? next_top : input_row + 1'b1;
                line <= next_line;
            end
            if (sum_ends) begin
                group <= pixel_ends ? {FIELD_BITS{1'b0}} : group + 1'b1;
                corner <= next_corner;
            end
            if (pixel_ends) begin
                output_column <= row_ends ? {FIELD_BITS{1'b0}} : output_column + 1'b1;
                pixel <= next_pixel;
                left <= next_left;
                top <= next_top;
            end
            if (row_ends) begin
                output_row <= output_row + 1'b1;
                row <= next_row;
            end
            if (all_ends) running <= 1'b0;
        end
    end
endmodule
