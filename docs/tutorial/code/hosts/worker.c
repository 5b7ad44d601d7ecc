// worker.c: serves Worker, one of a pool.

#include <chorex/net.h>
#include <signal.h>
#include <stdio.h>
#include "squares.chor"
#include "squares.chor.h"

static chx_node *node;

static void stop(int number)
{
    (void)number;
    chx_node_stop(node, 10000); // sessions have ten seconds to end
}

int main(void)
{
    node = chx_node_open(NULL); // the file that $CHOREX_NODE names
    if (node == NULL || squares_run_serve_Worker(node, NULL) != CHX_OK) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    printf("Worker is ready\n");
    fflush(stdout);
    chx_node_run(node);
    chx_node_close(node);
    return 0;
}
