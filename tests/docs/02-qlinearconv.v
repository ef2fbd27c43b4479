// The test bench of the Verilog in docs/quantization/02-qlinearconv.md: windows of ResNet8's layer conv, accumulators at ties
// and at the ends of 32 bits, and both sides of every step of block1.conv1.
module bench;
    localparam WINDOWS = 9, PRODUCTS = 27, FILTERS = 16, MOST = 1 << 16;
    reg [7:0]  windows [0:WINDOWS*PRODUCTS-1], conv_w [0:FILTERS*PRODUCTS-1], conv_y [0:FILTERS*WINDOWS-1],
               conv_zero_points [0:1], fixed_zero_point [0:0];
    reg [31:0] conv_bias [0:FILTERS-1], conv_multiplier [0:FILTERS-1], counts [0:1];
    reg [31:0] requantizer_acc [0:MOST-1], requantizer_multiplier [0:MOST-1], fixed_acc [0:MOST-1], fixed_m [0:MOST-1];
    reg [7:0]  requantizer_zero_point [0:MOST-1], requantizer_q [0:MOST-1], fixed_shift [0:MOST-1], fixed_q [0:MOST-1];

    reg clock, start;
    reg [7:0] x, w, zero_point;
    reg [31:0] bias, acc, multiplier, m;
    reg [5:0] shift;
    wire signed [31:0] sum;
    wire signed [7:0] q, q_fixed;
    multiply_accumulate mac (.clock(clock), .start(start), .x(x), .x_zero_point(conv_zero_points[0]), .w(w), .bias(bias), .acc(sum));
    requantize float_like (.acc(acc), .multiplier(multiplier), .zero_point(zero_point), .q(q));
    requantize_fixed fixed (.acc(acc), .m(m[30:0]), .shift(shift), .zero_point(fixed_zero_point[0]), .q(q_fixed));

    integer window, filter, k, checks, failures;
    task check(input equal, input integer what);
        begin
            checks = checks + 1;
            if (!equal) begin
                failures = failures + 1;
                $display("%0d differs at %0d, acc %0d", what, k, $signed(acc));
            end
        end
    endtask

    initial begin
        $readmemh("windows.hex", windows);
        $readmemh("conv_w.hex", conv_w);
        $readmemh("conv_y.hex", conv_y);
        $readmemh("conv_zero_points.hex", conv_zero_points);
        $readmemh("conv_bias.hex", conv_bias);
        $readmemh("conv_multiplier.hex", conv_multiplier);
        $readmemh("counts.hex", counts);
        $readmemh("requantizer_acc.hex", requantizer_acc, 0, counts[0] - 1);
        $readmemh("requantizer_multiplier.hex", requantizer_multiplier, 0, counts[0] - 1);
        $readmemh("requantizer_zero_point.hex", requantizer_zero_point, 0, counts[0] - 1);
        $readmemh("requantizer_q.hex", requantizer_q, 0, counts[0] - 1);
        $readmemh("fixed_acc.hex", fixed_acc, 0, counts[1] - 1);
        $readmemh("fixed_m.hex", fixed_m, 0, counts[1] - 1);
        $readmemh("fixed_shift.hex", fixed_shift, 0, counts[1] - 1);
        $readmemh("fixed_q.hex", fixed_q, 0, counts[1] - 1);
        $readmemh("fixed_zero_point.hex", fixed_zero_point);
        checks = 0;
        failures = 0;
        clock = 0;
        for (filter = 0; filter < FILTERS; filter = filter + 1)
            for (window = 0; window < WINDOWS; window = window + 1) begin
                bias = conv_bias[filter];
                for (k = 0; k < PRODUCTS; k = k + 1) begin
                    start = k == 0;
                    x = windows[window * PRODUCTS + k];
                    w = conv_w[filter * PRODUCTS + k];
                    #1 clock = 1;
                    #1 clock = 0;
                end
                acc = sum;
                multiplier = conv_multiplier[filter];
                zero_point = conv_zero_points[1];
                #1 check(q === conv_y[filter * WINDOWS + window], 1);
            end
        for (k = 0; k < counts[0]; k = k + 1) begin
            acc = requantizer_acc[k];
            multiplier = requantizer_multiplier[k];
            zero_point = requantizer_zero_point[k];
            #1 check(q === requantizer_q[k], 2);
        end
        for (k = 0; k < counts[1]; k = k + 1) begin
            acc = fixed_acc[k];
            m = fixed_m[k];
            shift = fixed_shift[k][5:0];
            #1 check(q_fixed === fixed_q[k], 3);
        end
        if (failures == 0) $display("%0d checks passed", checks);
    end
endmodule
