// life.c: see life.h. Here: what the role is asked for, and its end.

#include "net/session/life_internal.h"

bool life_init(Life *life, const LifeOptions *options)
{
    *life = (Life){.options = *options};
    LifeOptions *mine = &life->options;
    if (mine->message_max == 0)
        mine->message_max = WIRE_MESSAGE_DEFAULT;
    if (mine->limits_max.messages == 0)
        mine->limits_max = (WindowLimits){LIFE_WINDOW_MESSAGES, LIFE_WINDOW_BYTES};
    return life_make_peers(mine, mine->limits_max, 0, &life->peers);
}

void life_clear(Life *life)
{
    life_cut_blocks(life, 0);
    life_drop_marks(life, 0);
    life_drop_fault(life, &life->back_fault);
    life_drop_fault(life, &life->entered_fault);
    life->back = (LifeBack){0};
    life->known = life->held = 0;
    life->renews = false;
    for (unsigned i = 0; i < life->options.role_count; i++) {
        LifePeer *peer = &life->peers[i];
        window_out_fini(&peer->out);
        window_in_fini(&peer->in);
        window_out_init(&peer->out, life->options.memory, life->limits);
        window_in_init(&peer->in, life->options.memory, life->limits, life->life);
        peer->node = 0;
        peer->has_ended = false;
    }
}

void life_fini(Life *life)
{
    life_clear(life);
    if (life->reading != life->restore)
        life_drop_restore(life, &life->reading);
    life_drop_restore(life, &life->restore);
    life_drop_fault(life, &life->stop_fault);
    memory_release(life->options.memory, life->blocks);
    life_free_peers(&life->options, life->peers);
}

// ---- faults ----

static uint8_t *keep_text(uint8_t *at, WireSpan *text)
{
    if (text->size > 0)
        memcpy(at, text->data, text->size);
    text->data = at;
    return at + text->size;
}

LifeKeptFault *life_copy_fault(const Life *life, WireFault fault)
{
    size_t size = fault.role.size + fault.why.size + fault.file.size;
    LifeKeptFault *kept = memory_allocate(life->options.memory, sizeof *kept + size);
    if (kept == NULL)
        return NULL;
    uint8_t *at = keep_text(kept->bytes, &fault.role);
    keep_text(keep_text(at, &fault.why), &fault.file);
    kept->fault = fault;
    return kept;
}

bool life_keep_fault(const Life *life, WireList list, LifeKeptFault **kept)
{
    WireFault fault;
    *kept = NULL;
    if (!wire_next(&list, WIRE_ITEM_FAULT, &fault))
        return true;
    *kept = life_copy_fault(life, fault);
    return *kept != NULL;
}

void life_drop_fault(Life *life, LifeKeptFault **kept)
{
    memory_release(life->options.memory, *kept);
    *kept = NULL;
}

void life_drop_restore(Life *life, LifeKeptRestore **kept)
{
    memory_release(life->options.memory, *kept);
    *kept = NULL;
}

// ---- what is asked ----

LifeAsks life_asks(const Life *life)
{
    if (life->is_asked_to_stop)
        return LIFE_ASKS_STOP;
    if (life->state == LIFE_BEGINS)
        return LIFE_ASKS_BEGIN;
    return life->back.number != 0 ? LIFE_ASKS_BACK : LIFE_ASKS_NOTHING;
}

const WireRestore *life_restore(Life *life)
{
    CHECK(life->state == LIFE_BEGINS && life->restore != NULL);
    if (life->reading != life->restore)
        life_drop_restore(life, &life->reading);
    life->reading = life->restore;
    return &life->restore->frame;
}

LifeVerdict life_begun(Life *life)
{
    bool is_latest = life->reading == life->restore;
    CHECK(life->reading != NULL);
    life_drop_restore(life, &life->reading);
    if (is_latest)
        life->restore = NULL;
    if (!is_latest || life->state != LIFE_BEGINS)
        return LIFE_ASKED;
    life->state = LIFE_RUNS;
    return life_asks(life) == LIFE_ASKS_NOTHING ? LIFE_GOOD : LIFE_ASKED;
}

