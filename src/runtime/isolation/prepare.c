// prepare.c: a session gets its isolated session: shared memory, links, channels that lead to other processes. See parent.h.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "runtime/value/codec.h"
#include "runtime/session/registry.h"
#include "runtime/value/snapshot.h"
#include "runtime/isolation/sandbox.h"
#include "runtime/recovery/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

bool isolation_from_env(void)
{
    const char *wanted = secure_getenv("CHOREX_ISOLATION");
    if (wanted == NULL || wanted[0] == '\0' || strcmp(wanted, "thread") == 0)
        return false;
    if (strcmp(wanted, "process") != 0) {
        fprintf(stderr, "chorex: CHOREX_ISOLATION=%s: it can be thread or process\n", wanted);
        exit(2);
    }
    return true;
}

bool isolation_wants_process(const chx_runtime *runtime, const chx_actor *cast, unsigned role)
{
    const chx_actor *actor = cast != NULL ? &cast[role] : NULL;
    // On a simulated machine there is one process, and crashes are made.
    if (runtime->platform->join != NULL)
        return false;
    if (actor != NULL && actor->isolation == CHX_PROCESS)
        return true;
    return runtime->isolates_all && (actor == NULL || actor->context == NULL);
}

// ---- what the other process does ----

static void parent_notify(Channel *channel, bool producer)
{
    doorbell_ring(proxy_doorbell((producer ? channel->producer : channel->consumer)->proxy));
}

// The blocks are locked. The other side may have died since, and what it had done been made good.
static bool violation_holds(const Actor *actor, Channel *channel, const RoleProxy *proxy, Violation about)
{
    Ring *ring = &shm_channel(channel)->ring;
    RingItem item;
    if (about == VIOLATION_UNEXPECTED)
        return true;
    if (about == VIOLATION_ENDED)
        return proxy->state == PROXY_LEFT &&
               (channel->producer == actor ? ring_room(ring) : ring_peek(ring, &item)) == RING_EMPTY;
    if (about == VIOLATION_AHEAD)
        return ring_peek(ring, &item) == RING_ITEM && channel->producer->proxy != NULL &&
               item.record.of.epoch > channel->head.sending.epoch;
    return (channel->producer == actor ? ring_room(ring) : ring_peek(ring, &item)) == RING_BROKEN;
}

// A role of this process has found something that an isolated one can't have meant.
static void parent_report_violation(Actor *actor, Channel *channel, Violation about)
{
    IsolatedSession *isolated = shm_channel(channel)->owner;
    RoleProxy *proxy = channel->producer == actor ? channel->consumer->proxy : channel->producer->proxy;
    current()->busy++;
    isolated_block_lock(isolated);
    if (violation_holds(actor, channel, proxy, about))
        proxy_blame(proxy, actor->role->role);
    blocks_unlock_outside(isolated->session);
    current()->busy--;
}

static const ShmSide parent_side = {parent_notify, parent_report_violation};

// ---- refusing ----

static bool role_is_found(const chx_role *role)
{
    const chx_role *found = registry_named(role->choreography, role->name);
    return found == role && registry_was_sealed_with(role);
}

// Why the role can't be isolated; NULL: it can. `arguments` are its first frame. `why` has room for REPORT_WHY_SIZE.
static const char *role_refusal(const Session *session, unsigned index, const chx_frame *arguments, char *why)
{
    const Actor *actor = &session->actors[index];
    const chx_role *role = actor->role;
    const char *unsendable = snapshot_unsendable(arguments);
    if (strlen(role->choreography) >= NAME_SIZE || strlen(role->name) >= NAME_SIZE || strlen(role->role) >= NAME_SIZE)
        return "its name is too long for a process of its own";
    if (actor->context != NULL)
        return "it can't have a context and a process of its own: the pointer means nothing there. Give it arguments, "
               "or make what it needs in its init hook";
    if (!role_is_found(role)) {
        snprintf(why, REPORT_WHY_SIZE,
                 "%s can't be found by its name in a new process of this program: it must be linked in, together with "
                 "libchorex or with a library that it needs, not made or loaded at run time, and the name must not be "
                 "used twice",
                 role->name);
        return why;
    }
    if (unsendable != NULL) {
        snprintf(why, REPORT_WHY_SIZE,
                 "its argument '%s' is a pointer or has one in it, which means nothing in a process of its own: give "
                 "it the value itself",
                 unsendable);
        return why;
    }
    if (role->fragile_count > 0) {
        snprintf(why, REPORT_WHY_SIZE,
                 "its variable '%s' is a pointer that is live over a checkpoint: a new process does not have that "
                 "memory. Keep the value itself, or get the pointer anew in the rescue",
                 role->fragile[0]);
        return why;
    }
    return NULL;
}

