// store.h: what all stores do alike: what they say when something is wrong, which names they take.

#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "chorex/store.h"

// A choreography, a space and a name together, in bytes: an index of PostgreSQL takes no more than 2,700.
enum { STORE_KEY_MAX = 2000 };

// Writes the text to `why` and returns the error, negative.
int store_fail(char why[CHX_STORE_WHY], int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

// 0; -ENAMETOOLONG; -EINVAL: something is not UTF-8, which no store but SQLite could keep.
int store_check_key(const chx_store_key *key, char why[CHX_STORE_WHY]);
int store_check_changes(const chx_store_change *changes, size_t count, char why[CHX_STORE_WHY]);

bool store_same_key(const chx_store_key *one, const chx_store_key *other);

// -EBADMSG, for a session that is damaged.
int store_damaged(const chx_store_key *key, const char *what, char why[CHX_STORE_WHY]);
// Another one decides about it: -EBUSY with what its lease has left, -ESTALE.
int store_busy(const char *home, uint64_t left_ms, char why[CHX_STORE_WHY]);
int store_stale(const chx_store_key *key, const char *home, char why[CHX_STORE_WHY]);
int store_missing(const chx_store_key *key, char why[CHX_STORE_WHY]);

#endif
