// process.c: an isolated role in its own process: one actor, one thread, all channels lead out.
//
// It runs the same projected code. What differs: entering a block is posted together with what was saved, and the body
// goes on at once, unless a recovery has begun somewhere that this role may not know of; the end of a block is posted and
// waited for; a recovery comes as an order in the seat.

#define _GNU_SOURCE
#include "runtime/core/checkpoint.h"
#include "runtime/core/codec.h"
#include "runtime/core/effect.h"
#include "runtime/core/isolation.h"
#include "runtime/core/mark.h"
#include "runtime/core/registry.h"
#include "runtime/core/runtime.h"
#include "runtime/core/observe.h"
#include "runtime/core/session.h"
#include "runtime/core/trace.h"
#include "runtime/isolation/chain.h"
#include "runtime/isolation/house.h"
#include "runtime/isolation/linked.h"
#include "runtime/isolation/nursery.h"
#include "runtime/isolation/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_FAILED = 1 };

struct Process {
    const Restore *restore;
    Descriptor *files; // as listed in house.h
    size_t file_count;
    bool *is_kept;   // for large values
    Descriptor bell; // the postman's
    const Platform *platform;
    Seat *seat;
    Bell *own_bell;
    Bell **bells;  // of isolated roles that it has channels to or from, by role; NULL: it has none, or is not isolated
    uint64_t goes; // blocks left
    uint64_t posted; // posts so far
    uint64_t posts_tail;
    uint64_t patience_ns; // before it sleeps
    chx_buffer buffer;
    Session session;
    Actor *peers; // by role; only to have something to point to
    chx_result_slot result;
};

// ---- waiting ----

static Bell *process_bell(const Process *process)
{
    return process->own_bell;
}

static bool process_has_answer(Process *process, const void *number)
{
    return atomic_load(&process->seat->answered) >= *(const uint64_t *)number;
}

static void answer_announce(Process *process, const void *number)
{
    (void)number;
    atomic_store(&process->seat->answer_wait, 1);
}

static bool process_has_room(Process *process, const void *unused)
{
    (void)unused;
    return process->posts_tail - atomic_load(&process->seat->posts_head) < POSTS_BYTES;
}

// Until the condition holds: looks for a while, then sleeps until the bell rings.
static void process_await(Process *process, bool (*holds)(Process *process, const void *context), const void *context,
                          void (*announce)(Process *process, const void *context))
{
    Patience patience = {.limit_ns = process->patience_ns};
    do {
        if (holds(process, context))
            return;
    } while (patience_lasts(&patience, process->platform));
    for (;;) {
        uint32_t seen = atomic_load(&process_bell(process)->word);
        announce(process, context);
        if (holds(process, context))
            return;
        atomic_store(&process->seat->asleep, (uint64_t)seen + 1);
        bell_sleep(process_bell(process), seen);
        atomic_store(&process->seat->asleep, 0);
    }
}

static bool actor_is_ready(Process *process, const void *context)
{
    Actor *actor = (Actor *)context;
    uintptr_t wants = actor->self.wants;
    if (atomic_load(actor->self.alarm) != actor->self.alarm_seen)
        return true;
    if ((wants & WANTS_BLOCK) != 0)
        return atomic_load(&process->seat->goes) > process->goes;
    return linked_is_ready(actor, (Channel *)(wants & ~WANTS_TAGS), (wants & WANTS_ROOM) != 0);
}

static void actor_announces(Process *process, const void *context)
{
    (void)process;
    const Actor *actor = context;
    uintptr_t wants = actor->self.wants;
    if ((wants & WANTS_BLOCK) == 0)
        linked_announce_wait((Channel *)(wants & ~WANTS_TAGS), (wants & WANTS_ROOM) != 0);
}

// ---- posts ----

static void posts_announce(Process *process, const void *unused)
{
    (void)unused;
    atomic_store(&process->seat->posts_wait, 1);
}

