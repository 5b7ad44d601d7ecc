// known.h: what the newest analysis that understood a choreography says about something in the text of now.

#ifndef LSP_KNOWN_H
#define LSP_KNOWN_H

#include "tools/lsp/features.h"

typedef struct {
    const Analysis *analysis;
    const Choreography *choreography;
    const Program *program;
    const Knowledge *knowledge;
} Known;

// False: it was never understood.
bool known_of(const Document *document, const char *choreography, Known *known);
// The same offset in the text that was analysed; OFFSET_NONE: there is none, or the block stands in another file.
uint32_t known_offset(const Question *question, const Known *known, uint32_t offset);

// How a variable's type is written: as it is declared, or as it was inferred. NULL: nobody knows.
const char *known_type(const Question *question, const Block *block, const Symbol *variable);
// The same from the program only.
const CType *known_ctype(const Question *question, const Block *block, const Symbol *variable);
// The function that a role provides, as its uses or its prototype say; NULL: nobody knows.
const RoleFunction *known_function(const Known *known, const char *role, const char *name);
// "int Seller.get_price(const char *title)".
const char *known_prototype(Arena *arena, const Known *known, const RoleFunction *function, const char *name);

// The nodes of a statement, one for each instance of its function.
typedef struct {
    const Node *node;
    const Instance *instance;
} KnownNode;
typedef VECTOR(KnownNode) KnownNodeList;
void known_nodes(const Question *question, const Known *known, const Decision *decision, KnownNodeList *list);
// "Alice, Bob and Carol"
const char *known_names(Arena *arena, const Known *known, const Instance *instance, const RoleSet *set);
// Those whom somebody tells the outcome; by what they are told.
const char *known_told(Arena *arena, const Known *known, const KnownNode *at);
// The role's program of a function, for people. NULL: it has no part in it, or nothing is known.
const char *known_part(Arena *arena, const Known *known, const char *def, const char *role);

#endif
