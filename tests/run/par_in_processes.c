// Workers that may have processes of their own take part in arms. Queue, which is in all of them, and Boss are threads of the program: they
// have a context.
//! no-central
// expect: inside: 435, 30 given back
// expect: around: 3 attempts, rescued
// expect: none: no more, Worker[1]
// expect: deadline: 1
// expect: pairs: 60
// expect: nested: 36
// expect: again: 20
// expect: texts: w0w1w2
// expect: alone: 7
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(pool, (Queue, Worker[]),
    bool Queue.has_job(void);
    int Queue.take_job(size_t worker);
    void Queue.give_back(size_t worker);
    void Queue.store(int result);
    bool Queue.is_first(int what);
    int Worker.work(int job, bool fails);
    // Every job fails once: other arms go on.
    def inside() {
        par (w : Worker) {
            checkpoint while (Queue.has_job()) {
                Queue.int job = take_job(w);
                Queue.job ~> w.job;
                Queue.is_first(job) ~> w.fails;
                w.work(job, fails) ~> Queue.result;
                Queue.store(result);
            } rescue {
                Queue.give_back(w);
            }
        }
    }
    // Arms in no block of their own count for the one around them.
    void Queue.count(void);
    def around() -> Queue.int {
        Queue.int n = 0;
        checkpoint retry 2 {
            Queue.count();
            par (w : Worker) {
                w.(1) ~> Queue.one;
                Queue.(one + (int)w) ~> w.k;
                w.work(k, k == 2) ~> Queue._;
                Queue.(0) ~> w._;
            }
        } rescue { Queue.n = 1; }
        return Queue.n;
    }
    def none() {
        par (w : Worker) {
            Queue.(w == 1) ~> w.fails;
            w.work(0, fails) ~> Queue._;
        }
    }
    // What owns something is as it was when the block was entered.
    chx_str Worker.name(size_t index);
    chx_str Queue.join(chx_str a, chx_str b);
    def texts() -> Queue.chx_str {
        Queue.chx_str out[Worker];
        Queue.chx_str all;
        Worker[*].chx_str mine;
        for (w : Worker) { w.mine = name(w); }
        par (w : Worker) {
            checkpoint retry 1 {
                Queue.is_first(400 + (int)w) ~> w.fails;
                w.mine ~> Queue.out[w];
                w.work(0, fails) ~> Queue._;
            }
        }
        for (w : Worker) { Queue.all = join(all, out[w]); }
        return Queue.all;
    }
)

choreography(three, (Boss, Left, Right, Third),
    bool Boss.is_first(int what);
    int Left.work(int job, bool fails);
    int Right.work(int job, bool fails);
    int Left.never(void);
    def late() -> Boss.int {
        Boss.int expired = 0;
        par {
            checkpoint within 30ms {
                Left.never() ~> Boss._;
            } rescue { Boss.expired = 1; }
        } and {
            Right.(1) ~> Boss.x;
            Boss.x ~> Right._;
        }
        return Boss.expired;
    }
    // Two roles of an arm talk to each other; both go back when one of them fails.
    def pairs() -> Boss.int {
        Boss.int a = 0;
        Boss.int b = 0;
        par {
            checkpoint retry 3 {
                Boss.is_first(100) ~> Left.fails;
                Left.fails ~> Right.fails;
                Right.work(20, fails) ~> Left.m;
                Left.m ~> Boss.a;
            }
        } and {
            Third.(20) ~> Boss.b;
            Boss.b ~> Third.c;
            Third.(c * 2) ~> Boss.b;
        }
        return Boss.(a + b);
    }
    // One in the other, in blocks, in a loop that is a block.
    def nested() -> Boss.int {
        Boss.int sum = 0;
        Boss.int i = 0;
        checkpoint while (Boss.(i < 6)) {
            Boss.int a = 0;
            Boss.int b = 0;
            Boss.int c = 0;
            par {
                checkpoint retry 9 {
                    par {
                        Boss.(i % 2 == 0 && is_first(200 + i)) ~> Left.fails;
                        Left.work(1, fails) ~> Boss.a;
                    } and {
                        checkpoint retry 1 {
                            Boss.(i % 3 == 0 && is_first(300 + i)) ~> Right.fails;
                            Right.work(2, fails) ~> Boss.b;
                        }
                    }
                }
            } and {
                Third.(3) ~> Boss.c;
            }
            Boss.i = i + 1;
            Boss.sum = sum + a + b + c;
        } rescue { Boss.sum = 1000; }
        return Boss.sum;
    }
    // Arms come and go.
    def again() -> Boss.int {
        Boss.int n = 0;
        Boss.int i = 0;
        while (Boss.(i < 20)) {
            Boss.int one = 0;
            par { Boss.i ~> Right._; } and { Boss.i ~> Third._; }
            par {
                checkpoint { Right.(1) ~> Boss.one; } rescue { Boss.one = 0; }
            } and {
                Left.(1) ~> Boss._;
            }
            Boss.n = n + one;
            Boss.i = i + 1;
        }
        return Boss.n;
    }
)

