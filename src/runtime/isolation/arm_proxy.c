// arm_proxy.c: isolated roles in arms, as the program that runs the session sees them. See parent.h.
//
// The process of a role that comes to a `par` goes on in the arm itself: with the same frames, but with other channels, and the
// blocks that it enters are the arm's. So the role's proxy has another actor for as long, its actor in the arm, and nothing else
// that deals with proxies knows the difference. Where the process was before is kept in a list, outwards.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/arms/arms.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

Actor *proxy_main(const RoleProxy *proxy)
{
    return &proxy->isolated->session->actors[proxy->actor->index];
}

static RoleProxy *proxy_of(const Actor *actor)
{
    return role_proxy(&actor->session->root->actors[actor->index]);
}

RoleProxy *arm_role_proxy(const Actor *actor)
{
    return proxy_of(actor);
}

uint32_t proxy_arm_id(const RoleProxy *proxy)
{
    return proxy->arm != NULL ? proxy->arm->id : 0;
}

// ---- channels ----

Channel *actor_out(const Actor *actor, size_t place)
{
    return actor->session->arm == NULL ? &actor->out[place]
                                       : arms_find_channel(actor, actor->role->sends_to[place], true);
}

Channel *actor_in(const Actor *actor, size_t place)
{
    return actor->session->arm == NULL ? actor->in[place]
                                       : arms_find_channel(actor, actor->role->receives_from[place], false);
}

// As the process is told of it. `channel` is NULL: nobody there is in the arm.
static ArmChannel arm_channel(const Channel *channel, bool is_out)
{
    ArmChannel told = {0};
    if (channel == NULL)
        return told;
    const ShmChannel *shm = shm_channel(channel);
    told.ring_at = (uint64_t)shm->ring.large_at - RING_FILE_BYTES;
    told.number = shm->number;
    told.token = shm->ring.token;
    told.epoch = is_out ? channel->head.sending.epoch : channel->head.taking.epoch;
    told.is_there = 1;
    return told;
}

void arm_channels(const Actor *actor, ArmChannel *told)
{
    const chx_role *role = actor->role;
    for (size_t i = 0; i < role->sends_to_count; i++)
        *told++ = arm_channel(actor_out(actor, i), true);
    for (size_t i = 0; i < role->receives_from_count; i++)
        *told++ = arm_channel(actor_in(actor, i), false);
}

struct ArmRing {
    ShmChannel shm;
    SharedFile *file; // NULL: it is not one
    uint64_t at;
};

// The file that a channel of the session lies in: those of its arms between the same two roles lie there, too.
static SharedFile *channel_file(const IsolatedSession *isolated, const Channel *channel)
{
    const Actor *from = &isolated->session->actors[channel->producer->index];
    size_t i = 0;
    while (from->role->sends_to[i] != channel->consumer->index)
        i++;
    return isolated->rings[&from->out[i] - isolated->session->channels].file;
}

static bool arm_ring_make(IsolatedSession *isolated, Channel *channel, uint32_t number, struct ArmRing *ring)
{
    const chx_runtime_options *options = &isolated->session->runtime->options;
    SharedFile *file = channel_file(isolated, channel);
    if (!isolated_take_ring(isolated, file, &ring->at))
        return false;
    ring->file = file;
    if (!isolated_map_ring(&ring->shm.ring, &file->descriptor, ring->at, channel->head.sending.check))
        return false;
    ring_set_limits(&ring->shm.ring, options->channel_messages, options->channel_bytes);
    isolated_init_channel(isolated, channel, &ring->shm, number);
    return true;
}

bool isolation_arm_prepare(Session *root, Channel *channels, size_t count, struct ArmRing **rings)
{
    *rings = runtime_allocate(root->runtime, (count + 1) * sizeof **rings);
    if (*rings == NULL)
        return false;
    memset(*rings, 0, (count + 1) * sizeof **rings);
    for (size_t i = 0; i < count; i++) {
        Channel *channel = &channels[i];
        bool is_used = channel->ops != NULL && (channel->producer->proxy != NULL || channel->consumer->proxy != NULL);
        if (is_used && !arm_ring_make(root->isolated, channel, (uint32_t)i, &(*rings)[i]))
            return false;
    }
    return true;
}

void isolation_arm_release(Session *root, struct ArmRing *rings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        isolated_unmap_ring(&rings[i].shm.ring);
        if (rings[i].file != NULL)
            isolated_give_ring(root->isolated, rings[i].file, rings[i].at);
    }
    runtime_release(root->runtime, rings);
}

// ---- coming to an arm, and leaving it ----

// What the process reads: where the channels of the arm are.
static bool arm_reply(const RoleProxy *proxy)
{
    const Actor *actor = proxy->actor;
    size_t bytes = arm_reply_bytes(actor->role);
    ArmReply *reply = isolated_map(descriptor_use(&proxy->own->descriptor), CONTROL_FILE_BYTES, bytes);
    if (reply == NULL)
        return false;
    arm_channels(actor, reply->channels);
    reply->id = proxy->arm->id;
    reply->answers = proxy->answered + 1;
    munmap(reply, bytes);
    return true;
}

