// Checkpointed loops in functions that are called, recurse and are given as arguments, in one another and in choices.
// expect: 1 2 3 1 2 3: 42 and 42
#include <chorex.h>
#include <stdio.h>

choreography(deep, (Alice, Bob, Carol),
    void Carol.may_fail(int n);
    def down(Alice.int depth, Bob.int total) -> Alice.chx_str, Bob.int {
        Alice.chx_str log = {0};
        {Bob, Carol}.int i = 0;
        if (Alice.(depth == 0)) {
            return Alice.log, Bob.total;
        }
        checkpoint while ({Bob, Carol}.(i < 2)) {
            {Bob, Carol}.i++;
            Carol.may_fail(i);
            Carol.i ~> Alice.n;
            Alice.log = chx_strf("%s%s%d", chx_cstr(log), chx_str_len(log) > 0 ? " " : "", n == 1 ? 4 - depth : depth);
            if (Alice.(n == 1 && depth > 1)) {
                Alice.inner, Bob.total = down(Alice.(depth - 1), Bob.(total + 10));
                Alice.log = chx_strf("%s %s", chx_cstr(log), chx_cstr(inner));
            }
        } rescue {
            Carol.(100) ~> Bob.i2;
            Bob.total += i2;
            {Bob, Carol}.i = 7;
        }
        Alice.log = chx_strf("%s", chx_cstr(log));
        return Alice.log, Bob.(total + 1);
    }
    def run() -> Alice.chx_str, Bob.int, Carol.int {
        Alice.log, Bob.total = down(Alice.(3), Bob.(19));
        Bob.total ~> Carol.total;
        return Alice.log, Bob.total, Carol.total;
    }
)

#include "deep.Alice.chor.h"
#include "deep.Bob.chor.h"
#include "deep.Carol.chor.h"

void Carol_may_fail(int n)
{
    if (n > 2)
        chx_fail("too many rounds");
}

int main(void)
{
    struct deep_run_result result;
    if (deep_run(&result, NULL) != CHX_OK)
        return 1;
    printf("%s: %d and %d\n", chx_cstr(result.Alice), result.Bob, result.Carol);
    deep_run_result_drop(&result);
    return 0;
}
