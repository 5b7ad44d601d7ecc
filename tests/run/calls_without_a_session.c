// Every call of the interface with NULL, twice, after a failure and with results that were never set: nothing is read that is
// not there, and a result can be dropped after whatever the call has returned.
// expect: NULL: invalid use: there is no session to wait for (NULL)
// expect: NULL after a failed start: there is no session to wait for (NULL); before that: the cast gives Alice to
// expect: failed: dropped
// expect: cancelled: dropped
// expect: refused: dropped
// expect: no results wanted: success
// expect: dropped twice
// expect: empty strings: 0 0 "" 1 1
//! no-central: it is over when it has been started
//! no-sim: the cancelled session may have come to its end there
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(owned, (Alice, Bob),
    int Alice.work(int n);
    def run(Alice.int n) -> Alice.{const char *, chx_str}, Bob.chx_bytes {
        Alice.work(n) ~> Bob._;
        return Alice.{"a", chx_strf("b")}, Bob.(chx_bytes_new("c", 1));
    }
    def nothing(Alice.int n) {
        Alice.work(n) ~> Bob._;
    }
)

#include "owned.Alice.chor.h"
#include "owned.Bob.chor.h"

enum { SUCCEED, FAIL, LOOP };

int Alice_work(int n)
{
    if (n == FAIL)
        chx_fail("on purpose");
    return n;
}

static struct owned_run_result result;

// As memory is that nobody has set.
static struct owned_run_result *garbage(void)
{
    memset(&result, 0xa5, sizeof result);
    return &result;
}

static void dropped(const char *what, chx_status status, chx_status expected)
{
    static const struct owned_run_result zero;
    if (status != expected || memcmp(&result, &zero, sizeof result) != 0)
        printf("%s: %s, and the result is not empty\n", what, chx_status_text(status));
    owned_run_result_drop(&result);
    owned_run_result_drop(&result);
    printf("%s: dropped\n", what);
}

static void without_a_session(void)
{
    chx_session_cancel(NULL);
    chx_runtime_free(NULL);
    owned_run_result_drop(NULL);
    if (chx_session_fd(NULL) != -1 || chx_session_report(NULL) != NULL || owned_nothing_wait(NULL) != CHX_INVALID ||
        owned_run_wait(NULL, NULL) != CHX_INVALID)
        printf("NULL is taken for a session\n");
    if (owned_run_wait(owned_run_start(NULL, NULL, SUCCEED), NULL) != CHX_OK)
        printf("no success\n");
    chx_status status = owned_run_wait(NULL, garbage());
    printf("NULL: %s: %s\n", chx_status_text(status), chx_last_report()->why);
    owned_run_result_drop(&result);
    struct owned_cast cast = {.Alice = {.role = &owned_Bob}};
    if (owned_run_wait(owned_run_start(NULL, &cast, SUCCEED), garbage()) != CHX_INVALID)
        printf("Bob can play Alice\n");
    owned_run_result_drop(&result);
    printf("NULL after a failed start: %.76s\n", chx_last_report()->why);
}

int main(void)
{
    without_a_session();
    dropped("failed", owned_run(garbage(), NULL, FAIL), CHX_FAILED);
    chx_session *session = owned_run_start(NULL, NULL, FAIL);
    if (owned_run_wait(session, garbage()) != CHX_FAILED)
        printf("no failure\n");
    owned_run_result_drop(&result);

    // It may have come to its end before: then it has results, or none.
    session = owned_run_start(NULL, NULL, LOOP);
    chx_session_cancel(session);
    chx_session_cancel(session);
    chx_status status = owned_run_wait(session, garbage());
    if (status != CHX_CANCELLED)
        owned_run_result_drop(&result);
    dropped("cancelled", CHX_CANCELLED, CHX_CANCELLED);

    struct owned_cast cast = {.Bob = {.role = &owned_Alice}};
    dropped("refused", owned_run(garbage(), &cast, SUCCEED), CHX_INVALID);
    printf("no results wanted: %s\n", chx_status_text(owned_run(NULL, NULL, SUCCEED)));
    if (owned_run(garbage(), NULL, SUCCEED) != CHX_OK || strcmp(result.Alice.v0, "a") != 0)
        return 1;
    owned_run_result_drop(&result);
    owned_run_result_drop(&result);
    printf("dropped twice\n");

    chx_str none = {0};
    chx_bytes no_bytes = {0};
    chx_str_drop(chx_str_keep(none));
    chx_bytes_drop(chx_bytes_keep(no_bytes));
    chx_str zeros = chx_str_new(NULL, 1);
    printf("empty strings: %zu %zu \"%s\" %d %d\n", chx_str_len(none), chx_bytes_len(no_bytes), chx_cstr(none),
           chx_bytes_data(no_bytes) != NULL, chx_str_len(zeros) == 1 && chx_cstr(zeros)[0] == '\0');
    chx_str_drop(zeros);
    return 0;
}
