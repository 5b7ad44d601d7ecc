// Durable blocks inside of durable blocks, in functions that call themselves; results are returned from inside of them.
// expect: depth 3: leaf.3.2.1
// phases: mark-3 mark-2 mark-1 mark-0 grow-1 mark-10 grow-2 mark-20 grow-3 mark-30 | mark-1000
#include "../effect.h"

choreography(nested, (Ann, Bob),
    void Ann.mark(int depth);
    chx_str Bob.grow(chx_str text, int depth);
    bool Ann.is_last(int depth);

    def down(Ann.int depth, Bob.chx_str text) -> Bob.chx_str {
        checkpoint durable retry 9 {
            Ann.mark(depth);
            Ann.depth ~> Bob.depth;
            if (Ann.is_last(depth)) {
                return Bob.text;
            }
            Bob.inner = down(Ann.(depth - 1), Bob.text);
            Bob.grown = inner;
            Ann.again = 0;
            checkpoint durable retry 9 {
                Bob.grown = grow(inner, depth);
                Bob.(depth * 10) ~> Ann.again;
            }
            Ann.mark(again);
            return Bob.grown;
        }
    }
    def run(Ann.int depth) -> Bob.chx_str {
        Bob.text = chx_strf("leaf");
        Bob.result = down(Ann.depth, Bob.text);
        Ann.mark(1000);
        return Bob.result;
    }
)

#include "nested.Ann.chor.h"
#include "nested.Bob.chor.h"

void Ann_mark(int depth) { effect("mark-%d", depth); }
bool Ann_is_last(int depth) { return depth == 0; }
chx_str Bob_grow(chx_str text, int depth)
{
    effect("grow-%d", depth);
    return chx_strf("%s.%d", chx_cstr(text), 4 - depth);
}

int main(void)
{
    struct nested_run_result result;
    chx_session *session = nested_run_open(NULL, "tree", NULL, 3);
    if (nested_run_wait(session, &result) != CHX_OK) {
        printf("failed: %s\n", chx_last_report()->why);
        return 1;
    }
    printf("depth 3: %s\n", chx_cstr(result.Bob));
    nested_run_result_drop(&result);
    return 0;
}
