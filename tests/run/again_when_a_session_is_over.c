// A role starts another session and waits for its end without a thread: a chain of five hundred, each started by a role of the
// one before, with one worker.
// expect: 500 deep: 500
//! no-central
//! no-process
#include <chorex.h>
#include <stdio.h>

choreography(chain, (Link, Echo),
    chx_session *Link.start_next(int left);
    int Link.result_of(chx_session *session);
    def run(Link.int left) -> Link.int {
        Link.left ~> Echo.left;
        Echo.left ~> Link.left;
        if (Link.(left == 0)) {
            return Link.(0);
        }
        Link.next = start_next(left - 1);
        return Link.(1 + result_of(next));
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

int main(void)
{
    struct chain_run_result result;
    runtime = chx_runtime_new(&(chx_runtime_options){.workers = 1});
    if (chain_run_wait(chain_run_start(runtime, NULL, 500), &result) != CHX_OK)
        return 1;
    printf("500 deep: %d\n", result.Link);
    chx_runtime_free(runtime);
    return 0;
}
