// process.c: an isolated role in its own process: one actor, one thread, all channels lead out.
//
// It runs the same projected code. What differs: entering a block is a control message with what was saved, and the body
// goes on at once, unless a recovery has begun somewhere that this role may not know of; the end of a block is a control
// message, too, and its answer is waited for; a recovery comes as a rollback command in the control block.

#define _GNU_SOURCE
#include "runtime/isolation/process.h"

#include "base/check.h"
#include "runtime/actor/again.h"
#include "runtime/actor/effect.h"
#include "runtime/platform/spin_budget.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/session/trace.h"
#include "runtime/value/codec.h"
#include "runtime/value/snapshot.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUTSIDE_LOOK_NS UINT64_C(5000000000) // the descriptor that the program calls it back with may be gone

void process_exit(const Process *process, int status)
{
    process->platform->process_exit(status);
    abort();
}

// ---- waiting ----

static bool process_has(Process *process, Wait wait)
{
    ControlBlock *control = process->control;
    Actor *actor = &control->actor;
    uintptr_t wants = actor->self.wants;
    if (wait == FOR_ANSWER)
        return atomic_load(&control->answered) >= process->posted;
    if (wait == FOR_ROOM)
        return process->control_tail - atomic_load(&control->control_head) < CONTROLS_BYTES;
    if (atomic_load(actor->self.generation) != actor->self.generation_seen)
        return true;
    if ((wants & WANTS_TAGS) == WANTS_EVENT)
        return atomic_load(&actor->again->is_ready);
    if ((wants & WANTS_BLOCK) != 0)
        return atomic_load(&control->goes) > process->goes || process_turns(process);
    return actor_finds(actor, (Channel *)(wants & ~WANTS_TAGS), (wants & WANTS_ROOM) != 0);
}

static void process_announce(Process *process, Wait wait)
{
    uintptr_t wants = process->control->actor.self.wants;
    Channel *channel = (Channel *)(wants & ~WANTS_TAGS);
    if (wait != FOR_ACTOR)
        atomic_store(&process->control->supervisor_awaited, 1);
    else if ((wants & WANTS_BLOCK) == 0)
        channel->ops->announce_wait(channel, (wants & WANTS_ROOM) != 0);
}

// What the role waits for outside, as a descriptor to poll. -1: it is no descriptor.
static int outside_number(const Again *again)
{
    if (again->kind == AGAIN_WHEN_OVER)
        return chx_session_fd(again->session);
    return again->kind == AGAIN_WHEN ? again->number : -1;
}

// Until what the role waits for outside has happened, or it is called back: looks at the descriptor, at the clock and at what the
// program says.
static void process_await_outside(Process *process, Again *again)
{
    struct pollfd polled[] = {
        {.fd = outside_number(again), .events = again->kind == AGAIN_WHEN ? again->events : POLLIN},
        {.fd = process->files[GIVEN_RECALL].number, .events = POLLIN}};
    if (again->kind == AGAIN_WHEN_OVER && polled[0].fd < 0) {
        again->error = errno != 0 ? errno : EMFILE;
        atomic_store(&again->is_ready, true);
    }
    while (!process_has(process, FOR_ACTOR)) {
        uint64_t now_ns = process->platform->now_ns(), left_ns = OUTSIDE_LOOK_NS;
        if (again->kind == AGAIN_AFTER)
            left_ns = again->due_ns <= now_ns ? 0 : again->due_ns - now_ns;
        left_ns = left_ns < OUTSIDE_LOOK_NS ? left_ns : OUTSIDE_LOOK_NS;
        process->platform->poll(polled, 2, (int)((left_ns + 999999) / 1000000));
        if ((polled[0].revents & POLLNVAL) != 0)
            again->error = EBADF;
        if (polled[0].revents != 0 || (again->kind == AGAIN_AFTER && process->platform->now_ns() >= again->due_ns))
            atomic_store(&again->is_ready, true);
    }
}

int process_recall_fd(const Actor *actor)
{
    return descriptor_use(&actor_process(actor)->files[GIVEN_RECALL]);
}

// What has been said so far is being done.
static void process_recalled(Process *process)
{
    char rings[64];
    int number = descriptor_use(&process->files[GIVEN_RECALL]);
    // It does not block. A plain read: a filter of system calls may allow nothing else.
    while (number >= 0 && read(number, rings, sizeof rings) > 0)
        ;
}

