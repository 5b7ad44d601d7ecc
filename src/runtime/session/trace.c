// trace.c: see trace.h.

#define _GNU_SOURCE
#include "runtime/session/trace.h"

#include "runtime/value/codec.h"
#include "runtime/arms/arms.h"
#include "runtime/durable/durable.h"
#include "runtime/platform/descriptor.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/log.h"
#include "runtime/actor/observe.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 65536 };

// The process has one file. Events of all threads are collected in their order, and written many at a time.
static struct {
    pthread_mutex_t lock; // of everything else
    bool watches_forks;
    bool is_open;
    bool has_failed;     // something could not be written
    bool has_values;     // of messages
    bool writes_at_once; // the process may be killed at any time, or others write to the file, too
    Descriptor descriptor;
    uint64_t start_ns;
    _Atomic uint64_t sessions;
    uint64_t sessions_before; // so many had begun when it was opened: what they do is not in it
    size_t size;              // of what was collected
    char data[BUFFER_BYTES];
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .descriptor = {.number = -1}};

// ---- the file ----

// A full disk: the trace ends here, the program does not.
static void file_break(int error)
{
    const char *unknown;
    file.has_failed = true;
    if (log_level_from_env(&unknown) <= CHX_LOG_WARN)
        fprintf(stderr, "chorex: warn: CHOREX_TRACE: the trace is not complete: %s\n",
                error == EBADF ? DESCRIPTOR_LOST : strerror(error));
}

// The lock is held.
static void file_flush(void)
{
    const char *data = file.data;
    while (file.size > 0 && !file.has_failed) {
        ssize_t written = write(descriptor_use(&file.descriptor), data, file.size);
        if (written > 0) {
            data += written;
            file.size -= (size_t)written;
        } else if (written < 0 && errno != EINTR) {
            file_break(errno);
        }
    }
    file.size = 0;
}

// Collects an event, and writes it if that is wanted now.
static void file_add(const Event *event, bool is_wanted)
{
    char line[EVENT_BYTES_MAX];
    size_t size = event_write(line, event);
    pthread_mutex_lock(&file.lock);
    if (file.is_open && (event->kind == EVENT_CLOSE || event->session > file.sessions_before)) {
        if (BUFFER_BYTES - file.size < size)
            file_flush();
        memcpy(file.data + file.size, line, size);
        file.size += size;
        if (is_wanted || file.writes_at_once)
            file_flush();
    }
    pthread_mutex_unlock(&file.lock);
}

// A forked child must not write what its parent has collected, and nobody knows which thread held the lock.
static void file_forget(void)
{
    pthread_mutex_init(&file.lock, NULL);
    file.is_open = false;
}

// The descriptor's number stays the same from file to file: processes of sessions that were started with an earlier one are
// given it, too.
static bool file_take(int fd)
{
    if (file.descriptor.number < 0 || !descriptor_is_ours(&file.descriptor)) {
        file.descriptor = descriptor_keep(fd);
        return file.descriptor.number >= 0;
    }
    int number = dup3(fd, file.descriptor.number, O_CLOEXEC);
    int error = errno;
    close(fd);
    errno = error;
    if (number >= 0)
        file.descriptor = descriptor_note(number);
    return number >= 0;
}

static uint64_t time_of_day_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The lock is held.
static bool file_open(const chx_runtime *runtime, const char *path)
{
    if (!file.watches_forks && pthread_atfork(NULL, NULL, file_forget) != 0) {
        errno = ENOMEM;
        return false;
    }
    file.watches_forks = true;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || !file_take(fd))
        return false;
    file.has_failed = false;
    file.start_ns = runtime->platform->now_ns();
    file.writes_at_once = runtime->platform->call_begin != NULL;
    file.sessions_before = atomic_load(&file.sessions);
    memcpy(file.data, "[\n", 2);
    file.size = 2;
    if (!runtime->platform->is_simulated)
        file.size += event_write(file.data + file.size, &(Event){.kind = EVENT_CLOCK, .clock_ns = time_of_day_ns()});
    file_flush();
    return true;
}

