// octet_memory: words of several bytes, as block RAM. One write and one read a cycle; a word that is read arrives two cycles
// later. A word that is written in the cycle in which it is read arrives as it was before or after: nobody reads it then.
module octet_memory #(
    parameter LANES = 4,         // bytes of a word
    parameter WORDS = 1024,
    parameter ADDRESS_BITS = 10
) (
    input  wire                    clock,
    input  wire [LANES-1:0]        write_lanes,  // which bytes to write
    input  wire [ADDRESS_BITS-1:0] write_address,
    input  wire [8*LANES-1:0]      write_data,
    input  wire [ADDRESS_BITS-1:0] read_address,
    output reg  [8*LANES-1:0]      read_data
);
    localparam INDEX_BITS = WORDS > 1 ? $clog2(WORDS) : 1;  // at most ADDRESS_BITS
    reg [8*LANES-1:0] words [0:WORDS-1];
    reg [8*LANES-1:0] word;
    integer lane;

    always @(posedge clock) begin
        for (lane = 0; lane < LANES; lane = lane + 1)
            if (write_lanes[lane]) words[write_address[INDEX_BITS-1:0]][8*lane +: 8] <= write_data[8*lane +: 8];
        word <= words[read_address[INDEX_BITS-1:0]];
        read_data <= word;
    end

    wire unused = &{1'b0, write_address, read_address};
endmodule
