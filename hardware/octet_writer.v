// octet_writer: results go to memory one behind the other, from a word on: REQUANTIZERS bytes a beat, or whole words.
module octet_writer #(
    parameter LANES = 4,
    parameter REQUANTIZERS = 2,
    parameter FIELD_BITS = 16
) (
    input  wire                      clock,
    input  wire                      restart,  // of a step
    input  wire                      whole_words,
    input  wire [FIELD_BITS-1:0]     base,
    input  wire                      valid,
    input  wire [8*LANES-1:0]        words,
    input  wire [8*REQUANTIZERS-1:0] bytes,
    output reg  [LANES-1:0]          write_lanes,
    output reg  [FIELD_BITS-1:0]     write_address,
    output reg  [8*LANES-1:0]        write_data,
    output reg  [FIELD_BITS-1:0]     beats     // that were written
);
    reg [FIELD_BITS-1:0] address;
    reg [LANES-1:0] lanes;

    wire [LANES+REQUANTIZERS-1:0] first_lanes = {{LANES{1'b0}}, {REQUANTIZERS{1'b1}}};
    wire [LANES+REQUANTIZERS-1:0] next_lanes = {lanes, {REQUANTIZERS{1'b0}}};

    always @(posedge clock) begin
        write_lanes <= valid ? lanes : {LANES{1'b0}};
        write_address <= address;
        write_data <= whole_words ? words : {(LANES/REQUANTIZERS){bytes}};
        if (restart) begin
            address <= base;
            lanes <= whole_words ? {LANES{1'b1}} : first_lanes[LANES-1:0];
            beats <= 0;
        end else if (valid) begin
            beats <= beats + 1'b1;
            if (lanes[LANES-1]) address <= address + 1'b1;
            if (!whole_words) lanes <= lanes[LANES-1] ? first_lanes[LANES-1:0] : next_lanes[LANES-1:0];
        end
    end

    wire unused = &{1'b0, first_lanes[LANES+REQUANTIZERS-1:LANES], next_lanes[LANES+REQUANTIZERS-1:LANES]};
endmodule
