// diagnosed.h: a diagnostic of the compiler in a document that may have changed since.

#ifndef LSP_DIAGNOSED_H
#define LSP_DIAGNOSED_H

#include "tools/lsp/features.h"

// False: it has no place there any more, or it is about C, which others look after.
bool diagnosed_place(const Analysis *analysis, const View *view, const Diagnostic *diagnostic, uint32_t *start,
                     uint32_t *end);
json_t *diagnosed_json(Arena *arena, const Analysis *analysis, const View *view,
                       const Diagnostic *diagnostic); // or NULL

#endif
