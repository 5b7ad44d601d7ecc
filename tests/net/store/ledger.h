// ledger.h: what a replica has done, in memory and in a file that is only appended to.

#ifndef LEDGER_H
#define LEDGER_H

#include "store.chor"

// Reads the file, which may be missing. Exits if that is impossible.
void ledger_open(const char *path);
// All of these are safe to be called by several threads.
// Does the request, unless it was done before.
struct entry ledger_apply(struct request request);
// sequence 0: it was not done.
struct entry ledger_find(struct request request);
// Keeps what the other one has done, unless it is here already.
struct entry ledger_keep(struct entry entry);

#endif
