// The test bench of the Verilog in docs/quantization/01-boundary-operations.md.
module bench;
    localparam PIXELS = 3072, FLOATS = 4611;
    reg [7:0]  bytes [0:PIXELS-1], image_quantized [0:PIXELS-1], floats_quantized [0:FLOATS-1], every [0:255];
    reg [31:0] floats [0:FLOATS-1], every_dequantized [0:255], scale [0:0], zero_point [0:0];

    reg [7:0] p, q_in;
    reg [31:0] float_in;
    wire signed [7:0] from_pixel, from_float;
    wire [31:0] back;
    quantize_pixel pixel (.p(p), .q(from_pixel));
    quantize_linear #(.THRESHOLDS("thresholds.hex")) quantizer (.x(float_in), .q(from_float));
    dequantize_linear dequantizer (.q(q_in), .z(zero_point[0][7:0]), .scale(scale[0]), .y(back));

    integer k, failures;
    task check(input equal, input integer what);
        if (!equal) begin
            failures = failures + 1;
            $display("%0d differs at %0d", what, k);
        end
    endtask

    initial begin
        $readmemh("bytes.hex", bytes);
        $readmemh("image_quantized.hex", image_quantized);
        $readmemh("floats.hex", floats);
        $readmemh("floats_quantized.hex", floats_quantized);
        $readmemh("every.hex", every);
        $readmemh("every_dequantized.hex", every_dequantized);
        $readmemh("scale.hex", scale);
        $readmemh("zero_point.hex", zero_point);
        failures = 0;
        for (k = 0; k < PIXELS; k = k + 1) begin
            p = bytes[k];
            #1 check(from_pixel === image_quantized[k], 1);
        end
        for (k = 0; k < FLOATS; k = k + 1) begin
            float_in = floats[k];
            #1 check(from_float === floats_quantized[k], 2);
        end
        float_in = 32'h7FC00000;
        #1 check(from_float === 8'h80, 3);
        for (k = 0; k < 256; k = k + 1) begin
            q_in = every[k];
            #1 check(back === every_dequantized[k], 4);
        end
        if (failures == 0) $display("%0d checks passed", PIXELS + FLOATS + 1 + 256);
    end
endmodule
