// life_blocks.c: the blocks that a life is in, and what is saved at their entries: see life.h.

#include "net/session/life_internal.h"

#include "net/session/place.h"

uint32_t life_find_block(const Life *life, const WireId *id)
{
    // Usually it is the innermost one.
    uint32_t depth = life->depth;
    while (depth > 0 && !wire_id_is(&life->blocks[depth - 1].id, id))
        depth--;
    return depth;
}

void life_cut_blocks(Life *life, uint32_t depth)
{
    while (life->depth > depth)
        memory_release(life->options.memory, life->blocks[--life->depth].marks);
}

static void mark_channels(const Life *life, const LifeBlock *block)
{
    for (uint32_t i = 0; i < block->block->participant_count; i++)
        block->marks[i] = window_out_mark(&life->peers[block->block->participants[i]].out);
}

void life_reset(Life *life, const LifeBlock *block, uint32_t epoch)
{
    for (uint32_t i = 0; i < block->block->participant_count; i++) {
        unsigned role = block->block->participants[i];
        if (role == life->options.role)
            continue;
        LifePeer *peer = &life->peers[role];
        window_out_back(&peer->out, block->marks[i], epoch);
        window_in_reset(&peer->in, epoch);
    }
}

// ---- recoveries that were told before the block was entered ----

static void drop_mark(Life *life, LifeMark **place)
{
    LifeMark *mark = *place;
    *place = mark->next;
    life->mark_count--;
    life_drop_fault(life, &mark->fault);
    memory_release(life->options.memory, mark);
}

void life_drop_marks(Life *life, uint32_t depth)
{
    for (LifeMark **place = &life->marks; *place != NULL;)
        if ((*place)->depth >= depth)
            drop_mark(life, place);
        else
            place = &(*place)->next;
}

void life_free_marks(Life *life, LifeMark *marks)
{
    for (LifeMark *next; marks != NULL; marks = next) {
        next = marks->next;
        life_drop_fault(life, &marks->fault);
        memory_release(life->options.memory, marks);
    }
}

LifeVerdict life_remember(Life *life, LifeMark **marks, uint32_t *count, const LifeMark *told, const WireFault *fault)
{
    LifeMark *mark = *marks;
    while (mark != NULL && !wire_id_is(&mark->id, &told->id))
        mark = mark->next;
    if (mark != NULL && mark->attempt >= told->attempt)
        return LIFE_GOOD;
    if (mark == NULL && *count == LIFE_MARKS_MAX)
        return LIFE_VIOLATION;
    LifeKeptFault *kept = NULL;
    if (fault != NULL && (kept = life_copy_fault(life, *fault)) == NULL)
        return LIFE_NO_MEMORY;
    if (mark == NULL) {
        mark = memory_allocate(life->options.memory, sizeof *mark);
        if (mark == NULL) {
            life_drop_fault(life, &kept);
            return LIFE_NO_MEMORY;
        }
        *mark = (LifeMark){.next = *marks};
        *marks = mark;
        (*count)++;
    }
    life_drop_fault(life, &mark->fault);
    LifeMark *next = mark->next;
    *mark = *told;
    mark->next = next;
    mark->fault = kept;
    return LIFE_GOOD;
}

static LifeMark **find_mark(Life *life, const WireId *id)
{
    LifeMark **place = &life->marks;
    while (*place != NULL && !wire_id_is(&(*place)->id, id))
        place = &(*place)->next;
    return place;
}

// ---- saving ----

// Appends a SAVED. False: no memory, or there is more than a SAVED can have.
static bool save(const Life *life, const LifeSnapshot *snapshot, WireBuffer *saved)
{
    WireBuffer channels = {0}, kept = {0};
    bool good = true;
    for (uint16_t i = 0; i < life->options.role_count && good; i++)
        if (i != life->options.role)
            good = window_save(&life->peers[i].out, &life->peers[i].in, i, &channels, &kept);
    WireSaved record = {.steps = snapshot->steps,
                        .snapshot = snapshot->snapshot,
                        .channels = wire_list(&channels),
                        .kept = wire_list(&kept)};
    good = good && wire_encode_record(saved, WIRE_SAVED, &record);
    wire_buffer_fini(&channels);
    wire_buffer_fini(&kept);
    return good;
}

