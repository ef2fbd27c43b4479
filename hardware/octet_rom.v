// octet_rom: constants from a file of hexadecimal words. A word that is read arrives two cycles later.
module octet_rom #(
    parameter FILE = "",
    parameter BITS = 8,
    parameter WORDS = 1024,
    parameter ADDRESS_BITS = 10
) (
    input  wire                    clock,
    input  wire [ADDRESS_BITS-1:0] address,
    output reg  [BITS-1:0]         data
);
    localparam INDEX_BITS = WORDS > 1 ? $clog2(WORDS) : 1;  // at most ADDRESS_BITS
    reg [BITS-1:0] words [0:WORDS-1];
    reg [BITS-1:0] word;

    initial $readmemh(FILE, words);

    always @(posedge clock) begin
        word <= words[address[INDEX_BITS-1:0]];
        data <= word;
    end

    wire unused = &{1'b0, address};
endmodule
