// A role starts another session and waits for its end without a thread: a chain of five hundred, each started by a role of the
// one before, with one worker. And a session that is over by the time that it is waited for, and one
// whose waiter is called back and waits once more.
// expect: 500 deep: 500
// expect: over before it is waited for: 1
// expect: called back, and waited once more: 7
//! no-central
//! no-process
#include <chorex.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>

choreography(held, (Keeper, Other),
    void Keeper.await_release(void);
    def run() -> Keeper.int {
        Keeper.await_release();
        Keeper.(7) ~> Other.n;
        Other.n ~> Keeper.n;
        return Keeper.n;
    }
)

#include "held.Keeper.chor.h"
#include "held.Other.chor.h"

choreography(chain, (Link, Echo),
    chx_session *Link.start_next(int left);
    int Link.result_of(chx_session *session);
    int Link.late_result_of(chx_session *session);
    void Link.hold(void);
    void Link.await_held(void);
    void Link.release(void);
    int Link.held_result(void);
    void Echo.fail_later(void);
    def run(Link.int left) -> Link.int {
        Link.left ~> Echo.left;
        Echo.left ~> Link.left;
        if (Link.(left == 0)) {
            return Link.(0);
        }
        Link.next = start_next(left - 1);
        return Link.(1 + result_of(next));
    }
    def called_back() -> Link.int {
        Link.hold();
        checkpoint {
            Echo.(1) ~> Link._;
            Link.await_held();
            Echo.fail_later();
            Link.(1) ~> Echo._;
        } rescue {
            Link.(2) ~> Echo._;
        }
        Link.release();
        return Link.(held_result());
    }
    def late() -> Link.int {
        Link.next = start_next(1);
        return Link.(late_result_of(next));
    }
)

#include "chain.Echo.chor.h"
#include "chain.Link.chor.h"

static chx_runtime *runtime;

chx_session *Link_start_next(int left)
{
    chx_session *session = chain_run_start(runtime, NULL, left);
    if (session == NULL)
        chx_fail("%s", chx_last_report()->why);
    return session;
}

int Link_result_of(chx_session *session)
{
    struct chain_run_result result;
    if (!chx_session_is_over(session))
        chx_again_when_over(session);
    if (chain_run_wait(session, &result) != CHX_OK)
        chx_fail("%s", chx_last_report()->why);
    return result.Link;
}

int Link_late_result_of(chx_session *session)
{
    static bool has_waited;
    struct pollfd polled = {.fd = chx_session_fd(session), .events = POLLIN};
    while (!chx_session_is_over(session))
        poll(&polled, 1, -1);
    has_waited = !has_waited;
    if (has_waited)
        chx_again_when_over(session);
    return Link_result_of(session);
}

static atomic_bool is_released;

void Keeper_await_release(void)
{
    if (!atomic_load(&is_released))
        chx_again_after(100000);
}

static chx_session *kept; // not in a variable: it lives over a checkpoint

void Link_hold(void)
{
    kept = held_run_start(runtime, NULL);
    if (kept == NULL)
        chx_fail("%s", chx_last_report()->why);
}

void Link_await_held(void)
{
    if (!chx_session_is_over(kept))
        chx_again_when_over(kept);
}

void Link_release(void)
{
    atomic_store(&is_released, true);
}

int Link_held_result(void)
{
    struct held_run_result result;
    Link_await_held();
    if (held_run_wait(kept, &result) != CHX_OK)
        chx_fail("%s", chx_last_report()->why);
    return result.Keeper;
}

// When the other role waits.
void Echo_fail_later(void)
{
    static bool has_waited;
    has_waited = !has_waited;
    if (has_waited)
        chx_again_after(1000000);
    chx_fail("later");
}

int main(void)
{
    struct chain_run_result result;
    runtime = chx_runtime_new(&(chx_runtime_options){.workers = 1});
    if (chain_run_wait(chain_run_start(runtime, NULL, 500), &result) != CHX_OK)
        return 1;
    printf("500 deep: %d\n", result.Link);
    struct chain_late_result late;
    if (chain_late_wait(chain_late_start(runtime, NULL), &late) != CHX_OK)
        return 2;
    printf("over before it is waited for: %d\n", late.Link);
    struct chain_called_back_result called_back;
    if (chain_called_back_wait(chain_called_back_start(runtime, NULL), &called_back) != CHX_OK)
        return 3;
    printf("called back, and waited once more: %d\n", called_back.Link);
    chx_runtime_free(runtime);
    return 0;
}
