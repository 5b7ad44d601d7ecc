// prepare.c: a session gets its house: shared memory, links, channels that lead to other processes. See parent.h.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "runtime/core/codec.h"
#include "runtime/core/registry.h"
#include "runtime/isolation/chain.h"
#include "runtime/isolation/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

bool isolation_wanted(void)
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

bool isolation_wants_process(const chx_runtime *runtime, const chx_actor *actor)
{
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
    bell_ring(link_bell((producer ? channel->producer : channel->consumer)->link));
}

// The blocks are locked. The other side may have died since, and what it had done been made good.
static bool complaint_holds(const Actor *actor, Channel *channel, const Link *link, Complaint about)
{
    Ring *ring = &channel->linked->ring;
    RingItem item;
    if (about == COMPLAIN_UNEXPECTED)
        return true;
    if (about == COMPLAIN_ENDED)
        return link->state == LINK_LEFT &&
               (channel->producer == actor ? ring_room(ring) : ring_peek(ring, &item)) == RING_EMPTY;
    if (about == COMPLAIN_AHEAD)
        return ring_peek(ring, &item) == RING_ITEM && channel->producer->link != NULL &&
               item.record.of.epoch > channel->head.sending.epoch;
    return (channel->producer == actor ? ring_room(ring) : ring_peek(ring, &item)) == RING_BROKEN;
}

// A role of this process has found something that an isolated one can't have meant.
static void parent_complain(Actor *actor, Channel *channel, Complaint about)
{
    House *house = channel->linked->owner;
    Link *link = channel->producer == actor ? channel->consumer->link : channel->producer->link;
    current()->busy++;
    house_block_lock(house);
    if (complaint_holds(actor, channel, link, about))
        link_blame(link, actor->role->role);
    pthread_mutex_unlock(&house->session->block_lock);
    current()->busy--;
}

static const LinkedSide parent_side = {parent_notify, parent_complain};

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
    const char *unsendable = chain_unsendable(arguments);
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

static House *house_new(Session *session, Isolation *isolation, unsigned links)
{
    chx_runtime *runtime = session->runtime;
    House *house = runtime_allocate(runtime, sizeof *house);
    if (house == NULL)
        return NULL;
    *house = (House){.session = session, .isolation = isolation};
    session->house = house;
    house->links = runtime_allocate(runtime, links * sizeof *house->links);
    house->linked = runtime_allocate(runtime, (session->channel_count + 1) * sizeof *house->linked);
    // Either may be there without the other: isolation_release looks at both.
    if (house->links != NULL)
        memset(house->links, 0, links * sizeof *house->links);
    if (house->linked != NULL)
        memset(house->linked, 0, (session->channel_count + 1) * sizeof *house->linked);
    return house->links != NULL && house->linked != NULL ? house : NULL;
}

static void house_add_link(House *house, Actor *actor)
{
    Link *link = &house->links[house->link_count++];
    *link = (Link){.house = house, .actor = actor, .fault = {.kind = CHX_FAULT_NONE}};
    actor->link = link;
}

// A channel with an isolated role at either end.
static bool house_add_channel(House *house, size_t number)
{
    Channel *channel = &house->session->channels[number];
    const chx_runtime_options *options = &house->session->runtime->options;
    struct Linked *linked = &house->linked[number];
    uint32_t token = channel->head.sending.check;
    SharedPlace place = house->rings[number];
    if (place.file == NULL)
        return true;
    if (!house_map_ring(&linked->ring, &place.file->descriptor, place.at, token))
        return false;
    ring_set_limits(&linked->ring, options->channel_messages, options->channel_bytes);
    linked->side = &parent_side;
    linked->owner = house;
    linked->number = (uint32_t)number;
    linked->patience_ns = house->isolation->patience_ns;
    linked_init(channel, linked);
    return true;
}

// The arguments lie in the actor's first frame: they go to the process. False: no memory, or a codec that fails.
static bool link_take_arguments(Link *link)
{
    // Nobody has returned from anything.
    uint32_t observed = link->actor->self.observed;
    link->actor->self.observed = 0;
    Guard guard;
    guard_enter(&guard, link->actor);
    // As in actor_begin: a codec that crashes here crashes in the caller's hands.
    current()->busy++;
    if (sigsetjmp(guard.jump, 0) == 0) {
        chain_save(link->actor, NULL, &link->begin);
    } else {
        link->begin.failed = true;
        guard_landed(&guard);
    }
    guard_leave(&guard);
    actor_unwind(link->actor);
    link->actor->self.observed = observed;
    return !link->begin.failed;
}

// False: no memory.
static bool link_take_sandbox(Link *link, const chx_sandbox *sandbox)
{
    chx_writer writer = {&link->sandbox};
    if (sandbox == NULL)
        return true;
    link->has_filter = sandbox->filter != CHX_FILTER_NONE;
    sandbox_write(&writer, sandbox);
    errno = ENOMEM;
    return !link->sandbox.failed;
}

