// window_in.c: the in end of a channel: see window.h.

#include "base/check.h"
#include "net/session/place.h"

void window_in_init(WindowIn *in, const NetMemory *memory, WindowLimits limits, uint32_t self_life)
{
    *in = (WindowIn){.memory = memory, .limits = limits, .self_life = self_life};
}

static void waiting_free(WindowIn *in, WindowWaiting **place)
{
    WindowWaiting *waiting = *place;
    *place = waiting->next;
    queue_fini(&waiting->messages, in->memory);
    memory_release(in->memory, waiting);
}

void window_in_fini(WindowIn *in)
{
    queue_fini(&in->received, in->memory);
    while (in->waiting != NULL)
        waiting_free(in, &in->waiting);
}

// The role has it already, or it is of an epoch that is over.
static WindowVerdict in_repeated(WindowIn *in)
{
    if (!session_is_broken(SESSION_BROKEN_DROP_SILENT))
        in->must_say = true;
    return WINDOW_REPEATED;
}

// A message of the life that was told.
static WindowVerdict in_take(WindowIn *in, const Message *message)
{
    WindowPlace place = message_place(message);
    bool is_next = place.epoch == in->expected.epoch;
    if (session_is_broken(SESSION_BROKEN_NO_NUMBER)) {
        if (place.epoch < in->expected.epoch)
            return in_repeated(in);
    } else {
        if (place_is_before(place, in->expected))
            return in_repeated(in);
        if (place.number != (is_next ? in->expected.number : 0))
            return WINDOW_VIOLATION;
    }
    uint32_t count = is_next ? in->count : 0;
    size_t bytes = is_next ? in->bytes : 0;
    if (!limits_allow(&in->limits, count, bytes) || (!is_next && in->ahead == WINDOW_EPOCHS))
        return WINDOW_VIOLATION;
    if (!queue_add(&in->received, in->memory, message))
        return WINDOW_NO_MEMORY;
    in->expected = (WindowPlace){place.epoch, place.number + 1};
    in->count = count + 1;
    in->ahead += !is_next;
    in->bytes = bytes + message->value.size;
    return WINDOW_GOOD;
}

// Is this what the life that was told has sent?
static bool is_told(const WindowIn *in, uint32_t life, uint32_t node)
{
    return life == in->life && node == in->node;
}

// Will nobody ever be told of this life at this node?
static bool is_over(const WindowIn *in, uint32_t life, uint32_t node)
{
    return life < in->life || (life == in->life && node != in->node && in->has_ended);
}

// Takes what has waited for the life that was told.
static WindowVerdict in_settle(WindowIn *in)
{
    if (!in->is_behind)
        return in->is_broken ? WINDOW_VIOLATION : WINDOW_GOOD;
    for (WindowWaiting **place = &in->waiting; *place != NULL;) {
        WindowWaiting *waiting = *place;
        Message message;
        while (is_told(in, waiting->life, waiting->node) && queue_first(&waiting->messages, &message)) {
            WindowVerdict verdict = in_take(in, &message);
            if (verdict == WINDOW_NO_MEMORY)
                return verdict;
            in->is_broken |= verdict == WINDOW_VIOLATION;
            queue_drop_first(&waiting->messages, in->memory);
        }
        if (is_told(in, waiting->life, waiting->node) || is_over(in, waiting->life, waiting->node))
            waiting_free(in, place);
        else
            place = &waiting->next;
    }
    in->is_behind = false;
    return in->is_broken ? WINDOW_VIOLATION : WINDOW_GOOD;
}

static WindowWaiting *waiting_of(WindowIn *in, uint32_t node)
{
    WindowWaiting *waiting = in->waiting;
    while (waiting != NULL && waiting->node != node)
        waiting = waiting->next;
    if (waiting == NULL && (waiting = memory_allocate(in->memory, sizeof *waiting)) != NULL) {
        *waiting = (WindowWaiting){.next = in->waiting, .node = node};
        in->waiting = waiting;
    }
    return waiting;
}

