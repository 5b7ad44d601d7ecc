// missing.h: functions that roles need and that the file which plays them does not have yet.

#ifndef LSP_MISSING_H
#define LSP_MISSING_H

#include "tools/lsp/features.h"

typedef struct {
    const Play *play;
    const char *name; // in C
    const char *stub; // a complete function, as `chorcc --stubs` writes it
} Missing;
typedef VECTOR(Missing) MissingList;

void missing_functions(const Question *question, MissingList *list);

#endif
