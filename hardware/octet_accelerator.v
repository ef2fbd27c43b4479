// octet_accelerator: a network of convolutions, additions, global averages and dense layers, step by step on one array of
// multipliers.
//
// The host sends an image and takes the result, a byte a beat: pixel after pixel, the channels of a pixel together. A byte
// moves in a cycle in which valid and ready are both high. The next image is taken as soon as no step needs this one.
//
// All there is to know of a network is in the parameters and in four files: what the steps are, weights, constants of output
// channels, constants of additions. The observed_ ports show every write of a result; leave them open, and they cost nothing.
module octet_accelerator #(
    parameter LANES = 4,              // input channels at a time
    parameter LEVELS = 2,             // LANES = 2 ** LEVELS
    parameter COLUMNS = 16,           // output channels at a time
    parameter REQUANTIZERS = 2,       // at most LANES, divides COLUMNS
    parameter FIELD_BITS = 16,        // of counts and addresses
    parameter STEPS = 14,
    parameter STEPS_FILE = "steps.hex",
    parameter W_BITS = 8,
    parameter WEIGHT_WORDS = 1024,
    parameter WEIGHTS_FILE = "weights.hex",
    parameter ACC_BITS = 24,
    parameter M_BITS = 26,
    parameter SUM_BITS = 48,
    parameter SHIFT_BITS = 6,
    parameter EXCEPTIONS = 1,
    parameter LENGTH_BITS = 1,
    parameter CHANNEL_WORDS = 256,
    parameter CHANNELS_FILE = "channels.hex",
    parameter ADD_M_BITS = 24,
    parameter ADD_SUM_BITS = 36,
    parameter ADD_SHIFT_BITS = 5,
    parameter ADD_EXCEPTIONS = 1,
    parameter ADDITIONS_FILE = "additions.hex",  // a word for each step
    parameter IMAGE_CHANNELS = 3,
    parameter IMAGE_PIXELS = 1024,
    parameter IMAGE_WORDS = 1024,
    parameter BANK0_WORDS = 4096,
    parameter BANK1_WORDS = 8192,
    parameter OUTPUT_BANK = 0,
    parameter OUTPUT_BASE = 0,
    parameter OUTPUT_CHANNELS = 10,
    parameter OUTPUT_PIXELS = 1,
    parameter OUTPUT_PIXEL_WORDS = 4
) (
    input  wire                  clock,
    input  wire                  reset,          // synchronous
    input  wire                  input_valid,
    output wire                  input_ready,
    input  wire [7:0]            input_data,
    output wire                  output_valid,
    input  wire                  output_ready,
    output wire [7:0]            output_data,
    output wire                  observed_valid,
    output wire [7:0]            observed_step,
    output wire [FIELD_BITS-1:0] observed_word,  // counted from the first of the step's result
    output wire [LANES-1:0]      observed_lanes,
    output wire [8*LANES-1:0]    observed_data,
    output wire                  observed_running   // a step
);
    localparam IMAGE = 2'd2;  // the bank of the image
    localparam STEP_FIELDS = 24;
    localparam DESCRIPTION_BITS = 36 + STEP_FIELDS * FIELD_BITS;
    localparam SLOT_BITS = 1 + 8 + LENGTH_BITS + ACC_BITS;
    localparam RECORD_BITS = EXCEPTIONS * SLOT_BITS + SHIFT_BITS + SUM_BITS + M_BITS + ACC_BITS;
    localparam ADD_RECORD_BITS = ADD_EXCEPTIONS * 36 + ADD_SHIFT_BITS + ADD_SUM_BITS + 2 * ADD_M_BITS;
    localparam MEMORY_CYCLES = 2;        // from an address to its word
    localparam REQUANTIZER_CYCLES = 7, ADDER_CYCLES = 7;

    // ---- the step at hand

    wire [7:0] step;
    wire restart, start, unload, unloading, running, step_done, unload_done, image_full;
    octet_sequencer #(.STEPS(STEPS), .STEP_BITS(8)) sequencer (
        .clock(clock), .reset(reset), .image_full(image_full), .step_done(step_done), .unload_done(unload_done), .step(step),
        .restart(restart), .start(start), .unload(unload), .unloading(unloading), .running(running));

    wire [DESCRIPTION_BITS-1:0] description;
    octet_rom #(.FILE(STEPS_FILE), .BITS(DESCRIPTION_BITS), .WORDS(STEPS), .ADDRESS_BITS(8)) steps (
        .clock(clock), .address(step), .data(description));
    // These wires and their order are made from the table in octet/export/step_fields.cc.
    wire adds, is_signed, same_taps, frees_image, y_bank;
    wire [1:0] a_bank, b_bank;
    wire signed [8:0] padding, low, high;
    wire [FIELD_BITS-1:0] y_base, beats, channel_base, channel_words, b_offset, input_rows, input_columns, output_rows,
        output_columns, groups, kernel_rows, kernel_columns, words, origin, tap_step, line_words, group_words, pixel_step,
        row_step, stride_rows, stride_columns, first_row, first_column, first_weights;
    assign {adds, is_signed, same_taps, frees_image, a_bank, b_bank, y_bank, padding, low, high, y_base, beats, channel_base,
            channel_words, b_offset, input_rows, input_columns, output_rows, output_columns, groups, kernel_rows,
            kernel_columns, words, origin, tap_step, line_words, group_words, pixel_step, row_step, stride_rows,
            stride_columns, first_row, first_column, first_weights} = description;

    // ---- memories: the image, and two banks, so that both operands of an addition are read at once

    wire valid, first, last, in_image;
    wire [FIELD_BITS-1:0] window_address, weight_address, unload_address;
    octet_window #(.FIELD_BITS(FIELD_BITS), .PAUSE(COLUMNS / REQUANTIZERS)) window (
        .clock(clock), .reset(reset), .start(start), .pauses(!adds), .input_rows(input_rows), .input_columns(input_columns),
        .output_rows(output_rows), .output_columns(output_columns), .groups(groups), .kernel_rows(kernel_rows),
        .kernel_columns(kernel_columns), .words(words), .origin(origin), .tap_step(tap_step), .line_words(line_words),
        .group_words(group_words), .pixel_step(pixel_step), .row_step(row_step), .stride_rows(stride_rows),
        .stride_columns(stride_columns), .first_row(first_row), .first_column(first_column), .first_weights(first_weights),
        .same_taps(same_taps), .valid(valid), .first(first), .last(last), .in_image(in_image), .address(window_address),
        .weights(weight_address));

    wire [FIELD_BITS-1:0] a_address = unloading ? unload_address : window_address;
    wire [FIELD_BITS-1:0] b_address = window_address + b_offset;
    wire [LANES-1:0] image_lanes, write_lanes;
    wire [FIELD_BITS-1:0] image_address, write_address;
    wire [8*LANES-1:0] image_write, write_data, image_word, word_0, word_1;
    wire reads_b_0 = adds && b_bank == 2'd0 && !unloading, reads_b_1 = adds && b_bank == 2'd1 && !unloading;
    wire reads_b_image = adds && b_bank == IMAGE;
    octet_loader #(.LANES(LANES), .CHANNELS(IMAGE_CHANNELS), .PIXELS(IMAGE_PIXELS), .FIELD_BITS(FIELD_BITS)) loader (
        .clock(clock), .reset(reset), .valid(input_valid), .ready(input_ready), .data(input_data),
        .release_image(step_done && frees_image), .full(image_full), .write_lanes(image_lanes), .write_address(image_address),
        .write_data(image_write));
    octet_memory #(.LANES(LANES), .WORDS(IMAGE_WORDS), .ADDRESS_BITS(FIELD_BITS)) image (
        .clock(clock), .write_lanes(image_lanes), .write_address(image_address), .write_data(image_write),
        .read_address(reads_b_image ? b_address : a_address), .read_data(image_word));
    octet_memory #(.LANES(LANES), .WORDS(BANK0_WORDS), .ADDRESS_BITS(FIELD_BITS)) bank_0 (
        .clock(clock), .write_lanes(y_bank ? {LANES{1'b0}} : write_lanes), .write_address(write_address),
        .write_data(write_data), .read_address(reads_b_0 ? b_address : a_address), .read_data(word_0));
    octet_memory #(.LANES(LANES), .WORDS(BANK1_WORDS), .ADDRESS_BITS(FIELD_BITS)) bank_1 (
        .clock(clock), .write_lanes(y_bank ? write_lanes : {LANES{1'b0}}), .write_address(write_address),
        .write_data(write_data), .read_address(reads_b_1 ? b_address : a_address), .read_data(word_1));
    wire [8*LANES-1:0] a_word = a_bank == IMAGE ? image_word : a_bank[0] ? word_1 : word_0;
    wire [8*LANES-1:0] b_word = b_bank == IMAGE ? image_word : b_bank[0] ? word_1 : word_0;

    wire [COLUMNS*LANES*W_BITS-1:0] w;
    octet_rom #(.FILE(WEIGHTS_FILE), .BITS(COLUMNS*LANES*W_BITS), .WORDS(WEIGHT_WORDS), .ADDRESS_BITS(FIELD_BITS)) weights (
        .clock(clock), .address(weight_address), .data(w));

    // What the window said, when its words arrive.
    reg [MEMORY_CYCLES-1:0] valids, firsts, lasts, insides;
    always @(posedge clock) begin
        valids <= reset ? {MEMORY_CYCLES{1'b0}} : {valids[MEMORY_CYCLES-2:0], valid};
        firsts <= {firsts[MEMORY_CYCLES-2:0], first};
        lasts <= {lasts[MEMORY_CYCLES-2:0], last};
        insides <= {insides[MEMORY_CYCLES-2:0], in_image};
    end
    wire arrives = valids[MEMORY_CYCLES-1];

    // ---- sums of products: array, drain, requantizers

    wire [LANES*9-1:0] x, b;
    genvar lane, r;
    generate
        for (lane = 0; lane < LANES; lane = lane + 1) begin : operand
            assign x[9*lane +: 9] = !insides[MEMORY_CYCLES-1] ? padding
                                  : {is_signed && a_word[8*lane+7], a_word[8*lane +: 8]};
            assign b[9*lane +: 9] = {is_signed && b_word[8*lane+7], b_word[8*lane +: 8]};
        end
    endgenerate

    wire summed, drains;
    wire [COLUMNS*ACC_BITS-1:0] sums;
    wire [REQUANTIZERS*ACC_BITS-1:0] some;
    wire [FIELD_BITS-1:0] channel_word;
    octet_array #(.LANES(LANES), .COLUMNS(COLUMNS), .LEVELS(LEVELS), .W_BITS(W_BITS), .ACC_BITS(ACC_BITS)) array (
        .clock(clock), .reset(reset), .valid(arrives && !adds), .first(firsts[MEMORY_CYCLES-1]), .last(lasts[MEMORY_CYCLES-1]), .x(x), .w(w),
        .done(summed), .sums(sums));
    octet_drain #(.COLUMNS(COLUMNS), .REQUANTIZERS(REQUANTIZERS), .ACC_BITS(ACC_BITS), .FIELD_BITS(FIELD_BITS)) drain (
        .clock(clock), .reset(reset), .restart(restart), .load(summed), .sums(sums), .channel_words(channel_words), .valid(drains),
        .channel_word(channel_word), .some(some));

    // The constants of a channel arrive a cycle for the address and two for the memory after its sum.
    reg [FIELD_BITS-1:0] channel_address;
    reg [3*REQUANTIZERS*ACC_BITS-1:0] waiting;
    always @(posedge clock) begin
        channel_address <= channel_base + channel_word;
        waiting <= {waiting[2*REQUANTIZERS*ACC_BITS-1:0], some};
    end
    wire [REQUANTIZERS*RECORD_BITS-1:0] records;
    octet_rom #(.FILE(CHANNELS_FILE), .BITS(REQUANTIZERS*RECORD_BITS), .WORDS(CHANNEL_WORDS), .ADDRESS_BITS(FIELD_BITS))
        channels (.clock(clock), .address(channel_address), .data(records));
    wire [8*REQUANTIZERS-1:0] requantized;
    generate
        for (r = 0; r < REQUANTIZERS; r = r + 1) begin : requantize
            octet_requantizer #(.ACC_BITS(ACC_BITS), .M_BITS(M_BITS), .SUM_BITS(SUM_BITS), .SHIFT_BITS(SHIFT_BITS),
                                .EXCEPTIONS(EXCEPTIONS), .LENGTH_BITS(LENGTH_BITS)) unit (
                .clock(clock), .sum(waiting[(2*REQUANTIZERS+r)*ACC_BITS +: ACC_BITS]),
                .record(records[r*RECORD_BITS +: RECORD_BITS]), .low(low), .high(high), .q(requantized[8*r +: 8]));
        end
    endgenerate

    // ---- additions

    wire [ADD_RECORD_BITS-1:0] addition;
    octet_rom #(.FILE(ADDITIONS_FILE), .BITS(ADD_RECORD_BITS), .WORDS(STEPS), .ADDRESS_BITS(8)) additions (
        .clock(clock), .address(step), .data(addition));
    wire [8*LANES-1:0] added;
    generate
        for (lane = 0; lane < LANES; lane = lane + 1) begin : add
            octet_residual_adder #(.M_BITS(ADD_M_BITS), .SUM_BITS(ADD_SUM_BITS), .SHIFT_BITS(ADD_SHIFT_BITS),
                                   .EXCEPTIONS(ADD_EXCEPTIONS)) unit (
                .clock(clock), .a(x[9*lane +: 9]), .b(b[9*lane +: 9]), .record(addition), .low(low), .high(high),
                .y(added[8*lane +: 8]));
        end
    endgenerate

    // ---- results to memory

    reg [REQUANTIZER_CYCLES+2:0] requantizing;
    reg [ADDER_CYCLES-1:0] adding;
    always @(posedge clock) begin
        requantizing <= reset ? {(REQUANTIZER_CYCLES+3){1'b0}} : {requantizing[REQUANTIZER_CYCLES+1:0], drains};
        adding <= reset ? {ADDER_CYCLES{1'b0}} : {adding[ADDER_CYCLES-2:0], arrives && adds};
    end
    wire [FIELD_BITS-1:0] written;
    octet_writer #(.LANES(LANES), .REQUANTIZERS(REQUANTIZERS), .FIELD_BITS(FIELD_BITS)) writer (
        .clock(clock), .restart(restart), .whole_words(adds), .base(y_base),
        .valid(adds ? adding[ADDER_CYCLES-1] : requantizing[REQUANTIZER_CYCLES+2]), .words(added), .bytes(requantized),
        .write_lanes(write_lanes), .write_address(write_address), .write_data(write_data), .beats(written));
    assign step_done = running && written == beats && write_lanes == 0;

    // ---- the result to the host

    octet_unloader #(.LANES(LANES), .LEVELS(LEVELS), .CHANNELS(OUTPUT_CHANNELS), .PIXELS(OUTPUT_PIXELS),
                     .PIXEL_WORDS(OUTPUT_PIXEL_WORDS), .BASE(OUTPUT_BASE), .FIELD_BITS(FIELD_BITS)) unloader (
        .clock(clock), .reset(reset), .start(unload), .done(unload_done), .address(unload_address),
        .word(OUTPUT_BANK == 1 ? word_1 : word_0), .valid(output_valid), .ready(output_ready), .data(output_data));

    assign observed_valid = |write_lanes;
    assign observed_step = step;
    assign observed_word = write_address - y_base;
    assign observed_lanes = write_lanes;
    assign observed_data = write_data;
    assign observed_running = running;
endmodule
