// memory.c: see memory.h. Everything is in lists: simulations have few sessions.

#define _GNU_SOURCE

#include "store/memory/memory.h"

#include "base/check.h"
#include "store/cut.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A session: a cut that owns its strings, and pieces that are blocks of their own.
typedef struct Session Session;
struct Session {
    Session *next;
    chx_store_cut cut;
};

typedef struct Node Node;
struct Node {
    Node *next;
    char *name;
    uint64_t lease_until_ms;
};

typedef struct Offer Offer;
struct Offer {
    Offer *next;
    chx_store_offer offer;
};

struct MemoryDisk {
    char place[32];
    uint64_t now_ms, commits;
    Session *sessions; // in the order in which they were made
    Node *nodes;
    Offer *offers;
    uint64_t fails_at; // the number of the commit; 0: none
    MemoryFailure failure;
    void (*lost)(void *context);
    void *lost_context;
};

typedef struct {
    MemoryDisk *disk;
    char *node;
    uint64_t writer[2];
} User;

static void *some(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    CHECK(memory != NULL);
    return memory;
}

static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    CHECK(copy != NULL);
    return copy;
}

// ---- the disk ----

MemoryDisk *memory_disk_new(void)
{
    MemoryDisk *disk = calloc(1, sizeof *disk);
    if (disk == NULL)
        return NULL;
    disk->now_ms = 1;
    snprintf(disk->place, sizeof disk->place, "%p", (void *)disk);
    return disk;
}

const char *memory_disk_place(const MemoryDisk *disk)
{
    return disk->place;
}

void memory_disk_set_clock(MemoryDisk *disk, uint64_t now_ms)
{
    disk->now_ms = now_ms;
}

void memory_disk_fail(MemoryDisk *disk, uint64_t n, MemoryFailure failure, void (*lost)(void *context), void *context)
{
    disk->fails_at = disk->commits + n;
    disk->failure = failure;
    disk->lost = lost;
    disk->lost_context = context;
}

uint64_t memory_disk_commits(const MemoryDisk *disk)
{
    return disk->commits;
}

static void free_pieces(Session *session)
{
    for (size_t i = 0; i < session->cut.piece_count; i++)
        free((void *)session->cut.pieces[i].data);
    free(session->cut.pieces);
    session->cut.pieces = NULL;
    session->cut.piece_count = 0;
}

static void free_session(Session *session)
{
    free_pieces(session);
    cut_release(&session->cut);
    free(session);
}

static void free_offer(Offer *offer)
{
    free((char *)offer->offer.choreography);
    free((char *)offer->offer.role);
    free((char *)offer->offer.node);
    free((char *)offer->offer.address);
    free(offer);
}

void memory_disk_free(MemoryDisk *disk)
{
    if (disk == NULL)
        return;
    for (Session *session; (session = disk->sessions) != NULL;) {
        disk->sessions = session->next;
        free_session(session);
    }
    for (Node *node; (node = disk->nodes) != NULL;) {
        disk->nodes = node->next;
        free(node->name);
        free(node);
    }
    for (Offer *offer; (offer = disk->offers) != NULL;) {
        disk->offers = offer->next;
        free_offer(offer);
    }
    free(disk);
}

// ---- users ----

static int memory_open(const char *place, const char *node, const uint64_t writer[2], void **store,
                       char why[CHX_STORE_WHY])
{
    void *disk;
    if (sscanf(place, "%p", &disk) != 1)
        return store_fail(why, EINVAL, "'%s' is not what memory_disk_place returns", place);
    User *user = some(sizeof *user);
    *user = (User){.disk = disk, .node = copy_text(node), .writer = {writer[0], writer[1]}};
    *store = user;
    return 0;
}

static void memory_close(void *store)
{
    User *user = store;
    free(user->node);
    free(user);
}

static Session **find(MemoryDisk *disk, const chx_store_key *key)
{
    Session **at = &disk->sessions;
    while (*at != NULL && !store_same_key(&(*at)->cut.key, key))
        at = &(*at)->next;
    return at;
}

