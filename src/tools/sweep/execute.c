// execute.c: runs the program: once undisturbed, then with each fault, several runs at a time.
//
// Each run is a process group of its own, which is killed when its time is over. What it prints goes to files in a folder
// that only this user can enter.

#define _GNU_SOURCE
#include "tools/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 128, EXEC_FAILED = 127 };

typedef struct {
    pid_t pid; // 0: it is free
    Test *test;
    uint64_t until_ns;
    bool is_over;
} Slot;

// Also of the handler that ends the sweep.
static Slot *slots;
static volatile size_t slot_count;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void path_of(const SweepPlan *plan, size_t slot, const char *what, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%zu.%s", plan->folder, slot, what);
}

// ---- one run ----

static void redirect(const SweepPlan *plan, size_t slot, const char *what, int to)
{
    char path[PATH_SIZE];
    path_of(plan, slot, what, path);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || dup2(file, to) < 0)
        _exit(EXEC_FAILED);
}

static _Noreturn void become_program(const SweepPlan *plan, size_t slot, const char *settings, TestKind kind)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
        _exit(EXEC_FAILED);
    redirect(plan, slot, "out", STDOUT_FILENO);
    redirect(plan, slot, "err", STDERR_FILENO);
    setenv("CHOREX_SIM", settings, 1);
    if (kind == TEST_KILL)
        setenv("CHOREX_ISOLATION", "process", 1);
    execvp(plan->options->command[0], plan->options->command);
    fprintf(stderr, "%s: %s\n", plan->options->command[0], strerror(errno));
    _exit(EXEC_FAILED);
}

static pid_t start(const SweepPlan *plan, size_t slot, const char *settings, TestKind kind)
{
    pid_t pid = fork();
    if (pid == 0)
        become_program(plan, slot, settings, kind);
    if (pid > 0)
        setpgid(pid, pid);
    else
        fprintf(stderr, "chorex sweep: error: no process can be started: %s\n", strerror(errno));
    return pid;
}

static uint64_t hash_of(const char *path)
{
    uint64_t hash = 0xcbf29ce484222325u;
    FILE *file = fopen(path, "re");
    for (int c; file != NULL && (c = getc(file)) != EOF;)
        hash = (hash ^ (unsigned char)c) * 0x100000001b3u;
    if (file != NULL)
        fclose(file);
    return hash;
}

static void read_last_line(const char *path, char last[SWEEP_LINE])
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    last[0] = '\0';
    while (file != NULL && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0')
            snprintf(last, SWEEP_LINE, "%s", line);
    }
    free(line);
    if (file != NULL)
        fclose(file);
}

static int status_of(int waited)
{
    return WIFSIGNALED(waited) ? WTERMSIG(waited) : WEXITSTATUS(waited);
}

// ---- undisturbed ----

static void say_why(const SweepPlan *plan, int waited, bool is_over)
{
    char path[PATH_SIZE], last[SWEEP_LINE];
    path_of(plan, 0, "err", path);
    read_last_line(path, last);
    fprintf(stderr, "chorex sweep: error: '%s' ", plan->options->command[0]);
    if (is_over)
        fprintf(stderr, "has not ended after %u s on the simulated machine, without a fault (see --limit)\n",
                plan->options->limit_s);
    else if (WIFSIGNALED(waited))
        fprintf(stderr, "was ended by signal %d (%s) without a fault\n", plan->status, strsignal(plan->status));
    else if (plan->status == EXEC_FAILED)
        fprintf(stderr, "can't be run: %s\n", last);
    else if (plan->status != 0)
        fprintf(stderr, "starts no session with these arguments, and ends with status %d: %s\n", plan->status, last);
    else
        fputs("starts no session with these arguments, or is not compiled by chorcc, or ends by _exit\n", stderr);
}

static void kill_late(Slot *slot)
{
    if (slot->pid == 0 || slot->is_over || now_ns() < slot->until_ns)
        return;
    slot->is_over = true;
    kill(-slot->pid, SIGKILL);
}

