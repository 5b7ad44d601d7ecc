// chorex: small helps around choreographies. The compiler itself is chorcc.

#include "chorex.h"
#include "compiler/driver/cc.h"
#include "compiler/driver/chorcc.h"
#include "tools/chorex/new.h"
#include "tools/chorex/tool.h"
#include "tools/diagram/diagram.h"
#include "tools/trace/trace.h"

#include <string.h>
#include <unistd.h>

static void print_help(FILE *out)
{
    fputs("Usage: chorex COMMAND\n"
          "\n"
          "  chorex new NAME                          write a first program, NAME.c\n"
          "  chorex check FILE... [compiler options]  report what is wrong in choreographies; write nothing\n"
          "  chorex diagram FILE [NAME[.DEF]]         draw choreographies; see 'chorex diagram --help'\n"
          "  chorex trace FILE...                     show recorded runs, in a browser or as text; see 'chorex trace "
          "--help'\n"
          "  chorex certs ...                         certificates for roles on several hosts; see 'chorex certs "
          "--help'\n"
          "  chorex run PROGRAM [ARGUMENTS...]        run it with a process for each role; see 'chorex run --help'\n"
          "  chorex ping ADDRESS                      is a node there, and who is it? See 'chorex ping --help'\n"
          "  chorex sessions STORE                    sessions with durable blocks; see 'chorex sessions --help'\n"
          "  chorex sweep PROGRAM [ARGUMENTS...]      what survives crashes and hangs; see 'chorex sweep --help'\n"
          "  chorex top PID|SOCKET                    what a running program does; see 'chorex top --help'\n"
          "  chorex lsp                               the language server, for editors; see 'chorex lsp --help'\n"
          "  chorex version\n"
          "  chorex help\n"
          "\n"
          "To compile, use chorcc as you would use cc: chorcc hello.c -o hello\n",
          out);
}

static int usage_error(const char *message)
{
    fprintf(stderr, "chorex: error: %s (see 'chorex help')\n", message);
    return 2;
}

static int check_files(Arena *arena, const Options *options)
{
    CompilationOptions wanted = {
        .until = PASS_EMIT,
        .cc_args = options->read_args.items,
        .cc_arg_count = options->read_args.count,
        .include_dir = places_find(arena).include_dir,
        .emit_dir = options->emit_dir,
        .wants_all = true,
    };
    Compilation *compilation = compilation_new(arena, &wanted);
    diags_set_werror(compilation->diags, options->werror);
    diags_set_nowarn(compilation->diags, options->nowarn);
    for (size_t i = 0; i < options->inputs.count; i++) {
        if (options->inputs.items[i].is_cxx)
            compilation_refuse_cxx(compilation, options->inputs.items[i].path);
        if (!options->inputs.items[i].is_c)
            continue;
        Unit *unit = compilation_add(compilation, options->inputs.items[i].path);
        if (unit != NULL && diags_errors(compilation->diags) == 0 && !options->inputs.items[i].is_header)
            compilation_verify(compilation, unit, NULL, NULL);
    }
    diags_print(compilation->diags, options->diagnostics, options_wants_color(options), stderr);
    return diags_errors(compilation->diags) > 0;
}

static int check(const char *const *words, size_t count)
{
    Arena *arena = arena_new();
    Options options;
    const char *error;
    int status;
    if (!options_parse(arena, words, count, &options, &error))
        status = usage_error(error);
    else if (options.inputs.count == 0)
        status = usage_error("no input files");
    else
        status = check_files(arena, &options);
    arena_free(arena);
    return status;
}

// A name can be wrong for several reasons (a word of C, one of the library's), and the compiler knows them all.
static int make_new(const char *name)
{
    char path[NEW_PATH_SIZE];
    int status = new_write(name, path);
    if (status != 0)
        return status;
    const char *const words[] = {path};
    if (check(words, 1) != 0) {
        unlink(path);
        fprintf(stderr, "chorex: error: '%s' would not compile, so it was not made: take another name\n", path);
        return 2;
    }
    new_explain(name, path);
    return 0;
}

static int run(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "help") == 0 || strcmp(command, "--help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(command, "version") == 0 || strcmp(command, "--version") == 0) {
        printf("chorex %s\n", CHX_VERSION);
        return 0;
    }
    if (strcmp(command, "new") == 0)
        return argc == 3 ? make_new(argv[2]) : usage_error("'new' needs one name");
    if (tool_is(command))
        return tool_run(argv + 1);
    if (strcmp(command, "check") == 0)
        return check((const char *const *)argv + 2, (size_t)argc - 2);
    if (strcmp(command, "diagram") == 0)
        return diagram_command((const char *const *)argv + 2, (size_t)argc - 2);
    if (strcmp(command, "trace") == 0)
        return trace_command((const char *const *)argv + 2, (size_t)argc - 2);
    if (command[0] == '\0') {
        print_help(stderr);
        return 2;
    }
    fprintf(stderr, "chorex: error: unknown command '%s' (see 'chorex help')\n", command);
    return 2;
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    bool failed = fflush(stdout) != 0;
    if (status != 0 || (!failed && !ferror(stdout)))
        return status;
    fputs("chorex: error: standard output can't be written\n", stderr);
    return 1;
}
