// cut.h: cuts in memory of their own, for stores to give away.

#ifndef STORE_CUT_H
#define STORE_CUT_H

#include "chorex/store.h"

// Copies the strings of `*cut` and makes room for pieces; other members stay as they are. False: no memory.
bool cut_own(chx_store_cut *cut);
// Puts a copy where it belongs by level and role, in the place of one with the same ones. False: no memory; the cut is as it was.
bool cut_put(chx_store_cut *cut, uint32_t level, uint32_t role, const void *data, size_t size);
// NULL or what cut_own has made.
void cut_release(chx_store_cut *cut);

#endif
