// chorcc.h: the door to the compiler for the tools: files in, choreographies and diagnostics out.
//
//     Compilation *compilation = compilation_new(arena, &options);
//     Unit *unit = compilation_add(compilation, "shop.c");
//     ... unit->choreographies, compilation->diags ...
//
// Nothing is printed and nothing is written. Everything lives in the arena.

#ifndef DRIVER_CHORCC_H
#define DRIVER_CHORCC_H

#include "base/map.h"
#include "compiler/check/check.h"
#include "compiler/check/knowledge.h"
#include "compiler/emit/emit.h"
#include "compiler/project/project.h"
#include "compiler/syntax/parse.h"

// The passes, in order. A compilation stops after the one it was asked for.
typedef enum { PASS_FIND, PASS_PARSE, PASS_CHECK, PASS_PROJECT, PASS_EMIT } Pass;

// A C file that was looked at: a source, or a header that it includes.
typedef struct CFile CFile;
struct CFile {
    Source *source;
    const char *real_path;
    Found found;
    VECTOR(CFile *) includes;
};

typedef struct {
    CFile *file;
    const FoundBlock *block;
    const char *directory; // where its companions belong
    // What the passes made; NULL where they did not come to it.
    Tree *tree;
    Program *program;
    Knowledge *knowledge;
    LocalProgram **locals;
    CompanionList companions; // empty after an error
} Choreography;

// A C source with all that it includes.
typedef struct {
    CFile *file;
    VECTOR(Choreography *) choreographies; // active in it, in the order of the translation unit
} Unit;

typedef struct {
    Pass until;
    const char *const *cc_args; // options for the C compiler
    size_t cc_arg_count;
    const char *include_dir; // where chorex.h is; NULL: among cc_args
    const char *emit_dir;    // NULL: companions lie beside the file that holds the choreography
    bool warns_durable_gap;  // -Wdurable-gap
    bool wants_all;          // a file is expected to hold choreographies: complain where it can't be read
} CompilationOptions;

// A function of a choreography that is used, `Alice_ot_pick`, for which the role has `Alice_pick`: to C, a macro.
typedef struct {
    const char *name, *meant;
} Substitute;
typedef VECTOR(Substitute) SubstituteList;

typedef struct {
    Arena *arena;
    Sources *sources;
    Diags *diags;
    CompilationOptions options;
    CFlags flags;                          // for libclang; companions made so far are virtual files in it
    Map files;                             // by real path: CFile
    VECTOR(const char *) quote_dirs;       // where an #include "..." is looked up, after the file's own directory
    VECTOR(const char *) angle_dirs;       // and then, as an #include <...>
    VECTOR(const char *) forced;           // files of -include and -imacros
    VECTOR(const char *) companion_dirs;   // where companions are that may not be beside the file that includes them
    VECTOR(Choreography *) choreographies; // of all units, each once
    SubstituteList substitutes;            // found by compilation_verify
} Compilation;

Compilation *compilation_new(Arena *arena, const CompilationOptions *options);
// NULL: nothing for us to do in this file, or an error that is in diags.
Unit *compilation_add(Compilation *compilation, const char *path);
// A file in C++, which can't hold choreographies: an error if it does, or a header of it that is C++ by its name.
void compilation_refuse_cxx(Compilation *compilation, const char *path);
// Are the roles' functions there that the unit's companions ask for? After PASS_EMIT. Errors go to diags; what is only
// missing is left out when `c_is_broken` says that the C compiler rejects the file anyway.
typedef bool CIsBroken(void *context, const char *path);
void compilation_verify(Compilation *compilation, const Unit *unit, CIsBroken *c_is_broken, void *context);

// What that finds in this unit, without complaining about anything.
void compilation_substitutes(Compilation *compilation, const Unit *unit, SubstituteList *list);

Choreography *compilation_find(const Compilation *compilation, const char *name, size_t name_length);
// ROLE_NONE: no such role.
RoleId choreography_role(const Choreography *choreography, const char *name);

#endif