// Waits until a child ends, for a little while. 0: none has.
static pid_t await_child(int *waited)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pid_t pid = waitpid(-1, waited, WNOHANG);
    if (pid != 0)
        return pid;
    sigtimedwait(&child, NULL, &(struct timespec){.tv_nsec = 100000000});
    return waitpid(-1, waited, WNOHANG);
}

bool execute_undisturbed(SweepPlan *plan)
{
    char settings[SWEEP_SETTINGS], path[PATH_SIZE];
    int waited = 0;
    path_of(plan, 0, "report", path);
    snprintf(settings, sizeof settings, "seed=%llu,report=%s%s%s", (unsigned long long)plan->options->seed, path,
             plan->options->sim[0] != '\0' ? "," : "", plan->options->sim);
    Slot slot = {.until_ns = now_ns() + plan->options->limit_s * UINT64_C(1000000000)};
    slot.pid = start(plan, 0, settings, TEST_CRASH_AT);
    if (slot.pid < 0)
        return false;
    while (await_child(&waited) != slot.pid)
        kill_late(&slot);
    plan->status = status_of(waited);
    if (slot.is_over || WIFSIGNALED(waited) || !plan_read_roles(plan, path)) {
        say_why(plan, waited, slot.is_over);
        return false;
    }
    path_of(plan, 0, "out", path);
    plan->output = hash_of(path);
    return true;
}

// ---- tests ----

bool test_has_failed(const SweepPlan *plan, const Test *test)
{
    return test->outcome > RUN_OTHER || (test->outcome == RUN_OTHER && plan->options->wants_same_output);
}

static void slot_finish(const SweepPlan *plan, size_t i, int waited)
{
    Test *test = slots[i].test;
    char path[PATH_SIZE];
    path_of(plan, i, "out", path);
    test->status = status_of(waited);
    test->outcome = slots[i].is_over                ? RUN_NO_END
                    : WIFSIGNALED(waited)           ? RUN_DIED
                    : test->status != plan->status  ? RUN_FAILED
                    : hash_of(path) != plan->output ? RUN_OTHER
                                                    : RUN_SAME;
    if (test_has_failed(plan, test)) {
        path_of(plan, i, "err", path);
        read_last_line(path, test->last);
    }
    // Whatever it has left running.
    kill(-slots[i].pid, SIGKILL);
    slots[i].pid = 0;
}

static bool slot_start(const SweepPlan *plan, size_t i, Test *test)
{
    char settings[SWEEP_SETTINGS];
    plan_settings(plan, test, settings);
    slots[i] = (Slot){.test = test, .until_ns = now_ns() + plan->options->limit_s * UINT64_C(1000000000)};
    slots[i].pid = start(plan, i, settings, test->kind);
    if (slots[i].pid > 0)
        return true;
    slots[i].pid = 0;
    return false;
}

void execute_stop(void)
{
    for (size_t i = 0; i < slot_count; i++)
        if (slots[i].pid > 0)
            kill(-slots[i].pid, SIGKILL);
}

bool execute_tests(SweepPlan *plan, void (*progress)(const SweepPlan *plan, size_t done, size_t failed))
{
    size_t begun = 0, done = 0, failed = 0, jobs = plan->options->jobs;
    slots = sweep_allocate(jobs, sizeof *slots);
    slot_count = jobs;
    bool is_good = true;
    while (is_good && done < plan->test_count) {
        for (size_t i = 0; i < jobs && begun < plan->test_count && is_good; i++)
            if (slots[i].pid == 0)
                is_good = slot_start(plan, i, &plan->tests[begun++]);
        int waited = 0;
        pid_t pid = await_child(&waited);
        for (size_t i = 0; i < jobs; i++) {
            kill_late(&slots[i]);
            if (pid <= 0 || slots[i].pid != pid)
                continue;
            slot_finish(plan, i, waited);
            failed += test_has_failed(plan, slots[i].test);
            done++;
        }
        progress(plan, done, failed);
    }
    execute_stop();
    slot_count = 0;
    free(slots);
    return is_good;
}
