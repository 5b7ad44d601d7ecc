// store.c: see store.h.

#define _GNU_SOURCE
#include "runtime/durable/store.h"

#include "base/check.h"
#include "base/owner.h"
#include "runtime/durable/cut.h"
#include "runtime/platform/platform.h"
#include "runtime/session/log.h"
#include "runtime/session/report.h"
#include "runtime/session/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CHANGES_AT_ONCE = 1024,
    RETRY_MIN_MS = 20, // a store that does not answer is asked again after so long, then twice as long each time,
    RETRY_MAX_MS = 1000,
    LEASE_MS = 10000, // other machines take a session over when this one has not been heard of for so long
    LEASE_RENEW_MS = 3000,
    OPEN_TRIES_MS = 5000, // NAME_DEF_open waits so long for a store that does not answer
    TAKE_AGAIN_MS = 100,
    KEPT_MS = 24 * 60 * 60 * 1000, // outcomes, if nothing else is said
    SWEEP_MS = 60 * 60 * 1000,     // they are looked through after so long, or as often as they are kept
};

// A session that has left nothing that is needed.
typedef struct Forgotten Forgotten;
struct Forgotten {
    Forgotten *next;
    chx_store_key key; // its strings follow
    char text[];
};

struct chx_store {
    const chx_store_ops *ops;
    char *place;
    char shown[128]; // what messages call it
    uint64_t writer[2];
    char home[OWNER_SIZE];
    pthread_mutex_t use;       // who calls a function of the store, or opens it
    void *handle;              // NULL: it is not open
    _Atomic(uint64_t) kept_ms; // outcomes

    pthread_mutex_t lock; // of what follows
    pthread_cond_t wake;
    StoreItem *first, **end;
    unsigned queued; // so many
    unsigned wanted; // the committer is woken when there are so many
    Forgotten *forgotten;
    bool has_thread, ends;
    pthread_t thread;

    // The committer's.
    unsigned last_count;   // changes in the last commit
    uint64_t last_took_ns; // how long it took
    chx_store_change changes[CHANGES_AT_ONCE];
    StoreItem *items[CHANGES_AT_ONCE];
    bool is_down; // the log says so
};

// ---- making, opening and closing ----

void store_shown(const char *scheme, const char *place, char *text, size_t size)
{
    const char *host = strstr(place, "://");
    if (host == NULL) {
        snprintf(text, size, "%s:%s", scheme, place);
        return;
    }
    host += 3;
    // A user's name and password, and parameters, one of which may be a password.
    size_t length = strcspn(host, "/?");
    for (size_t i = length; i > 0; i--)
        if (host[i - 1] == '@') {
            host += i;
            break;
        }
    snprintf(text, size, "%s://%.*s", scheme, (int)strcspn(host, "?"), host);
}

