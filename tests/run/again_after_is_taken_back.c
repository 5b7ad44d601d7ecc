// A role that waits for a time and is called back, or whose session is cancelled, waits for that time no more: the time has no effect
// on what it waits for later, nor on other sessions.
// expect: 600 blocks, 600 of them rescued
// expect: 1 blocks, 1 of them rescued
// expect: 60 of 60 cancelled
// expect: 60 blocks, 60 of them rescued
//! no-central
#include <chorex.h>
#include <stdio.h>

enum { SESSIONS = 20, BLOCKS = 30, CANCELLED = 60 };
static const uint64_t HOUR_NS = UINT64_C(3600000000000);

choreography(times, (Sleeper, Sleepless),
    void Sleeper.sleep(int session, int block);
    int  Sleeper.rest(int session);
    void Sleepless.give_up(void);
    def run({Sleeper, Sleepless}.int blocks, Sleeper.int session) -> Sleeper.int {
        Sleeper.int rescued = 0;
        while ({Sleeper, Sleepless}.(blocks > 0)) {
            checkpoint {
                Sleeper.(1) ~> Sleepless._;
                Sleepless.give_up();
                Sleeper.sleep(session, blocks);
            } rescue {
                Sleeper.rescued += rest(session);
            }
            {Sleeper, Sleepless}.blocks = blocks - 1;
        }
        return Sleeper.rescued;
    }
    def forever(Sleeper.int session) {
        Sleeper.sleep(session, 0);
        Sleeper.(1) ~> Sleepless._;
    }
)

#include "times.Sleeper.chor.h"
#include "times.Sleepless.chor.h"

// Some for longer than others: none of these times ever comes.
void Sleeper_sleep(int session, int block)
{
    chx_again_after(HOUR_NS + (uint64_t)((session * 7 + block * 3) % 11));
}

// Every second call succeeds.
int Sleeper_rest(int session)
{
    static bool has_rested[SESSIONS];
    has_rested[session] = !has_rested[session];
    if (has_rested[session])
        chx_again_after(300000);
    return 1;
}

void Sleepless_give_up(void)
{
    chx_fail("it does not wait");
}

static void run(int sessions, int blocks)
{
    static chx_session *started[SESSIONS];
    struct times_run_result result;
    int rescued = 0;
    for (int i = 0; i < sessions; i++)
        started[i] = times_run_start(NULL, NULL, blocks, i);
    for (int i = 0; i < sessions; i++)
        rescued += times_run_wait(started[i], &result) == CHX_OK ? result.Sleeper : 0;
    printf("%d blocks, %d of them rescued\n", sessions * blocks, rescued);
}

static void cancel(void)
{
    static chx_session *started[CANCELLED];
    int cancelled = 0;
    for (int i = 0; i < CANCELLED; i++)
        started[i] = times_forever_start(NULL, NULL, i);
    run(1, 1); // by now some of them wait
    for (int i = 0; i < CANCELLED; i++)
        chx_session_cancel(started[i]);
    for (int i = 0; i < CANCELLED; i++)
        cancelled += times_forever_wait(started[i]) == CHX_CANCELLED;
    printf("%d of %d cancelled\n", cancelled, CANCELLED);
}

int main(void)
{
    run(SESSIONS, BLOCKS);
    cancel();
    run(SESSIONS, 3);
    return 0;
}