void process_await(Process *process, Wait wait)
{
    Actor *actor = &process->control->actor;
    if (wait == FOR_ACTOR && process_turns(process)) {
        process_turn(process, actor);
        return;
    }
    if (wait == FOR_ACTOR && (actor->self.wants & WANTS_TAGS) == WANTS_EVENT) {
        process_await_outside(process, actor->again);
        return;
    }
    SpinBudget spin_budget = {.limit_ns = process->spin_budget_ns};
    do {
        if (process_has(process, wait))
            return;
    } while (spin_budget_lasts(&spin_budget, process->platform));
    for (;;) {
        uint32_t seen = atomic_load(&process->own_doorbell->word);
        process_announce(process, wait);
        if (process_has(process, wait))
            return;
        atomic_store(&process->control->asleep, (uint64_t)seen + 1);
        doorbell_sleep(process->own_doorbell, seen);
        atomic_store(&process->control->asleep, 0);
    }
}

// ---- control messages ----

// The supervisor thread is to look. False: the role's own code has closed the descriptor.
static bool process_ring(Process *process)
{
    int doorbell = descriptor_use(&process->files[GIVEN_DOORBELL]);
    ssize_t written = -1;
    // A pipe that is full: the supervisor thread has enough to look at.
    if (doorbell >= 0)
        do
            written = write(doorbell, &process->image->id, sizeof process->image->id);
        while (written < 0 && errno == EINTR);
    return doorbell >= 0;
}

static void controls_write(Process *process, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0) {
        uint64_t head = atomic_load(&process->control->control_head);
        size_t room = CONTROLS_BYTES - (size_t)(process->control_tail - head),
               at = process->control_tail % CONTROLS_BYTES;
        size_t part = size < room ? size : room;
        part = part < CONTROLS_BYTES - at ? part : CONTROLS_BYTES - at;
        if (part == 0) {
            process_await(process, FOR_ROOM);
            continue;
        }
        memcpy(process->control->controls + at, bytes, part);
        bytes += part;
        size -= part;
        process->control_tail += part;
        // In pieces as large as the room: the parent takes them as they come.
        if (size > 0) {
            atomic_store(&process->control->control_tail, process->control_tail);
            if (!process_ring(process))
                process_exit(process, PROCESS_FAILED);
        }
    }
}

// This is its own doing; the next process has it again.
static _Noreturn void process_lost_descriptor(Process *process)
{
    Fault fault = {.kind = CHX_FAULT_FAIL,
                   .site = process->control->actor.self.site,
                   .why = "it has closed a descriptor of the chorex library"};
    process_fail(process, &fault);
}

void process_send_control(Process *process, ControlHead head, const void *data)
{
    bool is_end = head.kind == CONTROL_FAIL;
    // What can't be rung for is better not said: it fails in the block that it is in.
    if (!is_end && atomic_load(&process->control->supervisor_awake) == 0 &&
        !descriptor_is_ours(&process->files[GIVEN_DOORBELL]))
        process_lost_descriptor(process);
    controls_write(process, &head, sizeof head);
    controls_write(process, data, head.size);
    process->posted++;
    atomic_store(&process->control->control_tail, process->control_tail);
    // The supervisor thread need not be rung for what is said before the end.
    if (atomic_load(&process->control->supervisor_awake) == 0 && !process_ring(process) && !is_end)
        process_lost_descriptor(process);
}

void process_fail(Process *process, const Fault *fault)
{
    // On a simulated machine the role's thread has survived what would have ended a process.
    if (fault->kind == CHX_FAULT_SIGNAL)
        process->platform->process_die(fault->signal);
    fflush(NULL);
    ControlHead head = {(uint32_t)strlen(fault->why), CONTROL_FAIL, fault->site, fault->kind};
    process_send_control(process, head, fault->why);
    process_exit(process, PROCESS_FAILED);
}

void process_refuse(Process *process, const char *format, ...)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault.why, sizeof fault.why, format, arguments);
    va_end(arguments);
    process_fail(process, &fault);
}

void process_no_memory(Process *process)
{
    Fault fault = {.kind = CHX_FAULT_FAIL, .why = "out of memory"};
    process_fail(process, &fault);
}

// ---- channels ----

static void process_notify(Channel *channel, bool producer)
{
    Process *process = shm_channel(channel)->owner;
    unsigned peer = (producer ? channel->producer : channel->consumer)->index;
    if (process->doorbells[peer] != NULL)
        doorbell_ring(process->doorbells[peer]);
    else
        process_send_control(process,
                             (ControlHead){0, CONTROL_WAKE, shm_channel(channel)->number,
                                           process_arm_id(process, channel) * CONTROL_ARM_FACTOR + producer},
                             NULL);
}

static void process_report_violation(Actor *actor, Channel *channel, Violation about)
{
    Process *process = shm_channel(channel)->owner;
    uint32_t seen = atomic_load(&process->own_doorbell->word);
    uint32_t what = process_arm_id(process, channel) * CONTROL_ARM_FACTOR + about;
    process_send_control(process, (ControlHead){0, CONTROL_COMPLAIN, shm_channel(channel)->number, what}, NULL);
    // The process that is to blame is killed. The doorbell rings when there is reason to look again.
    bool is_settled = about == VIOLATION_AHEAD || about == VIOLATION_ENDED;
    if (!is_settled && atomic_load(actor->self.generation) == actor->self.generation_seen)
        doorbell_sleep(process->own_doorbell, seen);
}