static bool house_build(Session *session, const bool *isolated, const chx_actor *cast)
{
    House *house = session->house;
    for (unsigned i = 0; i < session->actor_count; i++)
        if (isolated[i])
            house_add_link(house, &session->actors[i]);
    for (unsigned i = 0; cast != NULL && i < house->link_count; i++)
        if (!link_take_sandbox(&house->links[i], cast[house->links[i].actor->index].sandbox))
            return false;
    if (!house_make_files(house))
        return false;
    for (size_t i = 0; i < session->channel_count; i++)
        if (!house_add_channel(house, i))
            return false;
    // What owns memory here is dropped only when all else is there.
    errno = ENOMEM;
    for (unsigned i = 0; i < house->link_count; i++)
        if (!link_take_arguments(&house->links[i]))
            return false;
    return true;
}

static void house_chain_others(Session *session)
{
    session->first_here = session->last_here = NULL;
    session->here_count = 0;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        if (actor->link != NULL)
            continue;
        if (session->last_here == NULL)
            session->first_here = actor;
        else
            session->last_here->next_queued = actor;
        session->last_here = actor;
        session->here_count++;
    }
}

static void refuse_memory(const Session *session, int error)
{
    char why[REPORT_WHY_SIZE];
    snprintf(why, sizeof why, "%s", strerrordesc_np(error));
    if (error == EFBIG)
        snprintf(why, sizeof why, "the limit on sizes of files (ulimit -f) is too low");
    if (error == EMFILE && session->house != NULL)
        snprintf(why, sizeof why,
                 "%s: this session needs %zu descriptors for its isolated roles and the channels between them; the "
                 "limit is set by ulimit -n",
                 strerrordesc_np(error), house_descriptors(session->house));
    report_refuse(NULL, session->plan->choreography->file, "memory shared with the roles' processes can't be had: %s",
                  why);
}

chx_status isolation_prepare(Session *session, const bool *isolated, const chx_actor *cast)
{
    const chx_choreography *choreography = session->plan->choreography;
    unsigned links = 0;
    char why[REPORT_WHY_SIZE];
    chx_status status;
    for (unsigned i = 0; i < session->actor_count; i++) {
        const char *refusal = isolated[i] ? role_refusal(session, i, session->actors[i].self.top, why) : NULL;
        if (refusal != NULL) {
            report_refuse(choreography->roles[i], choreography->file, "%s: %s", choreography->roles[i], refusal);
            return CHX_INVALID;
        }
        links += isolated[i];
        const chx_sandbox *sandbox = isolated[i] && cast != NULL ? cast[i].sandbox : NULL;
        refusal = sandbox != NULL ? sandbox_refusal(sandbox, why) : NULL;
        if (refusal != NULL) {
            report_refuse(choreography->roles[i], choreography->file, "%s: its sandbox: %s", choreography->roles[i],
                          refusal);
            return CHX_INVALID;
        }
    }
    Isolation *isolation = isolation_get(session->runtime, choreography->file, &status);
    if (isolation == NULL)
        return status;
    errno = ENOMEM;
    if (house_new(session, isolation, links) == NULL || !house_build(session, isolated, cast)) {
        if (session->house == NULL)
            isolation_give_back(isolation);
        refuse_memory(session, errno);
        return CHX_NO_MEMORY;
    }
    house_chain_others(session);
    return CHX_OK;
}

void isolation_start(Session *session)
{
    House *house = session->house;
    Isolation *isolation = house->isolation;
    // What was printed before the roles began is out before they print.
    fflush(stdout);
    isolation_add(house);
    house_block_lock(house);
    for (unsigned i = 0; i < house->link_count; i++)
        link_spawn(&house->links[i]);
    pthread_mutex_unlock(&session->block_lock);
    // Whatever could not be started, the postman sees. The session may be over by now.
    isolation_ring(isolation);
}

void isolation_stop(Session *session)
{
    isolation_ring(session->house->isolation);
}

void isolation_release(Session *session)
{
    House *house = session->house;
    chx_runtime *runtime = session->runtime;
    for (unsigned i = 0; i < house->link_count; i++) {
        Link *link = &house->links[i];
        chx_buffer_free(&link->post);
        chx_buffer_free(&link->begin);
        chx_buffer_free(&link->sandbox);
    }
    for (size_t i = 0; house->linked != NULL && i < session->channel_count; i++) {
        house_unmap_ring(&house->linked[i].ring);
        chx_buffer_free(&house->linked[i].buffer);
        chx_buffer_free(&house->linked[i].value);
    }
    house_release_files(house);
    if (house->links != NULL)
        runtime_release(runtime, house->links);
    if (house->linked != NULL)
        runtime_release(runtime, house->linked);
    isolation_give_back(house->isolation);
    runtime_release(runtime, house);
    session->house = NULL;
}
