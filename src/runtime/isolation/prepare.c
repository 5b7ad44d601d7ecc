// prepare.c: prepares a session for its isolated roles: shared memory, proxies, channels that lead to other processes. See
// parent.h.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "runtime/durable/durable.h"
#include "runtime/value/codec.h"
#include "runtime/value/spread.h"
#include "runtime/session/registry.h"
#include "runtime/session/tested.h"
#include "runtime/value/snapshot.h"
#include "runtime/isolation/sandbox.h"
#include "runtime/recovery/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

IsolationWish isolation_from_env(void)
{
    const char *wanted = secure_getenv("CHOREX_ISOLATION");
    if (wanted == NULL || wanted[0] == '\0' || strcmp(wanted, "thread") == 0)
        return ISOLATION_AS_CAST;
    if (strcmp(wanted, "thread!") == 0)
        return ISOLATION_NONE;
    if (strcmp(wanted, "process") == 0)
        return ISOLATION_ALL;
    fprintf(stderr, "chorex: CHOREX_ISOLATION=%s: it can be thread, thread! or process\n", wanted);
    exit(2);
}

bool isolation_wants_process(const chx_runtime *runtime, const chx_actor *cast, unsigned role)
{
    const chx_actor *actor = cast != NULL ? &cast[role] : NULL;
    if (actor != NULL && actor->isolation == CHX_PROCESS)
        return runtime->isolation_wish != ISOLATION_NONE;
    // A function that a test calls has its argument in this process.
    bool is_tied = actor != NULL && (actor->context != NULL || actor->role == &tested_role);
    return runtime->isolation_wish == ISOLATION_ALL && !is_tied;
}

// ---- what the other process does ----

static void parent_notify(Channel *channel, bool producer)
{
    doorbell_ring(role_proxy(producer ? channel->producer : channel->consumer)->doorbell);
}

// A role of this process has found something that an isolated one can't have meant.
static void parent_report_violation(Actor *actor, Channel *channel, Violation about)
{
    IsolatedSession *isolated = shm_channel(channel)->owner;
    bool is_consumer = channel->consumer == actor;
    current()->busy++;
    isolated_block_lock(isolated);
    // The other side may have died since, and what it had done been made good.
    if (about == VIOLATION_UNEXPECTED || proxy_violation_holds(channel, is_consumer, about))
        proxy_blame(role_proxy(is_consumer ? channel->producer : channel->consumer), actor->role->role);
    blocks_unlock_outside(isolated->session);
    current()->busy--;
}

static const ShmSide parent_side = {parent_notify, parent_report_violation};

// ---- refusing ----

static bool role_is_found(const chx_role *role)
{
    const chx_role *model = role->spread != NULL ? role->spread->model : role;
    return registry_named(role->choreography, role->name) == model && registry_was_sealed_with(model);
}

// Why the role can't be isolated, with this sandbox if it is not NULL. NULL: it can be. `why` has room for REPORT_WHY_SIZE.
static const char *role_refusal(const Actor *actor, const chx_sandbox *sandbox, char *why)
{
    const chx_role *role = actor->role;
    // The first frame has the arguments. Of those that go on from a store it has been looked at before.
    bool is_resumed = actor->session->durable != NULL && actor->session->durable->from != NULL;
    const char *unsendable = is_resumed ? NULL : snapshot_unsendable(actor->self.top);
    if (strlen(role->choreography) >= NAME_SIZE || strlen(role->name) >= NAME_SIZE || strlen(role->role) >= NAME_SIZE)
        return "its name is too long for a process of its own";
    if (actor->context != NULL)
        return "it can't have a context and a process of its own: the pointer means nothing there. Give it arguments, "
               "or make what it needs in its init hook";
    if (!role_is_found(role))
        return refuse(why,
                      "%s can't be found by its name in a new process of this program: it must be linked in, together "
                      "with libchorex or with a library that it needs, not made or loaded at run time, and the name "
                      "must not be used twice",
                      role->name);
    if (unsendable != NULL)
        return refuse(why,
                      "its argument '%s' is a pointer or has one in it, which means nothing in a process of its own: "
                      "give it the value itself",
                      unsendable);
    if (role->fragile_count > 0)
        return refuse(why,
                      "its variable '%s' is a pointer that is live over a checkpoint: a new process does not have that "
                      "memory. Keep the value itself, or get the pointer anew in the rescue",
                      role->fragile[0]);
    return sandbox != NULL ? sandbox_refusal(sandbox, why) : NULL;
}

