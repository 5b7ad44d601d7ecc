// numbers.c: see numbers.h.

#include "net/node/numbers.h"

#include <stdlib.h>

void numbers_add(Range **ranges, uint64_t number)
{
    Range **link = ranges;
    while (*link != NULL && (*link)->last + 1 < number)
        link = &(*link)->next;
    Range *range = *link;
    if (range != NULL && range->first <= number + 1) {
        range->first = number < range->first ? number : range->first;
        range->last = number > range->last ? number : range->last;
    } else {
        Range *made = malloc(sizeof *made);
        if (made == NULL)
            return;
        *made = (Range){range, number, number};
        *link = made;
        return;
    }
    // The gap to the next one may be closed now.
    Range *next = range->next;
    if (next != NULL && range->last + 1 >= next->first) {
        range->last = next->last;
        range->next = next->next;
        free(next);
    }
}

bool numbers_have(const Range *ranges, uint64_t number)
{
    while (ranges != NULL && ranges->last < number)
        ranges = ranges->next;
    return ranges != NULL && ranges->first <= number;
}

uint64_t numbers_last(const Range *ranges)
{
    while (ranges != NULL && ranges->next != NULL)
        ranges = ranges->next;
    return ranges != NULL ? ranges->last : 0;
}

void numbers_free(Range *ranges)
{
    for (Range *next; ranges != NULL; ranges = next) {
        next = ranges->next;
        free(ranges);
    }
}
