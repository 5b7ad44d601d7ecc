// disk.c: see disk.h.

#define _GNU_SOURCE

#include "store/sqlite/disk.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR = 512 };

typedef struct Write Write;
typedef struct File File;

// Something that was written and not synced yet, and what was there before.
struct Write {
    Write *older;
    File *file;
    sqlite3_int64 at, old_size; // of the file
    int size, had;              // bytes; of these, bytes that were there before
    unsigned char *data, *old;
};

struct File {
    sqlite3_file base;
    File *next;
    sqlite3_file *real; // behind this struct
};

// One disk for each process: SQLite's interface has no place for a context.
static struct {
    DiskFault fault;
    uint64_t n, times, calls;
    uint32_t random;
    sqlite3_vfs vfs, *real;
    File *files;
    Write *writes; // the latest first
} disk;

static uint32_t next_random(void)
{
    disk.random = disk.random * 1664525 + 1013904223;
    return disk.random >> 8;
}

// ---- a loss of power ----

static void forget(const File *file)
{
    for (Write **at = &disk.writes, *write; (write = *at) != NULL;) {
        if (file != NULL && write->file != file) {
            at = &write->older;
            continue;
        }
        *at = write->older;
        free(write->data);
        free(write->old);
        free(write);
    }
}

static void remember(File *file, const void *data, int size, sqlite3_int64 at)
{
    Write *write = calloc(1, sizeof *write);
    *write =
        (Write){.older = disk.writes, .file = file, .at = at, .size = size, .data = malloc(size), .old = malloc(size)};
    memcpy(write->data, data, (size_t)size);
    file->real->pMethods->xFileSize(file->real, &write->old_size);
    sqlite3_int64 had = write->old_size - at;
    write->had = had < 0 ? 0 : had > size ? size : (int)had;
    if (write->had > 0)
        file->real->pMethods->xRead(file->real, write->old, write->had, at);
    disk.writes = write;
}

// A sector arrives or does not, all by itself.
static void write_again(const Write *write)
{
    for (int done = 0; done < write->size;) {
        int size = SECTOR - (int)((write->at + done) % SECTOR);
        size = size > write->size - done ? write->size - done : size;
        if (next_random() % 2 == 0)
            write->file->real->pMethods->xWrite(write->file->real, write->data + done, size, write->at + done);
        done += size;
    }
}

static void write_all_again(const Write *write)
{
    if (write == NULL)
        return;
    write_all_again(write->older);
    write_again(write);
}

static _Noreturn void lose_power(void)
{
    // Back to what was synced; then some of the rest.
    for (Write *write = disk.writes; write != NULL; write = write->older) {
        const sqlite3_io_methods *real = write->file->real->pMethods;
        if (write->had > 0)
            real->xWrite(write->file->real, write->old, write->had, write->at);
        real->xTruncate(write->file->real, write->old_size);
    }
    if (next_random() % 4 != 0)
        write_all_again(disk.writes);
    kill(getpid(), SIGKILL);
    abort();
}

static _Noreturn void be_killed(void)
{
    kill(getpid(), SIGKILL);
    abort();
}

// ---- calls ----

// The fault of this call.
static DiskFault fault_now(void)
{
    uint64_t call = ++disk.calls;
    bool lasts = disk.fault == DISK_FULL || disk.fault == DISK_IO;
    return disk.n > 0 && call >= disk.n && call < disk.n + (lasts ? disk.times : 1) ? disk.fault : DISK_WELL;
}

static int disk_write(sqlite3_file *base, const void *data, int size, sqlite3_int64 at)
{
    File *file = (File *)base;
    DiskFault fault = fault_now();
    if (fault == DISK_KILL_BEFORE)
        be_killed();
    if (fault == DISK_FULL)
        return SQLITE_FULL;
    if (fault == DISK_IO)
        return SQLITE_IOERR_WRITE;
    remember(file, data, size, at);
    if (fault == DISK_KILL_TORN) {
        file->real->pMethods->xWrite(file->real, data, (int)(next_random() % (uint32_t)(size + 1)), at);
        be_killed();
    }
    int result = file->real->pMethods->xWrite(file->real, data, size, at);
    if (fault == DISK_KILL_AFTER)
        be_killed();
    if (fault == DISK_POWER)
        lose_power();
    return result;
}

static int disk_sync(sqlite3_file *base, int flags)
{
    File *file = (File *)base;
    DiskFault fault = fault_now();
    (void)flags;
    if (fault == DISK_KILL_BEFORE || fault == DISK_KILL_TORN)
        be_killed();
    // Some of it may have arrived all the same, and the program goes on: so nothing is forgotten.
    if (fault == DISK_FULL || fault == DISK_IO)
        return SQLITE_IOERR_FSYNC;
    // The power may be lost before the sync is done as well as after it.
    if (fault == DISK_POWER && next_random() % 2 == 0)
        lose_power();
    forget(file);
    if (fault == DISK_KILL_AFTER)
        be_killed();
    if (fault == DISK_POWER)
        lose_power();
    return SQLITE_OK;
}

