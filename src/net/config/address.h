// address.h: places to dial and to listen at, as they are written: HOST:PORT, 192.0.2.7:7741, [2001:db8::7]:7741.
//
// Only the form is looked at here. Whether a host exists is found out when it is dialled.

#ifndef NET_CONFIG_ADDRESS_H
#define NET_CONFIG_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ADDRESS_HOST_MAX = 253, ADDRESS_TEXT_SIZE = ADDRESS_HOST_MAX + sizeof "[]:65535" };

typedef struct {
    char host[ADDRESS_HOST_MAX + 1]; // without the brackets of IPv6
    uint16_t port;
} Address;

// Labels with dots in between, none at the end: RFC 1123, and underscores.
bool address_is_host_name(const char *host, size_t length);

// NULL: *address is set. Otherwise what is wrong with the text, as a clause that could stand behind "'TEXT' ...".
const char *address_parse(const char *text, Address *address);

#endif
