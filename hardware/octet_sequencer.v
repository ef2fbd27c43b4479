// octet_sequencer: one step after the other, for one image after the other.
//
// It reads the description of a step, starts it, and waits until its last result is in memory. Behind the last step the host
// gets the result. done is raised with the last byte.
module octet_sequencer #(
    parameter STEPS = 14,
    parameter STEP_BITS = 8
) (
    input  wire                 clock,
    input  wire                 reset,
    input  wire                 image_full,
    input  wire                 step_done,
    input  wire                 unload_done,
    output reg  [STEP_BITS-1:0] step,
    output wire                 restart,    // a cycle before start: the description is there
    output reg                  start,
    output reg                  unload,     // begins
    output reg                  unloading,
    output wire                 running     // a step; its last cycle is that of step_done
);
    localparam IDLE = 3'd0, FETCH = 3'd1, RESTART = 3'd2, START = 3'd3, RUN = 3'd4, UNLOAD = 3'd5;
    reg [2:0] state;
    reg [1:0] fetching;

    assign restart = state == RESTART;
    assign running = state == RUN;

    always @(posedge clock)
        if (reset) begin
            state <= IDLE;
            step <= 0;
            fetching <= 0;
            start <= 1'b0;
            unload <= 1'b0;
            unloading <= 1'b0;
        end else begin
            start <= state == RESTART;
            unload <= 1'b0;
            case (state)
                IDLE: if (image_full) state <= FETCH;
                FETCH: begin
                    fetching <= fetching + 1'b1;
                    if (fetching == 2'd3) state <= RESTART;
                end
                RESTART: state <= START;
                START: state <= RUN;
                RUN: if (step_done) begin
                    if (step + 1'b1 == STEPS[STEP_BITS-1:0]) begin
                        step <= 0;
                        unload <= 1'b1;
                        unloading <= 1'b1;
                        state <= UNLOAD;
                    end else begin
                        step <= step + 1'b1;
                        state <= FETCH;
                    end
                end
                UNLOAD: if (unload_done) begin
                    unloading <= 1'b0;
                    state <= IDLE;
                end
                default: state <= IDLE;
            endcase
        end
endmodule
