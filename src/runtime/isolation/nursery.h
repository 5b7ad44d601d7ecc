// nursery.h: the process that starts the processes of isolated roles.
//
// The program starts itself once more; a constructor of the library turns that copy into the nursery before main: one
// thread, nothing open but what it was given. It forks a process for each role on demand, sees them end through pidfds,
// and ends with the program, however that ends; its children end with it.

#ifndef RUNTIME_ISOLATION_NURSERY_H
#define RUNTIME_ISOLATION_NURSERY_H

#include "runtime/core/private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
    pthread_mutex_t lock;
    int socket; // -1: there is none
    int life;   // a pipe that is open as long as the nursery or one of its children lives
    pid_t pid;
    _Atomic bool is_replaced; // it was lost, and the next one is on its way: who asks waits for that
    unsigned unbegun;         // so many in a row have not said that they have begun
} Nursery;

typedef enum { NURSERY_SPAWN, NURSERY_KILL, NURSERY_BEGUN, NURSERY_EXITED, NURSERY_REFUSED } NurseryKind;

typedef struct {
    uint32_t kind;
    int32_t status; // EXITED: of waitpid. REFUSED: errno
    uint64_t id;
} NurseryMessage;

// What a child gets.
typedef struct {
    int house, restore, bell;
    int trace; // -1: there is none
} NurseryFiles;

// Any thread may ask; one starts, hears and ends it.

// False: it can't be had; errno says why.
bool nursery_start(Nursery *nursery);
// Afterwards all its children are dead.
void nursery_end(Nursery *nursery);
// Asks. False: it is gone.
bool nursery_spawn(Nursery *nursery, uint64_t id, const NurseryFiles *files);
bool nursery_kill(Nursery *nursery, uint64_t id);
// An answer, without waiting: 1; none there: 0; the nursery is gone: -1.
int nursery_hear(Nursery *nursery, NurseryMessage *message);

// The same file, away from the standard streams' numbers and the nursery's: a program may be started with those closed,
// and then print.
int file_high(int file);

// The life of an isolated role in its own process. Does not return.
_Noreturn void process_main(const NurseryFiles *files);

#endif
