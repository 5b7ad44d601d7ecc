// session.c: start, end, wait, cancel.

#define _GNU_SOURCE
#include "runtime/session/session.h"

#include "base/check.h"
#include "runtime/actor/again.h"
#include "runtime/arms/arms.h"
#include "runtime/channel/channel.h"
#include "runtime/durable/durable.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/recovery/effects.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/isolation/isolation.h"
#include "runtime/remote/remote.h"
#include "runtime/session/lingering.h"
#include "runtime/session/log.h"
#include "runtime/session/spread.h"
#include "runtime/session/top.h"
#include "runtime/actor/observe.h"
#include "runtime/session/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    FINISH_SPIN_ROUNDS = 2000,
    HELP_AGAIN_NS = 50000000, // a thread that waits in a role's function looks whether it can help
    DEPTH_UNCHECKED = 16,     // so many sessions inside of one another fit on any stack
};

static uint64_t token_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void session_make_token(Session *session)
{
    chx_runtime *runtime = session->runtime;
    uint64_t number = atomic_fetch_add_explicit(&runtime->session_counter, 1, memory_order_relaxed);
    session->token[0] = token_mix(runtime->key[0] + number * 0x9e3779b97f4a7c15u);
    session->token[1] = token_mix(runtime->key[1] ^ session->token[0]);
}

void *session_result(Session *session, unsigned role)
{
    const chx_result_slot *slot = session->plan->roles[role].result;
    return slot != NULL ? session->results + slot->offset : NULL;
}

// ---- making ----

// Who wants to know of it, and of its steps.
static CHX_COLD __attribute__((noinline)) void session_observe(Session *session)
{
    const Platform *platform = session->runtime->platform;
    session->is_to_be_listed = (session->observed & OBSERVED_TOP) != 0;
    session->observed &= ~(uint32_t)OBSERVED_TOP;
    if (platform->observed != NULL)
        session->observed = platform->observed(session->observed, &session->is_fast);
}

// Somebody wants to know that a session begins or ends.
static inline bool session_is_announced(const Session *session)
{
    return CHX_UNLIKELY(session->is_to_be_listed || session->runtime->log_level == CHX_LOG_DEBUG);
}

static CHX_COLD __attribute__((noinline)) void session_announce(Session *session)
{
    const Plan *plan = session->plan;
    if (session->is_to_be_listed)
        top_add(session);
    log_write(session->runtime, CHX_LOG_DEBUG, "%s: session %016llx of %s starts", plan->choreography->name,
              (unsigned long long)session->token[0], plan->definition->name);
}

static CHX_COLD __attribute__((noinline)) void session_announce_end(Session *session)
{
    top_remove(session);
    log_write(session->runtime, CHX_LOG_DEBUG, "%s: session %016llx ends", session->plan->choreography->name,
              (unsigned long long)session->token[0]);
}

