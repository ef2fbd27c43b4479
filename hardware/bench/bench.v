// bench.v: the network under a Verilog simulator, held to golden vectors: every byte that a step writes, and the result.
//
//   vvp simulation +vectors=vectors/image_0.hex
//
// Prints PASS, or FAIL with the first difference and its place. tensors.txt says what the steps write; a file of vectors has
// the bytes of the image, then of every step's result, pixel after pixel, the channels of a pixel together.
`include "octet_network.vh"
module bench;
    reg clock = 0, reset = 1, input_valid = 0;
    wire input_ready, output_valid;
    reg [7:0] input_data = 0;
    wire [7:0] output_data, observed_step;
    wire observed_valid, observed_running;
    wire [`OCTET_FIELD_BITS-1:0] observed_word;
    wire [`OCTET_LANES-1:0] observed_lanes;
    wire [8*`OCTET_LANES-1:0] observed_data;
    octet_network network (
        .clock(clock), .reset(reset), .input_valid(input_valid), .input_ready(input_ready), .input_data(input_data),
        .output_valid(output_valid), .output_ready(1'b1), .output_data(output_data), .observed_valid(observed_valid),
        .observed_step(observed_step), .observed_word(observed_word), .observed_lanes(observed_lanes),
        .observed_data(observed_data), .observed_running(observed_running));

    reg [7:0] vectors [0:`OCTET_VECTOR_BYTES-1];
    integer channels [0:`OCTET_STEPS-1], rows [0:`OCTET_STEPS-1], columns [0:`OCTET_STEPS-1];
    integer pixel_bytes [0:`OCTET_STEPS-1], offset [0:`OCTET_STEPS-1], seen [0:`OCTET_STEPS-1];
    reg [8*64-1:0] names [0:`OCTET_STEPS-1], name;
    reg [8*256-1:0] path;
    integer file, step, lane, at, pixel, channel, sent, received, end_of, size, useful, multipliers, image_bytes, compared;

    always #5 clock = !clock;

    task differs;
        begin
            $display("FAIL: %0s [channel %0d, row %0d, column %0d] is %0d, wanted %0d", names[step], channel,
                     pixel / columns[step], pixel % columns[step], observed_data[8*lane +: 8],
                     vectors[offset[step] + pixel * channels[step] + channel]);
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("vectors=%s", path)) path = "vectors/image_0.hex";
        $readmemh(path, vectors);
        file = $fopen("tensors.txt", "r");
        if ($fscanf(file, "%d %d", multipliers, image_bytes) != 2) $display("FAIL: tensors.txt can't be read");
        end_of = image_bytes;
        for (step = 0; step < `OCTET_STEPS; step = step + 1) begin
            if ($fscanf(file, "%d %d %d %d %d %s", channels[step], rows[step], columns[step], pixel_bytes[step], useful, name)
                != 6) $display("FAIL: tensors.txt can't be read");
            names[step] = name;
            offset[step] = end_of;
            seen[step] = 0;
            end_of = end_of + channels[step] * rows[step] * columns[step];
        end
        sent = 0;
        received = 0;
        compared = 0;
        repeat (4) @(negedge clock);
        reset = 0;
        size = end_of - offset[`OCTET_STEPS-1];
        while (received < size) begin
            input_valid = sent < image_bytes;
            input_data = sent < image_bytes ? vectors[sent] : 8'd0;
            #1;
            if (input_valid && input_ready) sent = sent + 1;
            if (output_valid) begin
                if (output_data !== vectors[offset[`OCTET_STEPS-1] + received]) begin
                    $display("FAIL: output %0d is %0d, wanted %0d", received, output_data,
                             vectors[offset[`OCTET_STEPS-1] + received]);
                    $finish;
                end
                received = received + 1;
            end
            if (observed_valid) begin
                step = observed_step;
                for (lane = 0; lane < `OCTET_LANES; lane = lane + 1)
                    if (observed_lanes[lane]) begin
                        at = observed_word * `OCTET_LANES + lane;
                        pixel = at / pixel_bytes[step];
                        channel = at % pixel_bytes[step];
                        if (channel < channels[step]) begin
                            if (observed_data[8*lane +: 8] !== vectors[offset[step] + pixel * channels[step] + channel]) differs;
                            seen[step] = seen[step] + 1;
                            compared = compared + 1;
                        end
                    end
            end
            @(negedge clock);
        end
        for (step = 0; step < `OCTET_STEPS; step = step + 1)
            if (seen[step] != channels[step] * rows[step] * columns[step]) begin
                $display("FAIL: %0s: %0d bytes were written", names[step], seen[step]);
                $finish;
            end
        $display("PASS: %0d tensors and the result, %0d bytes compared", `OCTET_STEPS, compared + received);
        $finish;
    end
endmodule
