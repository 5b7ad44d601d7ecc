// A choreography with a family is used for one family, for another, and by a definition for its own.
//! no-process
// expect: 0 10 20 | 60 | 3
// expect: 5 5
#include <chorex.h>
#include <stdio.h>

choreography(collect, (From[], To),
    int From.factor(void);

    def all(From[*].int x) -> To.int r[From] {
        To.int r[From];
        for (f : From) {
            checkpoint {
                f.(x * factor()) ~> To.r[f];
            } rescue {
                To.r[f] = -1;
            }
        }
        return To.r;
    }

    def count() -> To.int {
        return To.((int)From_count);
    }

    def spread(To.int x) -> From[*].int {
        To.x ~> From[*].x;
        return From[*].x;
    }
)

static inline int total(const int *x, size_t count)
{
    int sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i];
    return sum;
}

choreography(farm, (Boss, Worker[], Clerk[]),
    use collect;

    def run(Worker[*].int x, Clerk[*].int y) -> Boss.int r[Worker] {
        Boss.int r[Worker] = collect.all[Worker, Boss](Worker[*].x);
        Boss.int s[Clerk] = collect.all[Clerk, Boss](Clerk[*].y);
        Boss.int n = collect.count[Worker, Boss]();
        Boss.note(total(s, Clerk_count), n);
        return Boss.r;
    }

    def to_all(Boss.int x) -> Worker[*].int {
        return through[Worker](Boss.x);
    }

    def through[W[]](Boss.int x) -> W[*].int {
        return collect.spread[W, Boss](Boss.x);
    }
)

#include "farm.Boss.chor.h"
#include "farm.Clerk.chor.h"
#include "farm.Worker.chor.h"

static int sum, count;

void Boss_note(int s, int n)
{
    sum = s;
    count = n;
}

int Worker_factor(void) { return 10; }
int Clerk_collect_factor(void) { return 20; }

int main(void)
{
    struct farm_cast cast = {.Worker = {.count = 3}, .Clerk = {.count = 2}};
    int x[] = {0, 1, 2}, y[] = {1, 2};
    struct farm_run_result r;
    if (farm_run(&r, &cast, x, y) != CHX_OK)
        return 1;
    for (size_t i = 0; i < r.Boss.count; i++)
        printf("%d ", r.Boss.item[i]);
    printf("| %d | %d\n", sum, count);
    farm_run_result_drop(&r);
    struct farm_to_all_result t;
    cast.Worker.count = 2;
    if (farm_to_all(&t, &cast, 5) != CHX_OK)
        return 1;
    printf("%d %d\n", t.Worker.item[0], t.Worker.item[1]);
    farm_to_all_result_drop(&t);
    return 0;
}
