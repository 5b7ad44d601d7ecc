// store.h: a store that this program uses: who asks it for what, and the thread that commits.
//
// All sessions that wait for a commit share one: they stand in a queue, and the committer, a thread of each store, takes all that
// are there, commits their changes at once and tells each of them. While it does so, the next ones queue up. A store that is
// busy, full or can't be reached is tried again until it answers; its sessions wait.

#ifndef RUNTIME_DURABLE_STORE_H
#define RUNTIME_DURABLE_STORE_H

#include <chorex.h>
#include <chorex/store.h>

// Something that waits for a commit.
typedef struct StoreItem StoreItem;
typedef enum {
    STORE_BUILT,
    STORE_NOTHING,   // there is nothing to commit any more
    STORE_NO_MEMORY, // it is asked again
} StoreBuilt;
typedef struct {
    // Called by the committer. What the change points to stays until `done`.
    StoreBuilt (*build)(StoreItem *item, chx_store_change *change);
    // The change was applied, or is stale. Afterwards the item is not touched any more, unless it is queued again.
    void (*done)(StoreItem *item, bool is_applied);
    // The store has not taken the item's change for a while. False: it waits until it does. True: it waits no more, and is not
    // touched any more; the change is not in the store, or (is_in_doubt) may be. NULL: it waits.
    bool (*give_up)(StoreItem *item, bool is_in_doubt, const char *why);
} StoreItemOps;
struct StoreItem {
    const StoreItemOps *ops;
    chx_runtime *runtime; // for its log
    StoreItem *next;
    uint64_t asked_ms; // when it was queued
};

// The store that a session of this runtime uses: the one of its options, or the one that CHOREX_STORE names. *store NULL: it is
// to run without (CHOREX_STORE=none). On failure the thread's report says why.
chx_status store_of_runtime(chx_runtime *runtime, const char *file, chx_store **store);

// The store of this address, one of its own. `setting`: what messages call the place where it was said. On failure the thread's report
// says why.
chx_status store_at(const char *address, const char *setting, const char *file, chx_store **store);

// How long outcomes stay in the store; a day, if nothing is said.
void store_retain(chx_store *store, uint64_t kept_ms);

// How a session is found in the store, and whether this program may run it.
typedef enum {
    STORE_IS_NEW,   // there is none of this name
    STORE_IS_OVER,  // it is over; the cut says how
    STORE_IS_OURS,  // it was taken over: `term` is the new one, and the cut says where it is
    STORE_IS_TAKEN, // another program runs it, or this one, in another place; `why` says which
    STORE_IS_WRONG, // the store does not answer, or has something else; `why` says what
} StoreFound;
StoreFound store_find(chx_store *store, const chx_store_key *key, chx_store_cut *cut, uint64_t *term,
                      char why[CHX_STORE_WHY]);
void store_release(chx_store *store, chx_store_cut *cut);

// Queues it for the next commit. Can be called with a session's blocks locked.
void store_ask(chx_store *store, StoreItem *item);
// What a session of this name has left behind is not needed any more: it is removed when there is time for that.
void store_forget(chx_store *store, const chx_store_key *key);

// Sessions of one store and name that this program runs. False: there is one already, or no memory (*lacks_memory).
typedef struct StoreName StoreName;
StoreName *store_name_claim(chx_store *store, const chx_store_key *key, bool *lacks_memory);
void store_name_release(StoreName *name);

// Who this program is to others that use the store.
const char *store_home(const chx_store *store);

// What messages call a store: without passwords.
void store_shown(const char *scheme, const char *place, char *text, size_t size);

#endif
