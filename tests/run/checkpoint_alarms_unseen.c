// A role that is busy for long while others fail many times, in blocks around the one that it is in and in others, then
// goes back to the outermost one that has failed, however many failures it has missed.
// expect: all 240 as they should be
//! no-process: its roles share globals
//! no-central
//! no-sim: its functions wait for one another, and only one thread goes on
#include <chorex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

choreography(busy, (Alice, Bob, Carol),
    void Alice.begin(void);
    void Alice.wait(void);
    void Bob.await(void);
    void Carol.release(void);
    void Bob.fail(void);

    // So many failures that don't concern Alice.
    def failures(Bob.int count) {
        for (Bob.int i = 0; Bob.(i < count); Bob.i++) {
            checkpoint {
                Carol.(1) ~> Bob._;
                Bob.fail();
            } rescue {
                Bob.(1) ~> Carol._;
            }
        }
    }

    // The first one that Alice misses is the one that concerns her.
    def first(Bob.int after) -> Alice.int {
        Alice.int way = 0;
        checkpoint {
            Alice.begin();
            Alice.wait();
            Bob.await();
            Carol.(1) ~> Bob._;
            Bob.fail();
            Alice.way = 1;
        } rescue {
            failures(Bob.after);
            Bob.(1) ~> Carol._;
            Carol.release();
            Alice.way += 10;
        }
        return Alice.way;
    }

    // And here the last one is.
    def run(Bob.int inside, Bob.int after) -> Alice.int, Carol.int {
        Alice.int way = 0;
        Carol.int heard = 0;
        checkpoint {
            checkpoint {
                Alice.begin();
                Alice.wait();
                Bob.await();
                Carol.(1) ~> Bob._;
                Bob.fail();
                Alice.way = 1;
            } rescue {
                failures(Bob.inside);
                Bob.fail();
                Alice.way = 2;
            }
            Alice.way = 3;
        } rescue {
            failures(Bob.after);
            Bob.(1) ~> Carol._;
            Carol.release();
            Alice.way += 10;
            Alice.way ~> Carol.heard;
        }
        return Alice.way, Carol.heard;
    }
)

#include "busy.Alice.chor.h"
#include "busy.Bob.chor.h"
#include "busy.Carol.chor.h"

static _Atomic int is_there, is_free;

static void await(_Atomic int *flag)
{
    while (!atomic_load(flag))
        sched_yield();
}

void Alice_begin(void) { atomic_store(&is_there, 1); }
void Alice_wait(void) { await(&is_free); }
void Bob_await(void) { await(&is_there); }
void Carol_release(void) { atomic_store(&is_free, 1); }
void Bob_fail(void) { chx_fail("once more"); }

int main(void)
{
    int count = 0;
    for (int i = 0; i < 240; i++) {
        atomic_store(&is_there, 0);
        atomic_store(&is_free, 0);
        struct busy_run_result r = {.Carol = 10};
        struct busy_first_result first;
        chx_status status;
        if (i % 3 == 0) {
            status = busy_first(&first, NULL, i / 3);
            r.Alice = first.Alice;
        } else {
            status = busy_run(&r, NULL, i % 3 == 1 ? i / 3 : 0, i % 3 == 2 ? i / 3 : 0);
        }
        if (status != CHX_OK)
            return printf("%d: %s\n", i, chx_last_report()->why) < 0;
        count += r.Alice == 10 && r.Carol == 10;
    }
    printf("all %d as they should be\n", count);
    return 0;
}
