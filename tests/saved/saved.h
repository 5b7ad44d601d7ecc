// saved.h: what the generated programs of this folder share: values that can be recognised, deaths by plan, and a count
// of the values that are alive.
//
// Every value is made from a number, and can be compared with what that number makes. A plan is a list of points of the
// program, each of which belongs to one role: the first time that the first of them is reached, its role dies there, then
// the same for the second one, and so on. A role in a process of its own dies by SIGKILL, another one by chx_fail.
// A point above SAVED_CODEC is not a place in the program: so many times later a value with a codec can't be copied.
// Standard input has one plan per line: the roles in processes (a bit each), then the points.

#ifndef SAVED_H
#define SAVED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <chorex.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SAVED_DEATHS_MAX = 8,
    SAVED_CODEC = 100000,
    SAVED_HANG_S = 60,
    SAVED_TEXT = 5040, // and up to three times 16 more
    SAVED_TEXT_SPACE = SAVED_TEXT + 64,
    SAVED_ITEM = SAVED_TEXT + 1,
};

typedef struct {
    _Atomic int program; // its process id
    _Atomic uint32_t next, deaths;
    _Atomic uint32_t codec_calls; // since the last death
    _Atomic uint32_t wrong;
    uint32_t plan[SAVED_DEATHS_MAX + 1]; // points, then 0
} SavedShared;

// In the folder of the program, which its role processes find, too.
static inline SavedShared *saved_shared(void)
{
    static SavedShared *shared;
    if (shared != NULL)
        return shared;
    int file = open(getenv("SAVED_SHARED"), O_RDWR | O_CLOEXEC | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *shared) != 0)
        abort();
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        abort();
    close(file);
    return shared = (SavedShared *)memory;
}

static inline bool saved_is_isolated(void)
{
    return (int)getpid() != atomic_load(&saved_shared()->program);
}

static inline void saved_wrong(int line, const char *what, long expected)
{
    char text[200];
    int size = snprintf(text, sizeof text, "WRONG: line %d: %s is not %ld (role %s, process %d)\n", line, what,
                        expected, chx_role_name(), (int)getpid());
    atomic_fetch_add(&saved_shared()->wrong, 1);
    if (write(2, text, (size_t)size) < 0)
        abort();
}

// A place where the plan may want the role to die.
static inline void tick(uint32_t point)
{
    SavedShared *shared = saved_shared();
    uint32_t next = atomic_load(&shared->next);
    if (shared->plan[next] != point || !atomic_compare_exchange_strong(&shared->next, &next, next + 1))
        return;
    atomic_fetch_add(&shared->deaths, 1);
    if (saved_is_isolated())
        kill(getpid(), SIGKILL);
    chx_fail("dies at point %u", (unsigned)point);
}

// The same in the functions of a codec.
static inline void tick_codec(void)
{
    SavedShared *shared = saved_shared();
    uint32_t next = atomic_load(&shared->next), wanted = shared->plan[next];
    if (wanted <= SAVED_CODEC || atomic_fetch_add(&shared->codec_calls, 1) + 1 != wanted - SAVED_CODEC)
        return;
    atomic_store(&shared->codec_calls, 0);
    atomic_store(&shared->next, next + 1);
    atomic_fetch_add(&shared->deaths, 1);
    chx_fail("dies at point %u", (unsigned)wanted);
}

// ---- values ----

static inline void saved_fill(char text[SAVED_TEXT_SPACE], int id)
{
    int size = SAVED_TEXT + id % 4 * 16;
    memset(text, 'a' + id % 26, (size_t)size);
    text[size] = '\0';
    text[snprintf(text, 32, "%d", id)] = ':';
}

static inline bool saved_is(const void *data, size_t size, int id)
{
    char text[SAVED_TEXT_SPACE];
    saved_fill(text, id);
    return data != NULL && size == strlen(text) && memcmp(data, text, size) == 0;
}

static inline chx_str str_make(int id)
{
    char text[SAVED_TEXT_SPACE];
    saved_fill(text, id);
    return chx_str_new(text, strlen(text));
}

static inline bool str_is(chx_str value, int id)
{
    return saved_is(chx_cstr(value), chx_str_len(value), id);
}

static inline const char *cstr_make(int id)
{
    return chx_cstr(str_make(id));
}

static inline bool cstr_is(const char *value, int id)
{
    return value != NULL && saved_is(value, strlen(value), id);
}

static inline chx_bytes bytes_make(int id)
{
    char text[SAVED_TEXT_SPACE];
    saved_fill(text, id);
    return chx_bytes_new(text, strlen(text));
}

static inline bool bytes_is(chx_bytes value, int id)
{
    return saved_is(chx_bytes_data(value), chx_bytes_len(value), id);
}

// With a codec: two items on the heap.
struct item {
    struct item *next;
    int id;
    char rest[SAVED_ITEM - 32];
};
typedef struct {
    struct item *first;
} list;

static inline void list_drop(void *value)
{
    list *all = (list *)value;
    while (all->first != NULL) {
        struct item *item = all->first;
        all->first = item->next;
        free(item);
    }
}

static inline list list_make(int id)
{
    list made = {NULL};
    for (int i = 0; i < 2; i++) {
        struct item *item = (struct item *)malloc(SAVED_ITEM);
        if (item == NULL)
            abort();
        item->next = made.first;
        item->id = id + i;
        memset(item->rest, id, sizeof item->rest);
        made.first = item;
    }
    return made;
}

static inline bool list_is(list value, int id)
{
    const struct item *item = value.first;
    for (int i = 1; i >= 0; i--, item = item->next)
        if (item == NULL || item->id != id + i || item->rest[9] != (char)id)
            return false;
    return item == NULL;
}

