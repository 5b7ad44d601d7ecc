// trace.c: see trace.h.

#define _GNU_SOURCE
#include "runtime/session/trace.h"

#include "runtime/value/codec.h"
#include "runtime/platform/descriptor.h"
#include "runtime/value/site.h"
#include "runtime/session/log.h"
#include "runtime/actor/observe.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "trace/event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 65536 };

// What one thread has collected; lines are never split between two writes.
typedef struct Buffer Buffer;
struct Buffer {
    Buffer *next;
    pthread_mutex_t lock; // of size and data
    bool in_use;          // by a thread; under the file's lock
    size_t size;
    char data[BUFFER_BYTES];
};

// The process has one file.
static struct {
    pthread_mutex_t lock; // of the list and the opening
    Buffer *buffers;
    pthread_key_t key; // its destructor gives a thread's buffer back
    bool opened;
    bool failed; // to be opened
    Descriptor descriptor;
    pid_t pid; // a forked child must not write what its parent has collected
    uint64_t start_ns;
    _Atomic uint64_t sessions;
    _Atomic bool closed;
    _Atomic bool broken; // something could not be written
    bool adopted;        // it is another process's
    bool in_order;       // of what happened on all threads: a simulated machine's
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .descriptor = {.number = -1}};

static _Thread_local Buffer *own_buffer;

// ---- the file ----

// A full disk: the trace ends here, the program does not.
static void file_break(int error)
{
    const char *unknown;
    if (!atomic_exchange(&file.broken, true) && log_level_from_env(&unknown) <= CHX_LOG_WARN)
        fprintf(stderr, "chorex: warn: CHOREX_TRACE: the trace is not complete: %s\n",
                error == EBADF ? DESCRIPTOR_LOST : strerror(error));
}

static void file_write(const char *data, size_t size)
{
    if (getpid() != file.pid || atomic_load(&file.broken))
        return;
    while (size > 0) {
        ssize_t written = write(descriptor_use(&file.descriptor), data, size);
        if (written < 0 && errno != EINTR) {
            file_break(errno);
            return;
        }
        if (written > 0) {
            data += written;
            size -= (size_t)written;
        }
    }
}

// The buffer's lock is held.
static void buffer_flush(Buffer *buffer)
{
    if (buffer->size != 0)
        file_write(buffer->data, buffer->size);
    buffer->size = 0;
}

static void file_flush(void)
{
    pthread_mutex_lock(&file.lock);
    for (Buffer *buffer = file.buffers; buffer != NULL; buffer = buffer->next) {
        pthread_mutex_lock(&buffer->lock);
        buffer_flush(buffer);
        pthread_mutex_unlock(&buffer->lock);
    }
    pthread_mutex_unlock(&file.lock);
}

static void buffer_give_back(void *value)
{
    Buffer *buffer = value;
    pthread_mutex_lock(&file.lock);
    buffer->in_use = false;
    pthread_mutex_unlock(&file.lock);
    own_buffer = NULL;
}

// This thread's; NULL: no memory, and what it does is not recorded.
static Buffer *buffer_own(void)
{
    if (own_buffer != NULL)
        return own_buffer;
    pthread_mutex_lock(&file.lock);
    Buffer *buffer = file.buffers;
    while (buffer != NULL && buffer->in_use)
        buffer = buffer->next;
    if (buffer == NULL && (buffer = malloc(sizeof *buffer)) != NULL) {
        buffer->size = 0;
        pthread_mutex_init(&buffer->lock, NULL);
        buffer->next = file.buffers;
        file.buffers = buffer;
    }
    if (buffer != NULL)
        buffer->in_use = true;
    pthread_mutex_unlock(&file.lock);
    // Nobody would take it back from a thread that ends.
    if (buffer != NULL && pthread_setspecific(file.key, buffer) != 0) {
        buffer_give_back(buffer);
        buffer = NULL;
    }
    return own_buffer = buffer;
}

