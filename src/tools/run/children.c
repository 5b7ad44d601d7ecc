// children.c: the processes of a run: they are started, their output is passed on, and their ends are waited for.
//
// One that fails ends the run: the others have a while to end by themselves. With --restart it is started again instead, as a
// supervisor would do it.

#define _GNU_SOURCE
#include "tools/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS UINT64_C(1000000)
enum { KILL_AFTER_MS = 3000, RESTART_FIRST_MS = 100, RESTART_MOST_MS = 5000 };

typedef struct {
    const PlanNode *node;
    pid_t process; // 0: it does not run
    int input;     // what ssh reads; -1: none
    Stream output, errors;
    int status;        // its exit status
    uint64_t start_ns; // when it is to be started again; 0: not at all
    unsigned restart_ms;
} Child;

typedef struct {
    const RunOptions *options;
    Chaos *chaos;
    Child *children;
    size_t count;
    int signals;
    int status; // of the first that has failed
    bool is_ending;
    uint64_t end_ns, kill_ns; // when the others are told to end, and killed; 0: not at all
} Children;

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * NS_PER_MS + (uint64_t)now.tv_nsec;
}

// ---- starting ----

// As one word of a shell.
static char *quoted(const char *text)
{
    char *out = run_grow(NULL, strlen(text) * 4 + 3, 1), *at = out;
    *at++ = '\'';
    for (; *text != '\0'; text++)
        if (*text == '\'') {
            memcpy(at, "'\\''", 4);
            at += 4;
        } else {
            *at++ = *text;
        }
    memcpy(at, "'", 2);
    return out;
}

// What the shell on another host does: it gets the configuration on its standard input, which then stays open; when it ends, so does
// the program.
static char *remote_script(const RunOptions *options, const PlanNode *node)
{
    char *words = run_text("%s", "");
    for (char **word = options->program; *word != NULL; word++)
        words = run_text("%s %s", words, quoted(*word));
    return run_text(
        "cd %s || exit 1; umask 077; c=$(mktemp) || exit 1; dd bs=1 count=%zu of=\"$c\" 2>/dev/null; exec 3<&0; "
        "CHOREX_NODE=\"$c\" CHOREX_ROLES=%s%s </dev/null 3<&- & p=$!; "
        "{ cat >/dev/null; kill $p; } <&3 >/dev/null 2>&1 & w=$!; "
        "wait $p; s=$?; kill $w; rm -f \"$c\"; exit $s",
        quoted(options->directory), strlen(node->text), quoted(node->roles), words);
}

typedef struct {
    int input, output, errors;
} Ends;

// Two processes can't write to one trace: each has a file of its own, FILE.NAME, and `chorex trace FILE.*` joins them.
static void trace_apart(const char *name)
{
    static const char suffix[] = ",values";
    char path[PATH_MAX];
    const char *given = getenv("CHOREX_TRACE");
    if (given == NULL || given[0] == '\0')
        return;
    size_t length = strlen(given), cut = sizeof suffix - 1;
    bool has_values = length > cut && strcmp(given + length - cut, suffix) == 0;
    length -= has_values ? cut : 0;
    snprintf(path, sizeof path, "%.*s.%s%s", (int)length, given, name, has_values ? suffix : "");
    setenv("CHOREX_TRACE", path, 1);
}

static void child_become(const Children *children, const PlanNode *node, const Ends *ends, pid_t parent)
{
    const RunOptions *options = children->options;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    // It must not stay when this program is killed.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_WRONG);
    if (ends->input >= 0)
        dup2(ends->input, STDIN_FILENO);
    dup2(ends->output, STDOUT_FILENO);
    dup2(ends->errors, STDERR_FILENO);
    if (node->host != NULL) {
        char *ssh[] = {"ssh", "-T", node->host, remote_script(options, node), NULL};
        execvp(ssh[0], ssh);
    } else {
        setenv("CHOREX_NODE", node->config, 1);
        setenv("CHOREX_ROLES", node->roles, 1);
        trace_apart(node->name);
        // Nodes that come and go, and connections that are cut on purpose, need no warning where all of that was made for this run.
        if (options->hosts == NULL && !options->is_verbose)
            setenv("CHOREX_LOG", "error", 0);
        execv(options->program[0], options->program);
    }
    fprintf(stderr, "chorex run: error: %s: %s\n", node->host != NULL ? "ssh" : options->program[0], strerror(errno));
    _exit(127);
}

