// driver.c: the list of passes.
//
// find blocks -> which are active -> parse -> check -> knowledge -> project -> emit

#define _GNU_SOURCE

#include "compiler/check/durable.h"
#include "compiler/driver/blocks.h"
#include "compiler/driver/chorcc.h"
#include "compiler/driver/path.h"
#include "compiler/driver/started.h"
#include "compiler/driver/uses.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- a compilation ----

typedef VECTOR(const char *) PathList;

// Adds the directories, or files, of `-I dir`, `-Idir` and the like.
static void add_option_paths(const Compilation *compilation, const char *option, PathList *paths)
{
    const CompilationOptions *options = &compilation->options;
    size_t length = strlen(option);
    for (size_t i = 0; i < options->cc_arg_count; i++) {
        const char *word = options->cc_args[i];
        if (strncmp(word, option, length) != 0)
            continue;
        if (word[length] != '\0')
            vector_push(compilation->arena, paths, word + length);
        else if (i + 1 < options->cc_arg_count)
            vector_push(compilation->arena, paths, options->cc_args[++i]);
    }
}

// Adds the directories of a variable that C compilers read, "dir:dir"; an empty one is the current directory.
static void add_environment_paths(const Compilation *compilation, const char *variable, PathList *paths)
{
    const char *value = getenv(variable);
    if (value == NULL || value[0] == '\0')
        return;
    char *rest = arena_strdup(compilation->arena, value);
    for (char *word; (word = strsep(&rest, ":")) != NULL;)
        vector_push(compilation->arena, paths, word[0] == '\0' ? "." : (const char *)word);
}

static void find_search_paths(Compilation *compilation)
{
    PathList quoted = {0}, angled = {0}, forced = {0};
    add_option_paths(compilation, "-iquote", &quoted);
    add_option_paths(compilation, "-I", &angled);
    add_environment_paths(compilation, "CPATH", &angled);
    add_option_paths(compilation, "-isystem", &angled);
    add_environment_paths(compilation, "C_INCLUDE_PATH", &angled);
    add_option_paths(compilation, "-idirafter", &angled);
    add_option_paths(compilation, "-include", &forced);
    add_option_paths(compilation, "-imacros", &forced);
    for (size_t i = 0; i < quoted.count; i++)
        vector_push(compilation->arena, &compilation->quote_dirs, quoted.items[i]);
    for (size_t i = 0; i < angled.count; i++)
        vector_push(compilation->arena, &compilation->angle_dirs, angled.items[i]);
    for (size_t i = 0; i < forced.count; i++)
        vector_push(compilation->arena, &compilation->forced, forced.items[i]);
}

static void add_include_flag(Compilation *compilation, const char *directory)
{
    const char *flag = arena_printf(compilation->arena, "-I%s", directory);
    vector_push(compilation->arena, &compilation->flags.args, flag);
}

static void add_companion_dir(Compilation *compilation, const char *directory)
{
    for (size_t i = 0; i < compilation->companion_dirs.count; i++)
        if (strcmp(compilation->companion_dirs.items[i], directory) == 0)
            return;
    vector_push(compilation->arena, &compilation->companion_dirs, directory);
    add_include_flag(compilation, directory);
}

Compilation *compilation_new(Arena *arena, const CompilationOptions *options)
{
    Compilation *compilation = ARENA_NEW(arena, Compilation);
    compilation->arena = arena;
    compilation->options = *options;
    compilation->sources = sources_new(arena);
    compilation->diags = diags_new(arena, compilation->sources);
    map_init(&compilation->files, arena);
    find_search_paths(compilation);
    cflags_from_cc(arena, options->cc_args, options->cc_arg_count, &compilation->flags);
    if (options->include_dir != NULL)
        add_include_flag(compilation, options->include_dir);
    if (options->emit_dir != NULL)
        add_companion_dir(compilation, options->emit_dir);
    return compilation;
}

// ---- one choreography ----