static inline void list_encode(chx_writer *writer, const void *value)
{
    const list *all = (const list *)value;
    chx_write_u64(writer, (uint64_t)(all->first->id - 1));
}

static inline bool list_decode(chx_reader *reader, void *value)
{
    uint64_t id;
    tick_codec();
    if (!chx_read_u64(reader, &id))
        return false;
    *(list *)value = list_make((int)id);
    return true;
}

CHX_CODEC(list, list_encode, list_decode, list_drop);

typedef struct {
    int id;
    const char *name;
    chx_str text;
    chx_bytes data[2];
} record;

static inline record record_make(int id)
{
    return (record){id, cstr_make(id), str_make(id + 1), {bytes_make(id + 2), bytes_make(id + 3)}};
}

static inline bool record_is(record value, int id)
{
    return value.id == id && cstr_is(value.name, id) && str_is(value.text, id + 1) && bytes_is(value.data[0], id + 2) &&
           bytes_is(value.data[1], id + 3);
}

// It has bit-fields, and goes through another struct without.
typedef struct {
    unsigned low : 5;
    signed int high : 20;
    chx_str text;
} packed;

static inline packed packed_make(int id)
{
    return (packed){.low = (unsigned)id % 32, .high = id / 32 % 1000, .text = str_make(id)};
}

static inline bool packed_is(packed value, int id)
{
    return value.low == (unsigned)id % 32 && value.high == id / 32 % 1000 && str_is(value.text, id);
}

// The codec's value is a part.
typedef struct {
    int id;
    list items;
} box;

static inline bool box_is(box value, int id)
{
    return value.id == id && list_is(value.items, id);
}

#define check(is, id) ((is) ? (void)0 : saved_wrong(__LINE__, #is, id))

// A rescue's fault, as a string that is kept, and later.
static inline chx_str fault_text(chx_fault fault)
{
    return chx_strf("%s|%s|%s|%d", fault.role, fault.why, fault.file, fault.line);
}

static inline void fault_check(chx_str text, chx_fault fault, int place)
{
    if (strcmp(chx_cstr(text), chx_cstr(fault_text(fault))) != 0)
        saved_wrong(place, "the fault", 0);
    if (strncmp(fault.why, "SIGKILL", 7) != 0 && strncmp(fault.why, "dies at point ", 14) != 0)
        saved_wrong(place, fault.why, 0);
}

#define fault_is(text, fault) fault_check(text, fault, __LINE__)

// ---- how many of them are there? ----

// AddressSanitizer's; its header is not in every installation.
size_t __sanitizer_get_allocated_size(const volatile void *memory);
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *memory, size_t size),
                                              void (*free_hook)(const volatile void *memory));

static _Atomic long saved_live;

// Texts and items have sizes that nothing else has: messages are as large as texts, but have another head.
static inline bool saved_is_value(size_t size)
{
    return size >= SAVED_TEXT && size <= SAVED_TEXT_SPACE && size % 16 == 1;
}

static inline void saved_malloc(const volatile void *memory, size_t size)
{
    (void)memory;
    if (saved_is_value(size))
        atomic_fetch_add(&saved_live, 1);
}

static inline void saved_free(const volatile void *memory)
{
    if (memory != NULL && saved_is_value(__sanitizer_get_allocated_size(memory)))
        atomic_fetch_sub(&saved_live, 1);
}

__attribute__((constructor(101))) static void saved_begin_counting(void)
{
    __sanitizer_install_malloc_and_free_hooks(saved_malloc, saved_free);
}

// At the end of a role that has a process of its own, and of a session.
static inline void saved_count(void)
{
    if (atomic_load(&saved_live) != 0)
        saved_wrong(__LINE__, "the number of values that were not released", atomic_load(&saved_live));
}

static inline void saved_fini(void)
{
    if (saved_is_isolated())
        saved_count();
}

// ---- the program ----

static inline int saved_main(chx_status (*session)(unsigned isolated))
{
    char line[256];
    unsigned sessions = 0, deaths = 0, bad = 0;
    SavedShared *shared = saved_shared();
    atomic_store(&shared->program, (int)getpid());
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *at = line;
        unsigned isolated = (unsigned)strtoul(at, &at, 10);
        memset(shared->plan, 0, sizeof shared->plan);
        for (int i = 0; i < SAVED_DEATHS_MAX; i++)
            shared->plan[i] = (uint32_t)strtoul(at, &at, 10);
        // A copy is also made where no block takes up that it fails: at the entry of the first one.
        bool may_fail = shared->plan[0] > SAVED_CODEC || shared->plan[1] > SAVED_CODEC || shared->plan[2] > SAVED_CODEC;
        atomic_store(&shared->next, 0);
        atomic_store(&shared->codec_calls, 0);
        atomic_store(&shared->deaths, 0);
        atomic_store(&shared->wrong, 0);
        alarm(SAVED_HANG_S);
        chx_status status = session(isolated);
        alarm(0);
        const chx_report *report = chx_last_report();
        if (status != CHX_OK && (!may_fail || strncmp(report->why, "dies at point", 13) != 0)) {
            fprintf(stderr, "WRONG: the session failed: %s:%d: %s: %s\n", report->file, report->line, report->role,
                    report->why);
            atomic_fetch_add(&shared->wrong, 1);
        }
        saved_count();
        atomic_store(&saved_live, 0);
        sessions++;
        deaths += atomic_load(&shared->deaths);
        if (atomic_load(&shared->wrong) != 0) {
            fprintf(stderr, "PLAN: %s", line);
            bad++;
        }
        if (bad >= 3)
            break;
    }
    printf("%u sessions, %u deaths, %u wrong\n", sessions, deaths, bad);
    return bad != 0;
}

#endif
