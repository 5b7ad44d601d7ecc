// life_restore.c: RESTORE, with which a life begins: its channels and blocks are as an earlier life has saved them.
//
// Everything is made beside what there is, and takes its place when nothing can fail any more.

#include "net/session/life_internal.h"

typedef struct {
    const WireRestore *from;
    WindowLimits limits;
    LifePeer *peers;
    LifeBlock *blocks;
    uint32_t depth;
    uint32_t *nodes; // of the roster, by role
    LifeMark *marks;
    uint32_t mark_count;
    bool has_base; // a list of blocks may begin with what the role goes on with outside of all
    LifeKeptRestore *kept;
} Restoring;

typedef enum { RESTORE_GOOD, RESTORE_NO_MEMORY, RESTORE_VIOLATION, RESTORE_UNREADABLE } RestoreResult;

static void restoring_fini(Life *life, Restoring *restoring)
{
    const NetMemory *memory = life->options.memory;
    for (uint32_t i = 0; i < restoring->depth; i++)
        memory_release(memory, restoring->blocks[i].marks);
    memory_release(memory, restoring->blocks);
    memory_release(memory, restoring->nodes);
    memory_release(memory, restoring->kept);
    life_free_marks(life, restoring->marks);
    if (restoring->peers != NULL)
        life_free_peers(&life->options, restoring->peers);
}

// ---- the frame, as the role will read it ----

static bool keep_frame(Life *life, Restoring *restoring)
{
    size_t size = wire_body_size(WIRE_RESTORE, restoring->from);
    LifeKeptRestore *kept = memory_allocate(life->options.memory, sizeof *kept + size);
    restoring->kept = kept;
    if (kept == NULL)
        return false;
    wire_write_body(kept->bytes, WIRE_RESTORE, restoring->from);
    CHECK(wire_decode_body(WIRE_RESTORE, (WireSpan){kept->bytes, size}, &kept->frame) == WIRE_GOOD);
    return true;
}

// ---- blocks ----

// The places in the channels to the participants at the entry, from what was saved.
static void mark_saved(const LifeBlock *block, WireList channels)
{
    WireChannel channel;
    uint32_t i = 0;
    while (wire_next(&channels, WIRE_ITEM_CHANNEL, &channel)) {
        while (i < block->block->participant_count && block->block->participants[i] < channel.role)
            i++;
        if (i < block->block->participant_count && block->block->participants[i] == channel.role)
            block->marks[i] = (WindowPlace){channel.out_epoch, channel.out_number};
    }
}

static RestoreResult restore_block(Life *life, Restoring *restoring, const WireBlock *from, WireSaved *saved)
{
    LifeBlock *block = &restoring->blocks[restoring->depth], *around = restoring->depth > 0 ? block - 1 : NULL;
    WireId id =
        block_id(around != NULL ? &around->id : NULL, around != NULL ? around->attempt : 0, from->name, from->ordinal);
    *block = (LifeBlock){.id = id,
                         .block = blocks_find(life->options.blocks, life->options.block_count, from->name),
                         .ordinal = from->ordinal,
                         .attempt = from->attempt};
    if (block->block == NULL || !block_has(block->block, life->options.role) || !wire_id_is(&id, &from->id) ||
        !block_allows(block->block, from->attempt))
        return RESTORE_VIOLATION;
    if (wire_decode_body(WIRE_SAVED, from->saved, saved) != WIRE_GOOD ||
        !window_saved_is_sound(saved, life->options.role, life->options.role_count))
        return RESTORE_UNREADABLE;
    size_t size = block->block->participant_count * sizeof *block->marks;
    block->marks = memory_allocate(life->options.memory, size);
    if (block->marks == NULL)
        return RESTORE_NO_MEMORY;
    memset(block->marks, 0, size);
    mark_saved(block, saved->channels);
    restoring->depth++;
    return RESTORE_GOOD;
}

