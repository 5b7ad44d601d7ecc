// replicas.c: Primary and Backup. What they keep is ordinary memory of this program: one session at a time.

#define _POSIX_C_SOURCE 200809L
#include "key_value.h"
#include "store.h"
#include "key_value.Backup.chor.h"
#include "key_value.Primary.chor.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct memory {
    bool begun; // false: a new instance, which knows nothing yet
    Store store;
};

// In a process of its own a new instance has empty memory anyway. In a thread it could still see the old one's, and must
// not: what a dead role left behind may be half done.
static void forget(struct memory *memory)
{
    store_clear(&memory->store);
    memory->begun = false;
}

static chx_bytes save(const struct memory *memory)
{
    if (!memory->begun)
        chx_fail("both copies are lost");
    size_t size;
    char *data = store_save(&memory->store, &size);
    if (data == NULL)
        chx_fail("no memory for a copy");
    chx_bytes copy = chx_bytes_new(data, size);
    free(data);
    return copy;
}

static int load(struct memory *memory, chx_bytes copy)
{
    if (!store_load(&memory->store, chx_bytes_data(copy), chx_bytes_len(copy)))
        chx_fail("no memory for a copy");
    memory->begun = true;
    return (int)memory->store.count;
}

// Doing it twice is doing it once: a request may be served again in the rescue.
static void change(struct memory *memory, struct request request)
{
    if (request.verb == PUT && !store_put(&memory->store, request.key, request.value))
        chx_fail("no memory for %s", request.key);
    if (request.verb == DEL)
        store_delete(&memory->store, request.key);
}

static void die(enum crash how)
{
    if (how == CRASH_KILL)
        kill(getpid(), SIGKILL);
    if (how == CRASH_ABORT)
        abort();
    chx_fail("asked to");
}

// ---- Primary ----

static struct memory primary;

static void Primary_init(void)
{
    forget(&primary);
}
static void Primary_begin(void)
{
    primary.begun = true;
}
static bool Primary_is_new(void)
{
    return !primary.begun;
}
static chx_bytes Primary_save(void)
{
    return save(&primary);
}
static int Primary_load(chx_bytes copy)
{
    return load(&primary, copy);
}
static void Primary_crash(enum crash how)
{
    die(how);
}

static chx_str list_of(const Store *store)
{
    chx_str list = chx_strf("%zu entries", store->count);
    for (size_t i = 0; i < store->count; i++)
        list = chx_strf("%s%s %s = %s", chx_cstr(list), i == 0 ? ":" : ",", store->entries[i].key,
                        store->entries[i].value);
    return list;
}

static chx_str Primary_answer(struct request request)
{
    change(&primary, request);
    const char *value;
    switch (request.verb) {
    case GET:
        value = store_get(&primary.store, request.key);
        return value != NULL ? chx_strf("%s", value) : chx_strf("there is no %s", request.key);
    case LIST:
        return list_of(&primary.store);
    case WRONG:
        return chx_strf("not a request");
    default:
        return chx_strf("ok");
    }
}

// ---- Backup ----

static struct memory backup;

static void Backup_init(void)
{
    forget(&backup);
}
static void Backup_begin(void)
{
    backup.begun = true;
}
static bool Backup_is_new(void)
{
    return !backup.begun;
}
static chx_bytes Backup_save(void)
{
    return save(&backup);
}
static int Backup_load(chx_bytes copy)
{
    return load(&backup, copy);
}
static void Backup_crash(enum crash how)
{
    die(how);
}

static void Backup_change(struct request request)
{
    change(&backup, request);
}
