// model.h: a choreography on its way to the model: all roles' programs as flat lists of operations.
//
// Inside project/ only: model.c makes it, tables.c prints it.

#ifndef PROJECT_MODEL_H
#define PROJECT_MODEL_H

#include "compiler/project/local.h"

// What fits the model's variables, which are bytes, and what can be explored.
#define ROLES_MAX 4
#define OPS_MAX 200     // of one role
#define NUMBERS_MAX 200 // messages, ways
#define BLOCKS_MAX 16
#define DEPTH_MAX 3 // blocks in blocks
#define RETRY_MAX 2
#define ATTEMPTS_MAX 4 // of a block

typedef enum {
    OP_END,     // the role is done
    OP_SEND,    // `value` to role `arg`
    OP_RECEIVE, // from role `arg`
    OP_TOLD,    // the same, and go on the way that the value says
    OP_PEEK,    // look at what role `arg` sent: jump if it belongs to site `value`
    OP_CHOOSE,  // any of `value` ways; `arg` > 0: number of an agreed choice
    OP_ENTER,   // block `arg`
    OP_ARRIVE,  // at the end of block `arg`
    OP_RENEW,   // at the end of block `arg`, a round; the next one is block `value` - 1
    OP_CUT,     // the bound of an endless loop or of recursion: nothing is explored from here on
    OP_LOST,    // no correct run comes here
    OP_JUMP,    // not printed
} OpKind;

typedef uint32_t Label;
#define LABEL_NONE ((Label)-1)

typedef struct {
    OpKind kind;
    uint32_t arg, position, value;
    Label next;                  // PEEK: if it belongs there; JUMP
    size_t first_way, way_count; // TOLD, CHOOSE
} Op;

typedef struct {
    uint32_t parent, site, index;
} Key;
typedef VECTOR(Key) KeyList;

typedef struct {
    const LocalOp *op; // of any participant
    uint32_t fixed;    // number of the block as it stands in the source
    size_t depth;
} ModelBlock;

typedef struct {
    Label body, rescue;
} BlockLabels;

typedef struct {
    RoleId role;
    Label label;
} Way;

typedef struct {
    VECTOR(Op) ops;
    VECTOR(size_t) labels; // where they are in `ops`
    BlockLabels blocks[BLOCKS_MAX];
} Code;

typedef struct {
    Arena *arena;
    Diags *diags;
    const Program *program;
    RoleId role;
    KeyList contexts, positions, agreed, blocks, fixed_blocks; // numbered from 1, blocks from 0
    VECTOR(ModelBlock) block_infos;
    VECTOR(Way) ways;
    Code code[ROLES_MAX];
    uint32_t open[DEPTH_MAX]; // blocks around what is generated
    size_t depth;
    uint32_t context;
    size_t work;
    bool failed;
} Model;

// The operations of the longest role, when printed.
size_t model_width(const Model *model);
void model_print(const Model *model, FILE *out);

#endif
