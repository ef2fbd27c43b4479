// The test bench of the Verilog in docs/quantization/06-dynamic-quantization.md: the tensors of dynamic.csv, an activation of ResNet8 and
// random tensors; then its parts on numbers of their own.
module bench;
    localparam MOST = 1 << 20, MOST_TENSORS = 1 << 13;
    reg [31:0] unit_x [0:MOST-1], unit_q [0:MOST-1], unit_scales [0:MOST_TENSORS-1], unit_zero_points [0:MOST_TENSORS-1], unit_counts [0:MOST_TENSORS-1];
    reg [7:0]  unit_kinds [0:MOST_TENSORS-1];
    reg [31:0] unit_tensors [0:0], unit_elements [0:0];

    localparam MOST_PARTS = 1 << 13;
    reg [31:0] pair_a [0:MOST_PARTS-1], pair_b [0:MOST_PARTS-1], pair_quotient [0:MOST_PARTS-1], pair_sum [0:MOST_PARTS-1], pairs [0:0];
    reg [31:0] lone_t [0:MOST_PARTS-1], lone_nearest [0:MOST_PARTS-1], lone_less [0:MOST_PARTS-1], lone [0:0];

    reg clock, divide;
    reg [30:0] a, b, t;
    wire divided;
    wire [30:0] quotient, sum;
    wire [8:0] nearest, less;
    divide_float32 divider (.clock(clock), .start(divide), .a(a), .b(b), .done(divided), .y(quotient));
    add_float32 adder (.a(a), .b(b), .y(sum));
    round_float32 rounder (.t(t), .n(nearest));
    round_less_128 twice (.t(t), .n(less));

    reg clear, observe, find, convert;
    reg [1:0] kind;
    reg [31:0] x;
    wire [31:0] scale;
    wire signed [8:0] zero_point, q;
    wire done;
    dynamic_quantizer quantizer (.clock(clock), .kind(kind), .clear(clear), .observe(observe), .find(find), .convert(convert), .x(x),
                                 .scale(scale), .zero_point(zero_point), .q(q), .done(done));

    integer tensor, first, k, checks, failures, cycles;
    task check(input equal, input integer what);
        begin
            checks = checks + 1;
            if (!equal) begin
                failures = failures + 1;
                $display("%0d differs in tensor %0d at %0d: scale %h, zero point %0d, q %0d", what, tensor, k, scale, zero_point, q);
            end
        end
    endtask
    task tick;
        begin
            #1 clock = 1;
            #1 clock = 0;
            {clear, observe, find, convert, divide} = 5'b00000;
        end
    endtask
    task wait_for_done;
        begin
            tick;
            cycles = 0;
            while (!done && cycles < 100) begin
                tick;
                cycles = cycles + 1;
            end
        end
    endtask

    initial begin
        $readmemh("unit_tensors.hex", unit_tensors);
        $readmemh("unit_elements.hex", unit_elements);
        $readmemh("unit_x.hex", unit_x, 0, unit_elements[0] - 1);
        $readmemh("unit_q.hex", unit_q, 0, unit_elements[0] - 1);
        $readmemh("unit_scales.hex", unit_scales, 0, unit_tensors[0] - 1);
        $readmemh("unit_zero_points.hex", unit_zero_points, 0, unit_tensors[0] - 1);
        $readmemh("unit_counts.hex", unit_counts, 0, unit_tensors[0] - 1);
        $readmemh("unit_kinds.hex", unit_kinds, 0, unit_tensors[0] - 1);
        $readmemh("pairs.hex", pairs);
        $readmemh("pair_a.hex", pair_a, 0, pairs[0] - 1);
        $readmemh("pair_b.hex", pair_b, 0, pairs[0] - 1);
        $readmemh("pair_quotient.hex", pair_quotient, 0, pairs[0] - 1);
        $readmemh("pair_sum.hex", pair_sum, 0, pairs[0] - 1);
        $readmemh("lone.hex", lone);
        $readmemh("lone_t.hex", lone_t, 0, lone[0] - 1);
        $readmemh("lone_nearest.hex", lone_nearest, 0, lone[0] - 1);
        $readmemh("lone_less.hex", lone_less, 0, lone[0] - 1);
        {clock, clear, observe, find, convert, divide} = 6'b000000;
        checks = 0;
        failures = 0;
        first = 0;
        for (tensor = 0; tensor < unit_tensors[0]; tensor = tensor + 1) begin
            kind = unit_kinds[tensor][1:0];
            clear = 1;
            tick;
            for (k = 0; k < unit_counts[tensor]; k = k + 1) begin
                x = unit_x[first + k];
                observe = 1;
                tick;
            end
            find = 1;
            wait_for_done;
            check(cycles < 59, 4);
            check(scale === unit_scales[tensor], 1);
            check(zero_point === unit_zero_points[tensor][8:0], 2);
            for (k = 0; k < unit_counts[tensor]; k = k + 1) begin
                x = unit_x[first + k];
                convert = 1;
                wait_for_done;
                check(cycles < 30, 5);
                check(q === unit_q[first + k][8:0], 3);
            end
            first = first + unit_counts[tensor];
        end
        // 255.0: observing while an element is converted takes nothing from it, and what is cleared at any time of a division leaves no trace.
        tensor = -2;
        kind = 0;
        for (k = 0; k < 40; k = k + 1) begin
            clear = 1;
            tick;
            x = 32'h437f0000;
            observe = 1;
            tick;
            find = 1;
            wait_for_done;
            check(scale === 32'h3f800000 && zero_point === 0, 10);
            x = 32'h42280000;
            convert = 1;
            tick;
            for (cycles = 0; !done && cycles < 100; cycles = cycles + 1) begin
                observe = 1;
                tick;
            end
            check(q === 42, 11);
            x = 32'h40a00000;
            convert = 1;
            for (cycles = 0; cycles < k; cycles = cycles + 1) tick;
            clear = 1;
            tick;
        end
        tensor = -1;
        for (k = 0; k < pairs[0]; k = k + 1) begin
            a = pair_a[k][30:0];
            b = pair_b[k][30:0];
            divide = 1;
            tick;
            for (cycles = 0; !divided && cycles < 30; cycles = cycles + 1) tick;
            check(quotient === pair_quotient[k][30:0], 6);
            check(sum === pair_sum[k][30:0], 7);
        end
        for (k = 0; k < lone[0]; k = k + 1) begin
            t = lone_t[k][30:0];
            #1 check(nearest === lone_nearest[k][8:0], 8);
            check(less === lone_less[k][8:0], 9);
        end
        if (failures == 0) $display("%0d checks passed", checks);
    end
endmodule
