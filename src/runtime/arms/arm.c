// arm.c: an arm: its memory, who takes part, its channels, and how it is found and freed. See arms.h.

#include "runtime/arms/internal.h"

#include "base/check.h"
#include "runtime/actor/again.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recovery/effects.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/runtime.h"
#include "runtime/value/spread.h"

#include <string.h>

enum { CHAINS_FIRST = 16 };

// ---- all arms of a session ----

ArmTable *arm_table(Session *root)
{
    ArmTable *table = atomic_load(&root->arm_table), *none = NULL;
    if (table != NULL)
        return table;
    table = runtime_allocate(root->runtime, sizeof *table);
    if (table == NULL)
        guard_no_memory();
    *table = (ArmTable){.lock = PTHREAD_MUTEX_INITIALIZER};
    if (atomic_compare_exchange_strong(&root->arm_table, &none, table))
        return table;
    pthread_mutex_destroy(&table->lock); // another role was first
    runtime_release(root->runtime, table);
    return none;
}

static size_t name_hash(const ArmName *name)
{
    uint64_t hash = ((uintptr_t)name->session >> 6) ^ ((uintptr_t)name->block >> 4);
    hash = (hash ^ name->static_name) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 32) ^ name->ordinal ^ (uint64_t)name->attempt << 20) * 0xd6e8feb86659fd93u;
    return (size_t)(hash ^ hash >> 29);
}

static bool name_equal(const ArmName *one, const ArmName *other)
{
    return one->session == other->session && one->block == other->block && one->round == other->round &&
           one->attempt == other->attempt && one->static_name == other->static_name && one->ordinal == other->ordinal;
}

static Arm **table_chain(ArmTable *table, const ArmName *name)
{
    return &table->chains[name_hash(name) & (table->chain_count - 1)];
}

// Room for one more. False: no memory.
static bool table_grow(Session *root, ArmTable *table)
{
    if (table->count < table->chain_count)
        return true;
    size_t before = table->chain_count, count = before == 0 ? CHAINS_FIRST : before * 4;
    Arm **chains = runtime_allocate(root->runtime, count * sizeof *chains), **old = table->chains;
    if (chains == NULL)
        return false;
    memset(chains, 0, count * sizeof *chains);
    table->chains = chains;
    table->chain_count = count;
    for (size_t i = 0; i < before; i++)
        for (Arm *arm = old[i], *next; arm != NULL; arm = next) {
            next = arm->next;
            Arm **chain = table_chain(table, &arm->name);
            arm->next = *chain;
            *chain = arm;
        }
    if (old != NULL)
        runtime_release(root->runtime, old);
    return true;
}

// The caller takes its place among the arm's `live`.
static void table_take(ArmTable *table, Arm *arm)
{
    Arm **link = table_chain(table, &arm->name);
    while (*link != arm)
        link = &(*link)->next;
    *link = arm->next;
    arm->is_listed = false;
    table->count--;
}

static void table_remove(ArmTable *table, Arm *arm)
{
    table_take(table, arm);
    // Not the last one: whoever calls this has a part in it.
    atomic_fetch_sub(&arm->session->ending.live, 1);
}

// Those of this session and block (NULL: any) are not listed any more. The caller has not left the session.
static void table_forget(Session *root, const Session *session, const Block *block)
{
    ArmTable *table = atomic_load(&root->arm_table);
    Arm *taken = NULL;
    if (table == NULL)
        return;
    current()->busy++;
    scheduler_lock(root->runtime->platform, &table->lock);
    for (size_t i = 0; i < table->chain_count && table->count > 0; i++)
        for (Arm *arm = table->chains[i], *next; arm != NULL; arm = next) {
            next = arm->next;
            if ((session != NULL && arm->name.session != session) || (block != NULL && arm->name.block != block))
                continue;
            table_take(table, arm);
            arm->next = taken;
            taken = arm;
        }
    pthread_mutex_unlock(&table->lock);
    while (taken != NULL) {
        Arm *arm = taken;
        taken = arm->next;
        session_leave(arm->session);
    }
    current()->busy--;
}

void arms_forget_block(Session *session, const Block *block)
{
    table_forget(session->root, session, block);
}

