// simulate.h: what the parts of simulate.c share: the sessions (simulate.c), what a role does (simulate_role.c), what messages it has at
// hand meanwhile (simulate_hand.c) and nodes that can't reach each other (simulate_reach.c).

#ifndef NET_HOME_SIMULATE_H
#define NET_HOME_SIMULATE_H

#include "net/home/home_internal.h"
#include "net/home/simulate_program.h"
#include "net/session/life_internal.h"

enum {
    NODES = 6, // 1 is the home's
    HOME = 1,
    STEPS = 60000,
    QUEUE = 4096,
    WAYS = 4096,
    SUSPECT_NS = 20000,
};

// ---- what is simulated ----

typedef struct {
    bool is_marker; // the link was lost: what comes behind this is of another one
    WireKind kind;
    size_t size;
    uint8_t *bytes;
} Frame;

typedef struct {
    Frame frames[QUEUE];
    unsigned first, count;
    bool is_dead; // what is given to it is lost, until the sender has noticed
} Wire;

typedef enum { WAIT_NOTHING, WAIT_MESSAGE, WAIT_ROOM, WAIT_GO, WAIT_ORDER } Wait;

// Messages that a role has at hand: copies of those that have arrived from a peer, and those that it has sent there and not handed over.
enum { HAND = 6, HAND_VALUE = sizeof(Value) + 40 };
typedef struct {
    uint32_t site;
    size_t size;
    uint8_t value[HAND_VALUE];
} Held;
typedef struct {
    Held in[HAND], out[HAND];
    unsigned at, count; // of those that have arrived: the next one, and how many there are
    unsigned consumed;  // so many were consumed since the life was told
    unsigned sent;
} Hand;

// A role at a node.
typedef struct {
    Life life;
    unsigned node, role;
    bool exists;
    bool acts;     // it has begun
    LifeAsks busy; // what it is doing: it builds its frames, or takes its variables back
    bool arrived;  // ARRIVE was said
    bool ending;   // END was said
    bool entering; // it is in a durable block, and has not been let in
    bool is_outside, reads_base;
    State base;
    bool blocked; // a link had no room
    bool is_soon; // TAKEN is to be said soon
    Wait wait;
    unsigned wait_peer;
    LifeBack back;
    State state, next;
    State entries[DEPTH]; // at the entry of each block
    State reading[DEPTH + 1];
    unsigned reading_depth;
    Hand hands[ROLES];
    uint32_t unreached[ROLES]; // the life of the other that the home was told is not reached; 0: none
} Actor;

// What a role has said of another, when the home heard it.
typedef struct {
    uint32_t life, of_life; // 0: nothing, or it is over
    uint64_t since_ns;
} Said;

// In which attempt a block was left; who has been seen inside it.
typedef struct {
    WireId id;
    uint32_t attempt;
    uint32_t left;
    uint32_t seen;  // senders, a bit each, whose messages from this attempt were consumed
    bool is_done;   // the home has said GO
    uint64_t term;  // in which it was left
    uint64_t begun; // of a durable block: the term in which it was begun
} Way;

typedef struct {
    uint64_t random, seed, now_ns;
    bool is_traced, is_short_of_memory, is_late, may_cancel, bystanders_come;
    unsigned allocated;
    unsigned faults;
    Program program;
    HomeTable table;
    Home home;
    bool is_over;
    chx_status status;
    Actor actors[NODES + 1][ROLES];
    Wire wires[NODES + 1][NODES + 1];
    bool is_up[NODES + 1], is_suspect[NODES + 1];
    // Two nodes that can't reach each other, though both reach the home; 0: all can.
    unsigned cut[2];
    bool cut_heals;      // by itself
    unsigned cut_losses; // so many lives may be given up for it, then it is over
    Said said[ROLES][ROLES];
    unsigned slow; // a node whose link to the home is slow; 0: none
    Way ways[WAYS];
    unsigned way_count;
    bool is_durable;
    uint64_t term;
    WindowLimits limits;
    Wire old[NODES + 1]; // what a home that was lost has said, and has not arrived yet
    unsigned homes_lost; // so many more may be
    bool is_resumed_over, may_fail_resumed;
    NetMemory memory;
} Sim;

extern Sim sim;
typedef struct {
    uint64_t homes, commits, durable, consumed, sessions, failed, lost, suspected, fails, links, cuts, unreached,
        decisions, no_memory, steps;
} Total;
extern Total total;

#define TRACE(...)                                                                                                     \
    do {                                                                                                               \
        if (sim.is_traced) {                                                                                           \
            printf(__VA_ARGS__);                                                                                       \
            putchar('\n');                                                                                             \
        }                                                                                                              \
    } while (0)

_Noreturn void sim_fail(const char *what);
static inline bool chance(unsigned percent)
{
    return simulate_draw(100) < percent;
}
// What is known of an attempt of a block.
Way *way_of(const WireId *id, uint32_t attempt);
// Would the session fail if the role were lost?
bool may_fail_session(unsigned role);

// ---- simulate_store.c ----

// The session's beginning, or its next home's: home_init.
void home_start(void);
void store_clear(void);
// The role begins an attempt of a durable block.
void store_attempt_begins(const Actor *actor);
// What can be done with the store, and doing it.
bool store_is_asked(void);
void store_step(void);
void store_effect_commit(void *context);
void store_effect_lost(void *context);
// The home is lost with its memory; another one goes on from the store.
void store_lose_home(void);

// ---- simulate.c ----

extern const HomeEffects home_effects_table;
void home_forget(void);
// Everything that the home knew, and that was on its way to it, is gone.
void wires_of_home_cut(void);

// ---- simulate_reach.c ----

bool cut_is_between(unsigned one, unsigned other);
// The home has heard this.
void cut_note(const WireUnreached *unreached);
// A node says that another one is not reached, or is again.
void cut_say(unsigned node, unsigned other, bool is_over);
void cut_heal(void);
// Time passes for the home.
void cut_tick(void);

// ---- simulate_hand.c ----

// Hands over what was sent and says what was consumed, as far as there is memory. False: not everything; the role looks what is asked of it.
bool hand_settle(Actor *actor);
// The role goes back, begins or stops.
void hand_drop(Actor *actor);
// False: there is no room.
bool hand_send(Actor *actor, unsigned to, uint32_t site, const Value *value);
// The next message; false: it is not there.
bool hand_receive(Actor *actor, unsigned from, uint32_t *site, Value *value);

// ---- simulate_role.c ----

// One step of a role.
void step_role(Actor *actor);

#endif
