// numbers.h: which sessions of a definition are over, where sessions are known by their numbers (fixed.c).
//
// A process that is started again begins with its first session, perhaps hours after the others have had theirs. So the numbers of
// sessions that are over are remembered for as long as their home lives: as ranges, of which there is one, as a rule.

#ifndef NET_NODE_NUMBERS_H
#define NET_NODE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Range Range;
struct Range {
    Range *next; // with larger numbers
    uint64_t first, last;
};

// Without memory it is forgotten.
void numbers_add(Range **ranges, uint64_t number);
bool numbers_have(const Range *ranges, uint64_t number);
uint64_t numbers_last(const Range *ranges); // the largest; 0: there is none
void numbers_free(Range *ranges);

#endif