// `saved` is that of the innermost one.
static RestoreResult restore_blocks(Life *life, Restoring *restoring, WireSaved *saved)
{
    WireList list = restoring->from->blocks;
    if (list.count == 0)
        return RESTORE_GOOD;
    restoring->blocks = memory_allocate(life->options.memory, list.count * sizeof *restoring->blocks);
    if (restoring->blocks == NULL)
        return RESTORE_NO_MEMORY;
    WireBlock block;
    RestoreResult result = RESTORE_GOOD;
    bool is_first = true;
    while (result == RESTORE_GOOD && wire_next(&list, WIRE_ITEM_BLOCK, &block)) {
        bool is_base = is_first && restoring->from->is_durable && block.name == 0 && wire_id_is_zero(&block.id);
        is_first = false;
        if (!is_base)
            result = restore_block(life, restoring, &block, saved);
        else if (wire_decode_body(WIRE_SAVED, block.saved, saved) != WIRE_GOOD)
            result = RESTORE_UNREADABLE;
        restoring->has_base |= is_base;
    }
    return result;
}

// ---- channels ----

static RestoreResult restore_channels(Life *life, Restoring *restoring, const WireSaved *saved)
{
    if (!life_make_peers(&life->options, restoring->limits, restoring->from->life, &restoring->peers))
        return RESTORE_NO_MEMORY;
    for (uint16_t i = 0; i < life->options.role_count && restoring->depth > 0; i++) {
        if (i == life->options.role)
            continue;
        WindowVerdict verdict = window_load(&restoring->peers[i].out, &restoring->peers[i].in, i, saved);
        if (verdict != WINDOW_GOOD)
            return verdict == WINDOW_NO_MEMORY ? RESTORE_NO_MEMORY : RESTORE_UNREADABLE;
    }
    return RESTORE_GOOD;
}

static RestoreResult restore_roster(Life *life, Restoring *restoring)
{
    const LifeOptions *options = &life->options;
    restoring->nodes = memory_allocate(options->memory, options->role_count * sizeof *restoring->nodes);
    if (restoring->nodes == NULL)
        return RESTORE_NO_MEMORY;
    WireList roster = restoring->from->roster;
    WireSeat seat;
    for (unsigned next = 0; wire_next(&roster, WIRE_ITEM_SEAT, &seat); next = seat.role + 1u) {
        if (seat.role < next || seat.role >= options->role_count || seat.role == options->role || seat.life == 0)
            return RESTORE_VIOLATION;
        restoring->nodes[seat.role] = options->effects->node(options->context, seat.role, seat.node, seat.address);
        if (restoring->nodes[seat.role] == 0)
            return RESTORE_NO_MEMORY;
    }
    return RESTORE_GOOD;
}

static RestoreResult restore_marks(Life *life, Restoring *restoring)
{
    WireList list = restoring->from->recoveries;
    WireRecovery recovery;
    while (wire_next(&list, WIRE_ITEM_RECOVERY, &recovery)) {
        LifeMark mark = {
            .id = recovery.id, .depth = recovery.depth, .attempt = recovery.attempt, .epoch = recovery.epoch};
        WireFault fault = {.kind = recovery.kind,
                           .signal = recovery.signal,
                           .line = recovery.line,
                           .role = recovery.role,
                           .why = recovery.why,
                           .file = recovery.file};
        if (recovery.depth > restoring->depth || recovery.attempt == 0 || recovery.epoch == 0)
            return RESTORE_VIOLATION;
        LifeVerdict verdict = life_remember(life, &restoring->marks, &restoring->mark_count, &mark, &fault);
        if (verdict != LIFE_GOOD)
            return verdict == LIFE_NO_MEMORY ? RESTORE_NO_MEMORY : RESTORE_VIOLATION;
    }
    return RESTORE_GOOD;
}

// ---- beginning ----

static void take_place(Life *life, Restoring *restoring)
{
    const WireRestore *from = restoring->from;
    life_clear(life);
    // What has come for lives of an earlier term is for none.
    bool is_new_term = life->session != 0 && life->session != from->session;
    for (unsigned i = 0; i < life->options.role_count && !is_new_term; i++)
        life_take_coming(life, &restoring->peers[i], &life->peers[i], from->life);
    life_free_peers(&life->options, life->peers);
    memory_release(life->options.memory, life->blocks);
    life->peers = restoring->peers;
    life->blocks = restoring->blocks;
    life->capacity = life->depth = restoring->depth;
    life->term = from->term;
    life->is_durable = from->is_durable;
    life->has_base = restoring->has_base || restoring->depth > 0;
    life->known = life_known_at_start(life);
    life->marks = restoring->marks;
    life->mark_count = restoring->mark_count;
    if (life->restore != life->reading)
        life_drop_restore(life, &life->restore);
    life->restore = restoring->kept;
    life->session = from->session;
    life->life = from->life;
    life->limits = restoring->limits;
    life->state = LIFE_BEGINS;
    life->is_asked_to_stop = false;
    if (life->depth > 0)
        life_reset(life, life_innermost(life), from->epoch);
    WireList roster = from->roster;
    WireSeat seat;
    while (wire_next(&roster, WIRE_ITEM_SEAT, &seat))
        life_meet(life, seat.role, seat.life, restoring->nodes[seat.role], seat.has_ended);
    memory_release(life->options.memory, restoring->nodes);
    life_wake(life, LIFE_WAKE_ORDER, 0);
}