static void refuse_memory(const Session *session, int error)
{
    char text[REPORT_WHY_SIZE];
    const char *why = strerrordesc_np(error);
    if (error == EFBIG)
        why = "the limit on sizes of files (ulimit -f) is too low";
    if (error == EMFILE && session->isolated != NULL)
        why = refuse(text,
                     "%s: this session needs %zu descriptors for its isolated roles and the channels between them; the "
                     "limit is set by ulimit -n",
                     why, session->isolated->file_count + session->isolated->proxy_count);
    report_refuse(CHX_NO_MEMORY, NULL, session->plan->choreography->file,
                  "memory shared with the roles' processes can't be had: %s", why);
}

// ---- building ----

// With all its arrays, in one piece of memory. False: there is none.
static bool isolated_new(Session *session, Isolation *isolation, unsigned proxies)
{
    // Each role has a file of its own and perhaps one for its doorbell; each channel is in one more at the most.
    size_t channels = session->channel_count, files = 2 * proxies + channels;
    IsolatedSession *isolated;
    size_t size = sizeof *isolated + proxies * sizeof *isolated->proxies + channels * sizeof *isolated->shm +
                  files * sizeof *isolated->files + channels * sizeof *isolated->rings;
    isolated = runtime_allocate(session->runtime, size);
    if (isolated == NULL)
        return false;
    memset(isolated, 0, size);
    isolated->session = session;
    isolated->isolation = isolation;
    isolated->spare_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    isolated->proxies = (RoleProxy *)(isolated + 1);
    isolated->shm = (ShmChannel *)(isolated->proxies + proxies);
    isolated->files = (SharedFile *)(isolated->shm + channels);
    isolated->rings = (SharedPlace *)(isolated->files + files);
    session->isolated = isolated;
    return true;
}

// Without memory for the sandbox its buffer has failed.
static void isolated_add_proxy(IsolatedSession *isolated, Actor *actor, const chx_sandbox *sandbox)
{
    RoleProxy *proxy = &isolated->proxies[isolated->proxy_count++];
    *proxy = (RoleProxy){.proxy.ops = &role_proxy_ops,
                         .isolated = isolated,
                         .actor = actor,
                         .recall = NO_DESCRIPTOR,
                         .fault = {.kind = CHX_FAULT_NONE}};
    actor->proxy = &proxy->proxy;
    if (sandbox != NULL)
        sandbox_write(&(chx_writer){.buffer = &proxy->sandbox}, sandbox);
}

void isolated_init_channel(IsolatedSession *isolated, Channel *channel, ShmChannel *shm, uint32_t number)
{
    shm->side = &parent_side;
    shm->owner = isolated;
    shm->number = number;
    // The role of the end in this process. If neither end is here, no messages pass through here, and either role will do.
    const Actor *here = channel->consumer->proxy == NULL ? channel->consumer : channel->producer;
    shm_channel_init(channel, shm, here->role);
}

// A channel with an isolated role at either end.
static bool isolated_add_channel(IsolatedSession *isolated, size_t number)
{
    Channel *channel = &isolated->session->channels[number];
    const chx_runtime_options *options = &isolated->session->runtime->options;
    ShmChannel *shm = &isolated->shm[number];
    uint32_t token = channel->head.sending.check;
    SharedPlace place = isolated->rings[number];
    if (place.file == NULL)
        return true;
    if (!isolated_map_ring(&shm->ring, &place.file->descriptor, place.at, token))
        return false;
    ring_set_limits(&shm->ring, options->channel_messages, options->channel_bytes);
    isolated_init_channel(isolated, channel, shm, (uint32_t)number);
    return true;
}

static void save_arguments(void *closure)
{
    RoleProxy *proxy = closure;
    // As in actor_begin: a fatal signal in a codec is not made the role's failure here.
    current()->busy++;
    snapshot_save_outside(proxy->actor, &proxy->begin);
}

// A session that goes on from a store, in blocks: the process begins with what the store has of each of them.
static void load_blocks(void *closure)
{
    RoleProxy *proxy = closure;
    Actor *actor = proxy->actor;
    size_t depth = actor->member.count, tails = actor->role->sends_to_count * sizeof(RingPoint);
    Position positions[depth];
    current()->busy++;
    for (size_t i = 0; i < depth; i++)
        positions[i] = *actor->member.positions[i];
    while (actor->member.count > 0)
        savepoint_pop(actor);
    actor->savepoints.outermost = (Ordinals){0};
    actor->savepoints.ordinal_count = 0;
    actor_unwind(actor);
    for (size_t i = 0; i < depth; i++) {
        size_t size;
        const void *piece = durable_piece(actor, i + 1, &size);
        snapshot_load_counters(actor, piece, size);
        savepoint_reserve(actor);
        *savepoint_ordinal(actor, savepoint_top(actor), positions[i].checkpoint->name) = positions[i].ordinal + 1;
        Savepoint *savepoint = savepoint_allocate(actor, tails + size);
        savepoint->frame = NULL;
        savepoint->owns = savepoint->owns_next = false;
        memset(savepoint->saved, 0, tails); // the channels are new
        memcpy(savepoint->saved + tails, piece, size);
        savepoint->position = positions[i];
        savepoint_push(actor, savepoint);
        proxy->saved_bytes += savepoint->saved_bytes + SAVEPOINT_BYTES;
    }
}

