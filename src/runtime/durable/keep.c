// keep.c: sessions that a library beside this one keeps in a store: chorex/remote.h. Commits go through the store's committer, together
// with those of sessions of this program; what a store has of a session is looked up by a thread of its own, since that may take as long
// as the lease of another program.

#include "runtime/durable/durable.h"

#include "runtime/platform/platform.h"
#include "runtime/session/report.h"

#include <chorex/remote.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct chx_keep {
    StoreItem item; // the first member
    chx_keeper *keeper;
    const chx_keep_ops *ops;
    void *context;
    StoreName *claim;
    chx_keep *next; // of those that are looked up
    chx_store_key key;
    char *text; // of the key
};

struct chx_keeper {
    StoreItem item; // the first member; see keeper_start
    chx_runtime *runtime;
    chx_store *store;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    chx_keep *first, **end; // to be looked up
    bool ends;
    pthread_t thread;
};

// ---- looking up ----

static void keep_look_up(chx_keep *keep)
{
    chx_store *store = keep->keeper->store;
    char why[CHX_STORE_WHY] = "";
    chx_store_cut cut = {0};
    uint64_t term = 0;
    bool lacks_memory = false;
    keep->claim = store_name_claim(store, &keep->key, &lacks_memory);
    if (keep->claim == NULL) {
        snprintf(why, sizeof why, "%s", lacks_memory ? "out of memory" : "this program runs it already");
        keep->ops->found(keep->context, CHX_KEEP_TAKEN, 0, NULL, why);
        return;
    }
    StoreFound found = store_find(store, &keep->key, &cut, &term, why);
    bool has_cut = found == STORE_IS_OURS || found == STORE_IS_OVER;
    static const chx_keep_found as[] = {[STORE_IS_NEW] = CHX_KEEP_NEW,
                                        [STORE_IS_OVER] = CHX_KEEP_OVER,
                                        [STORE_IS_OURS] = CHX_KEEP_OURS,
                                        [STORE_IS_TAKEN] = CHX_KEEP_TAKEN,
                                        [STORE_IS_WRONG] = CHX_KEEP_WRONG};
    if (found != STORE_IS_NEW && found != STORE_IS_OURS) {
        store_name_release(keep->claim);
        keep->claim = NULL;
    }
    keep->ops->found(keep->context, as[found], term, has_cut ? &cut : NULL, why);
    // The keep may be gone.
    if (has_cut)
        store_release(store, &cut);
}

