// actor.h: a role at work in a session: a stack of frames, channels to its peers, counters. All of it is data.
//
// At any time an actor is in one place: in a run queue, being run by one worker, waiting, or ended. Whoever has it in
// hand (took it from a queue, or won the exchange on `waits`) may touch its plain members; everybody else only the
// atomic ones.

#ifndef RUNTIME_ACTOR_ACTOR_H
#define RUNTIME_ACTOR_ACTOR_H

#include "runtime/channel/channel.h"
#include "runtime/recovery/machine.h"
#include "runtime/sched/pages.h"
#include "runtime/session/report.h"

#include <setjmp.h>
#include <stdarg.h>

enum {
    STACK_FIRST_BYTES = 512,     // frames in the session's own memory
    STACK_LIMIT_BYTES = 1 << 30, // a runaway recursion ends in a report
    TURN_BUDGET = 2048,          // receives and sends until others get their turn
    LONG_SITES = 4,              // remembered
    POOL_FIRST = 4,              // strings made in a step for which there is place in the session's own memory
};

typedef struct chx_session Session;
typedef struct Worker Worker;
typedef struct Savepoint Savepoint; // recovery/savepoint.h
typedef struct Again Again;         // again.h

// How often a role has entered a block.
typedef struct {
    uint32_t site, count; // no site: none yet
} Ordinal;

// The same for all blocks directly under one attempt.
typedef struct {
    Ordinal first;
    uint32_t base; // the others: from here on in actor->savepoints.ordinals
} Ordinals;

typedef chx_effect EffectPath; // which blocks a role is in: effect.h
typedef struct Uncount Uncount;

// When an actor told another one something and began a step.
typedef struct {
    uint64_t at_ns;
    uint64_t turn;  // of its worker
    uint64_t steps; // of its own
    uint32_t site;
} Notified;

// What was wrong, on its way from where it happened to the monitor.
typedef struct Fault {
    chx_fault_kind kind;
    int signal;
    uint32_t site;
    uintptr_t instruction; // that a fatal signal has interrupted; 0: not known
    char why[REPORT_WHY_SIZE];
} Fault;

// The kind of what is no failure: the step is to be begun again, when what actor->again describes has happened.
#define FAULT_AGAIN ((chx_fault_kind)1000)

// Adds what else was wrong to a fault's text. Always false.
bool fault_add(Fault *fault, const char *what);

// Memory of chx_alloc.
typedef struct Allocation Allocation;
struct Allocation {
    Allocation *next;
    _Alignas(16) unsigned char data[];
};

typedef enum {
    ACTOR_WAITS,   // for what self.wants says
    ACTOR_YIELDS,  // could go on; others first
    ACTOR_ENDED,   // in good order
    ACTOR_STOPPED, // the session is being stopped
    ACTOR_FAILED,  // the fault is in the guard
} ActorOutcome;

// `self.wants`: a channel whose next message the actor waits for; with a tag: room in that channel, the end of that block, or
// what that Again describes. 0: nothing, it only lets others have their turn.
#define WANTS_ROOM ((uintptr_t)2)
#define WANTS_BLOCK ((uintptr_t)4)
#define WANTS_EVENT ((uintptr_t)6)
#define WANTS_TAGS ((uintptr_t)7)

// `waits`: 0, or the channel, block or Again waited for. With this bit the actor is about to wait and still in its worker's hand.
#define WAITS_PREPARING ((uintptr_t)1)

// The memory of a role's savepoints: recovery/savepoint.c.
typedef struct {
    Ordinals outermost;   // of blocks that are in no other
    size_t ordinal_count; // so many of these:
    Ordinal *ordinals;    // those that are not the first of their savepoint
    size_t ordinal_capacity;
    Chunk *chunk;
    unsigned char *begin, *next, *end; // in the current chunk; begin: NULL in the first one
    void *room;                        // the first ones of these, in the session's memory; NULL: none
} Savepoints;

