// A role's variable must be assignable and of a known size; what it takes over is reported where it comes from.
#include <chorex.h>

struct fixed { int a; struct { const int width[2]; } inner; };
struct flexible { int n; char data[]; };
typedef struct { char c; } __attribute__((aligned(64))) wide;
struct parts { struct { const char *text; } part[2]; };

choreography(variables, (Alice, Bob),
    def run(Alice.struct fixed f, Alice.int n) { //! error: Alice's 'f' has the const field 'width'
        Alice.f ~> Bob.g; //! error: a value of type 'struct fixed' can't be sent
        Alice.struct flexible x; //! error: Alice's 'x' has a flexible array member
        Alice.wide w; //! error: Alice's 'w' must be aligned to 64 bytes
        Alice.struct parts p;
        Alice.p.part[0] = p.part[1]; //! error: the type of this value has no name
        Alice.(p.part[0]) ~> Bob._; //! error: the type of this value has no name
        Alice.int negative[-1]; //! error: 'negative' declared as an array with a negative size
        Alice.(x.n + w.c + n + negative[0]);
    }
)