static void keep_companions(Compilation *compilation, const Choreography *choreography)
{
    for (size_t i = 0; i < choreography->companions.count; i++) {
        const Companion *companion = &choreography->companions.items[i];
        CVirtualFile file = {path_join(compilation->arena, choreography->directory, companion->name), companion->text};
        vector_push(compilation->arena, &compilation->flags.files, file);
    }
}

// The flags for reading `file` on its own. A file that -include brings in would be there twice, or its guard would leave
// nothing of it: such an option is left out.
static CFlags flags_for(Compilation *compilation, const CFile *file)
{
    CFlags flags = compilation->flags;
    flags.args.items = NULL;
    flags.args.count = flags.args.capacity = 0;
    for (size_t i = 0; i < compilation->flags.args.count; i++) {
        const char *word = compilation->flags.args.items[i];
        const char *next = i + 1 < compilation->flags.args.count ? compilation->flags.args.items[i + 1] : "";
        bool is_forced = strcmp(word, "-include") == 0 || strcmp(word, "-imacros") == 0;
        if (is_forced && blocks_forced_has(compilation, next, file))
            i++;
        else
            vector_push(compilation->arena, &flags.args, word);
    }
    return flags;
}

// The other choreographies of the file, and those of the headers that came before it.
static void name_others(Compilation *compilation, const Choreography *choreography)
{
    const CFile *file = choreography->file;
    for (size_t i = 0; i < compilation->choreographies.count; i++) {
        const Choreography *other = compilation->choreographies.items[i];
        if (other != choreography && other->file != file && other->tree != NULL && other->tree->name.text != NULL)
            vector_push(compilation->arena, &choreography->tree->others, other->tree->name.text);
    }
    for (size_t i = 0; i < file->found.blocks.count; i++) {
        const char *name = block_name(compilation, file, &file->found.blocks.items[i]);
        if (&file->found.blocks.items[i] != choreography->block && name[0] != '\0')
            vector_push(compilation->arena, &choreography->tree->others, name);
    }
}

// What follows when the choreography has a tree, and all that it uses is known.
static void run_checks(Compilation *compilation, Choreography *choreography)
{
    Arena *arena = compilation->arena;
    Sources *sources = compilation->sources;
    Diags *diags = compilation->diags;
    const Source *source = choreography->file->source;
    size_t errors = diags_errors(diags);
    CFlags flags = flags_for(compilation, choreography->file);
    choreography->program = check_tree(arena, sources, diags, source, choreography->tree, &flags);
    if (choreography->program == NULL || diags_errors(diags) > errors)
        return;
    choreography->knowledge = knowledge_new(arena, diags, choreography->program);
    if (diags_errors(diags) > errors)
        return;
    if (compilation->options.warns_durable_gap)
        durable_warn_gaps(arena, diags, choreography->program);
    // All the way: the companions are part of what later blocks of the file are typed in.
    choreography->locals = project_all(arena, choreography->program, choreography->knowledge);
    EmitOptions options = {.source_path = path_plain(arena, source->path)};
    emit_companions(arena, choreography->program, choreography->locals, &options, &choreography->companions);
    if (diags_errors(diags) > errors)
        choreography->companions.count = 0;
    keep_companions(compilation, choreography);
}

static void run_passes(Compilation *compilation, const Unit *unit, Choreography *choreography)
{
    Diags *diags = compilation->diags;
    Pass until = compilation->options.until;
    size_t errors = diags_errors(diags);

    if (until < PASS_PARSE)
        return;
    choreography->tree = parse_block(compilation->arena, compilation->sources, diags, choreography->block);
    if (until < PASS_CHECK || diags_errors(diags) > errors)
        return;
    if (!find_uses(compilation, unit, choreography))
        return;
    name_others(compilation, choreography);
    started_mark(compilation, unit, choreography);
    run_checks(compilation, choreography);
}

// The one that is made of the definition, if it is known from another unit.
static Choreography *find_started(const Compilation *compilation, const TreeDef *def)
{
    for (size_t i = 0; i < compilation->choreographies.count; i++) {
        const Tree *tree = compilation->choreographies.items[i]->tree;
        if (tree != NULL && tree->made_of == &def->name)
            return compilation->choreographies.items[i];
    }
    return NULL;
}

