// main.c: the command line of chorex-ping, which `chorex ping` calls: is a node there, and who is it?

#define _GNU_SOURCE
#include "tools/ping/probe.h"

#include "net/config/address.h"
#include "net/config/config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, COUNT_MAX = 1000000 };

typedef struct {
    const char *address, *config;
    unsigned count;
    bool is_done;
} Options;

static void print_help(FILE *out)
{
    fputs("Usage: chorex ping ADDRESS [--config FILE] [--count N]\n"
          "\n"
          "Says who is at ADDRESS (HOST:PORT, or the name of a node in the configuration): its certificate, the roles "
          "that\n"
          "it may play, and how long it takes to answer. Nothing is changed there.\n"
          "\n"
          "  --config FILE  the configuration of a node, whose certificate is shown; default: $CHOREX_NODE, else "
          "chorex.conf\n"
          "  --count N      ask so many times; default: 5\n"
          "  --help, --version\n",
          out);
}

static int ping_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int ping_error(int status, const char *format, ...)
{
    va_list arguments;
    fputs("chorex ping: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(status == EXIT_USAGE ? " (see 'chorex ping --help')\n" : "\n", stderr);
    return status;
}

// ---- the command line ----

static const struct option all_options[] = {
    {"config", required_argument, NULL, 'f'},
    {"count", required_argument, NULL, 'c'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},
    {NULL, 0, NULL, 0},
};

static int parse(int argc, char **argv, Options *options)
{
    char *end = "";
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", all_options, NULL)) != -1;) {
        if (option == 'h')
            print_help(stdout);
        else if (option == 'v')
            printf("chorex-ping %s\n", CHX_VERSION);
        else if (option == 'f')
            options->config = optarg;
        else if (option == 'c')
            options->count = (unsigned)strtoul(optarg, &end, 10);
        else
            return ping_error(EXIT_USAGE, option == ':' ? "'%s' needs a value" : "unknown option '%s'",
                              argv[optind - 1]);
        if (option == 'c' && (*end != '\0' || options->count < 1 || options->count > COUNT_MAX))
            return ping_error(EXIT_USAGE, "'--count %s': a number from 1 to %d is wanted", optarg, COUNT_MAX);
        options->is_done |= option == 'h' || option == 'v';
    }
    if (!options->is_done && argc - optind != 1)
        return ping_error(EXIT_USAGE, "one address is wanted");
    options->address = argv[optind];
    return 0;
}

static int read_config(const Options *options, Config *config)
{
    const char *path = options->config != NULL ? options->config : getenv("CHOREX_NODE");
    ConfigErrors errors;
    char text[512];
    path = path != NULL ? path : "chorex.conf";
    if (config_read(path, NULL, config, &errors))
        return 0;
    for (size_t i = 0; i < errors.count; i++) {
        config_error_format(&errors.items[i], path, text, sizeof text);
        ping_error(EXIT_WRONG, "%s", text);
    }
    config_errors_free(&errors);
    return EXIT_WRONG;
}

// ---- what is said ----

// The version of the library, and NAME=DIGEST for each choreography that the program has.
static void print_build(char *build)
{
    char *rest, *word = strtok_r(build, " ", &rest);
    if (word != NULL)
        printf("  library      %s\n", word);
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        char *digest = strchr(word, '=');
        if (digest != NULL)
            printf("  digest       %s  %.*s\n", digest + 1, (int)(digest - word), word);
    }
}

static void print_identity(const ProbeTarget *target, Probe *probe)
{
    char date[64];
    time_t until = (time_t)probe->valid_until;
    struct tm parts;
    int64_t days = (probe->valid_until - (int64_t)time(NULL)) / 86400;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&until, &parts));
    printf("%s at %s\n", probe->name, target->address);
    printf("  roles        %s\n", probe->roles != NULL && probe->roles[0] != '\0' ? probe->roles : "none");
    printf("  valid until  %s (%" PRId64 " days)%s\n", date, days, days < 7 ? ": make a new certificate soon" : "");
    printf("  fingerprint  ");
    for (size_t i = 0; i < sizeof probe->fingerprint; i++)
        printf("%02x", probe->fingerprint[i]);
    putchar('\n');
    if (probe->version != 0)
        printf("  protocol     chorex/%" PRIu32 ", messages up to %" PRIu32 " bytes\n", probe->version,
               probe->message_max);
    print_build(probe->build);
    fflush(stdout);
}