// Zero but for what all sessions have. NULL: no memory; the thread's report says so.
static Session *session_allocate(chx_runtime *runtime, const chx_choreography *choreography, size_t size)
{
    void *memory = runtime_allocate(runtime, size + CACHE_LINE - 1);
    if (memory == NULL) {
        report_refuse(CHX_NO_MEMORY, NULL, choreography->file, "out of memory");
        return NULL;
    }
    Session *session = (Session *)(((uintptr_t)memory + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    memset(session, 0, offsetof(Session, report));
    session->runtime = runtime;
    session->root = session;
    session->memory = memory;
    session->ending.fd = NO_DESCRIPTOR;
    session->ending.lock = session->block_lock.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    session->block_lock.used = &session->block_lock.mutex;
    report_clear(&session->report);
    session->float_control = float_control();
    session_make_token(session);
    session->observed = atomic_load_explicit(&runtime->observed, memory_order_relaxed);
    if (CHX_UNLIKELY(session->observed != 0))
        session_observe(session);
    atomic_fetch_add_explicit(&runtime->session_count, 1, memory_order_relaxed);
    return session;
}

static CHX_COLD __attribute__((noinline)) void session_number_members(Session *session)
{
    for (unsigned i = 0; i < session->actor_count; i++)
        session->actors[i].self.member = session->actors[i].role->spread->member;
}

static void session_init_actors(Session *session, const chx_actor *cast)
{
    static const chx_actor uncast;
    const Plan *plan = session->plan;
    unsigned char *base = (unsigned char *)session;
    Channel **ins = (Channel **)(void *)(base + plan->ins);
    const struct chx_text **pools = (const struct chx_text **)(void *)(base + plan->pools);
    chx_count *counts = (chx_count *)(void *)(base + plan->counts);
    memset(session->actors, 0, session->actor_count * sizeof *session->actors);
    memset(counts, 0, plan->count_count * sizeof *counts);
    for (unsigned i = 0; i < session->actor_count; i++) {
        const PlanRole *role = &plan->roles[i];
        Actor *actor = &session->actors[i];
        const chx_actor *given = cast != NULL ? &cast[i] : &uncast;
        actor->session = session;
        actor->role = role->role;
        actor->context = given->context;
        actor->restarts.max = given->restarts_max;
        actor->restarts.period_ms = given->restarts_period_ms;
        actor->index = i;
        actor->self.observed = session->observed;
        actor->out = session->channels + role->out_first;
        actor->in = ins + role->in_first;
        actor->self.out = (unsigned char *)actor->out;
        actor->self.in = (chx_channel *const *)actor->in;
        actor->self.generation = &session->generation;
        actor->pool = pools + (size_t)i * POOL_FIRST;
        actor->pool_capacity = POOL_FIRST;
        actor->self.counts = counts + role->count_first;
        stack_init(actor, (Chunk *)(void *)(base + plan->stacks + i * (sizeof(Chunk) + STACK_FIRST_BYTES)),
                   STACK_FIRST_BYTES);
        actor->next_queued = actor + 1;
    }
    if (CHX_UNLIKELY(plan->choreography->spread != NULL))
        session_number_members(session);
}

CHX_INLINE void session_init_channel(Session *session, const chx_runtime_options *options, const PlanChannel *wire,
                                     Channel *channel, size_t number)
{
    Actor *consumer = &session->actors[wire->to];
    uint32_t token = (uint32_t)session->token[0] ^ (uint32_t)number;
    *channel = (Channel){.head = {.sending.check = token, .taking.check = token},
                         .runtime = session->runtime,
                         .producer = &session->actors[wire->from],
                         .consumer = consumer,
                         .role = consumer->role,
                         .is_fast = session->observed == 0 || session->is_fast,
                         .message_limit = options->channel_messages,
                         .byte_limit = options->channel_bytes};
    memory_channel_init(channel);
}

void session_make_ready(Session *session, size_t number)
{
    enum { NOT_READY, IS_MADE, READY };
    uint8_t state = NOT_READY;
    if (atomic_compare_exchange_strong(&session->is_ready[number], &state, IS_MADE)) {
        session_init_channel(session, &session->runtime->options, &session->plan->channel_table[number],
                             &session->channels[number], number);
        atomic_store_explicit(&session->is_ready[number], READY, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&session->is_ready[number], memory_order_acquire) != READY)
        session->runtime->platform->relax();
}

// Whether channels between members of families are made ready later. Whoever observes the session or shares its channels with
// processes looks at all of them.
static CHX_COLD __attribute__((noinline)) bool session_is_sparse(const Session *session, const chx_actor *cast)
{
    const chx_runtime *runtime = session->runtime;
    if (session->observed != 0 || runtime->platform->channel != NULL)
        return false;
    for (unsigned i = 0; i < session->actor_count; i++)
        if (isolation_wants_process(runtime, cast, i))
            return false;
    return true;
}

static bool is_between_members(const Session *session, size_t number)
{
    const PlanChannel *wire = &session->plan->channel_table[number];
    const chx_choreography *choreography = session->plan->choreography;
    return spread_is_member(choreography, session->actors[wire->from].role) &&
           spread_is_member(choreography, session->actors[wire->to].role);
}

static CHX_COLD __attribute__((noinline)) void session_init_sparse(Session *session, Channel **ins)
{
    const Plan *plan = session->plan;
    for (size_t i = 0; i < plan->channel_count; i++) {
        ins[plan->channel_table[i].in] = &session->channels[i];
        if (!is_between_members(session, i))
            session_make_ready(session, i);
    }
}

static void session_init_channels(Session *session, const chx_actor *cast)
{
    const Plan *plan = session->plan;
    Channel **ins = (Channel **)(void *)((unsigned char *)session + plan->ins);
    if (CHX_UNLIKELY(plan->sparse_count != 0) && session_is_sparse(session, cast))
        session->is_ready = calloc(plan->channel_count, sizeof *session->is_ready);
    if (CHX_UNLIKELY(session->is_ready != NULL)) {
        session_init_sparse(session, ins);
        return;
    }
    const chx_runtime_options *options = &session->runtime->options;
    for (size_t i = 0; i < plan->channel_count; i++) {
        const PlanChannel *wire = &plan->channel_table[i];
        Channel *channel = &session->channels[i];
        session_init_channel(session, options, wire, channel, i);
        ins[wire->in] = channel;
    }
}

static void session_init_checkpoints(Session *session)
{
    const Plan *plan = session->plan;
    unsigned char *room = plan->checkpoints != 0 ? (unsigned char *)session + plan->checkpoints : NULL;
    recovery_init(&session->recovery, &recovery_effects, session->runtime, &session->actors[0].member, sizeof(Actor),
                  room);
    for (unsigned i = 0; room != NULL && i < session->actor_count; i++)
        savepoints_init(&session->actors[i], room + BLOCK_ROOM_BYTES + i * (size_t)SAVEPOINT_ROOM_BYTES);
}

// Of such a session only the channels that were used are closed.
static CHX_COLD __attribute__((noinline)) void session_close_sparse(Session *session)
{
    for (size_t i = 0; i < session->channel_count; i++)
        if (session_is_ready(session, i))
            session->channels[i].ops->close(&session->channels[i]);
    session->channel_count = 0;
    free(session->is_ready);
    session->is_ready = NULL;
}

// Frees what the session's parts hold besides its own memory.
static void session_fini_parts(Session *session)
{
    if (CHX_UNLIKELY(session->is_ready != NULL))
        session_close_sparse(session);
    for (size_t i = 0; i < session->channel_count; i++) {
        Channel *channel = &session->channels[i];
        channel->ops->close(channel);
    }
    recovery_fini(&session->recovery);
    if (session->isolated != NULL)
        isolation_release(session);
    if (session->parts != NULL)
        parts_left(session);
    for (unsigned i = 0; i < session->actor_count; i++)
        actor_fini(&session->actors[i]);
}

static void session_free(Session *session)
{
    chx_runtime *runtime = session->runtime;
    if (CHX_UNLIKELY(atomic_load_explicit(&session->arm_table, memory_order_relaxed) != NULL))
        arms_free(session);
    if (session->ending.fd.number >= 0)
        descriptor_close(&session->ending.fd);
    pthread_mutex_destroy(&session->ending.lock);
    pthread_mutex_destroy(&session->block_lock.mutex);
    if (session->parts != NULL)
        parts_free(runtime, session->parts);
    if (session->durable != NULL)
        durable_free(session->durable);
    runtime_release(runtime, session->memory);
    atomic_fetch_sub(&runtime->session_count, 1);
}

void session_discard(Session *session)
{
    top_remove(session);
    for (unsigned i = 0; i < session->actor_count; i++)
        actor_unwind(&session->actors[i]);
    session_fini_parts(session);
    session_free(session);
}

// Some roles may be isolated. On failure the thread's report says why.
static chx_status session_isolate(Session *session, const chx_actor *cast)
{
    const chx_runtime *runtime = session->runtime;
    for (unsigned i = 0; (cast != NULL || runtime->isolation_wish == ISOLATION_ALL) && i < session->actor_count; i++)
        if (isolation_wants_process(runtime, cast, i))
            return isolation_prepare(session, cast);
    return CHX_OK;
}

// Those in memory.
static void session_simulate_channels(Session *session)
{
    const Platform *platform = session->runtime->platform;
    for (size_t i = 0; platform->channel != NULL && i < session->channel_count; i++)
        if (session->channels[i].ops == &memory_channel_ops)
            platform->channel(&session->channels[i]);
}

typedef struct {
    Session *session;
    const void *arguments;
} Beginning;

// What a store has of each.
static CHX_COLD __attribute__((noinline)) void session_load_actors(Session *session, Current *here)
{
    for (unsigned i = 0; i < session->actor_count; i++) {
        here->actor = &session->actors[i];
        durable_load(session, here->actor);
    }
}

// The first frame of each, with the arguments.
static void session_begin_actors(void *closure)
{
    const Beginning *beginning = closure;
    Session *session = beginning->session;
    Current *here = current();
    // A bad pointer among the arguments is the caller's crash, not the role's.
    here->busy++;
    if (CHX_UNLIKELY(session->durable != NULL) && session->durable->from != NULL) {
        session_load_actors(session, here);
        return;
    }
    for (unsigned i = 0; i < session->actor_count; i++) {
        here->actor = &session->actors[i];
        if (session->plan->roles[i].entry != NULL) // else it is not here
            actor_begin(here->actor, session->plan->roles[i].entry, beginning->arguments);
    }
    if (CHX_UNLIKELY(session->durable != NULL))
        durable_take_arguments(session);
}

static void session_begin_exits(void *argument)
{
    (void)argument;
    log_misuse("pthread_exit in a function of a codec while a session was being started");
}

// Gives its roles their arguments. On failure the thread's report says why.
static chx_status session_begin(Session *session, const chx_actor *cast, const void *arguments)
{
    const chx_choreography *choreography = session->plan->choreography;
    chx_status status;
    Guard guard;
    pthread_cleanup_push(session_begin_exits, NULL);
    if (guard_run(&guard, session->actors, session_begin_actors, &(Beginning){session, arguments})) {
        status = session->parts == NULL ? session_isolate(session, cast) : CHX_OK;
    } else if (session->durable != NULL && session->durable->refused != CHX_OK) {
        status = session->durable->refused;
    } else {
        report_fault(report_last(), guard.actor->role->role, &guard.fault, choreography->file, 0, 0);
        status = guard.fault.kind == CHX_FAULT_SYSTEM ? CHX_NO_MEMORY : CHX_FAILED;
    }
    pthread_cleanup_pop(0);
    return status;
}

chx_status session_make(chx_runtime *runtime, const Plan *plan, const chx_actor *cast, const void *arguments,
                        const SessionKind *kind, Session **made)
{
    const chx_choreography *choreography = plan->choreography;
    struct Parts *parts = kind != NULL ? kind->parts : NULL;
    Session *session = session_allocate(runtime, choreography, plan->size);
    if (session == NULL) {
        if (parts != NULL)
            parts_free(runtime, parts);
        if (kind != NULL && kind->durable != NULL)
            durable_free(kind->durable);
        return CHX_NO_MEMORY;
    }
    if (kind != NULL && kind->durable != NULL) {
        session->durable = kind->durable;
        durable_attach(session);
    }
    unsigned char *base = (unsigned char *)session;
    session->plan = plan;
    session->definition = plan->definition;
    session->actors = (Actor *)(void *)(base + plan->actors);
    session->actor_count = plan->role_count;
    session->channels = (Channel *)(void *)(base + plan->channels);
    session->channel_count = plan->channel_count;
    session->results = base + plan->results;
    memset(session->results, 0, plan->definition->result_size);
    atomic_init(&session->ending.live, parts != NULL ? (uint32_t)parts_count(parts) + 1 : plan->role_count);
    session_init_actors(session, cast);
    session_init_channels(session, cast);
    session_init_checkpoints(session);
    if (parts != NULL)
        parts_attach(session, parts);
    if ((session->observed & OBSERVED_TRACE) != 0)
        trace_session_start(session);
    chx_status status = session_begin(session, cast, arguments);
    if (status != CHX_OK) {
        session_discard(session);
        return status;
    }
    session_simulate_channels(session);
    if (session_is_announced(session))
        session_announce(session);
    *made = session;
    return CHX_OK;
}

// With families of roles, all of whose members are cast.
static CHX_COLD __attribute__((noinline)) chx_status session_new_spread(chx_runtime *runtime,
                                                                        const chx_choreography *choreography,
                                                                        size_t definition, const chx_actor *cast,
                                                                        const void *arguments, Session **made)
{
    const Plan *plan;
    chx_actor *flat = NULL;
    chx_status status = spread_cast(choreography, cast, &choreography, &flat);
    if (status == CHX_OK)
        status = plan_get(runtime, choreography, definition, flat, &plan);
    if (status == CHX_OK)
        status = session_make(runtime, plan, flat, arguments, NULL, made);
    free(flat);
    return status;
}

// The same for all roles. On failure the thread's report says why.
CHX_INLINE chx_status session_new(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                                  const chx_actor *cast, const void *arguments, Session **made)
{
    const Plan *plan;
    // A role may fail inside of malloc: the memory of the report that says so must be there before.
    report_last();
    if (CHX_UNLIKELY(choreography->places != NULL))
        return session_new_spread(runtime, choreography, definition, cast, arguments, made);
    chx_status status = plan_get(runtime, choreography, definition, cast, &plan);
    return status == CHX_OK ? session_make(runtime, plan, cast, arguments, NULL, made) : status;
}

Session *session_new_ended(chx_runtime *runtime, const chx_choreography *choreography, const chx_definition *definition,
                           chx_status status, const void *values)
{
    size_t results = (sizeof(Session) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    Session *session = session_allocate(runtime, choreography, results + definition->result_size);
    if (session == NULL)
        return NULL;
    session->definition = definition;
    session->ended_places = choreography->places;
    session->results = (unsigned char *)session + results;
    memset(session->results, 0, definition->result_size);
    if (status == CHX_OK && values != NULL)
        memcpy(session->results, values, definition->result_size);
    atomic_init(&session->ending.status, (int)status);
    report_copy(&session->report, report_last());
    atomic_init(&session->ending.state, SESSION_DONE);
    return session;
}

// ---- ending ----

void session_fail(Session *session, chx_status status, const char *role, const Fault *fault, const char *file, int line)
{
    if (session->arm != NULL) {
        arms_fail(session, fault);
        return;
    }
    pthread_mutex_lock(&session->ending.lock);
    bool is_first = atomic_load(&session->ending.status) == CHX_OK;
    if (is_first) {
        report_fault(&session->report, role, fault, file, line, session->restarts);
        atomic_store(&session->ending.status, (int)status);
    }
    pthread_mutex_unlock(&session->ending.lock);
    if (!is_first)
        return;
    log_write_at(session->runtime, CHX_LOG_INFO, file, line, "%s %s: %s", role[0] != '\0' ? role : "the session",
                 role[0] != '\0' ? "failed" : "is stopped", fault->why);
    atomic_store(&session->ending.stopping, true);
    // Whoever compares generations under the block lock looks first whether the session is stopping.
    atomic_fetch_add(&session->generation, ROLLBACKS_REMEMBERED + 1);
    // Those that run see it before they wait; those that wait are woken to leave.
    scheduler_quiesce(&session->runtime->scheduler);
    session_unpin(session);
    bool is_kept = false;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        again_recall(actor);
        if (actor_wake(actor, NULL))
            scheduler_ready(&session->runtime->scheduler, actor);
        else
            is_kept |= actor->proxy == NULL && !atomic_load(&actor->has_left);
    }
    scheduler_resume(&session->runtime->scheduler);
    if (session->isolated != NULL)
        isolated_attend(session->isolated);
    if (session->parts != NULL)
        parts_stopped(session, status, fault->why);
    if (is_kept)
        lingering_watch(session);
}

void session_unpin(Session *session)
{
    Worker *worker = atomic_load_explicit(&session->worker, memory_order_relaxed);
    if (worker != NULL && !is_broken(BROKEN_SLICES_SURVIVE))
        atomic_store_explicit(&worker->slice_end, 0, memory_order_relaxed);
    atomic_store_explicit(&session->worker, NULL, memory_order_release);
}

void session_moves(Session *session)
{
    BlockLock *lock = &session->block_lock;
    // That it did not last here does not mean that it won't there.
    uint32_t until = atomic_load_explicit(&lock->until_pinned, memory_order_relaxed);
    atomic_store_explicit(&lock->until_pinned, until / 2, memory_order_relaxed);
    atomic_store_explicit(&lock->left, 0, memory_order_relaxed);
    session_unpin(session);
}

void session_fetch(SessionFetch *fetch)
{
    // More at a time are not fetched: so many is a processor waiting for, and it forgets about the others.
    enum { LINES_AT_ONCE = 16 };
    unsigned count = fetch->left < LINES_AT_ONCE ? fetch->left : LINES_AT_ONCE;
    const char *memory = fetch->memory;
    const uint32_t *offsets = fetch->offsets;
#pragma GCC unroll 8
    for (unsigned i = 0; i < count; i++)
        __builtin_prefetch(memory + offsets[i]);
    fetch->offsets += count;
    fetch->left -= count;
}

void session_fetch_begin(const Actor *actor, SessionFetch *fetch)
{
    enum { CONTEXT_LINES = 3 };
    const Session *session = actor->session;
    const char *context = actor->context;
    const char *again = (const char *)atomic_load_explicit(&actor->again, memory_order_relaxed);
    *fetch = (SessionFetch){(const char *)session, session->plan->fetched, session->plan->fetched_count};
    __builtin_prefetch(again);
    __builtin_prefetch(again + CACHE_LINE);
    for (size_t i = 0; i < CONTEXT_LINES && context != NULL; i++)
        __builtin_prefetch(context + i * CACHE_LINE);
    session_fetch(fetch);
}

bool session_pin(Session *session, Worker *worker, const Actor *running)
{
    uint32_t live = atomic_load(&session->ending.live), absent = 0; // absent: at work, queued, or no longer there
    if (live > session->actor_count || session->parts != NULL || session_has_arms(session))
        return false; // somebody else is at it, too
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        uintptr_t waits = atomic_load(&actor->waits);
        if (actor == running)
            continue;
        // A guest goes away while they wait for the outside.
        if (worker->is_guest && again_is_awaited(actor))
            return false;
        if (waits == 0 && absent++ == session->actor_count - live)
            return false;
        if (waits != 0 &&
            ((waits & WAITS_PREPARING) != 0 || atomic_load_explicit(&actor->home, memory_order_relaxed) != worker))
            return false;
    }
    // No other actor will be run: those that wait can only be woken by this one, or by a thread that holds the lock of the blocks,
    // or makes the session stop, and then spreads it.
    if (!owner_section_begin(worker))
        return false;
    bool confines = !session_is_stopping(session);
    if (confines)
        atomic_store_explicit(&session->worker, worker, memory_order_relaxed);
    owner_section_end(worker);
    return confines;
}

// An end of file is read at once. Unlike something written, this can't reach a file of the program's.
static void session_make_readable(const Session *session)
{
    int fd = descriptor_use(&session->ending.fd);
    if (fd >= 0)
        shutdown(fd, SHUT_RD);
}

static void session_drop_results(Session *session)
{
    const chx_definition *definition = session->definition;
    for (size_t i = 0; i < definition->result_count; i++) {
        const chx_result_slot *slot = &definition->results[i];
        if (session->ended_places != NULL && session->ended_places[slot->role].is_family)
            chx_results_drop(slot->type, session->results + slot->offset);
        else
            chx_value_drop(slot->type, session->results + slot->offset);
    }
}

void session_end(Session *session)
{
    if (CHX_UNLIKELY(session->arm != NULL)) {
        arms_end(session);
        return;
    }
    const Platform *platform = session->runtime->platform;
    if (session_is_announced(session))
        session_announce_end(session);
    if ((session->observed & OBSERVED_TRACE) != 0)
        trace_session_end(session, (chx_status)atomic_load(&session->ending.status), session->report.why);
    if (session->ending.lingering != NULL)
        lingering_end(session);
    session_fini_parts(session);
    if (session->durable != NULL)
        durable_ended(session);
    pthread_mutex_lock(&session->ending.lock);
    if (session->ending.fd.number >= 0)
        session_make_readable(session);
    session->ending.is_over = true;
    bool is_awaited = session->ending.awaited_by != NULL;
    pthread_mutex_unlock(&session->ending.lock);
    if (is_awaited)
        again_session_over(session);
    if (atomic_load(&session->ending.is_detached)) {
        session_drop_results(session);
        session_free(session);
        return;
    }
    // The last touch: the caller may free it now. To wake somebody only the address is needed.
    if (atomic_exchange(&session->ending.state, SESSION_DONE) == SESSION_AWAITED)
        platform->wake(&session->ending.state);
}

uint64_t session_fence(const Session *session)
{
    return session->durable != NULL ? session->durable->cut.term << 32 : 0;
}

bool session_join(Session *session)
{
    uint32_t live = atomic_load(&session->ending.live);
    do {
        if (live == 0)
            return false;
    } while (!atomic_compare_exchange_weak(&session->ending.live, &live, live + 1));
    return true;
}

void session_leave(Session *session)
{
    if (atomic_fetch_sub(&session->ending.live, 1) != 1)
        return;
    if (session->durable != NULL)
        durable_end(session);
    else
        session_end(session);
}

static void actor_give_up(void *closure)
{
    checkpoint_abandon(closure);
    actor_unwind(closure);
}

void session_actor_left(Actor *actor, ActorOutcome outcome, Guard *guard)
{
    Session *session = actor->session;
    if (session_has_arms(session)) {
        if (session->arm != NULL) {
            arms_actor_left(actor, outcome, guard);
            return;
        }
        arms_abandon(actor);
    }
    if (actor->again != NULL)
        again_cancel(actor);
    atomic_store(&actor->has_left, true);
    if (outcome == ACTOR_FAILED)
        session_fail(session, CHX_FAILED, actor->role->role, &guard->fault, actor_site_file(actor, guard->fault.site),
                     actor_site_line(actor, guard->fault.site));
    // Variables of a role that has crashed may be damaged: a crash while they are released costs memory, not the program.
    Guard unwinding;
    if (outcome == ACTOR_ENDED)
        actor_flush_credit(actor);
    else if (!guard_run(&unwinding, actor, actor_give_up, actor))
        log_write(session->runtime, CHX_LOG_WARN, "%s's variables could not be released", actor->role->role);
    if (session_has_arms(session))
        arms_role_left(session);
    session_leave(session);
}

// It is ended from outside, not by one of its roles.
static void session_stop(Session *session, chx_status status, const char *why)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM};
    if (!session_join(session))
        return;
    strcpy(fault.why, why);
    session_fail(session, status, "", &fault, session->plan->choreography->file, 0);
    session_leave(session);
}

