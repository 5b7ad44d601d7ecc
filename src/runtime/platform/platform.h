// platform.h: what the runtime asks of the machine: time, chance, threads, sleep.
//
// Everything that makes one run differ from another is reached through this table, so that a simulated machine can run
// the production code.

#ifndef RUNTIME_PLATFORM_PLATFORM_H
#define RUNTIME_PLATFORM_PLATFORM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <chorex.h>

struct pollfd;
struct epoll_event;
typedef struct Actor Actor;
typedef struct Channel Channel;
typedef struct chx_session Session;

// What a new process does.
typedef struct {
    void (*run)(void *argument); // does not return; process_exit ends the process
    // On a simulated machine, whose processes share one address space: releases what the process has left behind.
    void (*drop)(void *argument);
    void *argument;
} ProcessEntry;

typedef struct {
    uint64_t (*now_ns)(void);
    void (*random)(void *data, size_t size);
    unsigned (*cores)(void);
    // False: no thread to be had. Asynchronous signals are blocked in the new thread.
    bool (*thread_start)(pthread_t *thread, void *(*run)(void *), void *argument);
    void (*thread_join)(pthread_t thread);
    long (*thread_id)(void); // of the calling thread
    // Processor time that the thread of this number has used so far; 0 if it is gone.
    uint64_t (*thread_cpu_ns)(long id);
    // One that does not run: does it sleep, rather than wait for a processor? True also if that can't be known.
    bool (*thread_sleeps)(long id);
    // Sleeps while *word == expected, at most timeout_ns (0: no limit). May return early for no reason.
    void (*sleep_on)(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns);
    // Wakes one sleeper. The word may be gone already: the address is only compared.
    void (*wake)(_Atomic uint32_t *word);
    void (*relax)(void); // in a spinning loop
    void (*yield)(void); // the same, in a loop so long that others may need the processor
    // Waits until one of these descriptors has something, at most timeout_ms. Nothing is said of any if it ends early.
    void (*poll)(struct pollfd *polled, size_t count, int timeout_ms);
    // The same for an epoll instance: as epoll_wait.
    int (*wait_events)(int epoll, struct epoll_event *events, int count, int timeout_ms);
    // A full memory barrier in every running thread of the process, as if each had done it itself. NULL, or the first
    // says no: there is no such thing.
    bool (*can_fence_all)(void);
    void (*fence_all)(void);

    // ---- processes ----

    // Starts a child of the calling process. -1: it can't be started, errno says why. `ended` becomes a descriptor that
    // is readable when the child has ended.
    pid_t (*process_fork)(const ProcessEntry *entry, int *ended);
    // Has the child ended? Then its number is free again, and `status` is what waitpid says.
    bool (*process_reap)(pid_t pid, int *status);
    void (*process_kill)(pid_t pid);
    // When the process began, in the system's own terms. 0: there is none.
    uint64_t (*process_time)(pid_t pid);
    void (*process_exit)(int status); // ends the calling process
    // As sleep_on and wake, with a word that lies in memory which processes share. Wakes all sleepers.
    void (*sleep_on_shared)(_Atomic uint32_t *word, uint32_t expected);
    void (*wake_shared)(_Atomic uint32_t *word);

    // ---- a simulated machine only; NULL on a real one ----

    bool is_simulated;
    void (*process_die)(int signal); // ends the calling process, as this signal would
    // A call of the program's that may wait, or run roles, begins and ends; calls nest.
    void (*call_begin)(void);
    void (*call_end)(void);
    // All threads sleep, and nothing is on its way: sessions that are waited for have to fail.
    bool (*is_stuck)(void);
    // May the thread that starts a session and waits for it work for it itself?
    bool (*serves)(void);
    // Which one of so many actors in a queue comes next, from 0?
    uint32_t (*choose)(uint32_t count);
    // Which of these observers see the steps of a new session, and does it use fast channels?
    uint32_t (*observed)(uint32_t observed, bool *is_fast);
    // A new channel in memory: its messages may arrive later than they are sent.
    void (*channel)(Channel *channel);
    // The actor that runs on this thread is about to wait: others may do something before.
    void (*waiting)(void);
    // How many receives and sends an actor's turn may have.
    uint32_t (*budget)(void);
    // A place where the actor can crash; then it does not return.
    void (*boundary)(Actor *actor);
    // What CHOREX_SIM says.
    const struct SimulationOptions *(*options)(void);
    // From now on the function is asked at the boundaries of actors whose session is decided elsewhere: true: the node that
    // they are on is lost, and they do nothing more.
    void (*ask_nodes)(bool (*is_lost)(Actor *actor));
} Platform;

extern const Platform platform_posix;
extern const Platform platform_simulated;
// The one that CHOREX_SIM asks for. A value that can't be understood ends the program with a message and status 2.
const Platform *platform_from_env(void);

#endif