const ShmSide process_side = {process_notify, process_report_violation};

// ---- blocks ----

void process_write_tails(const Actor *actor, chx_writer *writer)
{
    for (size_t i = 0; i < actor->role->sends_to_count; i++) {
        const ShmChannel *shm = shm_channel(&actor->out[i]);
        RingPoint tail = shm != NULL ? shm->ring.tail : (RingPoint){.word = 0};
        chx_write(writer, &tail, sizeof tail);
    }
}

// Sends what the role has saved for its newest savepoint, with the ends of its channels.
static void process_send_saved(Actor *actor, uint32_t kind)
{
    Process *process = actor_process(actor);
    const Savepoint *savepoint = savepoint_top(actor);
    const Savepoint *parent = actor->member.count > 1 ? savepoint_at(actor, actor->member.count - 2) : NULL;
    buffer_restart(&process->buffer);
    chx_writer writer = {.buffer = &process->buffer};
    process_write_tails(actor, &writer);
    snapshot_save(actor, parent != NULL ? parent->frame : NULL, &process->buffer);
    if (process->buffer.failed)
        guard_no_memory();
    ControlHead head = {(uint32_t)process->buffer.size, kind, savepoint->position.checkpoint->site, 0};
    process_send_control(process, head, process->buffer.data);
}

static void process_push(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    Process *process = actor_process(actor);
    savepoint_add(actor, frame, checkpoint);
    trace_block(actor, EVENT_ENTER, 0, NULL);
    process_send_saved(actor, CONTROL_ENTER);
    // The block may have failed already. If so, it was counted here before; then the answer is waited for: its channels
    // may be ahead of the recovery's epoch, and what it would send now could not be told from what it sends after it.
    if (atomic_load(&process->control->late) != 0)
        process_await(process, FOR_ANSWER);
}

static bool process_is_durable(const Process *process, const chx_checkpoint *checkpoint)
{
    return process->is_durable && checkpoint->is_durable;
}

// A durable block: the role is let in when the program says so, in each attempt.
static uint32_t process_enter_durable(Process *process, Actor *actor)
{
    actor->self.wants = 0;
    if (atomic_load(actor->self.generation) != actor->self.generation_seen)
        return 0;
    if (atomic_load(&process->control->goes) > process->goes) {
        process->goes++;
        process->is_entering = false;
        return position_label(&savepoint_top(actor)->position);
    }
    actor->self.wants = (uintptr_t)process | WANTS_BLOCK;
    return 0;
}

static uint32_t process_enter(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    Process *process = actor_process(actor);
    bool is_durable = process_is_durable(process, checkpoint);
    if (!is_durable || !process->is_entering)
        process_push(actor, frame, checkpoint);
    process->is_entering = is_durable;
    if (is_durable)
        return process_enter_durable(process, actor);
    actor->self.wants = 0;
    return atomic_load(actor->self.generation) == actor->self.generation_seen ? checkpoint->body_at : 0;
}

// Where a role goes on that goes back to its newest savepoint, or begins there.
uint32_t process_label(Process *process, const Savepoint *savepoint)
{
    const Position *position = &savepoint->position;
    process->is_entering = process_is_durable(process, position->checkpoint);
    return process->is_entering ? position->checkpoint->enter_at : position_label(position);
}

static void process_send_arrive(Process *process, const Actor *actor, const chx_checkpoint *checkpoint)
{
    buffer_restart(&process->buffer);
    if (process_is_durable(process, checkpoint) && actor->member.count == 1)
        snapshot_save_outside(actor, &process->buffer);
    if (process->buffer.failed)
        guard_no_memory();
    ControlHead head = {(uint32_t)process->buffer.size, CONTROL_ARRIVE, checkpoint->site, 0};
    process_send_control(process, head, process->buffer.data);
}

static bool process_leave(Actor *actor, const chx_checkpoint *checkpoint)
{
    Process *process = actor_process(actor);
    Savepoint *savepoint = savepoint_top(actor);
    actor->self.wants = 0;
    // It goes on from here after a loss.
    if (savepoint == NULL && process_is_durable(process, checkpoint))
        return true;
    if (atomic_load(actor->self.generation) != actor->self.generation_seen)
        return false;
    if (!savepoint->position.arrived) {
        trace_block(actor, EVENT_ARRIVE, 0, NULL);
        process_send_arrive(process, actor, checkpoint);
        savepoint->position.arrived = true;
    }
    if (atomic_load(&process->control->goes) > process->goes) {
        process->goes++;
        trace_block(actor, EVENT_LEAVE, 0, NULL);
        savepoint_forget(actor);
        return true;
    }
    actor->self.wants = (uintptr_t)process | WANTS_BLOCK;
    return false;
}

