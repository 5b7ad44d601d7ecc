// Recursion with a block at each level, deeper than the session's own memory reaches: frames, marks, records of blocks.
#include "inject.h"

choreography(deep, (Alice, Bob),
    def down(Alice.int n, Bob.const char *text) -> Bob.int {
        Alice.char filling[100];
        Alice.(memset(filling, n, sizeof filling));
        Bob.int depth = 0;
        checkpoint {
            if (Alice.(n > 0)) {
                Bob.chx_str longer = chx_strf("%s.", text);
                Bob.int below = down(Alice.(n - 1), Bob.(chx_cstr(longer)));
                Bob.depth = below + 1;
                Alice.(must(filling[99] == n));
            } else {
                Bob.(must(strlen(text) == 30));
            }
        }
        return Bob.depth;
    }
    def run(Alice.int n) -> Bob.int {
        Bob.int depth = 0;
        checkpoint {
            Bob.depth = down(Alice.n, Bob.(""));
        } rescue {
            Bob.depth = -1;
        }
        return Bob.depth;
    }
)

#include "deep.Alice.chor.h"
#include "deep.Bob.chor.h"

static chx_status session(void)
{
    struct deep_cast cast;
    struct deep_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = deep_run(&r, &cast, 30);
    // A role that is out of memory in its own process is rescued.
    if (status == CHX_OK)
        must(r.Bob == 30 || r.Bob == -1);
    return status;
}

int main(void)
{
    return inject_main(session);
}