chx_store *chx_store_of(const chx_store_ops *ops, const char *place)
{
    chx_store *store = ops != NULL ? calloc(1, sizeof *store) : NULL;
    if (store == NULL)
        return NULL;
    store->place = strdup(place != NULL ? place : "");
    if (store->place == NULL) {
        free(store);
        return NULL;
    }
    store->ops = ops;
    store_shown(ops->scheme, store->place, store->shown, sizeof store->shown);
    store->end = &store->first;
    atomic_init(&store->kept_ms, KEPT_MS);
    platform_from_env()->random(store->writer, sizeof store->writer);
    owner_self(store->home);
    pthread_mutex_init(&store->use, NULL);
    pthread_mutex_init(&store->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&store->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return store;
}

const char *store_home(const chx_store *store)
{
    return store->home;
}

// Open, and nobody else uses it, until store_unuse. An error: not so.
static int store_use(chx_store *store, char why[CHX_STORE_WHY])
{
    int error = 0;
    pthread_mutex_lock(&store->use);
    why[0] = '\0';
    if (store->handle == NULL && store->ops->version != CHX_STORE_VERSION) {
        snprintf(why, CHX_STORE_WHY, "the library for %s stores was made for another version of libchorex",
                 store->ops->scheme);
        error = -EINVAL;
    } else if (store->handle == NULL) {
        error = store->ops->open(store->place, store->home, store->writer, &store->handle, why);
        if (error == 0)
            error = store->ops->lease(store->handle, LEASE_MS, why);
    }
    if (error == 0)
        return 0;
    if (store->handle != NULL)
        store->ops->close(store->handle);
    store->handle = NULL;
    pthread_mutex_unlock(&store->use);
    if (why[0] == '\0')
        snprintf(why, CHX_STORE_WHY, "%s", strerror(-error));
    return error;
}

static void store_unuse(chx_store *store)
{
    pthread_mutex_unlock(&store->use);
}

static void forgotten_free(Forgotten *forgotten)
{
    for (Forgotten *next; forgotten != NULL; forgotten = next) {
        next = forgotten->next;
        free(forgotten);
    }
}

void chx_store_close(chx_store *store)
{
    if (store == NULL)
        return;
    pthread_mutex_lock(&store->lock);
    store->ends = true;
    pthread_cond_signal(&store->wake);
    bool has_thread = store->has_thread;
    pthread_mutex_unlock(&store->lock);
    if (has_thread)
        pthread_join(store->thread, NULL);
    if (store->handle != NULL) {
        char why[CHX_STORE_WHY];
        store->ops->lease(store->handle, 0, why);
        store->ops->close(store->handle);
    }
    forgotten_free(store->forgotten);
    pthread_mutex_destroy(&store->use);
    pthread_mutex_destroy(&store->lock);
    pthread_cond_destroy(&store->wake);
    free(store->place);
    free(store);
}

int chx_store_each(chx_store *store, bool (*found)(void *context, const chx_store_cut *), void *context)
{
    char why[CHX_STORE_WHY];
    chx_store_filter filter = {.unfinished_only = true};
    int error = store_use(store, why);
    if (error == 0) {
        error = store->ops->each(store->handle, &filter, found, context, why);
        store_unuse(store);
    }
    if (error != 0)
        report_refuse(CHX_FAILED, NULL, NULL, "the sessions of the store can't be listed: %.400s",
                      why[0] != '\0' ? why : strerror(-error));
    return error;
}

// ---- which store ----

// Libraries that are linked in.
extern const chx_store_ops chx_store_ops_sqlite __attribute__((weak));
extern const chx_store_ops chx_store_ops_postgres __attribute__((weak));
extern const chx_store_ops chx_store_ops_file __attribute__((weak)); // of tests

static const struct {
    const char *scheme, *library; // library: for chorcc --libs=
    const chx_store_ops *ops;
    bool is_url; // the store is given the whole address
} KINDS[] = {
    {"sqlite:", "sqlite", &chx_store_ops_sqlite, false},
    {"postgresql://", "postgres", &chx_store_ops_postgres, true},
    {"postgres://", "postgres", &chx_store_ops_postgres, true},
    {"file:", NULL, &chx_store_ops_file, false},
};

static pthread_mutex_t named_lock = PTHREAD_MUTEX_INITIALIZER;
static chx_store *named;     // by CHOREX_STORE; stays until the program ends
static chx_store *inherited; // whom nobody will ask again; known here to those who look for leaks

// A forked child has its parent's store without the thread that commits, and is another program to those who share the store.
static void store_forget_named(void)
{
    if (named != NULL)
        inherited = named;
    named = NULL;
    pthread_mutex_init(&named_lock, NULL);
}

chx_status store_at(const char *address, const char *setting, const char *file, chx_store **store)
{
    *store = NULL;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        size_t length = strlen(KINDS[i].scheme);
        if (strncmp(address, KINDS[i].scheme, length) != 0 || (KINDS[i].library == NULL && KINDS[i].ops == NULL))
            continue;
        if (KINDS[i].ops == NULL)
            return report_refuse(CHX_INVALID, NULL, file,
                                 "%s=%.200s needs libchorex-%s: link the program with what 'chorcc --libs=%s' "
                                 "prints",
                                 setting, address, KINDS[i].library, KINDS[i].library);
        *store = chx_store_of(KINDS[i].ops, KINDS[i].is_url ? address : address + length);
        return *store != NULL ? CHX_OK : report_refuse(CHX_NO_MEMORY, NULL, file, "out of memory");
    }
    return report_refuse(CHX_INVALID, NULL, file, "%s=%.200s: it can be sqlite:FILE, postgresql://..., or none",
                         setting, address);
}

