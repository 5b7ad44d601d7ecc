// A match compares as `==` does in C: what is expected is never cut to the size of what was sent.
// expect: 1 0 1 0 1 0 1 1 1 0 1
#include <chorex.h>
#include <stdio.h>

enum word { HELLO = 3 };

choreography(exact, (Alice, Bob),
    def byte(Alice.unsigned char c, Bob.int n) { Alice.c ~> Bob.(n); }
    def truth(Alice.bool b, Bob.long n) { Alice.b ~> Bob.(n); }
    def whole(Alice.int n, Bob.double d) { Alice.n ~> Bob.(d); }
    def sign(Alice.unsigned u, Bob.int n) { Alice.u ~> Bob.(n); }
    def small(Alice.signed char c, Bob.unsigned n) { Alice.c ~> Bob.(n); }
    def single(Alice.float f) { Alice.f ~> Bob.(0.1); }
    def text(Alice.const char *s) { Alice.s ~> Bob.(NULL); }
    def word(Alice.enum word w, Bob.unsigned char c) { Alice.{w, 'x'} ~> Bob.{(c), ('x')}; }
)

#include "exact.Alice.chor.h"
#include "exact.Bob.chor.h"

int main(void)
{
    printf("%d %d ", exact_byte(NULL, 44, 44) == CHX_OK, exact_byte(NULL, 44, 300) == CHX_OK);
    printf("%d %d ", exact_truth(NULL, true, 1) == CHX_OK, exact_truth(NULL, true, 2) == CHX_OK);
    printf("%d %d ", exact_whole(NULL, 3, 3.0) == CHX_OK, exact_whole(NULL, 3, 3.7) == CHX_OK);
    printf("%d %d ", exact_sign(NULL, 7, 7) == CHX_OK, exact_small(NULL, 5, 5) == CHX_OK);
    printf("%d %d ", exact_single(NULL, 0.1f) == CHX_OK, exact_text(NULL, "x") == CHX_OK);
    printf("%d\n", exact_word(NULL, HELLO, 3) == CHX_OK && exact_text(NULL, NULL) == CHX_OK);
    return 0;
}
