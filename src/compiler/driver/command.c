// command.c: what chorcc does for each way it is called.

#define _GNU_SOURCE

#include "compiler/driver/command.h"

#include "chorex.h"
#include "compiler/central/central.h"
#include "compiler/driver/cc.h"
#include "compiler/driver/chorcc.h"
#include "compiler/driver/companions.h"
#include "compiler/driver/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_PROGRAM = 1, EXIT_USAGE = 2 };

typedef struct {
    Arena *arena;
    Options options;
    Places places;
    Compilation *compilation;
    VECTOR(Unit *) units;
    VECTOR(bool) is_header; // of each unit
} Command;

// ---- messages ----

static int usage_error(const char *message)
{
    fprintf(stderr, "chorcc: error: %s\n", message);
    return EXIT_USAGE;
}

// Prints all diagnostics, once, at the end. The exit status they ask for.
static int finish(const Command *command)
{
    diags_print(command->compilation->diags, command->options.diagnostics, options_wants_color(&command->options),
                stderr);
    return diags_errors(command->compilation->diags) > 0 ? EXIT_PROGRAM : EXIT_SUCCESS;
}

// ---- the C compiler's command line ----

static bool is_compiled(const char *path)
{
    static const char *const linked[] = {".o", ".a", ".so", ".lo", ".obj"};
    for (size_t i = 0; i < sizeof linked / sizeof linked[0]; i++) {
        size_t length = strlen(path), suffix = strlen(linked[i]);
        if (length > suffix && strcmp(path + length - suffix, linked[i]) == 0)
            return true;
    }
    return strstr(path_base(path), ".so.") != NULL;
}

// Headers are compiled for later, nothing is linked then.
static bool has_only_headers(const Options *options)
{
    for (size_t i = 0; i < options->inputs.count; i++)
        if (!options->inputs.items[i].is_header)
            return false;
    return options->inputs.count > 0;
}

static bool has_source(const Options *options)
{
    for (size_t i = 0; i < options->inputs.count; i++)
        if (!is_compiled(options->inputs.items[i].path))
            return true;
    return false;
}

static void add_include_dir(Arena *arena, WordList *words, const char *directory)
{
    const char *flag = arena_printf(arena, "-I%s", directory);
    vector_push(arena, words, flag);
}

static void add_cflags(const Command *command, WordList *words)
{
    const Compilation *compilation = command->compilation;
    for (size_t i = 0; compilation != NULL && i < compilation->companion_dirs.count; i++)
        add_include_dir(command->arena, words, compilation->companion_dirs.items[i]);
    for (size_t i = 0; compilation != NULL && i < compilation->substitutes.count; i++) {
        const Substitute *substitute = &compilation->substitutes.items[i];
        vector_push(command->arena, words,
                    arena_printf(command->arena, "-D%s=%s", substitute->name, substitute->meant));
    }
    if (compilation == NULL && command->options.emit_dir != NULL)
        add_include_dir(command->arena, words, command->options.emit_dir);
    add_include_dir(command->arena, words, command->places.include_dir);
}

static void cc_command_line(const Command *command, WordList *words)
{
    const Options *options = &command->options;
    cc_add_command(command->arena, words);
    for (size_t i = 0; i < options->cc_args.count; i++)
        vector_push(command->arena, words, options->cc_args.items[i]);
    bool is_bare = options->inputs.count == 0;
    if (has_source(options) || (is_bare && options->mode == MODE_SHOWME))
        add_cflags(command, words);
    if (!options->stops_early && !options->adds_no_libs && !has_only_headers(options) &&
        (!is_bare || options->mode == MODE_SHOWME))
        cc_add_libs(command->arena, &command->places, words);
}

static int run_cc(const Command *command)
{
    WordList words = {0};
    cc_command_line(command, &words);
    return cc_run(command->arena, &words);
}

// Does the C compiler reject the file? (CIsBroken)
static bool c_is_broken(void *context, const char *path)
{
    const Command *command = context;
    const WordList *args = &command->options.read_args;
    WordList words = {0};
    cc_add_command(command->arena, &words);
    for (size_t i = 0; i < args->count; i++) {
        const char *word = args->items[i];
        bool has_argument = strcmp(word, "-MF") == 0 || strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0;
        if (has_argument)
            i++;
        // Nothing may be written here.
        if (has_argument || strncmp(word, "-M", 2) == 0 || strncmp(word, "-save-temps", 11) == 0)
            continue;
        vector_push(command->arena, &words, word);
    }
    add_cflags(command, &words);
    const char *const last[] = {"-fsyntax-only", "-w", "-x", "c", path};
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++)
        vector_push(command->arena, &words, last[i]);
    return cc_run_silently(command->arena, &words) != 0;
}