// What identifiers of effects are made of: effect.c.
typedef struct {
    size_t uncount_count; // so many of these:
    size_t paths_known;   // of so many savepoints
    Uncount *uncounts;    // what to do when blocks are left
    size_t uncount_capacity;
} EffectCounts;

// How often a role was restarted, and how often it may be: recovery/restart.c.
typedef struct {
    unsigned count, max, period_ms;
    uint64_t *times; // of the last ones: a ring
} Restarts;

struct Actor {
    chx_self self;   // first: projected code knows an actor as this
    uint32_t budget; // sends and receives until others get their turn
    uint32_t hook;   // CHX_SITE_INIT, CHX_SITE_FINI: it is in that one; 0: in none

    // A cache line: all that is needed to wake it and to put it into a queue.
    Session *session;
    const chx_role *role;
    void *context;
    _Atomic(Again *) again; // what it waits for outside; NULL: it has never done so. Set by its own thread
    _Atomic uintptr_t waits;
    _Atomic(Worker *) home; // which runs it, or ran it last
    Actor *next_queued;
    struct Away *away; // its blocks are decided elsewhere

    // A cache line: what most turns need besides.
    Member member;                // the blocks that it is in: recovery/
    Channel *credit_pending;      // messages were taken out of it and its producer has not been told
    const struct chx_text **pool; // made in this step; self.pool_size of them
    size_t pool_capacity;
    unsigned index; // in role order
    bool begun;
    bool is_central;       // runs in a sequential program
    _Atomic bool has_left; // it does nothing more in its session
    bool is_notified;      // it has notified another one since `notified` was weighed

    // A cache line, with the beginning of the savepoints, for the same.
    EffectCounts effects;
    Chunk *chunk;          // in which the newest frame lies
    Savepoints savepoints; // what it goes back to

    Notified notified;               // what the actor began last when it had told another one something
    uint32_t long_sites[LONG_SITES]; // where what it began took long
    Channel *out;                    // array, in the order of role->sends_to
    Channel **in;                    // in the order of role->receives_from
    size_t stack_below;              // bytes of the frames in the chunks before the newest
    Restarts restarts;
    Allocation *allocations;
    struct Proxy *proxy;  // it runs elsewhere, and is never run here: actor/elsewhere.h
    uint64_t traced_ns;   // trace: the step that it is in began then
    uint32_t traced_site; // 0: it is in none
    int central_line;
    struct Arms *arms; // it has arms, or is one: arms/
};
static_assert(sizeof(Actor) % CACHE_LINE == 0 && offsetof(Actor, session) % CACHE_LINE == 0 &&
                  offsetof(Actor, member) % CACHE_LINE == 0,
              "its cache lines hold what is used together");

// Where a failure inside a role's code goes. Guards nest: a role's function may run another session.
typedef struct Guard Guard;
struct Guard {
    sigjmp_buf jump;
    Guard *outer;
    Actor *actor, *outer_actor;
    unsigned outer_busy, outer_unpooled;
    Fault fault;
};

// What this thread is doing.
typedef struct {
    Actor *actor; // whose code runs here; NULL: nobody's
    Guard *guard;
    Worker *worker;
    unsigned busy;              // above 0: in the runtime's own code, where a signal is not the role's failure
    unsigned unpooled;          // above 0: strings made here belong to a value, not to the step
    unsigned depth;             // so many sessions are run by this thread, each in a role's function of the one before
    struct ThreadState *thread; // what roles' code may have changed; NULL: it does not run here
    // Whose code may have left the memory allocator unusable; NULL: no such check goes on.
    const Actor *checks_allocator;
    Report *report; // report.c's
} Current;
extern _Thread_local Current this_thread __attribute__((tls_model("initial-exec")));
static inline Current *current(void)
{
    Current *here = &this_thread;
#if defined(__SANITIZE_ADDRESS__) && defined(__GNUC__)
    // gcc takes the processor's flags after computing this for a test against NULL, which the linker's code does not set.
    __asm__("" : "+r"(here));
#endif
    return here;
}