static Choreography *new_started(Compilation *compilation, const Choreography *choreography, const TreeDef *def)
{
    Choreography *made = ARENA_NEW(compilation->arena, Choreography);
    size_t errors = diags_errors(compilation->diags);
    *made = (Choreography){.file = choreography->file,
                           .block = choreography->block,
                           .directory = choreography->directory,
                           .tree = started_tree(compilation, choreography->tree, def)};
    vector_push(compilation->arena, &compilation->choreographies, made);
    run_checks(compilation, made);
    if (diags_errors(compilation->diags) > errors)
        diag_note(compilation->diags, def->name.span,
                  "'%s' is started with a cast of its own, since a companion of '%s' is included: its role parameters "
                  "are all the roles that there are",
                  def->name.text, made->tree->name.text);
    return made;
}

// The choreographies that are made of its definitions.
static void add_started(Compilation *compilation, Unit *unit, const Choreography *choreography)
{
    if (choreography->program == NULL)
        return;
    started_mark(compilation, unit, choreography);
    for (size_t i = 0; i < choreography->tree->defs.count; i++) {
        const TreeDef *def = choreography->tree->defs.items[i];
        Choreography *made = def->is_started ? find_started(compilation, def) : NULL;
        if (def->is_started && made == NULL)
            made = new_started(compilation, choreography, def);
        if (made != NULL)
            vector_push(compilation->arena, &unit->choreographies, made);
    }
}

// The choreography of this block, which may be known from another unit.
static Choreography *choreography_of(Compilation *compilation, const Unit *unit, CFile *file, const FoundBlock *block)
{
    for (size_t i = 0; i < compilation->choreographies.count; i++)
        if (compilation->choreographies.items[i]->block == block)
            return compilation->choreographies.items[i];
    Choreography *choreography = ARENA_NEW(compilation->arena, Choreography);
    choreography->file = file;
    choreography->block = block;
    const char *emit_dir = compilation->options.emit_dir;
    const CFile *beside = blocks_in_library(file) ? unit->file : file;
    choreography->directory = emit_dir != NULL ? emit_dir : path_directory(compilation->arena, beside->source->path);
    vector_push(compilation->arena, &compilation->choreographies, choreography);
    run_passes(compilation, unit, choreography);
    return choreography;
}

// ---- one unit ----

static const FoundBlock *block_at(const CFile *file, uint32_t offset)
{
    for (size_t i = 0; i < file->found.blocks.count; i++)
        if (file->found.blocks.items[i].span.start == offset)
            return &file->found.blocks.items[i];
    return NULL;
}

static const char *choreography_name(const Choreography *choreography)
{
    return choreography->tree == NULL ? NULL : choreography->tree->name.text;
}

// Two of one name would have the same companions.
static void check_names(Compilation *compilation, const Unit *unit)
{
    Map names;
    map_init(&names, compilation->arena);
    for (size_t i = 0; i < unit->choreographies.count; i++) {
        Choreography *choreography = unit->choreographies.items[i];
        const char *name = choreography_name(choreography);
        if (name == NULL)
            continue;
        const Choreography *first = map_get(&names, name);
        if (first == NULL) {
            map_put(&names, name, choreography);
            continue;
        }
        diag_error(compilation->diags, choreography->tree->name.span, "there is another choreography named '%s' here",
                   name);
        diag_note(compilation->diags, first->tree->name.span, "this is the other one");
    }
}

static void add_block(Compilation *compilation, Unit *unit, CFile *file, const FoundBlock *block)
{
    Arena *arena = compilation->arena;
    for (size_t i = 0; i < unit->choreographies.count; i++)
        if (unit->choreographies.items[i]->block == block)
            return; // a header that is included twice
    if (file != unit->file && compilation->options.emit_dir == NULL && !blocks_in_library(file))
        add_companion_dir(compilation, path_directory(arena, file->source->path));
    Choreography *choreography = choreography_of(compilation, unit, file, block);
    vector_push(arena, &unit->choreographies, choreography);
    add_started(compilation, unit, choreography);
}

