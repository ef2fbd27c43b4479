// The test bench of the Verilog in docs/quantization/03-qlinearmatmul.md: ResNet8's dense layer on the sample image, and both
// sides of every step of every class.
module bench;
    localparam CLASSES = 10, FEATURES = 64, MOST = 1 << 14;
    reg [7:0]  a [0:FEATURES-1], w [0:CLASSES*FEATURES-1], y [0:CLASSES-1], zero_points [0:1], step_q [0:MOST-1];
    reg [31:0] starts [0:CLASSES-1], m [0:CLASSES-1], step_acc [0:MOST-1], step_m [0:MOST-1], count [0:0];

    reg clock, start;
    reg [31:0] four_a, four_w, start_value, multiplier;
    reg [19:0] acc;
    wire signed [19:0] sum;
    wire signed [7:0] q;
    dot4 unit (.clock(clock), .start(start), .a(four_a), .w(four_w), .start_value(start_value[19:0]), .acc(sum));
    requantize_shared requantizer (.acc(acc), .m(multiplier[23:0]), .zero_point(zero_points[1]), .q(q));

    integer n, k, checks, failures;
    task check(input equal);
        begin
            checks = checks + 1;
            if (!equal) begin
                failures = failures + 1;
                $display("differs at %0d, %0d: acc %0d, q %0d", n, k, $signed(acc), q);
            end
        end
    endtask

    initial begin
        $readmemh("a.hex", a);
        $readmemh("w.hex", w);
        $readmemh("y.hex", y);
        $readmemh("zero_points.hex", zero_points);
        $readmemh("starts.hex", starts);
        $readmemh("m.hex", m);
        $readmemh("count.hex", count);
        $readmemh("step_acc.hex", step_acc, 0, count[0] - 1);
        $readmemh("step_m.hex", step_m, 0, count[0] - 1);
        $readmemh("step_q.hex", step_q, 0, count[0] - 1);
        checks = 0;
        failures = 0;
        clock = 0;
        for (n = 0; n < CLASSES; n = n + 1) begin
            start_value = starts[n];
            for (k = 0; k < FEATURES; k = k + 4) begin
                start = k == 0;
                four_a = {a[k + 3], a[k + 2], a[k + 1], a[k]};
                four_w = {w[n * FEATURES + k + 3], w[n * FEATURES + k + 2], w[n * FEATURES + k + 1], w[n * FEATURES + k]};
                #1 clock = 1;
                #1 clock = 0;
            end
            acc = sum;
            multiplier = m[n];
            #1 check(q === y[n]);
        end
        for (k = 0; k < count[0]; k = k + 1) begin
            acc = step_acc[k][19:0];
            multiplier = step_m[k];
            #1 check(q === step_q[k]);
        end
        if (failures == 0) $display("%0d checks passed", checks);
    end
endmodule
