// srp.c: the command line. The choreography is in srp.h; client.c and server.c play its roles.
//! no-sim

#include "srp.h"
#include "srp.chor.h"

#include "pipe.h"
#include "selftest.h"

#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: srp register USER [--db FILE] [--group BITS] [--password FILE]\n"
    "       srp login USER [--db FILE] [--group BITS] [--password FILE]\n"
    "       srp client --pipe USER [--group BITS] --password FILE\n"
    "       srp server --pipe [--db FILE]\n"
    "       srp selftest\n"
    "\n"
    "register      makes an account: asks for a password, keeps a salt and a verifier\n"
    "login         proves to the server that the password is known, and to the client that the server is the right "
    "one\n"
    "client        logs in to another program, which talks to this one through standard input and output\n"
    "server        lets another program log in, in the same way\n"
    "selftest      compares the arithmetic with RFC 5054\n"
    "\n"
    "--db FILE        the server's SQLite file (srp.db)\n"
    "--group BITS     1024, 1536, 2048, 3072 or 4096. register: the group of a new database (2048).\n"
    "                 login, client: the smallest group that is good enough (2048)\n"
    "--password FILE  read the password from the first line of FILE. Otherwise it comes from the terminal, or from\n"
    "                 standard input if that is no terminal\n"
    "\n"
    "Status: 0 logged in or registered; 1 refused, or something failed; 2 wrong usage.\n";

typedef struct {
    const char *command, *user, *database, *password_file;
    int group; // 0: not given
    bool pipe;
} Options;

static _Noreturn void usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "srp: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; see srp --help\n");
    va_end(arguments);
    exit(2);
}

static int group_of(const char *text)
{
    static const char *const known[] = {"1024", "1536", "2048", "3072", "4096"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(text, known[i]) == 0)
            return atoi(text);
    }
    usage_error("there is no group '%s'", text);
}

static Options options_read(int argc, char **argv)
{
    Options options = {.database = "srp.db"};
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        bool takes_value =
            strcmp(argument, "--db") == 0 || strcmp(argument, "--group") == 0 || strcmp(argument, "--password") == 0;
        if (takes_value && argv[++i] == NULL)
            usage_error("%s needs a value", argument);
        if (strcmp(argument, "--help") == 0) {
            fputs(help, stdout);
            exit(0);
        } else if (strcmp(argument, "--db") == 0) {
            options.database = argv[i];
        } else if (strcmp(argument, "--group") == 0) {
            options.group = group_of(argv[i]);
        } else if (strcmp(argument, "--password") == 0) {
            options.password_file = argv[i];
        } else if (strcmp(argument, "--pipe") == 0) {
            options.pipe = true;
        } else if (argument[0] == '-') {
            usage_error("unknown option '%s'", argument);
        } else if (options.command == NULL) {
            options.command = argument;
        } else if (options.user == NULL) {
            options.user = argument;
        } else {
            usage_error("one argument too many: '%s'", argument);
        }
    }
    if (options.command == NULL)
        usage_error("what is to be done?");
    return options;
}

static int failed(void)
{
    const chx_report *report = chx_last_report();
    fprintf(stderr, "srp: %s: %s\n", report->role, report->why);
    return 1;
}

static int registration(const Options *options)
{
    struct srp_registration_result result;
    if (srp_registration(&result, NULL, options->user, options->password_file, options->database, options->group) !=
        CHX_OK)
        return failed();
    if (result.SrpClient)
        printf("%s is registered\n", options->user);
    else
        fprintf(stderr, "srp: the name '%s' is taken\n", options->user);
    return result.SrpClient ? 0 : 1;
}

// With a pipe, standard output belongs to the conversation.
static int login(const Options *options, const struct srp_cast *cast)
{
    struct srp_login_result result;
    int least_bits = options->group != 0 ? options->group : 2048;
    if (srp_login(&result, cast, options->user, options->password_file, least_bits, options->database) != CHX_OK)
        return failed();
    FILE *out = options->pipe ? stderr : stdout;
    if (cast->SrpClient.role == NULL)
        fprintf(out, "client: %s\n", result.SrpClient ? "logged in, and the server is the right one" : "refused");
    if (cast->SrpServer.role == NULL)
        fprintf(out, "server: %s\n", result.SrpServer ? "accepted" : "refused");
    return result.SrpClient && result.SrpServer ? 0 : 1;
}

int main(int argc, char **argv)
{
    // OpenSSL's clean-up at exit would come before the end of the threads that run the roles.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);

    Options options = options_read(argc, argv);
    bool is_server = strcmp(options.command, "server") == 0, is_client = strcmp(options.command, "client") == 0;
    bool is_login = strcmp(options.command, "login") == 0, is_register = strcmp(options.command, "register") == 0;
    bool is_selftest = strcmp(options.command, "selftest") == 0;
    if (!is_server && !is_client && !is_login && !is_register && !is_selftest)
        usage_error("unknown command '%s'", options.command);
    if ((is_server || is_client) != options.pipe)
        usage_error(options.pipe ? "%s has no --pipe" : "%s needs --pipe", options.command);
    if ((is_server || is_selftest) != (options.user == NULL))
        usage_error(options.user == NULL ? "%s needs a user" : "%s has no user", options.command);
    if (is_client && options.password_file == NULL)
        usage_error("client needs --password, since standard input belongs to the conversation");

    if (is_selftest)
        return selftest() ? 0 : 1;
    if (is_register)
        return registration(&options);
    struct srp_cast cast = {0};
    if (is_client)
        cast.SrpServer.role = &pipe_server;
    if (is_server)
        cast.SrpClient.role = &pipe_client;
    return login(&options, &cast);
}
