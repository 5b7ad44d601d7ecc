// main.c: the command line of chorex-certs, which `chorex certs` calls.

#define _GNU_SOURCE

#include "tools/certs/certs.h"

#include "chorex.h"

#include <getopt.h>
#include <openssl/err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void print_help(FILE *out)
{
    fputs("Usage: chorex certs COMMAND\n"
          "\n"
          "  chorex certs init DIR [--name NAME] [--days 3650]\n"
          "      make an authority: DIR/ca.pem, and DIR/ca.key, which signs the certificates of nodes\n"
          "\n"
          "  chorex certs node NAME --roles CHOREOGRAPHY/ROLE,... [--dns HOST] [--ip ADDRESS] [--days 90]\n"
          "                         [--dir DIR] [--replace]\n"
          "      make a key and a certificate for a node, signed by the authority in DIR (default: .)\n"
          "\n"
          "      --roles    what it may play: bookseller/Seller, bookseller/* (all roles), */Seller\n"
          "      --dns      a name of its host, for those who know only that; may be repeated, as --ip\n"
          "      --days     how long it is valid: there are no lists of revoked certificates, so let this be short\n"
          "      --replace  instead of the certificate that it has\n"
          "\n"
          "  chorex certs show FILE\n"
          "      say in plain English what a certificate is for\n"
          "\n"
          "  chorex certs --help, --version\n",
          out);
}

