#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

//[codec]
struct list {
    int value;
    struct list *next;
};
typedef struct {
    struct list *first;
} numbers;

static void numbers_encode(chx_writer *writer, const void *value)
{
    const numbers *all = value;
    uint64_t count = 0;
    for (const struct list *item = all->first; item != NULL; item = item->next)
        count++;
    chx_write_u64(writer, count);
    for (const struct list *item = all->first; item != NULL; item = item->next)
        chx_write_u64(writer, (uint64_t)item->value);
}

static void numbers_drop(void *value)
{
    numbers *all = value;
    while (all->first != NULL) {
        struct list *item = all->first;
        all->first = item->next;
        free(item);
    }
}

static bool numbers_decode(chx_reader *reader, void *value)
{
    numbers *all = value;
    struct list **end = &all->first;
    uint64_t count, number;
    *end = NULL;
    if (!chx_read_u64(reader, &count))
        return false;
    for (; count > 0; count--) {
        struct list *item = chx_read_u64(reader, &number) ? malloc(sizeof *item) : NULL;
        if (item == NULL) {
            numbers_drop(all);
            return false;
        }
        *item = (struct list){(int)number, NULL};
        *end = item;
        end = &item->next;
    }
    return true;
}

CHX_CODEC(numbers, numbers_encode, numbers_decode, numbers_drop);
//[/codec]

//[types]
typedef enum { PAPERBACK, HARDCOVER } binding;
typedef struct {
    const char *title;
    binding bound;
    double prices[2];
} book;
//[/types]

choreography(values, (Alice, Bob),
    book    Alice.choose(void);
    numbers Alice.count_up(int n);

    def run() -> Bob.chx_str {
        Alice.choose() ~> Bob.b;
        Alice.count_up(4) ~> Bob.n;
        return Bob.(chx_strf("%s for %.2f, number %d", b.title, b.prices[b.bound], n.first->next->value));
    }
)

#include "values.Alice.chor.h"
#include "values.Bob.chor.h"

book Alice_choose(void)
{
    return (book){"Siddhartha", HARDCOVER, {8.5, 17.25}};
}

numbers Alice_count_up(int n)
{
    numbers all = {NULL};
    for (; n > 0; n--) {
        struct list *item = malloc(sizeof *item);
        if (item == NULL)
            chx_fail("no memory");
        *item = (struct list){n, all.first};
        all.first = item;
    }
    return all;
}

int main(void)
{
    struct values_run_result result;
    if (values_run(&result, NULL) != CHX_OK)
        return 1;
    puts(chx_cstr(result.Bob));
    values_run_result_drop(&result);
    return 0;
}