bool session_fits(const chx_choreography *choreography)
{
    if (current()->depth < DEPTH_UNCHECKED || !isolation_stack_is_short())
        return true;
    report_refuse(CHX_NO_MEMORY, NULL, choreography->file,
                  "the thread's stack is almost used up: %u sessions run on it, each inside of a role's function of "
                  "the one before",
                  current()->depth);
    return false;
}

// A thread that waits inside of a role's function works for the session as long as no other one does: otherwise sessions
// that are nested deep could take up all threads of the pool, each waiting for the next.
static void session_help(Session *session)
{
    if (!session_fits(session->plan->choreography))
        session_stop(session, CHX_NO_MEMORY, report_last()->why);
    while (scheduler_help_session(&session->runtime->scheduler, session))
        ;
}

static void session_sleep(Session *session, bool helps)
{
    const Platform *platform = session->runtime->platform;
    for (int i = 0; i < FINISH_SPIN_ROUNDS; i++) {
        if (atomic_load(&session->ending.state) == SESSION_DONE)
            return;
        platform->relax();
    }
    uint32_t state = SESSION_RUNS;
    if (!atomic_compare_exchange_strong(&session->ending.state, &state, SESSION_AWAITED) && state == SESSION_DONE)
        return;
    while (atomic_load(&session->ending.state) != SESSION_DONE) {
        // A session that the caller's thread has served itself may be the first that needs another one, and there is none.
        helps = helps || !scheduler_has_worker(&session->runtime->scheduler);
        if (helps)
            session_help(session);
        platform->sleep_on(&session->ending.state, SESSION_AWAITED, helps ? HELP_AGAIN_NS : 0);
        if (platform->is_stuck != NULL && platform->is_stuck())
            session_stop(session, CHX_FAILED, "simulation: every role waits, and nothing is on its way");
    }
}