static chx_status store_named(const char *address, const char *file, chx_store **store)
{
    static bool watches_forks;
    chx_status status = CHX_OK;
    pthread_mutex_lock(&named_lock);
    if (!watches_forks)
        watches_forks = pthread_atfork(NULL, NULL, store_forget_named) == 0;
    if (named == NULL)
        status = store_at(address, "CHOREX_STORE", file, &named);
    *store = named;
    pthread_mutex_unlock(&named_lock);
    return status;
}

chx_status store_of_runtime(chx_runtime *runtime, const char *file, chx_store **store)
{
    const char *address = secure_getenv("CHOREX_STORE");
    *store = NULL;
    // On a simulated machine nothing outlives the program.
    if (runtime->platform->is_simulated || (address != NULL && strcmp(address, "none") == 0))
        return CHX_OK;
    if (runtime->options.store != NULL) {
        *store = runtime->options.store;
        return CHX_OK;
    }
    if (address != NULL && address[0] != '\0')
        return store_named(address, file, store);
    return report_refuse(CHX_INVALID, NULL, file,
                         "there are durable blocks and no store: set CHOREX_STORE=sqlite:FILE, or write "
                         "chx_runtime_options options = {.store = chx_store_sqlite(\"FILE\")}; CHOREX_STORE=none runs "
                         "it without");
}

// ---- names of sessions that this program runs ----

struct StoreName {
    StoreName *next;
    const chx_store_ops *ops;
    uint64_t writer[2]; // of the store
    char *parts[4];     // place, choreography, space, name
};
enum { NAME_BUCKETS = 1 << 14 };
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
static StoreName *names[NAME_BUCKETS];

static StoreName **name_bucket(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return &names[hash % NAME_BUCKETS];
}

static bool name_is(const StoreName *name, const chx_store_ops *ops, const char *const *parts)
{
    bool is_it = name->ops == ops;
    for (size_t i = 0; i < 4; i++)
        is_it = is_it && strcmp(name->parts[i], parts[i]) == 0;
    return is_it;
}

static void name_free(StoreName *name)
{
    for (size_t i = 0; i < 4; i++)
        free(name->parts[i]);
    free(name);
}

StoreName *store_name_claim(chx_store *store, const chx_store_key *key, bool *lacks_memory)
{
    const char *parts[] = {store->place, key->choreography, key->space, key->name};
    StoreName *made = calloc(1, sizeof *made);
    *lacks_memory = made == NULL;
    for (size_t i = 0; made != NULL && i < 4; i++)
        *lacks_memory |= (made->parts[i] = strdup(parts[i])) == NULL;
    if (made == NULL)
        return NULL;
    made->ops = store->ops;
    memcpy(made->writer, store->writer, sizeof made->writer);
    StoreName **bucket = name_bucket(key->name);
    pthread_mutex_lock(&names_lock);
    bool is_there = *lacks_memory;
    for (const StoreName *name = *bucket; !is_there && name != NULL; name = name->next)
        is_there = name_is(name, store->ops, parts);
    if (!is_there) {
        made->next = *bucket;
        *bucket = made;
    }
    pthread_mutex_unlock(&names_lock);
    if (is_there)
        name_free(made);
    return is_there ? NULL : made;
}

void store_name_release(StoreName *name)
{
    if (name == NULL)
        return;
    StoreName **link = name_bucket(name->parts[3]);
    pthread_mutex_lock(&names_lock);
    while (*link != name)
        link = &(*link)->next;
    *link = name->next;
    pthread_mutex_unlock(&names_lock);
    name_free(name);
}

