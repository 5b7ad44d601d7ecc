// Branches that differ for Bob in one small thing, each in another: Bob is told of every one of these choices.
#include <chorex.h>

choreography(nearly, (Alice, Bob, Carol),
    void Bob.show(long n);
    def again(Bob.int k) {
        Bob.k ~> Alice._;
        if (Alice.(1)) {
            again(Bob.(k));
        }
    }
    def once_more(Bob.int k) {
        Bob.k ~> Alice._;
        if (Alice.(1)) {
            once_more(Bob.(k + 1));
        }
    }
    def run(Alice.int n, Bob.int k, Bob.int j) -> Bob.int {
        if (Alice.(n > 1)) { Bob.(k + 1) ~> Alice._; } else { Bob.(k + 2) ~> Alice._; }           // a literal
        if (Alice.(n > 2)) { Bob.k ~> Alice._; } else { Bob.j ~> Alice._; }                       // a variable
        if (Alice.(n > 3)) { Bob.k ~> Alice._; } else { Bob.k ~> Carol._; }                       // a role
        if (Alice.(n > 4)) { Bob.k ~> Alice.int a; } else { Bob.k ~> Alice.long b; }              // a type that travels
        if (Alice.(n > 5)) { Bob.int x = k; Bob.show(x); } else { Bob.long x = k; Bob.show(x); }  // a variable's type
        if (Alice.(n > 6)) { Bob.k++; } else { Bob.k--; }                                         // an operator
        if (Alice.(n > 7)) { Bob.show(k); Bob.show(j); } else { Bob.show(j); Bob.show(k); }       // the order
        if (Alice.(n > 8)) { Bob.show(__LINE__); } else {
            Bob.show(__LINE__);                                                                   // what it expands to
        }
        if (Alice.(n > 9)) { checkpoint retry 1 { Bob.show(k); } } else { checkpoint retry 2 { Bob.show(k); } }
        if (Alice.(n > 10)) { checkpoint { Bob.show(k); } } else { checkpoint { Bob.show(k); Alice.note(); } }
        if (Alice.(n > 11)) { again(Bob.k); } else { once_more(Bob.k); }                          // deep in a recursion
        while (Alice.(n > 0)) {
            if (Alice.(n > 12)) { Bob.show(k); break; } else { Bob.show(k); continue; }           // where it goes
        }
        if (Alice.(n > 13)) { return Bob.k; } else { return Bob.j; }                              // a result
    }
)