// Runs this with failures caught, on behalf of the actor: chx_fail, fatal signals, and whatever else ends a step. True: it has
// returned. False: guard->fault says why it has not, and the thread is again in the state that roles' code begins with.
// guard->actor is then the one on whose behalf code ran last.
bool guard_run(Guard *guard, Actor *actor, void (*run)(void *closure), void *closure);
// Leaves whatever runs inside of this guard, which need not be the current one: its guard_run returns false.
CHX_NORETURN void guard_jump(Guard *guard);
// The same in the middle of what the thread is doing: for the same actor, and in the same state. Outside of roles nothing is
// caught.
bool guard_run_inside(void (*run)(void *closure), void *closure, Fault *fault);
// Ends the current step: the fault goes to the current guard.
CHX_NORETURN void guard_raise(chx_fault_kind kind, int signal, uint32_t site, const char *format, ...) CHX_PRINTF(4, 5);
CHX_NORETURN void guard_no_memory(void);

// Runs the actor until it waits, ends or fails, and after it, as long as each waits for the next, those that it makes
// ready. guard->actor is then the one that ran last and is in the caller's hand; guard->fault is set on ACTOR_FAILED.
ActorOutcome actor_run(Actor *actor, Guard *guard, Worker *worker);
// A function of the actor's role has ended the thread that ran it: that is the role's failure, in the guard, which was not
// entered.
void actor_thread_exited(Actor *actor, Guard *guard);
// Before the first of its steps in this process: runs its init hook.
void actor_init(Actor *actor);
// Runs one actor, without a worker, until it has ended or failed. When it can't go on, `await` waits.
ActorOutcome actor_run_unscheduled(Actor *actor, Guard *guard, void (*await)(Actor *actor));
// In a guard: pushes the first frame and copies the arguments into it. Without memory it does not return.
void actor_begin(Actor *actor, const chx_entry *entry, const void *arguments);
// Drops frames, results not yet read, and what the step made.
void actor_unwind(Actor *actor);
// Frees all memory. After actor_unwind.
void actor_fini(Actor *actor);

// The line of a site in this role's table; 0: not there.
int actor_site_line(const Actor *actor, uint32_t site);
const char *actor_site_file(const Actor *actor, uint32_t site);
// Both at once.
typedef struct {
    const char *file;
    int line;
} SourcePlace;
SourcePlace actor_site_place(const Actor *actor, uint32_t site);

// About to wait for what self.wants says: true: the actor waits now and may already be in another's hand; false: it can go on.
bool actor_wait(Actor *actor);
// Somebody else's actor: takes it out of its wait for `what`, a channel or block (NULL: any). True: the caller must put
// it into a queue.
bool actor_wake(Actor *actor, const void *what);
// The actor, on its worker, has sent on the channel or taken something out of it: the peer, which is the other end, may be
// waiting for that.
void actor_notify(Actor *actor, Actor *peer, Channel *channel);
// Tells the producer of the channel that was read last that there is room.
void actor_flush_credit(Actor *actor);

// The next message of the channel that belongs to this role's epoch; drops older ones. NULL: none there.
const Record *actor_peek(Actor *actor, Channel *channel);
// Is there what the actor waits for: room in the channel, or a message?
bool actor_finds(Actor *actor, Channel *channel, bool room);

// No frames yet; the first ones will lie in this chunk, which has so many bytes behind its head.
void stack_init(Actor *actor, Chunk *chunk, size_t capacity);
// Pops the frames above `frame`, dropping what they hold (or not: they may be damaged).
void stack_unwind_to(Actor *actor, chx_frame *frame, bool drops);
// Drops a frame's result and those of its variables that may have changed since the call.
void stack_drop_changed(chx_frame *frame);
// Drops these variables of a copy of a frame.
void stack_drop_saved(const chx_function *function, void *frame);

void actor_pool(Actor *actor, const struct chx_text *text);

#endif