// ---- building ----

static IsolatedSession *isolated_new(Session *session, Isolation *isolation, unsigned proxies)
{
    chx_runtime *runtime = session->runtime;
    IsolatedSession *isolated = runtime_allocate(runtime, sizeof *isolated);
    if (isolated == NULL)
        return NULL;
    *isolated = (IsolatedSession){.session = session, .isolation = isolation};
    session->isolated = isolated;
    if (!isolated_reserve_timers(isolated, proxies))
        return NULL;
    isolated->proxies = runtime_allocate(runtime, proxies * sizeof *isolated->proxies);
    isolated->shm = runtime_allocate(runtime, (session->channel_count + 1) * sizeof *isolated->shm);
    // Either may be there without the other: isolation_release looks at both.
    if (isolated->proxies != NULL)
        memset(isolated->proxies, 0, proxies * sizeof *isolated->proxies);
    if (isolated->shm != NULL)
        memset(isolated->shm, 0, (session->channel_count + 1) * sizeof *isolated->shm);
    return isolated->proxies != NULL && isolated->shm != NULL ? isolated : NULL;
}

static void isolated_add_proxy(IsolatedSession *isolated, Actor *actor)
{
    RoleProxy *proxy = &isolated->proxies[isolated->proxy_count++];
    *proxy = (RoleProxy){.isolated = isolated, .actor = actor, .fault = {.kind = CHX_FAULT_NONE}};
    actor->proxy = proxy;
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
    shm->side = &parent_side;
    shm->owner = isolated;
    shm->number = (uint32_t)number;
    shm->spin_budget_ns = isolated->isolation->spin_budget_ns;
    // The end that is here; if neither is, nobody sends or receives here.
    const Actor *here = channel->consumer->proxy == NULL ? channel->consumer : channel->producer;
    shm_channel_init(channel, shm, here->role);
    return true;
}

static void save_arguments(void *closure)
{
    RoleProxy *proxy = closure;
    // As in actor_begin: a codec that crashes here crashes in the caller's hands.
    current()->busy++;
    snapshot_save(proxy->actor, NULL, &proxy->begin);
}

// The arguments lie in the actor's first frame: they go to the process. False: no memory, or a codec that fails.
static bool proxy_take_arguments(RoleProxy *proxy)
{
    // Nobody has returned from anything.
    uint32_t observed = proxy->actor->self.observed;
    proxy->actor->self.observed = 0;
    Guard guard;
    if (!guard_run(&guard, proxy->actor, save_arguments, proxy))
        proxy->begin.failed = true;
    actor_unwind(proxy->actor);
    proxy->actor->self.observed = observed;
    return !proxy->begin.failed;
}

// False: no memory.
static bool proxy_take_sandbox(RoleProxy *proxy, const chx_sandbox *sandbox)
{
    chx_writer writer = {.buffer = &proxy->sandbox};
    if (sandbox == NULL)
        return true;
    proxy->has_filter = sandbox->filter != CHX_FILTER_NONE;
    sandbox_write(&writer, sandbox);
    errno = ENOMEM;
    return !proxy->sandbox.failed;
}

