// Sessions side by side, one for each peer, as a server has them: in each round of a checkpointed loop a role waits without a thread for
// a descriptor, which it closes in between to go on with another file of the same number. The other role fails in a round.
#include "outside.h"

choreography(served, (Client, Handler),
    bool    Client.has_line(int peer, int round);
    chx_str Handler.answer(chx_str line);
    def serve(Client.int peer) -> Client.{int, int} {
        Client.int round = 0;
        Client.int failed = 0;
        checkpoint while (Client.has_line(peer, round)) {
            Client.(chx_strf("line %d", round)) ~> Handler.line;
            Handler.answer(line) ~> Client._;
            Client.round++;
        } rescue {
            Handler.(1) ~> Client._;
            Client.round++;
            Client.failed++;
        }
        return Client.{round, failed};
    }
)

#include "served.Client.chor.h"
#include "served.Handler.chor.h"

enum { PEERS = 3, ROUNDS = 5, OTHER_FILE = 3 };
static Alarm alarms[PEERS];
static bool has_closed[PEERS];

bool Client_has_line(int peer, int round)
{
    if (round == OTHER_FILE && !has_closed[peer]) {
        alarm_close(&alarms[peer]);
        has_closed[peer] = true;
    }
    if (round == ROUNDS)
        return false;
    alarm_await(&alarms[peer], 1);
    return true;
}

chx_str Handler_answer(chx_str line)
{
    chx_str answer = chx_strf("%s!", chx_cstr(line));
    if (strcmp(chx_cstr(line), "line 1") == 0)
        chx_fail("not %s", chx_cstr(line));
    return answer;
}

static chx_status first;

// The first one that fails counts. The report is that of the call before.
static void note(chx_status status)
{
    if (first != CHX_OK || status == CHX_OK)
        return;
    first = status;
    printf("why: %s\n", chx_last_report()->why);
}

static chx_status session(void)
{
    chx_session *sessions[PEERS];
    struct served_cast cast;
    struct served_serve_result r;
    inject_cast(&cast, sizeof cast);
    // A rescue that fails is run again.
    cast.Client.restarts_max = cast.Handler.restarts_max = 8;
    first = CHX_OK;
    for (int i = 0; i < PEERS; i++) {
        sessions[i] = served_serve_start(NULL, &cast, i);
        note(sessions[i] == NULL ? CHX_NO_MEMORY : CHX_OK);
    }
    for (int i = 0; i < PEERS; i++) {
        if (sessions[i] == NULL)
            continue;
        chx_status status = served_serve_wait(sessions[i], &r);
        note(status);
        // Whatever else has gone wrong in a round is rescued, too.
        if (status == CHX_OK)
            must(r.Client.v0 == ROUNDS && r.Client.v1 >= 1);
    }
    for (int i = 0; i < PEERS; i++)
        alarm_close(&alarms[i]);
    memset(has_closed, 0, sizeof has_closed);
    return first;
}

int main(void)
{
    return inject_main(session);
}
