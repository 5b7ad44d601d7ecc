// emit.h: local programs to companion headers.

#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "compiler/project/local.h"

typedef struct {
    const char *name; // "hello.Alice.chor.h"
    const char *text;
} Companion;
typedef VECTOR(Companion) CompanionList;

typedef struct {
    // The choreography's file as it shall stand in #line and comments: relative, as the user wrote it.
    const char *source_path;
} EmitOptions;

// NAME.chor.h first, then one per role. The same input gives the same bytes.
void emit_companions(Arena *arena, const Program *program, LocalProgram *const *locals, const EmitOptions *options,
                     CompanionList *companions);
// A skeleton of a function that a role must provide.
void emit_stub(const Program *program, const RoleFunction *function, FILE *out);
// --stubs NAME.ROLE: all of them
void emit_stubs(const LocalProgram *local, FILE *out);

#endif
