// main.c: the command line of chorex-sessions.

#define _GNU_SOURCE

#include "tools/sessions/sessions.h"

#include "chorex.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void print_help(FILE *out)
{
    fputs("Usage: chorex sessions [list] STORE\n"
          "       chorex sessions show STORE NAME\n"
          "       chorex sessions drop STORE NAME\n"
          "       chorex sessions export STORE NAME [FILE]\n"
          "\n"
          "Looks into a store of sessions with durable blocks. STORE is sqlite:FILE, or "
          "postgresql://USER@HOST/DATABASE, or the\n"
          "name of a file; it may be left out if the environment variable CHOREX_STORE has it.\n"
          "\n"
          "  list     all sessions: where they stand, how old that is, what they wait for\n"
          "  show     one session, with the pieces of its state\n"
          "  drop     removes it; it can't be resumed any more\n"
          "  export   writes it to a new file, or to standard output, with all of its state, as JSON\n"
          "\n"
          "  --choreography NAME  only sessions of this choreography\n"
          "  --space NAME         only sessions of this space\n"
          "  --drop NAME          the same as the command\n"
          "  --export NAME        the same as the command\n"
          "  --json               for programs to read\n"
          "  --force              drop it although the program, or node, that decides about it is alive\n"
          "  --help, --version\n",
          out);
}

int sessions_error(int status, const char *format, ...)
{
    va_list arguments;
    fputs("chorex sessions: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(status == EXIT_USAGE ? " (see 'chorex sessions --help')\n" : "\n", stderr);
    return status;
}

static const struct option all_options[] = {
    {"choreography", required_argument, NULL, 'c'},
    {"space", required_argument, NULL, 's'},
    {"drop", required_argument, NULL, 'd'},
    {"export", required_argument, NULL, 'e'},
    {"json", no_argument, NULL, 'j'},
    {"force", no_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},
    {NULL, 0, NULL, 0},
};

static const struct {
    const char *word;
    Command command;
    int arguments, optional; // besides the store
    const char *wanted;
} commands[] = {
    {"list", COMMAND_LIST, 0, 0, "a store"},
    {"show", COMMAND_SHOW, 1, 0, "a store and the name of a session"},
    {"drop", COMMAND_DROP, 1, 0, "a store and the name of a session"},
    {"export", COMMAND_EXPORT, 1, 1, "a store, the name of a session and, if you like, that of a file"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static size_t find_command(const char *word)
{
    size_t i = 0;
    while (i < COMMAND_COUNT && strcmp(word, commands[i].word) != 0)
        i++;
    return i;
}

// The words behind the command: [STORE] [NAME] [FILE]. The store may be left out if the environment has it, unless a file is named.
static int parse_arguments(char **words, int count, size_t which, Options *options)
{
    int arguments = options->has_command ? 0 : commands[which].arguments;
    options->store = getenv("CHOREX_STORE");
    bool has_store = options->store != NULL && options->store[0] != '\0';
    if (count > arguments && count <= arguments + 1 + commands[which].optional) {
        options->store = *words++;
        count--;
    } else if (count != arguments || !has_store) {
        return sessions_error(EXIT_USAGE, "'%s' needs %s", commands[which].word, commands[which].wanted);
    }
    if (arguments > 0)
        options->name = *words++;
    options->file = count > arguments ? *words : NULL;
    return 0;
}

// The command may also stand behind the store.
static int parse_words(char **words, int count, Options *options)
{
    size_t which = count > 0 ? find_command(words[0]) : 0;
    if (options->has_command) {
        for (which = 0; commands[which].command != options->command;)
            which++;
        return parse_arguments(words, count, which, options);
    }
    bool is_behind = which == COMMAND_COUNT && count > 1 && find_command(words[1]) < COMMAND_COUNT;
    if (is_behind) {
        which = find_command(words[1]);
        words[1] = words[0];
    }
    bool has_word = count > 0 && which < COMMAND_COUNT;
    if (which == COMMAND_COUNT)
        which = 0; // list
    options->command = commands[which].command;
    return parse_arguments(words + has_word, count - has_word, which, options);
}

static void options_name(Options *options, Command command)
{
    options->command = command;
    options->name = optarg;
    options->has_command = true;
}

int options_parse(int argc, char **argv, Options *options)
{
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", all_options, NULL)) != -1;) {
        if (option == 'h')
            print_help(stdout);
        else if (option == 'v')
            printf("chorex-sessions %s\n", CHX_VERSION);
        else if (option == 'c')
            options->choreography = optarg;
        else if (option == 's')
            options->space = optarg;
        else if (option == 'd' || option == 'e')
            options_name(options, option == 'd' ? COMMAND_DROP : COMMAND_EXPORT);
        else if (option == 'j')
            options->is_json = true;
        else if (option == 'f')
            options->is_forced = true;
        else
            return sessions_error(EXIT_USAGE, option == ':' ? "'%s' needs a value" : "unknown option '%s'",
                                  argv[optind - 1]);
        options->is_done |= option == 'h' || option == 'v';
    }
    return options->is_done ? 0 : parse_words(argv + optind, argc - optind, options);
}

static int run(int argc, char **argv)
{
    static int (*const all[])(const Store *store, const Options *options) = {
        [COMMAND_LIST] = sessions_list,
        [COMMAND_SHOW] = sessions_show,
        [COMMAND_DROP] = sessions_drop,
        [COMMAND_EXPORT] = sessions_export,
    };
    Options options = {0};
    Store store;
    int status = options_parse(argc, argv, &options);
    if (status != 0 || options.is_done)
        return status;
    status = store_open(options.store, &store);
    if (status != 0)
        return status;
    status = all[options.command](&store, &options);
    store.ops->close(store.store);
    return status;
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    bool failed = fflush(stdout) != 0;
    if (status != 0 || (!failed && !ferror(stdout)))
        return status;
    return sessions_error(EXIT_WRONG, "standard output can't be written");
}
