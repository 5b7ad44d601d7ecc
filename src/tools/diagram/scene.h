// scene.h: what a sequence diagram shows, from top to bottom, before anybody knows where on the page.
//
// A scene is one definition of a choreography: lifelines, and a list of items in the order of the text. Frames (choices, loops,
// checkpoints, arms) are items that open, divide and close them, and are properly nested.

#ifndef TOOLS_DIAGRAM_SCENE_H
#define TOOLS_DIAGRAM_SCENE_H

#include "compiler/syntax/tree.h"

typedef struct {
    const char *name;
    bool is_family;
} Lifeline;

// Lifelines, by number, in rising order.
typedef VECTOR(size_t) LineSet;

typedef enum {
    ITEM_MESSAGE, // from one lifeline to others
    ITEM_STEP,    // local work of the lifelines
    ITEM_CALL,    // of another definition
    ITEM_RETURN,
    ITEM_LEAVE,  // break, continue
    ITEM_OPEN,   // a frame begins
    ITEM_DIVIDE, // else, a case, a rescue
    ITEM_CLOSE,
} ItemKind;

typedef enum { FRAME_CHOICE, FRAME_LOOP, FRAME_CHECKPOINT, FRAME_PAR } FrameKind;

typedef struct {
    ItemKind kind;
    FrameKind frame; // OPEN, DIVIDE, CLOSE
    size_t from;     // MESSAGE
    LineSet lines;   // MESSAGE: to whom. STEP, CALL, RETURN, LEAVE. OPEN: all that take part in the frame; may be empty
    const char *word;   // OPEN: "if", "loop", "checkpoint"; DIVIDE: "else", "case", "rescue"
    const char *text;   // one line; "" where there is nothing to say
    const char *target; // CALL: the definition's name; NULL for a function parameter
    Span span;          // what it stands for in the source
} Item;

typedef struct {
    const char *choreography, *name;
    const char *signature; // "run(Sensor.int rounds) -> Thermostat.int"
    VECTOR(Lifeline) lifelines;
    VECTOR(Item) items;
    Span span;
} Scene;

Scene *scene_new(Arena *arena, const Sources *sources, const Tree *tree, const TreeDef *def);

// Steps of the same roles, one after the other, are shown together: the last one of those that begin at `at`. `at` itself if it is
// not a step.
size_t scene_last_step(const Scene *scene, size_t at);
// The receiver of a message that its text stands beside: the first one behind the sender, else the last one before it.
size_t scene_nearest(const Item *message);

#endif