// Cuts ",values" off. False: there is no name, or it is too long.
static bool path_read(const char *given, char path[PATH_MAX], bool *has_values)
{
    static const char suffix[] = ",values";
    size_t length = given != NULL ? strlen(given) : 0, cut = sizeof suffix - 1;
    *has_values = length > cut && strcmp(given + length - cut, suffix) == 0;
    length -= *has_values ? cut : 0;
    if (length == 0 || length >= PATH_MAX)
        return false;
    memcpy(path, given, length);
    path[length] = '\0';
    return true;
}

bool trace_open(const chx_runtime *runtime, const char *given)
{
    char path[PATH_MAX];
    bool has_values;
    if (!path_read(given, path, &has_values)) {
        errno = given != NULL && given[0] != '\0' ? ENAMETOOLONG : EINVAL;
        return false;
    }
    pthread_mutex_lock(&file.lock);
    errno = EBUSY;
    bool is_opened = !file.is_open && file_open(runtime, path);
    int error = errno;
    if (is_opened) {
        file.has_values = has_values;
        file.is_open = true;
    }
    pthread_mutex_unlock(&file.lock);
    errno = error;
    return is_opened;
}

bool trace_is_open(void)
{
    pthread_mutex_lock(&file.lock);
    bool is_open = file.is_open;
    pthread_mutex_unlock(&file.lock);
    return is_open;
}

int trace_file(uint64_t *start_ns)
{
    *start_ns = file.start_ns;
    return descriptor_use(&file.descriptor);
}

bool trace_has_values(void)
{
    return file.has_values;
}

bool trace_adopt(int fd, uint64_t start_ns, bool has_values)
{
    if (file.is_open)
        return true; // a simulated process: it is the program's own
    file.descriptor = descriptor_keep(fd);
    file.start_ns = start_ns;
    file.has_values = has_values;
    file.watches_forks = pthread_atfork(NULL, NULL, file_forget) == 0;
    return file.is_open = file.writes_at_once = file.watches_forks;
}

void trace_close(void)
{
    file_add(&(Event){.kind = EVENT_CLOSE}, true);
    pthread_mutex_lock(&file.lock);
    file.is_open = false;
    pthread_mutex_unlock(&file.lock);
}

// After all other destructors, the default runtime's too. Threads that still run find the file closed.
static void __attribute__((destructor(101))) file_close(void)
{
    trace_close();
    pthread_mutex_lock(&file.lock);
    descriptor_close(&file.descriptor);
    pthread_mutex_unlock(&file.lock);
}

// ---- events ----

static void trace_write(const Event *event)
{
    // A signal in here would not be the role's.
    current()->busy++;
    file_add(event, event->kind == EVENT_END);
    current()->busy--;
}

static uint64_t trace_now(const Session *session)
{
    return session->runtime->platform->now_ns() - file.start_ns;
}

static Event actor_event(const Actor *actor, EventKind kind, uint32_t site)
{
    const chx_site *found = actor->is_central ? NULL : role_site(actor->role, site);
    return (Event){
        .kind = kind,
        .time_ns = trace_now(actor->session),
        .session = actor->session->trace,
        .role_index = actor->index,
        .role = actor->role->role,
        .site = site,
        .line = actor_site_line(actor, site),
        .arm = arms_number(actor->session),
        .around = arms_number_around(actor->session),
        .in_file = found != NULL ? found->file : NULL,
        .text = kind == EVENT_STEP && found != NULL ? found->what : NULL,
    };
}

// The step that the actor was in ends with what comes next.
static void trace_end_step(Actor *actor)
{
    if (actor->traced_site == 0)
        return;
    Event event = actor_event(actor, EVENT_STEP, actor->traced_site);
    event.duration_ns = event.time_ns - actor->traced_ns;
    event.time_ns = actor->traced_ns;
    actor->traced_site = 0;
    trace_write(&event);
}

void trace_session_start(Session *session)
{
    session->trace = atomic_fetch_add(&file.sessions, 1) + 1;
    Event event = {
        .kind = EVENT_START,
        .time_ns = trace_now(session),
        .session = session->trace,
        .choreography = session->plan->choreography->name,
        .definition = session->definition->name,
        .file = session->plan->choreography->file,
        .token = {session->token[0], session->token[1]},
        .name = session->durable != NULL ? session->durable->name : NULL,
        .is_resumed = session->durable != NULL && session->durable->from != NULL,
    };
    trace_write(&event);
    for (unsigned i = 0; i < session->actor_count; i++) {
        Event role = {.kind = EVENT_ROLE, .session = session->trace, .role_index = i};
        role.role = session->actors[i].role->role;
        trace_write(&role);
    }
}

