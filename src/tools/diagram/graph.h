// graph.h: who talks to whom in a choreography, with everything that the compiler has added: the outcomes of choices, too.

#ifndef TOOLS_DIAGRAM_GRAPH_H
#define TOOLS_DIAGRAM_GRAPH_H

#include "base/text.h"
#include "compiler/driver/chorcc.h"

typedef struct {
    size_t from, to;           // roles
    VECTOR(const char *) says; // what is sent, each once; "choice" for the outcome of one
} GraphEdge;

typedef struct {
    const char *name;
    VECTOR(const char *) roles; // "Worker[]" for a family
    VECTOR(GraphEdge) edges;
} Graph;

typedef VECTOR(Graph *) GraphList;

// Of a choreography that is compiled up to PASS_PROJECT.
Graph *graph_new(Arena *arena, const Sources *sources, const Choreography *choreography);

void draw_graph_svg(const Sources *sources, const GraphList *graphs, Text *out);
void draw_graph_mermaid(const Sources *sources, const Graph *graph, Text *out);

#endif
