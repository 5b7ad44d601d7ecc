// simulated_process.c: the processes of a simulated machine.
//
// A simulated process is a group of simulated threads that runs the code of a real one. It shares the program's address
// space, so it has copies of the descriptors that it is given, maps the shared memory once more, and nobody tells it
// anything but through these. A kill takes effect where its threads stand still: they do nothing any more, whatever
// they were in the middle of. Then `drop` releases what the process has left behind. Children end with their parent.

#define _GNU_SOURCE
#include "runtime/platform/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct SimulatedProcess {
    SimulatedProcess *next;
    const SimulatedProcess *parent; // only compared: it may be gone already
    ProcessEntry entry;
    pid_t pid;
    int ending; // the end of a pipe that is closed when the process has ended
    int status; // as of waitpid
    bool is_ending, has_ended;
};

// Only one simulated thread runs at a time: there is no lock.
static struct {
    SimulatedProcess *first; // each is kept until somebody has asked for its end
    pid_t last_pid;
} processes;

static SimulatedProcess *process_find(pid_t pid)
{
    SimulatedProcess *process = processes.first;
    while (process != NULL && process->pid != pid)
        process = process->next;
    return process;
}

static void process_free(SimulatedProcess *process)
{
    SimulatedProcess **link = &processes.first;
    while (*link != process)
        link = &(*link)->next;
    *link = process->next;
    free(process);
}

static void *process_run(void *argument)
{
    SimulatedProcess *process = argument;
    process->entry.run(process->entry.argument);
    return NULL;
}

pid_t processes_fork(const ProcessEntry *entry, int *ended)
{
    int ends[2];
    bool is_refused = threads_process() != NULL && machine_chance(DRAW_LOST, machine_options()->lost);
    if (is_refused) {
        errno = EAGAIN;
        return -1;
    }
    SimulatedProcess *process = calloc(1, sizeof *process);
    if (process == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        free(process);
        return -1;
    }
    *process = (SimulatedProcess){.next = processes.first,
                                  .parent = threads_process(),
                                  .entry = *entry,
                                  .pid = ++processes.last_pid,
                                  .ending = ends[1]};
    processes.first = process;
    if (!threads_start_process(process, process_run)) {
        close(ends[0]);
        close(ends[1]);
        process_free(process);
        errno = EAGAIN;
        return -1;
    }
    *ended = ends[0];
    return process->pid;
}

// Ends with this status, as waitpid has it, with all its children.
static void process_end(SimulatedProcess *process, int status)
{
    if (process->is_ending)
        return;
    process->is_ending = true;
    process->status = status;
    for (SimulatedProcess *child = processes.first; child != NULL; child = child->next)
        if (child->parent == process)
            process_end(child, SIGKILL);
    threads_kill(process);
}

void processes_ended(SimulatedProcess *process)
{
    process->entry.drop(process->entry.argument);
    process->has_ended = true;
    close(process->ending);
}

bool processes_reap(pid_t pid, int *status)
{
    SimulatedProcess *process = process_find(pid);
    if (process == NULL || !process->has_ended)
        return false;
    *status = process->status;
    process_free(process);
    return true;
}

void processes_kill(pid_t pid)
{
    SimulatedProcess *process = process_find(pid);
    if (process != NULL)
        process_end(process, SIGKILL);
}

uint64_t processes_time(pid_t pid)
{
    const SimulatedProcess *process = process_find(pid);
    return process != NULL && !process->is_ending ? 1 : 0;
}

void processes_may_crash(void)
{
    if (threads_process() != NULL && machine_chance(DRAW_CRASH, machine_options()->crash.chance))
        processes_die(SIGKILL);
}

void processes_exit(int status)
{
    process_end(threads_process(), (status & 0xff) << 8);
    threads_end_this();
}

void processes_die(int signal)
{
    process_end(threads_process(), signal);
    threads_end_this();
}
