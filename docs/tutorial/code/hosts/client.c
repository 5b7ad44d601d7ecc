// client.c: takes part as Client in a session of its own.

#include <chorex/net.h>
#include <stdio.h>
#include <stdlib.h>
#include "squares.chor"
#include "squares.Client.chor.h"

int main(int argc, char **argv)
{
    chx_node *node = chx_node_open(NULL);
    if (node == NULL) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    chx_str answer;
    chx_status status = squares_run_as_Client(&answer, node, NULL, argc > 1 ? atoi(argv[1]) : 10);
    if (status == CHX_OK)
        printf("%s\n", chx_cstr(answer));
    else
        fprintf(stderr, "%s: %s\n", chx_last_report()->role, chx_last_report()->why);
    squares_run_as_Client_drop(&answer);
    chx_node_close(node);
    return status != CHX_OK;
}
