// part_channel.c: the operations of an end of a channel whose other end may be on another host: values are encoded here, and the
// bytes are the library's.
//
// Which message comes next, and whether it belongs to the role's present attempt, is the library's business, too: it gives and takes
// only what does.

#include "runtime/remote/part.h"

#include "runtime/value/codec.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>

enum {
    BUFFER_KEPT_BYTES = 68 << 10, // larger ones are freed after use
    BATCH_BYTES =
        15
        << 10, // so much is handed over at once, if the role sends on and on: with what a frame adds, a record of TLS
};

void part_channel_init(Channel *channel, PartChannel *end, Part *part, unsigned peer, bool sends)
{
    *end = (PartChannel){.part = part, .peer = peer, .sends = sends};
    channel->ops = &part_channel_ops;
    channel->transport = end;
    channel->role = part->actor->role;
    channel_disable_fast(channel);
}

static const chx_site *end_look_up(Channel *channel, uint32_t site)
{
    PartChannel *end = channel->transport;
    if (end->site == NULL || end->site->number != site) {
        end->site = role_site(channel->role, site);
        const chx_type *type = end->site != NULL ? end->site->type : NULL;
        end->is_raw = type == NULL || type_is_raw(type);
    }
    return end->site;
}

// ---- what the library is told ----

static void end_is_busy(PartChannel *end)
{
    if (end->is_busy)
        return;
    end->is_busy = true;
    end->next_busy = end->part->busy;
    end->part->busy = end;
}

// What was printed before a message is out before the message: the other role may print next.
static void print_first(void)
{
    if (__fpending(stdout) != 0)
        fflush(stdout);
}

// How many messages of the same peer were read and are to be told of with what is sent: then both travel together.
static size_t end_consumed(const PartChannel *end)
{
    size_t consumed = end->from != NULL ? end->from->consumed : 0;
    if (consumed > 0)
        end->from->consumed = 0;
    return consumed;
}

// Those that were sent leave.
static int end_hand_over(PartChannel *end)
{
    if (end->whole == 0)
        return 0;
    print_first();
    int error = end->part->ops->send(end->part->context, end->peer, end_consumed(end), end->batch.data, end->whole);
    end->whole = 0;
    buffer_restart(&end->batch);
    buffer_trim(&end->batch, BUFFER_KEPT_BYTES);
    return error;
}

static void end_say_consumed(PartChannel *end)
{
    if (end->consumed > 0)
        end->part->ops->take(end->part->context, end->peer, end->consumed, NULL);
    end->consumed = 0;
}

int part_settle(Part *part)
{
    int result = part->error;
    part->error = 0;
    for (PartChannel *end; (end = part->busy) != NULL;) {
        part->busy = end->next_busy;
        end->is_busy = false;
        if (end->sends) {
            int error = end_hand_over(end);
            result = error != 0 ? error : result;
        } else {
            end_say_consumed(end);
        }
    }
    return result;
}

void part_channels_reset(Part *part)
{
    const Actor *actor = part->actor;
    for (size_t i = 0; i < actor->role->sends_to_count; i++) {
        PartChannel *end = actor->out[i].transport;
        end->whole = 0;
        end->room = (chx_part_room){0};
    }
    part_settle(part); // what was sent is forgotten: nothing can fail
    for (size_t i = 0; i < actor->role->receives_from_count; i++) {
        PartChannel *end = actor->in[i]->transport;
        buffer_restart(&end->batch);
        end->left = 0;
    }
}

// An order came first: the role goes back, or stops, and what it sends now is nothing.
static void part_is_ordered(Part *part)
{
    Actor *actor = part->actor;
    actor->self.generation_seen = atomic_load(actor->self.generation) - 1;
}

void part_settle_later(Part *part)
{
    part->error = part_settle(part);
    if (part->error == EAGAIN) {
        part_is_ordered(part);
        part->error = 0;
    }
}

// Before the role waits, or does something else.
static void part_flush_ends(Part *part)
{
    if (part->busy == NULL && part->error == 0)
        return;
    part_settle_later(part);
    if (part->error != 0)
        guard_no_memory();
}

// ---- the producer's operations ----

static uint64_t part_room(Channel *channel)
{
    PartChannel *end = channel->transport;
    if (end->room.messages == 0 || end->room.bytes == 0) {
        // What was consumed is said with the next messages, or when the role waits.
        if (end->whole > 0 || end->part->error != 0)
            part_flush_ends(end->part);
        end->room = end->part->ops->room(end->part->context, end->peer);
    }
    return end->room.messages > 0 && end->room.bytes > 0 ? 1 : 0;
}