// The long option that neither we nor the C compiler know; NULL: all are known. Asking costs a run of the C compiler.
static const char *unknown_option(const Command *command)
{
    const WordList *options = &command->options.long_options;
    for (size_t i = 0; i < options->count; i++) {
        WordList words = {0};
        cc_add_command(command->arena, &words);
        const char *const rest[] = {options->items[i], "-E", "-x", "c", "/dev/null"};
        for (size_t k = 0; k < sizeof rest / sizeof rest[0]; k++)
            vector_push(command->arena, &words, rest[k]);
        if (cc_run_silently(command->arena, &words) == 1)
            return options->items[i];
    }
    return NULL;
}

// ---- analysis ----

static Compilation *new_compilation(const Command *command, Pass until)
{
    const Options *options = &command->options;
    CompilationOptions wanted = {
        .until = until,
        .cc_args = options->read_args.items,
        .cc_arg_count = options->read_args.count,
        .include_dir = command->places.include_dir,
        .emit_dir = options->emit_dir,
        .warns_durable_gap = options->warns_durable_gap,
        .wants_all = options->mode != MODE_COMPILE,
    };
    Compilation *compilation = compilation_new(command->arena, &wanted);
    diags_set_werror(compilation->diags, options->werror);
    diags_set_nowarn(compilation->diags, options->nowarn);
    return compilation;
}

// All C files of the command line.
static void analyse(Command *command, Pass until)
{
    const Options *options = &command->options;
    command->compilation = new_compilation(command, until);
    for (size_t i = 0; i < options->inputs.count; i++) {
        if (options->inputs.items[i].is_cxx)
            compilation_refuse_cxx(command->compilation, options->inputs.items[i].path);
        if (!options->inputs.items[i].is_c)
            continue;
        Unit *unit = compilation_add(command->compilation, options->inputs.items[i].path);
        if (unit == NULL)
            continue;
        vector_push(command->arena, &command->units, unit);
        vector_push(command->arena, &command->is_header, options->inputs.items[i].is_header);
    }
}

static bool has_errors(const Command *command)
{
    return diags_errors(command->compilation->diags) > 0;
}

static bool has_c_input(const Options *options)
{
    for (size_t i = 0; i < options->inputs.count; i++)
        if (options->inputs.items[i].is_c)
            return true;
    return false;
}

static bool has_cxx_input(const Options *options)
{
    for (size_t i = 0; i < options->inputs.count; i++)
        if (options->inputs.items[i].is_cxx)
            return true;
    return false;
}

// ---- the modes ----

static void write_and_verify(Command *command)
{
    if (has_errors(command))
        return;
    companions_write(command->compilation);
    if (has_errors(command) || command->options.mode != MODE_COMPILE || command->options.only_preprocesses)
        return;
    for (size_t i = 0; i < command->units.count; i++)
        if (!command->is_header.items[i])
            compilation_verify(command->compilation, command->units.items[i], c_is_broken, command);
}

static int compile(Command *command)
{
    const Options *options = &command->options;
    if (options->inputs.count == 0 && !options->asks_cc && !options->has_link_input)
        return usage_error("no input files");
    if (options->is_dry_run || (!has_c_input(options) && !has_cxx_input(options)))
        return run_cc(command);
    analyse(command, PASS_EMIT);
    write_and_verify(command);
    int status = finish(command);
    return status != EXIT_SUCCESS ? status : run_cc(command);
}

static int emit(Command *command)
{
    analyse(command, PASS_EMIT);
    write_and_verify(command);
    return finish(command);
}

static void dump_one(const Command *command, const Choreography *choreography)
{
    const Sources *sources = command->compilation->sources;
    switch (command->options.dump) {
    case DUMP_TOKENS:
        dump_tokens(sources, choreography->block, stdout);
        break;
    case DUMP_TREE:
        if (choreography->tree != NULL)
            dump_tree(sources, choreography->tree, stdout);
        break;
    case DUMP_TYPES:
        if (choreography->program != NULL)
            dump_types(choreography->program, stdout);
        break;
    case DUMP_LOCAL:
        for (size_t i = 0; choreography->locals != NULL && i < choreography->program->role_count; i++)
            dump_local(choreography->locals[i], stdout);
        break;
    case DUMP_MODEL:
        if (choreography->locals != NULL)
            dump_model(choreography->locals, choreography->program, command->compilation->diags, stdout);
        break;
    }
}

