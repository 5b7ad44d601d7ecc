// options.h: chorcc's command line: cc's options, known well enough to tell inputs from arguments, and its own.

#ifndef DRIVER_OPTIONS_H
#define DRIVER_OPTIONS_H

#include "base/vector.h"
#include "compiler/diag/diag.h"

typedef VECTOR(const char *) WordList;

typedef enum {
    MODE_COMPILE, // as cc, after the companions are written
    MODE_EMIT,
    MODE_SHOWME,
    MODE_CFLAGS,
    MODE_LIBS,
    MODE_CFLAGS_AND_LIBS,
    MODE_STUBS,
    MODE_DUMP,
    MODE_CENTRAL,
    MODE_HELP,
    MODE_VERSION,
} Mode;

typedef enum { DUMP_TOKENS, DUMP_TREE, DUMP_TYPES, DUMP_LOCAL, DUMP_MODEL } Dump;
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorMode;

// What programs may be linked with besides libchorex.
enum { LIBRARY_NET = 1, LIBRARY_NATS = 2, LIBRARY_SQLITE = 4, LIBRARY_POSTGRES = 8 };

typedef struct {
    const char *path;
    bool is_c; // C source or header: choreographies are looked for in it
    bool is_header;
    bool is_cxx; // C++ source or header: choreographies in it are refused
} Input;

typedef struct {
    Mode mode;
    const char *mode_word; // the option that chose the mode
    Dump dump;
    const char *subject;  // --stubs NAME.ROLE, --central NAME
    unsigned libraries;   // of --libs=NAMES: a set of LIBRARY_...
    const char *emit_dir; // NULL: beside the file that holds the choreography
    DiagFormat diagnostics;
    ColorMode color;

    WordList cc_args;      // for cc: everything but our own options, in order; response files as they were
    WordList read_args;    // cc's options without inputs and -o, response files replaced by their words
    WordList long_options; // those of read_args that start with "--": if not cc's, then mistyped
    VECTOR(Input) inputs;
    const char *output;     // -o
    bool stops_early;       // -c -S -E -M -MM -fsyntax-only: no linking
    bool only_preprocesses; // -E -M -MM
    bool is_dry_run;        // -###
    bool adds_no_libs;      // -nostdlib -nodefaultlibs -r
    bool has_link_input;    // -l, -Wl, -Xlinker, -T: cc may go on without an input file
    bool asks_cc;           // -v -dumpmachine -print-...: cc answers without an input file
    bool werror, nowarn;
    bool warns_durable_gap; // -Wdurable-gap
} Options;

// False: wrong usage; *error says what. `words` are the arguments without the program's name.
bool options_parse(Arena *arena, const char *const *words, size_t count, Options *options, const char **error);

// Shall diagnostics on standard error be colored?
bool options_wants_color(const Options *options);

#endif
