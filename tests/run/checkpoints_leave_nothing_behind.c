// A block in a loop, or a round that is a block, leaves nothing behind, with and without failures, also if roles are called back out of blocks within
// it: many times the rounds need no more memory.
// Nested blocks need memory in proportion to their depth.
// expect: loop: bounded
// expect: rounds: bounded
// expect: out of inner ones: bounded
// expect: nest: linear
//! no-central
//! no-sim
#include <chorex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

choreography(tidy, (Worker, Boss),
    int Worker.work(int round);

    def loop(Worker.int rounds) -> Boss.long {
        Boss.long sum = 0;
        for (Worker.int i = 0; Worker.(i < rounds); Worker.i++) {
            checkpoint {
                Worker.work(i) ~> Boss.x;
                Boss.sum += x;
            } rescue {
                Worker.(-i) ~> Boss.x;
                Boss.sum += x;
            }
        }
        return Boss.sum;
    }

    def rounds(Worker.int rounds) -> Boss.long {
        Boss.long sum = 0;
        Worker.int i = 0;
        checkpoint while (Worker.(i < rounds)) {
            Worker.i++;
            Worker.work(i) ~> Boss.x;
            Boss.sum += x;
        } rescue {
            Worker.i++;
            Worker.(-i) ~> Boss.x;
            Boss.sum += x;
        }
        return Boss.sum;
    }

    def inner(Worker.int rounds) -> Boss.long {
        Boss.long sum = 0;
        for (Worker.int i = 0; Worker.(i < rounds); Worker.i++) {
            checkpoint {
                checkpoint {
                    checkpoint {
                        Worker.work(2) ~> Boss.x;
                        Boss.sum += x;
                    }
                } rescue {
                    Worker.work(5) ~> Boss.x;
                    Boss.sum += x;
                }
            } rescue {
                Worker.(-i) ~> Boss.x;
                Boss.sum += x;
            }
        }
        return Boss.sum;
    }

    def nest(Worker.int depth) -> Boss.int {
        if (Worker.(depth == 0)) {
            return Boss.(0);
        }
        Boss.int below = 0;
        checkpoint {
            Boss.below = nest(Worker.(depth - 1));
        } rescue {
            Boss.below = -1;
        }
        return Boss.(below + 1);
    }
)

#include "tidy.Worker.chor.h"
#include "tidy.Boss.chor.h"

int Worker_work(int round)
{
    if (round % 3 == 2)
        chx_fail("round %d", round);
    return round;
}

// An allocator that knows how much is in use at most. The worker may be joined by the thread that waits.
static _Atomic size_t used, peak;

static void *count(void *context, void *old, size_t size)
{
    (void)context;
    size_t *head = old != NULL ? (size_t *)old - 2 : NULL;
    used -= head != NULL ? *head : 0;
    if (size == 0) {
        free(head);
        return NULL;
    }
    head = realloc(head, size + 2 * sizeof *head);
    if (head == NULL)
        return NULL;
    *head = size;
    size_t now = atomic_fetch_add(&used, size) + size, highest = atomic_load(&peak);
    while (now > highest && !atomic_compare_exchange_weak(&peak, &highest, now))
        ;
    return head + 2;
}

// One worker: what is in use does not depend on how many there are.
enum what { LOOP, ROUNDS, INNER, NEST };
static size_t peak_of(enum what what, int number)
{
    chx_runtime_options options = {.workers = 1, .allocate = count};
    peak = used = 0;
    chx_runtime *runtime = chx_runtime_new(&options);
    chx_status status;
    if (what == NEST) {
        struct tidy_nest_result result;
        status = tidy_nest_wait(tidy_nest_start(runtime, NULL, number), &result);
        if (status == CHX_OK && result.Boss != number)
            exit(1);
    } else if (what == INNER) {
        status = tidy_inner_wait(tidy_inner_start(runtime, NULL, number), NULL);
    } else if (what == ROUNDS) {
        status = tidy_rounds_wait(tidy_rounds_start(runtime, NULL, number), NULL);
    } else {
        status = tidy_loop_wait(tidy_loop_start(runtime, NULL, number), NULL);
    }
    chx_runtime_free(runtime);
    if (status != CHX_OK || used != 0)
        exit(2);
    return peak;
}

int main(void)
{
    printf("loop: %s\n", peak_of(LOOP, 30000) <= peak_of(LOOP, 300) + 1024 ? "bounded" : "growing");
    printf("rounds: %s\n", peak_of(ROUNDS, 6000) <= peak_of(ROUNDS, 300) + 1024 ? "bounded" : "growing");
    printf("out of inner ones: %s\n", peak_of(INNER, 600) <= peak_of(INNER, 100) + 1024 ? "bounded" : "growing");
    size_t base = peak_of(NEST, 100), ten = peak_of(NEST, 1000), hundred = peak_of(NEST, 10000);
    printf("nest: %s\n", hundred - base <= 15 * (ten - base) ? "linear" : "more than linear");
    return 0;
}
