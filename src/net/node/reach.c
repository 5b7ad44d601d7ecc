// reach.c: nodes that can't reach each other, as sessions see it (N12): who may relay for whom, and what the home of a session is told if
// there is no way at all.

#include "net/node/node.h"

// Does the part have to do with a role at this node?
static bool part_knows(const NodePart *part, uint32_t peer)
{
    for (unsigned i = 0; i < part->known->choreography->role_count && part->life.session != 0; i++)
        if (i != part->role && life_node(&part->life, i) == peer)
            return true;
    return false;
}

static bool home_knows(const NodePeer *home, uint32_t peer)
{
    for (const NodePart *part = home->parts; part != NULL; part = part->next_at_home)
        if (part_knows(part, peer))
            return true;
    return false;
}

// The homes of all sessions in which both this node and the peer take part.
size_t reach_relays(void *context, uint32_t peer, uint32_t *numbers, size_t most)
{
    chx_node *node = context;
    size_t count = 0;
    for (size_t i = 0; i <= node->peer_map.capacity; i++) {
        MapItem *item = i < node->peer_map.capacity ? node->peer_map.buckets[i] : node->peer_map.single;
        for (; item != NULL && count < most; item = item->next) {
            const NodePeer *home = MAP_OWNER(item, NodePeer, by_number);
            if (home->number != PEER_SELF && home->number != peer && home_knows(home, peer))
                numbers[count++] = home->number;
        }
    }
    return count;
}

static const NodePeer *find_peer(chx_node *node, uint32_t number)
{
    MapItem *item = map_first(&node->peer_map, number);
    return item != NULL ? MAP_OWNER(item, NodePeer, by_number) : NULL;
}

// Only nodes that play roles of a session that is decided here, and is not over.
bool reach_may_relay(void *context, uint32_t peer, uint32_t other)
{
    const NodePeer *one = find_peer(context, peer);
    for (const Seat *seat = one != NULL ? one->seats : NULL; seat != NULL; seat = seat->next) {
        const NodeHome *home = seat->home;
        for (size_t i = 0; i < home->known->choreography->role_count && !home->is_over; i++)
            if (home->seats[i].peer != NULL && home->seats[i].peer->number == other)
                return true;
    }
    return false;
}

bool reach_is_relay(void *context, uint32_t peer)
{
    const NodePeer *home = find_peer(context, peer);
    return home != NULL && home->parts != NULL;
}

// ---- complaints ----

static void part_complain(NodePart *part, uint32_t peer)
{
    bool is_new = part->complains != part->life.life;
    part->complains = part->life.life;
    for (unsigned i = 0; i < part->known->choreography->role_count && part->life.session != 0; i++) {
        if (is_new)
            part->unreached[i] = 0;
        if (i == part->role || life_node(&part->life, i) != peer)
            continue;
        uint32_t life = life_unreached(&part->life, i, part->unreached[i]);
        part->unreached[i] = life != 0 ? life : part->unreached[i];
        part->node->has_complained |= life != 0;
    }
}

void reach_unreached(void *context, uint32_t peer)
{
    chx_node *node = context;
    for (size_t i = 0; i <= node->parts.capacity; i++) {
        MapItem *item = i < node->parts.capacity ? node->parts.buckets[i] : node->parts.single;
        for (; item != NULL; item = item->next) {
            NodePart *part = MAP_OWNER(item, NodePart, by_session);
            if (!part->is_over && part->home->number != PEER_SELF && part->home->number != peer)
                part_complain(part, peer);
        }
    }
}

void reach_up(chx_node *node, uint32_t peer)
{
    for (size_t i = 0; node->has_complained && i <= node->parts.capacity; i++) {
        MapItem *item = i < node->parts.capacity ? node->parts.buckets[i] : node->parts.single;
        for (; item != NULL; item = item->next) {
            NodePart *part = MAP_OWNER(item, NodePart, by_session);
            for (unsigned k = 0; k < part->known->choreography->role_count && !part->is_over; k++) {
                if (part->unreached[k] == 0 || life_node(&part->life, k) != peer)
                    continue;
                if (part->complains == part->life.life)
                    life_reached(&part->life, k, part->unreached[k]);
                part->unreached[k] = 0;
            }
        }
    }
}