void arms_role_left(Session *root)
{
    ArmTable *table = atomic_load(&root->arm_table);
    if (table == NULL)
        return;
    current()->busy++;
    scheduler_lock(root->runtime->platform, &table->lock);
    while (table->left < root->actor_count && atomic_load(&root->actors[table->left].has_left))
        table->left++;
    bool have_all = table->left == root->actor_count;
    pthread_mutex_unlock(&table->lock);
    current()->busy--;
    if (have_all)
        table_forget(root, NULL, NULL);
}

void arm_unlist(Arm *arm)
{
    Session *root = arm->session->root;
    ArmTable *table = arm_table(root);
    scheduler_lock(root->runtime->platform, &table->lock);
    if (arm->is_listed)
        table_remove(table, arm);
    pthread_mutex_unlock(&table->lock);
}

void arms_free(Session *root)
{
    ArmTable *table = atomic_load(&root->arm_table);
    if (table == NULL)
        return;
    for (Arms *arms = table->arms, *next; arms != NULL; arms = next) {
        next = arms->next;
        turn_fini(arms->turn);
        runtime_release(root->runtime, arms->turn);
        if (arms->par != NULL)
            runtime_release(root->runtime, arms->par);
        runtime_release(root->runtime, arms);
    }
    if (table->chains != NULL)
        runtime_release(root->runtime, table->chains);
    pthread_mutex_destroy(&table->lock);
    runtime_release(root->runtime, table);
}

// ---- who sends to whom ----

// As it is compiled in, with families as one role.
static const chx_role *model_of(const chx_role *role)
{
    return role->spread != NULL ? role->spread->model : role;
}

static bool is_family(const chx_role *model, unsigned role)
{
    return model->whole != NULL && model->whole->places[role].is_family;
}

static uint32_t fixed_count(const chx_role *model, const unsigned *peers, size_t count)
{
    uint32_t fixed = 0;
    for (size_t i = 0; i < count; i++)
        fixed += !is_family(model, peers[i]);
    return fixed;
}

// Where the channel to this participant is among those of the role, or from it. -1: there is none.
static long channel_place(const chx_role *role, const chx_role *peer, const unsigned *peers, size_t count,
                          uint32_t fixed, unsigned place)
{
    const chx_role *model = model_of(role);
    unsigned wanted = model_of(peer)->index;
    for (size_t i = 0; i < count; i++)
        if (peers[i] == wanted)
            return is_family(model, wanted) ? (long)(fixed + place) : (long)i;
    return -1;
}

static long out_place(const ArmShape *shape, unsigned from, unsigned to)
{
    const chx_role *role = shape->roles[from], *model = model_of(role);
    return from == to ? -1
                      : channel_place(role, shape->roles[to], model->sends_to, model->sends_to_count,
                                      fixed_count(model, model->sends_to, model->sends_to_count), to);
}

static long in_place(const ArmShape *shape, unsigned to, unsigned from)
{
    const chx_role *role = shape->roles[to], *model = model_of(role);
    return from == to ? -1
                      : channel_place(role, shape->roles[from], model->receives_from, model->receives_from_count,
                                      fixed_count(model, model->receives_from, model->receives_from_count), from);
}

// From the first to the last channel of a participant to others: so many there are, with some that are not used.
static size_t out_range(const ArmShape *shape, unsigned from, size_t *first)
{
    size_t end = 0;
    *first = SIZE_MAX;
    for (unsigned to = 0; to < shape->count; to++) {
        long place = out_place(shape, from, to);
        if (place >= 0 && (size_t)place < *first)
            *first = (size_t)place;
        if (place >= 0 && (size_t)place >= end)
            end = (size_t)place + 1;
    }
    return end > 0 ? end - *first : 0;
}

static size_t in_count(const ArmShape *shape, unsigned to)
{
    size_t end = 0;
    for (unsigned from = 0; from < shape->count; from++) {
        long place = in_place(shape, to, from);
        if (place >= 0 && (size_t)place >= end)
            end = (size_t)place + 1;
    }
    return end;
}

// ---- memory ----

