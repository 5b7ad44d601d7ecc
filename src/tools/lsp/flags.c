// flags.c: see flags.h. The database is looked for beside the file, in `build` there, and so on upwards.

#define _GNU_SOURCE

#include "tools/lsp/flags.h"

#include "compiler/driver/options.h"
#include "compiler/driver/path.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char NAME[] = "compile_commands.json";

static const char *find_database(Arena *arena, const char *path)
{
    static const char *const folders[] = {"", "build/"};
    const char *directory = path_directory(arena, path);
    for (;;) {
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            const char *file = arena_printf(arena, "%s/%s%s", directory, folders[i], NAME);
            if (access(file, R_OK) == 0)
                return file;
        }
        if (strcmp(directory, "/") == 0 || strcmp(directory, ".") == 0)
            return NULL;
        directory = path_directory(arena, directory);
    }
}

static const char *absolute(Arena *arena, const char *directory, const char *path)
{
    return path[0] == '/' ? path : path_join(arena, directory, path);
}

// The words of a command line, as a shell takes it apart.
static void split_command(Arena *arena, const char *command, FlagList *words)
{
    const char *at = command;
    while (*at != '\0') {
        at += strspn(at, " \t\n");
        if (*at == '\0')
            return;
        char *word = arena_alloc(arena, strlen(at) + 1), *to = word;
        for (char quote = '\0'; *at != '\0' && (quote != '\0' || strchr(" \t\n", *at) == NULL); at++) {
            if (quote == '\0' && (*at == '\'' || *at == '"'))
                quote = *at;
            else if (*at == quote)
                quote = '\0';
            else if (*at == '\\' && quote != '\'' && at[1] != '\0')
                *to++ = *++at;
            else
                *to++ = *at;
        }
        *to = '\0';
        vector_push(arena, words, (const char *)word);
    }
}

static void entry_words(Arena *arena, json_t *entry, FlagList *words)
{
    json_t *arguments = json_object_get(entry, "arguments");
    const char *command = json_string_value(json_object_get(entry, "command"));
    if (!json_is_array(arguments) && command != NULL)
        split_command(arena, command, words);
    size_t index;
    json_t *word;
    json_array_foreach(arguments, index, word)
    {
        if (json_is_string(word))
            vector_push(arena, words, (const char *)arena_strdup(arena, json_string_value(word)));
    }
}

static const char *entry_path(Arena *arena, json_t *entry)
{
    const char *file = json_string_value(json_object_get(entry, "file"));
    const char *directory = json_string_value(json_object_get(entry, "directory"));
    if (file == NULL)
        return NULL;
    return path_real(arena, absolute(arena, directory != NULL ? directory : "/", arena_strdup(arena, file)));
}

// The file's own entry; else that of another file in its folder, which a header's flags are like; else the first.
static json_t *find_entry(Arena *arena, json_t *database, const char *path)
{
    const char *folder = path_directory(arena, path);
    json_t *entry, *beside = NULL, *first = NULL;
    size_t index;
    json_array_foreach(database, index, entry)
    {
        const char *file = entry_path(arena, entry);
        if (file == NULL)
            continue;
        if (strcmp(file, path) == 0)
            return entry;
        if (beside == NULL && strcmp(path_directory(arena, file), folder) == 0)
            beside = entry;
        if (first == NULL)
            first = entry;
    }
    return beside != NULL ? beside : first;
}

// Options that name a folder or a file, whose argument may stand in the next word.
static const char *const PATHS[] = {"-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"};

static void add_absolute(Arena *arena, const char *directory, const char *const *words, size_t count, FlagList *list)
{
    for (size_t i = 0; i < count; i++) {
        const char *option = NULL;
        for (size_t k = 0; k < sizeof PATHS / sizeof *PATHS && option == NULL; k++)
            if (strncmp(words[i], PATHS[k], strlen(PATHS[k])) == 0)
                option = PATHS[k];
        if (option == NULL) {
            vector_push(arena, list, words[i]);
            continue;
        }
        const char *value = words[i] + strlen(option);
        if (value[0] == '\0' && i + 1 == count)
            return;
        if (value[0] == '\0')
            value = words[++i];
        // What -include names is looked for in the folders, too.
        const char *whole = absolute(arena, directory, value);
        bool is_file = strncmp(option, "-i", 2) == 0 && (option[2] == 'n' || option[2] == 'm');
        vector_push(arena, list, option);
        vector_push(arena, list, is_file && access(whole, R_OK) != 0 ? value : whole);
    }
}

static bool take_entry(Arena *arena, json_t *entry, FileFlags *flags)
{
    const char *given = json_string_value(json_object_get(entry, "directory"));
    const char *directory = given != NULL ? arena_strdup(arena, given) : "/";
    FlagList words = {0};
    entry_words(arena, entry, &words);
    Options options;
    const char *error;
    // The first word is the compiler, perhaps behind `ccache`.
    size_t first = words.count > 2 && strstr(words.items[0], "ccache") != NULL ? 2 : 1;
    if (words.count < first || !options_parse(arena, words.items + first, words.count - first, &options, &error))
        return false;
    add_absolute(arena, directory, options.read_args.items, options.read_args.count, &flags->args);
    // The folder in which the compiler runs is where an option's plain name is looked for.
    if (options.emit_dir != NULL)
        flags->emit_dir = absolute(arena, directory, options.emit_dir);
    flags->warns_durable_gap = options.warns_durable_gap;
    flags->nowarn = options.nowarn;
    return true;
}

static json_t *load_database(const char *path)
{
    json_error_t error;
    json_t *database = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (json_is_array(database))
        return database;
    json_decref(database);
    return NULL;
}

void flags_find(Arena *arena, const char *path, const FlagList *defaults, FileFlags *flags)
{
    *flags = (FileFlags){.database = find_database(arena, path)};
    json_t *database = flags->database != NULL ? load_database(flags->database) : NULL;
    json_t *entry = database != NULL ? find_entry(arena, database, path) : NULL;
    bool is_taken = entry != NULL && take_entry(arena, entry, flags);
    json_decref(database);
    for (size_t i = 0; !is_taken && i < defaults->count; i++)
        vector_push(arena, &flags->args, defaults->items[i]);
}

void flags_files(Arena *arena, const char *path, FlagList *files)
{
    const char *name = find_database(arena, path);
    json_t *database = name != NULL ? load_database(name) : NULL, *entry;
    size_t index;
    json_array_foreach(database, index, entry)
    {
        const char *file = entry_path(arena, entry);
        if (file != NULL)
            vector_push(arena, files, file);
    }
    json_decref(database);
}
