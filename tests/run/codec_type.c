// A type with a codec of the user's own is sendable: a list that owns its memory.
// expect: 60 in 3
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { size_t count; int *items; } list;

static void list_encode(chx_writer *writer, const void *value)
{
    const list *l = value;
    chx_write_u64(writer, l->count);
    chx_write(writer, l->items, l->count * sizeof *l->items);
}

static bool list_decode(chx_reader *reader, void *value)
{
    list *l = value;
    uint64_t count;
    if (!chx_read_u64(reader, &count) || count > 1000)
        return false;
    l->count = count;
    l->items = malloc(count * sizeof *l->items + 1);
    if (!chx_read(reader, l->items, count * sizeof *l->items)) {
        free(l->items);
        return false;
    }
    return true;
}

static void list_drop(void *value) { free(((list *)value)->items); }

CHX_CODEC(list, list_encode, list_decode, list_drop);

static list list_make(int count)
{
    list l = {(size_t)count, malloc((size_t)count * sizeof(int))};
    for (int i = 0; i < count; i++)
        l.items[i] = (i + 1) * 10;
    return l;
}

static int list_sum(list l)
{
    int sum = 0;
    for (size_t i = 0; i < l.count; i++)
        sum += l.items[i];
    return sum;
}

choreography(coded, (Alice, Bob, Carol),
    def run(Alice.int count) -> Carol.{int, int} {
        Alice.(list_make(count)) ~> Bob.l;
        Bob.copy = l;
        Bob.copy ~> Carol.l;
        Bob.l ~> Carol.l;
        return Carol.{list_sum(l), (int)l.count};
    }
)

#include "coded.Alice.chor.h"
#include "coded.Bob.chor.h"
#include "coded.Carol.chor.h"

int main(void)
{
    struct coded_run_result r;
    if (coded_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("%d in %d\n", r.Carol.v0, r.Carol.v1);
    return 0;
}
