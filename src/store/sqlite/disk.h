// disk.h: a disk for SQLite that fails on purpose: at the n-th write or sync the process is killed, the power is lost, or the call fails.
//
// It is a VFS around the usual one, for tests. Whatever was not synced when the power is lost may be there or not, sector by sector.

#ifndef STORE_SQLITE_DISK_H
#define STORE_SQLITE_DISK_H

#include <stdint.h>

typedef enum {
    DISK_WELL,
    DISK_KILL_BEFORE, // the process is killed before the call
    DISK_KILL_AFTER,
    DISK_KILL_TORN, // a part of what is written arrives
    DISK_POWER,     // the call is done, then the power is lost
    DISK_FULL,      // the call fails: there is no room
    DISK_IO,        // the call fails
    DISK_FAULTS
} DiskFault;

// Becomes the disk of all databases that are opened from now on in this process. The n-th call (1: the next) has the fault; those that fail do so
// `times` times in a row. Nothing is really synced: only a loss of power that is simulated takes place.
void disk_install(DiskFault fault, uint64_t n, uint64_t times, uint32_t seed);
// Calls so far, in this process.
uint64_t disk_calls(void);
const char *disk_fault_text(DiskFault fault);

#endif