// Says it if somebody could take it.
static LifeVerdict say(Life *life, WireKind kind, const void *frame)
{
    size_t size = wire_body_size(kind, frame);
    if (size == 0 || size > life->options.message_max)
        return LIFE_TOO_LARGE;
    return life_report(life, kind, frame) ? LIFE_GOOD : LIFE_NO_MEMORY;
}

// ---- entering ----

static bool make_room(Life *life)
{
    if (life->depth < life->capacity)
        return true;
    uint32_t capacity = life->capacity > 0 ? 2 * life->capacity : 4;
    LifeBlock *blocks = memory_allocate(life->options.memory, capacity * sizeof *blocks);
    if (blocks == NULL)
        return false;
    if (life->depth > 0)
        memcpy(blocks, life->blocks, life->depth * sizeof *blocks);
    memory_release(life->options.memory, life->blocks);
    life->blocks = blocks;
    life->capacity = capacity;
    return true;
}

// What the recovery that was told of this block says; NULL: none was.
static LifeMark **told_of(Life *life, const LifeBlock *block)
{
    LifeMark **place = find_mark(life, &block->id);
    return *place != NULL && block_allows(block->block, (*place)->attempt) ? place : NULL;
}

static LifeVerdict say_enter(Life *life, const LifeBlock *block, const LifeSnapshot *snapshot)
{
    WireBuffer saved = {0};
    LifeVerdict verdict = LIFE_NO_MEMORY;
    if (save(life, snapshot, &saved)) {
        WireEnter enter = {.session = life->session,
                           .role = life->options.role,
                           .life = life->life,
                           .id = block->id,
                           .name = block->block->name,
                           .ordinal = block->ordinal,
                           .attempt = block->attempt,
                           .saved = {saved.data, saved.size}};
        verdict = say(life, WIRE_ENTER, &enter);
    }
    wire_buffer_fini(&saved);
    return verdict;
}

LifeVerdict life_enter(Life *life, uint32_t name, uint32_t ordinal, const LifeSnapshot *snapshot, LifeEntered *entered)
{
    if (!life_may_act(life))
        return LIFE_ASKED;
    const LifeBlock *around = life_innermost(life);
    LifeBlock block = {.block = blocks_find(life->options.blocks, life->options.block_count, name), .ordinal = ordinal};
    CHECK(block.block != NULL && block_has(block.block, life->options.role));
    block.id =
        around != NULL ? block_id(&around->id, around->attempt, name, ordinal) : block_id(NULL, 0, name, ordinal);
    LifeMark **mark = told_of(life, &block);
    if (mark != NULL)
        block.attempt = (*mark)->attempt;
    block.marks = make_room(life)
                      ? memory_allocate(life->options.memory, block.block->participant_count * sizeof *block.marks)
                      : NULL;
    LifeVerdict verdict = block.marks != NULL ? say_enter(life, &block, snapshot) : LIFE_NO_MEMORY;
    if (verdict != LIFE_GOOD) {
        memory_release(life->options.memory, block.marks);
        return verdict;
    }
    mark_channels(life, &block);
    life->blocks[life->depth++] = block;
    *entered = (LifeEntered){.attempt = block.attempt};
    if (mark != NULL) {
        entered->epoch = (*mark)->epoch;
        life_reset(life, &block, entered->epoch);
        life_drop_fault(life, &life->entered_fault);
        life->entered_fault = (*mark)->fault;
        (*mark)->fault = NULL;
        entered->fault = kept_fault(life->entered_fault);
        drop_mark(life, mark);
    }
    return LIFE_GOOD;
}

// ---- the end of a block ----

static WireId next_round(const Life *life)
{
    const LifeBlock *block = life_innermost(life), *around = life->depth > 1 ? block - 1 : NULL;
    return block_id(around != NULL ? &around->id : NULL, around != NULL ? around->attempt : 0, block->block->name,
                    block->ordinal + 1);
}

