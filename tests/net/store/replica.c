// replica.c: a node that serves Primary, or one that serves Backup.

#include <chorex/net.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "ledger.h"
#include "store.Primary.chor.h"
#include "store.Backup.chor.h"

struct entry Primary_apply(struct request request)
{
    return ledger_apply(request);
}

struct entry Primary_find(struct request request)
{
    return ledger_find(request);
}

struct entry Primary_adopt(struct entry entry)
{
    return ledger_keep(entry);
}

struct entry Backup_keep(struct entry entry)
{
    return ledger_keep(entry);
}

struct entry Backup_compare(struct request request, struct entry theirs)
{
    return theirs.sequence != 0 ? ledger_keep(theirs) : ledger_find(request);
}

static chx_node *node;

static void stop(int number)
{
    (void)number;
    chx_node_stop(node, 2000);
}

// replica primary|backup FILE
int main(int argc, char **argv)
{
    bool is_primary = argc > 1 && strcmp(argv[1], "primary") == 0;
    chx_service service = {.sessions_max = 1000};
    ledger_open(argv[2]);
    node = chx_node_open(NULL);
    if (node == NULL ||
        (is_primary ? store_run_serve_Primary(node, &service) : store_run_serve_Backup(node, &service)) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    signal(SIGTERM, stop);
    chx_node_run(node);
    chx_node_close(node);
    return 0;
}