static void *keeper_run(void *argument)
{
    chx_keeper *keeper = argument;
    pthread_mutex_lock(&keeper->lock);
    for (;;) {
        while (keeper->first == NULL && !keeper->ends)
            pthread_cond_wait(&keeper->wake, &keeper->lock);
        chx_keep *keep = keeper->first;
        if (keep == NULL || keeper->ends)
            break;
        keeper->first = keep->next;
        if (keeper->first == NULL)
            keeper->end = &keeper->first;
        pthread_mutex_unlock(&keeper->lock);
        keep_look_up(keep);
        pthread_mutex_lock(&keeper->lock);
    }
    pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

int chx_keep_find(chx_keep *keep, const chx_store_key *key)
{
    chx_keeper *keeper = keep->keeper;
    size_t one = strlen(key->choreography) + 1, two = strlen(key->space) + 1, three = strlen(key->name) + 1;
    free(keep->text);
    keep->text = malloc(one + two + three);
    if (keep->text == NULL)
        return -ENOMEM;
    memcpy(keep->text, key->choreography, one);
    memcpy(keep->text + one, key->space, two);
    memcpy(keep->text + one + two, key->name, three);
    keep->key = (chx_store_key){keep->text, keep->text + one, keep->text + one + two};
    keep->next = NULL;
    pthread_mutex_lock(&keeper->lock);
    *keeper->end = keep;
    keeper->end = &keep->next;
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
    return 0;
}

const chx_store_key *chx_keep_key(const chx_keep *keep)
{
    return &keep->key;
}

// ---- committing ----

static StoreBuilt keep_build(StoreItem *item, chx_store_change *change)
{
    const chx_keep *keep = (const chx_keep *)(const void *)item;
    int built = keep->ops->build(keep->context, change);
    change->key = keep->key;
    change->home = store_home(keep->keeper->store);
    return built > 0 ? STORE_BUILT : built == 0 ? STORE_NOTHING : STORE_NO_MEMORY;
}

static void keep_done(StoreItem *item, bool is_applied)
{
    const chx_keep *keep = (const chx_keep *)(const void *)item;
    keep->ops->done(keep->context, is_applied);
}

static bool keep_give_up(StoreItem *item, bool is_in_doubt, const char *why)
{
    const chx_keep *keep = (const chx_keep *)(const void *)item;
    return keep->ops->give_up(keep->context, is_in_doubt, why);
}

static const StoreItemOps keep_item_ops = {keep_build, keep_done, keep_give_up};

chx_keep *chx_keep_new(chx_keeper *keeper, const chx_keep_ops *ops, void *context)
{
    chx_keep *keep = calloc(1, sizeof *keep);
    if (keep == NULL)
        return NULL;
    keep->item = (StoreItem){.ops = &keep_item_ops, .runtime = keeper->runtime};
    keep->keeper = keeper;
    keep->ops = ops;
    keep->context = context;
    return keep;
}

void chx_keep_ask(chx_keep *keep)
{
    store_ask(keep->keeper->store, &keep->item);
}

void chx_keep_forget(chx_keep *keep)
{
    store_forget(keep->keeper->store, &keep->key);
}

void chx_keep_free(chx_keep *keep)
{
    if (keep == NULL)
        return;
    store_name_release(keep->claim);
    free(keep->text);
    free(keep);
}

// ---- the store ----

// The committer renews the lease as soon as there is one: sessions that have nothing to commit are this program's all the same.
static StoreBuilt keeper_build(StoreItem *item, chx_store_change *change)
{
    (void)item;
    (void)change;
    return STORE_NOTHING;
}
static const StoreItemOps keeper_item_ops = {keeper_build, NULL, NULL};

chx_keeper *chx_keeper_open(chx_runtime *runtime, const char *address, chx_status *status)
{
    chx_store *store = NULL;
    *status = store_at(address, "store", NULL, &store);
    chx_keeper *keeper = *status == CHX_OK ? calloc(1, sizeof *keeper) : NULL;
    if (keeper == NULL) {
        if (*status == CHX_OK)
            *status = report_refuse(CHX_NO_MEMORY, NULL, NULL, "out of memory");
        chx_store_close(store);
        return NULL;
    }
    *keeper = (chx_keeper){.item = {.ops = &keeper_item_ops, .runtime = runtime}, .runtime = runtime, .store = store};
    keeper->end = &keeper->first;
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_cond_init(&keeper->wake, NULL);
    if (!platform_from_env()->thread_start(&keeper->thread, keeper_run, keeper)) {
        *status = report_refuse(CHX_NO_MEMORY, NULL, NULL, "no thread could be started for the store");
        chx_store_close(store);
        free(keeper);
        return NULL;
    }
    store_ask(store, &keeper->item);
    return keeper;
}

void chx_keeper_retain(chx_keeper *keeper, uint64_t kept_ms)
{
    if (keeper != NULL)
        store_retain(keeper->store, kept_ms);
}

void chx_keeper_close(chx_keeper *keeper)
{
    if (keeper == NULL)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->ends = true;
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
    platform_from_env()->thread_join(keeper->thread);
    chx_store_close(keeper->store);
    pthread_mutex_destroy(&keeper->lock);
    pthread_cond_destroy(&keeper->wake);
    free(keeper);
}

// ---- pieces ----

_Static_assert((int)CHX_KEEP_HEAD_SIZE == (int)DURABLE_HEAD_BYTES, "heads are those of sessions of one program");

size_t chx_keep_head_write(const chx_keep_head *head, unsigned char bytes[CHX_KEEP_HEAD_SIZE])
{
    DurableHead from = {head->block, head->ordinal, head->attempt, head->fault};
    return head_write(&from, bytes);
}

bool chx_keep_head_read(const void *data, size_t size, chx_keep_head *head, char text[CHX_KEEP_HEAD_SIZE])
{
    DurableHead read;
    bool is_good = head_read(data, size, &read, text);
    *head = (chx_keep_head){read.block, read.ordinal, read.attempt, read.fault};
    return is_good;
}

void chx_keep_outcome_write(chx_buffer *buffer, chx_status status, const chx_fault *fault, unsigned restarts)
{
    chx_report report = {.role = "", .why = "", .file = "", .restarts = restarts};
    if (fault != NULL) {
        report.role = fault->role != NULL ? fault->role : "";
        report.why = fault->why != NULL ? fault->why : "";
        report.kind = fault->kind;
        report.signal = fault->signal;
        report.line = fault->line;
    }
    outcome_write(buffer, status, &report);
}

bool chx_keep_outcome_read(const void *data, size_t size, chx_status *status, chx_fault *fault, unsigned *restarts,
                           char text[CHX_KEEP_HEAD_SIZE])
{
    chx_report report;
    bool is_good = outcome_read(data, size, status, &report, text);
    *fault = (chx_fault){report.role, report.kind, report.signal, report.why, "", report.line};
    *restarts = report.restarts;
    return is_good;
}
