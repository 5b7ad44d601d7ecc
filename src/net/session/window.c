// window.c: see window.h. The in end is in window_in.c.

#include "net/session/window.h"

#include "base/check.h"
#include "net/session/place.h"

void window_out_init(WindowOut *out, const NetMemory *memory, WindowLimits limits)
{
    *out = (WindowOut){.memory = memory, .limits = limits};
}

void window_out_fini(WindowOut *out)
{
    queue_fini(&out->kept, out->memory);
}

bool window_out_has_room(const WindowOut *out)
{
    return limits_allow(&out->limits, out->kept.count, out->kept.bytes);
}

bool window_out_send(WindowOut *out, uint32_t site, WireSpan value)
{
    CHECK(window_out_has_room(out));
    Message message = {.epoch = out->next.epoch, .number = out->next.number, .site = site, .value = value};
    if (!queue_add(&out->kept, out->memory, &message))
        return false;
    out->next.number++;
    return true;
}

bool window_out_send_all(WindowOut *out, const uint8_t *messages, size_t size)
{
    WindowRoom room = window_out_room(out);
    QueueRun run = {.epoch = out->next.epoch, .number = out->next.number, .messages = {messages, 0}};
    size_t bytes = 0;
    for (; run.messages.size < size && run.count < room.messages && bytes < room.bytes; run.count++) {
        size_t value_size = queue_value_size(messages + run.messages.size);
        run.messages.size += QUEUE_HEAD_BYTES + value_size;
        bytes += value_size;
    }
    if (run.count > 0 && !queue_add_run(&out->kept, out->memory, &run, bytes))
        return false;
    out->next.number += run.count;
    return run.messages.size == size;
}

WindowRoom window_out_room(const WindowOut *out)
{
    if (!window_out_has_room(out))
        return (WindowRoom){0};
    return (WindowRoom){out->limits.messages - out->kept.count, out->limits.bytes - out->kept.bytes};
}

// ---- several messages in one frame ----

bool window_more_next(WireSpan *more, Message *message, bool *is_sound)
{
    *is_sound = more->size == 0 || (more->size >= QUEUE_HEAD_BYTES && message->number < UINT64_MAX - 1 &&
                                    more->size - QUEUE_HEAD_BYTES >= queue_value_size(more->data));
    if (more->size == 0 || !*is_sound)
        return false;
    message->number++;
    message->site = queue_site(more->data);
    message->value = (WireSpan){more->data + QUEUE_HEAD_BYTES, queue_value_size(more->data)};
    more->data += QUEUE_HEAD_BYTES + message->value.size;
    more->size -= QUEUE_HEAD_BYTES + message->value.size;
    return true;
}

bool window_out_release(WindowOut *out, size_t more_max, WindowGive give, void *context)
{
    size_t room = more_max < WINDOW_MORE_MAX ? more_max : WINDOW_MORE_MAX;
    if (out->life == 0)
        return out->kept.count == 0;
    while (out->given < out->kept.count) {
        QueueCursor cursor = out->given > 0 ? out->ungiven : out->kept.begin;
        Message message;
        CHECK(queue_next(&cursor, &message));
        QueueRun more = {0};
        if (message.value.size < room && cursor.at < cursor.segment->used && queue_run(&cursor, &more))
            queue_run_cut(&more, more.count, room - message.value.size);
        if (!give(context, out->life, &message, more.messages))
            return false;
        queue_pass(&cursor, &more);
        out->ungiven = cursor;
        out->given += 1 + more.count;
    }
    return true;
}

WindowVerdict window_out_taken(WindowOut *out, uint32_t life, WindowPlace place)
{
    if (life != out->life)
        return WINDOW_DROPPED;
    // The receiver may have heard of a later epoch before this role; but it can't have consumed what was not sent.
    if (place.epoch == out->next.epoch && place.number > out->next.number)
        return WINDOW_VIOLATION;
    QueueRun run;
    size_t bytes;
    while (queue_run(&out->kept.begin, &run) && place_is_before((WindowPlace){run.epoch, run.number}, place)) {
        bool is_part = run.epoch == place.epoch && place.number - run.number < run.count;
        uint32_t count = is_part ? (uint32_t)(place.number - run.number) : run.count;
        queue_drop(&out->kept, out->memory, count, &bytes);
        out->given -= out->given < count ? out->given : count;
    }
    return WINDOW_GOOD;
}

void window_out_life(WindowOut *out, uint32_t life)
{
    if (life <= out->life)
        return;
    out->life = life;
    if (!session_is_broken(SESSION_BROKEN_NO_RESEND))
        out->given = 0;
}

void window_out_again(WindowOut *out)
{
    out->given = 0;
}

void window_out_ended(WindowOut *out)
{
    queue_clear(&out->kept, out->memory);
    queue_trim(&out->kept, out->memory);
    out->given = 0;
}

WindowPlace window_out_mark(const WindowOut *out)
{
    return out->next;
}

