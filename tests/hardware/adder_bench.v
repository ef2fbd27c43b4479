// adder_bench.v: octet_residual_adder on all 65,536 pairs of bytes; it writes what it gives to results.hex.
module adder_bench;
    parameter M_BITS = 24, SUM_BITS = 36, SHIFT_BITS = 5, EXCEPTIONS = 1, IS_SIGNED = 1;
    localparam RECORD_BITS = EXCEPTIONS * 36 + SHIFT_BITS + SUM_BITS + 2 * M_BITS, LATENCY = 7;
    reg clock = 0;
    reg [16:0] pair = 0;
    reg [RECORD_BITS-1:0] record [0:0];
    reg [7:0] results [0:65535];
    wire [7:0] y;
    wire signed [8:0] low = IS_SIGNED ? -9'sd128 : 9'sd0, high = IS_SIGNED ? 9'sd127 : 9'sd255;
    wire is_signed = IS_SIGNED != 0;
    octet_residual_adder #(.M_BITS(M_BITS), .SUM_BITS(SUM_BITS), .SHIFT_BITS(SHIFT_BITS), .EXCEPTIONS(EXCEPTIONS)) unit (
        .clock(clock), .a({is_signed & pair[15], pair[15:8]}), .b({is_signed & pair[7], pair[7:0]}), .record(record[0]),
        .low(low), .high(high), .y(y));

    integer n;
    initial begin
        $readmemh("record.hex", record);
        for (n = 0; n < 65536 + LATENCY; n = n + 1) begin
            pair = n;
            #1 clock = 1;
            #1 clock = 0;
            if (n >= LATENCY - 1 && n - LATENCY + 1 < 65536) results[n - LATENCY + 1] = y;
        end
        $writememh("results.hex", results);
    end
endmodule
