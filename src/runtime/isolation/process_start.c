// process_start.c: how an isolated role's process begins, from what the program tells it, and how it ends. See process.h.

#define _GNU_SOURCE
#include "runtime/isolation/process.h"

#include "runtime/actor/effect.h"
#include "runtime/actor/observe.h"
#include "runtime/isolation/sandbox.h"
#include "runtime/platform/spin_budget.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/session/registry.h"
#include "runtime/session/spread.h"
#include "runtime/session/runtime.h"
#include "runtime/session/trace.h"
#include "runtime/value/codec.h"
#include "runtime/value/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static void *need(Process *process, void *memory)
{
    if (memory == NULL)
        process_no_memory(process);
    return memory;
}

void process_wire(Process *process, const Wiring *wiring)
{
    const SpawnImage *image = process->image;
    const ImageChannel *from = wiring->from;
    Actor *actor = &process->control->actor, *peer = &process->peers[from->peer];
    Channel *channel = wiring->channel;
    ShmChannel *shm = wiring->shm;
    if (from->peer_is_isolated && process->doorbells[from->peer] == NULL)
        process->doorbells[from->peer] =
            need(process, isolated_map_doorbell(process->files[from->doorbell.file].number, from->doorbell.at));
    channel->producer = wiring->sends ? actor : peer;
    channel->consumer = wiring->sends ? peer : actor;
    process->is_kept[from->ring.file] = true; // large values travel through it
    if (!isolated_map_ring(&shm->ring, &process->files[from->ring.file], from->ring.at, wiring->token))
        process_no_memory(process);
    ring_set_limits(&shm->ring, image->message_limit, image->byte_limit);
    ring_go_on(&shm->ring);
    shm->side = &process_side;
    shm->owner = process;
    shm->number = from->number;
    shm_channel_init(channel, shm, actor->role);
    if (peer->role == NULL) {
        chx_role *role = need(process, calloc(1, sizeof *role));
        role->role = from->peer_name; // in the image: the session's channels come before those of arms
        peer->role = role;
    }
    if (wiring->sends)
        channel->head.sending.epoch = from->epoch;
    else
        channel->head.taking.epoch = from->epoch;
}

static void process_wire_all(Process *process, Actor *actor)
{
    const SpawnImage *image = process->image;
    const ImageChannel *from = (const ImageChannel *)(image + 1);
    size_t count = image->out_count + (size_t)image->in_count;
    Channel *channels = need(process, aligned_alloc(CACHE_LINE, (count + 1) * sizeof *channels));
    memset(channels, 0, (count + 1) * sizeof *channels);
    actor->out = channels;
    actor->in = need(process, calloc(image->in_count + 1u, sizeof *actor->in));
    process->shms = need(process, calloc(count + 1, sizeof *process->shms));
    for (uint32_t i = 0; i < count; i++) {
        bool sends = i < image->out_count;
        uint32_t token = (uint32_t)image->token[0] ^ from[i].number;
        process_wire(process, &(Wiring){&channels[i], &process->shms[process->shm_count++], &from[i], token, sends});
        if (!sends)
            actor->in[i - image->out_count] = &channels[i];
    }
    actor->self.out = (unsigned char *)actor->out;
    actor->self.in = (chx_channel *const *)actor->in;
}

static void process_plan(Process *process, const chx_role *role)
{
    const SpawnImage *image = process->image;
    const chx_entry *entry = &role->entries[image->definition];
    Plan *plan = need(process, calloc(1, sizeof *plan + image->role_count * sizeof(PlanRole)));
    plan->role_count = image->role_count;
    plan->definition_index = image->definition;
    plan->roles[image->role] = (PlanRole){.role = role, .entry = entry};
    if (entry->function->result != NULL) {
        process->result = (chx_result_slot){image->role, 0, entry->function->result};
        plan->roles[image->role].result = &process->result;
        process->session.results = need(process, calloc(1, entry->function->result->size));
    }
    process->session.plan = plan;
}