static bool refuse(Life *life, const WireRestore *restore)
{
    WireRefused refused = {.session = restore->session,
                           .role = restore->role,
                           .life = restore->life,
                           .code = WIRE_REFUSED_LIMIT,
                           .text = wire_text("the windows of the session are larger than this node takes")};
    return life_report(life, WIRE_REFUSED, &refused);
}

// What an earlier life has saved makes no sense: neither the home nor this node is to blame. It counts as a failure, so that
// the number of attempts bounds it.
static LifeVerdict fail_at_once(Life *life, const WireRestore *restore)
{
    WireBuffer list = {0};
    WireFault fault = {.kind = CHX_FAULT_SYSTEM, .why = wire_text("what the role had saved can't be read")};
    wire_add(&list, WIRE_ITEM_FAULT, &fault);
    WireFail fail = {
        .session = restore->session, .role = restore->role, .life = restore->life, .fault = wire_list(&list)};
    bool is_said = !list.failed && life_report(life, WIRE_FAIL, &fail);
    wire_buffer_fini(&list);
    if (!is_said)
        return LIFE_NO_MEMORY;
    bool was_active = life_is_active(life);
    life_clear(life);
    life->session = restore->session;
    life->life = restore->life;
    life->state = LIFE_NONE;
    // The role of the life before, if there is one, unwinds.
    if (was_active)
        life_finish(life, true, CHX_FAILED, NULL);
    return LIFE_GOOD;
}

LifeVerdict life_on_restore(Life *life, const WireRestore *restore)
{
    if (restore->role != life->options.role || restore->session == 0 || restore->life == 0 ||
        restore->window_messages == 0 || restore->window_bytes == 0)
        return LIFE_VIOLATION;
    bool has_ended = life->state == LIFE_OVER && !life->stop.is_fenced;
    // Another home decides about the session, and every role begins again from what is in the store (C8).
    bool is_later = restore->term > life->term || session_is_broken(SESSION_BROKEN_OLD_TERM);
    bool is_new_term = life->is_durable && restore->is_durable && is_later && life->session != 0;
    bool is_other = life->session != 0 && restore->session != life->session;
    // A home that is not one any more, and does not know it (C9).
    if (life->is_durable && restore->is_durable && restore->term < life->term && !is_new_term)
        return LIFE_GOOD;
    if (has_ended || (!is_new_term && (is_other || restore->life == life->life)))
        return LIFE_VIOLATION;
    if (!is_new_term && restore->life < life->life)
        return LIFE_GOOD;
    const WindowLimits *most = &life->options.limits_max;
    if (restore->window_messages > most->messages || restore->window_bytes > most->bytes)
        return refuse(life, restore) ? LIFE_GOOD : LIFE_NO_MEMORY;
    Restoring restoring = {.from = restore, .limits = {restore->window_messages, restore->window_bytes}};
    WireSaved saved;
    RestoreResult result = restore_blocks(life, &restoring, &saved);
    if (result == RESTORE_GOOD)
        result = restore_channels(life, &restoring, &saved);
    if (result == RESTORE_GOOD)
        result = restore_roster(life, &restoring);
    if (result == RESTORE_GOOD)
        result = restore_marks(life, &restoring);
    if (result == RESTORE_GOOD && !keep_frame(life, &restoring))
        result = RESTORE_NO_MEMORY;
    if (result == RESTORE_GOOD) {
        take_place(life, &restoring);
        return LIFE_GOOD;
    }
    restoring_fini(life, &restoring);
    if (result == RESTORE_UNREADABLE)
        return fail_at_once(life, restore);
    return result == RESTORE_NO_MEMORY ? LIFE_NO_MEMORY : LIFE_VIOLATION;
}
