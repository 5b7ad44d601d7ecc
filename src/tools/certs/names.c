// names.c: what nodes, roles and hosts may be called.

#include "tools/certs/certs.h"

#include "net/config/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

bool names_is_node(const char *name)
{
    if (!isalnum((unsigned char)name[0]) || strlen(name) > NODE_NAME_MAX)
        return false;
    for (; *name != '\0'; name++)
        if (!isalnum((unsigned char)*name) && *name != '.' && *name != '-' && *name != '_')
            return false;
    return true;
}

bool names_is_authority(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)name[i]))
            return false;
    return length > 0 && length <= NODE_NAME_MAX;
}

static bool is_identifier_or_star(const char *name, size_t length)
{
    if (length == 1 && name[0] == '*')
        return true;
    if (length == 0 || isdigit((unsigned char)name[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return true;
}

const char *names_check_role(const char *role)
{
    const char *slash = strchr(role, '/');
    if (slash == NULL)
        return "is not CHOREOGRAPHY/ROLE, such as bookseller/Seller";
    if (!is_identifier_or_star(role, (size_t)(slash - role)))
        return "does not begin with the name of a choreography or *";
    if (!is_identifier_or_star(slash + 1, strlen(slash + 1)))
        return "does not end with the name of a role or *";
    return NULL;
}

const char *names_check_dns(const char *name)
{
    if (!address_is_host_name(name, strlen(name)))
        return "is not the name of a host: labels of 1 to 63 letters, digits and hyphens, with dots in between";
    return name[strspn(name, "0123456789.")] == '\0' ? "is a number: say it with --ip" : NULL;
}

const char *names_check_ip(const char *address)
{
    unsigned char bytes[16];
    if (inet_pton(AF_INET, address, bytes) == 1 || inet_pton(AF_INET6, address, bytes) == 1)
        return NULL;
    return "is neither an IPv4 nor an IPv6 address";
}