void window_out_back(WindowOut *out, WindowPlace mark, uint32_t epoch)
{
    if (out->next.epoch >= epoch || session_is_broken(SESSION_BROKEN_NO_EPOCH))
        return;
    if (session_is_broken(SESSION_BROKEN_CUT_ALL))
        mark = (WindowPlace){0};
    QueueCursor cursor = out->kept.begin, cut = cursor;
    Message message;
    uint32_t count = 0;
    while (count < out->kept.count && queue_next(&cursor, &message) && place_is_before(message_place(&message), mark)) {
        cut = cursor;
        count++;
    }
    if (count < out->kept.count)
        queue_cut(&out->kept, out->memory, cut);
    if (out->given > count) {
        out->given = count;
        out->ungiven = cut;
    }
    out->next = (WindowPlace){epoch, 0};
}

// ---- what is saved ----

bool window_save(const WindowOut *out, const WindowIn *in, uint16_t role, WireBuffer *channels, WireBuffer *kept)
{
    WireChannel channel = {.role = role,
                           .out_epoch = out->next.epoch,
                           .out_number = out->next.number,
                           .in_epoch = in->next.epoch,
                           .in_number = in->next.number};
    bool good = wire_add(channels, WIRE_ITEM_CHANNEL, &channel);
    QueueCursor cursor = out->kept.begin;
    Message message;
    uint32_t count = session_is_broken(SESSION_BROKEN_NO_WINDOW) ? 0 : out->kept.count;
    for (uint32_t i = 0; good && i < count; i++) {
        CHECK(queue_next(&cursor, &message));
        WireKept item = {
            .to = role, .epoch = message.epoch, .number = message.number, .site = message.site, .value = message.value};
        good = wire_add(kept, WIRE_ITEM_KEPT, &item);
    }
    return good;
}

bool window_saved_is_sound(const WireSaved *saved, uint16_t self, uint16_t role_count)
{
    WireList channels = saved->channels, kept = saved->kept;
    WireChannel channel;
    for (uint16_t role = 0; role < role_count; role++)
        if (role != self && (!wire_next(&channels, WIRE_ITEM_CHANNEL, &channel) || channel.role != role))
            return false;
    WireKept item;
    for (uint16_t last = 0; wire_next(&kept, WIRE_ITEM_KEPT, &item); last = item.to)
        if (item.to == self || item.to >= role_count || item.to < last)
            return false;
    return channels.count == 0;
}

// Fills an empty queue with what is kept for this role. *next is behind the last one, if there is one.
static WindowVerdict load_kept(WindowOut *out, uint16_t role, WireList kept, WindowPlace *next)
{
    WireKept item;
    while (wire_next(&kept, WIRE_ITEM_KEPT, &item)) {
        if (item.to != role)
            continue;
        Message message = {.epoch = item.epoch, .number = item.number, .site = item.site, .value = item.value};
        // Without gaps: what is missing at the beginning was consumed, what is missing at the end of an epoch was dropped.
        bool follows = out->kept.count == 0 || (item.epoch == next->epoch && item.number == next->number) ||
                       (item.epoch > next->epoch && item.number == 0);
        if (!follows || item.number == UINT64_MAX || !window_out_has_room(out))
            return WINDOW_VIOLATION;
        if (!queue_add(&out->kept, out->memory, &message))
            return WINDOW_NO_MEMORY;
        *next = (WindowPlace){item.epoch, item.number + 1};
    }
    return WINDOW_GOOD;
}

WindowVerdict window_out_take_over(WindowOut *out, uint16_t role, WireList kept)
{
    CHECK(out->kept.count == 0);
    WindowPlace next = {0};
    WindowVerdict verdict = load_kept(out, role, kept, &next);
    if (verdict == WINDOW_GOOD && !session_is_broken(SESSION_BROKEN_NO_HANDOVER))
        out->next = next;
    else
        window_out_ended(out);
    return verdict;
}

WindowVerdict window_load(WindowOut *out, WindowIn *in, uint16_t role, const WireSaved *saved)
{
    CHECK(out->kept.count == 0 && in->received.count == 0);
    WireList channels = saved->channels;
    WireChannel channel;
    do {
        if (!wire_next(&channels, WIRE_ITEM_CHANNEL, &channel))
            return WINDOW_VIOLATION;
    } while (channel.role != role);
    WindowPlace last = {0}, next = {channel.out_epoch, channel.out_number};
    WindowVerdict verdict = load_kept(out, role, saved->kept, &last);
    // Behind what is kept comes the next message, or a later epoch in which nothing was sent.
    bool follows =
        out->kept.count == 0 || places_are_equal(last, next) || (last.epoch < next.epoch && next.number == 0);
    if (verdict == WINDOW_GOOD && !follows)
        verdict = WINDOW_VIOLATION;
    if (verdict != WINDOW_GOOD) {
        window_out_ended(out);
        return verdict;
    }
    out->next = next;
    in->next = in->expected = (WindowPlace){channel.in_epoch, channel.in_number};
    return WINDOW_GOOD;
}
