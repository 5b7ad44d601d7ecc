// A trace is written; a role fails in a block and is restarted.
#include "list.h"

choreography(traced, (Alice, Bob),
    void Bob.fail(void);
    def run(Alice.int n) -> Bob.int {
        Alice.list l = list_make(n);
        Bob.const char *text = "some";
        Bob.int r = 0;
        checkpoint retry 1 {
            Alice.l ~> Bob._;
            Bob.text = "other";
            Bob.fail();
            Bob.(1) ~> Alice._;
        } rescue {
            Alice.(list_sum(l)) ~> Bob.r;
        }
        return Bob.(r + (int)strlen(text));
    }
)

#include "traced.Alice.chor.h"
#include "traced.Bob.chor.h"

void Bob_fail(void)
{
    chx_fail("on purpose");
}

static chx_status session(void)
{
    struct traced_cast cast;
    struct traced_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = traced_run(&r, &cast, 10);
    if (status == CHX_OK)
        must(r.Bob == 59);
    return status;
}

int main(void)
{
    setenv("CHOREX_TRACE", "trace.json", 1);
    return inject_main(session);
}