static size_t align(size_t size)
{
    return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static Arm *arm_allocate(Session *root, const ArmShape *shape)
{
    size_t channels = 0, ins = 0, first;
    for (unsigned i = 0; i < shape->count; i++) {
        channels += out_range(shape, i, &first);
        ins += in_count(shape, i);
    }
    size_t at_arm = align(offsetof(Session, report)),
           at_actors = align(at_arm + sizeof(Arm) + shape->count * sizeof(ArmPart));
    size_t at_channels = at_actors + shape->count * sizeof(Actor), at_ins = at_channels + channels * sizeof(Channel);
    size_t at_numbers = at_ins + ins * sizeof(Channel *), size = at_numbers + shape->count * sizeof(unsigned);
    void *memory = runtime_allocate(root->runtime, size + CACHE_LINE - 1);
    if (memory == NULL)
        return NULL;
    unsigned char *base = (unsigned char *)(((uintptr_t)memory + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    memset(base, 0, size);
    Session *session = (Session *)(void *)base;
    Arm *arm = (Arm *)(void *)(base + at_arm);
    arm->session = session;
    arm->channels = (Channel *)(void *)(base + at_channels);
    arm->channel_count = channels;
    arm->ins = (Channel **)(void *)(base + at_ins);
    arm->numbers = (unsigned *)(void *)(base + at_numbers);
    arm->count = shape->count;
    session->memory = memory;
    session->arm = arm;
    session->actors = (Actor *)(void *)(base + at_actors);
    session->actor_count = shape->count;
    return arm;
}

// What all participants come to alike, whoever comes first: by the blocks that its role is in, and the attempts that the role knows.
// Those of the blocks themselves may be ahead of that, and change at any time.
static void make_token(Session *session, const ArmName *name)
{
    uint64_t words[2] = {name->session->token[0], name->session->token[1]};
    for (size_t i = name->member->count; i > 0; i--) {
        const Position *around = name->member->positions[i - 1];
        bool is_rescue = around->attempt > around->checkpoint->retries;
        words[0] = (words[0] ^ around->checkpoint->name) * 0x9e3779b97f4a7c15u + is_rescue;
        words[1] = (words[1] ^ around->ordinal ^ words[0] >> 31) * 0xd6e8feb86659fd93u;
    }
    words[0] = (words[0] ^ words[0] >> 29 ^ name->static_name) * 0xa0761d6478bd642fu;
    words[1] = (words[1] ^ words[0] >> 31 ^ name->ordinal ^ (uint64_t)name->round << 32) * 0x9e3779b97f4a7c15u;
    session->token[0] = words[0] ^ words[1] >> 32;
    session->token[1] = words[1] ^ words[0] >> 29;
}

static void init_session(Session *session, Session *root)
{
    session->runtime = root->runtime;
    session->root = root;
    session->plan = root->plan;
    session->definition = root->definition;
    session->float_control = root->float_control;
    session->observed = root->observed;
    session->is_fast = root->is_fast;
    session->trace = root->trace;
    atomic_init(&session->has_arms, true);
    session->ending.fd = NO_DESCRIPTOR;
    session->ending.lock = session->block_lock.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    // The supervisor of isolated roles locks the blocks of all arms at once.
    session->block_lock.used = root->isolated != NULL ? &root->block_lock.mutex : &session->block_lock.mutex;
}

static void init_actor(const Arm *arm, unsigned place, Actor *of)
{
    Session *session = arm->session;
    Actor *actor = &session->actors[place];
    const chx_role *model = model_of(of->role);
    ArmPart *part = (ArmPart *)&arm->parts[place];
    actor->session = session;
    actor->role = of->role;
    actor->context = of->context;
    actor->restarts.max = of->restarts.max;
    actor->restarts.period_ms = of->restarts.period_ms;
    actor->index = of->index;
    actor->begun = true; // the role has
    actor->self.observed = session->observed;
    actor->self.member = of->self.member;
    actor->self.generation = &session->generation;
    part->out_fixed = fixed_count(model, model->sends_to, model->sends_to_count);
    part->in_fixed = fixed_count(model, model->receives_from, model->receives_from_count);
    part->arm = (Arm *)arm;
    part->actor = actor;
    part->arms.part = part;
    actor->arms = &part->arms;
    if (of->proxy != NULL) {
        part->proxy.ops = &arm_proxy_ops;
        actor->proxy = &part->proxy;
    }
}

static void init_channel(const Arm *arm, Channel *channel, unsigned from, unsigned to)
{
    Session *session = arm->session;
    chx_runtime *runtime = session->runtime;
    Actor *consumer = &session->actors[to];
    uint32_t token = (uint32_t)session->token[0] ^ (uint32_t)(channel - arm->channels);
    *channel = (Channel){.head = {.sending.check = token, .taking.check = token},
                         .runtime = runtime,
                         .producer = &session->actors[from],
                         .consumer = consumer,
                         .role = consumer->role,
                         .is_fast = session->observed == 0 || session->is_fast,
                         .message_limit = runtime->options.channel_messages,
                         .byte_limit = runtime->options.channel_bytes};
    memory_channel_init(channel);
}

// False: those that lead to other processes can't be had.
static bool prepare_channels(Arm *arm)
{
    Session *root = arm->session->root;
    const Platform *platform = root->runtime->platform;
    if (root->isolated != NULL && !isolation_arm_prepare(root, arm->channels, arm->channel_count, &arm->rings))
        return false;
    for (size_t i = 0; platform->channel != NULL && i < arm->channel_count; i++)
        if (arm->channels[i].ops == &memory_channel_ops)
            platform->channel(&arm->channels[i]);
    return true;
}

static void close_channels(const Arm *arm)
{
    for (size_t i = 0; i < arm->channel_count; i++)
        if (arm->channels[i].ops != NULL)
            arm->channels[i].ops->close(&arm->channels[i]);
    if (arm->rings != NULL)
        isolation_arm_release(arm->session->root, arm->rings, arm->channel_count);
}

static void init_channels(const Arm *arm, const ArmShape *shape)
{
    Channel *next = arm->channels, **ins = arm->ins;
    for (unsigned i = 0; i < arm->count; i++) {
        Actor *actor = &arm->session->actors[i];
        actor->in = ins;
        actor->self.in = (chx_channel *const *)ins;
        ins += in_count(shape, i);
    }
    for (unsigned from = 0; from < arm->count; from++) {
        Actor *actor = &arm->session->actors[from];
        size_t first, count = out_range(shape, from, &first);
        // What lies before the first one is never touched.
        actor->out = count > 0 ? (Channel *)((uintptr_t)next - first * sizeof *next) : next;
        actor->self.out = (unsigned char *)actor->out;
        for (unsigned to = 0; to < arm->count; to++) {
            long place = out_place(shape, from, to);
            if (place < 0)
                continue;
            Channel *channel = &next[(size_t)place - first];
            init_channel(arm, channel, from, to);
            arm->session->actors[to].in[in_place(shape, to, from)] = channel;
        }
        next += count;
    }
}

// NULL: no memory.
static Arm *arm_new(Session *root, const ArmName *name, const chx_checkpoint *block)
{
    ArmShape shape = {.count = block->participant_count};
    const chx_role *few[ARM_USUAL_PARTICIPANTS];
    bool is_few = shape.count <= ARM_USUAL_PARTICIPANTS;
    shape.roles = is_few ? few : runtime_allocate(root->runtime, shape.count * sizeof *shape.roles);
    if (shape.roles == NULL)
        return NULL;
    for (unsigned i = 0; i < shape.count; i++)
        shape.roles[i] = root->actors[block->participants[i]].role;
    Arm *arm = arm_allocate(root, &shape);
    if (arm != NULL) {
        arm->name = *name;
        init_session(arm->session, root);
        make_token(arm->session, name);
        memcpy(arm->numbers, block->participants, shape.count * sizeof *arm->numbers);
        for (unsigned i = 0; i < shape.count; i++)
            init_actor(arm, i, &root->actors[block->participants[i]]);
        init_channels(arm, &shape);
        recovery_init(&arm->session->recovery, &recovery_effects, root->runtime, &arm->session->actors[0].member,
                      sizeof(Actor), NULL);
        arm->session->recovery.places = arm->numbers;
        arm->session->recovery.place_count = arm->count;
    }
    if (!is_few)
        runtime_release(root->runtime, shape.roles);
    if (arm == NULL || prepare_channels(arm))
        return arm;
    close_channels(arm);
    runtime_release(root->runtime, arm->session->memory);
    return NULL;
}

// ---- finding, and freeing ----

// While it is in the table that counts as one of its `live`. NULL: no memory.
static Arm *arm_add(Session *root, ArmTable *table, const ArmName *name, const chx_checkpoint *block)
{
    Arm *arm = table_grow(root, table) ? arm_new(root, name, block) : NULL;
    if (arm == NULL)
        return NULL;
    bool is_joined = session_join(root); // whoever calls has not left
    CHECK(is_joined);
    atomic_store(&arm->session->ending.live, 1);
    // The token is the same in all attempts of the blocks around it.
    arm->number = (arm->session->token[0] ^ ++table->made * 0x9e3779b97f4a7c15u) | 1;
    arm->around = arms_number(name->session);
    arm->next = *table_chain(table, name);
    *table_chain(table, name) = arm;
    arm->is_listed = true;
    table->count++;
    if (name->block != NULL)
        atomic_store_explicit(&name->block->has_arms, true, memory_order_relaxed);
    if (name->session->arm != NULL)
        name->session->arm->has_inner = true;
    atomic_store(&root->has_arms, true);
    return arm;
}

ArmPart *arm_join(Session *root, const ArmName *name, const chx_checkpoint *block)
{
    ArmTable *table = arm_table(root);
    ArmPart *part = NULL;
    current()->busy++;
    scheduler_lock(root->runtime->platform, &table->lock);
    Arm *arm = table->chain_count > 0 ? *table_chain(table, name) : NULL;
    while (arm != NULL && !name_equal(&arm->name, name))
        arm = arm->next;
    if (arm == NULL)
        arm = arm_add(root, table, name, block);
    if (arm != NULL) {
        atomic_fetch_add(&arm->session->ending.live, 2); // for the role, and for the part
        part = &arm->parts[block->position];
        if (++arm->joined == arm->count)
            table_remove(table, arm);
    }
    pthread_mutex_unlock(&table->lock);
    current()->busy--;
    return part;
}

void arms_end(Session *session)
{
    Session *root = session->root;
    Arm *arm = session->arm;
    CHECK(!arm->is_listed);
    current()->busy++;
    if (arm->has_inner)
        table_forget(root, session, NULL);
    close_channels(arm);
    recovery_fini(&session->recovery);
    for (unsigned i = 0; i < arm->count; i++) {
        ArmPart *part = &arm->parts[i];
        if (part->proxy.ops != NULL)
            savepoints_fini(part->actor);
        if (!part->is_begun)
            continue;
        actor_fini(part->actor);
        runtime_release(root->runtime, part->room);
        if (part->arms.par != NULL)
            runtime_release(root->runtime, part->arms.par);
    }
    runtime_release(root->runtime, arm->fault);
    pthread_mutex_destroy(&session->ending.lock);
    pthread_mutex_destroy(&session->block_lock.mutex);
    runtime_release(root->runtime, session->memory);
    current()->busy--;
    session_leave(root);
}

// ---- for traces ----

uint64_t arms_number(const Session *session)
{
    return session->arm != NULL ? session->arm->number : 0;
}

uint64_t arms_number_around(const Session *session)
{
    return session->arm != NULL ? session->arm->around : 0;
}

// ---- places ----

unsigned arms_place(const Arm *arm, unsigned role)
{
    return recovery_place(&arm->session->recovery, role);
}

unsigned arms_channel(const Actor *actor, unsigned role, bool is_out)
{
    const ArmPart *part = actor->arms->part;
    return (is_out ? part->out_fixed : part->in_fixed) + arms_place(part->arm, role);
}

Channel *arms_channels(const Arm *arm, size_t *count)
{
    *count = arm->channel_count;
    return arm->channels;
}

Channel *arms_find_channel(const Actor *actor, unsigned role, bool is_out)
{
    const Arm *arm = actor->session->arm;
    for (size_t i = 0; i < arm->channel_count; i++) {
        Channel *channel = &arm->channels[i];
        const Actor *here = is_out ? channel->producer : channel->consumer;
        const Actor *there = is_out ? channel->consumer : channel->producer;
        if (channel->ops != NULL && here == actor && there->index == role)
            return channel;
    }
    return NULL;
}

void arms_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch,
                     void (*set)(uint32_t *channel, uint32_t epoch, bool may_be_ahead), bool may_be_ahead)
{
    const Arm *arm = actor->session->arm;
    for (size_t i = 0; i < arm->channel_count; i++) {
        Channel *channel = &arm->channels[i];
        if (channel->ops != NULL && channel->producer == actor && takes_part(checkpoint, channel->consumer->index))
            set(&channel->head.sending.epoch, epoch, may_be_ahead);
        if (channel->ops != NULL && channel->consumer == actor && takes_part(checkpoint, channel->producer->index))
            set(&channel->head.taking.epoch, epoch, may_be_ahead);
    }
}

void arms_each_inbound(Actor *actor, void (*visit)(Actor *actor, Channel *channel))
{
    const Arm *arm = actor->session->arm;
    for (size_t i = 0; i < arm->channel_count; i++)
        if (arm->channels[i].ops != NULL && arm->channels[i].consumer == actor)
            visit(actor, &arm->channels[i]);
}
