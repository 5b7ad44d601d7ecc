// zygote.h: the process that starts the processes of isolated roles.
//
// The program starts itself once more (startup.h says when it can); a constructor of the library turns that copy into the
// zygote before main: one thread, nothing open but what it was given. It says so before anything is asked of it. It forks
// a process for each role on demand, sees them end through pidfds, and ends with the program, however that ends; its
// children end with it, and so does whatever they have started.

#ifndef RUNTIME_ISOLATION_ZYGOTE_H
#define RUNTIME_ISOLATION_ZYGOTE_H

#include "runtime/platform/descriptor.h"
#include "runtime/platform/platform.h"
#include "runtime/session/report.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
    const Platform *platform;
    pthread_mutex_t lock;
    Descriptor socket; // none: there is no zygote
    Descriptor life;   // a pipe that is open as long as the zygote or one of its children lives
    pid_t pid;
    uint64_t pid_time;          // when that process began: a later one with its number began at another time
    _Atomic bool is_replaced;   // it was lost, and the next one is on its way: who asks waits for that
    _Atomic uint64_t pinged_ns; // it was asked then whether it still listens; 0: it has answered
    _Atomic uint64_t heard_ns;  // what was asked of it before then has been done
    unsigned silences; // so often in a row there was no answer yet when it was looked for; of the thread that hears
    _Atomic bool is_terminated;  // it was killed by the program, which has not heard its end yet
    _Atomic uint64_t generation; // rises, under the lock, when one ends: the present one's number
    char why[REPORT_WHY_SIZE];   // the last one could not be started
} Zygote;

// A child may get more files than fit into one message: FILES messages come before SPAWN then, each with some.
typedef enum {
    ZYGOTE_SPAWN,
    ZYGOTE_KILL,
    ZYGOTE_PING,
    ZYGOTE_BEGUN,
    ZYGOTE_EXITED,
    ZYGOTE_REFUSED,
    ZYGOTE_PONG,
    ZYGOTE_FILES,
} ZygoteKind;

typedef struct {
    uint32_t kind;
    int32_t status; // EXITED: of waitpid. REFUSED: errno. FILES, SPAWN: so many files come with this message
    uint64_t id;
} ZygoteMessage;

// Any thread may ask; one starts, hears and ends it.

void zygote_init(Zygote *zygote, const Platform *platform);
// Afterwards it is at work. CHX_INVALID: it would not be safe to start the program once more; CHX_NO_MEMORY: it can't be
// done. zygote->why says why.
chx_status zygote_start(Zygote *zygote);
// Afterwards all its children are dead.
void zygote_end(Zygote *zygote);
// Its socket, to wait for. -1: there is none.
int zygote_socket(Zygote *zygote);
// Does the program have what it needs to talk to it, if there is one?
bool zygote_is_whole(Zygote *zygote);
// Kills it, since it does not do what it is asked for. That it is gone will be heard.
void zygote_terminate(Zygote *zygote);
// Asks for a child that gets these files. False: it is gone. `generation`: whom it was that was asked.
bool zygote_spawn(Zygote *zygote, uint64_t id, const int *files, size_t count, uint64_t *generation);
bool zygote_kill(Zygote *zygote, uint64_t id);
// Does it still listen? It answers ZYGOTE_PONG when all that was asked before has been done. Does nothing if it still owes
// an answer to the last time.
void zygote_ping(Zygote *zygote, uint64_t now_ns);
// An answer, without waiting: 1; none there: 0; the zygote is gone: -1.
int zygote_hear(Zygote *zygote, ZygoteMessage *message);

// ---- the messages ----

enum {
    ZYGOTE_PROTOCOL = 2,
    ZYGOTE_FILES_MAX = 250, // in one message; the system's limit is 253
};

bool zygote_message_send(int socket, const ZygoteMessage *message, const int *files, size_t count, int flags);
// 1: a message; 0: none there; -1: the other side is gone. `files` NULL: those that come with it are not wanted.
int zygote_message_receive(int socket, ZygoteMessage *message, int *files, size_t *count);

// ---- the zygote's process ----

typedef struct ZygoteProcess ZygoteProcess;

// Starts it, with its ends of the two connections. 0, or errno.
int zygote_launch(const Descriptor *socket, const Descriptor *life, pid_t *pid);
// The same on a simulated machine.
int zygote_simulate(const Platform *platform, const Descriptor *socket, const Descriptor *life, pid_t *pid);
// Can the program be started once more? As startup_check.
chx_status zygote_check(char *why);

// Of the process `pid`, 0 if it is simulated; `program` is readable when the program has ended. NULL: no memory. Has
// told the program that it listens.
ZygoteProcess *zygote_process_new(const Platform *platform, pid_t pid, int socket, int program, int life);
// Does what it is asked for; does not return.
void zygote_process_main(void *zygote);
// In a new child of this zygote: it ends with that, and has the signals and limits of the program.
void zygote_child_begin(pid_t zygote);

// ---- a role's process ----

typedef struct Process Process;
// The exit status of one that could not get the memory which it shares with the program.
enum { PROCESS_NO_MEMORY = 2 };
// Takes over the files that isolated_session.h lists. NULL: no memory; then it takes nothing over.
Process *process_new(const Platform *platform, const int *files, size_t count);
// The life of the role; does not return.
void process_main(void *process);
// Releases what the process has left behind, on a simulated machine; or, in the zygote, what the process has by now.
void process_drop(void *process);

#endif