static void head_put(unsigned char to[sizeof(chx_part_message)], uint32_t site, size_t size)
{
    store_number(to, site, sizeof site);
    store_number(to + sizeof site, size, sizeof(uint32_t));
}

static chx_part_message head_get(const unsigned char *from)
{
    return (chx_part_message){(uint32_t)load_number(from, sizeof(uint32_t)),
                              (uint32_t)load_number(from + sizeof(uint32_t), sizeof(uint32_t))};
}

// Encodes a message behind those that are to be handed over; the size of its value. One that a function of the user's did not finish
// is overwritten. False: no memory.
static bool batch_add(PartChannel *end, uint32_t site, const chx_type *type, const void *value, size_t *size)
{
    chx_buffer *batch = &end->batch;
    unsigned char head[sizeof(chx_part_message)] = {0};
    if (end->is_raw && batch->capacity - end->whole >= sizeof head + *size) {
        head_put(batch->data + end->whole, site, *size);
        memcpy(batch->data + end->whole + sizeof head, value, *size);
        batch->size = end->whole + sizeof head + *size;
        return true;
    }
    batch->size = end->whole;
    batch->failed = false;
    chx_write(&(chx_writer){.buffer = batch}, head, sizeof head);
    if (end->is_raw)
        chx_write(&(chx_writer){.buffer = batch}, value, *size);
    else
        chx_encode(type, value, batch);
    if (batch->failed || batch->size - end->whole - sizeof head > UINT32_MAX)
        return false;
    *size = batch->size - end->whole - sizeof head;
    head_put(batch->data + end->whole, site, *size);
    return true;
}

static bool end_allows(PartChannel *end, size_t size)
{
    if (size <= end->room.value_max)
        return true;
    snprintf(end->why, sizeof end->why,
             "a message of %zu bytes is larger than message_max in the configuration of one of the two nodes", size);
    return false;
}

// A message of this size was sent; what became of handing it over.
static ChannelStatus end_sent(PartChannel *end, size_t size, int error)
{
    end->room.messages--;
    end->room.bytes -= size < end->room.bytes ? size : end->room.bytes;
    if (error == EAGAIN)
        part_is_ordered(end->part);
    if (error == ENOMEM)
        return CHANNEL_NO_MEMORY;
    if (error != 0 && error != EAGAIN)
        snprintf(end->why, sizeof end->why, "a message of %zu bytes can't be sent", size);
    return error == 0 || error == EAGAIN ? CHANNEL_DONE : CHANNEL_FAILED;
}

// A large value is handed over from where the role has it.
static ChannelStatus part_send_large(PartChannel *end, uint32_t site, const void *value, size_t size)
{
    if (!end_allows(end, size))
        return CHANNEL_FAILED;
    int error = end_hand_over(end);
    print_first();
    if (error == 0)
        error = end->part->ops->send_one(end->part->context, end->peer, end_consumed(end), site, value, size);
    return end_sent(end, size, error);
}

static ChannelStatus part_send(Channel *channel, uint32_t site, void *value, size_t size)
{
    PartChannel *end = channel->transport;
    const chx_site *found = end_look_up(channel, site);
    const chx_type *type = found != NULL ? found->type : NULL;
    if (end->is_raw && size >= BATCH_BYTES)
        return part_send_large(end, site, value, size);
    bool is_added = batch_add(end, site, type, value, &size);
    if (type != NULL && type->owning)
        chx_value_drop(type, value);
    if (!is_added)
        return CHANNEL_NO_MEMORY;
    if (!end_allows(end, size))
        return CHANNEL_FAILED;
    end->whole = end->batch.size;
    end_is_busy(end);
    return end_sent(end, size, end->whole >= BATCH_BYTES ? end_hand_over(end) : 0);
}

static bool part_notify_sent(Channel *channel, Channel **credit_pending)
{
    // It leaves when the role does something else, together with what else it has sent until then (chx_notify).
    channel->producer->self.notify_pending = &channel->head;
    *credit_pending = NULL;
    return true;
}

// ---- the consumer's operations ----