void trace_session_token(const Actor *actor)
{
    const Session *session = actor->session;
    if ((actor->self.observed & OBSERVED_TRACE) == 0)
        return;
    trace_write(
        &(Event){.kind = EVENT_TOKEN, .session = session->trace, .token = {session->token[0], session->token[1]}});
}

void trace_session_end(Session *session, chx_status status, const char *why)
{
    Event event = {
        .kind = EVENT_END,
        .time_ns = trace_now(session),
        .session = session->trace,
        .status = chx_status_text(status),
        .text = status != CHX_OK ? why : NULL,
    };
    trace_write(&event);
}

void trace_step(Actor *actor)
{
    trace_end_step(actor);
    actor->traced_site = actor->self.site;
    actor->traced_ns = trace_now(actor->session);
}

void trace_function(Actor *actor, EventKind kind, const chx_function *function)
{
    trace_end_step(actor);
    Event event = actor_event(actor, kind, 0);
    event.text = function->name;
    trace_write(&event);
}

void trace_message(Actor *actor, const Channel *channel, uint32_t site, uint32_t epoch, bool is_out, const char *value)
{
    trace_end_step(actor);
    const chx_site *found = role_site(actor->role, site);
    bool is_choice = found != NULL && found->kind == CHX_SITE_CHOICE;
    EventKind kind = is_out ? is_choice ? EVENT_TELL : EVENT_SEND : is_choice ? EVENT_TOLD : EVENT_RECEIVE;
    Event event = actor_event(actor, kind, site);
    event.peer = is_out ? channel->consumer->role->role : channel->producer->role->role;
    event.sequence = channel->ops->sequence(channel, is_out);
    event.epoch = epoch;
    event.value = value;
    uint64_t ends = ((uint64_t)channel->producer->index << 32) + channel->consumer->index;
    event.flow =
        ((actor->session->trace ^ event.arm) * 0x9e3779b97f4a7c15u + ends) * 0xd6e8feb86659fd93u + event.sequence + 1;
    trace_write(&event);
}

void trace_turn(Actor *actor, ActorOutcome outcome, const Fault *fault)
{
    trace_end_step(actor);
    if (outcome != ACTOR_FAILED)
        return;
    Event event = actor_event(actor, EVENT_FAIL, fault->site);
    event.text = fault->why;
    trace_write(&event);
}

// What the variables say. Addresses, and what is in the gaps of a struct, may differ from run to run.
static uint64_t digest_frame(const chx_frame *frame)
{
    const chx_function *function = frame->function;
    uint64_t digest = 0xcbf29ce484222325u;
    chx_buffer buffer = {0};
    chx_writer writer = {&buffer, OPAQUE_SAVED};
    for (size_t i = 0; i < function->variable_count; i++)
        value_save(function->variables[i].type, (const char *)frame + function->variables[i].offset, &writer);
    // Without memory they count as far as they could be encoded.
    for (size_t i = 0; i < buffer.size; i++)
        digest = (digest ^ buffer.data[i]) * 0x100000001b3u;
    chx_buffer_free(&buffer);
    return digest;
}

void trace_block(Actor *actor, EventKind kind, uint32_t epoch, const char *why)
{
    if ((actor->self.observed & OBSERVED_TRACE) == 0)
        return;
    trace_end_step(actor);
    const Savepoint *savepoint = savepoint_top(actor);
    // The number is the same for all participants, the line is that of the block which this role is in.
    Event event = actor_event(actor, kind, savepoint->position.checkpoint->site);
    event.site = savepoint->position.checkpoint->name;
    event.attempt = savepoint->position.attempt;
    event.is_rescue = event.attempt > savepoint->position.checkpoint->retries;
    event.round = savepoint->position.checkpoint->is_round ? savepoint->position.ordinal + 1 : 0;
    event.epoch = epoch;
    event.depth = (uint32_t)actor->member.count - 1;
    event.text = why;
    if (kind != EVENT_ARRIVE && kind != EVENT_LEAVE)
        event.digest = digest_frame(savepoint->frame);
    trace_write(&event);
}