// `next`: what comes behind the end; its `saved` is set here. NULL: nothing is saved.
static LifeVerdict say_arrive(Life *life, WireBlock *next, const LifeSnapshot *snapshot)
{
    const LifeBlock *block = life_innermost(life);
    WireBuffer saved = {0}, list = {0};
    if (next != NULL && save(life, snapshot, &saved)) {
        next->saved = (WireSpan){saved.data, saved.size};
        wire_add(&list, WIRE_ITEM_BLOCK, next);
    }
    WireArrive arrive = {.session = life->session,
                         .role = life->options.role,
                         .life = life->life,
                         .attempt = block != NULL ? block->attempt : 0,
                         .next = wire_list(&list)};
    if (block != NULL)
        arrive.id = block->id;
    bool is_complete = next == NULL || list.count == 1;
    LifeVerdict verdict = is_complete ? say(life, WIRE_ARRIVE, &arrive) : LIFE_NO_MEMORY;
    wire_buffer_fini(&saved);
    wire_buffer_fini(&list);
    if (verdict == LIFE_GOOD)
        life->state = LIFE_ARRIVED;
    return verdict;
}

LifeVerdict life_arrive(Life *life, const LifeSnapshot *next)
{
    if (!life_may_act(life))
        return LIFE_ASKED;
    const LifeBlock *block = life_innermost(life);
    CHECK(block != NULL && (next == NULL || block->block->is_round));
    WireBlock round = {.id = next_round(life), .name = block->block->name, .ordinal = block->ordinal + 1};
    LifeVerdict verdict = say_arrive(life, next != NULL ? &round : NULL, next);
    if (verdict == LIFE_GOOD)
        life->renews = next != NULL;
    return verdict;
}

LifeVerdict life_arrive_outside(Life *life, const LifeSnapshot *base)
{
    if (!life_may_act(life))
        return LIFE_ASKED;
    CHECK(life->depth <= 1);
    WireBlock outside = {.name = 0};
    LifeVerdict verdict = say_arrive(life, &outside, base);
    if (verdict == LIFE_GOOD)
        life->renews = false;
    return verdict;
}

bool life_gives_base(const Life *life)
{
    if (!life->is_durable || life->depth > 1)
        return false;
    return life->depth == 0 ? !life->has_base : life->blocks[0].block->is_durable;
}

bool life_is_let_in(const Life *life)
{
    return life->state == LIFE_RUNS && (!life->is_durable || life->known == life->depth);
}

LifeVerdict life_on_go(Life *life, const WireGo *go)
{
    LifeBlock *block = life_innermost(life);
    if (life->state == LIFE_ARRIVED && block == NULL && wire_id_is_zero(&go->id)) {
        life->has_base = true;
        life->state = LIFE_RUNS;
        life_wake(life, LIFE_WAKE_GO, 0);
        return LIFE_GOOD;
    }
    if (life->state != LIFE_ARRIVED || block == NULL || life->back.number != 0 || !wire_id_is(&block->id, &go->id) ||
        block->attempt != go->attempt)
        return LIFE_VIOLATION;
    WireId next = {{0}};
    if (life->renews)
        next = next_round(life);
    if (!wire_id_is(&next, &go->next))
        return LIFE_VIOLATION;
    if (life->renews) {
        block->id = next;
        block->ordinal++;
        block->attempt = 0;
        life_drop_marks(life, life->depth);
        // Nothing was sent since ARRIVE.
        mark_channels(life, block);
    } else {
        life_drop_marks(life, life->depth);
        life_cut_blocks(life, life->depth - 1);
    }
    life->renews = false;
    life->known = life->depth;
    life->state = LIFE_RUNS;
    life_wake(life, LIFE_WAKE_GO, 0);
    life_release(life);
    return LIFE_GOOD;
}

// ---- the end of the role ----

LifeVerdict life_end(Life *life, WireSpan result)
{
    if (!life_may_act(life))
        return LIFE_ASKED;
    CHECK(life->depth == 0);
    WireBuffer channels = {0}, kept = {0};
    bool good = true;
    for (uint16_t i = 0; i < life->options.role_count && good; i++)
        if (i != life->options.role)
            good = window_save(&life->peers[i].out, &life->peers[i].in, i, &channels, &kept);
    WireEnd end = {.session = life->session,
                   .role = life->options.role,
                   .life = life->life,
                   .result = result,
                   .kept = wire_list(&kept)};
    LifeVerdict verdict = good ? say(life, WIRE_END, &end) : LIFE_NO_MEMORY;
    wire_buffer_fini(&channels);
    wire_buffer_fini(&kept);
    if (verdict == LIFE_GOOD)
        life->state = LIFE_ENDING;
    return verdict;
}