static const Record *part_peek(Channel *channel)
{
    PartChannel *end = channel->transport;
    if (end->left == 0) {
        buffer_restart(&end->batch);
        buffer_trim(&end->batch, BUFFER_KEPT_BYTES);
        end->left = end->part->ops->take(end->part->context, end->peer, end->consumed, &end->batch);
        end->consumed = end->at = 0;
        if (end->batch.failed && end->left == 0)
            guard_no_memory();
    }
    if (end->left == 0)
        return NULL;
    chx_part_message head = head_get(end->batch.data + end->at);
    end->record = (Record){.site = head.site};
    end->record.of.epoch = channel->head.taking.epoch;
    return &end->record;
}

static void part_drop_held(PartChannel *end)
{
    const chx_type *type = end->held;
    end->held = NULL;
    if (type != NULL)
        chx_value_drop(type, end->value.data);
}

// A value that has arrived, in the form that it has in C; NULL: it is no such value, or (*has_memory is false) there is no memory.
static const void *part_decode(PartChannel *end, const unsigned char *bytes, size_t count, size_t size,
                               bool *has_memory)
{
    *has_memory = true;
    if (end->is_raw && (uintptr_t)bytes % sizeof(uint64_t) == 0)
        return count == size ? bytes : NULL;
    *has_memory = buffer_reserve(&end->value, size) != NULL;
    if (!*has_memory)
        return NULL;
    if (!end->is_raw)
        return end->site->type->size == size && chx_decode(end->site->type, end->value.data, bytes, count)
                   ? end->value.data
                   : NULL;
    if (count == size)
        memcpy(end->value.data, bytes, size);
    return count == size ? end->value.data : NULL;
}

static ChannelStatus part_read(Channel *channel, uint32_t site, size_t size, const void **value)
{
    PartChannel *end = channel->transport;
    if (end->held != NULL)
        part_drop_held(end);
    const chx_site *found = end_look_up(channel, site);
    if (end->left == 0)
        return CHANNEL_AGAIN;
    chx_part_message head = head_get(end->batch.data + end->at);
    if (head.site != site || found == NULL) {
        snprintf(end->why, sizeof end->why, "the next message is of another place in the choreography (%u, not %u)",
                 (unsigned)head.site, (unsigned)site);
        return CHANNEL_FAILED;
    }
    bool has_memory;
    *value = part_decode(end, end->batch.data + end->at + sizeof head, head.size, size, &has_memory);
    if (*value == NULL && !has_memory)
        return CHANNEL_NO_MEMORY;
    if (*value == NULL) {
        snprintf(end->why, sizeof end->why, "a message of another host is not the value that it should be");
        return CHANNEL_FAILED;
    }
    end->at += sizeof head + head.size;
    end->left--;
    end->consumed++;
    end_is_busy(end);
    end->held = found->type != NULL && found->type->owning ? found->type : NULL;
    return CHANNEL_DONE;
}

static ChannelCredit part_take(Channel *channel)
{
    PartChannel *end = channel->transport;
    end->held = NULL;
    buffer_trim(&end->value, BUFFER_KEPT_BYTES);
    return (ChannelCredit){.is_due = false};
}

static bool part_drop(Channel *channel)
{
    (void)channel;
    return false;
}

// Before the role takes from another channel, or waits for whatever it may be: the outside, for instance.
static bool part_flush_credit(Channel *channel)
{
    end_say_consumed(channel->transport);
    return true;
}

// ---- the operations of either end ----

static void part_announce_wait(Channel *channel, bool for_room)
{
    const PartChannel *end = channel->transport;
    (void)for_room;
    part_flush_ends(end->part);
}

static uint64_t part_sequence(const Channel *channel, bool is_producer)
{
    (void)channel;
    (void)is_producer;
    return 0;
}

static void part_explain(Channel *channel, uint32_t site, char *why, size_t size)
{
    (void)site;
    snprintf(why, size, "%s", ((const PartChannel *)channel->transport)->why);
}

static void part_close(Channel *channel)
{
    PartChannel *end = channel->transport;
    part_drop_held(end);
    chx_buffer_free(&end->batch);
    chx_buffer_free(&end->value);
}

const ChannelOps part_channel_ops = {
    .is_trusted = false,
    .room = part_room,
    .send = part_send,
    .notify_sent = part_notify_sent,
    .peek = part_peek,
    .read = part_read,
    .take = part_take,
    .drop = part_drop,
    .flush_credit = part_flush_credit,
    .announce_wait = part_announce_wait,
    .sequence = part_sequence,
    .explain = part_explain,
    .close = part_close,
};
