// draw.h: a scene as text of one kind or another.

#ifndef TOOLS_DIAGRAM_DRAW_H
#define TOOLS_DIAGRAM_DRAW_H

#include "base/text.h"
#include "tools/diagram/scene.h"

typedef VECTOR(Scene *) SceneList;

// One self-contained SVG document with all scenes, one below the other; calls are links to the scenes that are in it.
void draw_svg(const Sources *sources, const SceneList *scenes, Text *out);
// One Mermaid sequence diagram.
void draw_mermaid(const Sources *sources, const Scene *scene, Text *out);

#endif
