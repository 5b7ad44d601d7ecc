// process_arm.c: arms of an isolated role, in its process. See process.h.
//
// A role that takes part in one arm of a `par` goes on in it itself: in the same frame, but with the arm's channels, and the program
// takes the blocks that it enters for the arm's. So there is one stack of frames and one of blocks, whatever arms the role is in. What
// the arm's code has at its beginning is the frame as it was at chx_arm_begin: the `for` around it may have gone on since.

#define _GNU_SOURCE
#include "runtime/isolation/process.h"

#include "base/check.h"
#include "runtime/value/codec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// ---- channels ----

static void use_channels(Actor *actor, Channel *out, Channel **in)
{
    actor->out = out;
    actor->in = in;
    actor->self.out = (unsigned char *)out;
    actor->self.in = (chx_channel *const *)in;
    actor->credit_pending = NULL;
    actor->self.notify_pending = NULL;
}

static void arm_free(ProcessArm *arm, size_t channels)
{
    for (size_t i = 0; i < channels && arm->channels != NULL; i++)
        if (arm->channels[i].ops != NULL)
            arm->channels[i].ops->close(&arm->channels[i]);
    for (size_t i = 0; i < channels && arm->shms != NULL; i++)
        isolated_unmap_ring(&arm->shms[i].ring);
    free(arm->channels);
    free(arm->in);
    free(arm->shms);
    free(arm);
}

static size_t channel_count(const Process *process)
{
    return process->image->out_count + (size_t)process->image->in_count;
}

static void arm_connect(Process *process, ProcessArm *arm, const ArmChannel *told)
{
    const SpawnImage *image = process->image;
    const ImageChannel *outside = (const ImageChannel *)(image + 1);
    size_t count = channel_count(process);
    // One more, in the place of those that are not used.
    arm->channels = aligned_alloc(CACHE_LINE, (count + 1) * sizeof *arm->channels);
    arm->in = calloc(image->in_count + 1u, sizeof *arm->in);
    arm->shms = calloc(count + 1, sizeof *arm->shms);
    if (arm->channels == NULL || arm->in == NULL || arm->shms == NULL)
        process_no_memory(process);
    memset(arm->channels, 0, (count + 1) * sizeof *arm->channels);
    for (size_t i = 0; i < count; i++) {
        bool sends = i < image->out_count;
        if (!sends)
            arm->in[i - image->out_count] = &arm->channels[i];
        if (told[i].is_there == 0)
            continue;
        ImageChannel channel = outside[i];
        channel.ring.at = told[i].ring_at;
        channel.number = told[i].number;
        channel.epoch = told[i].epoch;
        process_wire(process, &(Wiring){&arm->channels[i], &arm->shms[i], &channel, told[i].token, sends});
    }
}

uint32_t process_arm_id(const Process *process, const Channel *channel)
{
    const ProcessArm *arm = process->arm;
    size_t count = channel_count(process);
    while (arm != NULL && (channel < arm->channels || channel >= arm->channels + count))
        arm = arm->outer;
    return arm != NULL ? (uint32_t)arm->id : 0;
}

// ---- beginning ----

// The arm is the innermost from now on.
static void arm_push(Process *process, ProcessArm *arm)
{
    Actor *actor = &process->control->actor;
    arm->outer = process->arm;
    arm->outer_out = actor->out;
    arm->outer_in = actor->in;
    process->arm = arm;
    use_channels(actor, arm->channels, arm->in);
}

static void par_forget(Process *process)
{
    free(process->par.frame_was);
    process->par = (ProcessPar){0};
}

static void process_arm_begin(Actor *actor, chx_frame *frame, const chx_arm *program, const chx_checkpoint *block)
{
    Process *process = actor_process(actor);
    if (process->is_durable)
        guard_raise(CHX_FAULT_SYSTEM, 0, program->chx_block.site,
                    "'par' is not possible yet in a session that is kept in a store");
    if (process->par.program != NULL)
        guard_raise(
            CHX_FAULT_SYSTEM, 0, program->chx_block.site,
            "%s has a process of its own, and takes part in more than one arm of this 'par', which is not possible "
            "yet: let it be a thread of the program (CHX_THREAD)",
            actor->role->role);
    size_t size = frame->function->frame_size;
    void *copy = malloc(size);
    if (copy == NULL)
        guard_no_memory();
    memcpy(copy, frame, size);
    process->par = (ProcessPar){.program = program, .block = block, .frame = frame, .frame_was = copy};
}

// Where the element is in the array of the frame.
static void *element_place(const chx_arm_element *element, const chx_frame *frame)
{
    char *array = *(char *const *)(const void *)((const char *)frame + element->array);
    size_t index = *(const size_t *)(const void *)((const char *)frame + element->index);
    return array + index * element->type->size;
}

static void elements_copy(const chx_arm *program, chx_frame *frame)
{
    for (size_t i = 0; i < program->element_count; i++) {
        const chx_arm_element *element = &program->elements[i];
        void *variable = (char *)frame + element->element;
        chx_value_drop(element->type, variable);
        chx_value_copy(element->type, variable, element_place(element, frame));
    }
}

static void elements_give_back(const chx_arm *program, chx_frame *frame)
{
    for (size_t i = 0; i < program->element_count; i++) {
        const chx_arm_element *element = &program->elements[i];
        void *variable = (char *)frame + element->element;
        if (element->type->owning)
            chx_set_moved(element->type, element_place(element, frame), variable);
        else
            memcpy(element_place(element, frame), variable, element->type->size);
    }
}

static uint32_t frame_number(const chx_frame *frame)
{
    uint32_t number = 0;
    while ((frame = frame->caller) != NULL)
        number++;
    return number;
}

