// top.c: the list of sessions, and what is said about them.
//
// The list's lock keeps its sessions from being taken apart. Under it only atomic members of a session are read, and what never changes. Where a role
// waits is in plain members of its actor, which belong to whoever has the actor in hand. So for a moment an actor that waits
// is taken in hand: as an actor that is about to wait, it is marked with WAITS_PREPARING, and whoever wakes it meanwhile
// leaves it to the one who has marked it. That needs the scheduler quiesced, since workers end waits of their own actors without
// an exchange, and the blocks locked, since whoever decides about blocks looks at actors that wait.

#define _GNU_SOURCE
#include "runtime/session/top.h"

#include "runtime/actor/again.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/actor/observe.h"
#include "runtime/arms/arms.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WALK_SESSIONS = 1 << 16, // looked at for one answer,
    WALK_CHANNELS = 1 << 20, // and so many channels
    LOCK_TRIES = 200,
};

// A session in the list, the oldest first.
typedef struct Listed Listed;
struct Listed {
    Listed *next, **link;
    Session *session;
    uint64_t begun_ns;
    uint64_t moved_ns, messages; // when it was last seen to have sent something, and how much it had sent then
};

static struct {
    pthread_mutex_t lock;
    Listed *first, **end;
    uint64_t begun, ended;       // sessions so far
    uint64_t messages, restarts; // of those that have ended
} list = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = &list.first};

void top_know(chx_runtime *runtime)
{
    const char *asked = secure_getenv("CHOREX_TOP");
    if (asked != NULL && asked[0] != '\0' && strcmp(asked, "0") != 0 && !runtime->platform->is_simulated)
        atomic_fetch_or(&runtime->observed, OBSERVED_TOP);
}

void top_forget(void)
{
    pthread_mutex_init(&list.lock, NULL);
    list.first = NULL;
    list.end = &list.first;
    list.begun = list.ended = list.messages = list.restarts = 0;
}

// Messages that its roles have sent to each other in this process.
static uint64_t session_messages(Session *session)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < session->channel_count; i++)
        if (session_is_ready(session, i))
            sum += atomic_load_explicit(&session->channels[i].head.sent, memory_order_relaxed);
    return sum;
}

void top_add(Session *session)
{
    chx_runtime *runtime = session->runtime;
    top_serve(runtime);
    Listed *listed = runtime_allocate(runtime, sizeof *listed);
    if (listed == NULL)
        return;
    uint64_t now_ns = runtime->platform->now_ns();
    *listed = (Listed){.session = session, .begun_ns = now_ns, .moved_ns = now_ns};
    session->listed = listed;
    pthread_mutex_lock(&list.lock);
    listed->link = list.end;
    *list.end = listed;
    list.end = &listed->next;
    list.begun++;
    pthread_mutex_unlock(&list.lock);
}

void top_remove(Session *session)
{
    Listed *listed = session->listed;
    if (listed == NULL)
        return;
    pthread_mutex_lock(&list.lock);
    *listed->link = listed->next;
    *(listed->next != NULL ? &listed->next->link : &list.end) = listed->link;
    list.ended++;
    list.messages += session_messages(session);
    list.restarts += atomic_load(&session->restarts);
    pthread_mutex_unlock(&list.lock);
    session->listed = NULL;
    runtime_release(session->runtime, listed);
}

// ---- where a role is ----

typedef struct {
    const char *what; // "waits", "runs", "ended", "process", "elsewhere"
    char why[96];     // waits: for what
    const char *function, *file;
    uint32_t line; // 0: not known
} Place;

static void describe_again(const Again *again, uint64_t now_ns, char *why, size_t size)
{
    if (again->kind == AGAIN_WHEN)
        snprintf(why, size, "descriptor %d", again->number);
    else if (again->kind == AGAIN_AFTER)
        snprintf(why, size, "a time, in %.1f s", again->due_ns > now_ns ? (double)(again->due_ns - now_ns) / 1e9 : 0.0);
    else
        snprintf(why, size, "the end of another session");
}