static void session_wait(Session *session, bool helps)
{
    const Platform *platform = session->runtime->platform;
    if (platform->call_begin != NULL)
        platform->call_begin();
    session_sleep(session, helps);
    if (platform->call_end != NULL)
        platform->call_end();
}

// ---- the interface ----

// A thread of the program's that is cancelled while it is in here would leave the session in the middle of something. It is
// cancelled when it is out again. The earlier state.
static int cancel_disable(void)
{
    int earlier = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &earlier);
    return earlier;
}

static chx_runtime *runtime_or_default(chx_runtime *runtime, const chx_choreography *choreography)
{
    if (runtime == NULL)
        runtime = runtime_default();
    if (runtime == NULL)
        report_refuse(CHX_NO_MEMORY, NULL, choreography->file, "out of memory");
    return runtime;
}

bool session_has_workers(chx_runtime *runtime, const chx_choreography *choreography)
{
    bool has_some = scheduler_has_worker(&runtime->scheduler);
    if (!has_some)
        report_refuse(CHX_NO_MEMORY, NULL, choreography->file,
                      "no thread could be started: out of memory, or too many threads");
    return has_some;
}

void session_begin_roles(Session *session)
{
    unsigned count = session->actor_count;
    if (session->isolated == NULL)
        scheduler_start(&session->runtime->scheduler, &session->actors[0], &session->actors[count - 1], count);
    else
        isolation_start(session);
}

