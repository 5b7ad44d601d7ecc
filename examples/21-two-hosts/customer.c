// customer.c: asks for the prices of some books, each in a session of its own.

#include <chorex/net.h>
#include <stdio.h>
#include "prices.chor"
#include "prices.Customer.chor.h"

int main(int argc, char **argv)
{
    chx_node *node = chx_node_open(NULL);
    if (node == NULL) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        int price;
        if (prices_run_as_Customer(&price, node, NULL, argv[i]) == CHX_OK) {
            printf("%s: %d\n", argv[i], price);
        } else {
            printf("%s: %s\n", argv[i], chx_last_report()->why);
            failures++;
        }
    }
    chx_node_close(node);
    return failures != 0;
}
