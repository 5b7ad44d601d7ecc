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

enum { SESSIONS = 8 };

static chx_status session(void)
{
    chx_session *sessions[SESSIONS];
    struct many_cast cast;
    struct many_run_result r;
    static char why[600];
    chx_status first = CHX_OK;
    inject_cast(&cast, sizeof cast);
    chx_session *endless = many_forever_start(NULL, &cast);
    for (int i = 0; i < SESSIONS; i++)
        sessions[i] = many_run_start(NULL, &cast, 5);
    if (endless != NULL) {
        chx_session_cancel(endless);
        chx_status status = many_forever_wait(endless);
        if (status != CHX_CANCELLED && first == CHX_OK) {
            first = status;
            snprintf(why, sizeof why, "%s", chx_last_report()->why);
        }
    }
    for (int i = 0; i < SESSIONS; i++) {
        if (sessions[i] == NULL) {
            first = CHX_NO_MEMORY;
            continue;
        }
        chx_status status = many_run_wait(sessions[i], &r);
        if (status == CHX_OK)
            must(r.Carol <= 30);
        else if (first == CHX_OK || why[0] == '\0')
            first = status, snprintf(why, sizeof why, "%s", chx_last_report()->why);
    }
    if (first != CHX_OK)
        printf("why: %s\n", why);
    why[0] = '\0';
    return first;
}

int main(void)
{
    return inject_main(session);
}