// Gives a new session to the pool. On failure the session is gone and the thread's report says why.
static chx_status session_hand_over(Session *session)
{
    if (session->actor_count == 0) {
        session_end(session);
    } else if (!session_has_workers(session->runtime, session->plan->choreography)) {
        session_discard(session);
        return CHX_NO_MEMORY;
    } else {
        session_begin_roles(session);
    }
    return CHX_OK;
}

// Has the definition durable blocks, and is the session not somebody else's? Then it is kept in a store.
CHX_INLINE bool is_durable(const chx_choreography *choreography, size_t definition)
{
    return definition < choreography->definition_count && choreography->definitions[definition].is_durable;
}

chx_session *chx_start(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                       const chx_actor *cast, const void *arguments)
{
    Session *session = NULL;
    Current *here = current();
    int cancel_state = cancel_disable();
    here->busy++;
    runtime = runtime_or_default(runtime, choreography);
    if (CHX_UNLIKELY(part_starter != NULL) && runtime != NULL && choreography->places == NULL &&
        part_starter(runtime, choreography, definition, cast, arguments, &session, &(chx_status){CHX_OK})) {
        here->busy--;
        pthread_setcancelstate(cancel_state, NULL);
        return session;
    }
    if (CHX_UNLIKELY(is_durable(choreography, definition)) && runtime != NULL) {
        durable_open(runtime, choreography, definition, NULL, cast, arguments, &session);
        here->busy--;
        pthread_setcancelstate(cancel_state, NULL);
        return session;
    }
    bool started = runtime != NULL &&
                   session_new(runtime, choreography, definition, cast, arguments, &session) == CHX_OK &&
                   session_hand_over(session) == CHX_OK;
    if (started)
        report_clear(report_last());
    here->busy--;
    pthread_setcancelstate(cancel_state, NULL);
    return started ? session : NULL;
}