// The postman is to look. False: the role's own code has closed the descriptor.
static bool process_ring(Process *process)
{
    int bell = descriptor_use(&process->bell);
    ssize_t written = -1;
    // A pipe that is full: the postman has enough to look at.
    if (bell >= 0)
        do
            written = write(bell, &process->restore->house, sizeof process->restore->house);
        while (written < 0 && errno == EINTR);
    return bell >= 0;
}

static void posts_write(Process *process, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0) {
        uint64_t head = atomic_load(&process->seat->posts_head);
        size_t room = POSTS_BYTES - (size_t)(process->posts_tail - head), at = process->posts_tail % POSTS_BYTES;
        size_t part = size < room ? size : room;
        part = part < POSTS_BYTES - at ? part : POSTS_BYTES - at;
        if (part == 0) {
            process_await(process, process_has_room, NULL, posts_announce);
            continue;
        }
        memcpy(process->seat->posts + at, bytes, part);
        bytes += part;
        size -= part;
        process->posts_tail += part;
        // In pieces as large as the room: the parent takes them as they come.
        if (size > 0) {
            atomic_store(&process->seat->posts_tail, process->posts_tail);
            if (!process_ring(process))
                _exit(STATUS_FAILED);
        }
    }
}

static _Noreturn void process_lose(Process *process);

static void process_post(Process *process, PostKind kind, const void *data, size_t size)
{
    PostHead head = {(uint32_t)size, kind};
    bool is_end = kind == POST_FAIL;
    // What can't be rung for is better not said: it fails in the block that it is in.
    if (!is_end && atomic_load(&process->seat->postman_awake) == 0 && !descriptor_is_ours(&process->bell))
        process_lose(process);
    posts_write(process, &head, sizeof head);
    posts_write(process, data, size);
    process->posted++;
    atomic_store(&process->seat->posts_tail, process->posts_tail);
    // The postman need not be rung for what is posted before the end.
    if (atomic_load(&process->seat->postman_awake) == 0 && !process_ring(process) && !is_end)
        process_lose(process);
}

// Needs no memory: there may be none.
static _Noreturn void process_fail(Process *process, const Fault *fault)
{
    size_t why = strlen(fault->why);
    PostFail fail = {.kind = fault->kind, .signal = fault->signal, .site = fault->site};
    unsigned char post[sizeof fail + REPORT_WHY_SIZE];
    memcpy(post, &fail, sizeof fail);
    memcpy(post + sizeof fail, fault->why, why);
    fflush(NULL);
    process_post(process, POST_FAIL, post, sizeof fail + why);
    _exit(STATUS_FAILED);
}

// This is its own doing; the next process has it again.
static void process_lose(Process *process)
{
    Fault fault = {.kind = CHX_FAULT_FAIL,
                   .site = process->seat->actor.self.site,
                   .why = "it has closed a descriptor of the chorex library"};
    process_fail(process, &fault);
}

static _Noreturn void process_refuse(Process *process, const char *why)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM};
    snprintf(fault.why, sizeof fault.why, "%s", why);
    process_fail(process, &fault);
}

// ---- channels ----

static void process_notify(Channel *channel, bool producer)
{
    Process *process = channel->linked->owner;
    unsigned peer = (producer ? channel->producer : channel->consumer)->index;
    uint32_t words[2] = {channel->linked->number, producer};
    if (process->bells[peer] != NULL)
        bell_ring(process->bells[peer]);
    else
        process_post(process, POST_WAKE, words, sizeof words);
}

static void process_complain(Actor *actor, Channel *channel, Complaint about)
{
    Process *process = channel->linked->owner;
    uint32_t words[2] = {channel->linked->number, about};
    uint32_t seen = atomic_load(&process_bell(process)->word);
    process_post(process, POST_COMPLAIN, words, sizeof words);
    // Who is to blame is killed. The bell rings when there is reason to look again.
    bool is_settled = about == COMPLAIN_AHEAD || about == COMPLAIN_ENDED;
    if (!is_settled && atomic_load(actor->self.alarm) == actor->self.alarm_seen)
        bell_sleep(process_bell(process), seen);
}