static bool isolated_build(Session *session, const chx_actor *cast)
{
    IsolatedSession *isolated = session->isolated;
    for (unsigned i = 0; i < session->actor_count; i++)
        if (isolation_wants_process(session->runtime, cast, i))
            isolated_add_proxy(isolated, &session->actors[i]);
    for (unsigned i = 0; cast != NULL && i < isolated->proxy_count; i++)
        if (!proxy_take_sandbox(&isolated->proxies[i], cast[isolated->proxies[i].actor->index].sandbox))
            return false;
    if (!isolated_make_files(isolated))
        return false;
    for (size_t i = 0; i < session->channel_count; i++)
        if (!isolated_add_channel(isolated, i))
            return false;
    // What owns memory here is dropped only when all else is there.
    errno = ENOMEM;
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        if (!proxy_take_arguments(&isolated->proxies[i]))
            return false;
    return true;
}

static void refuse_memory(const Session *session, int error)
{
    char why[REPORT_WHY_SIZE];
    snprintf(why, sizeof why, "%s", strerrordesc_np(error));
    if (error == EFBIG)
        snprintf(why, sizeof why, "the limit on sizes of files (ulimit -f) is too low");
    if (error == EMFILE && session->isolated != NULL)
        snprintf(why, sizeof why,
                 "%s: this session needs %zu descriptors for its isolated roles and the channels between them; the "
                 "limit is set by ulimit -n",
                 strerrordesc_np(error), isolated_descriptors(session->isolated));
    report_refuse(CHX_NO_MEMORY, NULL, session->plan->choreography->file,
                  "memory shared with the roles' processes can't be had: %s", why);
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
        const char *refusal = role_refusal(session, i, session->actors[i].self.top, why);
        if (refusal != NULL)
            return report_refuse(CHX_INVALID, choreography->roles[i], choreography->file, "%s: %s",
                                 choreography->roles[i], refusal);
        proxies++;
        const chx_sandbox *sandbox = cast != NULL ? cast[i].sandbox : NULL;
        refusal = sandbox != NULL ? sandbox_refusal(sandbox, why) : NULL;
        if (refusal != NULL)
            return report_refuse(CHX_INVALID, choreography->roles[i], choreography->file, "%s: its sandbox: %s",
                                 choreography->roles[i], refusal);
    }
    Isolation *isolation = isolation_get(session->runtime, choreography->file, &status);
    if (isolation == NULL)
        return status;
    errno = ENOMEM;
    if (isolated_new(session, isolation, proxies) == NULL || !isolated_build(session, cast)) {
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
    Actor *first = NULL, *last = NULL; // of the roles that are not isolated, chained
    unsigned count = 0;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        if (actor->proxy != NULL)
            continue;
        if (last == NULL)
            first = actor;
        else
            last->next_queued = actor;
        last = actor;
        count++;
    }
    // What was printed before the roles began is out before they print.
    fflush(stdout);
    isolation_add(isolated);
    isolated_block_lock(isolated);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        proxy_spawn(&isolated->proxies[i]);
    // Whatever could not be started, the supervisor thread sees. After the lock is released the session may be over.
    isolated_attend(isolated);
    blocks_unlock_outside(session);
    if (count > 0)
        scheduler_start(scheduler, first, last, count);
}

void isolation_stop(Session *session)
{
    isolated_attend(session->isolated);
}

void isolation_release(Session *session)
{
    IsolatedSession *isolated = session->isolated;
    chx_runtime *runtime = session->runtime;
    for (unsigned i = 0; i < isolated->proxy_count; i++) {
        RoleProxy *proxy = &isolated->proxies[i];
        chx_buffer_free(&proxy->message);
        chx_buffer_free(&proxy->begin);
        chx_buffer_free(&proxy->sandbox);
    }
    for (size_t i = 0; isolated->shm != NULL && i < session->channel_count; i++) {
        isolated_unmap_ring(&isolated->shm[i].ring);
    }
    isolated_release_files(isolated);
    isolated_give_back_timers(isolated);
    if (isolated->proxies != NULL)
        runtime_release(runtime, isolated->proxies);
    if (isolated->shm != NULL)
        runtime_release(runtime, isolated->shm);
    isolation_give_back(isolated->isolation);
    runtime_release(runtime, isolated);
    session->isolated = NULL;
}
