// flow.h: what one role does in a definition, as the parts of a flowchart: a tree, since the language has no goto.

#ifndef TOOLS_DIAGRAM_FLOW_H
#define TOOLS_DIAGRAM_FLOW_H

#include "base/text.h"
#include "tools/diagram/scene.h"

typedef enum {
    FLOW_STEP,
    FLOW_SEND,
    FLOW_RECEIVE,
    FLOW_CALL,
    FLOW_RETURN, // nothing follows
    FLOW_LEAVE,  // break, continue, return without a result of this role: nothing follows
    FLOW_CHOICE,
    FLOW_LOOP,
    FLOW_CHECKPOINT, // its second part is the rescue
    FLOW_PAR,
} FlowKind;

typedef struct FlowNode FlowNode;

typedef struct {
    const char *label; // "else", "case 1", "rescue"; "" for the first part of what is no switch
    VECTOR(FlowNode *) nodes;
} FlowPart;

struct FlowNode {
    FlowKind kind;
    const char *text;
    Span span;
    bool is_loop;           // LOOP, and CHECKPOINT of a loop's rounds
    VECTOR(FlowPart) parts; // CHOICE ..
};

typedef struct {
    const Scene *scene;
    const char *role;
    FlowPart body;
} Flow;

typedef VECTOR(Flow *) FlowList;

// Does nothing come behind the part: does it end with a return, a break?
bool flow_ends(const FlowPart *part);

// Of the lifeline with this number.
Flow *flow_new(Arena *arena, const Scene *scene, size_t line);

void draw_flow_svg(const Sources *sources, const FlowList *flows, Text *out);
void draw_flow_mermaid(const Sources *sources, const Flow *flow, Text *out);

#endif