// Sessions whose roles are on several hosts are opened by those who play the roles. False: the thread's report says why not.
static bool may_open(const chx_choreography *choreography, size_t definition, const char *name, const chx_actor *cast)
{
    bool is_placed = part_starter != NULL && getenv("CHOREX_ROLES") != NULL, is_cast = false;
    for (size_t i = 0; part_starter != NULL && cast != NULL && i < choreography->role_count; i++)
        is_cast = is_cast || cast[i].at != NULL;
    if (name == NULL || name[0] == '\0')
        report_refuse(CHX_INVALID, NULL, choreography->file, "a session that is opened needs a name");
    else if (choreography->places != NULL)
        report_refuse(CHX_INVALID, NULL, choreography->file,
                      "a session with families of roles can't be opened by name yet");
    else if (is_placed || is_cast)
        report_refuse(CHX_INVALID, NULL, choreography->file,
                      "a session that %s can't be opened by name: let each program play its role by name "
                      "(%s_%s_as_...)",
                      is_cast ? "a cast places on nodes" : "programs with CHOREX_ROLES play", choreography->name,
                      choreography->definitions[definition].name);
    else
        return true;
    return false;
}

chx_session *chx_open(chx_runtime *runtime, const chx_choreography *choreography, size_t definition, const char *name,
                      const chx_actor *cast, const void *arguments)
{
    Session *session = NULL;
    Current *here = current();
    int cancel_state = cancel_disable();
    here->busy++;
    runtime = runtime_or_default(runtime, choreography);
    if (may_open(choreography, definition, name, cast) && runtime != NULL)
        durable_open(runtime, choreography, definition, name, cast, arguments, &session);
    here->busy--;
    pthread_setcancelstate(cancel_state, NULL);
    return session;
}