// The actor is in hand.
static void describe_wait(const Actor *actor, uint64_t now_ns, char *why, size_t size)
{
    uintptr_t wants = actor->self.wants;
    const void *what = (const void *)(wants & ~WANTS_TAGS);
    const Channel *channel = what;
    const Par *par = actor->arms != NULL ? actor->arms->par : NULL;
    if ((wants & WANTS_TAGS) == WANTS_EVENT)
        describe_again(what, now_ns, why, size);
    else if ((wants & WANTS_BLOCK) == 0 && (wants & WANTS_ROOM) != 0)
        snprintf(why, size, "room to send to %s", channel->consumer->role->role);
    else if ((wants & WANTS_BLOCK) == 0)
        snprintf(why, size, "a message from %s", channel->producer->role->role);
    else if (what == actor->session->durable)
        snprintf(why, size, "the store");
    else if (par != NULL && what == par->gate)
        snprintf(why, size, "its arms");
    else if (steps_is_never(what))
        snprintf(why, size, "the end of the session");
    else
        snprintf(why, size, actor->away != NULL ? "the home of the session" : "the other roles of a block");
}

static void describe_place(const Actor *actor, Place *place)
{
    const chx_frame *frame = actor->self.top;
    if (frame == NULL)
        return;
    const chx_function *function = frame->function;
    place->function = function->name;
    place->file = function->file != NULL ? function->file : actor->role->file;
    if (function->lines != NULL && frame->at != 0 && frame->at <= function->label_count)
        place->line = function->lines[frame->at - 1];
}

// The scheduler is quiesced, and the blocks are locked.
static void look_at_waiting(Actor *actor, uintptr_t waits, uint64_t now_ns, Place *place)
{
    uintptr_t marked = waits | WAITS_PREPARING;
    if (waits == 0 || waits == marked || !atomic_compare_exchange_strong(&actor->waits, &waits, marked))
        return;
    place->what = "waits";
    describe_wait(actor, now_ns, place->why, sizeof place->why);
    describe_place(actor, place);
    if (atomic_compare_exchange_strong(&actor->waits, &marked, marked & ~WAITS_PREPARING))
        return;
    // It was woken meanwhile, and is still in hand. Only the worker that has its session to itself, if there is one, may run it.
    session_unpin(actor->session);
    scheduler_ready(&actor->session->runtime->scheduler, actor);
}

static void look_at(Session *session, unsigned role, uint64_t now_ns, Place *place)
{
    Actor *actor = &session->actors[role];
    *place = (Place){.what = "runs"};
    if (actor->proxy != NULL)
        place->what = "process";
    else if (session->parts != NULL && session->plan->roles[role].entry == NULL)
        place->what = "elsewhere";
    else if (atomic_load(&actor->has_left))
        place->what = "ended";
    else
        look_at_waiting(actor, atomic_load(&actor->waits), now_ns, place);
}

// The first roles of the session. False: its blocks are being decided about all the time.
static bool look_at_roles(Session *session, uint64_t now_ns, Place *places, unsigned count)
{
    const Platform *platform = session->runtime->platform;
    Current *here = current();
    int tries = 0;
    here->busy++;
    while (pthread_mutex_trylock(session->block_lock.used) != 0) {
        if (++tries == LOCK_TRIES) {
            here->busy--;
            return false;
        }
        platform->yield();
    }
    scheduler_quiesce(&session->runtime->scheduler);
    for (unsigned i = 0; i < count; i++)
        look_at(session, i, now_ns, &places[i]);
    scheduler_resume(&session->runtime->scheduler);
    pthread_mutex_unlock(session->block_lock.used);
    here->busy--;
    return true;
}

// ---- the answer: lines of fields, with tabs in between ----

typedef struct {
    char *bytes;
    size_t used;
    bool is_full;
} Answer;

static void put(Answer *answer, const char *format, ...) CHX_PRINTF(2, 3);
static void put(Answer *answer, const char *format, ...)
{
    enum { LAST_LINE = 64 }; // for the last line there is always room
    size_t left = TOP_ANSWER_BYTES - LAST_LINE - answer->used;
    va_list arguments;
    va_start(arguments, format);
    int size = answer->is_full ? 0 : vsnprintf(answer->bytes + answer->used, left, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= left)
        answer->is_full = true;
    else
        answer->used += (size_t)size;
}

