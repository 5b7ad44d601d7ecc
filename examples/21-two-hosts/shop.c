// shop.c: serves Shop until it is told to end.

#include <chorex/net.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "prices.chor"
#include "prices.Shop.chor.h"

int Shop_price(const char *customer, const char *title)
{
    int price = 10 + (int)strlen(title);
    return strcmp(customer, "anna") == 0 ? price - 2 : price; // she comes often
}

// Before each session: who is it? The name is that of the certificate, so nobody can give another one.
static bool welcome(void *context, const chx_visit *visit, void *arguments)
{
    (void)context;
    struct prices_run_Shop_arguments *own = arguments;
    own->customer = visit->peer;
    return strcmp(visit->peer, "mallory") != 0; // was here before
}

static chx_node *node;

static void stop(int number)
{
    (void)number;
    chx_node_stop(node, 5000); // sessions have five seconds to end
}

int main(void)
{
    node = chx_node_open(NULL); // the configuration that $CHOREX_NODE names
    if (node == NULL || prices_run_serve_Shop(node, &(chx_service){.accept = welcome}, "") != CHX_OK) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    printf("the shop is open\n");
    fflush(stdout);
    chx_node_run(node);
    chx_node_close(node);
    return 0;
}