// The configuration is written to ssh: it fits into a pipe.
static bool input_open(const Children *children, Child *child, Ends *ends)
{
    const PlanNode *node = child->node;
    int pipe_ends[2];
    const char *input = children->options->input;
    child->input = ends->input = -1;
    if (node->host == NULL) {
        if (input != NULL && strcmp(input, node->roles) == 0)
            return true;
        ends->input = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return ends->input >= 0;
    }
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return false;
    ends->input = pipe_ends[0];
    child->input = pipe_ends[1];
    fcntl(child->input, F_SETPIPE_SZ, 1 << 20);
    return write(child->input, node->text, strlen(node->text)) == (ssize_t)strlen(node->text);
}

static bool child_start(Children *children, Child *child)
{
    int output[2], errors[2];
    Ends ends;
    pid_t parent = getpid();
    const char *prefix = children->options->has_prefix ? child->node->roles : NULL;
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0 || !input_open(children, child, &ends))
        return false;
    ends.output = output[1];
    ends.errors = errors[1];
    child->process = fork();
    if (child->process == 0)
        child_become(children, child->node, &ends, parent);
    close(output[1]);
    close(errors[1]);
    if (ends.input >= 0)
        close(ends.input);
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    stream_open(&child->output, output[0], STDOUT_FILENO, prefix);
    stream_open(&child->errors, errors[0], STDERR_FILENO, prefix);
    child->start_ns = 0;
    return child->process > 0;
}

// ---- ending ----

static void children_signal(const Children *children, int signal)
{
    for (size_t i = 0; i < children->count; i++) {
        const Child *child = &children->children[i];
        if (child->process > 0)
            kill(child->process, signal);
    }
}

static void children_end(Children *children, uint64_t now_ns)
{
    children->is_ending = true;
    children->end_ns = 0;
    children->kill_ns = now_ns + KILL_AFTER_MS * NS_PER_MS;
    children_signal(children, SIGTERM);
}

