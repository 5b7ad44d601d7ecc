// main.c: the command line of chorex-run, which `chorex run` calls.

#define _GNU_SOURCE
#include "tools/run/run.h"

#include "chorex.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_help(FILE *out)
{
    fputs("Usage: chorex run [OPTIONS] PROGRAM [ARGUMENTS...]\n"
          "\n"
          "Runs a program with a process for each role, which talk to each other as nodes on several hosts do. The "
          "program\n"
          "is compiled with libchorex-net: chorcc PROGRAM.c $(chorcc --cflags --libs=net) -o PROGRAM\n"
          "\n"
          "  --hosts FILE    which nodes there are, and which roles they play (chorex.conf(5)); starts those of this "
          "host.\n"
          "                  Without it: every role a node on 127.0.0.1, with a certificate that is thrown away\n"
          "  --ssh           with --hosts: starts all of them, through ssh HOST\n"
          "  --dir DIR       with --ssh: where the program is on the other hosts; default: the current directory\n"
          "  --chaos SPEC    disturbs their connections: cut=10/s,close=1/s,stall=2/s:500ms,delay=5ms,split=50%,\n"
          "                  refuse=10%,alter=1%,repeat=1%,seed=7\n"
          "  --set LIMITS    limits of the nodes, as in [limits]: suspect=2s,keepalive=200ms\n"
          "  --restart       starts a process again that has failed\n"
          "  --grace SECONDS how long the others may go on when one has failed; default: 10\n"
          "  --stdin ROLE    whose process reads the standard input; default: none\n"
          "  --prefix        puts the role before each line of output, as is done on a terminal; --no-prefix: never\n"
          "  --keep DIR      where configurations and certificates are written, and stay\n"
          "  --verbose       says where nodes are, and lets them warn of connections that break\n"
          "  --help, --version\n"
          "\n"
          "The exit status is 0 if that of all processes was 0, else that of the first that has failed.\n",
          out);
}

// ---- messages and memory ----

static void say(const char *kind, const char *format, va_list arguments)
{
    fprintf(stderr, "chorex run: %s", kind);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int run_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("error: ", format, arguments);
    va_end(arguments);
    return EXIT_WRONG;
}

void run_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

static int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage_error(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    run_error("%s (see 'chorex run --help')", text);
    return EXIT_USAGE;
}

static void no_memory(void)
{
    run_error("there is no memory");
    exit(EXIT_WRONG);
}

char *run_text(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        no_memory();
    va_end(arguments);
    return text;
}

void *run_grow(void *items, size_t count, size_t size)
{
    void *grown = reallocarray(items, count, size);
    if (grown == NULL && count != 0)
        no_memory();
    return grown;
}

// ---- the command line ----

enum {
    OPTION_HOSTS = 256,
    OPTION_SSH,
    OPTION_DIR,
    OPTION_CHAOS,
    OPTION_SET,
    OPTION_RESTART,
    OPTION_GRACE,
    OPTION_STDIN,
    OPTION_PREFIX,
    OPTION_NO_PREFIX,
    OPTION_KEEP,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_VERSION,
};

static const struct option all_options[] = {
    {"hosts", required_argument, NULL, OPTION_HOSTS},
    {"ssh", no_argument, NULL, OPTION_SSH},
    {"dir", required_argument, NULL, OPTION_DIR},
    {"chaos", required_argument, NULL, OPTION_CHAOS},
    {"set", required_argument, NULL, OPTION_SET},
    {"restart", no_argument, NULL, OPTION_RESTART},
    {"grace", required_argument, NULL, OPTION_GRACE},
    {"stdin", required_argument, NULL, OPTION_STDIN},
    {"prefix", no_argument, NULL, OPTION_PREFIX},
    {"no-prefix", no_argument, NULL, OPTION_NO_PREFIX},
    {"keep", required_argument, NULL, OPTION_KEEP},
    {"verbose", no_argument, NULL, OPTION_VERBOSE},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

// An option that has a value, or is on. False: it is another one.
static bool take_option(RunOptions *options, int option, const char *value)
{
    switch (option) {
    case OPTION_HOSTS:
        options->hosts = value;
        return true;
    case OPTION_SSH:
        options->has_ssh = true;
        return true;
    case OPTION_DIR:
        options->directory = value;
        return true;
    case OPTION_CHAOS:
        options->chaos = value;
        return true;
    case OPTION_SET:
        options->limits = value;
        return true;
    case OPTION_RESTART:
        options->restarts = true;
        return true;
    case OPTION_STDIN:
        options->input = value;
        return true;
    case OPTION_PREFIX:
        options->has_prefix = true;
        return true;
    case OPTION_NO_PREFIX:
        options->has_prefix = false;
        return true;
    case OPTION_KEEP:
        options->keep = value;
        return true;
    case OPTION_VERBOSE:
        options->is_verbose = true;
        return true;
    default:
        return false;
    }
}

static int parse_grace(RunOptions *options, const char *text)
{
    char *end;
    options->grace_s = strtod(text, &end);
    if (end == text || *end != '\0' || !(options->grace_s >= 0 && options->grace_s <= 1e6))
        return usage_error("'--grace %s': a number of seconds is wanted", text);
    return 0;
}

// 0, or an exit status. *is_done: there is nothing more to do.
static int parse(int argc, char **argv, RunOptions *options, bool *is_done)
{
    int option, status = 0;
    opterr = 0;
    while (status == 0 && !*is_done && (option = getopt_long(argc, argv, "+:", all_options, NULL)) != -1) {
        if (take_option(options, option, optarg))
            continue;
        *is_done = option == OPTION_HELP || option == OPTION_VERSION;
        if (option == OPTION_HELP)
            print_help(stdout);
        else if (option == OPTION_VERSION)
            printf("chorex-run %s\n", CHX_VERSION);
        else if (option == OPTION_GRACE)
            status = parse_grace(options, optarg);
        else
            status = usage_error(option == ':' ? "'%s' needs a value" : "unknown option '%s'", argv[optind - 1]);
    }
    if (status != 0 || *is_done)
        return status;
    options->program = argv + optind;
    if (optind >= argc)
        return usage_error("no program");
    if (options->has_ssh && options->hosts == NULL)
        return usage_error("--ssh needs --hosts FILE, which says where the nodes are");
    if (options->has_ssh && options->chaos != NULL)
        return usage_error("--chaos is for nodes on this host, not for --ssh");
    return 0;
}

static bool input_is_known(const RunOptions *options, const Plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (options->input == NULL || strcmp(options->input, plan->nodes[i].roles) == 0)
            return true;
    return false;
}

static int run(const RunOptions *options)
{
    Program program;
    Plan plan;
    int status = program_ask(options->program[0], &program);
    if (status != 0)
        return status;
    status = plan_make(&plan, options, &program);
    if (status == 0 && !input_is_known(options, &plan))
        status = usage_error("'--stdin %s': there is no process that plays only this role", options->input);
    if (status == 0)
        status = children_run(&plan, options);
    if (plan.chaos != NULL)
        chaos_report(plan.chaos, stderr);
    plan_end(&plan);
    return status;
}

int main(int argc, char **argv)
{
    char directory[PATH_MAX];
    RunOptions options = {.grace_s = 10, .has_prefix = isatty(STDOUT_FILENO) == 1};
    options.directory = getcwd(directory, sizeof directory) != NULL ? directory : "/";
    bool is_done = false;
    int status = parse(argc, argv, &options, &is_done);
    return status != 0 || is_done ? status : run(&options);
}
