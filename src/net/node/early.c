// early.c: DATA for roles that are not here yet: the RESTORE that it belongs to comes over another link. It waits.
//
// How much waits is bounded, by some windows: what is oldest goes, which is of sessions that are over, as a rule. If it was not, and the
// role begins after all, it would wait for ever for what was dropped. So what was dropped is remembered, as far as that matters, and such
// a life does not begin here.

#include "net/node/node.h"

#include <stdlib.h>

enum {
    EARLY_WINDOWS = 32, // of so many channels
    EARLY_MESSAGE_ROOM = 64,
    EARLY_LOST_ROWS = 1024,
    EARLY_LOST_WAYS = 16,
};

// For which life something was dropped. Thousands are remembered, by session; in each row the latest ones.
struct EarlyLost {
    uint64_t session;
    uint32_t life;
    uint16_t role;
};

// A DATA of a session that is not known here, or not yet.
struct EarlyFrame {
    EarlyFrame *next;
    uint32_t from;
    uint64_t session;
    size_t size;
    uint8_t bytes[];
};

static EarlyLost *lost_row(const chx_node *node, uint64_t session, unsigned role)
{
    return &node->early_lost[((session ^ session >> 32) + role) % EARLY_LOST_ROWS * EARLY_LOST_WAYS];
}

static EarlyLost *lost_find(EarlyLost *row, uint64_t session, unsigned role)
{
    for (size_t i = 0; i < EARLY_LOST_WAYS; i++)
        if (row[i].session == session && row[i].role == role)
            return &row[i];
    return NULL;
}

// Without memory to remember it, the node does not drop it.
static bool lost_add(chx_node *node, const EarlyFrame *early)
{
    WireData data;
    if (wire_decode_body(WIRE_DATA, (WireSpan){early->bytes, early->size}, &data) != WIRE_GOOD)
        return true;
    if (node->early_lost == NULL)
        node->early_lost = calloc((size_t)EARLY_LOST_ROWS * EARLY_LOST_WAYS, sizeof *node->early_lost);
    if (node->early_lost == NULL)
        return false;
    EarlyLost *row = lost_row(node, data.session, data.to), *lost = lost_find(row, data.session, data.to);
    if (lost == NULL) {
        memmove(row + 1, row, (EARLY_LOST_WAYS - 1) * sizeof *row);
        lost = row;
    }
    *lost = (EarlyLost){data.session, data.to_life, data.to};
    return true;
}

bool early_was_lost(const chx_node *node, uint64_t session, unsigned role, uint32_t life)
{
    const EarlyLost *lost = node->early_lost != NULL ? lost_find(lost_row(node, session, role), session, role) : NULL;
    return lost != NULL && lost->life == life;
}

static void early_drop_first(chx_node *node)
{
    EarlyFrame *first = node->early;
    node->early = first->next;
    if (node->early == NULL)
        node->early_end = &node->early;
    node->early_bytes -= first->size + EARLY_MESSAGE_ROOM;
    free(first);
}

void early_free(chx_node *node)
{
    while (node->early != NULL)
        early_drop_first(node);
    free(node->early_lost);
    node->early_lost = NULL;
}

bool early_keep(chx_node *node, uint32_t from, const WireFrame *frame)
{
    size_t size = wire_body_size(frame->kind, &frame->data);
    EarlyFrame *early = malloc(sizeof *early + size);
    if (early == NULL)
        return false;
    size_t most = (size_t)node->config.limits.window * EARLY_WINDOWS;
    while (node->early != NULL && node->early_bytes + size > most && lost_add(node, node->early))
        early_drop_first(node);
    *early = (EarlyFrame){.from = from, .session = frame->data.session, .size = size};
    wire_write_body(early->bytes, frame->kind, &frame->data);
    if (node->early == NULL)
        node->early_end = &node->early;
    *node->early_end = early;
    node->early_end = &early->next;
    node->early_bytes += size + EARLY_MESSAGE_ROOM;
    return true;
}

// The part that it is for; NULL: that is not here, or not yet.
static NodePart *early_part(chx_node *node, const EarlyFrame *early, uint64_t session, WireData *data)
{
    if (early->session != session ||
        wire_decode_body(WIRE_DATA, (WireSpan){early->bytes, early->size}, data) != WIRE_GOOD)
        return NULL;
    return parts_find(node, session, data->to);
}

void node_deliver_early(chx_node *node, uint64_t session)
{
    EarlyFrame **link = &node->early, *early;
    while ((early = *link) != NULL) {
        WireData data;
        NodePart *part = early_part(node, early, session, &data);
        if (part == NULL) {
            link = &early->next;
            continue;
        }
        // Nobody sends it again.
        if (life_data(&part->life, early->from, &data) == LIFE_NO_MEMORY) {
            chx_fault fault = {
                .role = part->known->choreography->roles[part->role], .kind = CHX_FAULT_SYSTEM, .why = "out of memory"};
            life_cancel(&part->life, wire_text(fault.why));
            part_over(part, CHX_FAILED, &fault);
        }
        *link = early->next;
        if (early->next == NULL)
            node->early_end = link;
        node->early_bytes -= early->size + EARLY_MESSAGE_ROOM;
        free(early);
    }
}
