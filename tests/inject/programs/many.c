// Many sessions at once; one of them is cancelled.
#include "inject.h"

choreography(many, (Alice, Bob, Carol),
    def run(Alice.int n) -> Carol.int {
        Carol.int sum = 0;
        while (Alice.(n > 0)) {
            checkpoint {
                Alice.n ~> Bob.n;
                Bob.(n * 2) ~> Carol.m;
                Carol.sum += m;
            } rescue {
                Carol.sum = 0;
            }
            Alice.n--;
        }
        return Carol.sum;
    }
    def forever() {
        for (;;) {
            Alice.(1) ~> Bob._;
            Bob.(1) ~> Alice._;
        }
    }
)

#include "many.Alice.chor.h"
#include "many.Bob.chor.h"
#include "many.Carol.chor.h"

enum { SESSIONS = 4 };

static chx_status first;

// The first one that fails counts.
static void note(chx_status status)
{
    if (first != CHX_OK || status == CHX_OK)
        return;
    first = status;
    printf("why: %s\n", chx_last_report()->why);
}

static chx_status session(void)
{
    chx_session *sessions[SESSIONS];
    struct many_cast cast;
    struct many_run_result r;
    inject_cast(&cast, sizeof cast);
    first = CHX_OK;
    chx_session *endless = many_forever_start(NULL, &cast);
    note(endless == NULL ? CHX_NO_MEMORY : CHX_OK);
    for (int i = 0; i < SESSIONS; i++) {
        sessions[i] = many_run_start(NULL, &cast, 5);
        note(sessions[i] == NULL ? CHX_NO_MEMORY : CHX_OK);
    }
    if (endless != NULL) {
        chx_session_cancel(endless);
        chx_status status = many_forever_wait(endless);
        note(status == CHX_CANCELLED ? CHX_OK : status);
    }
    for (int i = 0; i < SESSIONS; i++) {
        chx_status status = sessions[i] != NULL ? many_run_wait(sessions[i], &r) : CHX_NO_MEMORY;
        note(status);
        if (status == CHX_OK)
            must(r.Carol <= 30);
    }
    return first;
}

int main(void)
{
    return inject_main(session);
}
