// life_orders.c: what a life does with the orders of the home, each a line of the table in docs/hosts-protocol.md, section 4.

#include "net/session/life_internal.h"

static LifeVerdict on_eack(Life *life, const WireEack *eack)
{
    if (wire_id_is_zero(&eack->id)) {
        if (life->state != LIFE_ENDING)
            return LIFE_VIOLATION;
        life_clear(life);
        life->state = LIFE_OVER;
        life->stop = (LifeStop){.status = CHX_OK};
        life_wake(life, LIFE_WAKE_OVER, 0);
        return LIFE_GOOD;
    }
    uint32_t depth = life_find_block(life, &eack->id);
    if (depth > life->known) {
        life->known = depth;
        life_release(life);
        if (life->is_durable)
            life_wake(life, LIFE_WAKE_GO, 0);
    }
    return LIFE_GOOD;
}

// ---- RECOVER ----

// The attempt in which the role will be in this block, once it has done what is asked already.
static uint32_t coming_attempt(const Life *life, uint32_t depth)
{
    return life->back.number != 0 && life->back.depth == depth ? life->back.attempt : life->blocks[depth - 1].attempt;
}

static LifeVerdict go_back(Life *life, uint32_t depth, const WireRecover *recover)
{
    const LifeBlock *block = &life->blocks[depth - 1];
    if (!block_allows(block->block, recover->attempt))
        return LIFE_VIOLATION;
    LifeKeptFault *fault;
    if (!life_keep_fault(life, recover->fault, &fault))
        return LIFE_NO_MEMORY;
    life_drop_fault(life, &life->back_fault);
    life->back_fault = fault;
    life->back = (LifeBack){.number = ++life->orders,
                            .depth = depth,
                            .name = block->block->name,
                            .ordinal = block->ordinal,
                            .attempt = recover->attempt,
                            .epoch = recover->epoch,
                            .fault = kept_fault(fault)};
    life_wake(life, LIFE_WAKE_ORDER, 0);
    return LIFE_GOOD;
}

static LifeVerdict remember(Life *life, const WireRecover *recover)
{
    LifeMark mark = {.id = recover->id, .depth = recover->depth, .attempt = recover->attempt, .epoch = recover->epoch};
    WireList list = recover->fault;
    WireFault fault;
    bool has_fault = wire_next(&list, WIRE_ITEM_FAULT, &fault);
    // What is around it for the home is so for the role: nothing is left without the home.
    uint32_t depth = life->back.number != 0 ? life->back.depth : life->depth;
    if (recover->depth > depth)
        return LIFE_VIOLATION;
    return life_remember(life, &life->marks, &life->mark_count, &mark, has_fault ? &fault : NULL);
}

static LifeVerdict on_recover(Life *life, const WireRecover *recover)
{
    if (recover->epoch == 0 || recover->attempt == 0)
        return LIFE_VIOLATION;
    if (life->state == LIFE_ENDING)
        return LIFE_GOOD;
    uint32_t depth = life_find_block(life, &recover->id);
    // What is inside of the block that it goes back to is over.
    bool is_gone = life->back.number != 0 && depth > life->back.depth;
    if (depth == 0)
        return remember(life, recover);
    if (is_gone || coming_attempt(life, depth) >= recover->attempt)
        return LIFE_GOOD;
    return go_back(life, depth, recover);
}

static LifeVerdict on_start(Life *life, const WireStart *start)
{
    if (life->held == 0 || life->held != start->epoch || life->back.number != 0)
        return LIFE_GOOD;
    life->held = 0;
    if (session_is_broken(SESSION_BROKEN_EAGER) && life->state != LIFE_HELD)
        return LIFE_GOOD;
    life->state = LIFE_RUNS;
    life->known = life_known_at_start(life);
    life_wake(life, LIFE_WAKE_GO, 0);
    life_release(life);
    return LIFE_GOOD;
}

// ---- others, and the end ----

