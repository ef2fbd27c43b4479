// The test bench of the Verilog in docs/quantization/05-residual-connections.md: every pair of bytes through ResNet8's three
// additions, and through block1.add with a shared scale.
module bench;
    localparam ADDITIONS = 3, PAIRS = 65536;
    reg [7:0]  pairs [0:ADDITIONS*PAIRS-1], shared_pairs [0:PAIRS-1], shared_zero_point [0:0];
    reg [31:0] forms [0:3*ADDITIONS-1], shift [0:0];

    reg [7:0] a, b;
    reg [21:0] m_a, m_b;
    reg [29:0] addend;
    wire signed [7:0] c, c_shared;
    residual_add unit (.a(a), .b(b), .m_a(m_a), .m_b(m_b), .addend(addend), .c(c));
    shared_scale_add shared (.a(a), .b(b), .zero_point(shared_zero_point[0]), .c(c_shared));

    integer n, pair, checks, failures;
    task check(input equal);
        begin
            checks = checks + 1;
            if (!equal) begin
                failures = failures + 1;
                $display("addition %0d differs: a %0d, b %0d, c %0d", n, $signed(a), $signed(b), c);
            end
        end
    endtask

    initial begin
        $readmemh("pairs.hex", pairs);
        $readmemh("shared_pairs.hex", shared_pairs);
        $readmemh("shared_zero_point.hex", shared_zero_point);
        $readmemh("forms.hex", forms);
        $readmemh("shift.hex", shift);
        checks = 0;
        failures = 0;
        check(shift[0] == 20);
        for (n = 0; n < ADDITIONS; n = n + 1) begin
            m_a = forms[3 * n][21:0];
            m_b = forms[3 * n + 1][21:0];
            addend = forms[3 * n + 2][29:0];
            for (pair = 0; pair < PAIRS; pair = pair + 1) begin
                a = pair / 256 - 128;
                b = pair % 256 - 128;
                #1 check(c === pairs[n * PAIRS + pair]);
                if (n == 0) check(c_shared === shared_pairs[pair]);
            end
        end
        if (failures == 0) $display("%0d checks passed", checks);
    end
endmodule
