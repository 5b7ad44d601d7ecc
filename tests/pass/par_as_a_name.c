// `par` and `and` are words only where arms are written.
#include <chorex.h>

choreography(names, (par, and),
    int par.and(int x);
    void par.take(int x);
    def combine[a, b](a.int x) -> b.int {
        a.x ~> b.par;
        return b.par;
    }
    def run(par.int par, and.int and) -> and.int {
        par.par ~> and.x;
        and.and = and + x;
        par.and(par) ~> and.par;
        and.z = combine[par, and](par.par);
        par { par.par ~> and.par; } and { and.and ~> par.and; par.take(and); }
        return and.(and + z + par);
    }
)