static void add_expansion(Compilation *compilation, Unit *unit, const CExpansion *expansion)
{
    const char *error;
    CFile *file = blocks_load(compilation, path_plain(compilation->arena, expansion->path), &error);
    if (file == NULL)
        diag_error(compilation->diags, SPAN_NONE, "%s: %s", expansion->path, error);
    const FoundBlock *block = file == NULL ? NULL : block_at(file, expansion->offset);
    // Without one it was made by another macro: to us it is not a choreography.
    if (block != NULL)
        add_block(compilation, unit, file, block);
}

// What a macro makes would be ignored: its text is nowhere in the file.
static void report_made(Compilation *compilation, const CFile *unit_file, const FoundMaker *maker)
{
    CExpansionList uses = {0};
    const char *error;
    if (!ctypes_expansions(compilation->arena, unit_file->source, &compilation->flags, maker->name, &uses, &error))
        return;
    for (size_t i = 0; i < uses.count; i++) {
        CFile *user = blocks_load(compilation, path_plain(compilation->arena, uses.items[i].path), &error);
        if (user == NULL)
            continue;
        Span span = {user->source->id, uses.items[i].offset, uses.items[i].offset + (uint32_t)strlen(maker->name)};
        diag_error(compilation->diags, span,
                   "a choreography can't come out of a macro: write 'choreography(...)' here");
        diag_note(compilation->diags, maker->span, "the macro '%s' is defined here", maker->name);
    }
}

static void report_all_made(Compilation *compilation, const CFile *unit_file, const CFile *file, Map *seen)
{
    if (map_has(seen, file->real_path))
        return;
    map_put(seen, file->real_path, seen);
    for (size_t i = 0; i < file->found.makers.count; i++)
        report_made(compilation, unit_file, &file->found.makers.items[i]);
    for (size_t i = 0; i < file->includes.count; i++)
        report_all_made(compilation, unit_file, file->includes.items[i], seen);
}

// To C, a macro's arguments that never end are no use of it: ask again with an end right behind the beginning.
static bool unclosed_is_active(Compilation *compilation, const CFile *file, const FoundBlock *block)
{
    const Source *source = file->source;
    uint32_t size = block->inside.start;
    const char *text = arena_printf(compilation->arena, "%.*s)\n", (int)size, source->text);
    const Source *closed = source_add(sources_new(compilation->arena), source->path, text, strlen(text));
    CExpansionList active = {0};
    const char *error;
    CFlags flags = flags_for(compilation, file);
    if (!ctypes_expansions(compilation->arena, closed, &flags, "choreography", &active, &error))
        return false;
    for (size_t i = 0; i < active.count; i++)
        if (active.items[i].offset == block->span.start && file_same(active.items[i].path, source->path))
            return true;
    return false;
}

static void add_unclosed(Compilation *compilation, Unit *unit)
{
    CFile *file = blocks_unclosed(compilation, unit->file);
    if (file == NULL)
        return;
    const FoundBlock *block = &file->found.blocks.items[file->found.blocks.count - 1];
    if (unclosed_is_active(compilation, file, block))
        add_block(compilation, unit, file, block);
}

// `choreography(name, (` can't be a call of a function.
static bool looks_like_ours(const Source *source, const FoundBlock *block)
{
    const char *at = source->text + block->inside.start;
    while (isspace((unsigned char)*at))
        at++;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    at += strspn(at, " \t\r\n");
    if (*at++ != ',')
        return false;
    at += strspn(at, " \t\r\n");
    return *at == '(';
}

// A block that is not active because nothing defines the macro would give puzzling errors in C.
static void warn_without_header(Compilation *compilation, const CFile *file)
{
    const Source *source = file->source;
    for (size_t i = 0; i < file->includes.count; i++)
        if (memmem(file->includes.items[i]->source->text, file->includes.items[i]->source->size, "chorex.h", 8) != NULL)
            return;
    if (memmem(source->text, source->size, "chorex.h", 8) != NULL || file->found.blocks.count == 0)
        return;
    const FoundBlock *block = &file->found.blocks.items[0];
    if (looks_like_ours(source, block))
        diag_warning(compilation->diags, (Span){source->id, block->span.start, block->inside.start},
                     "this is not read as a choreography: '#include <chorex.h>' is missing above it");
}