bool control_arm(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    Actor *actor = proxy->actor;
    const chx_arm *program;
    const chx_checkpoint *block = role_arm(actor->role, head->about, &program);
    size_t tails = actor->role->sends_to_count * sizeof(RingPoint);
    const Savepoint *around = savepoint_top(actor);
    if (block == NULL || head->size != sizeof(ArmRequest) + tails)
        return false;
    if (actor->member.awaited != 0)
        return true;
    if (around != NULL && around->position.arrived)
        return false;
    if (proxy->arm != NULL && proxy->arm->level == ARMS_NESTED_MAX)
        return false;
    ProxyArm *arm = malloc(sizeof *arm + tails);
    Actor *inside = arm != NULL ? arms_enter_elsewhere(actor, block) : NULL;
    if (inside == NULL) {
        free(arm);
        guard_no_memory();
    }
    *arm =
        (ProxyArm){.outer = proxy->arm, .parent = actor, .actor = inside, .id = ++proxy->last_arm, .site = head->about};
    memcpy(&arm->request, data, sizeof arm->request);
    memcpy(arm->tails, (const unsigned char *)data + sizeof arm->request, tails);
    arm->level = proxy->arm != NULL ? proxy->arm->level + 1 : 1;
    arm->depth = proxy_depth(proxy) + (uint32_t)actor->member.count;
    proxy->arm = arm;
    proxy->actor = inside;
    if (!arm_reply(proxy))
        guard_no_memory();
    return true;
}

bool control_arm_end(RoleProxy *proxy, const ControlHead *head, const void *data)
{
    (void)head;
    (void)data;
    ProxyArm *arm = proxy->arm;
    if (proxy->actor->member.awaited != 0)
        return true;
    if (arm == NULL || proxy->actor->member.count != 0)
        return false;
    proxy->arm = arm->outer;
    proxy->actor = arm->parent;
    proxy->deaths = 0;
    arms_leave_elsewhere(arm->actor);
    free(arm);
    return true;
}

uint32_t proxy_depth(const RoleProxy *proxy)
{
    return proxy->arm != NULL ? proxy->arm->depth : 0;
}

void proxy_give_up_arm(RoleProxy *proxy)
{
    ProxyArm *arm = proxy->arm;
    proxy_abandon_blocks(proxy);
    arms_stop_elsewhere(arm->actor);
    proxy->arm = arm->outer;
    proxy->actor = arm->parent;
    arm->outer = proxy->given_up;
    proxy->given_up = arm;
}

void proxy_leave_given_up(RoleProxy *proxy)
{
    while (proxy->given_up != NULL) {
        ProxyArm *arm = proxy->given_up;
        proxy->given_up = arm->outer;
        arms_leave_elsewhere(arm->actor);
        free(arm);
    }
}

void proxy_wake_arms(const RoleProxy *proxy)
{
    for (const ProxyArm *arm = proxy->arm; arm != NULL; arm = arm->outer) {
        const chx_role *role = arm->actor->role;
        for (size_t i = 0; i < role->sends_to_count + role->receives_from_count; i++) {
            bool is_out = i < role->sends_to_count;
            const Channel *channel = is_out ? actor_out(arm->actor, i) : actor_in(arm->actor, i - role->sends_to_count);
            Actor *peer = channel == NULL ? NULL : is_out ? channel->consumer : channel->producer;
            // Whoever waits for this channel, and nobody else: an arm that is over must not be called.
            if (peer != NULL && peer->proxy == NULL && actor_wake(peer, channel))
                scheduler_ready(&peer->session->runtime->scheduler, peer);
        }
    }
}

// ---- what the recovery machine asks for ----

// The role is in this arm, or in one inside of it.
static bool proxy_is_in(const RoleProxy *proxy, const Actor *actor)
{
    const Actor *each = proxy->actor;
    for (const ProxyArm *arm = proxy->arm; each != actor && arm != NULL; arm = arm->outer)
        each = arm->parent;
    return each == actor;
}

void proxy_roll_back_in(RoleProxy *proxy, Actor *actor)
{
    // It has not come to the block yet, and stays in the arms that it is in.
    bool is_inside = proxy_is_in(proxy, actor) && recovery_behind(&actor->member) != NULL;
    if (!is_inside) {
        atomic_store(&proxy->control->late, ++proxy->late);
        return;
    }
    while (proxy->actor != actor)
        proxy_give_up_arm(proxy);
    proxy_roll_back(proxy);
}

static Actor *part_actor(Proxy *proxy)
{
    return ((ArmPart *)(void *)((char *)proxy - offsetof(ArmPart, proxy)))->actor;
}

static void arm_roll_back(Proxy *proxy)
{
    Actor *actor = part_actor(proxy);
    proxy_roll_back_in(proxy_of(actor), actor);
}

static void arm_go(Proxy *proxy, Block *block)
{
    Actor *actor = part_actor(proxy);
    CHECK(proxy_of(actor)->actor == actor);
    proxy_go(proxy_of(actor), block);
}

const ProxyOps arm_proxy_ops = {arm_roll_back, arm_go, NULL};

void isolation_arm_failed(const Actor *actor, const Fault *fault)
{
    RoleProxy *proxy = proxy_of(actor);
    if (proxy_is_in(proxy, actor))
        proxy_set_kill_pending(proxy, fault->kind, "%s", fault->why);
}