chx_status session_new_plain(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                             const chx_actor *cast, const void *arguments, Session **session)
{
    chx_status status = session_new(runtime, choreography, definition, cast, arguments, session);
    return status == CHX_OK ? session_hand_over(*session) : status;
}

static bool session_is_spread(const Session *session)
{
    return session->plan != NULL && session->plan->choreography->spread != NULL;
}

// What `results` points to owns nothing unless the session has succeeded.
static chx_status session_finish(Session *session, void *results, bool helps)
{
    Current *here = current();
    here->busy++;
    session_wait(session, helps);
    chx_status status = (chx_status)atomic_load(&session->ending.status);
    report_copy(report_last(), &session->report);
    const chx_definition *definition = session->definition;
    if (status == CHX_OK && results != NULL) {
        if (CHX_UNLIKELY(session_is_spread(session)))
            spread_results(session->plan->choreography, definition, session->results, results);
        else
            memcpy(results, session->results, definition->result_size);
    } else {
        session_drop_results(session);
        if (CHX_UNLIKELY(session_is_spread(session)))
            definition =
                &session->plan->choreography->spread->choreography->definitions[session->plan->definition_index];
        if (results != NULL)
            memset(results, 0, definition->result_size);
    }
    session_free(session);
    here->busy--;
    return status;
}