static Actor *process_actor(Process *process, const chx_role *role)
{
    const SpawnImage *image = process->image;
    Session *session = &process->session;
    Actor *actor = &process->control->actor;
    memset(actor, 0, sizeof *actor);
    actor->session = session;
    actor->role = role;
    actor->index = image->role;
    actor->self.member = role->spread != NULL ? role->spread->member : 0;
    process->away.ops = &process_away_ops;
    actor->away = &process->away;
    actor->self.generation = &process->control->generation;
    actor->self.generation_seen = image->generation;
    stack_init(actor, need(process, calloc(1, sizeof(Chunk) + STACK_FIRST_BYTES)), STACK_FIRST_BYTES);
    actor->self.counts = need(process, calloc(actor->role->counter_count + 1, sizeof *actor->self.counts));
    savepoints_init(actor, need(process, aligned_alloc(16, (SAVEPOINT_ROOM_BYTES + 15) / 16 * 16)));
    session->actors = process->peers;
    session->token[0] = image->token[0];
    session->token[1] = image->token[1];
    session->float_control = image->float_control;
    float_use(session->float_control);
    return actor;
}

static void process_savepoint(Actor *actor, const chx_checkpoint *checkpoint, uint32_t attempt, uint32_t ordinal)
{
    savepoint_reserve(actor);
    Savepoint *savepoint = savepoint_allocate_for(actor, actor->self.top, checkpoint);
    savepoint_save(actor, savepoint);
    savepoint->position = (Position){.checkpoint = checkpoint, .ordinal = ordinal, .attempt = attempt};
    savepoint_push(actor, savepoint);
}

// Of the families.
static const size_t *process_sizes(const SpawnImage *image)
{
    const ImageChannel *channels = (const ImageChannel *)(image + 1);
    return (const size_t *)(const void *)(channels + image->out_count + image->in_count);
}

static const unsigned char *process_arms(const SpawnImage *image)
{
    return (const unsigned char *)(process_sizes(image) + image->size_count);
}

static size_t process_arms_bytes(const SpawnImage *image)
{
    return image->arm_count * (sizeof(ImageArm) + (image->out_count + (size_t)image->in_count) * sizeof(ArmChannel));
}

// Back to where the last process was when it entered the block. NULL: it is there; else why it can't be.
static const char *process_restore(Process *process, Actor *actor, const unsigned char *data)
{
    const SpawnImage *image = process->image;
    chx_reader reader = {.at = data, .end = (const unsigned char *)image + process->image_size};
    ImagePiece piece;
    uint32_t pieces = image->savepoints > 0 ? image->savepoints : 1;
    for (uint32_t i = 0; i < pieces; i++) {
        const unsigned char *bytes =
            chx_read(&reader, &piece, sizeof piece) ? chx_read_view(&reader, piece.size) : NULL;
        const chx_checkpoint *checkpoint = image->savepoints > 0 ? role_checkpoint(actor->role, piece.site) : NULL;
        uint32_t ordinal;
        if (bytes == NULL)
            return "it is cut off";
        if (image->savepoints > 0 && checkpoint == NULL)
            return "it is of no block of the role";
        const char *why = snapshot_load(actor, checkpoint, bytes, piece.size, &ordinal);
        if (why != NULL)
            return why;
        if (checkpoint != NULL)
            process_savepoint(actor, checkpoint, piece.attempt, ordinal);
    }
    const char *why_arms = process_restore_arms(process, process_arms(image));
    if (why_arms != NULL)
        return why_arms;
    Savepoint *savepoint = savepoint_top(actor);
    if (savepoint != NULL) {
        savepoint->fault = process_fault_new(actor, &image->fault);
        savepoint->frame->at = process_label(process, savepoint);
        actor->self.site = savepoint->position.checkpoint->site; // until its first step
    }
    return NULL;
}

