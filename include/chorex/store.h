/* chorex/store.h: where sessions with durable blocks are kept. Programs use chx_store_each and chx_store_close; the rest is for
   libraries that keep sessions somewhere (libchorex-sqlite, libchorex-postgres). */

#ifndef CHOREX_STORE_H
#define CHOREX_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a store keeps ---- */

/* A session is found by these three. `space` keeps names of different openers apart; it is "" for sessions of one machine and
   for names that all openers share. */
typedef struct {
    const char *choreography, *space, *name;
} chx_store_key;

/* A piece of a session's state. The store does not look into it. Level 0 is the base: the state of all roles at the beginning or
   at the last end of an outermost durable block. Level n is the n-th durable block that the session is in, counted from the
   outside. Pieces of one level with different roles are independent. */
enum {
    CHX_STORE_HEAD = 0x7fffffff
}; /* as a role: what belongs to the level as a whole (block, ordinal, attempt, fault) */
enum { CHX_STORE_RESULTS = 0x7fffffff }; /* as a level: what the roles returned, once the session is over */
typedef struct {
    uint32_t level, role;
    const void *data;
    size_t size;
} chx_store_piece;

typedef enum {
    CHX_STORE_UNFINISHED,
    CHX_STORE_OVER /* the results say how */
} chx_store_outcome;

/* One change of one session. It is applied if the store has the session with exactly this term and version, and it raises the
   version by one; a change with version 0 makes the session, and is stale if there is one. */
typedef struct {
    chx_store_key key;
    uint64_t term, version; /* as they must be now */
    uint64_t token[2];      /* with version 0: what follows up to `home` is kept from now on */
    const char *definition; /* name of the function that the session runs */
    uint64_t protocol_digest;
    const char *home;          /* the node, or on one machine the process, that decides */
    chx_store_outcome outcome; /* as it is from now on */
    bool drops;                /* the pieces of levels >= drop_from are removed before the new ones are put */
    uint32_t drop_from;
    const chx_store_piece *pieces; /* those that are put, in the place of such with the same level and role */
    size_t piece_count;
    bool is_applied; /* set by commit: false: stale */
} chx_store_change;

/* A session as it is in the store. Memory of the callee's; `release` of chx_store_ops frees it. */
typedef struct {
    chx_store_key key;
    uint64_t term, version, token[2], protocol_digest;
    uint64_t writer[2];  /* who made the last change: see chx_store_ops.open */
    uint64_t changed_ms; /* when, by the store's clock, in milliseconds since 1970 */
    const char *definition, *home;
    chx_store_outcome outcome;
    chx_store_piece *pieces; /* ordered by level, then role */
    size_t piece_count;
    void *memory; /* the store's own */
} chx_store_cut;

typedef struct {
    const char *choreography, *home; /* NULL: any */
    bool unfinished_only;
    bool orphans_only;          /* the lease of the home is over, or there is none */
    uint64_t changed_before_ms; /* 0: whenever */
} chx_store_filter;

/* A role that a node offers to play, for directories of nodes and pools. */
typedef struct {
    const char *choreography, *role, *node, *address;
    uint64_t protocol_digest;
    uint32_t busy, places; /* sessions that it plays the role in, and may */
} chx_store_offer;

/* ---- a kind of store ----

   Functions return 0, or an error of errno.h, negative; then `why` says what is wrong in the user's terms. -EAGAIN: the store can't be
   reached or is busy, it may be tried again, and nothing has happened. -EINPROGRESS: it is not known whether the commit has happened:
   load the sessions and look at their version and writer. All functions are called by one thread at a time. */
enum { CHX_STORE_WHY = 512 };

typedef struct {
    const char *scheme; /* "sqlite", "postgresql" */
    unsigned version;   /* CHX_STORE_VERSION */
    /* `place` is what follows the scheme in the address of the store; the whole address for those that are written scheme://.
       `writer`: 128 random bits; `commit` notes them with each change. */
    int (*open)(const char *place, const char *node, const uint64_t writer[2], void **store, char why[CHX_STORE_WHY]);
    /* All changes are durable when it returns. A stale change does not keep others from being applied. */
    int (*commit)(void *store, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY]);
    /* -ENOENT: there is no such session. -EBADMSG: there is, but it is damaged. */
    int (*load)(void *store, const chx_store_key *, chx_store_cut *, char why[CHX_STORE_WHY]);
    void (*release)(void *store, chx_store_cut *);
    /* Makes this node the home of a session with this term and raises the term: if the lease of the home is over, or the home
       is this node, or `by_hand`. -ESTALE: it has another term by now. -EBUSY: its home has a lease. The former home may have changed
       the session since it was loaded, but can't any more: so it is loaded after it was taken. */
    int (*take)(void *store, const chx_store_key *, uint64_t term, bool by_hand, uint64_t *new_term,
                char why[CHX_STORE_WHY]);
    /* This node decides for so long from now on, by the store's clock. 0: it gives its lease up. */
    int (*lease)(void *store, uint64_t lease_ms, char why[CHX_STORE_WHY]);
    /* Calls `found` for each until it returns false. The pieces of the cut are not loaded. */
    int (*each)(void *store, const chx_store_filter *, bool (*found)(void *context, const chx_store_cut *),
                void *context, char why[CHX_STORE_WHY]);
    /* Removes a session (-ENOENT: there is none), or (NULL) all that have been over for at least so long. */
    int (*drop)(void *store, const chx_store_key *, uint64_t over_for_ms, char why[CHX_STORE_WHY]);
    /* A descriptor that is readable when another node has taken or dropped a session, given up its lease or offered something; perhaps at
       other times as well. Ordinary commits need not be noticed. When it was readable, `watch` is called again, before looking what has
       happened: it takes what has come, and may give another descriptor. NULL: the store is asked every second. */
    int (*watch)(void *store, int *descriptor, char why[CHX_STORE_WHY]);
    /* The directory. NULL: the store has none. Places 0: it is offered no more. An offer counts as long as its node has a lease, and has
       a place. `claim` calls `found` for the least busy one, with that place taken (`busy` counts it), and for others as long as it
       returns true; the place of the one for which it returns false stays taken until its node says otherwise. -ENOENT: it was false for none. */
    int (*offer)(void *store, const chx_store_offer *, char why[CHX_STORE_WHY]);
    int (*claim)(void *store, const char *choreography, const char *role, uint64_t protocol_digest,
                 bool (*found)(void *context, const chx_store_offer *), void *context, char why[CHX_STORE_WHY]);
    void (*close)(void *store);
} chx_store_ops;
enum { CHX_STORE_VERSION = 1 };

/* ---- a store that a program uses ---- */

typedef struct chx_store chx_store;

/* What chx_store_sqlite and the like call. The store is opened when it is first used, so that what is wrong with it is reported by what
   uses it. NULL: there is no memory. */
chx_store *chx_store_of(const chx_store_ops *, const char *place);
/* After the runtimes that use it. */
void chx_store_close(chx_store *);
/* Calls the function for each session that is not over, until it returns false. 0, or an error of errno.h, negative: the thread's last
   report says why. */
int chx_store_each(chx_store *, bool (*)(void *context, const chx_store_cut *), void *context);

#ifdef __cplusplus
}
#endif

#endif