// A message of a life, or from a node, that was not told.
static WindowVerdict in_wait(WindowIn *in, uint32_t life, uint32_t node, const Message *message)
{
    if (session_is_broken(SESSION_BROKEN_WAITING_LOST))
        return WINDOW_DROPPED;
    WindowWaiting *waiting = waiting_of(in, node);
    if (waiting == NULL)
        return WINDOW_NO_MEMORY;
    if (life < waiting->life)
        return WINDOW_DROPPED;
    if (life > waiting->life) {
        queue_clear(&waiting->messages, in->memory);
        waiting->life = life;
        waiting->epochs = 0;
    }
    bool is_same = waiting->epochs > 0 && waiting->epoch == message->epoch;
    uint32_t count = is_same ? waiting->count : 0;
    size_t bytes = is_same ? waiting->bytes : 0;
    if (!limits_allow(&in->limits, count, bytes) || (!is_same && waiting->epochs == WINDOW_EPOCHS))
        return WINDOW_VIOLATION;
    if (!queue_add(&waiting->messages, in->memory, message))
        return WINDOW_NO_MEMORY;
    waiting->epochs += !is_same;
    waiting->epoch = message->epoch;
    waiting->count = count + 1;
    waiting->bytes = bytes + message->value.size;
    return WINDOW_WAITS;
}

WindowVerdict window_in_data(WindowIn *in, uint32_t to_life, uint32_t from_life, uint32_t node, const Message *message)
{
    if (to_life != in->self_life && !session_is_broken(SESSION_BROKEN_TO_ANY_LIFE))
        return to_life < in->self_life ? WINDOW_DROPPED : WINDOW_LATER;
    if (from_life == 0)
        return WINDOW_VIOLATION;
    if (is_over(in, from_life, node))
        return WINDOW_DROPPED;
    if (!is_told(in, from_life, node))
        return in_wait(in, from_life, node, message);
    WindowVerdict verdict = in_settle(in);
    return verdict == WINDOW_GOOD ? in_take(in, message) : verdict;
}

// Takes what follows a message that was taken, all at once. False: nothing was taken; there is something wrong with it, or no memory.
static bool in_take_run(WindowIn *in, const Message *message, WireSpan more)
{
    QueueRun run = {.epoch = message->epoch, .number = message->number + 1, .messages = more};
    size_t bytes = 0;
    if (message->number >= UINT64_MAX - WIRE_BODY_MAX)
        return false;
    for (size_t at = 0; at < more.size; run.count++) {
        if (more.size - at < QUEUE_HEAD_BYTES || !limits_allow(&in->limits, in->count + run.count, in->bytes + bytes))
            return false;
        size_t value_size = queue_value_size(more.data + at);
        at += QUEUE_HEAD_BYTES;
        if (more.size - at < value_size)
            return false;
        at += value_size;
        bytes += value_size;
    }
    if (run.count > 0 && !queue_add_run(&in->received, in->memory, &run, bytes))
        return false;
    in->expected.number += run.count;
    in->count += run.count;
    in->bytes += bytes;
    return true;
}

WindowVerdict window_in_data_all(WindowIn *in, uint32_t to_life, uint32_t from_life, uint32_t node, Message *message,
                                 WireSpan more)
{
    bool is_sound = true;
    WindowVerdict verdict = window_in_data(in, to_life, from_life, node, message);
    // Whether it is of the life that was told does not change on the way.
    bool is_taken = verdict == WINDOW_GOOD || verdict == WINDOW_REPEATED;
    if (verdict == WINDOW_GOOD && in_take_run(in, message, more))
        return WINDOW_GOOD;
    while (verdict != WINDOW_VIOLATION && verdict != WINDOW_NO_MEMORY && window_more_next(&more, message, &is_sound))
        verdict = is_taken ? in_take(in, message) : window_in_data(in, to_life, from_life, node, message);
    if (verdict == WINDOW_VIOLATION || verdict == WINDOW_NO_MEMORY)
        return verdict;
    return is_sound ? verdict : WINDOW_VIOLATION;
}

bool window_in_first(WindowIn *in, Message *message)
{
    in_settle(in);
    if (!queue_first(&in->received, message) || message->epoch != in->next.epoch)
        return false;
    if (in->lent == 0)
        in->lent = 1;
    return true;
}