static _Noreturn void process_end(Process *process, Actor *actor)
{
    const chx_type *type = process->result.type;
    buffer_restart(&process->buffer);
    if (type != NULL)
        chx_encode(type, process->session.results, &process->buffer);
    if (process->buffer.failed)
        process_no_memory(process);
    actor_flush_credit(actor);
    fflush(NULL);
    process_send_control(process, (ControlHead){(uint32_t)process->buffer.size, CONTROL_END, 0, 0},
                         process->buffer.data);
    process_exit(process, 0);
}

static void process_waits(Actor *actor)
{
    actor_flush_credit(actor);
    process_await(actor_process(actor), FOR_ACTOR);
}

// A function of the role has ended the only thread of the process.
static void process_exits(void *argument)
{
    Process *process = argument;
    Guard guard;
    actor_thread_exited(&process->control->actor, &guard);
    process_fail(process, &guard.fault);
}

static _Noreturn void process_live(Process *process, Actor *actor)
{
    Guard guard;
    pthread_cleanup_push(process_exits, process);
    if (actor_run_unscheduled(actor, &guard, process_waits) == ACTOR_FAILED)
        process_fail(process, &guard.fault);
    process_end(process, actor);
    pthread_cleanup_pop(0);
}

// None of the role's code has run. Its init hook is run here, with all restrictions but the filter of system calls, so
// that it can open what the role needs; what the last process has saved, which that may have prepared, is read after that.
static void process_confine(Process *process, Actor *actor, const unsigned char *data, size_t size)
{
    chx_sandbox sandbox;
    if (!sandbox_read(&sandbox, data, size))
        process_refuse(process, "internal error: its sandbox is cut off");
    // A simulated process shares everything with the program, which must not be restricted.
    bool is_simulated = process->platform->is_simulated;
    const char *why = is_simulated ? NULL : confine(&sandbox);
    if (why != NULL)
        process_refuse(process, "%s", why);
    actor_init(actor);
    why = is_simulated ? NULL : confine_calls(&sandbox);
    if (why != NULL)
        process_refuse(process, "%s", why);
}

static void process_begin_guarded(void *closure)
{
    Process *process = closure;
    Actor *actor = &process->control->actor;
    const SpawnImage *image = process->image;
    const unsigned char *sandbox = process_arms(image) + process_arms_bytes(image);
    if (image->sandbox_size > 0)
        process_confine(process, actor, sandbox, image->sandbox_size);
    const char *why = process_restore(process, actor, sandbox + image->sandbox_size);
    if (why != NULL)
        process_refuse(process, "what it saved when it entered the block can't be read: %s", why);
    if (!process->is_traced)
        return;
    process->session.trace = image->trace;
    actor->self.observed |= OBSERVED_TRACE;
    if (image->savepoints > 0)
        trace_block(actor, EVENT_RESTART, image->epoch, image->fault.why);
}

static void process_begin(Process *process, Actor *actor)
{
    const SpawnImage *image = process->image;
    Guard guard;
    process_wire_all(process, actor);
    process->is_kept[GIVEN_DOORBELL] = process->is_kept[GIVEN_RECALL] = true;
    if (role_has_arms(actor->role))
        process->is_kept[GIVEN_OWN] = true;
    process->is_traced =
        image->has_trace != TRACE_NONE && trace_adopt(process->files[process->file_count - 1].number,
                                                      image->trace_start_ns, image->has_trace == TRACE_VALUES);
    if (process->is_traced)
        process->is_kept[process->file_count - 1] = true;
    for (size_t i = 0; i < process->file_count; i++)
        if (!process->is_kept[i])
            descriptor_close(&process->files[i]);
    if (!guard_run(&guard, actor, process_begin_guarded, process))
        process_fail(process, &guard.fault);
}

