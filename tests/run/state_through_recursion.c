// Each role passes its own state on through recursion.
// expect: 3 abc
#include <chorex.h>
#include <stdio.h>

choreography(state, (Alice, Bob),
    def run() -> Alice.int, Bob.const char * {
        return go(Alice.(0), Bob.(""));
    }
    def go(Alice.int n, Bob.const char *text) -> Alice.int, Bob.const char * {
        if (Alice.(n == 3)) {
            return Alice.n, Bob.text;
        }
        Alice.('a' + n) ~> Bob.letter;
        return go(Alice.(n + 1), Bob.(chx_cstr(chx_strf("%s%c", text, letter))));
    }
)

#include "state.Alice.chor.h"
#include "state.Bob.chor.h"

int main(void)
{
    struct state_run_result r;
    if (state_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %s\n", r.Alice, r.Bob);
    state_run_result_drop(&r);
    return 0;
}
