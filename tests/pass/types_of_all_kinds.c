// Declarations with every kind of specifier.
#include <chorex.h>
#include <stdint.h>

struct s { int a; };
enum e { E1 };
union u { int a; float b; };
typedef struct s ts;
typedef const char *text;

choreography(types, (Alice, Bob),
    def run(Alice.unsigned long long int a, Alice.struct s b, Alice.enum e c, Alice.ts d, Alice.uint8_t e,
            Alice.const char *f, Alice.int g[2][3], Alice.struct s *h, Alice.text i, Alice._Bool j,
            Alice.volatile int *k, Alice.char l[8], Alice.const struct s *m, Alice.union u n) -> Bob.int {
        Alice.{a, b, c, d, e, f, g, i, j, l} ~>
            Bob.{unsigned long long a, struct s b, enum e c, ts d, uint8_t e, const char *f, int g[2][3], text i,
                 _Bool j, char l[8]};
        Alice.int x = h->a + *k + m->a + n.a;
        Alice.x ~> Bob.long int x;
        Bob.int sum = (int)(a + (unsigned)b.a + (unsigned)c + (unsigned)d.a);
        return Bob.(sum + e + f[0] + g[1][2] + i[0] + j + l[0] + (int)x);
    }
)