void session_finish_exiting(Session *session)
{
    session_finish(session, NULL, false);
    // What session_run or session_finish would do, whose frame is about to go.
    current()->busy--;
}

// A caller that has no session has a start behind it that failed, as a rule; what that said is not lost.
static chx_status session_is_missing(void)
{
    char why[REPORT_WHY_SIZE];
    const Report *last = report_last();
    snprintf(why, sizeof why, "%.400s", last->report.kind != CHX_FAULT_NONE ? last->why : "");
    return report_refuse(CHX_INVALID, NULL, NULL, "there is no session to wait for (NULL)%s%s",
                         why[0] != '\0' ? "; before that: " : "", why);
}

chx_status chx_finish(chx_session *session, void *results)
{
    if (session == NULL)
        return session_is_missing();
    int cancel_state = cancel_disable();
    chx_status status = session_finish(session, results, current()->actor != NULL);
    pthread_setcancelstate(cancel_state, NULL);
    return status;
}

static chx_status session_run(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                              const chx_actor *cast, const void *arguments, void *results)
{
    Session *session;
    Current *here = current();
    chx_status status;
    if (CHX_UNLIKELY(part_starter != NULL) && choreography->places == NULL) {
        part_arguments_stay = true;
        bool is_taken = part_starter(runtime, choreography, definition, cast, arguments, &session, &status);
        part_arguments_stay = false;
        if (is_taken)
            return session != NULL ? session_finish(session, results, here->actor != NULL) : status;
    }
    if (CHX_UNLIKELY(is_durable(choreography, definition))) {
        here->busy++;
        status = durable_open(runtime, choreography, definition, NULL, cast, arguments, &session);
        here->busy--;
        return status == CHX_OK ? session_finish(session, results, here->actor != NULL) : status;
    }
    here->busy++;
    status = session_new(runtime, choreography, definition, cast, arguments, &session);
    // The caller's thread has nothing better to do than to work for its own session. Inside of a role's function it has to, lest
    // all threads of the pool wait for sessions that none is left to run.
    if (status == CHX_OK && !scheduler_serve(&runtime->scheduler, session)) {
        if (here->actor == NULL || !scheduler_can_serve(session)) {
            status = session_hand_over(session);
        } else {
            session_discard(session);
            status = report_refuse(
                CHX_NO_MEMORY, NULL, choreography->file,
                "no memory to run a session inside of a role's function, with %u around it on this thread",
                here->depth);
        }
    }
    here->busy--;
    return status == CHX_OK ? session_finish(session, results, here->actor != NULL) : status;
}

chx_status chx_run(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                   const void *arguments, void *results)
{
    int cancel_state = cancel_disable();
    chx_status status = CHX_NO_MEMORY;
    chx_runtime *runtime = runtime_or_default(NULL, choreography);
    if (runtime != NULL && session_fits(choreography)) {
        const Platform *platform = runtime->platform;
        if (platform->call_begin != NULL)
            platform->call_begin();
        status = session_run(runtime, choreography, definition, cast, arguments, results);
        if (platform->call_end != NULL)
            platform->call_end();
    }
    pthread_setcancelstate(cancel_state, NULL);
    if (status != CHX_OK && results != NULL && definition < choreography->definition_count)
        memset(results, 0, choreography->definitions[definition].result_size);
    return status;
}

const chx_report *chx_session_report(const chx_session *handle)
{
    Session *session = (Session *)handle;
    return session != NULL && atomic_load(&session->ending.status) != CHX_OK ? &session->report.report : NULL;
}

bool chx_session_is_over(chx_session *session)
{
    if (session == NULL || atomic_load(&session->ending.state) == SESSION_DONE)
        return true;
    // Its descriptor is readable from the same moment on.
    pthread_mutex_lock(&session->ending.lock);
    bool is_over = session->ending.is_over;
    pthread_mutex_unlock(&session->ending.lock);
    return is_over;
}

int chx_session_fd(chx_session *session)
{
    if (session == NULL)
        return -1;
    // On a simulated machine nothing happens behind the back of a caller who polls: it happens now.
    if (session->runtime->platform->is_simulated)
        session_wait(session, current()->actor != NULL);
    pthread_mutex_lock(&session->ending.lock);
    if (session->ending.fd.number < 0) {
        session->ending.fd = descriptor_keep(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (session->ending.is_over || atomic_load(&session->ending.state) == SESSION_DONE)
            session_make_readable(session);
    }
    int fd = session->ending.fd.number;
    pthread_mutex_unlock(&session->ending.lock);
    return fd;
}

void chx_session_cancel(chx_session *session)
{
    if (session == NULL)
        return;
    int cancel_state = cancel_disable();
    session_stop(session, CHX_CANCELLED, "cancelled");
    pthread_setcancelstate(cancel_state, NULL);
}
