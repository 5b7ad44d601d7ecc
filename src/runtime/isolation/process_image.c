// process_image.c: what the process of an isolated role is told: an image to start from, and later the commands to roll back.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "runtime/actor/observe.h"
#include "runtime/session/trace.h"
#include "runtime/value/codec.h"
#include "runtime/value/spread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static SharedFault shared_fault(const Block *block)
{
    const chx_fault *fault = &block->fault->fault;
    SharedFault shared = {.kind = fault->kind, .signal = fault->signal, .line = fault->line};
    snprintf(shared.role, sizeof shared.role, "%s", fault->role);
    snprintf(shared.why, sizeof shared.why, "%s", fault->why);
    return shared;
}

void proxy_command(RoleProxy *proxy, const Savepoint *savepoint)
{
    ControlBlock *control = proxy->control;
    const Block *block = savepoint->position.block;
    // The lock is odd while the command is being written. Its value is made from the number that is kept here: the process
    // may have written anything there.
    atomic_store(&control->command_lock, 2 * proxy->command_number + 1);
    atomic_thread_fence(memory_order_release);
    control->command = (RollbackCommand){.number = ++proxy->command_number,
                                         .depth = proxy_depth(proxy) + block->depth,
                                         .attempt = savepoint->position.attempt,
                                         .epoch = block->epoch,
                                         .goes = proxy->goes,
                                         .fault = shared_fault(block)};
    atomic_thread_fence(memory_order_release);
    atomic_store(&control->command_lock, 2 * proxy->command_number);
    atomic_store(&control->command_state, (uint64_t)proxy->command_number * 2);
    atomic_store(&control->generation, proxy->command_number);
    doorbell_ring(proxy->doorbell);
    proxy_recall(proxy);
}

// ---- the image ----

static void image_channel(chx_writer *writer, const RoleProxy *proxy, const Channel *channel, uint32_t epoch)
{
    const Actor *peer = channel->producer == proxy_main(proxy) ? channel->consumer : channel->producer;
    uint32_t number = shm_channel(channel)->number;
    ImageChannel image = {.number = number,
                          .peer = peer->index,
                          .epoch = epoch,
                          .peer_is_isolated = peer->proxy != NULL,
                          .ring = proxy_given(proxy, proxy->isolated->rings[number])};
    if (peer->proxy != NULL)
        image.doorbell = proxy_given(proxy, role_proxy(peer)->doorbell_place);
    snprintf(image.peer_name, sizeof image.peer_name, "%s", peer->role->role);
    chx_write(writer, &image, sizeof image);
}

static void image_piece(chx_writer *writer, ImagePiece piece, const unsigned char *snapshot)
{
    chx_write(writer, &piece, sizeof piece);
    chx_write(writer, snapshot, piece.size);
}

// Those outside of it first.
static void image_arms(chx_writer *writer, const ProxyArm *arm)
{
    if (arm == NULL)
        return;
    image_arms(writer, arm->outer);
    const chx_role *role = arm->actor->role;
    ImageArm image = {.id = arm->id, .site = arm->site, .depth = arm->depth, .request = arm->request};
    ArmChannel *channels = calloc(role->sends_to_count + role->receives_from_count + 1, sizeof *channels);
    if (channels == NULL) {
        writer->buffer->failed = true;
        return;
    }
    arm_channels(arm->actor, channels);
    chx_write(writer, &image, sizeof image);
    chx_write(writer, channels, (role->sends_to_count + role->receives_from_count) * sizeof *channels);
    free(channels);
}

// What it has saved in blocks of the actor's session, or arm, after those of what is outside of it.
static void image_pieces(chx_writer *writer, const Actor *actor, const ProxyArm *arm)
{
    if (arm != NULL)
        image_pieces(writer, arm->parent, arm->outer);
    size_t tails = actor->role->sends_to_count * sizeof(RingPoint);
    for (size_t i = 0; i < actor->member.count; i++) {
        const Savepoint *each = savepoint_at(actor, i);
        ImagePiece piece = {each->position.checkpoint->site, each->position.attempt, each->saved_bytes - tails};
        image_piece(writer, piece, (each->kept != NULL ? each->kept : each->saved) + tails);
    }
}