// At the end of a round: saves the frame for the next one, here and in the program.
static void process_save_round(Actor *actor, Savepoint *savepoint)
{
    savepoint_drop_fault(savepoint);
    savepoint_save_next(savepoint);
    // What is sent is as if the next round had been entered.
    savepoint->position.ordinal++;
    savepoint_count_round(actor, savepoint);
    process_send_saved(actor, CONTROL_RENEW);
    savepoint->position.ordinal--;
    savepoint_count_round(actor, savepoint);
}

static void process_begin_round(Actor *actor, Savepoint *savepoint)
{
    trace_block(actor, EVENT_LEAVE, 0, NULL);
    position_renew(&savepoint->position);
    savepoint_begin_round(actor, savepoint);
    trace_block(actor, EVENT_ENTER, 0, NULL);
}

static bool process_renew(Actor *actor, const chx_checkpoint *checkpoint)
{
    Process *process = actor_process(actor);
    Savepoint *savepoint = savepoint_top(actor);
    CHECK(savepoint != NULL && savepoint->position.checkpoint == checkpoint);
    actor->self.wants = 0;
    if (atomic_load(actor->self.generation) != actor->self.generation_seen)
        return false;
    if (!savepoint->position.arrived) {
        trace_block(actor, EVENT_ARRIVE, 0, NULL);
        process_save_round(actor, savepoint);
        savepoint->position.arrived = true;
    }
    if (atomic_load(&process->control->goes) > process->goes) {
        process->goes++;
        process_begin_round(actor, savepoint);
        return true;
    }
    actor->self.wants = (uintptr_t)process | WANTS_BLOCK;
    return false;
}

BlockFault *process_fault_new(const Actor *actor, const SharedFault *shared)
{
    return block_fault_new(
        &(chx_fault){shared->role, shared->kind, shared->signal, shared->why, actor->role->file, shared->line});
}

static chx_fault process_fault(Actor *actor)
{
    return savepoint_top(actor)->fault->fault;
}

static void command_read(const ControlBlock *control, RollbackCommand *command)
{
    uint32_t before, after;
    do {
        before = atomic_load((_Atomic uint32_t *)&control->command_lock);
        memcpy(command, &control->command, sizeof *command);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load((_Atomic uint32_t *)&control->command_lock);
    } while (before != after || before % 2 != 0);
}

// Back to the block, as it was entered.
static void command_obey(Actor *actor, const RollbackCommand *command)
{
    actor->self.generation_seen = command->number;
    process_go_back_from_arms(actor_process(actor), command->depth);
    Savepoint *target = savepoint_at(actor, command->depth), *top = savepoint_top(actor);
    // It waited at the end of a round, and the next one has begun.
    if (top->has_next && command->goes > actor_process(actor)->goes)
        process_begin_round(actor, top);
    while (savepoint_top(actor) != target)
        savepoint_forget(actor);
    savepoint_begin_again(actor, target);
    free(target->fault);
    target->fault = NULL;
    target->position.arrived = false;
    target->position.attempt = command->attempt;
    target->fault = process_fault_new(actor, &command->fault);
}

// From here on it acts in the new attempt. False: there is another command by now.
static bool command_recover(const Process *process, const RollbackCommand *command)
{
    ControlBlock *control = process->control;
    uint64_t state = (uint64_t)command->number * 2;
    if (atomic_compare_exchange_strong(&control->command_state, &state, state + 1))
        return true;
    while (state == COMMAND_REVOKED)
        process->platform->poll(NULL, 0, -1); // it took too long, and is about to be killed
    return false;
}

static bool process_roll_back(Actor *actor)
{
    Process *process = actor_process(actor);
    RollbackCommand command;
    process_recalled(process);
    do {
        command_read(process->control, &command);
        command_obey(actor, &command);
    } while (!command_recover(process, &command));
    Savepoint *target = savepoint_top(actor);
    process->goes = command.goes;
    savepoint_set_epochs(actor, target->position.checkpoint, command.epoch, true);
    target->frame->at = process_label(process, target);
    trace_block(actor, EVENT_RECOVER, command.epoch, target->fault->why);
    process_send_control(
        process, (ControlHead){0, CONTROL_READY, command.epoch, process->arm != NULL ? (uint32_t)process->arm->id : 0},
        NULL);
    return true;
}

static uint64_t process_fence(Actor *actor)
{
    return actor_process(actor)->fence;
}

const AwayOps process_away_ops = {
    .is_process = true,
    .enter = process_enter,
    .leave = process_leave,
    .renew = process_renew,
    .fault = process_fault,
    .roll_back = process_roll_back,
    .arms = &process_arm_ops,
    .fence = process_fence,
};
