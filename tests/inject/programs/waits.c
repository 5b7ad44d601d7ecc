// Sessions side by side whose roles wait without a thread for descriptors and for times; one waits in vain and is cancelled.
#include "outside.h"

choreography(waits, (Reader, Sleeper),
    chx_str Reader.next(int session, int round);
    int     Sleeper.rest(int session, chx_str text);
    void    Reader.wait_in_vain(void);
    def run(Reader.int session) -> Reader.int {
        Reader.session ~> Sleeper.session;
        Reader.int sum = 0;
        for (Reader.int round = 1; Reader.(round <= 3); Reader.round++) {
            Reader.next(session, round) ~> Sleeper.text;
            Sleeper.rest(session, text) ~> Reader.number;
            Reader.sum += number;
        }
        return Reader.sum;
    }
    def forever() {
        Reader.wait_in_vain();
        Reader.(1) ~> Sleeper._;
    }
)

#include "waits.Reader.chor.h"
#include "waits.Sleeper.chor.h"

enum { SESSIONS = 3 };
static Alarm alarms[SESSIONS + 1];
static bool has_rested[SESSIONS];
static chx_status first;

chx_str Reader_next(int session, int round)
{
    chx_str text = chx_strf("%d", round); // given back if the step ends here
    alarm_await(&alarms[session], 1);
    return text;
}

int Sleeper_rest(int session, chx_str text)
{
    time_await(&has_rested[session], 300000);
    return atoi(chx_cstr(text));
}

void Reader_wait_in_vain(void)
{
    // A role in a process may be killed before it waits.
    alarm_await(&alarms[SESSIONS], 900);
    alarms[SESSIONS].is_set = true;
    chx_again_when(alarms[SESSIONS].number, POLLPRI);
}

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
    struct waits_cast cast;
    struct waits_run_result r;
    inject_cast(&cast, sizeof cast);
    first = CHX_OK;
    chx_session *endless = waits_forever_start(NULL, &cast);
    note(endless == NULL ? CHX_NO_MEMORY : CHX_OK);
    for (int i = 1; i < SESSIONS; i++) {
        sessions[i] = waits_run_start(NULL, &cast, i);
        note(sessions[i] == NULL ? CHX_NO_MEMORY : CHX_OK);
    }
    // This one is served by the thread that waits for it.
    chx_status status = waits_run(&r, &cast, 0);
    note(status);
    if (status == CHX_OK)
        must(r.Reader == 6);
    for (int i = 1; i < SESSIONS; i++) {
        status = sessions[i] != NULL ? waits_run_wait(sessions[i], &r) : CHX_NO_MEMORY;
        note(status);
        if (status == CHX_OK)
            must(r.Reader == 6);
    }
    if (endless != NULL) {
        chx_session_cancel(endless);
        status = waits_forever_wait(endless);
        note(status == CHX_CANCELLED ? CHX_OK : status);
    }
    for (int i = 0; i <= SESSIONS; i++)
        alarm_close(&alarms[i]);
    memset(has_rested, 0, sizeof has_rested);
    return first;
}

int main(void)
{
    return inject_main(session);
}
