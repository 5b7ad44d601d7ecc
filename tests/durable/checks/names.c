// Names: one session of a name at a time, the outcome again afterwards, what the store lists, sessions without a name.
#include <chorex.h>
#include <chorex/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const chx_store_ops chx_store_ops_file;

choreography(names, (Ann, Bob),
    int Ann.wait(int number);
    def run(Ann.int number) -> Bob.int {
        Bob.result = 0;
        checkpoint durable {
            Ann.wait(number) ~> Bob.result;
        }
        return Bob.result;
    }
    def fail(Ann.int number) {
        checkpoint durable {
            Ann.wait(number) ~> Bob.result;
            Bob.(chx_fail("no: %d", result));
        }
    }
)

#include "names.Ann.chor.h"
#include "names.Bob.chor.h"

static int gate[2];

int Ann_wait(int number)
{
    char byte;
    if (number == 7 && read(gate[0], &byte, 1) != 1)
        chx_fail("no gate");
    return number + 1;
}

static bool list(void *context, const chx_store_cut *cut)
{
    ++*(int *)context;
    if (strncmp(cut->key.name, "unnamed-", 8) != 0)
        printf("unfinished: %s.%s %s\n", cut->key.choreography, cut->definition, cut->key.name);
    return true;
}

static void say(const char *what, chx_status status)
{
    printf("%s: %s%s%s\n", what, chx_status_text(status), status != CHX_OK ? ", " : "",
           status != CHX_OK ? chx_last_report()->why : "");
}

int main(void)
{
    chx_store *store = chx_store_of(&chx_store_ops_file, getenv("STORE_FILE"));
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.store = store, .signals = true});
    struct names_run_result result;
    int count = 0;
    if (pipe(gate) != 0)
        return 1;
    chx_session *first = names_run_open(runtime, "one", NULL, 7);
    chx_session *second = names_run_open(runtime, "one", NULL, 7);
    printf("second: %s\n", second == NULL ? chx_last_report()->why : "opened");
    // It is there as soon as its roles run, and this one waits until somebody writes.
    while (count == 0)
        chx_store_each(store, list, &count);
    if (write(gate[1], "x", 1) != 1)
        return 1;
    say("first", names_run_wait(first, &result));
    printf("result %d\n", result.Bob);
    say("again", names_run_wait(names_run_open(runtime, "one", NULL, 1000), &result));
    printf("result %d\n", result.Bob);
    chx_session *other = names_fail_open(runtime, "one", NULL, 1);
    printf("other definition: %s\n", other == NULL ? chx_last_report()->why : "opened");
    say("failed", names_fail_wait(names_fail_open(runtime, "two", NULL, 1)));
    say("failed again", names_fail_wait(names_fail_open(runtime, "two", NULL, 2)));
    say("without a name", names_run_wait(names_run_open(runtime, "", NULL, 1), &result));
    // Such a name would stand in the way of all other sessions of the store.
    say("not UTF-8", names_run_wait(names_run_open(runtime, "caf\xe9", NULL, 1), &result));
    char *large = calloc(1, 3001);
    memset(large, 'x', 3000);
    say("too long", names_run_wait(names_run_open(runtime, large, NULL, 1), &result));
    free(large);
    say("started", names_run_wait(names_run_start(runtime, NULL, 4), &result));
    printf("result %d\n", result.Bob);
    chx_session *cancelled = names_run_open(runtime, "three", NULL, 7);
    chx_session_cancel(cancelled);
    if (write(gate[1], "x", 1) != 1)
        return 1;
    say("cancelled", names_run_wait(cancelled, &result));
    say("cancelled again", names_run_wait(names_run_open(runtime, "three", NULL, 1), &result));
    count = 0;
    chx_store_each(store, list, &count);
    printf("unfinished in the end: %d\n", count);
    chx_runtime_free(runtime);
    chx_store_close(store);
    return 0;
}