void life_ask(Life *life)
{
    // One that ends, or has failed, has said so: that is answered.
    if (life->state == LIFE_NONE || life->state == LIFE_ENDING || life->state == LIFE_OVER)
        return;
    WireReady ask = {.session = life->session, .role = life->options.role, .life = life->life};
    life_report(life, WIRE_READY, &ask);
}

const LifeBack *life_back(const Life *life)
{
    CHECK(life->back.number != 0);
    return &life->back;
}

LifeVerdict life_went_back(Life *life, uint64_t number)
{
    if (life_asks(life) != LIFE_ASKS_BACK || life->back.number != number)
        return LIFE_ASKED;
    const LifeBack *back = &life->back;
    WireReady ready = {.session = life->session, .role = life->options.role, .life = life->life, .epoch = back->epoch};
    if (!life_report(life, WIRE_READY, &ready))
        return LIFE_NO_MEMORY;
    life_cut_blocks(life, back->depth);
    life_drop_marks(life, back->depth);
    life_innermost(life)->attempt = back->attempt;
    if (life->known > back->depth)
        life->known = back->depth;
    life_reset(life, life_innermost(life), back->epoch);
    life->held = back->epoch;
    life->state = session_is_broken(SESSION_BROKEN_EAGER) ? LIFE_RUNS : LIFE_HELD;
    life->renews = false;
    life->back = (LifeBack){0};
    life_drop_fault(life, &life->back_fault);
    return LIFE_GOOD;
}

// ---- the end ----

const LifeStop *life_stop(const Life *life)
{
    CHECK(life->is_asked_to_stop || life->has_outcome);
    return &life->stop;
}

void life_finish(Life *life, bool is_fenced, chx_status status, LifeKeptFault *fault)
{
    life_clear(life);
    life->state = LIFE_OVER;
    life->is_asked_to_stop = true;
    life_drop_fault(life, &life->stop_fault);
    life->stop_fault = fault;
    life->stop = (LifeStop){.is_fenced = is_fenced, .status = status, .fault = kept_fault(fault)};
    life_wake(life, LIFE_WAKE_ORDER, 0);
}

void life_stopped(Life *life)
{
    life->is_asked_to_stop = false;
    // The next life has been told to begin meanwhile.
    if (life_is_active(life))
        return;
    if (life->reading != life->restore)
        life_drop_restore(life, &life->reading);
    life_drop_restore(life, &life->restore);
    life->reading = NULL;
}

void life_rejoin(Life *life)
{
    CHECK(life->stop.is_fenced);
    life_stopped(life);
    if (life->state == LIFE_OVER)
        life->state = LIFE_NONE;
}

LifeVerdict life_fail(Life *life, const WireFault *fault)
{
    bool reads_old = life->state == LIFE_BEGINS && life->reading != life->restore;
    if (!life_is_active(life) || life->state == LIFE_ENDING || reads_old)
        return LIFE_ASKED;
    WireBuffer buffer = {0};
    wire_add(&buffer, WIRE_ITEM_FAULT, fault);
    WireFail fail = {
        .session = life->session, .role = life->options.role, .life = life->life, .fault = wire_list(&buffer)};
    bool is_said = !buffer.failed && life_report(life, WIRE_FAIL, &fail);
    wire_buffer_fini(&buffer);
    if (!is_said)
        return LIFE_NO_MEMORY;
    life_clear(life);
    life->state = LIFE_NONE;
    if (life->reading != life->restore)
        life_drop_restore(life, &life->reading);
    life_drop_restore(life, &life->restore);
    life->reading = NULL;
    return LIFE_GOOD;
}

LifeVerdict life_cancel(Life *life, WireSpan why)
{
    // Also after its own end, while others go on.
    bool has_ended = life->state == LIFE_OVER && !life->has_outcome && !life->stop.is_fenced;
    if (!life_is_active(life) && !has_ended)
        return LIFE_ASKED;
    WireCancel cancel = {.session = life->session, .role = life->options.role, .life = life->life, .why = why};
    return life_report(life, WIRE_CANCEL, &cancel) ? LIFE_GOOD : LIFE_NO_MEMORY;
}
