// simulate_program.h: small choreographies, made at random, and where a role stands in one: for simulate.c.
//
// All roles go by one list of operations and skip what they take no part in. What is drawn is not the same in each attempt: a
// choice, whether a loop goes on, the value of each message.

#ifndef NET_HOME_SIMULATE_PROGRAM_H
#define NET_HOME_SIMULATE_PROGRAM_H

#include "net/home/home.h"

enum { ROLES = 4, DEPTH = 5, PROGRAM_BLOCKS = 12, OPS = 160 };

typedef enum {
    OP_MESSAGE, // `from` to `to`; with a bit: it carries one, which the receiver takes over
    OP_DRAW,    // `from` draws a bit
    OP_UNLESS,  // the bit is not set: go on at `target`
    OP_JUMP,    // go on at `target`
    OP_ENTER,   // block `name`; its body follows, its rescue is at `target`
    OP_LEAVE,   // of a round: there is another one if the bit is set
    OP_END,
} OpKind;

typedef struct {
    OpKind kind;
    unsigned members; // roles that know of it, a bit each
    unsigned from, to;
    unsigned bit;
    bool has_bit, is_round;
    uint32_t name;
    unsigned target;
} Op;

typedef struct {
    Op ops[OPS];
    unsigned op_count, bit_count;
    unsigned role_count;
    bool is_durable;                                        // some of its blocks are
    unsigned participants_of_all[ROLES], participant_count; // roles that have a part; 0: all
    chx_block blocks[PROGRAM_BLOCKS];
    size_t block_count;
    unsigned participants[PROGRAM_BLOCKS][ROLES];
    unsigned places[ROLES]; // nodes that may play the role, a bit each
    HomeChoreography choreography;
} Program;

// Everything that a role knows: what it saves, too.
typedef struct {
    uint32_t op;
    uint32_t bits;
    uint32_t depth;
    uint32_t name[DEPTH], ordinal[DEPTH], attempt[DEPTH]; // of the blocks that it is in
    uint16_t entered[DEPTH + 1][PROGRAM_BLOCKS];          // how often each block, at each depth
    uint64_t sent[ROLES], consumed[ROLES];                // digests of what has passed each channel
} State;

// What a message says.
typedef struct {
    WireId id; // of the block around
    uint64_t nonce;
    uint32_t op, attempt;
    uint8_t bit;
} Value;

uint64_t simulate_draw(uint64_t below);
void program_make(Program *program);
void program_print(const Program *program);
// The operation that the role does next, from where it stands.
unsigned program_next(const Program *program, unsigned role, const State *state);
// The state at the entry of a block, and at the beginning of the next round.
State program_enter(const State *state, const Op *op);
State program_next_round(const State *state, const Op *op);
// From the entry of a block into an attempt of it.
State program_restart(const Program *program, const State *entry, uint32_t attempt);

#endif