// The process gets the arguments, which lie in the actor's first frame. False: no memory, or a codec has failed.
static bool proxy_take_arguments(RoleProxy *proxy)
{
    // What is unwound here has never run, so that no return is to be observed.
    uint32_t observed = proxy->actor->self.observed;
    proxy->actor->self.observed = 0;
    Guard guard;
    bool is_in_block = proxy->actor->member.count > 0;
    bool is_saved =
        guard_run(&guard, proxy->actor, is_in_block ? load_blocks : save_arguments, proxy) && !proxy->begin.failed;
    actor_unwind(proxy->actor);
    proxy->actor->self.observed = observed;
    return is_saved;
}

// False: something can't be had; errno says what.
static bool isolated_build(IsolatedSession *isolated)
{
    errno = ENOMEM;
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        if (isolated->proxies[i].sandbox.failed)
            return false;
    if (!isolated_make_files(isolated))
        return false;
    for (size_t i = 0; i < isolated->session->channel_count; i++)
        if (!isolated_add_channel(isolated, i))
            return false;
    // Last, since the arguments are dropped here.
    errno = ENOMEM;
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        if (!proxy_take_arguments(&isolated->proxies[i]))
            return false;
    return true;
}

chx_status isolation_prepare(Session *session, const chx_actor *cast)
{
    const chx_choreography *choreography = session->plan->choreography;
    unsigned proxies = 0;
    char why[REPORT_WHY_SIZE];
    chx_status status;
    for (unsigned i = 0; i < session->actor_count; i++) {
        if (!isolation_wants_process(session->runtime, cast, i))
            continue;
        const chx_sandbox *sandbox = cast != NULL ? cast[i].sandbox : NULL;
        const char *refusal = role_refusal(&session->actors[i], sandbox, why);
        if (refusal != NULL)
            return report_refuse(CHX_INVALID, choreography->roles[i], choreography->file, "%s: %s",
                                 choreography->roles[i], refusal);
        proxies++;
    }
    Isolation *isolation = isolation_get(session->runtime, choreography->file, &status);
    if (isolation == NULL)
        return status;
    errno = ENOMEM;
    bool is_new = isolated_new(session, isolation, proxies);
    for (unsigned i = 0; is_new && i < session->actor_count; i++)
        if (isolation_wants_process(session->runtime, cast, i))
            isolated_add_proxy(session->isolated, &session->actors[i], cast != NULL ? cast[i].sandbox : NULL);
    if (!is_new || !isolated_build(session->isolated)) {
        if (session->isolated == NULL)
            isolation_give_back(isolation);
        refuse_memory(session, errno);
        return CHX_NO_MEMORY;
    }
    return CHX_OK;
}

void isolation_start(Session *session)
{
    IsolatedSession *isolated = session->isolated;
    Scheduler *scheduler = &session->runtime->scheduler;
    Actor *first = NULL, *last = NULL, **end = &first; // of the roles that are not isolated, chained
    unsigned others = session->actor_count - isolated->proxy_count;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        if (actor->proxy == NULL) {
            *end = last = actor;
            end = &actor->next_queued;
        }
    }
    // What the program has printed comes before what the roles print.
    fflush(stdout);
    isolation_add(isolated);
    isolated_block_lock(isolated);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        proxy_spawn(&isolated->proxies[i]);
    // The supervisor thread deals with roles that could not be started. After the lock is released the session may be over.
    isolated_attend(isolated);
    blocks_unlock_outside(session);
    if (others > 0)
        scheduler_start(scheduler, first, last, others);
}

void isolation_release(Session *session)
{
    IsolatedSession *isolated = session->isolated;
    for (unsigned i = 0; i < isolated->proxy_count; i++) {
        RoleProxy *proxy = &isolated->proxies[i];
        chx_buffer_free(&proxy->message);
        chx_buffer_free(&proxy->begin);
        chx_buffer_free(&proxy->sandbox);
        free(proxy->next_round);
    }
    for (size_t i = 0; i < session->channel_count; i++)
        isolated_unmap_ring(&isolated->shm[i].ring);
    isolated_release_files(isolated);
    pthread_mutex_destroy(&isolated->spare_lock);
    isolation_give_back(isolated->isolation);
    runtime_release(session->runtime, isolated);
    session->isolated = NULL;
}