static LifeVerdict on_life(Life *life, const WireLife *told)
{
    if (told->of >= life->options.role_count || told->of == life->options.role || told->of_life == 0)
        return LIFE_VIOLATION;
    uint32_t node = life->options.effects->node(life->options.context, told->of, told->node, told->address);
    if (node == 0)
        return LIFE_NO_MEMORY;
    life_meet(life, told->of, told->of_life, node, told->has_ended);
    return LIFE_GOOD;
}

static LifeVerdict on_stop(Life *life, const WireStop *stop)
{
    LifeKeptFault *fault;
    if (life->has_outcome)
        return LIFE_GOOD;
    if (!life_keep_fault(life, stop->fault, &fault))
        return LIFE_NO_MEMORY;
    life->has_outcome = true;
    bool is_known = life->state == LIFE_OVER;
    if (is_known) {
        // Its own last word was another one; this is the outcome of the whole.
        life_drop_fault(life, &life->stop_fault);
        life->stop_fault = fault;
        life->stop.status = (chx_status)stop->status;
        life->stop.fault = kept_fault(fault);
    } else {
        life_finish(life, false, (chx_status)stop->status, fault);
    }
    life->stop.restarts = stop->restarts;
    life_wake(life, LIFE_WAKE_OVER, 0);
    return LIFE_GOOD;
}

static LifeVerdict on_fenced(Life *life)
{
    if (life->state != LIFE_OVER)
        life_finish(life, true, CHX_FAILED, NULL);
    return LIFE_GOOD;
}

// ---- all of them ----

typedef struct {
    uint64_t session;
    uint16_t role;
    uint32_t life;
} Addressee;

static bool addressee_of(const WireFrame *frame, Addressee *to)
{
    switch (frame->kind) {
    case WIRE_EACK:
        *to = (Addressee){frame->eack.session, frame->eack.role, frame->eack.life};
        return true;
    case WIRE_RECOVER:
        *to = (Addressee){frame->recover.session, frame->recover.role, frame->recover.life};
        return true;
    case WIRE_START:
        *to = (Addressee){frame->start.session, frame->start.role, frame->start.life};
        return true;
    case WIRE_GO:
        *to = (Addressee){frame->go.session, frame->go.role, frame->go.life};
        return true;
    case WIRE_LIFE:
        *to = (Addressee){frame->life.session, frame->life.role, frame->life.life};
        return true;
    case WIRE_STOP:
        *to = (Addressee){frame->stop.session, frame->stop.role, frame->stop.life};
        return true;
    case WIRE_FENCED:
        *to = (Addressee){frame->fenced.session, frame->fenced.role, frame->fenced.life};
        return true;
    default:
        return false;
    }
}

// Orders to the current life, while it has not had its last word.
static LifeVerdict take_order(Life *life, const WireFrame *frame)
{
    switch (frame->kind) {
    case WIRE_EACK:
        return on_eack(life, &frame->eack);
    case WIRE_RECOVER:
        return on_recover(life, &frame->recover);
    case WIRE_START:
        return on_start(life, &frame->start);
    case WIRE_GO:
        return life_on_go(life, &frame->go);
    case WIRE_LIFE:
        return on_life(life, &frame->life);
    default:
        return LIFE_VIOLATION;
    }
}

LifeVerdict life_order(Life *life, const WireFrame *frame)
{
    Addressee to;
    if (frame->kind == WIRE_RESTORE)
        return life_on_restore(life, &frame->restore);
    if (!addressee_of(frame, &to) || to.role != life->options.role)
        return LIFE_VIOLATION;
    // The last word for a life that a process before this one had.
    if ((frame->kind == WIRE_STOP || frame->kind == WIRE_FENCED) && to.life > life->life)
        return LIFE_GOOD;
    if (to.session != life->session)
        return LIFE_VIOLATION;
    // RESTORE is the first order of a life; orders for one that is over may still come.
    if (to.life != life->life && !session_is_broken(SESSION_BROKEN_ROLE_ADDRESS))
        return to.life > life->life ? LIFE_VIOLATION : LIFE_GOOD;
    if (frame->kind == WIRE_STOP)
        return on_stop(life, &frame->stop);
    if (frame->kind == WIRE_FENCED)
        return on_fenced(life);
    return life_is_active(life) ? take_order(life, frame) : LIFE_GOOD;
}