int certs_error(const char *format, ...)
{
    va_list arguments;
    fputs("chorex certs: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    unsigned long error = ERR_get_error();
    const char *reason = error == 0 ? NULL : ERR_reason_error_string(error);
    fprintf(stderr, reason == NULL ? "\n" : ": %s\n", reason);
    ERR_clear_error();
    return EXIT_WRONG;
}

static int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage_error(const char *format, ...)
{
    va_list arguments;
    fputs("chorex certs: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(" (see 'chorex certs --help')\n", stderr);
    return EXIT_USAGE;
}

// ---- options ----

enum { OPTION_ROLES = 256, OPTION_DNS, OPTION_IP, OPTION_DAYS, OPTION_DIR, OPTION_NAME, OPTION_REPLACE, OPTION_HELP };

static const struct option init_options[] = {
    {"days", required_argument, NULL, OPTION_DAYS},
    {"name", required_argument, NULL, OPTION_NAME},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};
static const struct option node_options[] = {
    {"roles", required_argument, NULL, OPTION_ROLES}, {"dns", required_argument, NULL, OPTION_DNS},
    {"ip", required_argument, NULL, OPTION_IP},       {"days", required_argument, NULL, OPTION_DAYS},
    {"dir", required_argument, NULL, OPTION_DIR},     {"replace", no_argument, NULL, OPTION_REPLACE},
    {"help", no_argument, NULL, OPTION_HELP},         {NULL, 0, NULL, 0},
};
static const struct option show_options[] = {{"help", no_argument, NULL, OPTION_HELP}, {NULL, 0, NULL, 0}};

// The list with one more text in it; both are kept until the program ends.
static void add(char ***list, size_t *count, char *text)
{
    char **longer = text == NULL ? NULL : reallocarray(*list, *count + 1, sizeof *longer);
    if (longer == NULL) {
        certs_error("there is no memory");
        exit(EXIT_WRONG);
    }
    *list = longer;
    longer[(*count)++] = text;
}

// "a/B,c/D": several roles. 0: they were added; otherwise an exit status.
static int add_roles(NodeRequest *request, char *text)
{
    for (char *role; (role = strsep(&text, ",")) != NULL;) {
        const char *wrong = names_check_role(role);
        if (wrong != NULL)
            return usage_error("'%s' %s", role, wrong);
        add(&request->roles, &request->role_count, role);
    }
    return 0;
}

static int add_host(NodeRequest *request, const char *kind, const char *host, const char *wrong)
{
    char *text;
    if (wrong != NULL)
        return usage_error("'%s' %s", host, wrong);
    if (asprintf(&text, "%s:%s", kind, host) < 0)
        text = NULL;
    add(&request->hosts, &request->host_count, text);
    return 0;
}

static int parse_days(const char *text, long *days)
{
    char *end;
    *days = strtol(text, &end, 10);
    if (end == text || *end != '\0' || *days < 1 || *days > DAYS_MAX)
        return usage_error("'--days %s': a number of days from 1 to %d is wanted", text, DAYS_MAX);
    return 0;
}

// 0, or an exit status. *help is set if it was asked for.
static int parse_options(int argc, char **argv, const struct option *options, NodeRequest *request,
                         const char **authority_name, bool *help)
{
    int option, status = 0;
    opterr = 0;
    while (status == 0 && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (option == OPTION_ROLES)
            status = add_roles(request, optarg);
        else if (option == OPTION_DNS)
            status = add_host(request, "DNS", optarg, names_check_dns(optarg));
        else if (option == OPTION_IP)
            status = add_host(request, "IP", optarg, names_check_ip(optarg));
        else if (option == OPTION_DAYS)
            status = parse_days(optarg, &request->days);
        else if (option == OPTION_DIR)
            request->directory = optarg;
        else if (option == OPTION_NAME)
            *authority_name = optarg;
        else if (option == OPTION_REPLACE)
            request->replaces = true;
        else if (option == OPTION_HELP)
            *help = true;
        else if (option == ':')
            status = usage_error("'%s' needs a value", argv[optind - 1]);
        else
            status = usage_error("unknown option '%s'", argv[optind - 1]);
    }
    return status;
}

// ---- commands ----

static int init(int argc, char **argv)
{
    NodeRequest request = {.days = 3650};
    const char *name = "chorex authority";
    bool help = false;
    int status = parse_options(argc, argv, init_options, &request, &name, &help);
    if (status != 0)
        return status;
    if (help) {
        print_help(stdout);
        return EXIT_SUCCESS;
    }
    if (argc - optind != 1)
        return usage_error("'init' needs one directory");
    if (!names_is_authority(name))
        return usage_error("the name of an authority has 1 to %d letters, without control characters", NODE_NAME_MAX);
    return authority_init(argv[optind], name, request.days);
}

static int node(int argc, char **argv)
{
    NodeRequest request = {.days = 90, .directory = "."};
    const char *unused = NULL;
    bool help = false;
    int status = parse_options(argc, argv, node_options, &request, &unused, &help);
    if (help)
        print_help(stdout);
    if (status == 0 && !help) {
        request.name = argc - optind == 1 ? argv[optind] : "";
        if (argc - optind != 1)
            status = usage_error("'node' needs one name");
        else if (!names_is_node(request.name) || strcmp(request.name, "ca") == 0)
            status = usage_error(
                "'%s' can't be the name of a node: at most %d letters, digits, '.', '-' and '_', beginning with "
                "a letter or digit, and not 'ca'",
                request.name, NODE_NAME_MAX);
        else
            status = node_certify(&request);
    }
    for (size_t i = 0; i < request.host_count; i++)
        free(request.hosts[i]);
    free(request.hosts);
    free(request.roles);
    return status;
}

static int show(int argc, char **argv)
{
    NodeRequest request = {0};
    const char *unused = NULL;
    bool help = false;
    int status = parse_options(argc, argv, show_options, &request, &unused, &help);
    if (status != 0)
        return status;
    if (help) {
        print_help(stdout);
        return EXIT_SUCCESS;
    }
    return argc - optind == 1 ? show_file(argv[optind]) : usage_error("'show' needs one file");
}

static int run(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "init") == 0)
        return init(argc - 1, argv + 1);
    if (strcmp(command, "node") == 0)
        return node(argc - 1, argv + 1);
    if (strcmp(command, "show") == 0)
        return show(argc - 1, argv + 1);
    if (strcmp(command, "--help") == 0 || strcmp(command, "help") == 0) {
        print_help(stdout);
        return EXIT_SUCCESS;
    }
    if (strcmp(command, "--version") == 0) {
        printf("chorex-certs %s\n", CHX_VERSION);
        return EXIT_SUCCESS;
    }
    if (command[0] == '\0') {
        print_help(stderr);
        return EXIT_USAGE;
    }
    return usage_error("unknown command '%s'", command);
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    bool failed = fflush(stdout) != 0;
    if (status != EXIT_SUCCESS || (!failed && !ferror(stdout)))
        return status;
    fputs("chorex certs: error: standard output can't be written\n", stderr);
    return EXIT_WRONG;
}
