// choose.c: which carrier a node uses, and the addresses that go with it.

#include "net/carrier/carrier.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int open_library(chx_net *net, const CarrierLibrary *library, const Config *config, char *why, size_t why_size)
{
    int error = library->open(net, config);
    if (error != 0)
        snprintf(why, why_size, "the carrier '%s' can't be started: %s", config->carrier, strerror(-error));
    else
        net->library = library;
    return error;
}

int carrier_open(chx_net *net, const Config *config, const chx_carrier_ops **ops, char *why, size_t why_size)
{
    if (config->carrier == NULL) {
        *ops = &tcp_carrier;
        return 0;
    }
    if (&chx_carrier_nats == NULL) {
        snprintf(why, why_size,
                 "the carrier '%s' needs libchorex-nats: link the program with what 'chorcc --libs=nats' prints",
                 config->carrier);
        return -ENOSYS;
    }
    *ops = chx_carrier_nats.ops;
    return open_library(net, &chx_carrier_nats, config, why, why_size);
}

const char *carrier_own_address(const Config *config)
{
    return config->carrier != NULL ? config->name : config->listen;
}

const char *carrier_address_of(const Config *config, const char *node)
{
    const ConfigNode *known = config->carrier != NULL ? NULL : config_node(config, node);
    return config->carrier != NULL ? node : known != NULL ? known->address : NULL;
}
