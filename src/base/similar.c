// similar.c: the distance of two names, in the mistakes that people make when they type.

#include "base/similar.h"

#include <string.h>

enum { LENGTH_MAX = 64 };

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

// How many letters must be inserted, deleted or replaced, or exchanged with their neighbours, to make one name of the
// other.
static size_t distance(const char *one, const char *other)
{
    size_t length = strlen(other);
    size_t rows[3][LENGTH_MAX + 1]; // the row before the last, the last one, and the one being made
    if (strlen(one) > LENGTH_MAX || length > LENGTH_MAX)
        return LENGTH_MAX;
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 0; one[i] != '\0'; i++) {
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
        row[0] = i + 1;
        for (size_t k = 0; k < length; k++) {
            row[k + 1] = smaller(smaller(row[k], last[k + 1]) + 1, last[k] + (one[i] != other[k]));
            if (i > 0 && k > 0 && one[i] == other[k - 1] && one[i - 1] == other[k])
                row[k + 1] = smaller(row[k + 1], before[k - 1] + 1);
        }
    }
    return row[length];
}

const char *closest_name(const char *name, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t best_distance = strlen(name) <= 2 ? 1 : strlen(name) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t candidate = distance(name, candidates[i]);
        if (candidate > 0 && candidate <= best_distance && candidate < strlen(name)) {
            if (best == NULL || candidate < best_distance)
                best = candidates[i];
            best_distance = candidate;
        }
    }
    return best;
}
