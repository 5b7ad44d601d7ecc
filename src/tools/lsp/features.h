// features.h: what can be asked about a document, a file for each. A feature answers from the text as it is now, and from the
// newest analysis there is; it never waits for one.

#ifndef LSP_FEATURES_H
#define LSP_FEATURES_H

#include "tools/lsp/reply.h"
#include "tools/lsp/server.h"

// A question about a document, mostly about a place in it.
typedef struct {
    Server *server;
    Arena *arena; // for the answer
    const json_t *params;
    Document *document;
    const View *view;
    bool has_place;
    uint32_t offset;
    const Block *block; // around the place; NULL: it is in C
} Question;

typedef json_t *Feature(const Question *question); // NULL: null

Feature feature_hover, feature_completion, feature_definition, feature_references, feature_highlight, feature_tokens,
    feature_tokens_range, feature_symbols, feature_actions, feature_rename, feature_prepare_rename, feature_signature,
    feature_hints, feature_folding, feature_prepare_calls, feature_lenses;
// These are about an item that was given before.
json_t *feature_incoming_calls(Server *server, Arena *arena, const json_t *params);
json_t *feature_outgoing_calls(Server *server, Arena *arena, const json_t *params);
// *error: what is wrong with the command.
json_t *feature_command(Server *server, Arena *arena, const json_t *params, const char **error);

json_t *tokens_legend(void);

#endif
