// Addresses are read as they are meant, and what is no address is refused with its reason.

#include "net/config/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void good(const char *text, const char *host, uint16_t port)
{
    Address address;
    const char *why = address_parse(text, &address);
    if (why != NULL)
        fail_msg("'%s' %s", text, why);
    assert_string_equal(address.host, host);
    assert_int_equal(address.port, port);
}

static void bad(const char *text, const char *reason)
{
    Address address;
    const char *why = address_parse(text, &address);
    if (why == NULL)
        fail_msg("'%s' is accepted", text);
    else if (strstr(why, reason) == NULL)
        fail_msg("'%s' %s: no '%s'", text, why, reason);
}

static void addresses_are_hosts_and_ports(void **state)
{
    (void)state;
    good("shop.example.org:7741", "shop.example.org", 7741);
    good("0.0.0.0:7741", "0.0.0.0", 7741);
    good("127.0.0.1:0", "127.0.0.1", 0);
    good("localhost:65535", "localhost", 65535);
    good("my_host-2:1", "my_host-2", 1);
    good("shop.example.org.:1", "shop.example.org.", 1);
    good("[::1]:80", "::1", 80);
    good("[::]:7741", "::", 7741);
    good("[fe80::1%eth0]:7741", "fe80::1%eth0", 7741);
}

static void others_are_refused_with_a_reason(void **state)
{
    (void)state;
    char long_name[400];
    memset(long_name, 'a', sizeof long_name);
    memcpy(long_name + 300, ":80", 4);
    bad("", "no port");
    bad("shop", "no port");
    bad("shop:", "number from 0");
    bad("shop:http", "number from 0");
    bad("shop:65536", "number from 0");
    bad("shop:-1", "number from 0");
    bad("shop:7741x", "number from 0");
    bad("shop:00000000000000000001", "number from 0");
    bad(":7741", "no host");
    bad("-a:7741", "the name of a host");
    bad("a-:7741", "the name of a host");
    bad("a..b:7741", "the name of a host");
    bad(".a:7741", "the name of a host");
    bad(".:7741", "the name of a host");
    bad("a.b..:7741", "the name of a host");
    bad("sh op:7741", "the name of a host");
    bad("a12345678901234567890123456789012345678901234567890123456789012345.org:1", "the name of a host");
    bad("tcp://shop:7741", "several colons");
    bad("::1:7741", "brackets");
    bad("[::1]", "no port");
    bad("[::1", "without a ']'");
    bad("[shop]:1", "not an IPv6");
    bad("[]:1", "not an IPv6");
    bad("1.2.3.400:1", "not an IPv4");
    bad("1.2.3:1", "not an IPv4");
    bad(long_name, "too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_hosts_and_ports),
        cmocka_unit_test(others_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