choreography(alone, (Boss, Helper[]),
    int Helper.answer(void);
    def run() -> Boss.int {
        Boss.int got[Helper];
        Boss.int sum = 0;
        par (h : Helper) {
            checkpoint {
                h.answer() ~> Boss.got[h];
            } rescue { Boss.got[h] = 0; }
        }
        for (h : Helper) { Boss.sum = sum + got[h]; }
        return Boss.sum;
    }
)

#include "alone.Boss.chor.h"
#include "alone.Helper.chor.h"
#include "pool.Queue.chor.h"
#include "pool.Worker.chor.h"
#include "three.Boss.chor.h"
#include "three.Left.chor.h"
#include "three.Right.chor.h"
#include "three.Third.chor.h"

enum { JOBS = 30, FIRSTS = 500 };
static int next_job, job_count = JOBS, jobs[20 * JOBS], taken[3], given_back, attempts;
static long sum;
static bool was_there[FIRSTS];

bool Queue_has_job(void)
{
    return next_job < job_count;
}

int Queue_take_job(size_t worker)
{
    return taken[worker] = jobs[next_job++];
}

void Queue_give_back(size_t worker)
{
    given_back++;
    jobs[job_count++] = taken[worker];
}

void Queue_store(int result)
{
    sum += result;
}

bool Queue_is_first(int what)
{
    bool is_first = !was_there[what];
    was_there[what] = true;
    return is_first;
}

void Queue_count(void)
{
    attempts++;
}

chx_str Queue_join(chx_str a, chx_str b)
{
    return chx_strf("%s%s", chx_cstr(a), chx_cstr(b));
}

int Worker_work(int job, bool fails)
{
    if (fails)
        chx_fail("no more");
    return job;
}

bool Boss_is_first(int what)
{
    return Queue_is_first(what);
}

int Left_work(int job, bool fails)
{
    return Worker_work(job, fails);
}

int Right_work(int job, bool fails)
{
    return Worker_work(job, fails);
}

int Left_never(void)
{
    chx_again_after(1000000000000);
}

chx_str Worker_name(size_t index)
{
    return chx_strf("w%zu", index);
}

int Helper_answer(void)
{
    return 7;
}

static void say(chx_status status)
{
    if (status != CHX_OK)
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
}

int main(void)
{
    struct pool_cast cast = {.Queue.context = &sum, .Worker.count = 3};
    struct three_cast three = {.Boss.context = &sum};
    struct pool_around_result around = {0};
    struct three_late_result late = {0};
    struct three_pairs_result pairs = {0};
    struct three_nested_result nested = {0};
    struct three_again_result again = {0};
    struct pool_texts_result texts = {0};
    struct alone_run_result alone = {0};
    for (int i = 0; i < JOBS; i++)
        jobs[i] = i;
    say(pool_inside(&cast));
    printf("inside: %ld, %d given back\n", sum, given_back);
    say(pool_around(&around, &cast));
    printf("around: %d attempts, %s\n", attempts, around.Queue == 1 ? "rescued" : "not rescued");
    pool_none(&cast);
    printf("none: %s, %s\n", chx_last_report()->why, chx_last_report()->role);
    say(three_late(&late, &three));
    printf("deadline: %d\n", late.Boss);
    say(three_pairs(&pairs, &three));
    printf("pairs: %d\n", pairs.Boss);
    say(three_nested(&nested, &three));
    printf("nested: %d\n", nested.Boss);
    say(three_again(&again, &three));
    printf("again: %d\n", again.Boss);
    say(pool_texts(&texts, &cast));
    printf("texts: %s\n", chx_cstr(texts.Queue));
    pool_texts_result_drop(&texts);
    // Who is in one arm only may have a process, too.
    say(alone_run(&alone, &(struct alone_cast){.Helper.count = 1}));
    printf("alone: %d\n", alone.Boss);
    return 0;
}
