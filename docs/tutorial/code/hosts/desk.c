// desk.c: serves Desk, for any number of clients at once.

#include <chorex/net.h>
#include <signal.h>
#include <stdio.h>
#include "squares.chor"
#include "squares.Desk.chor.h"

static chx_node *node;

static void stop(int number)
{
    (void)number;
    chx_node_stop(node, 10000); // sessions have ten seconds to end
}

int main(void)
{
    node = chx_node_open(NULL); // the file that $CHOREX_NODE names
    if (node == NULL || squares_run_serve_Desk(node, NULL) != CHX_OK) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    printf("Desk is open\n");
    fflush(stdout);
    chx_node_run(node);
    chx_node_close(node);
    return 0;
}