// Does this program run the session, with a store of which it does not know that it is the same one? A database can be named in several ways.
static bool name_is_run(const chx_store *store, const chx_store_cut *cut)
{
    bool is_run = false;
    if (memcmp(cut->writer, store->writer, sizeof cut->writer) == 0)
        return false;
    pthread_mutex_lock(&names_lock);
    for (const StoreName *name = *name_bucket(cut->key.name); !is_run && name != NULL; name = name->next)
        is_run = memcmp(name->writer, cut->writer, sizeof name->writer) == 0 &&
                 strcmp(name->parts[1], cut->key.choreography) == 0 && strcmp(name->parts[2], cut->key.space) == 0 &&
                 strcmp(name->parts[3], cut->key.name) == 0;
    pthread_mutex_unlock(&names_lock);
    return is_run;
}

// ---- waiting ----

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t now_ms(void)
{
    return now_ns() / 1000000;
}

static void sleep_ms(unsigned ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

// The committer, with the lock: until it is woken, or so long.
static void committer_waits(chx_store *store, unsigned ms)
{
    uint64_t until = now_ms() + ms;
    struct timespec time = {(time_t)(until / 1000), (long)(until % 1000 * 1000000)};
    pthread_cond_timedwait(&store->wake, &store->lock, &time);
}

// The committer, while the store does not answer. Somebody who ends the store does not wait for that.
static void committer_rests(chx_store *store, unsigned *ms)
{
    pthread_mutex_lock(&store->lock);
    if (!store->ends)
        committer_waits(store, *ms);
    pthread_mutex_unlock(&store->lock);
    *ms = *ms * 2 < RETRY_MAX_MS ? *ms * 2 : RETRY_MAX_MS;
}

static bool store_ends(chx_store *store)
{
    pthread_mutex_lock(&store->lock);
    bool ends = store->ends;
    pthread_mutex_unlock(&store->lock);
    return ends;
}

// With changes that wait.
static void store_is_down(chx_store *store, const char *why)
{
    if (!store->is_down)
        log_write(store->items[0]->runtime, CHX_LOG_WARN, "the store %s can't be written, sessions wait for it: %s",
                  store->shown, why);
    store->is_down = true;
}

static void store_is_up(chx_store *store)
{
    if (store->items[0] == NULL)
        return; // nobody waits any more who could say it
    if (store->is_down)
        log_write(store->items[0]->runtime, CHX_LOG_WARN, "the store %s can be written again", store->shown);
    store->is_down = false;
}

// ---- finding ----

// -EBUSY as long as another one that can't be seen from here has a lease.
static int store_take(chx_store *store, const chx_store_cut *cut, bool by_hand, uint64_t *term, char why[CHX_STORE_WHY])
{
    int error = store_use(store, why);
    if (error != 0)
        return error;
    error = store->ops->take(store->handle, &cut->key, cut->term, by_hand, term, why);
    store_unuse(store);
    return error;
}

void store_release(chx_store *store, chx_store_cut *cut)
{
    char why[CHX_STORE_WHY];
    if (store_use(store, why) != 0)
        return;
    store->ops->release(store->handle, cut);
    store_unuse(store);
}

static int store_load(chx_store *store, const chx_store_key *key, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    int error = store_use(store, why);
    if (error != 0)
        return error == -ENOENT ? -EIO : error;
    error = store->ops->load(store->handle, key, cut, why);
    store_unuse(store);
    if (error != 0 && why[0] == '\0')
        snprintf(why, CHX_STORE_WHY, "%s", strerror(-error));
    return error;
}

// What was loaded before the session was taken may be older than what its former owner has committed since: a server of a database
// may still have had that commit in front of it when the owner was lost. From now on nobody else can change it, so it is loaded again.
static StoreFound store_load_taken(chx_store *store, chx_store_cut *cut, uint64_t term, bool *again,
                                   char why[CHX_STORE_WHY])
{
    chx_store_cut taken;
    uint64_t begin = now_ms();
    int error;
    while ((error = store_load(store, &cut->key, &taken, why)) == -EAGAIN && now_ms() - begin < OPEN_TRIES_MS)
        sleep_ms(TAKE_AGAIN_MS);
    if (error != 0)
        return STORE_IS_WRONG;
    store_release(store, cut);
    *cut = taken;
    *again = taken.term != term;
    return *again ? STORE_IS_WRONG : taken.outcome == CHX_STORE_OVER ? STORE_IS_OVER : STORE_IS_OURS;
}

// One try to become the owner of what was loaded. Another try is worth it: STORE_IS_WRONG with *again.
static StoreFound store_claim(chx_store *store, chx_store_cut *cut, uint64_t *term, bool *again,
                              char why[CHX_STORE_WHY])
{
    long process = 0;
    char who[OWNER_SIZE + 64];
    OwnerState owner = owner_state(cut->home, &process);
    *again = false;
    if (cut->outcome == CHX_STORE_OVER)
        return STORE_IS_OVER;
    bool is_run_here = owner == OWNER_SELF && name_is_run(store, cut);
    if (owner == OWNER_ALIVE || is_run_here) {
        owner_describe(cut->home, who, sizeof who);
        snprintf(why, CHX_STORE_WHY, "%s runs it%s", who, is_run_here ? " already" : "");
        return STORE_IS_TAKEN;
    }
    int error = store_take(store, cut, owner != OWNER_UNKNOWN, term, why);
    if (error == 0)
        return store_load_taken(store, cut, *term, again, why);
    *again = error == -EAGAIN || error == -ESTALE || error == -EBUSY || error == -EINPROGRESS;
    owner_describe(cut->home, who, sizeof who);
    if (error == -EBUSY)
        snprintf(why, CHX_STORE_WHY, "%s runs it", who);
    else if (why[0] == '\0')
        snprintf(why, CHX_STORE_WHY, "%s", strerror(-error));
    return error == -EBUSY ? STORE_IS_TAKEN : STORE_IS_WRONG;
}

StoreFound store_find(chx_store *store, const chx_store_key *key, chx_store_cut *cut, uint64_t *term,
                      char why[CHX_STORE_WHY])
{
    uint64_t begin = now_ms();
    StoreFound found = STORE_IS_WRONG;
    for (bool again = true; again; sleep_ms(TAKE_AGAIN_MS)) {
        uint64_t passed = now_ms() - begin;
        int error = store_load(store, key, cut, why);
        again = error == -EAGAIN;
        if (error == -ENOENT)
            return STORE_IS_NEW;
        if (error == 0) {
            found = store_claim(store, cut, term, &again, why);
            if (found == STORE_IS_OVER || found == STORE_IS_OURS)
                return found;
            store_release(store, cut);
        }
        again = again && passed < (found == STORE_IS_TAKEN ? LEASE_MS + 1000 : OPEN_TRIES_MS);
        if (!again)
            return found;
    }
    return found;
}

// ---- committing ----

// It is not known whether the changes have happened. Those of which that is known by now go to the end, behind those that are to
// be tried again, whose number is returned. Negative: the store does not answer.
static int store_look(chx_store *store, int count, char why[CHX_STORE_WHY])
{
    for (int i = 0; i < count;) {
        chx_store_change *change = &store->changes[i];
        CutChange about = {.term = change->term, .version = change->version, .is_first = change->version == 0};
        chx_store_cut cut = {0};
        int error = store->ops->load(store->handle, &change->key, &cut, why);
        if (error != 0 && error != -ENOENT)
            return error;
        bool is_own = error == 0 && memcmp(cut.writer, store->writer, sizeof cut.writer) == 0;
        CutDoubt doubt = cut_doubt(&about, error == 0, cut.term, cut.version, is_own);
        if (error == 0)
            store->ops->release(store->handle, &cut);
        if (doubt == CUT_NOT_DONE) {
            i++;
            continue;
        }
        change->is_applied = doubt == CUT_DONE;
        chx_store_change settled = *change;
        StoreItem *item = store->items[i];
        count--;
        store->changes[i] = store->changes[count];
        store->items[i] = store->items[count];
        store->changes[count] = settled;
        store->items[count] = item;
    }
    return count;
}

// The store has not been written for a while: whoever need not wait any longer goes. Those of the changes that are left, in front; their
// number.
static int store_give_up(chx_store *store, int count, bool is_in_doubt, const char *why)
{
    uint64_t now = now_ms();
    for (int i = 0; i < count;) {
        StoreItem *item = store->items[i];
        bool is_late = item->ops->give_up != NULL && now - item->asked_ms >= OPEN_TRIES_MS;
        if (!is_late || !item->ops->give_up(item, is_in_doubt, why)) {
            i++;
            continue;
        }
        count--;
        store->changes[i] = store->changes[count];
        store->items[i] = store->items[count];
        store->items[count] = NULL;
    }
    return count;
}

// The same for those that are queued meanwhile.
static void store_give_up_queued(chx_store *store, const char *why)
{
    uint64_t now = now_ms();
    pthread_mutex_lock(&store->lock);
    StoreItem *waiting = store->first;
    store->first = NULL;
    store->end = &store->first;
    store->queued = 0;
    pthread_mutex_unlock(&store->lock);
    for (StoreItem *item = waiting, *next; item != NULL; item = next) {
        next = item->next;
        uint64_t asked_ms = item->asked_ms;
        if (item->ops->give_up != NULL && now - asked_ms >= OPEN_TRIES_MS && item->ops->give_up(item, false, why))
            continue;
        store_ask(store, item);
        item->asked_ms = asked_ms;
    }
}

// Until all are applied, stale or given up. False: the store is being closed.
static bool store_commit(chx_store *store, int count)
{
    char why[CHX_STORE_WHY];
    bool is_in_doubt = false;
    unsigned rest_ms = RETRY_MIN_MS;
    while (count > 0) {
        int error = store_use(store, why);
        if (error == 0) {
            int left = is_in_doubt ? store_look(store, count, why) : count;
            error = left < 0 ? left : 0;
            if (left >= 0) {
                is_in_doubt = false;
                count = left;
                error = count > 0 ? store->ops->commit(store->handle, store->changes, (size_t)count, why) : 0;
                is_in_doubt = error == -EINPROGRESS;
            }
            store_unuse(store);
        }
        if (error == 0) {
            store_is_up(store);
            return true;
        }
        if (why[0] == '\0')
            snprintf(why, sizeof why, "%s", strerror(-error));
        store_is_down(store, why);
        count = store_give_up(store, count, is_in_doubt, why);
        store_give_up_queued(store, why);
        if (store_ends(store))
            return false;
        if (count > 0)
            committer_rests(store, &rest_ms);
    }
    store_is_up(store);
    return true;
}

// Takes what is there, as far as there is room. Those for which there is no memory are queued again.
static int committer_build(chx_store *store, StoreItem *first)
{
    int count = 0;
    for (StoreItem *item = first, *next; item != NULL; item = next) {
        next = item->next;
        StoreBuilt built = count < CHANGES_AT_ONCE ? item->ops->build(item, &store->changes[count]) : STORE_NO_MEMORY;
        if (built == STORE_BUILT)
            store->items[count++] = item;
        else if (built == STORE_NO_MEMORY)
            store_ask(store, item);
    }
    return count;
}

static void committer_forget(chx_store *store, Forgotten *forgotten)
{
    char why[CHX_STORE_WHY];
    if (forgotten == NULL || store_use(store, why) != 0) {
        forgotten_free(forgotten);
        return;
    }
    for (const Forgotten *each = forgotten; each != NULL; each = each->next)
        store->ops->drop(store->handle, &each->key, 0, why);
    store_unuse(store);
    forgotten_free(forgotten);
}

void store_retain(chx_store *store, uint64_t kept_ms)
{
    atomic_store(&store->kept_ms, kept_ms);
}

// `swept_ms`: when outcomes were removed last; 0: never.
static void committer_renew_lease(chx_store *store, uint64_t *renew_ms, uint64_t *swept_ms)
{
    char why[CHX_STORE_WHY];
    uint64_t now = now_ms();
    if (now < *renew_ms || store_use(store, why) != 0)
        return;
    store->ops->lease(store->handle, LEASE_MS, why);
    uint64_t kept_ms = atomic_load(&store->kept_ms);
    if (*swept_ms == 0 || now - *swept_ms >= (kept_ms < SWEEP_MS ? kept_ms : SWEEP_MS)) {
        store->ops->drop(store->handle, NULL, kept_ms, why);
        *swept_ms = now;
    }
    store_unuse(store);
    *renew_ms = now + LEASE_RENEW_MS;
}

// Something is queued. Sessions that have just been told of a commit come to their next edge soon: whoever does not wait for them
// divides them into two groups, each of which waits for the other's commit. So it waits for as many as there were last time, though not for
// long compared with what a commit takes.
static void committer_gathers(chx_store *store)
{
    enum { PART = 6, LONGEST_NS = 2000000 };
    uint64_t wait_ns = store->last_took_ns / PART < LONGEST_NS ? store->last_took_ns / PART : LONGEST_NS;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t until_ns = (uint64_t)until.tv_nsec + wait_ns;
    until.tv_sec += (time_t)(until_ns / 1000000000);
    until.tv_nsec = (long)(until_ns % 1000000000);
    store->wanted = store->last_count;
    while (store->queued < store->last_count && !store->ends)
        if (pthread_cond_timedwait(&store->wake, &store->lock, &until) != 0)
            break;
    store->wanted = 0;
}

// What is queued; NULL: it is time for something else.
static StoreItem *committer_next(chx_store *store, Forgotten **forgotten, bool *ends)
{
    pthread_mutex_lock(&store->lock);
    if (store->first == NULL && store->forgotten == NULL && !store->ends)
        committer_waits(store, LEASE_RENEW_MS);
    if (store->first != NULL)
        committer_gathers(store);
    store->queued = 0;
    StoreItem *first = store->first;
    store->first = NULL;
    store->end = &store->first;
    *forgotten = first == NULL ? store->forgotten : NULL;
    if (first == NULL)
        store->forgotten = NULL;
    *ends = store->ends;
    pthread_mutex_unlock(&store->lock);
    return first;
}

static void *committer(void *argument)
{
    chx_store *store = argument;
    uint64_t renew_ms = 0, swept_ms = 0;
    Forgotten *forgotten;
    for (bool ends = false; !ends;) {
        StoreItem *first = committer_next(store, &forgotten, &ends);
        int count = committer_build(store, first);
        uint64_t begin_ns = now_ns();
        if (count > 0 && !store_commit(store, count))
            break;
        store->last_took_ns = now_ns() - begin_ns;
        store->last_count = (unsigned)count;
        for (int i = 0; i < count; i++)
            if (store->items[i] != NULL)
                store->items[i]->ops->done(store->items[i], store->changes[i].is_applied);
        committer_forget(store, forgotten);
        if (!ends)
            committer_renew_lease(store, &renew_ms, &swept_ms);
        if (count == 0 && first != NULL)
            sleep_ms(RETRY_MIN_MS); // no memory
        ends = ends && first == NULL;
    }
    return NULL;
}

// With the lock. Without a thread the sessions wait; the next one that asks tries again.
static void committer_start(chx_store *store, const StoreItem *item)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    store->has_thread = pthread_create(&store->thread, NULL, committer, store) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!store->has_thread)
        log_write(item->runtime, CHX_LOG_ERROR, "no thread could be started to write to the store; sessions wait");
}

void store_ask(chx_store *store, StoreItem *item)
{
    item->asked_ms = now_ms();
    pthread_mutex_lock(&store->lock);
    item->next = NULL;
    *store->end = item;
    store->end = &item->next;
    if (!store->has_thread)
        committer_start(store, item);
    if (++store->queued >= store->wanted)
        pthread_cond_signal(&store->wake);
    pthread_mutex_unlock(&store->lock);
}

void store_forget(chx_store *store, const chx_store_key *key)
{
    size_t one = strlen(key->choreography) + 1, two = strlen(key->space) + 1, three = strlen(key->name) + 1;
    Forgotten *forgotten = malloc(sizeof *forgotten + one + two + three);
    if (forgotten == NULL)
        return; // it goes with the outcomes that are kept for a day
    memcpy(forgotten->text, key->choreography, one);
    memcpy(forgotten->text + one, key->space, two);
    memcpy(forgotten->text + one + two, key->name, three);
    forgotten->key = (chx_store_key){forgotten->text, forgotten->text + one, forgotten->text + one + two};
    pthread_mutex_lock(&store->lock);
    forgotten->next = store->forgotten;
    store->forgotten = forgotten;
    pthread_cond_signal(&store->wake);
    pthread_mutex_unlock(&store->lock);
}
