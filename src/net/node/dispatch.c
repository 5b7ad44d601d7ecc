// dispatch.c: which frame is for whom.
//
// Orders are believed of the session's home only, reports and joins go to homes here, and DATA and TAKEN to parts, whose windows know
// from which node they may come. DATA may be here before the RESTORE that it belongs to, which comes over another link: it waits (early.c).

#include "net/node/node.h"

// ---- parts ----

static bool verdict_is_taken(chx_node *node, uint32_t from, LifeVerdict verdict)
{
    if (verdict == LIFE_VIOLATION && from != PEER_SELF)
        peers_complain(node->peers, from, "it says what can't be said in this session now");
    return verdict != LIFE_NO_MEMORY;
}

static bool deliver_order(chx_node *node, uint32_t from, uint64_t session, unsigned role, const WireFrame *frame)
{
    NodePart *part = parts_find(node, session, role);
    if (part == NULL || part->home->number != from)
        return true; // it is over here, or somebody else says so
    bool is_taken = verdict_is_taken(node, from, life_order(&part->life, frame));
    part_heed(part);
    return is_taken;
}

static bool deliver_data(chx_node *node, uint32_t from, const WireFrame *frame)
{
    NodePart *part = parts_find(node, frame->data.session, frame->data.to);
    if (part != NULL)
        return verdict_is_taken(node, from, life_data(&part->life, from, &frame->data));
    return node_is_broken(NODE_BROKEN_EARLY_LOST) || early_keep(node, from, frame);
}

static bool deliver_taken(chx_node *node, uint32_t from, const WireFrame *frame)
{
    NodePart *part = parts_find(node, frame->taken.session, frame->taken.to);
    if (part != NULL && !part->is_over)
        return verdict_is_taken(node, from, life_taken(&part->life, &frame->taken));
    // Of a role that has ended, the home keeps what others have not consumed.
    return homes_report(node, from, frame->taken.session, frame);
}

// ---- all ----

#define ORDER(member) deliver_order(node, from, frame->member.session, frame->member.role, frame)
#define REPORT(member) homes_report(node, from, frame->member.session, frame)

bool node_deliver(void *context, uint32_t from, const WireFrame *frame)
{
    chx_node *node = context;
    switch (frame->kind) {
    case WIRE_JOIN:
        return homes_join(node, from, &frame->join);
    case WIRE_OFFER:
        return offers_take(node, from, &frame->offer);
    case WIRE_SEEK:
        return services_seek(node, from, &frame->seek);
    case WIRE_REFUSED:
        return frame->refused.request != 0 ? joins_refused(node, from, &frame->refused) : REPORT(refused);
    case WIRE_OUTCOME:
        return joins_outcome(node, from, &frame->outcome);
    case WIRE_RESTORE:
        return joins_restore(node, from, frame);
    case WIRE_EACK:
        return ORDER(eack);
    case WIRE_GO:
        return ORDER(go);
    case WIRE_RECOVER:
        return ORDER(recover);
    case WIRE_START:
        return ORDER(start);
    case WIRE_LIFE:
        return ORDER(life);
    case WIRE_FENCED:
        return ORDER(fenced);
    case WIRE_STOP:
        return ORDER(stop);
    case WIRE_ENTER:
        return REPORT(enter);
    case WIRE_ARRIVE:
        return REPORT(arrive);
    case WIRE_READY:
        return REPORT(ready);
    case WIRE_FAIL:
        return REPORT(fail);
    case WIRE_END:
        return REPORT(end);
    case WIRE_CANCEL:
        return REPORT(cancel);
    case WIRE_UNREACHED:
        return REPORT(unreached);
    case WIRE_DATA:
        return deliver_data(node, from, frame);
    case WIRE_TAKEN:
        return deliver_taken(node, from, frame);
    default:
        if (from != PEER_SELF)
            peers_complain(node->peers, from, "a frame of a kind that is not for sessions");
        return true;
    }
}