static bool has_real_path(const char *path)
{
    char *real = realpath(path, NULL);
    bool has_one = real != NULL;
    free(real);
    return has_one;
}

// Files that are none of our business go to the C compiler as they are. So do pipes that the shell has made, whose path
// leads nowhere; a named pipe could hold a choreography, which nobody would see.
static bool is_for_cc(const Compilation *compilation, const char *path)
{
    struct stat status;
    if (compilation->options.wants_all || stat(path, &status) != 0 || S_ISDIR(status.st_mode) ||
        access(path, R_OK) != 0)
        return false;
    if (S_ISFIFO(status.st_mode) && has_real_path(path))
        return false;
    return !S_ISREG(status.st_mode) || (status.st_size > 0 && !blocks_word_in_file(path));
}

Unit *compilation_add(Compilation *compilation, const char *path)
{
    const char *error;
    CFile *file = blocks_load(compilation, path, &error);
    if (file == NULL) {
        if (!is_for_cc(compilation, path))
            diag_error(compilation->diags, SPAN_NONE, "%s: %s", path, error);
        return NULL;
    }
    if (!blocks_concern_us(compilation, file) || !blocks_check_text(compilation, file) ||
        !blocks_check_companions(compilation, file))
        return NULL;
    CExpansionList active = {0};
    if (!ctypes_expansions(compilation->arena, file->source, &compilation->flags, "choreography", &active, &error)) {
        diag_error(compilation->diags, SPAN_NONE, "%s: %s", path, error);
        return NULL;
    }
    Unit *unit = ARENA_NEW(compilation->arena, Unit);
    unit->file = file;
    for (size_t i = 0; i < active.count; i++)
        add_expansion(compilation, unit, &active.items[i]);
    add_unclosed(compilation, unit);
    Map seen;
    map_init(&seen, compilation->arena);
    report_all_made(compilation, file, file, &seen);
    if (unit->choreographies.count == 0)
        warn_without_header(compilation, file);
    check_names(compilation, unit);
    return unit;
}

// ---- C++ ----

void compilation_refuse_cxx(Compilation *compilation, const char *path)
{
    const char *error;
    CFile *file = blocks_load(compilation, path, &error);
    // What can't be read the C++ compiler will complain about.
    if (file == NULL || !blocks_in_cxx(compilation, file))
        return;
    CFlags flags = compilation->flags;
    flags.is_cxx = true;
    CExpansionList active = {0};
    if (!ctypes_expansions(compilation->arena, file->source, &flags, "choreography", &active, &error))
        return;
    for (size_t i = 0; i < active.count; i++) {
        CFile *holder = blocks_load(compilation, path_plain(compilation->arena, active.items[i].path), &error);
        const FoundBlock *block = holder == NULL ? NULL : block_at(holder, active.items[i].offset);
        if (block == NULL || blocks_is_c_header(holder->source->path))
            continue;
        diag_error(compilation->diags, (Span){holder->source->id, block->span.start, block->inside.start},
                   "a choreography can't stand in a C++ file: move it to a C file, or to a header of C (.h)");
        diag_note(compilation->diags, SPAN_NONE, "C++ can start it: '#include \"NAME.chor.h\"'");
    }
}

// ---- for the tools ----

Choreography *compilation_find(const Compilation *compilation, const char *name, size_t name_length)
{
    for (size_t i = 0; i < compilation->choreographies.count; i++) {
        const char *other = choreography_name(compilation->choreographies.items[i]);
        if (other != NULL && strlen(other) == name_length && memcmp(other, name, name_length) == 0)
            return compilation->choreographies.items[i];
    }
    return NULL;
}

RoleId choreography_role(const Choreography *choreography, const char *name)
{
    for (RoleId role = 0; choreography->program != NULL && role < choreography->program->role_count; role++)
        if (strcmp(choreography->program->role_names[role], name) == 0)
            return role;
    return ROLE_NONE;
}
