// Choices and loops about members of a family: only those are told whom it concerns.
// expect: 628 27
// expect: 2110 2109 2109
// expect: 1 2 2 2 2
// expect: -1 2 3 3 3
// expect: -99 1 3 3 3
// expect: 1027
// expect: 6033 1004 1004 1004
// expect: 2 2
#include <chorex.h>
#include <stdio.h>

choreography(choices, (Queue, Worker[], Log),
    bool Worker.more(int n);
    def loops(Worker[*].int n) -> Queue.long, Log.int {
        Queue.long sum = 0;
        Log.int count = 0;
        for (w : Worker) {
            while (w.more(n)) {
                w.n ~> Queue.x;
                w.n--;
                Queue.sum = sum * 3 + x;
                if (Queue.(x % 2 == 0)) {
                    continue;
                }
                Queue.x ~> Log.y;
                Log.count += y;
            }
            switch (w.n) {
            case 0:
                w.(n + 7) ~> Log.z;
                Log.count += z;
                break;
            case -1:
                Queue.sum ~> w.t;
                w.(n = (int)t);
                break;
            default:
                break;
            }
        }
        return Queue.sum, Log.count;
    }
    // Others of the family act in the branches: they are told.
    def others(Worker[*].int n) -> Worker[*].int {
        Worker[*].int got = 0;
        for (w : Worker) {
            if (w.(n > 1)) {
                w.n ~> Worker[*].v;
                Worker[*].got += v;
            } else {
                w.n ~> Worker[0].u;
                Worker[0].got += u;
            }
            switch (w.n) {
            case 2:
                Worker[*].got += 100;
                break;
            default:
                Worker[*].got += 1000;
                break;
            }
            int_loop(Queue.(3));
            do {
                w.n++;
                Worker[*].got += 1;
            } while (w.(n < 3));
        }
        return Worker[*].got;
    }
    def int_loop(Queue.int n) {
        Queue.n ~> Worker[*].k;
        while (Queue.(n > 0)) {
            Queue.n--;
            Worker[*].k -= 1;
        }
        Worker[*].check(k == 0);
    }
    void Worker.check(bool good);
    // Leaving a loop over members.
    def find(Worker[*].int n, Queue.int wanted) -> Queue.int, Log.int, Worker[*].int {
        Queue.int found = -1;
        Worker[*].int seen = 0;
        for (w : Worker) {
            Worker[*].seen++;
            w.n ~> Queue.x;
            if (Queue.(x == wanted)) {
                Queue.found = (int)w;
                break;
            }
            if (Queue.(x == 99)) {
                return Queue.(-99), Log.(1), Worker[*].seen;
            }
        }
        return Queue.found, Log.(2), Worker[*].seen;
    }
    // Two members at once.
    def pairs(Worker[*].int n) -> Queue.int {
        Queue.int sum = 0;
        for (v : Worker) {
            for (w : Worker) {
                if (v.(n > 1)) {
                    v.n ~> w.m;
                    w.(m + n) ~> Queue.s;
                    Queue.sum += s;
                } else {
                    if ({v, w}.(v == w)) {
                        w.(n * 1000) ~> Queue.s;
                        Queue.sum += s;
                    }
                }
            }
        }
        return Queue.sum;
    }
    // Rounds, and a member that fails in one of them.
    def rounds(Queue.int n) -> Queue.long, Worker[*].int {
        Queue.long sum = 0;
        Worker[*].int own = 0;
        checkpoint while (Queue.(n > 0)) {
            Queue.n--;
            for (w : Worker) {
                Queue.n ~> w.x;
                w.own += x;
                w.check(x != 2 || w != 1);
                w.own ~> Queue.o;
                Queue.sum += o;
            }
        } rescue {
            Queue.n--;
            Worker[*].own += 1000;
        }
        return Queue.sum, Worker[*].own;
    }
    // An `if` about one member by its index.
    def chosen(Worker[*].int n) -> Queue.int, Log.int {
        Queue.int r = 0;
        if (Worker[Worker_count - 1].(n == 3)) {
            Worker[0].n ~> Queue.r;
            Queue.r ~> Log.l;
            return Queue.r, Log.l;
        }
        return Queue.(-1), Log.(-2);
    }
)

#include "choices.Log.chor.h"
#include "choices.Queue.chor.h"
#include "choices.Worker.chor.h"

static bool Worker_more(int n)
{
    return n > 0;
}

static void Worker_check(bool good)
{
    if (!good)
        chx_fail("not good");
}

int main(void)
{
    struct choices_cast cast = {.Worker = {.count = 3}};
    int n[] = {2, 1, 3}, m[] = {2, -1, 99};
    struct choices_loops_result loops;
    struct choices_others_result others;
    struct choices_find_result find;
    struct choices_pairs_result pairs;
    struct choices_rounds_result rounds;
    struct choices_chosen_result chosen;
    if (choices_loops(&loops, &cast, n) != CHX_OK)
        return 1;
    printf("%ld %d\n", loops.Queue, loops.Log);
    if (choices_others(&others, &cast, n) != CHX_OK)
        return 2;
    printf("%d %d %d\n", others.Worker.item[0], others.Worker.item[1], others.Worker.item[2]);
    choices_others_result_drop(&others);
    for (int k = 0; k < 3; k++) {
        if (choices_find(&find, &cast, k == 2 ? m : n, k == 0 ? 1 : 5) != CHX_OK)
            return 3;
        printf("%d %d %d %d %d\n", find.Queue, find.Log, find.Worker.item[0], find.Worker.item[1], find.Worker.item[2]);
        choices_find_result_drop(&find);
    }
    if (choices_pairs(&pairs, &cast, n) != CHX_OK)
        return 4;
    printf("%d\n", pairs.Queue);
    if (choices_rounds(&rounds, &cast, 4) != CHX_OK)
        return 5;
    printf("%ld %d %d %d\n", rounds.Queue, rounds.Worker.item[0], rounds.Worker.item[1], rounds.Worker.item[2]);
    choices_rounds_result_drop(&rounds);
    if (choices_chosen(&chosen, &cast, n) != CHX_OK)
        return 6;
    printf("%d %d\n", chosen.Queue, chosen.Log);
    return 0;
}