static int dump(Command *command)
{
    static const Pass last[] = {
        [DUMP_TOKENS] = PASS_FIND,   [DUMP_TREE] = PASS_PARSE,    [DUMP_TYPES] = PASS_CHECK,
        [DUMP_LOCAL] = PASS_PROJECT, [DUMP_MODEL] = PASS_PROJECT,
    };
    analyse(command, last[command->options.dump]);
    const Compilation *compilation = command->compilation;
    if (command->options.dump == DUMP_MODEL && compilation->choreographies.count > 1) {
        diag_error(compilation->diags, SPAN_NONE, "a model is of one choreography: give a file with only one");
        return finish(command);
    }
    for (size_t i = 0; i < compilation->choreographies.count; i++)
        dump_one(command, compilation->choreographies.items[i]);
    if (compilation->choreographies.count == 0 && !has_errors(command))
        diag_error(compilation->diags, SPAN_NONE, "there is no choreography to dump");
    fflush(stdout);
    return finish(command);
}

// The choreography that --stubs or --central names; NULL: an error was reported.
static const Choreography *find_subject(const Command *command, const char *name, size_t length)
{
    const Choreography *choreography = compilation_find(command->compilation, name, length);
    if (choreography == NULL && !has_errors(command))
        diag_error(command->compilation->diags, SPAN_NONE, "there is no choreography '%.*s' here", (int)length, name);
    return choreography;
}

// Text for -o, or standard output.
static void deliver(const Command *command, const char *text, size_t size)
{
    Diags *diags = command->compilation->diags;
    const char *output = command->options.output;
    if (has_errors(command))
        return;
    if (output != NULL && strcmp(output, "-") != 0) {
        const char *error = path_write(command->arena, output, text, size);
        if (error != NULL)
            diag_error(diags, SPAN_NONE, "'%s' can't be written: %s", output, error);
        return;
    }
    if (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0)
        diag_error(diags, SPAN_NONE, "standard output can't be written: %s", strerror(errno));
}

static void print_stubs(const Command *command, FILE *out)
{
    const char *subject = command->options.subject;
    const char *dot = strchr(subject, '.');
    const Choreography *choreography = find_subject(command, subject, (size_t)(dot - subject));
    if (choreography == NULL || choreography->locals == NULL)
        return;
    RoleId role = choreography_role(choreography, dot + 1);
    if (role == ROLE_NONE)
        diag_error(command->compilation->diags, choreography->tree->name.span, "'%s' has no role '%s'",
                   choreography->program->name, dot + 1);
    else
        emit_stubs(choreography->locals[role], out);
}

static void print_central(const Command *command, FILE *out)
{
    const char *subject = command->options.subject;
    const Choreography *choreography = find_subject(command, subject, strlen(subject));
    if (choreography == NULL || choreography->program == NULL || has_errors(command))
        return;
    for (size_t i = 0; i < command->units.count; i++) {
        const Unit *unit = command->units.items[i];
        for (size_t k = 0; k < unit->choreographies.count; k++) {
            if (unit->choreographies.items[k] != choreography)
                continue;
            if (!central_has_place(command->arena, choreography->program, &unit->file->found)) {
                diag_error(
                    command->compilation->diags, choreography->tree->name.span,
                    "'%s' does not include a companion of '%s' itself: the sequential program has no place in it",
                    unit->file->source->path, choreography->program->name);
                return;
            }
            // The sequential program has no companions by which they could be found.
            SubstituteList substitutes = {0};
            compilation_substitutes(command->compilation, unit, &substitutes);
            for (size_t n = 0; n < substitutes.count; n++)
                fprintf(out, "#define %s %s\n", substitutes.items[n].name, substitutes.items[n].meant);
            central_write(command->arena, choreography->program, choreography->locals, choreography->knowledge->numbers,
                          unit->file->source, &unit->file->found, out);
            return;
        }
    }
}