// ---- commit ----

static void put_piece(chx_store_cut *cut, const chx_store_piece *piece)
{
    void *data = some(piece->size);
    if (piece->size > 0)
        memcpy(data, piece->data, piece->size);
    size_t at = 0;
    while (at < cut->piece_count && (cut->pieces[at].level < piece->level ||
                                     (cut->pieces[at].level == piece->level && cut->pieces[at].role < piece->role)))
        at++;
    if (at < cut->piece_count && cut->pieces[at].level == piece->level && cut->pieces[at].role == piece->role) {
        free((void *)cut->pieces[at].data);
    } else {
        cut->pieces = realloc(cut->pieces, (cut->piece_count + 1) * sizeof *cut->pieces);
        CHECK(cut->pieces != NULL);
        memmove(&cut->pieces[at + 1], &cut->pieces[at], (cut->piece_count - at) * sizeof *cut->pieces);
        cut->piece_count++;
    }
    cut->pieces[at] = (chx_store_piece){.level = piece->level, .role = piece->role, .data = data, .size = piece->size};
}

static void drop_pieces(chx_store_cut *cut, uint32_t from)
{
    while (cut->piece_count > 0 && cut->pieces[cut->piece_count - 1].level >= from)
        free((void *)cut->pieces[--cut->piece_count].data);
}

static Session *make_session(const chx_store_change *change)
{
    Session *session = some(sizeof *session);
    session->cut = (chx_store_cut){.key = change->key,
                                   .term = change->term,
                                   .token = {change->token[0], change->token[1]},
                                   .protocol_digest = change->protocol_digest,
                                   .definition = change->definition,
                                   .home = change->home};
    CHECK(cut_own(&session->cut));
    return session;
}

static void apply(User *user, chx_store_change *change)
{
    Session **at = find(user->disk, &change->key);
    if (*at == NULL ? change->version != 0
                    : change->version == 0 || (*at)->cut.term != change->term || (*at)->cut.version != change->version)
        return;
    if (*at == NULL)
        *at = make_session(change);
    chx_store_cut *cut = &(*at)->cut;
    cut->version++;
    cut->outcome = change->outcome;
    cut->changed_ms = user->disk->now_ms;
    memcpy(cut->writer, user->writer, sizeof cut->writer);
    if (change->drops)
        drop_pieces(cut, change->drop_from);
    for (size_t i = 0; i < change->piece_count; i++)
        put_piece(cut, &change->pieces[i]);
    change->is_applied = true;
}

static void apply_all(User *user, chx_store_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        apply(user, &changes[i]);
}

static int fail_commit(User *user, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY])
{
    MemoryDisk *disk = user->disk;
    MemoryFailure failure = disk->failure;
    disk->fails_at = 0;
    if (failure == MEMORY_REFUSED)
        return store_fail(why, EAGAIN, "the test refuses this commit");
    if (failure == MEMORY_FULL)
        return store_fail(why, ENOSPC, "the test has no room for this commit");
    if (failure == MEMORY_DOUBT_DONE || failure == MEMORY_LOST_AFTER)
        apply_all(user, changes, count);
    for (size_t i = 0; i < count; i++)
        changes[i].is_applied = false;
    if (failure == MEMORY_LOST_BEFORE || failure == MEMORY_LOST_AFTER)
        disk->lost(disk->lost_context);
    return store_fail(why, EINPROGRESS, "the test does not say whether this commit has happened");
}

static int memory_commit(void *store, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY])
{
    User *user = store;
    for (size_t i = 0; i < count; i++)
        changes[i].is_applied = false;
    int error = store_check_changes(changes, count, why);
    if (error != 0)
        return error;
    if (++user->disk->commits == user->disk->fails_at)
        return fail_commit(user, changes, count, why);
    apply_all(user, changes, count);
    return 0;
}

// ---- reading ----

