// What a step makes with chx_strf is released at its end unless it is bound, sent or returned.
// expect: 1000 times, last "round 999", 8890 characters
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(pool, (Alice, Bob),
    int Alice.measure(chx_str s);
    def run(Alice.int rounds) -> Alice.int, Bob.{int, chx_str} {
        Alice.int characters = 0;
        Bob.int count = 0;
        Bob.chx_str last = chx_strf("none");
        for (Alice.int i = 0; Alice.(i < rounds); Alice.i++) {
            Alice.characters += measure(chx_strf("round %d", i));
            Alice.(chx_strf("round %d", i)) ~> Bob.text;
            Bob.last = text;
            Bob.(chx_strf("%s thrown away", chx_cstr(last)));
            Bob.count++;
        }
        return Alice.characters, Bob.{count, last};
    }
)

#include "pool.Alice.chor.h"
#include "pool.Bob.chor.h"

int Alice_measure(chx_str s) { return (int)chx_str_len(s); }

int main(void)
{
    struct pool_run_result r;
    if (pool_run(&r, NULL, 1000) != CHX_OK)
        return 1;
    printf("%d times, last \"%s\", %d characters\n", r.Bob.v0, chx_cstr(r.Bob.v1), r.Alice);
    pool_run_result_drop(&r);
    return 0;
}