// SQLite truncates logs and journals only where it does not matter whether they are there.
static int disk_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    File *file = (File *)base;
    DiskFault fault = fault_now();
    if (fault == DISK_KILL_BEFORE || fault == DISK_KILL_TORN)
        be_killed();
    if (fault == DISK_FULL || fault == DISK_IO)
        return SQLITE_IOERR_TRUNCATE;
    if (fault == DISK_POWER)
        lose_power();
    forget(file);
    int result = file->real->pMethods->xTruncate(file->real, size);
    if (fault == DISK_KILL_AFTER)
        be_killed();
    return result;
}

static int disk_close(sqlite3_file *base)
{
    File *file = (File *)base;
    for (File **at = &disk.files; *at != NULL; at = &(*at)->next) {
        if (*at == file) {
            *at = file->next;
            break;
        }
    }
    forget(file);
    return file->real->pMethods->xClose(file->real);
}

// The rest is as it is.
#define REAL(base) (((File *)(base))->real)
static int disk_read(sqlite3_file *base, void *data, int size, sqlite3_int64 at)
{
    return REAL(base)->pMethods->xRead(REAL(base), data, size, at);
}
static int disk_size(sqlite3_file *base, sqlite3_int64 *size)
{
    return REAL(base)->pMethods->xFileSize(REAL(base), size);
}
static int disk_lock(sqlite3_file *base, int level)
{
    return REAL(base)->pMethods->xLock(REAL(base), level);
}
static int disk_unlock(sqlite3_file *base, int level)
{
    return REAL(base)->pMethods->xUnlock(REAL(base), level);
}
static int disk_check_lock(sqlite3_file *base, int *result)
{
    return REAL(base)->pMethods->xCheckReservedLock(REAL(base), result);
}
static int disk_control(sqlite3_file *base, int operation, void *argument)
{
    return REAL(base)->pMethods->xFileControl(REAL(base), operation, argument);
}
static int disk_sector(sqlite3_file *base)
{
    return REAL(base)->pMethods->xSectorSize(REAL(base));
}
// A disk that promises nothing.
static int disk_properties(sqlite3_file *base)
{
    (void)base;
    return 0;
}
static int disk_shm_map(sqlite3_file *base, int page, int size, int extends, void volatile **memory)
{
    return REAL(base)->pMethods->xShmMap(REAL(base), page, size, extends, memory);
}
static int disk_shm_lock(sqlite3_file *base, int offset, int n, int flags)
{
    return REAL(base)->pMethods->xShmLock(REAL(base), offset, n, flags);
}
static void disk_shm_barrier(sqlite3_file *base)
{
    REAL(base)->pMethods->xShmBarrier(REAL(base));
}
static int disk_shm_unmap(sqlite3_file *base, int deletes)
{
    return REAL(base)->pMethods->xShmUnmap(REAL(base), deletes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_check_lock,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector,
    .xDeviceCharacteristics = disk_properties,
    .xShmMap = disk_shm_map,
    .xShmLock = disk_shm_lock,
    .xShmBarrier = disk_shm_barrier,
    .xShmUnmap = disk_shm_unmap,
};

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags)
{
    File *file = (File *)base;
    (void)vfs;
    *file = (File){.next = disk.files, .real = (sqlite3_file *)(file + 1)};
    int result = disk.real->xOpen(disk.real, name, file->real, flags, out_flags);
    if (file->real->pMethods != NULL) {
        file->base.pMethods = &methods;
        disk.files = file;
    }
    return result;
}

// Without the real sync of its folder.
static int disk_delete(sqlite3_vfs *vfs, const char *name, int syncs)
{
    (void)vfs, (void)syncs;
    return disk.real->xDelete(disk.real, name, 0);
}

void disk_install(DiskFault fault, uint64_t n, uint64_t times, uint32_t seed)
{
    disk.fault = fault;
    disk.n = n;
    disk.times = times;
    disk.random = seed;
    disk.calls = 0;
    if (disk.real != NULL)
        return;
    disk.real = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.real;
    disk.vfs.szOsFile += (int)sizeof(File);
    disk.vfs.zName = "chorex-disk";
    disk.vfs.xOpen = disk_open;
    disk.vfs.xDelete = disk_delete;
    sqlite3_vfs_register(&disk.vfs, 1);
}

uint64_t disk_calls(void)
{
    return disk.calls;
}

const char *disk_fault_text(DiskFault fault)
{
    static const char *const texts[DISK_FAULTS] = {"well",       "kill before", "kill after", "kill torn",
                                                   "power loss", "disk full",   "I/O error"};
    return texts[fault];
}
