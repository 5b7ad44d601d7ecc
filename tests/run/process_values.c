// Values of every kind as arguments and results of an isolated role, and as messages to it and back.
// expect: -5 4000000000 1 2.5 -0.125 c
// expect: text / NULL / counted / 0 1 255
// expect: 7 -3 1 2 3 / 9 8 / 60 in 3
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t count;
    int *items;
} list;

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

static void list_drop(void *value)
{
    free(((list *)value)->items);
}

CHX_CODEC(list, list_encode, list_decode, list_drop);

typedef struct {
    unsigned small : 4;
    signed int other : 5;
    int three[3];
} packed;
typedef struct {
    int pair[2];
    chx_str text;
} mixed;
enum colour { RED, GREEN = 4000000 };

choreography(values, (Here, There),
    def numbers(There.long a, There.unsigned b, There.bool c, There.long double d, There.float e, There.char f)
        -> There.{long, unsigned, bool, long double, float, char} {
        There.{a, b, c, d, e, f} ~> Here.{long a, unsigned b, bool c, long double d, float e, char f};
        Here.{a, b, c, d, e, f} ~> There.{a, b, c, d, e, f};
        return There.{a, b, c, d, e, f};
    }
    def texts(There.const char *a, There.const char *b, There.chx_str c, There.chx_bytes d)
        -> There.{const char *, const char *, chx_str, chx_bytes} {
        There.{a, b, c, d} ~> Here.{const char *a, const char *b, chx_str c, chx_bytes d};
        Here.{a, b, c, d} ~> There.{a, b, c, d};
        return There.{a, b, c, d};
    }
    def structs(There.packed p, There.mixed m, There.list l) -> There.{packed, mixed, list, enum colour} {
        There.{p, m, l, GREEN} ~> Here.{packed p, mixed m, list l, enum colour c};
        Here.{p, m, l, c} ~> There.{p, m, l, enum colour c};
        return There.{p, m, l, c};
    }
)

#include "values.Here.chor.h"
#include "values.There.chor.h"

int main(void)
{
    struct values_cast cast = {.There = {.isolation = CHX_PROCESS}};
    struct values_numbers_result n;
    if (values_numbers(&n, &cast, -5, 4000000000u, true, 2.5L, -0.125f, 'c') != CHX_OK)
        return 1;
    printf("%ld %u %d %.1Lf %.3f %c\n", n.There.v0, n.There.v1, n.There.v2, n.There.v3, (double)n.There.v4, n.There.v5);

    struct values_texts_result t;
    chx_str counted = chx_strf("%s", "counted");
    chx_bytes bytes = chx_bytes_new("\0\1\377", 3);
    if (values_texts(&t, &cast, "text", NULL, counted, bytes) != CHX_OK)
        return 1;
    const unsigned char *data = chx_bytes_data(t.There.v3);
    printf("%s / %s / %s / %d %d %d\n", t.There.v0, t.There.v1 == NULL ? "NULL" : t.There.v1, chx_cstr(t.There.v2),
           data[0], data[1], data[2]);
    values_texts_result_drop(&t);

    struct values_structs_result s;
    int items[] = {10, 20, 30};
    mixed m = {{9, 8}, counted};
    packed p = {7, -3, {1, 2, 3}};
    if (values_structs(&s, &cast, p, m, (list){3, items}) != CHX_OK || s.There.v3 != GREEN)
        return 1;
    int sum = 0;
    for (size_t i = 0; i < s.There.v2.count; i++)
        sum += s.There.v2.items[i];
    printf("%u %d %d %d %d / %d %d / %d in %zu\n", s.There.v0.small, s.There.v0.other, s.There.v0.three[0],
           s.There.v0.three[1], s.There.v0.three[2], s.There.v1.pair[0], s.There.v1.pair[1], sum, s.There.v2.count);
    values_structs_result_drop(&s);
    chx_str_drop(counted);
    chx_bytes_drop(bytes);
    return 0;
}
