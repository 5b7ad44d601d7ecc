// monitor.c: the node that decides about sessions.

#include <chorex/net.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "store.chor"
#include "store.Monitor.chor.h"

static atomic_long rescues;
static chx_node *node;

void Monitor_rescued(int client)
{
    (void)client;
    atomic_fetch_add(&rescues, 1);
}

static void stop(int number)
{
    (void)number;
    chx_node_stop(node, 2000);
}

int main(void)
{
    node = chx_node_open(NULL);
    if (node == NULL || store_run_serve_Monitor(node, &(chx_service){.sessions_max = 1000}) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    signal(SIGTERM, stop);
    chx_node_run(node);
    chx_node_close(node);
    printf("%ld rescues\n", atomic_load(&rescues));
    return 0;
}