static bool file_open(chx_runtime *runtime, const char *path)
{
    file.descriptor = descriptor_keep(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
    if (file.descriptor.number < 0) {
        log_write(runtime, CHX_LOG_WARN, "CHOREX_TRACE: %s can't be written: %s", path, strerror(errno));
        return false;
    }
    if (pthread_key_create(&file.key, buffer_give_back) != 0) {
        descriptor_close(&file.descriptor);
        return false;
    }
    file.pid = getpid();
    file.start_ns = runtime->platform->now_ns();
    file.in_order = runtime->platform->call_begin != NULL;
    file_write("[\n", 2);
    return true;
}

bool trace_open(chx_runtime *runtime)
{
    const char *path = secure_getenv("CHOREX_TRACE");
    if (path == NULL || path[0] == '\0')
        return false;
    pthread_mutex_lock(&file.lock);
    if (!file.opened && !file.failed) {
        file.opened = file_open(runtime, path);
        file.failed = !file.opened;
    }
    bool is_open = file.opened;
    pthread_mutex_unlock(&file.lock);
    return is_open;
}

int trace_file(uint64_t *start_ns)
{
    *start_ns = file.start_ns;
    return file.opened ? descriptor_use(&file.descriptor) : -1;
}

bool trace_adopt(int fd, uint64_t start_ns)
{
    if (file.opened)
        return true; // a simulated process: it is the program's own
    file.opened = pthread_key_create(&file.key, buffer_give_back) == 0;
    if (!file.opened)
        return false;
    file.descriptor = descriptor_keep(fd);
    file.pid = getpid();
    file.start_ns = start_ns;
    file.adopted = true;
    return true;
}

// After all other destructors, the default runtime's too.
static void __attribute__((destructor(101))) file_close(void)
{
    if (!file.opened)
        return;
    atomic_store(&file.closed, true);
    file_flush();
    char line[EVENT_BYTES_MAX];
    file_write(line, event_write(line, &(Event){.kind = EVENT_CLOSE}));
    // Threads that still run may hold on to theirs; they find the file closed.
    pthread_mutex_lock(&file.lock);
    Buffer **link = &file.buffers;
    while (*link != NULL) {
        Buffer *buffer = *link;
        if (buffer->in_use && buffer != own_buffer) {
            link = &buffer->next;
            continue;
        }
        *link = buffer->next;
        pthread_mutex_destroy(&buffer->lock);
        free(buffer);
    }
    own_buffer = NULL;
    descriptor_close(&file.descriptor);
    pthread_mutex_unlock(&file.lock);
}

// ---- events ----

static void trace_write(const Event *event)
{
    // A signal in here would not be the role's.
    Current *here = current();
    here->busy++;
    Buffer *buffer = atomic_load(&file.closed) ? NULL : buffer_own();
    if (buffer != NULL) {
        pthread_mutex_lock(&buffer->lock);
        if (BUFFER_BYTES - buffer->size < EVENT_BYTES_MAX)
            buffer_flush(buffer);
        buffer->size += event_write(buffer->data + buffer->size, event);
        if (file.adopted || file.in_order)
            buffer_flush(buffer);
        pthread_mutex_unlock(&buffer->lock);
    }
    here->busy--;
}

static uint64_t trace_now(const Session *session)
{
    return session->runtime->platform->now_ns() - file.start_ns;
}

static Event actor_event(const Actor *actor, EventKind kind, uint32_t site)
{
    return (Event){
        .kind = kind,
        .time_ns = trace_now(actor->session),
        .session = actor->session->trace,
        .role_index = actor->index,
        .role = actor->role->role,
        .site = site,
        .line = actor_site_line(actor, site),
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
    };
    trace_write(&event);
    for (unsigned i = 0; i < session->actor_count; i++) {
        Event role = {.kind = EVENT_ROLE, .session = session->trace, .role_index = i};
        role.role = session->actors[i].role->role;
        trace_write(&role);
    }
}

void trace_session_end(Session *session)
{
    chx_status status = (chx_status)atomic_load(&session->status);
    Event event = {
        .kind = EVENT_END,
        .time_ns = trace_now(session),
        .session = session->trace,
        .status = chx_status_text(status),
        .text = status != CHX_OK ? session->report.why : NULL,
    };
    trace_write(&event);
    current()->busy++;
    file_flush();
    current()->busy--;
}

void trace_step(Actor *actor)
{
    trace_end_step(actor);
    actor->traced_site = actor->self.site;
    actor->traced_ns = trace_now(actor->session);
}

static void trace_function(Actor *actor, EventKind kind, const chx_function *function)
{
    trace_end_step(actor);
    Event event = actor_event(actor, kind, 0);
    event.text = function->name;
    trace_write(&event);
}

void trace_call(Actor *actor, const chx_function *function)
{
    trace_function(actor, EVENT_CALL, function);
}

void trace_return(Actor *actor, const chx_function *function)
{
    trace_function(actor, EVENT_RETURN, function);
}

static void trace_message(Actor *actor, const Channel *channel, uint32_t site, uint32_t epoch, bool is_out)
{
    trace_end_step(actor);
    const chx_site *found = role_site(actor->role, site);
    bool is_choice = found != NULL && found->kind == CHX_SITE_CHOICE;
    EventKind kind = is_out ? is_choice ? EVENT_TELL : EVENT_SEND : is_choice ? EVENT_TOLD : EVENT_RECEIVE;
    Event event = actor_event(actor, kind, site);
    event.peer = is_out ? channel->consumer->role->role : channel->producer->role->role;
    event.sequence = channel->ops->sequence(channel, is_out);
    event.epoch = epoch;
    uint64_t ends = ((uint64_t)channel->producer->index << 32) + channel->consumer->index;
    event.flow = (actor->session->trace * 0x9e3779b97f4a7c15u + ends) * 0xd6e8feb86659fd93u + event.sequence + 1;
    trace_write(&event);
}

void trace_sent(Actor *actor, const Channel *channel, uint32_t site)
{
    trace_message(actor, channel, site, channel->head.sending.epoch, true);
}

void trace_received(Actor *actor, const Channel *channel, const Record *record)
{
    trace_message(actor, channel, record->site, record->of.epoch, false);
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

// ---- checkpoints ----

static uint64_t digest_bytes(uint64_t digest, const void *data, size_t size)
{
    for (const unsigned char *byte = data; size > 0; byte++, size--)
        digest = (digest ^ *byte) * 0x100000001b3u;
    return digest;
}

// What a value says: not where its text lies, nor what is in the gaps of a struct. Addresses differ from run to run.
static uint64_t digest_value(uint64_t digest, const chx_type *type, const void *value)
{
    const char *bytes = value;
    if (type->kind == CHX_KIND_OPAQUE)
        return digest;
    if (value_is_zero(value, type->size))
        return digest_bytes(digest, "", 1);
    switch (type->kind) {
    case CHX_KIND_BOOL:
    case CHX_KIND_SIGNED:
    case CHX_KIND_UNSIGNED:
        return digest_bytes(digest, value, type->size);
    case CHX_KIND_CSTRING: {
        const char *string = *(const char *const *)value;
        return digest_bytes(digest, string, strlen(string) + 1);
    }
    case CHX_KIND_STR:
        return digest_bytes(digest, chx_cstr(*(const chx_str *)value), chx_str_len(*(const chx_str *)value) + 1);
    case CHX_KIND_BYTES: {
        chx_bytes data = *(const chx_bytes *)value;
        uint64_t size = chx_bytes_len(data);
        return digest_bytes(digest_bytes(digest, &size, sizeof size), chx_bytes_data(data), (size_t)size);
    }
    case CHX_KIND_STRUCT:
        for (size_t i = 0; i < type->count; i++)
            digest = digest_value(digest, type->fields[i].type, bytes + type->fields[i].offset);
        return digest;
    case CHX_KIND_ARRAY:
        for (size_t i = 0; i < type->count; i++)
            digest = digest_value(digest, type->element, bytes + i * type->element->size);
        return digest;
    default: {
        chx_buffer buffer = {0};
        chx_encode(type, value, &buffer);
        // Without memory the value counts as far as it could be encoded.
        digest = digest_bytes(digest, buffer.data, buffer.size);
        chx_buffer_free(&buffer);
        return digest;
    }
    }
}

static uint64_t digest_frame(const chx_frame *frame)
{
    const chx_function *function = frame->function;
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < function->variable_count; i++)
        digest = digest_value(digest, function->variables[i].type, (const char *)frame + function->variables[i].offset);
    return digest;
}

static void trace_checkpoint(Actor *actor, EventKind kind, const TraceBlock *block)
{
    if ((actor->self.observed & OBSERVED_TRACE) == 0)
        return;
    trace_end_step(actor);
    Event event = actor_event(actor, kind, block->site);
    event.attempt = block->attempt;
    event.epoch = block->epoch;
    event.depth = block->depth;
    event.text = block->why;
    if (kind != EVENT_ARRIVE && kind != EVENT_LEAVE)
        event.digest = digest_frame(block->frame);
    trace_write(&event);
}

void trace_checkpoint_enter(Actor *actor, const TraceBlock *block)
{
    trace_checkpoint(actor, EVENT_ENTER, block);
}

void trace_checkpoint_arrive(Actor *actor, const TraceBlock *block)
{
    trace_checkpoint(actor, EVENT_ARRIVE, block);
}

void trace_checkpoint_leave(Actor *actor, const TraceBlock *block)
{
    trace_checkpoint(actor, EVENT_LEAVE, block);
}

void trace_checkpoint_recover(Actor *actor, const TraceBlock *block)
{
    trace_checkpoint(actor, EVENT_RECOVER, block);
}

void trace_checkpoint_restart(Actor *actor, const TraceBlock *block)
{
    trace_checkpoint(actor, EVENT_RESTART, block);
}
