// Strings and characters with everything in them that could confuse a reader of brackets.
#include <chorex.h>

choreography(literals, (Alice, Bob),
    def run() -> Bob.int {
        Alice.(")") ~> Bob.a;
        Alice.("\"}, ;~>") ~> Bob.b;
        Alice.(')') ~> Bob.c;
        Alice.('\'') ~> Bob.d;
        Alice.("/* no comment */ // neither") ~> Bob.e;
        Alice.(u8"u8" " and more") ~> Bob.f;
        Alice.('\\' + '"') ~> Bob.g;
        return Bob.(a[0] + b[0] + c + d + e[0] + f[0] + g);
    }
)
