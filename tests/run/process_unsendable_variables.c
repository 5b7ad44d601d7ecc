// Variables of types that can't be sent, one of which owns a string, survive the death of their role in nested blocks.
// expect: inner: key 3, 1.50
// expect: outer: key 3, 0.25
#include <chorex.h>
#include <stdio.h>

typedef union {
    int i;
    float f;
} either;
typedef struct {
    const char *name;
    either value;
} tagged;

choreography(unsendable, (Boss, Worker),
    chx_str Worker.show(tagged t, either e);
    void Worker.fail(const char *why);

    def inner(Worker.tagged t, Worker.either e) {
        checkpoint {
            Worker.t.value.i = 0;
            Worker.e.i = 0;
            Worker.fail("first");
            Boss.(1) ~> Worker._;
        } rescue {
            Worker.fail(chx_cstr(show(t, e)));
            Boss.(1) ~> Worker._;
        }
    }

    def run(Worker.tagged t, Worker.either e) -> Worker.{chx_str, chx_str} {
        Worker.chx_str in;
        Worker.chx_str out;
        checkpoint {
            Worker.either other;
            Worker.other.f = 1.5f;
            inner(Worker.t, Worker.other);
        } rescue (failure) {
            Worker.in = chx_strf("%s", failure.why);
            Worker.out = show(t, e);
        }
        return Worker.{in, out};
    }
)

#include "unsendable.Boss.chor.h"
#include "unsendable.Worker.chor.h"

static chx_str Worker_show(tagged t, either e)
{
    return chx_strf("%s %d, %.2f", t.name, t.value.i, (double)e.f);
}

static void Worker_fail(const char *why)
{
    chx_fail("%s", why);
}

int main(void)
{
    struct unsendable_cast cast = {.Worker = {.isolation = CHX_PROCESS}};
    struct unsendable_run_result r;
    tagged t = {"key", {.i = 3}};
    either e = {.f = 0.25f};
    if (unsendable_run(&r, &cast, t, e) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    printf("inner: %s\nouter: %s\n", chx_cstr(r.Worker.v0), chx_cstr(r.Worker.v1));
    unsendable_run_result_drop(&r);
    return 0;
}