static const LinkedSide process_side = {process_notify, process_complain};

// ---- blocks ----

// The fault's strings go with the block: no variable may keep them, since variables are saved with the next one.
static void mark_forget(Actor *actor)
{
    Mark *mark = mark_top(actor);
    const chx_function *function = mark->frame->function;
    for (size_t i = 0; mark->fault != NULL && i < function->variable_count; i++) {
        chx_fault *fault = (chx_fault *)(void *)((char *)mark->frame + function->variables[i].offset);
        if (function->variables[i].type == &chx_type_fault && fault->why == mark->fault->why)
            memset(fault, 0, sizeof *fault);
    }
    free(mark->fault);
    mark_pop(actor);
}

static void process_observe(Actor *actor, void (*trace)(Actor *actor, const TraceBlock *block), uint32_t epoch,
                            const char *why)
{
    const Mark *mark = mark_top(actor);
    if (actor->self.observed == 0)
        return;
    actor->self.site = mark->checkpoint->site;
    trace(actor, &(TraceBlock){.site = mark->checkpoint->site,
                               .attempt = mark->attempt,
                               .epoch = epoch,
                               .depth = (uint32_t)actor->mark_count - 1,
                               .frame = mark->frame,
                               .why = why});
}

uint32_t process_enter(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    Process *process = actor->process;
    mark_reserve(actor);
    Mark *parent = mark_top(actor);
    uint32_t *ordinal = mark_ordinal(actor, parent, checkpoint->site);
    Mark *mark = mark_allocate(actor, frame->function->frame_size - sizeof *frame);
    mark->frame = frame;
    mark_save(actor, mark);
    mark->block = NULL;
    mark->checkpoint = checkpoint;
    mark_push(actor, mark, 0, (*ordinal)++);
    process_observe(actor, trace_checkpoint_enter, 0, NULL);

    buffer_restart(&process->buffer);
    chx_writer writer = {&process->buffer};
    PostEnter enter = {.site = checkpoint->site, .tails = (uint32_t)actor->role->sends_to_count};
    chx_write(&writer, &enter, sizeof enter);
    for (uint32_t i = 0; i < enter.tails; i++)
        chx_write(&writer, &actor->out[i].linked->ring.tail, sizeof(RingPoint));
    effect_save(actor, &process->buffer);
    chain_save(actor, parent != NULL ? parent->frame : NULL, &process->buffer);
    if (process->buffer.failed)
        guard_no_memory();
    process_post(process, POST_ENTER, process->buffer.data, process->buffer.size);
    // The block may have failed already. If so, it was counted here before; then the answer is waited for: its channels
    // may be ahead of the recovery's epoch, and what it would send now could not be told from what it sends after it.
    if (atomic_load(&process->seat->late) != 0)
        process_await(process, process_has_answer, &process->posted, answer_announce);
    actor->self.wants = 0;
    return atomic_load(actor->self.alarm) == actor->self.alarm_seen ? checkpoint->body_at : 0;
}

bool process_leave(Actor *actor, const chx_checkpoint *checkpoint)
{
    Process *process = actor->process;
    Mark *mark = mark_top(actor);
    actor->self.wants = 0;
    if (atomic_load(actor->self.alarm) != actor->self.alarm_seen)
        return false;
    if (!mark->arrived) {
        process_observe(actor, trace_checkpoint_arrive, 0, NULL);
        process_post(process, POST_ARRIVE, &checkpoint->site, sizeof checkpoint->site);
        mark->arrived = true;
    }
    if (atomic_load(&process->seat->goes) > process->goes) {
        process->goes++;
        process_observe(actor, trace_checkpoint_leave, 0, NULL);
        mark_forget(actor);
        return true;
    }
    actor->self.wants = (uintptr_t)process | WANTS_BLOCK;
    return false;
}

