// A role in a process of its own that fails outside of every block: who, how, and in which line.
// expect: 0: failed: Worker: kind 0, signal 0, line 28: it has a reason, number 0
// expect: 1: failed: Worker: kind 1, signal 11, line 28: SIGSEGV (segmentation fault)
// expect: 2: failed: Worker: kind 1, signal 9, line 28: SIGKILL (killed)
// expect: 3: failed: Worker: kind 3, signal 0, line 28: its process ended with exit status 3
// expect: 4: failed: Worker: kind 3, signal 0, line 28: its process ended with exit status 0
// expect: 5: failed: Worker: kind 1, signal 6, line 28: SIGABRT (abort)
// expect: 6: failed: Worker: kind 2, signal 0, line 29: the value received is not 6
// expect: 8: fine, Worker
// expect: limit: 3 restarts: its process ended with exit status 1 (and more restarts than the cast allows)
//! no-central
//! no-sim
//! no-sanitizer
//! no-process: one of its sessions is to fail in another way
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

choreography(ways, (Boss, Worker),
    int Worker.end(int way);
    const char *Worker.name(void);
    int Worker.again(int n);

    def run(Boss.int way) -> Boss.const char * {
        Boss.way ~> Worker.way;
        Worker.end(way) ~> Boss.x;
        Boss.(x == 6 ? 7 : 6) ~> Worker.(6);
        Worker.name() ~> Boss.name;
        return Boss.name;
    }
    def limit(Boss.int n) -> Boss.int {
        Boss.n ~> Worker.n;
        Boss.int m = 0;
        checkpoint retry 100 {
            Worker.again(n) ~> Boss.m;
        }
        return Boss.m;
    }
)

#include "ways.Boss.chor.h"
#include "ways.Worker.chor.h"

int Worker_end(int way)
{
    switch (way) {
    case 0:
        chx_fail("it has a reason, number %d", way);
    case 1:
        *(volatile int *)(uintptr_t)8 = 1;
        break;
    case 2:
        kill(getpid(), SIGKILL);
        break;
    case 3:
        exit(3);
    case 4:
        _exit(0);
    case 5:
        abort();
    default:
        break;
    }
    return way;
}

const char *Worker_name(void)
{
    return chx_role_name();
}

int Worker_again(int n)
{
    exit(n);
}

int main(void)
{
    struct ways_cast cast = {.Worker = {.isolation = CHX_PROCESS}};
    const chx_report *report;
    for (int way = 0; way < 9; way += way == 6 ? 2 : 1) {
        struct ways_run_result r;
        chx_status status = ways_run(&r, &cast, way);
        report = chx_last_report();
        if (status == CHX_OK) {
            printf("%d: fine, %s\n", way, r.Boss);
            ways_run_result_drop(&r);
        } else {
            printf("%d: failed: %s: kind %d, signal %d, line %d: %s\n", way, report->role, report->kind,
                   report->signal, report->line, report->why);
        }
    }
    struct ways_limit_result limit;
    cast.Worker.restarts_max = 3;
    if (ways_limit(&limit, &cast, 1) == CHX_OK)
        return 1;
    report = chx_last_report();
    printf("limit: %u restarts: %s\n", report->restarts, report->why);
    return 0;
}
