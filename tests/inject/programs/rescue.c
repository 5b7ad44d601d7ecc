// Roles that fail in nested blocks and are restarted, with strings in each frame: retry, rescue, an enclosing block.
#include "inject.h"

choreography(rescue, (Alice, Bob, Carol),
    void Bob.risk(const char *what, int fault);
    def inner(Bob.const char *what, Alice.chx_str kept) -> Alice.int, Bob.int {
        Alice.int a = 0;
        Bob.int b = 0;
        Bob.const char *local = "inner";
        checkpoint retry 1 {
            Alice.a++;
            Bob.b++;
            Alice.kept ~> Bob.got;
            Bob.local = chx_cstr(got);
            Bob.risk(what, 1);
            Bob.(1) ~> Alice._;
        } rescue (fault) {
            Bob.(must(strcmp(local, "inner") == 0 && strcmp(what, "argument") == 0));
            Alice.a = fault.kind == CHX_FAULT_FAIL || fault.kind == CHX_FAULT_SIGNAL || fault.kind == CHX_FAULT_EXIT ? 10 : 99;
            Bob.what ~> Alice.theirs;
            Alice.(must(strcmp(theirs, "argument") == 0));
        }
        return Alice.a, Bob.b;
    }
    def run(Bob.const char *what) -> Alice.int, Bob.int, Carol.chx_str {
        Alice.int total = 0;
        Bob.int count = 0;
        Carol.chx_str text = chx_strf("carol %d", 1);
        checkpoint retry 1 {
            Alice.chx_str kept = chx_strf("kept %d", 2);
            Alice.int x, Bob.int y = inner(Bob.what, Alice.kept);
            Alice.total = x;
            Bob.count = y;
            Carol.text = chx_strf("%s changed", chx_cstr(text));
            Carol.text ~> Alice._;
            Alice.(1) ~> Bob._;
            Bob.risk(what, 2);
            Bob.(2) ~> Carol._;
        } rescue {
            Carol.(must(strcmp(chx_cstr(text), "carol 1") == 0));
            Carol.text ~> Alice.now;
            Alice.(chx_strf("%s!", chx_cstr(now))) ~> Carol.text;
            Carol.(5) ~> Bob.count;
            Alice.total = 7;
        }
        return Alice.total, Bob.count, Carol.text;
    }
)

#include "rescue.Alice.chor.h"
#include "rescue.Bob.chor.h"
#include "rescue.Carol.chor.h"

void Bob_risk(const char *what, int fault)
{
    chx_fail("%s %d", what, fault);
}

static chx_status session(void)
{
    struct rescue_cast cast;
    struct rescue_run_result r;
    inject_cast(&cast, sizeof cast);
    cast.Bob.restarts_max = 100;
    cast.Bob.restarts_period_ms = 60000;
    chx_status status = rescue_run(&r, &cast, "argument");
    if (status != CHX_OK)
        return status;
    must(r.Alice == 7 && r.Bob == 5 && strcmp(chx_cstr(r.Carol), "carol 1!") == 0);
    rescue_run_result_drop(&r);
    return CHX_OK;
}

int main(void)
{
    return inject_main(session);
}