static BlockFault *fault_new(const Actor *actor, chx_fault_kind kind, int signal, int line, const char *role,
                             const char *why)
{
    size_t why_size = strlen(why) + 1, role_size = strlen(role) + 1;
    BlockFault *fault = malloc(sizeof *fault + why_size + role_size);
    if (fault == NULL)
        guard_no_memory();
    memcpy(fault->why, why, why_size);
    memcpy(fault->why + why_size, role, role_size);
    fault->fault = (chx_fault){fault->why + why_size, kind, signal, fault->why, actor->role->file, line};
    return fault;
}

chx_fault process_fault(Actor *actor)
{
    return mark_top(actor)->fault->fault;
}

static void order_read(const Seat *seat, Order *order)
{
    uint32_t before, after;
    do {
        before = atomic_load((_Atomic uint32_t *)&seat->order_lock);
        memcpy(order, &seat->order, sizeof *order);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load((_Atomic uint32_t *)&seat->order_lock);
    } while (before != after || before % 2 != 0);
}

// Back to the block, as it was entered.
static void order_obey(Actor *actor, const Order *order)
{
    actor->self.alarm_seen = order->number;
    Mark *target = actor->marks[order->depth];
    while (mark_top(actor) != target)
        mark_forget(actor);
    mark_unwind_to(actor, target);
    mark_restore(actor, target);
    free(target->fault);
    target->fault = NULL;
    target->arrived = false;
    target->attempt = order->attempt;
    mark_forget_counts(actor, target);
    target->fault = fault_new(actor, order->kind, order->signal, order->line, order->role, order->why);
    actor->self.wants = 0;
}

// From here on it acts in the new attempt. False: there is another order by now.
static bool order_take_up(Seat *seat, const Order *order)
{
    uint64_t state = (uint64_t)order->number * 2;
    if (atomic_compare_exchange_strong(&seat->order_state, &state, state + 1))
        return true;
    while (state == ORDER_REVOKED)
        pause(); // it took too long, and is about to be killed
    return false;
}

void process_answer_alarm(Actor *actor)
{
    Process *process = actor->process;
    Order order;
    do {
        order_read(process->seat, &order);
        order_obey(actor, &order);
    } while (!order_take_up(process->seat, &order));
    Mark *target = mark_top(actor);
    process->goes = order.goes;
    mark_set_epochs(actor, target->checkpoint, order.epoch, true);
    target->frame->at = mark_attempt_begins(target);
    process_observe(actor, trace_checkpoint_recover, order.epoch, target->fault->why);
    PostReady ready = {order.epoch};
    process_post(process, POST_READY, &ready, sizeof ready);
}

// ---- beginning ----

// Another process has memory again, perhaps: this is a failure like others.
static _Noreturn void process_no_memory(Process *process)
{
    Fault fault = {.kind = CHX_FAULT_FAIL, .why = "out of memory"};
    process_fail(process, &fault);
}

static void *need(Process *process, void *memory)
{
    if (memory == NULL)
        process_no_memory(process);
    return memory;
}

// The whole of the file, of which `restore` is the beginning.
static const unsigned char *restore_read(Process *process, int file, size_t *size)
{
    struct stat about;
    if (fstat(file, &about) != 0 || about.st_size < (off_t)sizeof(Restore))
        process_refuse(process, "internal error: its beginning is cut off");
    *size = (size_t)about.st_size;
    unsigned char *data = need(process, malloc(*size));
    if (pread(file, data, *size, 0) != (ssize_t)*size)
        process_refuse(process, "what it has to begin with can't be read: out of memory, or an input/output error");
    close(file);
    return data;
}

static Bell *process_map_bell(Process *process, GivenPlace place)
{
    Bell *bell = house_map_bell(process->files[place.file].number, place.at);
    if (bell == NULL)
        process_no_memory(process);
    return bell;
}

// What has been mapped needs no descriptor any more, unless large values travel through it.
static void process_close_files(Process *process)
{
    for (size_t i = GIVEN_OWN; i < process->file_count; i++)
        if (!process->is_kept[i])
            descriptor_close(&process->files[i]);
}

