// srp_party.c: the two parties of examples/17-srp as programs on nodes of their own, which trust each other with nothing: the client has
// no certificate, the server learns no password.
//
//   srp_party serve DATABASE                   SrpServer, until SIGTERM
//   srp_party register|login USER PASSWORDFILE SrpClient

#include <chorex/net.h>

#include "srp.h"
#include "srp.chor.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { BITS = 2048 };
static chx_node *node;

static void stop(int number)
{
    (void)number;
    chx_node_stop(node, 1000);
}

static int refuse(chx_status status)
{
    printf("%s: %s: %s\n", chx_status_text(status), chx_last_report()->role, chx_last_report()->why);
    return 2;
}

static int serve(const char *database)
{
    signal(SIGTERM, stop);
    chx_status status = srp_registration_serve_SrpServer(node, NULL, database, BITS);
    if (status == CHX_OK)
        status = srp_login_serve_SrpServer(node, NULL, database);
    if (status != CHX_OK)
        return refuse(status);
    printf("serves\n");
    chx_node_run(node);
    return 0;
}

static int visit(bool registers, const char *user, const char *password_file)
{
    bool is_good = false;
    chx_status status = registers ? srp_registration_as_SrpClient(&is_good, node, NULL, user, password_file)
                                  : srp_login_as_SrpClient(&is_good, node, NULL, user, password_file, BITS);
    if (status != CHX_OK)
        return refuse(status);
    printf("%s\n", is_good ? "accepted" : "refused");
    return !is_good;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    node = chx_node_open(NULL);
    if (node == NULL || argc < 3)
        return refuse(CHX_INVALID);
    int code = strcmp(argv[1], "serve") == 0 ? serve(argv[2])
                                             : visit(strcmp(argv[1], "register") == 0, argv[2], argc > 3 ? argv[3] : "");
    chx_node_close(node);
    return code;
}
