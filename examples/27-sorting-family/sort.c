// Mergesort with any number of workers: each sorts a piece, and pairs of them merge what they have, step by step.
// expect: Worker[0] sorts 5 numbers
// expect: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 64 };

typedef struct {
    size_t count;
    int number[NUMBERS_MAX];
} list;

choreography(sort, (Boss, Worker[]),
    list Boss.piece(const list *all, size_t index, size_t count);
    list Worker.sorted(list l);
    list Worker.merged(list one, list other);

    def run(Boss.list all) -> Boss.list {
        Worker[*].list mine = {.count = 0};
        for (w : Worker) {
            Boss.piece(&all, w, Worker_count) ~> w.mine;
        }
        Worker[*].mine = sorted(mine);
        // Everybody knows the step and who w is: nobody is told anything.
        {Boss, Worker[*]}.size_t step = 1;
        while ({Boss, Worker[*]}.(step < Worker_count)) {
            for (w : Worker) {
                if ({Boss, Worker[*]}.(w % (2 * step) == 0 && w + step < Worker_count)) {
                    Worker[w + step].mine ~> w.other;
                    w.mine = merged(mine, other);
                }
            }
            {Boss, Worker[*]}.step = 2 * step;
        }
        Worker[0].mine ~> Boss.result;
        return Boss.result;
    }
)

#include "sort.Boss.chor.h"
#include "sort.Worker.chor.h"

static list Boss_piece(const list *all, size_t index, size_t count)
{
    size_t from = all->count * index / count, to = all->count * (index + 1) / count;
    list piece = {.count = to - from};
    memcpy(piece.number, all->number + from, piece.count * sizeof *piece.number);
    return piece;
}

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static list Worker_sorted(list l)
{
    if (chx_role_index() == 0)
        printf("Worker[0] sorts %zu numbers\n", l.count);
    qsort(l.number, l.count, sizeof *l.number, compare);
    return l;
}

static list Worker_merged(list one, list other)
{
    list both = {.count = 0};
    size_t i = 0, k = 0;
    while (i < one.count || k < other.count) {
        int is_first = k == other.count || (i < one.count && one.number[i] <= other.number[k]);
        both.number[both.count++] = is_first ? one.number[i++] : other.number[k++];
    }
    return both;
}

int main(int argc, char **argv)
{
    struct sort_cast cast = {.Worker = {.count = argc > 1 ? (size_t)atoi(argv[1]) : 6}};
    struct sort_run_result result;
    list all = {.count = 30};
    for (size_t i = 0; i < all.count; i++)
        all.number[i] = (int)((i * 7 + 3) % 30) + 1;
    if (sort_run(&result, &cast, all) != CHX_OK)
        return 1;
    for (size_t i = 0; i < result.Boss.count; i++)
        printf("%d%s", result.Boss.number[i], i + 1 < result.Boss.count ? " " : "\n");
    return 0;
}