static void process_wire(Process *process, Actor *actor, Channel *channel, const RestoreChannel *from, bool sends)
{
    const Restore *restore = process->restore;
    struct Linked *linked = need(process, calloc(1, sizeof *linked));
    Actor *peer = &process->peers[from->peer];
    uint32_t token = (uint32_t)restore->token[0] ^ from->number;
    if (from->peer_is_isolated && process->bells[from->peer] == NULL)
        process->bells[from->peer] = process_map_bell(process, from->bell);
    channel_init(channel, process->session.runtime, sends ? actor : peer, sends ? peer : actor, token,
                 restore->message_limit, restore->byte_limit);
    process->is_kept[from->ring.file] = true;
    if (!house_map_ring(&linked->ring, &process->files[from->ring.file], from->ring.at, token))
        process_no_memory(process);
    ring_set_limits(&linked->ring, restore->message_limit, restore->byte_limit);
    ring_go_on(&linked->ring);
    linked->side = &process_side;
    linked->owner = process;
    linked->number = from->number;
    linked_init(channel, linked);
    chx_role *role = need(process, calloc(1, sizeof *role));
    role->role = from->peer_name;
    peer->role = role;
    if (sends)
        channel->head.sending.epoch = from->epoch;
    else
        channel->head.taking.epoch = from->epoch;
}

static Channel *channels_new(Process *process, size_t count)
{
    void *memory = aligned_alloc(CACHE_LINE, (count + 1) * sizeof(Channel));
    return memset(need(process, memory), 0, (count + 1) * sizeof(Channel));
}

static void process_wire_all(Process *process, Actor *actor, const RestoreChannel *channels)
{
    const Restore *restore = process->restore;
    actor->out = channels_new(process, restore->out_count);
    Channel *in = channels_new(process, restore->in_count);
    actor->in = need(process, calloc(restore->in_count + 1u, sizeof *actor->in));
    for (uint32_t i = 0; i < restore->out_count; i++)
        process_wire(process, actor, &actor->out[i], channels++, true);
    for (uint32_t i = 0; i < restore->in_count; i++) {
        actor->in[i] = &in[i];
        process_wire(process, actor, &in[i], channels++, false);
    }
    actor->self.out = (unsigned char *)actor->out;
    actor->self.in = (chx_channel *const *)actor->in;
}

static void process_plan(Process *process, const chx_role *role)
{
    const Restore *restore = process->restore;
    const chx_entry *entry = &role->entries[restore->definition];
    Plan *plan = need(process, calloc(1, sizeof *plan + restore->role_count * sizeof(PlanRole)));
    plan->role_count = restore->role_count;
    plan->definition_index = restore->definition;
    plan->roles[restore->role] = (PlanRole){.role = role, .entry = entry};
    if (entry->function->result != NULL) {
        process->result = (chx_result_slot){restore->role, 0, entry->function->result};
        plan->roles[restore->role].result = &process->result;
        process->session.results = need(process, calloc(1, entry->function->result->size));
    }
    process->session.plan = plan;
}

static Actor *process_actor(Process *process, const chx_role *role)
{
    const Restore *restore = process->restore;
    Session *session = &process->session;
    Actor *actor = &process->seat->actor;
    memset(actor, 0, sizeof *actor);
    actor->session = session;
    actor->role = role;
    actor->index = restore->role;
    actor->process = process;
    actor->self.alarm = &process->seat->alarm;
    actor->self.alarm_seen = restore->alarm;
    stack_init(actor, need(process, calloc(1, sizeof(Chunk) + STACK_FIRST_BYTES)), STACK_FIRST_BYTES);
    actor->self.counts = need(process, calloc(actor->role->counter_count + 1, sizeof *actor->self.counts));
    checkpoint_init(actor, need(process, aligned_alloc(16, (CHECKPOINT_ROOM_BYTES + 15) / 16 * 16)));
    session->actors = process->peers;
    session->token[0] = restore->token[0];
    session->token[1] = restore->token[1];
    session->float_control = restore->float_control;
    float_use(session->float_control);
    return actor;
}