// What it shares with the program comes first: without it nothing can be said.
static void process_share(Process *process)
{
    struct stat about;
    int file = process->files[GIVEN_IMAGE].number;
    if (fstat(file, &about) != 0 || about.st_size < (off_t)sizeof(SpawnImage))
        process_exit(process, PROCESS_FAILED);
    process->image_size = (size_t)about.st_size;
    const SpawnImage *image = process->image = isolated_map(file, 0, process->image_size);
    if (image != NULL && image->layout != IMAGE_LAYOUT)
        process_exit(process, PROCESS_FAILED);
    process->control = isolated_map(process->files[GIVEN_OWN].number, 0, sizeof(ControlBlock));
    if (image != NULL)
        process->own_doorbell = isolated_map_doorbell(process->files[image->doorbell.file].number, image->doorbell.at);
    if (process->control == NULL || process->own_doorbell == NULL)
        process_exit(process, PROCESS_NO_MEMORY);
    // The role's state lies there. A child that the role forks does not have it: one that returned from the role's
    // function would go on in the role's place, beside it.
    madvise(process->control, sizeof(ControlBlock), MADV_DONTFORK);
    process->goes = image->goes;
    process->is_durable = image->is_durable;
    process->fence = image->fence;
    process->posted = image->answered;
    process->control_tail = atomic_load(&process->control->control_tail);
    atomic_store(&process->control->begun, 1);
}

Process *process_new(const Platform *platform, const int *files, size_t count)
{
    Process *process = calloc(1, sizeof *process);
    if (process == NULL)
        return NULL;
    process->platform = platform;
    process->files = calloc(count, sizeof *process->files);
    process->is_kept = calloc(count, sizeof *process->is_kept);
    if (process->files == NULL || process->is_kept == NULL) {
        process_drop(process);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        process->files[process->file_count++] = descriptor_keep(files[i]);
    return process;
}

// The memory of the role itself, its frames and what its code has allocated, is lost: nobody knows all of it.
void process_drop(void *argument)
{
    Process *process = argument;
    chx_runtime *runtime = process->session.runtime;
    if (current()->thread == &process->thread)
        isolation_thread_leave(&process->thread);
    process_drop_arms(process);
    for (size_t i = 0; i < process->shm_count; i++)
        isolated_unmap_ring(&process->shms[i].ring);
    for (unsigned i = 0; process->doorbells != NULL && i < process->image->role_count; i++)
        isolated_unmap_doorbell(process->doorbells[i]);
    isolated_unmap_doorbell(process->own_doorbell);
    if (process->image != NULL)
        munmap(process->image, process->image_size);
    if (process->control != NULL)
        munmap(process->control, sizeof(ControlBlock));
    for (size_t i = 0; i < process->file_count; i++)
        descriptor_close(&process->files[i]);
    if (runtime != NULL && atomic_load(&runtime->session_count) == 0)
        chx_runtime_free(runtime);
    chx_buffer_free(&process->buffer);
    free(process->shms);
    free(process->doorbells);
    free(process->peers);
    free(process->files);
    free(process->is_kept);
    free(process);
}

void process_main(void *argument)
{
    Process *process = argument;
    process_share(process);
    const SpawnImage *image = process->image;
    process->doorbells = need(process, calloc(image->role_count, sizeof *process->doorbells));
    process->peers = need(process, calloc(image->role_count, sizeof(Actor)));
    for (unsigned i = 0; i < image->role_count; i++)
        process->peers[i].index = i;
    // A simulated process shares the program's handlers of signals: they end the role, not the program.
    bool is_simulated = process->platform->is_simulated;
    process->session.runtime = need(process, chx_runtime_new(&(chx_runtime_options){.signals = is_simulated}));
    process->spin_budget_ns = process->platform->cores() > 1 ? SPIN_BUDGET_NS : 0;
    if (is_simulated)
        isolation_thread_enter(process->session.runtime, &process->thread);
    else
        prctl(PR_SET_NAME, image->implementation);
    const chx_role *role = registry_named(image->choreography, image->implementation);
    if (role == NULL || role->digest != image->digest || image->definition >= role->entry_count)
        process_refuse(process, "its implementation is not in the program that was started for it");
    if (image->size_count > 0)
        role = need(process, (void *)(uintptr_t)spread_role(role, process_sizes(image), image->role));
    process_plan(process, role);
    Actor *actor = process_actor(process, role);
    actor->self.observed = is_simulated ? OBSERVED_SIMULATION : 0;
    process_begin(process, actor);
    process_live(process, actor);
}
