// Members that do the same in all branches of a choice are not told of it: one message each, in every branch.
#include <chorex.h>

#include <stdio.h>

choreography(unaware, (Boss, Worker[], Clerk),
    void Worker.take(int x);
    int Boss.price(int i);
    bool Boss.is_odd(size_t i);

    // A single member.
    def one() -> Boss.int {
        Boss.int sum = 0;
        for (w : Worker) {
            w.int x = 0;
            if (Boss.is_odd(w)) {
                Boss.price(1) ~> w.x;
            } else {
                Boss.price((int)w) ~> w.x;
            }
            w.take(x);
            w.x ~> Boss.y;
            Boss.sum += y;
        }
        return Boss.sum;
    }

    // All of them, one after the other, and the one with an index.
    def all(Boss.bool c) -> Boss.int {
        Boss.int sum = 0;
        Worker[*].int x = 0;
        if (Boss.c) {
            for (w : Worker) {
                Boss.(2 * (int)w) ~> w.x;
                w.(x + 1) ~> Boss.y;
                Boss.sum += y;
            }
            Worker[1].x ~> Worker[0].x;
            Boss.(100) ~> Worker[*]._;
        } else {
            for (v : Worker) {
                Boss.(3 * (int)v) ~> v.x;
                v.(x + 1) ~> Boss.y;
                Boss.sum -= y;
            }
            Worker[1].x ~> Worker[0].x;
            Boss.(200) ~> Worker[*]._;
        }
        Worker[*].take(x);
        return Boss.sum;
    }

    // In functions that they are given to.
    def ask[Who, Whom](Who.int x) -> Who.int {
        Who.x ~> Whom.x;
        Whom.(x * (int)Whom) ~> Who.y;
        return Who.y;
    }
    def calls(Boss.bool c) -> Boss.int {
        Boss.int sum = 0;
        for (w : Worker) {
            if (Boss.c) {
                Boss.one = ask[Boss, w](Boss.(5));
                Boss.sum += one;
            } else {
                Boss.one = ask[Boss, w](Boss.(7));
                Boss.sum += one * 100;
            }
        }
        return Boss.sum;
    }

    // Here they differ: some of the members act in one branch only, or with somebody else.
    def differ(Boss.bool c) -> Clerk.int {
        Clerk.int sum = 0;
        for (w : Worker) {
            Clerk.int y = 0;
            if (Boss.c) {
                w.(1 + (int)w) ~> Clerk.y;
            } else {
                Worker[0].(50) ~> Clerk.y;
            }
            Clerk.sum += y;
        }
        return Clerk.sum;
    }
)

#include "unaware.Boss.chor.h"
#include "unaware.Clerk.chor.h"
#include "unaware.Worker.chor.h"

static int Boss_price(int i)
{
    return 10 + i;
}

static bool Boss_is_odd(size_t i)
{
    return i % 2 == 1;
}

static void Worker_take(int x)
{
    (void)x;
}

int main(void)
{
    struct unaware_cast cast = {.Worker = {.count = 4}};
    struct unaware_one_result one;
    struct unaware_all_result all;
    struct unaware_calls_result calls;
    struct unaware_differ_result differ;
    if (unaware_one(&one, &cast) != CHX_OK)
        return 1;
    printf("one %d\n", one.Boss); // expect: one 44
    for (int c = 0; c < 2; c++) {
        if (unaware_all(&all, &cast, c == 1) != CHX_OK || unaware_calls(&calls, &cast, c == 1) != CHX_OK ||
            unaware_differ(&differ, &cast, c == 1) != CHX_OK)
            return 1;
        printf("%d: %d %d %d\n", c, all.Boss, calls.Boss, differ.Clerk);
        // expect: 0: -22 4200 200
        // expect: 1: 16 30 10
    }
    return 0;
}