static void process_mark(Actor *actor, const RestorePiece *piece, uint32_t ordinal)
{
    mark_reserve(actor);
    Mark *mark = mark_allocate(actor, actor->self.top->function->frame_size - sizeof(chx_frame));
    mark->block = NULL;
    mark->frame = actor->self.top;
    mark_save(actor, mark);
    mark->checkpoint = role_checkpoint(actor->role, piece->site);
    mark_push(actor, mark, piece->attempt, ordinal);
}

// Back to where the last process was when it entered the block.
static bool process_restore(Process *process, Actor *actor, const unsigned char *data, size_t size)
{
    const Restore *restore = process->restore;
    chx_reader reader = {.at = data, .end = data + size};
    RestorePiece piece;
    uint32_t pieces = restore->marks > 0 ? restore->marks : 1;
    for (uint32_t i = 0; i < pieces; i++) {
        const unsigned char *bytes =
            chx_read(&reader, &piece, sizeof piece) ? chx_read_view(&reader, piece.size) : NULL;
        if (bytes == NULL)
            return false;
        chx_reader saved = {.at = bytes, .end = bytes + piece.size};
        uint32_t ordinal = 0;
        if (restore->marks > 0 && !effect_load(actor, &saved, &ordinal))
            return false;
        if (!chain_load(actor, saved.at, (size_t)(saved.end - saved.at)))
            return false;
        if (restore->marks > 0 && role_checkpoint(actor->role, piece.site) == NULL)
            return false;
        if (restore->marks > 0)
            process_mark(actor, &piece, ordinal);
    }
    Mark *mark = mark_top(actor);
    if (mark != NULL) {
        mark->fault =
            fault_new(actor, restore->kind, restore->signal, restore->line, restore->fault_role, restore->why);
        mark->frame->at = mark_attempt_begins(mark);
    }
    return true;
}

static _Noreturn void process_end(Process *process, Actor *actor)
{
    const chx_type *type = process->result.type;
    buffer_restart(&process->buffer);
    if (type != NULL)
        chx_encode(type, process->session.results, &process->buffer);
    if (process->buffer.failed)
        process_no_memory(process);
    actor_settle(actor);
    fflush(NULL);
    process_post(process, POST_END, process->buffer.data, process->buffer.size);
    _exit(0);
}

static void process_waits(Actor *actor)
{
    actor_settle(actor);
    process_await(actor->process, actor_is_ready, actor, actor_announces);
}

// A function of the role has ended the only thread of the process.
static void process_exits(void *argument)
{
    Process *process = argument;
    Guard guard;
    actor_thread_exited(&process->seat->actor, &guard);
    process_fail(process, &guard.fault);
}

static _Noreturn void process_live(Process *process, Actor *actor)
{
    Guard guard;
    pthread_cleanup_push(process_exits, process);
    if (actor_run_alone(actor, &guard, process_waits) == ACTOR_FAILED)
        process_fail(process, &guard.fault);
    process_end(process, actor);
    pthread_cleanup_pop(0);
}

static void process_trace(Process *process, Actor *actor)
{
    const Restore *restore = process->restore;
    process->session.trace = restore->trace;
    actor->self.observed = OBSERVED_TRACE;
    if (restore->marks > 0)
        process_observe(actor, trace_checkpoint_restart, restore->epoch, restore->why);
}

// None of the role's code has run. Its init hook is run here, with all restrictions but the filter of system calls, so
// that it can open what the role needs; what the last process has saved, which that may have prepared, is read after that.
static void process_confine(Process *process, Actor *actor, const unsigned char *data, size_t size)
{
    Confinement confinement;
    if (!confinement_read(&confinement, data, size))
        process_refuse(process, "internal error: its sandbox is cut off");
    const char *why = confine(&confinement);
    if (why != NULL)
        process_refuse(process, why);
    actor_init(actor);
    why = confine_calls(&confinement);
    if (why != NULL)
        process_refuse(process, why);
}