static int memory_load(void *store, const chx_store_key *key, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    User *user = store;
    const Session *session = *find(user->disk, key);
    if (session == NULL)
        return store_missing(key, why);
    chx_store_cut copy = session->cut;
    CHECK(cut_own(&copy));
    for (size_t i = 0; i < session->cut.piece_count; i++) {
        const chx_store_piece *piece = &session->cut.pieces[i];
        CHECK(cut_put(&copy, piece->level, piece->role, piece->data, piece->size));
    }
    *cut = copy;
    return 0;
}

static void memory_release(void *store, chx_store_cut *cut)
{
    (void)store;
    cut_release(cut);
}

static Node **find_node(MemoryDisk *disk, const char *name)
{
    Node **at = &disk->nodes;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static bool has_lease(MemoryDisk *disk, const char *name)
{
    const Node *node = *find_node(disk, name);
    return node != NULL && node->lease_until_ms > disk->now_ms;
}

static bool matches(MemoryDisk *disk, const chx_store_filter *filter, const chx_store_cut *cut)
{
    return filter == NULL ||
           ((filter->choreography == NULL || strcmp(filter->choreography, cut->key.choreography) == 0) &&
            (filter->home == NULL || strcmp(filter->home, cut->home) == 0) &&
            (!filter->unfinished_only || cut->outcome == CHX_STORE_UNFINISHED) &&
            (!filter->orphans_only || !has_lease(disk, cut->home)) &&
            (filter->changed_before_ms == 0 || cut->changed_ms < filter->changed_before_ms));
}

// The function that is called may change the store: so all that are found are copied first.
static int memory_each(void *store, const chx_store_filter *filter, bool (*found)(void *context, const chx_store_cut *),
                       void *context, char why[CHX_STORE_WHY])
{
    User *user = store;
    chx_store_cut *cuts = NULL;
    size_t count = 0;
    bool goes_on = true;
    (void)why;
    for (const Session *session = user->disk->sessions; session != NULL; session = session->next) {
        if (!matches(user->disk, filter, &session->cut))
            continue;
        chx_store_cut *more = realloc(cuts, (count + 1) * sizeof *cuts);
        CHECK(more != NULL);
        cuts = more;
        cuts[count] = session->cut;
        CHECK(cut_own(&cuts[count]));
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        goes_on = goes_on && found(context, &cuts[i]);
        cut_release(&cuts[i]);
    }
    free(cuts);
    return 0;
}

static int memory_drop(void *store, const chx_store_key *key, uint64_t over_for_ms, char why[CHX_STORE_WHY])
{
    User *user = store;
    bool is_found = false;
    for (Session **at = &user->disk->sessions, *session; (session = *at) != NULL;) {
        bool is_old =
            session->cut.outcome == CHX_STORE_OVER && session->cut.changed_ms + over_for_ms <= user->disk->now_ms;
        if (key != NULL ? !store_same_key(&session->cut.key, key) : !is_old) {
            at = &session->next;
            continue;
        }
        is_found = true;
        *at = session->next;
        free_session(session);
    }
    return key == NULL || is_found ? 0 : store_missing(key, why);
}

// ---- nodes ----

static void set_home(chx_store_cut *cut, const char *home)
{
    chx_store_cut copy = *cut;
    chx_store_piece *pieces = cut->pieces;
    size_t piece_count = cut->piece_count;
    copy.home = home;
    CHECK(cut_own(&copy));
    cut->pieces = NULL;
    cut_release(cut);
    *cut = copy;
    cut->pieces = pieces;
    cut->piece_count = piece_count;
}

static int memory_take(void *store, const chx_store_key *key, uint64_t term, bool by_hand, uint64_t *new_term,
                       char why[CHX_STORE_WHY])
{
    User *user = store;
    Session *session = *find(user->disk, key);
    if (session == NULL)
        return store_missing(key, why);
    chx_store_cut *cut = &session->cut;
    if (cut->term != term)
        return store_fail(why, ESTALE, "it was taken by '%s'", cut->home);
    if (!by_hand && strcmp(cut->home, user->node) != 0 && has_lease(user->disk, cut->home))
        return store_fail(why, EBUSY, "'%s' is alive", cut->home);
    set_home(cut, user->node);
    cut->term = *new_term = term + 1;
    cut->changed_ms = user->disk->now_ms;
    memcpy(cut->writer, user->writer, sizeof cut->writer);
    return 0;
}

static int memory_lease(void *store, uint64_t lease_ms, char why[CHX_STORE_WHY])
{
    User *user = store;
    Node **at = find_node(user->disk, user->node);
    (void)why;
    if (*at == NULL) {
        *at = some(sizeof **at);
        (*at)->name = copy_text(user->node);
    }
    (*at)->lease_until_ms = lease_ms > 0 ? user->disk->now_ms + lease_ms : 0;
    return 0;
}

// ---- the directory ----

static bool same_role(const chx_store_offer *one, const chx_store_offer *other)
{
    return strcmp(one->choreography, other->choreography) == 0 && strcmp(one->role, other->role) == 0 &&
           strcmp(one->node, other->node) == 0;
}

static int memory_offer(void *store, const chx_store_offer *offer, char why[CHX_STORE_WHY])
{
    User *user = store;
    Offer **at = &user->disk->offers;
    (void)why;
    while (*at != NULL && !same_role(&(*at)->offer, offer))
        at = &(*at)->next;
    if (*at != NULL) {
        Offer *old = *at;
        *at = old->next;
        free_offer(old);
    }
    if (offer->places == 0)
        return 0;
    Offer *made = some(sizeof *made);
    made->next = *at;
    made->offer = *offer;
    made->offer.choreography = copy_text(offer->choreography);
    made->offer.role = copy_text(offer->role);
    made->offer.node = copy_text(offer->node);
    made->offer.address = copy_text(offer->address);
    *at = made;
    return 0;
}

// One is less busy if it has fewer of its places taken.
static bool is_less_busy(const chx_store_offer *one, const chx_store_offer *other)
{
    return (uint64_t)one->busy * other->places < (uint64_t)other->busy * one->places;
}

static Offer *least_busy(MemoryDisk *disk, const chx_store_offer *like, Offer *const *seen, size_t seen_count)
{
    Offer *best = NULL;
    for (Offer *offer = disk->offers; offer != NULL; offer = offer->next) {
        const chx_store_offer *it = &offer->offer;
        bool is_seen = false;
        for (size_t i = 0; i < seen_count; i++)
            is_seen |= seen[i] == offer;
        if (!is_seen && strcmp(it->choreography, like->choreography) == 0 && strcmp(it->role, like->role) == 0 &&
            it->protocol_digest == like->protocol_digest && it->busy < it->places && has_lease(disk, it->node) &&
            (best == NULL || is_less_busy(it, &best->offer)))
            best = offer;
    }
    return best;
}

static int memory_claim(void *store, const char *choreography, const char *role, uint64_t protocol_digest,
                        bool (*found)(void *context, const chx_store_offer *), void *context, char why[CHX_STORE_WHY])
{
    enum { SEEN_MAX = 1000 };
    User *user = store;
    chx_store_offer like = {.choreography = choreography, .role = role, .protocol_digest = protocol_digest};
    Offer *seen[SEEN_MAX], *next;
    for (size_t count = 0; count < SEEN_MAX && (next = least_busy(user->disk, &like, seen, count)) != NULL; count++) {
        seen[count] = next;
        next->offer.busy++;
        if (!found(context, &next->offer))
            return 0;
        next->offer.busy--;
    }
    return store_fail(why, ENOENT, "no node offers to play %s of %s", role, choreography);
}

const chx_store_ops memory_store_ops = {
    .scheme = "memory",
    .version = CHX_STORE_VERSION,
    .open = memory_open,
    .commit = memory_commit,
    .load = memory_load,
    .release = memory_release,
    .take = memory_take,
    .lease = memory_lease,
    .each = memory_each,
    .drop = memory_drop,
    .offer = memory_offer,
    .claim = memory_claim,
    .close = memory_close,
};
