// What a statement expression at a role set declares has a value from the start, and is gone when it is over.
#include <chorex.h>

union number { int i; float f; unsigned char bytes[8]; };
struct tagged { int kind; union number u; struct { union { int a; long b; }; } inner; };

choreography(inside, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob}.k;
        {Alice, Bob}.struct tagged t = {0};
        {Alice, Bob}.int _1 = ({ int i; i; }); //! error: 'i' needs its value where it is declared
        {Alice, Bob}.int _2 = ({ int a[k]; a[0]; }); //! error: 'a' needs its value where it is declared
        {Alice, Bob}.int _3 = ({ int i = i + 1; i; }); //! error: 'i' needs its value where it is declared
        {Alice, Bob}.int _4 = ({ int r = 0; switch (k) { int i = 1; case 1: r = i; } r; }); //! error: 'i' needs its value where it is declared
        {Alice, Bob}.int _5 = ({ int r = 0; switch (k) { case 0: while (r < 1) { int i = 1; case 1: r = i; } } r; }); //! error: can't be used at a role set
        {Alice, Bob}.int _6 = ({ goto over; int i = 1; over: i; }); //! error: can't be used at a role set
        {Alice, Bob}.int _7 = ({ static int i = 0; i++; }); //! error: 'i' lives on when it is over
        {Alice, Bob}.int _8 = ({ extern int counter; counter; }); //! error: 'counter' lives on when it is over
        {Alice, Bob}.int _9 = ({ static _Thread_local int i; i; }); //! error: 'i' lives on when it is over
        {Alice, Bob}.int _10 = ({ int i = 1; i++ + i++; }); //! error: changed and read in no order
        {Alice, Bob}.int _11 = ({ int i = 1; __asm__("" : "+r"(i)); i; }); //! error: can't be used at a role set
        {Alice, Bob}.int _12 = t.u.i; //! error: can't read a union
        {Alice, Bob}.int _13 = t.inner.a; //! error: can't read a union
        {Alice, Bob}.int _14 = ((union number){.i = k}).bytes[5]; //! error: can't read a union
        {Alice, Bob}.int _15 = __builtin_COLUMN(); //! error: can't be used at a role set
        {Alice, Bob}.int _16 = __builtin_constant_p(k); //! error: makes no calls
    }
)
