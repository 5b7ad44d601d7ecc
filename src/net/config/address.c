// address.c: takes HOST:PORT apart.

#include "net/config/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

enum { LABEL_MAX = 63 };

// Letters, digits and hyphens, but not at its ends; names with underscores exist in practice.
static bool is_label(const char *label, size_t length)
{
    if (length == 0 || length > LABEL_MAX || label[0] == '-' || label[length - 1] == '-')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)label[i]) && label[i] != '-' && label[i] != '_')
            return false;
    return true;
}

bool address_is_host_name(const char *host, size_t length)
{
    const char *label = host, *end = host + length;
    if (length > ADDRESS_HOST_MAX)
        return false;
    for (const char *dot; (dot = memchr(label, '.', (size_t)(end - label))) != NULL; label = dot + 1)
        if (!is_label(label, (size_t)(dot - label)))
            return false;
    return is_label(label, (size_t)(end - label));
}

// A dot at its end says that it is not looked for in the domains of this host.
static bool is_dialled_name(const char *host, size_t length)
{
    return address_is_host_name(host, length > 1 && host[length - 1] == '.' ? length - 1 : length);
}

static bool is_ipv6(const char *host, size_t length)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    // A link-local address needs a scope ("fe80::1%eth0"); everything behind % is the system's.
    const char *scope = memchr(host, '%', length);
    size_t bare = scope == NULL ? length : (size_t)(scope - host);
    if (bare >= sizeof text || memchr(host, '\0', length) != NULL)
        return false;
    memcpy(text, host, bare);
    text[bare] = '\0';
    return inet_pton(AF_INET6, text, &address) == 1;
}

// Four numbers are meant as an IPv4 address, so they must be one.
static bool is_bad_ipv4(const char *host)
{
    struct in_addr address;
    return host[strspn(host, "0123456789.")] == '\0' && inet_pton(AF_INET, host, &address) != 1;
}

static bool parse_port(const char *text, uint16_t *port)
{
    unsigned long value = 0;
    if (text[0] == '\0' || strlen(text) > 5)
        return false;
    for (; *text != '\0'; text++) {
        if (!isdigit((unsigned char)*text))
            return false;
        value = value * 10 + (unsigned long)(*text - '0');
    }
    if (value > UINT16_MAX)
        return false;
    *port = (uint16_t)value;
    return true;
}

const char *address_parse(const char *text, Address *address)
{
    Address parsed;
    const char *host = text, *colon;
    size_t length;
    if (text[0] == '[') {
        const char *end = strchr(text, ']');
        host = text + 1;
        if (end == NULL)
            return "has a '[' without a ']'";
        length = (size_t)(end - host);
        if (!is_ipv6(host, length))
            return "has something in brackets that is not an IPv6 address";
        colon = end + 1;
        if (*colon != ':')
            return "has no port: write '[ADDRESS]:PORT'";
    } else {
        colon = strchr(text, ':');
        if (colon == NULL)
            return "has no port: write 'HOST:PORT'";
        length = (size_t)(colon - text);
        if (strchr(colon + 1, ':') != NULL)
            return "has several colons: an IPv6 address stands in brackets, '[2001:db8::7]:7741'";
        if (length == 0)
            return "has no host: write 'HOST:PORT', with the name or the number of a host (0.0.0.0: of all interfaces)";
        if (length > ADDRESS_HOST_MAX)
            return "has a host name that is too long";
        if (!is_dialled_name(host, length))
            return "does not begin with the name of a host: labels of 1 to 63 letters, digits and hyphens, with dots "
                   "in between";
    }
    if (length > ADDRESS_HOST_MAX)
        return "has an address that is too long";
    if (!parse_port(colon + 1, &parsed.port))
        return "has no port that is a number from 0 to 65535";
    memcpy(parsed.host, host, length);
    parsed.host[length] = '\0';
    if (text[0] != '[' && is_bad_ipv4(parsed.host))
        return "has a number that is not an IPv4 address";
    *address = parsed;
    return NULL;
}
