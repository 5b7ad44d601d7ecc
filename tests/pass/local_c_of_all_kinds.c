// Local C is C: compound literals, casts, sizeof, conditionals, _Generic, function pointers, nested brackets.
#include <chorex.h>
#include <stddef.h>
#include <string.h>

struct point { int x, y; };
static int apply(int (*f)(int), int n) { return f(n); }
static int negate(int n) { return -n; }

choreography(allkinds, (Alice, Bob),
    def run(Alice.int n, Alice.const char *s) -> Bob.int {
        Alice.((struct point){.x = n, .y = n > 2 ? 3 : 4}) ~> Bob.p;
        Alice.((long)sizeof(struct point) + (long)offsetof(struct point, y)) ~> Bob.l;
        Alice.(_Generic(n, int: 1, default: 2)) ~> Bob.g;
        Alice.(apply(negate, n)) ~> Bob.k;
        Alice.(((int[]){1, 2, 3})[n % 3]) ~> Bob.i;
        Alice.((!n && ~n) || (n ^ 3) == 0 ? n << 2 : n >> 1) ~> Bob.o;
        Alice.(s[0] == '\0' ? 0 : (int)strlen(s)) ~> Bob.q;
        return Bob.(p.x + (int)l + g + k + i + o + q);
    }
)
