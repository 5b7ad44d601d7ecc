// thing.h: what a place is about, and all places that are about it: in its block, in other files, in the C that plays a role.

#ifndef LSP_THING_H
#define LSP_THING_H

#include "tools/lsp/features.h"

typedef struct {
    SymbolKind kind;
    const View *view; // of the file that its block stands in
    const Block *block;
    SymbolList symbols;  // of the block: itself, and what has its name together with it
    uint32_t start, end; // the name that was asked about
} Thing;

// False: it is about nothing that we know.
bool thing_at(const Question *question, Thing *thing);

typedef struct {
    const View *view;
    uint32_t start, end;           // the name
    uint32_t part_start, part_end; // the part of it that another name would replace
    bool is_definition;
    bool binds;    // it gets a value here
    bool is_field; // it is the name of a field, too, which stays
    bool is_c;     // outside of blocks
} ThingPlace;
typedef VECTOR(ThingPlace) ThingPlaceList;

void thing_places(const Question *question, const Thing *thing, ThingPlaceList *places);

// All files that may have to do with the document: open ones, those in its folder, those of compile_commands.json.
typedef VECTOR(const View *) ViewList;
void related_views(const Question *question, ViewList *views);

#endif
