// main.c: chorex-sweep, which `chorex sweep` calls: what becomes of a program when its roles crash or hang, at every place.

#define _GNU_SOURCE
#include "tools/sweep/sweep.h"

#include "chorex.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FAILED_RUNS = 1, EXIT_USAGE = 2, NUMBER_MAX = 1000000, SIM_MAX = 200, JOBS_MAX = 1024 };

static void print_help(FILE *out)
{
    fputs("Usage: chorex sweep [options] PROGRAM [ARGUMENTS...]\n"
          "\n"
          "Runs a program on the simulated machine again and again, and lets its roles fail: a crash at every place of "
          "every\n"
          "role, a function that does not return at every place, and both at random; also kills of roles in processes "
          "of\n"
          "their own. At the end a table says what survived, with a command for each run that did not. A run is good "
          "if its\n"
          "exit status is that of the run without a fault.\n"
          "\n"
          "  --same-output   its output must be the same, too\n"
          "  --random N      so many runs at random of each kind; default: 100\n"
          "  --places N      at most so many places of each role, at equal distances; default: 1000\n"
          "  --no-hangs      no functions that don't return\n"
          "  --no-processes  no roles in processes of their own\n"
          "  --seed N        the first seed; default: 1\n"
          "  --sim SETTINGS  more settings of the simulated machine: delay=1ms..20ms\n"
          "  --limit S       a run that takes longer than so many seconds has no end; default: 10\n"
          "  --jobs N        so many runs at a time; default: one for each processor\n"
          "  --json          an object for each run, on a line of its own\n"
          "  --help, --version\n",
          out);
}

static int sweep_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int sweep_error(int status, const char *format, ...)
{
    va_list arguments;
    fputs("chorex sweep: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(status == EXIT_USAGE ? " (see 'chorex sweep --help')\n" : "\n", stderr);
    return status;
}

static const struct option all_options[] = {
    {"same-output", no_argument, NULL, 'o'},
    {"random", required_argument, NULL, 'r'},
    {"places", required_argument, NULL, 'p'},
    {"no-hangs", no_argument, NULL, 'n'},
    {"no-processes", no_argument, NULL, 'k'},
    {"seed", required_argument, NULL, 's'},
    {"sim", required_argument, NULL, 'm'},
    {"limit", required_argument, NULL, 'l'},
    {"jobs", required_argument, NULL, 'j'},
    {"json", no_argument, NULL, 'J'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},
    {NULL, 0, NULL, 0},
};

// False: it is not a whole number from `min` to `max`.
static bool read_number(const char *text, unsigned min, unsigned max, unsigned *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *number = (unsigned)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value >= min && value <= max;
}

static int parse_number(int option, SweepOptions *options)
{
    unsigned seed = 0;
    bool is_good = option == 'r'   ? read_number(optarg, 0, NUMBER_MAX, &options->random)
                   : option == 'p' ? read_number(optarg, 0, NUMBER_MAX, &options->places)
                   : option == 'l' ? read_number(optarg, 1, NUMBER_MAX, &options->limit_s)
                   : option == 'j' ? read_number(optarg, 1, JOBS_MAX, &options->jobs)
                                   : read_number(optarg, 0, 1000 * NUMBER_MAX, &seed);
    if (option == 's')
        options->seed = seed;
    return is_good ? 0 : sweep_error(EXIT_USAGE, "'%s' is not a number that this option can have", optarg);
}

static int parse_option(int option, char **argv, SweepOptions *options)
{
    if (option == 'o')
        options->wants_same_output = true;
    else if (option == 'n')
        options->has_hangs = false;
    else if (option == 'k')
        options->has_processes = false;
    else if (option == 'J')
        options->wants_json = true;
    else if (option == 'm' && strlen(optarg) > SIM_MAX)
        return sweep_error(EXIT_USAGE, "the settings are longer than %d characters", SIM_MAX);
    else if (option == 'm')
        options->sim = optarg;
    else if (strchr("rpslj", option) != NULL)
        return parse_number(option, options);
    else
        return sweep_error(EXIT_USAGE, option == ':' ? "'%s' needs a value" : "unknown option '%s'", argv[optind - 1]);
    return 0;
}

// Positive: an exit status; negative: help was printed.
static int parse(int argc, char **argv, SweepOptions *options)
{
    opterr = 0;
    // What follows the program's name is the program's.
    for (int option; (option = getopt_long(argc, argv, "+:", all_options, NULL)) != -1;) {
        if (option == 'h')
            print_help(stdout);
        else if (option == 'v')
            printf("chorex-sweep %s\n", CHX_VERSION);
        if (option == 'h' || option == 'v')
            return -1;
        int status = parse_option(option, argv, options);
        if (status != 0)
            return status;
    }
    if (optind == argc)
        return sweep_error(EXIT_USAGE, "a program is wanted");
    options->command = argv + optind;
    return 0;
}

static void remove_folder(const SweepPlan *plan)
{
    static const char *const kinds[] = {"out", "err", "report"};
    char path[sizeof plan->folder + 32];
    for (unsigned i = 0; i < plan->options->jobs; i++)
        for (size_t j = 0; j < sizeof kinds / sizeof kinds[0]; j++) {
            snprintf(path, sizeof path, "%s/%u.%s", plan->folder, i, kinds[j]);
            unlink(path);
        }
    rmdir(plan->folder);
}

static int show_all(const SweepPlan *plan)
{
    bool has_failed = false;
    for (size_t i = 0; i < plan->test_count; i++)
        has_failed |= test_has_failed(plan, &plan->tests[i]);
    if (plan->options->wants_json) {
        show_json(plan, stdout);
    } else {
        show_table(plan, stdout);
        show_failures(plan, stdout);
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        return sweep_error(EXIT_USAGE, "standard output can't be written");
    return has_failed ? EXIT_FAILED_RUNS : 0;
}

static int sweep(SweepPlan *plan)
{
    if (!execute_undisturbed(plan))
        return EXIT_USAGE;
    plan_make(plan);
    fprintf(stderr, "chorex sweep: without a fault: exit status %d, %zu role%s, %llu places where one can fail\n",
            plan->status, plan->role_count, plan->role_count == 1 ? "" : "s", (unsigned long long)plan->boundaries);
    if (!execute_tests(plan, show_progress))
        return EXIT_USAGE;
    return show_all(plan);
}

static SweepPlan plan;

static void interrupted(int signal)
{
    execute_stop();
    remove_folder(&plan);
    _exit(128 + signal);
}

int main(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    SweepOptions options = {.sim = "",
                            .seed = 1,
                            .places = 1000,
                            .random = 100,
                            .limit_s = 10,
                            .jobs = processors > 0 && processors < JOBS_MAX ? (unsigned)processors : 1,
                            .has_hangs = true,
                            .has_processes = true};
    int status = parse(argc, argv, &options);
    if (status != 0)
        return status > 0 ? status : 0;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    const char *temporary = getenv("TMPDIR");
    plan.options = &options;
    snprintf(plan.folder, sizeof plan.folder, "%s/chorex-sweep-XXXXXX",
             temporary != NULL && strlen(temporary) < 32 && strchr(temporary, ',') == NULL ? temporary : "/tmp");
    if (mkdtemp(plan.folder) == NULL)
        return sweep_error(EXIT_USAGE, "no folder for what the runs print can be made in %s: %s", plan.folder,
                           strerror(errno));
    struct sigaction action = {.sa_handler = interrupted};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    status = sweep(&plan);
    remove_folder(&plan);
    plan_free(&plan);
    return status;
}
