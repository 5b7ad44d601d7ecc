// Definitions that nobody uses, with families and functions as parameters, are checked as others are.
#include <chorex.h>

choreography(unused, (A, B),
    def both[X, Y, W[]](f[From, To](From.int) -> To.int, g[V[]](V[*].int), X.int x, W[*].int y) -> Y.int { //! warning: function 'both' is never used
        g[W](W[*].y);
        return f[X, Y](X.x);
    }
    def unused[W[], Boss](W[*].int x) -> Boss.int r[W] { //! warning: function 'unused' is never used
        Boss.int r[W];
        for (w : W) {
            w.x ~> W[(w + 1) % W_count].y;
            w.(x + 1) ~> Boss.r[w];
            if (Boss.(r[w] > 3)) {
                break;
            }
        }
        par (w : W) {
            w.x ~> Boss.r[w];
        }
        return Boss.r;
    }
    def run(A.int x) -> B.int {
        A.x ~> B.y;
        return B.y;
    }
)
