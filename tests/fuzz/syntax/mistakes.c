choreography(mistakes, (A, B),
    def run(A.int n) -> B.int {
        if (A.n < 6) { A.f(n); }
        A.n -> B.x;
        A.n => B.x;
        x ~> B.y;
        A.n ~> B;
        A.f(n)
        int z = 3;
        if (A.n) B.f();
        A.x = run(A.n) + 1;
        A.(n + 1 ~> B.x;
        switch (A.n) { case 1: A.f(); case 2: if (A.n) { break; } break; }
        Replica[*].store(x);
        unordered { A.f(); }
        for (i : A) { }
        else { }
    }
    }
    int f(void);
    def two() {
#if 0