static void process_begin(Process *process, Actor *actor, const unsigned char *data, size_t size)
{
    const Restore *restore = process->restore;
    size_t channels = (restore->out_count + (size_t)restore->in_count) * sizeof(RestoreChannel);
    if (size < channels || size - channels < restore->sandbox_size)
        process_refuse(process, "internal error: its beginning is cut off");
    const unsigned char *sandbox = data + channels, *pieces = sandbox + restore->sandbox_size;
    Guard guard;
    process_wire_all(process, actor, (const RestoreChannel *)(const void *)data);
    process_close_files(process);
    bool is_traced =
        restore->has_trace != 0 && trace_adopt(process->files[process->file_count - 1].number, restore->trace_start_ns);
    guard_enter(&guard, actor);
    if (sigsetjmp(guard.jump, 0) != 0)
        process_fail(process, &guard.fault);
    if (restore->sandbox_size > 0)
        process_confine(process, actor, sandbox, restore->sandbox_size);
    if (!process_restore(process, actor, pieces, (size_t)(data + size - pieces)))
        process_refuse(process, "what it saved when it entered the block can't be read");
    if (is_traced)
        process_trace(process, actor);
    guard_leave(&guard);
}

// What it shares with the program comes first: without it nothing can be said. A process has one role.
static Process *process_new(const int *files, const Restore *restore)
{
    static Process process;
    process.restore = restore;
    process.bell = descriptor_keep(files[GIVEN_BELL]);
    process.seat = house_map(files[GIVEN_OWN], 0, sizeof(Seat));
    // The role's state lies there. A child that the role forks does not have it: one that returned from the role's function
    // would go on in the role's place, beside it.
    if (process.seat != NULL)
        madvise(process.seat, sizeof(Seat), MADV_DONTFORK);
    process.own_bell = house_map_bell(files[restore->bell.file], restore->bell.at);
    if (process.seat == NULL || process.own_bell == NULL)
        _exit(PROCESS_NO_MEMORY);
    process.goes = restore->goes;
    process.posted = restore->answered;
    process.posts_tail = atomic_load(&process.seat->posts_tail);
    process.platform = platform_wanted();
    atomic_store(&process.seat->begun, 1);
    return &process;
}

static void process_peers(Process *process)
{
    unsigned count = process->restore->role_count;
    process->bells = need(process, calloc(count, sizeof *process->bells));
    process->peers = need(process, calloc(count, sizeof(Actor)));
    for (unsigned i = 0; i < count; i++)
        process->peers[i].index = i;
}

static void process_keep_files(Process *process, const int *files, size_t count)
{
    process->files = need(process, calloc(count, sizeof *process->files));
    process->is_kept = need(process, calloc(count, sizeof *process->is_kept));
    process->file_count = count;
    for (size_t i = GIVEN_OWN; i < count; i++)
        process->files[i] = descriptor_keep(files[i]);
    if (process->restore->has_trace != 0)
        process->is_kept[count - 1] = true;
}

void process_main(const int *files, size_t file_count)
{
    size_t size;
    Restore head;
    if (pread(files[GIVEN_RESTORE], &head, sizeof head, 0) != (ssize_t)sizeof head || head.layout != RESTORE_LAYOUT)
        _exit(STATUS_FAILED);
    Process *process = process_new(files, &head);
    const unsigned char *data = restore_read(process, files[GIVEN_RESTORE], &size);
    const Restore *restore = process->restore = (const Restore *)(const void *)data;
    process_peers(process);
    process_keep_files(process, files, file_count);
    process->session.runtime = need(process, chx_runtime_new(NULL));
    process->patience_ns = process->platform->cores() > 1 ? PATIENCE_NS : 0;
    prctl(PR_SET_NAME, restore->implementation);
    const chx_role *role = registry_named(restore->choreography, restore->implementation);
    if (role == NULL || role->digest != restore->digest || restore->definition >= role->entry_count)
        process_refuse(process, "its implementation is not in the program that was started for it");
    process_plan(process, role);
    Actor *actor = process_actor(process, role);
    process_begin(process, actor, data + sizeof *restore, size - sizeof *restore);
    process_live(process, actor);
}
