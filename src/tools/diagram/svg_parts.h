// svg_parts.h: what pictures as SVG are made of. Classes are those of the style sheet that svg_begin writes.

#ifndef TOOLS_DIAGRAM_SVG_PARTS_H
#define TOOLS_DIAGRAM_SVG_PARTS_H

#include "base/text.h"
#include "compiler/diag/diag.h"

typedef enum { TIP_RIGHT, TIP_LEFT, TIP_DOWN, TIP_UP } Tip;

// The document's beginning; it ends with "</svg>".
void svg_begin(Text *out, int width, int height);
void svg_escape(Text *out, const char *text);
void svg_text(Text *out, int x, int y, const char *classes, const char *text);
void svg_box(Text *out, int left, int top, int right, int bottom, const char *classes, int round);
void svg_line(Text *out, int x1, int y1, int x2, int y2, const char *classes);
// The point of an arrow.
void svg_tip(Text *out, int x, int y, Tip tip);
// A group. When the pointer rests on it, the place in the source and the whole text are shown.
void svg_open(const Sources *sources, Text *out, Span span, const char *text);
void svg_close(Text *out);

#endif