static void send_request(Process *process, const Actor *actor, ArmRequest request)
{
    buffer_restart(&process->buffer);
    chx_writer writer = {.buffer = &process->buffer};
    chx_write(&writer, &request, sizeof request);
    process_write_tails(actor, &writer);
    if (process->buffer.failed)
        guard_no_memory();
    ControlHead head = {(uint32_t)process->buffer.size, CONTROL_ARM, process->par.block->site, 0};
    process_send_control(process, head, process->buffer.data);
}

// The program has answered. NULL: not to this; the role is called back.
static ProcessArm *arm_answered(Process *process, const Actor *actor)
{
    size_t bytes = arm_reply_bytes(actor->role);
    int file = descriptor_use(&process->files[GIVEN_OWN]);
    ArmReply *reply = file >= 0 ? isolated_map(file, CONTROL_FILE_BYTES, bytes) : NULL;
    if (reply == NULL)
        process_no_memory(process);
    ProcessArm *arm = NULL;
    if (reply->answers == process->posted) {
        if ((arm = calloc(1, sizeof *arm)) == NULL)
            process_no_memory(process);
        arm->id = reply->id;
        arm_connect(process, arm, reply->channels);
    }
    munmap(reply, bytes);
    return arm;
}

// The role waits at the end of its `par`: it goes into the arm that it has begun there.
static void par_enter(Process *process, Actor *actor)
{
    chx_frame *frame = process->par.frame;
    const chx_arm *program = process->par.program;
    ArmRequest request = {frame->at, frame_number(frame)};
    send_request(process, actor, request);
    process_await(process, FOR_ANSWER);
    ProcessArm *arm = arm_answered(process, actor);
    if (arm == NULL) {
        par_forget(process);
        return;
    }
    memcpy(frame + 1, (const chx_frame *)process->par.frame_was + 1, frame->function->frame_size - sizeof *frame);
    par_forget(process);
    arm->program = program;
    arm->frame = frame;
    arm->par_at = request.par_at;
    arm->depth = actor->member.count;
    arm_push(process, arm);
    elements_copy(program, frame);
    frame->at = program->chx_block.body_at;
}

bool process_turns(const Process *process)
{
    return process->par.program != NULL || process->arm_is_over;
}

void process_turn(Process *process, Actor *actor)
{
    process->arm_is_over = false;
    if (process->par.program != NULL && atomic_load(actor->self.generation) == actor->self.generation_seen)
        par_enter(process, actor);
}

// ---- the end ----

static bool process_par_end(Actor *actor, chx_frame *frame)
{
    Process *process = actor_process(actor);
    ProcessArm *arm = process->arm;
    if (actor->self.notify_pending != NULL)
        chx_notify(&actor->self);
    if (process->par.program != NULL) {
        actor->self.wants = (uintptr_t)process | WANTS_BLOCK;
        return false;
    }
    if (arm == NULL || !arm->is_over || arm->frame != frame)
        return true;
    elements_give_back(arm->program, frame);
    actor_flush_credit(actor);
    process_send_control(process, (ControlHead){0, CONTROL_ARM_END, 0, 0}, NULL);
    process_leave_arm(process);
    return true;
}

static chx_step process_arm_end(Actor *actor)
{
    Process *process = actor_process(actor);
    ProcessArm *arm = process->arm;
    CHECK(arm != NULL && arm->frame == actor->self.top);
    if (actor->self.notify_pending != NULL)
        chx_notify(&actor->self);
    arm->is_over = process->arm_is_over = true;
    arm->frame->at = arm->par_at;
    actor->self.wants = (uintptr_t)process | WANTS_BLOCK;
    return CHX_STEP_WAIT;
}

void process_leave_arm(Process *process)
{
    ProcessArm *arm = process->arm;
    process->arm = arm->outer;
    use_channels(&process->control->actor, arm->outer_out, arm->outer_in);
    arm_free(arm, channel_count(process));
}

void process_go_back_from_arms(Process *process, size_t depth)
{
    par_forget(process);
    process->arm_is_over = false;
    while (process->arm != NULL && process->arm->depth > depth)
        process_leave_arm(process);
}

void process_drop_arms(Process *process)
{
    free(process->par.frame_was);
    while (process->arm != NULL) {
        ProcessArm *arm = process->arm;
        process->arm = arm->outer;
        arm_free(arm, channel_count(process));
    }
}

// ---- a new process ----

static chx_frame *frame_numbered(const Actor *actor, uint32_t number)
{
    chx_frame *frame = actor->self.top;
    for (uint32_t above = frame_number(frame); above > number; above--)
        frame = frame->caller;
    return frame;
}

const char *process_restore_arms(Process *process, const void *data)
{
    Actor *actor = &process->control->actor;
    const unsigned char *at = data;
    for (uint32_t i = 0; i < process->image->arm_count; i++) {
        ImageArm image;
        memcpy(&image, at, sizeof image);
        ProcessArm *arm = calloc(1, sizeof *arm);
        if (arm == NULL)
            process_no_memory(process);
        arm->id = image.id;
        arm->par_at = image.request.par_at;
        arm->depth = image.depth;
        if (role_arm(actor->role, image.site, &arm->program) == NULL)
            return "it is of no arm of the role";
        arm->frame = frame_numbered(actor, image.request.frame);
        arm_connect(process, arm, (const ArmChannel *)(const void *)(at + sizeof image));
        arm_push(process, arm);
        at += sizeof image + channel_count(process) * sizeof(ArmChannel);
    }
    return NULL;
}

const ArmOps process_arm_ops = {process_arm_begin, process_arm_end, process_par_end};
