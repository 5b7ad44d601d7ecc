// clock.c: the clocks of several hosts, corrected by the messages between them.
//
// Each file's times count from when its program began. A message that file a has sent and file b has received says that
// shift[b] - shift[a] >= sent - received; one in the other direction bounds the difference from above. The middle between the two
// bounds is taken, as NTP does, which is exact if messages take equally long in both directions. Where messages go in
// one direction only, the time of day at which the programs began decides, as far as the bound allows it. What a constant
// can't correct, since a clock is faster than another, order.c does.

#include "tools/trace/recording.h"

#include <stdlib.h>

enum { FILES_MAX = 4096 };

typedef struct {
    size_t count;
    int64_t *least; // least[a * count + b]: of received - sent, for messages from a to b; INT64_MAX: there are none
    int64_t *shift;
    bool *is_known;
} Clocks;

static uint32_t *files_of_events(const Recording *recording)
{
    uint32_t *files = calloc(recording->events.count + 1, sizeof *files);
    size_t at = 0;
    for (uint32_t i = 0; files != NULL && i < recording->files.count; i++)
        for (size_t k = 0; k < recording->files.items[i].events; k++)
            files[at++] = i;
    return files;
}

static void measure(const Recording *recording, Clocks *clocks, const uint32_t *files)
{
    for (size_t i = 0; i < clocks->count * clocks->count; i++)
        clocks->least[i] = INT64_MAX;
    for (size_t i = 0; i < recording->events.count; i++) {
        const Record *in = &recording->events.items[i];
        if (!record_is_in(in) || in->link == 0)
            continue;
        uint32_t from = files[in->link - 1], to = files[i];
        int64_t delay = (int64_t)in->time_ns - (int64_t)recording->events.items[in->link - 1].time_ns;
        int64_t *least = &clocks->least[from * clocks->count + to];
        *least = delay < *least ? delay : *least;
    }
}

// What is to be added to b's times, if a's are right.
static int64_t difference(const Recording *recording, const Clocks *clocks, size_t a, size_t b)
{
    int64_t there = clocks->least[a * clocks->count + b], back = clocks->least[b * clocks->count + a];
    const TraceFile *one = &recording->files.items[a], *other = &recording->files.items[b];
    int64_t guess = one->clock_ns != 0 && other->clock_ns != 0 ? (int64_t)(other->clock_ns - one->clock_ns) : 0;
    if (there != INT64_MAX && back != INT64_MAX)
        return (back - there) / 2;
    if (there != INT64_MAX)
        return guess > -there ? guess : -there + 1;
    if (back != INT64_MAX)
        return guess < back ? guess : back - 1;
    return guess;
}

// From file to file along the messages; those that have none are placed by the time of day.
static void spread(const Recording *recording, Clocks *clocks)
{
    for (size_t known = 0; known < clocks->count; known++) {
        size_t from = clocks->count, to = clocks->count;
        for (size_t a = 0; a < clocks->count && to == clocks->count; a++)
            for (size_t b = 0; clocks->is_known[a] && b < clocks->count; b++) {
                bool is_bound = clocks->least[a * clocks->count + b] != INT64_MAX ||
                                clocks->least[b * clocks->count + a] != INT64_MAX;
                if (!clocks->is_known[b] && is_bound) {
                    from = a;
                    to = b;
                    break;
                }
            }
        for (size_t b = 0; b < clocks->count && to == clocks->count; b++)
            if (!clocks->is_known[b]) {
                from = 0;
                to = b;
            }
        if (to == clocks->count)
            return;
        clocks->is_known[to] = true;
        clocks->shift[to] = to == 0 ? 0 : clocks->shift[from] + difference(recording, clocks, from, to);
    }
}

// A file that is bound to several others may still be too early for one of them.
static void repair(Clocks *clocks)
{
    for (size_t round = 0; round < clocks->count; round++)
        for (size_t a = 0; a < clocks->count; a++)
            for (size_t b = 0; b < clocks->count; b++) {
                int64_t least = clocks->least[a * clocks->count + b];
                if (a != b && least != INT64_MAX && clocks->shift[b] < clocks->shift[a] - least)
                    clocks->shift[b] = clocks->shift[a] - least + 1;
            }
}

static void apply(Recording *recording, Clocks *clocks, const uint32_t *files)
{
    int64_t earliest = 0;
    for (size_t i = 0; i < clocks->count; i++)
        earliest = clocks->shift[i] < earliest ? clocks->shift[i] : earliest;
    for (size_t i = 0; i < clocks->count; i++)
        recording->files.items[i].shift_ns = clocks->shift[i] -= earliest;
    for (size_t i = 0; i < recording->events.count; i++)
        recording->events.items[i].time_ns += (uint64_t)clocks->shift[files[i]];
}

void clocks_correct(Recording *recording)
{
    size_t count = recording->files.count;
    if (count < 2 || count > FILES_MAX)
        return;
    uint32_t *files = files_of_events(recording);
    Clocks clocks = {.count = count};
    clocks.least = calloc(count * count, sizeof *clocks.least);
    clocks.shift = calloc(count, sizeof *clocks.shift);
    clocks.is_known = calloc(count, sizeof *clocks.is_known);
    if (files != NULL && clocks.least != NULL && clocks.shift != NULL && clocks.is_known != NULL) {
        measure(recording, &clocks, files);
        spread(recording, &clocks);
        repair(&clocks);
        apply(recording, &clocks, files);
    }
    free(files);
    free(clocks.least);
    free(clocks.shift);
    free(clocks.is_known);
}
