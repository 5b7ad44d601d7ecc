// Quicksort with any number of workers: all choose pivots together, each keeps what lies between two of them and sends the rest where it belongs.
// expect: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS_MAX = 64 };

typedef struct {
    size_t count;
    int number[NUMBERS_MAX];
} list;

choreography(quicksort, (Boss, Worker[]),
    list Boss.piece(list all, size_t index, size_t count);
    int Worker.guess(list l);
    list Worker.between(list l, const int *pivots, size_t index, size_t count);
    list Worker.joined(list one, list other);
    list Worker.sorted(list l);

    def run(Boss.list all) -> Boss.list {
        Worker[*].list mine = {.count = 0};
        for (w : Worker) {
            Boss.piece(all, w, Worker_count) ~> w.mine;
        }
        // Everybody proposes a pivot: what lies behind the i-th of them, in order, belongs to Worker[i].
        Worker[*].int pivots[Worker];
        for (w : Worker) {
            w.guess(mine) ~> Worker[*].pivots[w];
        }
        // From everybody to everybody.
        Worker[*].list kept = {.count = 0};
        for (from : Worker) {
            for (to : Worker) {
                from.between(mine, pivots, to, Worker_count) ~> to.part;
                to.kept = joined(kept, part);
            }
        }
        Worker[*].kept = sorted(kept);
        Boss.list result = {.count = 0};
        for (w : Worker) {
            w.kept ~> Boss.part;
            Boss.result = joined(result, part);
        }
        return Boss.result;
    }

    list Boss.joined(list one, list other);
)

#include "quicksort.Boss.chor.h"
#include "quicksort.Worker.chor.h"

static list Boss_piece(list all, size_t index, size_t count)
{
    list piece = {.count = 0};
    for (size_t i = index; i < all.count; i += count)
        piece.number[piece.count++] = all.number[i];
    return piece;
}

static int Worker_guess(list l)
{
    return l.count > 0 ? l.number[l.count / 2] : 0;
}

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

// The first one has what is smaller than all pivots, too.
static list Worker_between(list l, const int *pivots, size_t index, size_t count)
{
    list part = {.count = 0};
    int from = 0, to = 0;
    for (size_t i = 0; i < count; i++) {
        size_t place = 0; // of this pivot, if they were sorted
        for (size_t k = 0; k < count; k++)
            place += pivots[k] < pivots[i] || (pivots[k] == pivots[i] && k < i);
        if (place == index)
            from = pivots[i];
        if (place == index + 1)
            to = pivots[i];
    }
    for (size_t i = 0; i < l.count; i++)
        if ((index == 0 || l.number[i] >= from) && (index + 1 == count || l.number[i] < to))
            part.number[part.count++] = l.number[i];
    return part;
}

static list Worker_joined(list one, list other)
{
    for (size_t i = 0; i < other.count; i++)
        one.number[one.count++] = other.number[i];
    return one;
}

static list Boss_joined(list one, list other)
{
    return Worker_joined(one, other);
}

static list Worker_sorted(list l)
{
    qsort(l.number, l.count, sizeof *l.number, compare);
    return l;
}

int main(int argc, char **argv)
{
    struct quicksort_cast cast = {.Worker = {.count = argc > 1 ? (size_t)atoi(argv[1]) : 4}};
    struct quicksort_run_result result;
    list all = {.count = 30};
    for (size_t i = 0; i < all.count; i++)
        all.number[i] = (int)((i + 1) * 17 % 31);
    if (quicksort_run(&result, &cast, all) != CHX_OK) {
        fprintf(stderr, "%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    for (size_t i = 0; i < result.Boss.count; i++)
        printf("%s%d", i == 0 ? "" : " ", result.Boss.number[i]);
    printf("\n");
    return 0;
}