uint32_t window_in_lend(WindowIn *in, WindowTake take, void *context)
{
    uint32_t most = (in->limits.messages + 1) / 2, count = 0;
    QueueRun run;
    in_settle(in);
    QueueCursor cursor = in->received.begin;
    while (count < most && in->received.count > 0 && queue_run(&cursor, &run) && run.epoch == in->next.epoch) {
        queue_run_cut(&run, most - count, run.messages.size);
        uint32_t taken = take(context, &run);
        count += taken;
        if (taken < run.count)
            break;
        queue_pass(&cursor, &run);
    }
    in->lent = count;
    return count;
}

// Drops so many messages of the run at the beginning; the bytes of their values.
static size_t in_drop(WindowIn *in, const QueueRun *run, uint32_t count)
{
    size_t bytes;
    queue_drop(&in->received, in->memory, count, &bytes);
    if (run->epoch == in->expected.epoch) {
        in->count -= count;
        in->bytes -= bytes;
    }
    return bytes;
}

// The role has consumed some, at most so many; how many. If the sender has another life since they were lent, that has not sent them again
// yet.
static uint32_t in_consume_run(WindowIn *in, uint32_t count)
{
    QueueRun run;
    bool is_there = queue_run(&in->received.begin, &run) && run.epoch == in->next.epoch;
    CHECK(!is_there || session_is_broken(SESSION_BROKEN_NO_NUMBER) || run.number == in->next.number);
    if (is_there && run.count < count)
        count = run.count;
    in->next.number += count;
    in->consumed += count;
    in->consumed_bytes += is_there ? in_drop(in, &run, count) : 0;
    in->must_say = true;
    if (place_is_before(in->expected, in->next))
        in->expected = in->next;
    return count;
}

void window_in_consume(WindowIn *in, uint32_t count)
{
    CHECK(count <= in->lent);
    in->lent -= count;
    while (count > 0)
        count -= in_consume_run(in, count);
}

WindowVerdict window_in_life(WindowIn *in, uint32_t life, uint32_t node)
{
    if (life == 0)
        return WINDOW_VIOLATION;
    if (life < in->life || (life == in->life && node == in->node))
        return WINDOW_GOOD;
    in->has_ended = life == in->life;
    in->life = life;
    in->node = node;
    if (!in->has_ended) {
        queue_clear(&in->received, in->memory);
        in->expected = in->next;
        in->count = 0;
        in->bytes = 0;
        in->ahead = 0;
    }
    in->is_behind = in->waiting != NULL;
    return in_settle(in);
}

void window_in_reset(WindowIn *in, uint32_t epoch)
{
    if (in->next.epoch >= epoch || session_is_broken(SESSION_BROKEN_NO_EPOCH))
        return;
    QueueRun run;
    while (queue_run(&in->received.begin, &run) && run.epoch < epoch)
        in_drop(in, &run, run.count);
    in->next = (WindowPlace){epoch, 0};
    in->lent = 0;
    if (in->expected.epoch < epoch)
        in->expected = in->next;
    in->ahead = 0;
    QueueCursor cursor = in->received.begin;
    for (uint32_t last = epoch; queue_run(&cursor, &run); last = run.epoch, queue_pass(&cursor, &run))
        in->ahead += run.epoch != last;
}

WindowSay window_in_taken(const WindowIn *in, WindowPlace *place)
{
    *place = in->next;
    if (!in->must_say || in->life == 0)
        return WINDOW_SAY_NOTHING;
    bool is_half = in->consumed >= (in->limits.messages + 1) / 2 || in->consumed_bytes >= in->limits.bytes / 2;
    return is_half ? WINDOW_SAY_NOW : WINDOW_SAY_SOON;
}

void window_in_said(WindowIn *in)
{
    in->must_say = false;
    in->consumed = 0;
    in->consumed_bytes = 0;
}

void window_in_link_lost(WindowIn *in, uint32_t node)
{
    if (in->life != 0 && in->node == node)
        in->must_say = true;
    in_settle(in);
    for (WindowWaiting **place = &in->waiting; *place != NULL;)
        if ((*place)->node == node && !is_told(in, (*place)->life, node))
            waiting_free(in, place);
        else
            place = &(*place)->next;
}