static void image_write(chx_buffer *buffer, const RoleProxy *proxy)
{
    const Actor *actor = proxy_main(proxy);
    const Session *session = proxy->isolated->session;
    const chx_runtime_options *options = &session->runtime->options;
    const Savepoint *savepoint = savepoint_top(proxy->actor);
    SpawnImage image = {
        .layout = IMAGE_LAYOUT,
        .role = actor->index,
        .role_count = session->actor_count,
        .sandbox_size = (uint32_t)proxy->sandbox.size,
        .size_count = actor->role->spread != NULL ? (uint32_t)actor->role->whole->role_count : 0,
        .has_trace = (actor->self.observed & OBSERVED_TRACE) == 0 ? TRACE_NONE
                     : trace_has_values()                         ? TRACE_VALUES
                                                                  : TRACE_EVENTS,
        .doorbell = proxy_given(proxy, proxy->doorbell_place),
        .definition = (uint32_t)session->plan->definition_index,
        .digest = actor->role->digest,
        .token = {session->token[0], session->token[1]},
        .id = proxy->id,
        .message_limit = options->channel_messages,
        .byte_limit = options->channel_bytes,
        .goes = proxy->goes - (proxy_is_let_in(proxy) ? 1 : 0),
        .is_durable = session->durable != NULL,
        .fence = session_fence(session),
        .answered = proxy->answered,
        .generation = proxy->command_number,
        .savepoints = proxy_depth(proxy) + (uint32_t)proxy->actor->member.count,
        .arm_count = proxy->arm != NULL ? proxy->arm->level : 0,
        .out_count = (uint32_t)actor->role->sends_to_count,
        .in_count = (uint32_t)actor->role->receives_from_count,
        .trace = session->trace,
        .float_control = session->float_control,
    };
    trace_file(&image.trace_start_ns);
    if (savepoint != NULL) {
        image.epoch = savepoint->position.block->epoch;
        if (savepoint->position.block->fault != NULL)
            image.fault = shared_fault(savepoint->position.block);
    }
    snprintf(image.choreography, sizeof image.choreography, "%s", actor->role->choreography);
    snprintf(image.implementation, sizeof image.implementation, "%s", actor->role->name);
    chx_writer writer = {.buffer = buffer};
    chx_write(&writer, &image, sizeof image);
    for (size_t i = 0; i < actor->role->sends_to_count; i++)
        image_channel(&writer, proxy, &actor->out[i], actor->out[i].head.sending.epoch);
    for (size_t i = 0; i < actor->role->receives_from_count; i++)
        image_channel(&writer, proxy, actor->in[i], actor->in[i]->head.taking.epoch);
    if (image.size_count > 0)
        chx_write(&writer, actor->role->spread->counts, image.size_count * sizeof(size_t));
    image_arms(&writer, proxy->arm);
    chx_write(&writer, proxy->sandbox.data, proxy->sandbox.size);
    if (savepoint == NULL)
        image_piece(&writer, (ImagePiece){.size = proxy->begin.size}, proxy->begin.data);
    image_pieces(&writer, proxy->actor, proxy->arm);
}

Descriptor proxy_image_file(const RoleProxy *proxy)
{
    chx_buffer buffer = {0};
    image_write(&buffer, proxy);
    errno = ENOMEM;
    Descriptor file = buffer.failed ? NO_DESCRIPTOR : descriptor_keep(memfd_create("chorex-restore", MFD_CLOEXEC));
    // A part of it is written only if there is no memory for the rest.
    if (file.number >= 0 && pwrite(descriptor_use(&file), buffer.data, buffer.size, 0) != (ssize_t)buffer.size) {
        int error = errno;
        descriptor_close(&file);
        errno = error;
    }
    chx_buffer_free(&buffer);
    return file;
}
