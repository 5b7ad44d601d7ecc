// What means nothing in another process is refused at the start, in words that name the variable and the role.
// expect: invalid argument: Worker: it can't have a context
// expect: invalid argument: Worker: its argument 'counter' is a pointer
// expect: invalid argument: Worker: its variable 'place' is a pointer that is live over a checkpoint
// expect: fine: 5
//! no-central
//! no-sim
//! no-process: pointers are arguments on purpose
//! flags: -Wno-error
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(pointers, (Boss, Worker),
    def plain(Boss.int n) -> Worker.int {
        Boss.n ~> Worker.m;
        return Worker.m;
    }
    def given(Worker.int *counter) -> Boss.int {
        Worker.(*counter) ~> Boss.n;
        return Boss.n;
    }
)

#include "pointers.Boss.chor.h"
#include "pointers.Worker.chor.h"

static int memory = 5;

choreography(fragile, (Boss, Worker),
    def run() -> Boss.int {
        Worker.int *place = &memory;
        Boss.int n = 0;
        checkpoint {
            Worker.(*place) ~> Boss.n;
        } rescue {
            Worker.(*place + 1) ~> Boss.n;
        }
        return Boss.n;
    }
)

#define CHX_ROLE_AS fragile_boss
#include "fragile.Boss.chor.h"
#define CHX_ROLE_AS fragile_worker
#include "fragile.Worker.chor.h"

static void say(chx_status status)
{
    const char *why = chx_last_report()->why;
    int size = (int)strcspn(why, ":");
    size += (int)strcspn(why + size, ".");
    char text[300];
    snprintf(text, sizeof text, "%.*s", size, why);
    char *end = strstr(text, " or has one") != NULL    ? strstr(text, " or has one")
                : strstr(text, " and a process") != NULL ? strstr(text, " and a process")
                : strstr(text, ": a new process") != NULL ? strstr(text, ": a new process")
                                                          : text + strlen(text);
    *end = '\0';
    printf("%s: %s\n", status == CHX_INVALID ? "invalid argument" : chx_status_text(status), text);
}

int main(void)
{
    struct pointers_cast cast = {.Worker = {.isolation = CHX_PROCESS}};
    struct pointers_plain_result plain;
    struct pointers_given_result given;
    cast.Worker.context = &memory;
    say(pointers_plain(&plain, &cast, 5));
    cast.Worker.context = NULL;
    say(pointers_given(&given, &cast, &memory));
    struct fragile_cast both = {.Boss = {.role = &fragile_boss},
                                .Worker = {.role = &fragile_worker, .isolation = CHX_PROCESS}};
    struct fragile_run_result r;
    say(fragile_run(&r, &both));
    both.Worker.isolation = CHX_THREAD;
    if (fragile_run(&r, &both) == CHX_OK)
        printf("fine: %d\n", r.Boss);
    return 0;
}
