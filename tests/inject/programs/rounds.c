// Checkpointed loops: roles that fail in rounds, with strings in each frame; and a session that fails while a role waits at the end
// of a round.
#include "inject.h"

choreography(rounds, (Front, Worker),
    chx_str Worker.work(chx_str request, int round);
    void Worker.never(void);
    def run(Front.int count) -> Front.chx_str {
        Front.chx_str log = chx_strf("log:");
        Front.int round = 0;
        Worker.int done = 0;
        checkpoint while (Front.(round < count)) {
            Front.chx_str request = chx_strf("request %d", round);
            Front.round++;
            Front.{request, round} ~> Worker.{request, round};
            Worker.done++;
            Worker.work(request, round) ~> Front.answer;
            Front.log = chx_strf("%s %s", chx_cstr(log), chx_cstr(answer));
        } rescue {
            Worker.done ~> Front._;
            Front.round++;
            Front.log = chx_strf("%s failed", chx_cstr(log));
        }
        return Front.log;
    }
    def fail() {
        checkpoint for (;;) {
            Front.(1) ~> Worker._;
            Worker.never();
        } rescue {
            Front.(2) ~> Worker._;
            Worker.never();
        }
    }
)

#include "rounds.Front.chor.h"
#include "rounds.Worker.chor.h"

chx_str Worker_work(chx_str request, int round)
{
    chx_str answer = chx_strf("%s!", chx_cstr(request));
    if (round == 2)
        chx_fail("not %s", chx_cstr(request));
    return answer;
}

void Worker_never(void)
{
    chx_fail("never");
}

static chx_status session(void)
{
    struct rounds_cast cast;
    struct rounds_run_result r;
    inject_cast(&cast, sizeof cast);
    // A rescue that fails is run again.
    cast.Front.restarts_max = cast.Worker.restarts_max = 8;
    chx_status status = rounds_run(&r, &cast, 3);
    if (status != CHX_OK) {
        printf("why: %s\n", chx_last_report()->why);
    } else {
        // Whatever else has gone wrong in a round is rescued, too.
        const char *log = chx_cstr(r.Front);
        must(strncmp(log, "log:", 4) == 0 && strstr(log, " failed") != NULL);
        rounds_run_result_drop(&r);
    }
    cast.Worker.restarts_max = 2;
    must(rounds_fail(&cast) != CHX_OK);
    return status;
}

int main(void)
{
    return inject_main(session);
}
