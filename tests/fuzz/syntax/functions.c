choreography(functions, (A, B),
    def run(A.bool split) -> B.date {
        if (A.split) { return purchase(two, relay[A, B]); } else { return purchase(one, other); }
    }
    def purchase(f(A.int, B.int x) -> B.bool, g() -> (A.int, B.{int, long}), h(k(A.int))) -> (B.date) {
        B.bool ok = f(A.price(book), B.(3));
        A.x, B.{y, z} = g();
        A._ = h(f);
        relay[A, B](A.x);
        return B.ok;
    }
    def relay[From, To](From.int x) -> To.int { From.x ~> To.y; return To.y; }
    def nothing(void) { return; }
)
