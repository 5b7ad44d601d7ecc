// A list of single roles can be given where a definition wants a family: each of them is a member of it there.
// expect: 10 21, 2 roles: 31 at Left 130 at Right 121
// expect: ring 3 1 2, second 2
// expect: committed 1, then 0
// expect: sum 66
// expect: alone 5
#include <chorex.h>
#include <chorex/lib/commit.h>
#include <chorex/lib/gather.h>
#include <stdio.h>

choreography(lists, (Left, Queue, Right, Top),
    use commit, gather;
    int Left.weight(int x);
    int Right.weight(int x);

    def collect[W[], Boss](W[*].int x) -> Boss.{int, int, int}, W[*].int {
        Boss.int r[W];
        W[*].int y = weight(x);                     // each on its own
        for (w : W) {
            w.(y + (int)w) ~> Boss.r[w];
        }
        Boss.int sum = 0;
        for (w : W) {
            Boss.sum += r[w];
        }
        Boss.(sum + 99) ~> {Boss, W[*]}.total;      // all of them agree on it
        W[*].int mine = 0;
        if ({Boss, W[*]}.(total > 100)) {
            W[*].mine = total;
        } else {
            W[*].mine = -1;
        }
        return Boss.{r[0], r[1], sum}, W[*].(mine + (y == 10 ? 0 : -9));
    }

    def run(Left.int x, Right.int x) -> Queue.{int, int, int}, Left.int, Right.int {
        Queue.{a, b, c}, {Left, Right}.got = collect2[{Left, Right}, Queue]({Left, Right}.x);
        return Queue.{a, b, c}, Left.got, Right.got;
    }

    // A list is passed on as a family is.
    def collect2[V[], B](V[*].int x) -> B.{int, int, int}, V[*].int {
        B.{a, b, c}, V[*].got = collect[V, B](V[*].x);
        return B.{a, b, c}, V[*].got;
    }

    def ring[N[]](N[*].int x) -> N[*].int {
        N[*].int y = 0;
        for (n : N) {
            n.x ~> N[(n + 1) % N_count].y;
        }
        return N[*].y;
    }

    def second[N[], To](N[*].int x) -> To.int {
        N[1].x ~> To.y;
        return To.y;
    }

    def shift(Left.int x, Right.int x, Top.int x) -> Left.int, Right.int, Top.int, Queue.int {
        Left.y, Right.y, Top.y = ring[{Left, Right, Top}]({Left, Right, Top}.x);
        Queue.z = second[{Left, Right, Top}, Queue]({Left, Right, Top}.x);
        return Left.y, Right.y, Top.y, Queue.z;
    }

    // A delivery from a role to itself is an assignment.
    def alone(Left.int x) -> Left.int {
        return ring[{Left}](Left.x);
    }

    def transfer(Left.bool fine) -> Queue.bool {
        Left.set(fine);
        return commit.run[Queue, {Left, Right}]();
    }

    def total(Left.long x, Top.long x) -> Queue.long {
        Queue.long r[2] = gather.all[{Left, Top}, Queue]({Left, Top}.x);
        return Queue.(r[0] + r[1]);
    }
)

#include "lists.Left.chor.h"
#include "lists.Queue.chor.h"
#include "lists.Right.chor.h"
#include "lists.Top.chor.h"

static bool left_is_fine;

int Left_weight(int x) { return x * 10; }
int Right_weight(int x) { return x * 10; }
void Left_set(bool fine) { left_is_fine = fine; }
bool Left_prepare(void) { return left_is_fine; }
void Left_perform(void) { }
void Left_cancel(void) { }
bool Right_commit_prepare(void) { return true; }
void Right_commit_perform(void) { }
void Right_commit_cancel(void) { }

int main(void)
{
    struct lists_run_result r;
    if (lists_run(&r, NULL, 1, 2) != CHX_OK)
        return 1;
    printf("%d %d, 2 roles: %d at Left %d at Right %d\n", r.Queue.v0, r.Queue.v1, r.Queue.v2, r.Left, r.Right);
    struct lists_shift_result s;
    if (lists_shift(&s, NULL, 1, 2, 3) != CHX_OK)
        return 1;
    printf("ring %d %d %d, second %d\n", s.Left, s.Right, s.Top, s.Queue);
    struct lists_transfer_result t, u;
    if (lists_transfer(&t, NULL, true) != CHX_OK || lists_transfer(&u, NULL, false) != CHX_OK)
        return 1;
    printf("committed %d, then %d\n", t.Queue, u.Queue);
    struct lists_total_result v;
    if (lists_total(&v, NULL, 22, 44) != CHX_OK)
        return 1;
    printf("sum %ld\n", v.Queue);
    struct lists_alone_result w;
    if (lists_alone(&w, NULL, 5) != CHX_OK)
        return 1;
    printf("alone %d\n", w.Left);
    return 0;
}
