// Roles that wait for the outside, without a thread and by themselves, are called back: by a failure, by a deadline.
#include "outside.h"

choreography(called_back, (Waiter, Other),
    void Waiter.wait_for(int how);
    void Other.fail(int how);
    def run() -> Waiter.{int, int} {
        Waiter.int rescued = 0;
        Waiter.int late = 0;
        for (Waiter.int how = 0; Waiter.(how < 3); Waiter.how++) {
            checkpoint {
                Waiter.how ~> Other.how;
                Waiter.wait_for(how);
                Other.fail(how);
                Waiter.(0) ~> Other._;
            } rescue {
                Waiter.rescued += 1;
                Waiter.(1) ~> Other._;
            }
            checkpoint within 3ms {
                Waiter.wait_for(how);
                Waiter.(0) ~> Other._;
            } rescue {
                Waiter.late += 1;
                Waiter.(1) ~> Other._;
            }
        }
        return Waiter.{rescued, late};
    }
)

#include "called_back.Other.chor.h"
#include "called_back.Waiter.chor.h"

enum { DESCRIPTOR, TIME, BY_ITSELF };
static Alarm never, soon;

// A function that waits by itself holds a thread. Without any other the role that would call it back can't run: then it has to
// give up.
static void wait_by_itself(void)
{
    const char *injected = getenv("INJECT");
    bool has_threads = injected == NULL || strstr(injected, ":threads:") == NULL;
    struct pollfd polled = {.fd = chx_recall_fd(), .events = POLLIN};
    if (polled.fd < 0)
        chx_fail("no descriptor for being called back: %s", strerror(errno));
    int count;
    while ((count = poll(&polled, 1, has_threads ? -1 : 1000)) < 0)
        must(errno == EINTR);
    if (count == 0)
        chx_fail("not called back: there may be no thread for the other role");
}

void Waiter_wait_for(int how)
{
    if (how == TIME)
        chx_again_after(UINT64_C(1000000000) * 3600);
    if (how == BY_ITSELF) {
        wait_by_itself();
        return;
    }
    alarm_await(&never, 900);
    never.is_set = true;
    chx_again_when(never.number, POLLPRI);
}

void Other_fail(int how)
{
    alarm_await(&soon, 1);
    chx_fail("for the %d. time", how);
}

static chx_status session(void)
{
    struct called_back_cast cast;
    struct called_back_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = called_back_run(&r, &cast);
    if (status == CHX_OK)
        must(r.Waiter.v0 == 3 && r.Waiter.v1 == 3);
    alarm_close(&never);
    alarm_close(&soon);
    return status;
}

int main(void)
{
    return inject_main(session);
}
