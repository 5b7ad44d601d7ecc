// A hundred thousand sessions, good ones, rescued ones and failed ones, leave nothing behind: what the runtime keeps
// after the first few is all that it keeps, and in the end it is nothing.
// expect: 60000 good, 20000 rescued, 20000 failed
// expect: nothing is kept for sessions that are over
// expect: nothing is left
//! no-central
//! no-process
//! no-sim
//! no-process
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SESSIONS = 100000, FIRST = 1000, AT_ONCE = 10, LATE_WORKERS_BYTES = 4096 };

choreography(crowd, (Asker, Teller),
    chx_str Teller.tell(int number);

    def run(Asker.int number, Asker.const char *name) -> Asker.size_t {
        Asker.name ~> Teller.const char *name;
        Asker.chx_str answer;
        checkpoint {
            Asker.number ~> Teller.int number;
            Teller.tell(number) ~> Asker.answer;
        } rescue {
            Asker.(number % 10 == 8 ? 0 : number) ~> Teller.int number;
            Teller.(number == 0 ? chx_strf("sorry, %s", name) : tell(number)) ~> Asker.answer;
        }
        return Asker.(chx_str_len(answer));
    }
)

#include "crowd.Asker.chor.h"
#include "crowd.Teller.chor.h"

// 8 fails once, and 18; 9 fails in the rescue, too.
chx_str Teller_tell(int number)
{
    int *copy = chx_alloc(sizeof *copy);
    *copy = number;
    if (*copy % 10 >= 6)
        chx_fail("not %d", *copy);
    return chx_strf("number %d", *copy);
}

static _Atomic long used;

static void *count(void *context, void *old, size_t size)
{
    (void)context;
    size_t *head = old != NULL ? (size_t *)old - 2 : NULL;
    long before = head != NULL ? (long)*head : 0;
    if (size == 0) {
        free(head);
        used -= before;
        return NULL;
    }
    head = realloc(head, size + 2 * sizeof *head);
    if (head == NULL)
        return NULL;
    *head = size;
    used += (long)size - before;
    return head + 2;
}

static long good, rescued, failed;

static void run_some(chx_runtime *runtime, int first, int end)
{
    static const int numbers[AT_ONCE] = {0, 1, 2, 3, 4, 5, 8, 18, 7, 9};
    for (int i = first; i < end; i += AT_ONCE) {
        chx_session *sessions[AT_ONCE];
        for (int j = 0; j < AT_ONCE; j++)
            sessions[j] = crowd_run_start(runtime, NULL, numbers[j], "friend");
        for (int j = 0; j < AT_ONCE; j++) {
            struct crowd_run_result result;
            if (crowd_run_wait(sessions[j], &result) != CHX_OK)
                failed++;
            else if (result.Asker == sizeof "sorry, friend" - 1)
                rescued++;
            else
                good++;
        }
    }
}

int main(void)
{
    chx_runtime_options options = {.workers = 2, .allocate = count};
    chx_runtime *runtime = chx_runtime_new(&options);
    run_some(runtime, 0, FIRST);
    long kept = used;
    run_some(runtime, FIRST, SESSIONS);
    printf("%ld good, %ld rescued, %ld failed\n", good, rescued, failed);
    // A worker may have been started late.
    if (used > kept + LATE_WORKERS_BYTES)
        printf("%ld bytes were kept, and %ld more now\n", kept, used - kept);
    else
        puts("nothing is kept for sessions that are over");
    chx_runtime_free(runtime);
    if (used != 0)
        printf("%ld bytes are left\n", used);
    else
        puts("nothing is left");
    return 0;
}