// Names of files may have anything in them.
static const char *put_clean(const char *text, char clean[256])
{
    snprintf(clean, 256, "%s", text != NULL && text[0] != '\0' ? text : "-");
    for (char *at = clean; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?';
    return clean;
}

static void put_role(Answer *answer, const char *name, const Place *place)
{
    char role[256], function[256], file[256], why[256];
    put(answer, "role\t%s\t%s\t%s\t%s\t%s\t%" PRIu32 "\n", put_clean(name, role), place->what,
        put_clean(place->why, why), put_clean(place->function, function), put_clean(place->file, file), place->line);
}

static void put_session(Answer *answer, const Listed *listed, uint64_t now_ns)
{
    static Place places[TOP_ROLES_MAX]; // the list is locked
    Session *session = listed->session;
    size_t before = answer->used;
    char choreography[256], definition[256];
    unsigned count = session->actor_count < TOP_ROLES_MAX ? session->actor_count : TOP_ROLES_MAX;
    bool is_seen = look_at_roles(session, now_ns, places, count);
    put(answer, "session\t%016" PRIx64 "\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%s\n",
        session->token[0], put_clean(session->plan->choreography->name, choreography),
        put_clean(session->definition->name, definition), now_ns - listed->begun_ns, now_ns - listed->moved_ns,
        listed->messages, atomic_load(&session->restarts), session->actor_count,
        session_is_stopping(session) ? "stops"
        : is_seen                    ? "runs"
                                     : "busy");
    for (unsigned i = 0; is_seen && i < count; i++)
        put_role(answer, session->actors[i].role->role, &places[i]);
    // All of it or nothing.
    if (answer->is_full)
        answer->used = before;
}

typedef struct {
    uint64_t now_ns, looked_at, messages, restarts;
    Listed *chosen[TOP_SESSIONS_MAX]; // those that have sent nothing for the longest time, the first of all first
    unsigned count, wanted;
} Walk;

static void walk_choose(Walk *walk, Listed *listed)
{
    unsigned at = walk->count;
    while (at > 0 && walk->chosen[at - 1]->moved_ns > listed->moved_ns)
        at--;
    if (at == walk->wanted)
        return;
    if (walk->count < walk->wanted)
        walk->count++;
    for (unsigned i = walk->count - 1; i > at; i--)
        walk->chosen[i] = walk->chosen[i - 1];
    walk->chosen[at] = listed;
}

// The list is locked.
static void walk_all(Walk *walk)
{
    size_t channels = 0;
    for (Listed *listed = list.first; listed != NULL; listed = listed->next) {
        Session *session = listed->session;
        channels += session->channel_count;
        if (walk->looked_at == WALK_SESSIONS || channels > WALK_CHANNELS)
            break;
        walk->looked_at++;
        uint64_t messages = session_messages(session);
        if (messages != listed->messages)
            listed->moved_ns = walk->now_ns;
        listed->messages = messages;
        walk->messages += messages;
        walk->restarts += atomic_load(&session->restarts);
        walk_choose(walk, listed);
    }
}

size_t top_describe(char bytes[TOP_ANSWER_BYTES], unsigned sessions_max)
{
    Answer answer = {.bytes = bytes};
    Walk walk = {.wanted = sessions_max < TOP_SESSIONS_MAX ? sessions_max : TOP_SESSIONS_MAX};
    walk.now_ns = platform_posix.now_ns();
    pthread_mutex_lock(&list.lock);
    walk_all(&walk);
    uint64_t there = list.begun - list.ended;
    put(&answer, "chorex-top\t%d\n", TOP_VERSION);
    put(&answer, "process\t%ld\t%s\n", (long)getpid(), program_invocation_short_name);
    put(&answer, "totals\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
        walk.now_ns, there, walk.looked_at, list.begun, list.ended, list.messages + walk.messages,
        list.restarts + walk.restarts);
    for (unsigned i = 0; i < walk.count && !answer.is_full; i++)
        put_session(&answer, walk.chosen[i], walk.now_ns);
    pthread_mutex_unlock(&list.lock);
    answer.used += (size_t)sprintf(answer.bytes + answer.used, "end\n");
    return answer.used;
}
