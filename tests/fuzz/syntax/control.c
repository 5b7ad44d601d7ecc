choreography(control, (A, B, C),
    def run(A.int n) {
        if (A.decide()) notify(B, C) { B.f(); } else if (A.(n < 6)) { C.f(); } else { ; }
        switch (A.n) notify() {
        case ADD: case 1 ? 2 : 3: { B.f(); break; }
        case 'x': while (B.more()) { break; } continue_it(A.n); return;
        default: break;
        }
        for (A.int i = 0; A.(i < n); A.i++) { continue; }
        for (;;) { break; }
        do { A.n -= 1; A.n <<= 2; A.a[3] = 4; A.s.f = 5; A.n--; } while (A.(n > 0));
        while ({A, B}.(left > 0)) notify(C) { {A, B}.left = left - 1; }
        { A.struct box b = {1, {2, 3}, .label = "x"}; A.int a[2][3]; A.{.x, .y} = b; A.(f(b)); }
    }
)