typedef struct {
    uint64_t least_ns, most_ns, sum_ns, connect_ns;
    unsigned count;
} Times;

static void times_add(Times *times, const Probe *probe)
{
    times->least_ns = times->count == 0 || probe->round_ns < times->least_ns ? probe->round_ns : times->least_ns;
    times->most_ns = probe->round_ns > times->most_ns ? probe->round_ns : times->most_ns;
    times->sum_ns += probe->round_ns;
    times->connect_ns += probe->connect_ns;
    times->count++;
}

static int explain_failure(const ProbeTarget *target, const Probe *probe, const char *why)
{
    if (target->own != NULL && strcmp(target->own, probe->name) == 0)
        return ping_error(
            EXIT_WRONG,
            "%s: this is '%s' itself, whose certificate was shown: a node does not talk to itself. Ask with the "
            "configuration of another node (--config)",
            target->address, probe->name);
    bool is_named = strstr(why, target->address) != NULL;
    return ping_error(EXIT_WRONG, "%s%s%s", is_named ? "" : target->address, is_named ? "" : ": ", why);
}

static int ping(const ProbeTarget *target, unsigned count)
{
    static const struct timespec pause = {0, 100000000};
    Times times = {0};
    char why[512];
    int status = 0;
    for (unsigned i = 0; i < count && status == 0; i++) {
        Probe probe;
        if (i > 0)
            nanosleep(&pause, NULL);
        bool is_good = probe_run(target, &probe, why, sizeof why);
        // Who is there is known although it did not answer.
        if (times.count == 0 && probe.name[0] != '\0')
            print_identity(target, &probe);
        if (is_good)
            times_add(&times, &probe);
        else
            status = explain_failure(target, &probe, why);
        free(probe.roles);
    }
    if (times.count > 0)
        printf("  round trip   %.2f/%.2f/%.2f ms (least/mean/most of %u); connecting takes %.2f ms before\n",
               (double)times.least_ns / 1e6, (double)times.sum_ns / 1e6 / times.count, (double)times.most_ns / 1e6,
               times.count, (double)times.connect_ns / 1e6 / times.count);
    return status;
}

static int run(const Options *options)
{
    Config config;
    Address address;
    char why[512];
    int status = read_config(options, &config);
    if (status != 0)
        return status;
    const ConfigNode *node = config_node(&config, options->address);
    ProbeTarget target = {.address = node != NULL ? node->address : options->address,
                          .node = node != NULL ? node->name : NULL,
                          .own = config.name,
                          .patience_ns = config.limits.handshake_ms * 1000000};
    const char *wrong = address_parse(target.address, &address);
    if (wrong != NULL)
        status = ping_error(EXIT_USAGE, "'%s' %s; nor is it a node of the configuration", target.address, wrong);
    TlsOptions tls = {
        .directory = config.certs, .name = config.name, .denied = config.denied, .denied_count = config.denied_count};
    target.tls = status == 0 ? tls_context_new(&tls, why, sizeof why) : NULL;
    target.net = target.tls != NULL ? net_new(0) : NULL;
    if (status == 0 && target.net == NULL)
        status = ping_error(EXIT_WRONG, "%s", target.tls != NULL ? "there is no memory" : why);
    if (status == 0)
        status = ping(&target, options->count);
    if (target.net != NULL)
        net_free(target.net);
    if (target.tls != NULL)
        tls_context_release(target.tls);
    config_free(&config);
    return status;
}

int main(int argc, char **argv)
{
    Options options = {.count = 5};
    int status = parse(argc, argv, &options);
    return status != 0 || options.is_done ? status : run(&options);
}