static int print_text(Command *command, Pass until, void (*print)(const Command *command, FILE *out))
{
    analyse(command, until);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return usage_error(strerror(errno));
    print(command, out);
    fclose(out);
    deliver(command, text, size);
    free(text);
    return finish(command);
}

static int show(const Command *command)
{
    WordList words = {0};
    Mode mode = command->options.mode;
    if (mode == MODE_SHOWME)
        cc_command_line(command, &words);
    if (mode == MODE_CFLAGS || mode == MODE_CFLAGS_AND_LIBS)
        add_cflags(command, &words);
    if (mode == MODE_LIBS || mode == MODE_CFLAGS_AND_LIBS) {
        const char *problem = NULL;
        if (command->options.libraries != 0)
            problem = cc_add_more_libs(command->arena, &command->places, command->options.libraries, &words);
        else
            cc_add_libs(command->arena, &command->places, &words);
        if (problem != NULL)
            return usage_error(problem);
    }
    cc_print(&words, stdout);
    return EXIT_SUCCESS;
}

static int version(const Command *command)
{
    printf("chorcc %s (Chorex for C)\n", CHX_VERSION);
    WordList words = {0};
    cc_add_command(command->arena, &words);
    vector_push(command->arena, &words, "--version");
    return cc_run(command->arena, &words);
}

static const char *no_c_input(const Command *command)
{
    const Options *options = &command->options;
    if (options->inputs.count == 0)
        return "no input files";
    return arena_printf(command->arena, "'%s' is not a C file: it should end in .c or .h, or stand behind '-x c'",
                        options->inputs.items[0].path);
}

static bool names_a_role(const char *subject)
{
    const char *dot = strchr(subject, '.');
    return dot != NULL && dot != subject && dot[1] != '\0';
}

static int run_mode(Command *command)
{
    const Options *options = &command->options;
    bool needs_c = options->mode == MODE_EMIT || options->mode == MODE_DUMP || options->mode == MODE_STUBS ||
                   options->mode == MODE_CENTRAL;
    if (needs_c && !has_c_input(options))
        return usage_error(no_c_input(command));
    if (options->mode == MODE_STUBS && !names_a_role(options->subject))
        return usage_error("'--stubs' needs NAME.ROLE");
    if (options->mode == MODE_CENTRAL && options->inputs.count > 1)
        return usage_error(
            "'--central' writes one file at a time: call it for each file of the program, and compile what "
            "comes out together");
    bool reads_c = needs_c || (options->mode == MODE_COMPILE && has_c_input(options));
    if (reads_c && command->places.problem != NULL)
        return usage_error(command->places.problem);
    const char *unknown = reads_c ? unknown_option(command) : NULL;
    if (unknown != NULL)
        return usage_error(arena_printf(command->arena, "unknown option '%s'", unknown));
    switch (options->mode) {
    case MODE_COMPILE:
        return compile(command);
    case MODE_EMIT:
        return emit(command);
    case MODE_DUMP:
        return dump(command);
    case MODE_STUBS:
        return print_text(command, PASS_PROJECT, print_stubs);
    case MODE_CENTRAL:
        return print_text(command, PASS_CHECK, print_central);
    case MODE_SHOWME:
    case MODE_CFLAGS:
    case MODE_LIBS:
    case MODE_CFLAGS_AND_LIBS:
        return show(command);
    case MODE_HELP:
        help_print(stdout);
        return EXIT_SUCCESS;
    case MODE_VERSION:
        return version(command);
    }
    return EXIT_USAGE;
}

// What was printed may not have arrived: the disk is full, the stream is closed.
static int check_output(int status)
{
    bool failed = fflush(stdout) != 0;
    if (status != EXIT_SUCCESS || (!failed && !ferror(stdout)))
        return status;
    fputs("chorcc: error: standard output can't be written\n", stderr);
    return EXIT_PROGRAM;
}

int command_run(int argc, char **argv)
{
    Command command = {.arena = arena_new()};
    const char *error;
    int status;
    size_t count = argc > 0 ? (size_t)argc - 1 : 0;
    if (cc_is_chorcc()) {
        status = usage_error("CHORCC_CC must be a C compiler, not chorcc again");
    } else if (options_parse(command.arena, (const char *const *)argv + 1, count, &command.options, &error)) {
        command.places = places_find(command.arena);
        status = run_mode(&command);
    } else {
        status = usage_error(error);
    }
    arena_free(command.arena);
    return check_output(status);
}
