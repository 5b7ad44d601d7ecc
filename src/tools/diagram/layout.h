// layout.h: where on the page the items of a scene are.

#ifndef TOOLS_DIAGRAM_LAYOUT_H
#define TOOLS_DIAGRAM_LAYOUT_H

#include "tools/diagram/scene.h"

enum {
    CHAR_WIDTH = 8, // of the fixed-width font, rounded up
    LINE_HEIGHT = 18,
    HEAD_HEIGHT = 30,  // a lifeline's box
    TITLE_HEIGHT = 60, // above the boxes
    FRAME_HEAD = 24    // a frame's word and text
};

// x: edges of its box. For a MESSAGE: from its sender to the farthest receiver. For OPEN: of the whole frame, from `top` down to the
// bottom of its CLOSE. A STEP that continues the box of the one before has `follows`.
typedef struct {
    int left, right, top, bottom;
    const char *text; // shortened
    bool follows;
    size_t partner; // OPEN: its CLOSE. DIVIDE, CLOSE: their OPEN. STEP: the last one of its box
} Place;

typedef struct {
    int *columns;  // the x of each lifeline
    Place *places; // of each item
    int left, right, bottom;
    int heads_top;
    const char *signature; // shortened
} Layout;

// Its first row is `top` below the page's upper edge.
Layout *layout_new(Arena *arena, const Sources *sources, const Scene *scene, int top);

int layout_text_width(const char *text);

#endif