static void child_explain(const Child *child, int status)
{
    if (WIFSIGNALED(status))
        run_say("%s was ended by signal %d (%s)", child->node->roles, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        run_say("%s has ended with status %d", child->node->roles, WEXITSTATUS(status));
}

static void child_ended(Children *children, Child *child, int status, uint64_t now_ns)
{
    child->process = 0;
    child->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (child->input >= 0)
        close(child->input);
    child->input = -1;
    stream_step(&child->output);
    stream_step(&child->errors);
    stream_end(&child->output);
    stream_end(&child->errors);
    if (child->status == 0)
        return;
    if (!children->is_ending)
        child_explain(child, status);
    if (children->options->restarts && !children->is_ending) {
        child->restart_ms = child->restart_ms == 0                    ? RESTART_FIRST_MS
                            : child->restart_ms * 2 < RESTART_MOST_MS ? child->restart_ms * 2
                                                                      : RESTART_MOST_MS;
        child->start_ns = now_ns + child->restart_ms * NS_PER_MS;
        return;
    }
    if (children->status == 0)
        children->status = child->status;
    if (children->end_ns == 0 && !children->is_ending)
        children->end_ns = now_ns + (uint64_t)(children->options->grace_s * 1e9);
}

static void children_collect(Children *children, uint64_t now_ns)
{
    int status;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
        for (size_t i = 0; i < children->count; i++)
            if (children->children[i].process == process)
                child_ended(children, &children->children[i], status, now_ns);
}

// ---- waiting ----

static void signal_take(Children *children, uint64_t now_ns)
{
    struct signalfd_siginfo signal;
    while (read(children->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        if (signal.ssi_signo == SIGCHLD)
            continue;
        // What comes from the terminal goes to all of its processes anyway.
        if (signal.ssi_code != SI_KERNEL)
            children_signal(children, (int)signal.ssi_signo);
        if (signal.ssi_signo == SIGHUP && signal.ssi_code != SI_KERNEL)
            continue;
        // The second time they don't get a choice.
        if (children->is_ending)
            children_signal(children, SIGKILL);
        children->is_ending = true;
        children->kill_ns = now_ns + KILL_AFTER_MS * NS_PER_MS;
        if (children->status == 0)
            children->status = 128 + (int)signal.ssi_signo;
    }
    children_collect(children, now_ns);
}

static bool children_are_over(const Children *children)
{
    for (size_t i = 0; i < children->count; i++) {
        const Child *child = &children->children[i];
        if (child->process > 0 || (child->start_ns != 0 && !children->is_ending))
            return false;
    }
    return true;
}

static void due_do(Children *children, uint64_t now_ns)
{
    if (children->end_ns != 0 && now_ns >= children->end_ns) {
        run_say("the others are ended");
        children_end(children, now_ns);
    }
    if (children->kill_ns != 0 && now_ns >= children->kill_ns) {
        children_signal(children, SIGKILL);
        children->kill_ns = now_ns + KILL_AFTER_MS * NS_PER_MS;
    }
    if (stream_has_failed() && !children->is_ending) {
        children->status = run_error("the output can't be written");
        children_end(children, now_ns);
    }
    for (size_t i = 0; i < children->count; i++) {
        Child *child = &children->children[i];
        if (child->start_ns == 0 || now_ns < child->start_ns || children->is_ending)
            continue;
        run_say("%s is started again", child->node->roles);
        if (!child_start(children, child))
            children->status = run_error("no process can be started: %s", strerror(errno));
    }
}

static int due_in_ms(const Children *children, uint64_t now_ns)
{
    uint64_t due_ns = UINT64_MAX;
    const uint64_t times[] = {children->end_ns, children->kill_ns};
    for (size_t i = 0; i < 2; i++)
        due_ns = times[i] != 0 && times[i] < due_ns ? times[i] : due_ns;
    for (size_t i = 0; i < children->count; i++)
        if (children->children[i].start_ns != 0 && children->children[i].start_ns < due_ns)
            due_ns = children->children[i].start_ns;
    if (due_ns == UINT64_MAX)
        return -1;
    return due_ns <= now_ns ? 0 : (int)((due_ns - now_ns) / NS_PER_MS) + 1;
}

static void children_wait(Children *children)
{
    size_t count = 2 + 2 * children->count;
    struct pollfd *ready = run_grow(NULL, count, sizeof *ready);
    while (!children_are_over(children)) {
        ready[0] = (struct pollfd){.fd = children->signals, .events = POLLIN};
        ready[1] =
            (struct pollfd){.fd = children->chaos != NULL ? chaos_descriptor(children->chaos) : -1, .events = POLLIN};
        for (size_t i = 0; i < children->count; i++) {
            ready[2 + 2 * i] = (struct pollfd){.fd = children->children[i].output.descriptor, .events = POLLIN};
            ready[3 + 2 * i] = (struct pollfd){.fd = children->children[i].errors.descriptor, .events = POLLIN};
        }
        poll(ready, count, due_in_ms(children, clock_ns()));
        if (children->chaos != NULL && ready[1].revents != 0)
            chaos_step(children->chaos);
        for (size_t i = 0; i < children->count; i++) {
            if (ready[2 + 2 * i].revents != 0)
                stream_step(&children->children[i].output);
            if (ready[3 + 2 * i].revents != 0)
                stream_step(&children->children[i].errors);
        }
        signal_take(children, clock_ns());
        due_do(children, clock_ns());
    }
    free(ready);
}

static bool signals_open(Children *children)
{
    sigset_t signals;
    sigemptyset(&signals);
    const int all[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        sigaddset(&signals, all[i]);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    children->signals = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    return children->signals >= 0;
}

int children_run(const Plan *plan, const RunOptions *options)
{
    Children children = {.options = options, .chaos = plan->chaos};
    if (!signals_open(&children))
        return run_error("signals can't be waited for: %s", strerror(errno));
    children.children = run_grow(NULL, plan->count, sizeof *children.children);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->nodes[i].is_started)
            children.children[children.count++] =
                (Child){.node = &plan->nodes[i], .input = -1, .output.descriptor = -1, .errors.descriptor = -1};
    for (size_t i = 0; i < children.count; i++) {
        const PlanNode *node = children.children[i].node;
        if (options->is_verbose)
            run_say("%s: node %s at %s", node->roles, node->name, node->address);
        if (child_start(&children, &children.children[i]))
            continue;
        children.status = run_error("no process can be started: %s", strerror(errno));
        children_end(&children, clock_ns());
        break;
    }
    children_wait(&children);
    return children.status;
}
