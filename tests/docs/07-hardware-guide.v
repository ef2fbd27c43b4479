// The test bench of the Verilog in docs/quantization/07-hardware-guide.md: every accumulator of one channel, and windows of
// ResNet8's block1.conv1 at the border and inside.
module bench;
    localparam WINDOWS = 9, PRODUCTS = 144, MOST_FILTERS = 16, MOST = 1 << 20;
    reg [7:0]  windows [0:WINDOWS*PRODUCTS-1], w [0:MOST_FILTERS*PRODUCTS-1], unit_shift [0:MOST_FILTERS-1], wanted [0:WINDOWS*MOST_FILTERS-1];
    reg [31:0] starts [0:MOST_FILTERS-1], unit_m [0:MOST_FILTERS-1], filters [0:0];
    reg [63:0] unit_addend [0:MOST_FILTERS-1], every_addend [0:0];
    reg [31:0] every_first [0:0], every_count [0:0], every_m [0:0];
    reg [7:0]  every_shift [0:0], every_q [0:MOST-1];

    reg [31:0] acc;
    wire signed [7:0] q;
    requantize_integer requantizer (.acc(acc[22:0]), .m(every_m[0][24:0]), .addend(every_addend[0][46:0]), .shift(every_shift[0][5:0]), .q(q));

    reg clock, first, last;
    reg [7:0] x, weight;
    reg [31:0] filter;
    wire signed [7:0] y;
    wire ready;
    output_channel channel (.clock(clock), .first(first), .last(last), .x(x), .w(weight), .start_value(starts[filter][22:0]),
                            .m(unit_m[filter][24:0]), .addend(unit_addend[filter][46:0]), .shift(unit_shift[filter][5:0]), .q(y), .ready(ready));

    integer window, p, n, checks, failures;
    task check(input equal, input integer what, input integer where);
        begin
            checks = checks + 1;
            if (!equal) begin
                failures = failures + 1;
                $display("%0d differs at %0d", what, where);
            end
        end
    endtask

    initial begin
        $readmemh("windows.hex", windows);
        $readmemh("filters.hex", filters);
        $readmemh("w.hex", w, 0, filters[0] * PRODUCTS - 1);
        $readmemh("starts.hex", starts, 0, filters[0] - 1);
        $readmemh("unit_m.hex", unit_m, 0, filters[0] - 1);
        $readmemh("unit_addend.hex", unit_addend, 0, filters[0] - 1);
        $readmemh("unit_shift.hex", unit_shift, 0, filters[0] - 1);
        $readmemh("wanted.hex", wanted, 0, WINDOWS * filters[0] - 1);
        $readmemh("every_first.hex", every_first);
        $readmemh("every_count.hex", every_count);
        $readmemh("every_m.hex", every_m);
        $readmemh("every_addend.hex", every_addend);
        $readmemh("every_shift.hex", every_shift);
        $readmemh("every_q.hex", every_q, 0, every_count[0] - 1);
        checks = 0;
        failures = 0;
        clock = 0;
        filter = 0;
        for (n = 0; n < every_count[0]; n = n + 1) begin
            acc = every_first[0] + n;
            #1 check(q === every_q[n], 1, n);
        end
        for (window = 0; window < WINDOWS; window = window + 1)
            for (filter = 0; filter < filters[0]; filter = filter + 1) begin
                for (p = 0; p < PRODUCTS; p = p + 1) begin
                    first = p == 0;
                    last = p == PRODUCTS - 1;
                    x = windows[window * PRODUCTS + p];
                    weight = w[filter * PRODUCTS + p];
                    #1 clock = 1;
                    #1 clock = 0;
                    if (ready !== last) check(1'b0, 2, p);
                end
                check(y === wanted[window * filters[0] + filter], 3, window * filters[0] + filter);
            end
        if (failures == 0) $display("%0d checks passed", checks);
    end
endmodule
