// main.c: chorex-top, which `chorex top` calls: what a running program does, session by session.

#define _GNU_SOURCE
#include "tools/top/show.h"

#include "chorex.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, SESSIONS_MAX = 200, REFRESH_MS = 1000, PATH_SIZE = 4096 };

typedef struct {
    const char *target;
    unsigned sessions;
    bool once, json, is_done;
} Options;

static void print_help(FILE *out)
{
    fputs(
        "Usage: chorex top PID|SOCKET [--once] [--json] [--sessions N]\n"
        "\n"
        "Shows what a running program does: its sessions, and where each role waits, for whom or for what. The program "
        "must have\n"
        "been started with CHOREX_TOP=1 (or CHOREX_TOP=SOCKET) in its environment. In a terminal it is shown anew "
        "every "
        "second;\n"
        "q ends that.\n"
        "\n"
        "  --once        show it once\n"
        "  --json        as JSON, an object on a line each second; with --once a single one\n"
        "  --sessions N  so many sessions at most, those first that have sent nothing for the longest time; default: "
        "50\n"
        "  --help, --version\n",
        out);
}

static int top_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int top_error(int status, const char *format, ...)
{
    va_list arguments;
    fputs("chorex top: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(status == EXIT_USAGE ? " (see 'chorex top --help')\n" : "\n", stderr);
    return status;
}

static const struct option all_options[] = {
    {"once", no_argument, NULL, 'o'}, {"json", no_argument, NULL, 'j'},    {"sessions", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, {NULL, 0, NULL, 0},
};

static int parse(int argc, char **argv, Options *options)
{
    char *end = "";
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", all_options, NULL)) != -1;) {
        if (option == 'h')
            print_help(stdout);
        else if (option == 'v')
            printf("chorex-top %s\n", CHX_VERSION);
        else if (option == 'o')
            options->once = true;
        else if (option == 'j')
            options->json = true;
        else if (option == 's')
            options->sessions = (unsigned)strtoul(optarg, &end, 10);
        else
            return top_error(EXIT_USAGE, option == ':' ? "'%s' needs a value" : "unknown option '%s'",
                             argv[optind - 1]);
        if (option == 's' && (*end != '\0' || options->sessions < 1 || options->sessions > SESSIONS_MAX))
            return top_error(EXIT_USAGE, "'--sessions %s': a number from 1 to %d is wanted", optarg, SESSIONS_MAX);
        options->is_done |= option == 'h' || option == 'v';
    }
    if (!options->is_done && argc - optind != 1)
        return top_error(EXIT_USAGE, "the number of a process is wanted, or the socket of one");
    options->target = argv[optind];
    return 0;
}

// ---- the terminal ----

static struct termios terminal_before;
static volatile sig_atomic_t is_interrupted;

static void interrupted(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

// Keys come at once and are not shown; the screen is another one, which goes away at the end.
static void terminal_begin(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupted};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
    struct termios raw = terminal_before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fputs("\033[?1049h\033[?25l", stdout);
}

static void terminal_end(void)
{
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

static void draw(const Answer *answer, const Answer *earlier)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    unsigned lines = size.ws_row > 0 ? size.ws_row : 24, columns = size.ws_col > 0 ? size.ws_col : 80;
    fputs("\033[H\033[2J", stdout);
    show_table(answer, earlier, lines, columns, stdout);
    fflush(stdout);
}

// Until it is time to look again. False: it is to end.
static bool pause_for_key(void)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    char key = 0;
    if (poll(&keys, 1, REFRESH_MS) > 0 && (read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 'Q' || key == 3))
        return false;
    return !is_interrupted;
}

// ---- showing ----

static int show_once(const char *path, const Options *options)
{
    Answer answer;
    char why[ANSWER_WHY];
    if (!answer_get(path, options->sessions, &answer, why))
        return top_error(EXIT_WRONG, "%s", why);
    if (options->json)
        show_json(&answer, stdout);
    else
        show_table(&answer, NULL, 0, 0, stdout);
    answer_free(&answer);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return top_error(EXIT_WRONG, "standard output can't be written");
}

static int show_again_and_again(const char *path, const Options *options)
{
    int status = 0;
    while ((status = show_once(path, options)) == 0)
        poll(NULL, 0, REFRESH_MS);
    return status;
}

static int show_in_terminal(const char *path, const Options *options)
{
    Answer answers[2] = {{0}};
    char why[ANSWER_WHY];
    bool is_good = true, has_earlier = false;
    unsigned turn = 0;
    terminal_begin();
    do {
        Answer *answer = &answers[turn % 2], *earlier = &answers[(turn + 1) % 2];
        answer_free(answer);
        is_good = answer_get(path, options->sessions, answer, why);
        if (is_good)
            draw(answer, has_earlier ? earlier : NULL);
        has_earlier = true;
        turn++;
    } while (is_good && pause_for_key());
    terminal_end();
    answer_free(&answers[0]);
    answer_free(&answers[1]);
    return is_good || is_interrupted ? 0 : top_error(EXIT_WRONG, "%s", why);
}

int main(int argc, char **argv)
{
    Options options = {.sessions = 50};
    char path[PATH_SIZE], why[ANSWER_WHY];
    int status = parse(argc, argv, &options);
    if (status != 0 || options.is_done)
        return status;
    if (!answer_find(options.target, path, sizeof path, why))
        return top_error(EXIT_WRONG, "%s", why);
    if (options.once)
        return show_once(path, &options);
    if (options.json)
        return show_again_and_again(path, &options);
    if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &terminal_before) != 0)
        return show_once(path, &options);
    return show_in_terminal(path, &options);
}
