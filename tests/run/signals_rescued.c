// Every way in which C code dies of a signal is a failure that a rescue takes up, and the role goes on afterwards.
//! no-sanitizer
// expect: null pointer: signal 11 at Worker, rescued
// expect: wild pointer: signal 11 at Worker, rescued
// expect: division by zero: signal 8 at Worker, rescued
// expect: abort: signal 6 at Worker, rescued
// expect: failed assert: signal 6 at Worker, rescued
// expect: stack overflow: signal 11 at Worker, rescued
// expect: inside of qsort: signal 11 at Worker, rescued
// expect: no failure: signal 0 at nobody, 7
// expect: 7 restarts
#undef NDEBUG
#include <assert.h>
#include <chorex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

choreography(signals, (Boss, Worker),
    int Worker.work(int way);
    void Boss.note(int way, int signal, const char *role, int result);

    def run(Boss.int ways) -> Worker.int {
        Boss.int way = 0;
        Worker.int restarts = 0;
        while (Boss.(way < ways)) {
            Boss.way ~> Worker.way;
            checkpoint {
                Worker.work(way) ~> Boss.result;
                Boss.note(way, 0, "nobody", result);
            } rescue (fault) {
                Worker.restarts++;
                Worker.restarts ~> Boss._;
                Boss.note(way, fault.signal, fault.role, -1);
            }
            Boss.way++;
        }
        return Worker.restarts;
    }
)

#include "signals.Boss.chor.h"
#include "signals.Worker.chor.h"

static const char *const ways[] = {
    "null pointer",  "wild pointer",   "division by zero", "abort",
    "failed assert", "stack overflow", "inside of qsort",  "no failure",
};

static volatile int zero;

static int recurse(volatile char *outer)
{
    volatile char room[4096];
    room[0] = outer[0];
    if (room[0] == 0)
        return 0;
    return recurse(room) + room[0];
}

static int compare(const void *a, const void *b)
{
    (void)a;
    (void)b;
    return *(volatile int *)(intptr_t)zero;
}

int Worker_work(int way)
{
    int numbers[16] = {3, 1, 2};
    char seed[1] = {1};
    switch (way) {
    case 0:
        *(volatile int *)(intptr_t)zero = 1;
        break;
    case 1:
        *(volatile int *)(UINTPTR_MAX / 3) = 1;
        break;
    case 2:
        return 100 * way / zero;
    case 3:
        abort();
    case 4:
        assert(zero == 1);
        break;
    case 5:
        return recurse(seed);
    case 6:
        qsort(numbers, 16, sizeof numbers[0], compare);
        break;
    }
    return way;
}

void Boss_note(int way, int signal, const char *role, int result)
{
    printf("%s: signal %d at %s, ", ways[way], signal, role);
    if (result < 0)
        puts("rescued");
    else
        printf("%d\n", result);
}

int main(void)
{
    if (freopen("/dev/null", "w", stderr) == NULL) // where assert writes to
        return 1;
    struct signals_run_result result;
    if (signals_run(&result, NULL, 8) != CHX_OK)
        return 1;
    printf("%d restarts\n", result.Worker);
    return 0;
}
