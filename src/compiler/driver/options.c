// options.c: reads the command line.
//
// What cc may be given is open-ended, so an unknown option passes through. What must be known is which options take the
// next word as their argument: it is not an input then.

#define _GNU_SOURCE

#include "compiler/driver/options.h"
#include "compiler/driver/response.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool starts_with(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static bool ends_with(const char *word, const char *suffix)
{
    size_t length = strlen(word), suffix_length = strlen(suffix);
    return length >= suffix_length && strcmp(word + length - suffix_length, suffix) == 0;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

// Options of gcc and clang whose argument is the next word when they stand alone.
static const char take_argument[] =
    " -o -I -D -U -L -l -x -T -u -z -e -h -A -B -G -F -include -imacros -isystem -iquote -idirafter -iprefix"
    " -iwithprefix -iwithprefixbefore -isysroot -imultilib -include-pch -ivfsoverlay -MF -MT -MQ -MJ -Xlinker"
    " -Xassembler -Xpreprocessor -Xclang -Xanalyzer -mllvm -aux-info -dumpbase -dumpbase-ext -dumpdir -wrapper -target"
    " -arch -framework -install_name -Tbss -Tdata -Ttext -gcc-toolchain --param --sysroot --output --include"
    " --include-directory --define-macro --undefine-macro --language --for-linker --for-assembler --entry --imacros"
    " -current_version -compatibility_version -undefined -Xarch_host -Xarch_device ";

static bool takes_argument(const char *word)
{
    size_t length = strlen(word);
    for (const char *at = take_argument; (at = strstr(at, word)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

typedef struct {
    const char *word;
    Dump dump;
} DumpName;

typedef struct {
    Arena *arena;
    Options *options;
    ResponseWord *words;
    size_t count, at;
    const char *language; // -x; NULL: by the file's name
    const char *error;
} OptionParser;

static bool fail(OptionParser *parser, const char *message)
{
    parser->error = message;
    return false;
}

static bool set_mode(OptionParser *parser, Mode mode, const char *word)
{
    Options *options = parser->options;
    if ((options->mode == MODE_CFLAGS && mode == MODE_LIBS) || (options->mode == MODE_LIBS && mode == MODE_CFLAGS)) {
        options->mode = MODE_CFLAGS_AND_LIBS;
        return true;
    }
    if (options->mode != MODE_COMPILE && strcmp(options->mode_word, word) != 0)
        return fail(parser, arena_printf(parser->arena, "'%s' and '%s' exclude each other", options->mode_word, word));
    options->mode = mode;
    options->mode_word = word;
    return true;
}

// The argument of one of our own options: the next word.
static bool take_own_argument(OptionParser *parser, const char *what, const char **argument)
{
    const char *word = parser->words[parser->at].text;
    if (parser->at + 1 >= parser->count || parser->words[parser->at + 1].text[0] == '-')
        return fail(parser, arena_printf(parser->arena, "'%s' needs %s", word, what));
    parser->at++;
    parser->words[parser->at].is_own = true;
    *argument = parser->words[parser->at].text;
    return true;
}

static bool parse_dump(OptionParser *parser, const char *word, const char *value)
{
    static const DumpName names[] = {
        {"tokens", DUMP_TOKENS}, {"tree", DUMP_TREE},   {"types", DUMP_TYPES},
        {"local", DUMP_LOCAL},   {"model", DUMP_MODEL},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(value, names[i].word) == 0) {
            parser->options->dump = names[i].dump;
            return set_mode(parser, MODE_DUMP, word);
        }
    }
    return fail(parser, arena_printf(parser->arena, "unknown '%s': --dump=tokens, tree, types, local or model", word));
}

static bool parse_diagnostics(OptionParser *parser, const char *word, const char *value)
{
    Options *options = parser->options;
    if (strcmp(value, "text") == 0)
        options->diagnostics = DIAG_TEXT;
    else if (strcmp(value, "json") == 0)
        options->diagnostics = DIAG_JSON;
    else if (strcmp(value, "sarif") == 0)
        options->diagnostics = DIAG_SARIF;
    else
        return fail(parser, arena_printf(parser->arena, "unknown '%s': --diagnostics=text, json or sarif", word));
    return true;
}

static bool parse_color(OptionParser *parser, const char *word, const char *value)
{
    Options *options = parser->options;
    if (strcmp(value, "auto") == 0)
        options->color = COLOR_AUTO;
    else if (strcmp(value, "always") == 0)
        options->color = COLOR_ALWAYS;
    else if (strcmp(value, "never") == 0)
        options->color = COLOR_NEVER;
    else
        return fail(parser, arena_printf(parser->arena, "unknown '%s': --color=auto, always or never", word));
    return true;
}

static bool parse_emit_dir(OptionParser *parser, const char *value)
{
    if (value[0] == '\0')
        return fail(parser, "'--emit-dir' needs a directory");
    // "-I-" and the like would be options.
    parser->options->emit_dir = value[0] == '-' ? arena_printf(parser->arena, "./%s", value) : value;
    return true;
}

// Names with commas between them.
static bool parse_libs(OptionParser *parser, const char *word, const char *value)
{
    static const struct {
        const char *name;
        unsigned set;
    } libraries[] = {{"net", LIBRARY_NET},
                     {"nats", LIBRARY_NATS | LIBRARY_NET},
                     {"sqlite", LIBRARY_SQLITE},
                     {"postgres", LIBRARY_POSTGRES}};
    char *rest = arena_strdup(parser->arena, value);
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        size_t i = 0, count = sizeof libraries / sizeof libraries[0];
        while (i < count && strcmp(name, libraries[i].name) != 0)
            i++;
        if (i == count)
            return fail(parser,
                        arena_printf(parser->arena,
                                     "unknown '%s': --libs, or --libs=net, nats, sqlite, postgres, or several of "
                                     "them with commas in between",
                                     word));
        parser->options->libraries |= libraries[i].set;
    }
    return set_mode(parser, MODE_LIBS, word);
}

static bool parse_subject(OptionParser *parser, Mode mode, const char *word, const char *what)
{
    return take_own_argument(parser, what, &parser->options->subject) && set_mode(parser, mode, word);
}

// *is_own: it is one of chorcc's. The result is false on wrong usage.
static bool parse_own(OptionParser *parser, const char *word, bool *is_own)
{
    *is_own = true;
    if (strcmp(word, "--emit") == 0)
        return set_mode(parser, MODE_EMIT, word);
    if (starts_with(word, "--emit-dir="))
        return parse_emit_dir(parser, word + strlen("--emit-dir="));
    if (strcmp(word, "--emit-dir") == 0)
        return take_own_argument(parser, "a directory", &parser->options->emit_dir);
    if (strcmp(word, "--showme") == 0)
        return set_mode(parser, MODE_SHOWME, word);
    if (strcmp(word, "--showme:compile") == 0 || strcmp(word, "--cflags") == 0)
        return set_mode(parser, MODE_CFLAGS, word);
    if (strcmp(word, "--showme:link") == 0 || strcmp(word, "--libs") == 0)
        return set_mode(parser, MODE_LIBS, word);
    if (starts_with(word, "--libs="))
        return parse_libs(parser, word, word + strlen("--libs="));
    if (starts_with(word, "--showme"))
        return fail(parser,
                    arena_printf(parser->arena, "unknown '%s': --showme, --showme:compile or --showme:link", word));
    if (strcmp(word, "--stubs") == 0)
        return parse_subject(parser, MODE_STUBS, word, "NAME.ROLE");
    if (strcmp(word, "--central") == 0)
        return parse_subject(parser, MODE_CENTRAL, word, "the name of a choreography");
    if (strcmp(word, "--dump") == 0)
        return fail(parser, "'--dump' needs a pass: --dump=tokens, tree, types, local or model");
    if (starts_with(word, "--dump="))
        return parse_dump(parser, word, word + strlen("--dump="));
    if (starts_with(word, "--diagnostics"))
        return parse_diagnostics(parser, word, strchr(word, '=') == NULL ? "" : strchr(word, '=') + 1);
    if (strcmp(word, "--color") == 0 || starts_with(word, "--color="))
        return parse_color(parser, word, strchr(word, '=') == NULL ? "" : strchr(word, '=') + 1);
    if (strcmp(word, "-Wdurable-gap") == 0 || strcmp(word, "-Wno-durable-gap") == 0) {
        parser->options->warns_durable_gap = word[2] == 'd';
        return true;
    }
    if (strcmp(word, "--help") == 0)
        return set_mode(parser, MODE_HELP, word);
    if (strcmp(word, "--version") == 0)
        return set_mode(parser, MODE_VERSION, word);
    *is_own = false;
    return true;
}

// What an option of cc's means to us.
static void note_cc_option(Options *options, const char *word)
{
    static const char *const no_link[] = {"-c",        "-S",         "-E",           "-M", "-MM", "-fsyntax-only",
                                          "--compile", "--assemble", "--preprocess", NULL};
    static const char *const preprocess[] = {"-E", "-M", "-MM", "--preprocess", NULL};
    static const char *const no_libs[] = {"-nostdlib", "-nodefaultlibs", "-r", NULL};
    options->stops_early |= is_one_of(word, no_link);
    options->only_preprocesses |= is_one_of(word, preprocess);
    options->adds_no_libs |= is_one_of(word, no_libs);
    if (strcmp(word, "-###") == 0)
        options->is_dry_run = true;
    if (strcmp(word, "-w") == 0)
        options->nowarn = true;
    if (strcmp(word, "-Werror") == 0)
        options->werror = true;
    if (strcmp(word, "-Wno-error") == 0)
        options->werror = false;
    if (starts_with(word, "-l") || starts_with(word, "-Wl,") || starts_with(word, "-T") ||
        strcmp(word, "-Xlinker") == 0)
        options->has_link_input = true;
    if (strcmp(word, "-v") == 0 || strcmp(word, "-###") == 0 || strcmp(word, "-V") == 0 ||
        strcmp(word, "-qversion") == 0 || starts_with(word, "-dump") || starts_with(word, "-print-") ||
        starts_with(word, "--print-") || starts_with(word, "--help") || starts_with(word, "--target-help") ||
        starts_with(word, "--dump") || strcmp(word, "--verbose") == 0)
        options->asks_cc = true;
}

static bool has_ending_of(const char *path, const char *const *endings)
{
    for (; *endings != NULL; endings++)
        if (ends_with(path, *endings))
            return true;
    return false;
}

static void add_input(OptionParser *parser, const char *path)
{
    static const char *const cxx_headers[] = {".hh", ".H", ".hp", ".hxx", ".hpp", ".HPP", ".h++", ".tcc", NULL};
    static const char *const cxx_sources[] = {".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", NULL};
    const char *language = parser->language;
    bool is_header = language != NULL ? strcmp(language, "c-header") == 0 : ends_with(path, ".h");
    bool is_c = language != NULL ? is_header || strcmp(language, "c") == 0 : is_header || ends_with(path, ".c");
    // Standard input can be read only once: it is cc's.
    bool is_cxx_header = language != NULL ? strcmp(language, "c++-header") == 0 : has_ending_of(path, cxx_headers);
    bool is_cxx = is_cxx_header || (language != NULL ? strcmp(language, "c++") == 0 : has_ending_of(path, cxx_sources));
    Input input = {path, is_c && strcmp(path, "-") != 0, is_header || is_cxx_header, is_cxx && strcmp(path, "-") != 0};
    vector_push(parser->arena, &parser->options->inputs, input);
}

static void set_language(OptionParser *parser, const char *language)
{
    parser->language = strcmp(language, "none") == 0 ? NULL : language;
}

static bool parse_cc_option(OptionParser *parser, const char *word)
{
    Options *options = parser->options;
    note_cc_option(options, word);
    const char *argument = NULL;
    if (takes_argument(word)) {
        // What we add behind it would become its argument.
        if (parser->at + 1 >= parser->count)
            return fail(parser, arena_printf(parser->arena, "'%s' needs an argument", word));
        argument = parser->words[++parser->at].text;
    }

    if (strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0) {
        options->output = argument;
        return true;
    }
    if (starts_with(word, "-o") && argument == NULL) {
        options->output = word + 2;
        return true;
    }
    if (strcmp(word, "-x") == 0 && argument != NULL)
        set_language(parser, argument);
    else if (starts_with(word, "-x") && word[2] != '\0')
        set_language(parser, word + 2);
    vector_push(parser->arena, &options->read_args, word);
    if (starts_with(word, "--") && argument == NULL)
        vector_push(parser->arena, &options->long_options, word);
    if (argument != NULL)
        vector_push(parser->arena, &options->read_args, argument);
    return true;
}

// A response file without options of ours is passed on as it is: it exists because the words are too many.
static void collect_cc_args(OptionParser *parser, const char *const *words, size_t count)
{
    size_t at = 0;
    for (size_t argument = 0; argument < count; argument++) {
        size_t first = at;
        bool has_own = false;
        for (; at < parser->count && parser->words[at].argument == argument; at++)
            has_own |= parser->words[at].is_own;
        bool is_response = at != first + 1 || strcmp(parser->words[first].text, words[argument]) != 0;
        if (is_response && !has_own) {
            vector_push(parser->arena, &parser->options->cc_args, words[argument]);
            continue;
        }
        for (size_t i = first; i < at; i++)
            if (!parser->words[i].is_own)
                vector_push(parser->arena, &parser->options->cc_args, parser->words[i].text);
    }
}

bool options_parse(Arena *arena, const char *const *words, size_t count, Options *options, const char **error)
{
    *options = (Options){.mode = MODE_COMPILE};
    OptionParser parser = {.arena = arena, .options = options};
    parser.words = response_expand(arena, words, count, &parser.count, error);
    if (*error != NULL)
        return false;
    for (; parser.at < parser.count; parser.at++) {
        ResponseWord *word = &parser.words[parser.at];
        if (word->text[0] != '-' || word->text[1] == '\0') {
            add_input(&parser, word->text);
            continue;
        }
        bool is_own;
        bool good = parse_own(&parser, word->text, &is_own);
        word->is_own = is_own;
        if (!good || (!is_own && !parse_cc_option(&parser, word->text))) {
            *error = parser.error;
            return false;
        }
    }
    collect_cc_args(&parser, words, count);
    return true;
}

bool options_wants_color(const Options *options)
{
    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && (no_color == NULL || no_color[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}
