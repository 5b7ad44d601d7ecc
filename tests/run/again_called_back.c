// A role that waits for the outside is called back at once: by the failure of another one, by a deadline, by the end of its
// session; with a descriptor that is never ready, and with a time that is far away. Its step is not called again then, whoever
// runs next on the same thread.
// expect: rescued 2 times, late 2 times
// expect: handed over 10 times, waited once each
// expect: cancelled: 2
//! no-central
#define _GNU_SOURCE
#include <chorex.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int never[2] = {-1, -1};
static int waited; // so many steps have begun to wait

choreography(back, (Waiter, Other),
    void Waiter.wait_for(int how);
    void Other.fail_later(void);
    def wait_and_fail(Waiter.int how) -> Waiter.int {
        Waiter.int rescued = 0;
        checkpoint {
            Other.(1) ~> Waiter._;
            Waiter.wait_for(how);
            Other.(chx_fail("now"));
        } rescue {
            Waiter.rescued = 1;
        }
        return Waiter.rescued;
    }
    def wait_and_hand_over(Waiter.int how) -> Waiter.int {
        Waiter.int rescued = 0;
        for (Waiter.int i = 0; Waiter.(i < 5); Waiter.i++) {
            checkpoint {
                Waiter.(1) ~> Other._;
                Waiter.wait_for(how);
                Other.fail_later();
                Waiter.(0) ~> Other._;
            } rescue {
                // Other waits here on the thread that has called Waiter back.
                Waiter.rescued += 1;
                Waiter.(1) ~> Other._;
            }
        }
        return Waiter.rescued;
    }
    def wait_too_long(Waiter.int how) -> Waiter.int {
        Waiter.int late = 0;
        checkpoint within 20ms {
            Waiter.wait_for(how);
            Waiter.(0) ~> Other._;
        } rescue (fault) {
            Waiter.late = fault.kind == CHX_FAULT_DEADLINE;
            Waiter.late ~> Other._;
        }
        return Waiter.late;
    }
    def forever(Waiter.int how) {
        Waiter.wait_for(how);
        Waiter.(0) ~> Other._;
    }
)

#include "back.Other.chor.h"
#include "back.Waiter.chor.h"

enum { DESCRIPTOR, TIME };

// When the other role waits.
void Other_fail_later(void)
{
    static bool has_waited;
    has_waited = !has_waited;
    if (has_waited)
        chx_again_after(1000000);
    chx_fail("later");
}

void Waiter_wait_for(int how)
{
    waited++;
    if (never[0] < 0 && pipe2(never, O_CLOEXEC) != 0)
        abort();
    if (how == DESCRIPTOR)
        chx_again_when(never[0], POLLIN);
    chx_again_after(UINT64_C(1000000000) * 3600);
}

int main(void)
{
    int rescued = 0, late = 0, cancelled = 0;
    for (int how = DESCRIPTOR; how <= TIME; how++) {
        struct back_wait_and_fail_result fail;
        struct back_wait_too_long_result too_long;
        if (back_wait_and_fail(&fail, NULL, how) != CHX_OK)
            return 1;
        rescued += fail.Waiter;
        if (back_wait_too_long(&too_long, NULL, how) != CHX_OK)
            return 2;
        late += too_long.Waiter;
        chx_session *session = back_forever_start(NULL, NULL, how);
        chx_session_cancel(session);
        cancelled += back_forever_wait(session) == CHX_CANCELLED;
    }
    printf("rescued %d times, late %d times\n", rescued, late);
    int handed_over = 0;
    waited = 0;
    for (int how = DESCRIPTOR; how <= TIME; how++) {
        struct back_wait_and_hand_over_result hand_over;
        if (back_wait_and_hand_over(&hand_over, NULL, how) != CHX_OK)
            return 3;
        handed_over += hand_over.Waiter;
    }
    // It may be called back before it waits.
    printf("handed over %d times, waited %s\n", handed_over, waited <= handed_over ? "once each" : "again");
    printf("cancelled: %d\n", cancelled);
    return 0;
}
