// show.c: chorex certs show: a certificate in plain English.

#define _GNU_SOURCE

#include "tools/certs/certs.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <openssl/err.h>
#include <string.h>
#include <time.h>

// What somebody else has put into a certificate must not control the terminal.
static void print_text(const unsigned char *text, int length)
{
    for (int i = 0; i < length; i++)
        putchar(isprint(text[i]) ? text[i] : '?');
}

static void print_common_name(const X509_NAME *name)
{
    int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    const ASN1_STRING *text = at < 0 ? NULL : X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    if (text == NULL)
        printf("(none)");
    else
        print_text(ASN1_STRING_get0_data(text), ASN1_STRING_length(text));
}

static void print_day(const ASN1_TIME *moment)
{
    struct tm parts;
    char text[64] = "an unknown date";
    if (ASN1_TIME_to_tm(moment, &parts) == 1)
        strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    printf("%s", text);
}

static void print_days_left(int days)
{
    printf(" (%d day%s left)\n", days, days == 1 ? "" : "s");
}

static void print_validity(const X509 *certificate)
{
    const ASN1_TIME *from = X509_get0_notBefore(certificate), *to = X509_get0_notAfter(certificate);
    int days = 0, seconds = 0;
    ASN1_TIME_diff(&days, &seconds, NULL, to);
    printf("Valid:        from ");
    print_day(from);
    printf(" to ");
    print_day(to);
    if (X509_cmp_current_time(from) > 0)
        printf(" (NOT YET VALID)\n");
    else if (days < 0 || seconds < 0)
        printf(" (EXPIRED: make a new one with 'chorex certs node NAME --replace')\n");
    else if (days == 0)
        printf(" (less than a day left)\n");
    else
        print_days_left(days + (seconds > 0)); // what is valid for 90 days has 90 left a second later
}

// The text behind `prefix`, if the name begins with it.
static const unsigned char *uri_behind(const GENERAL_NAME *name, const char *prefix, int *length)
{
    size_t prefix_length = strlen(prefix);
    if (name->type != GEN_URI)
        return NULL;
    const unsigned char *text = ASN1_STRING_get0_data(name->d.uniformResourceIdentifier);
    *length = ASN1_STRING_length(name->d.uniformResourceIdentifier) - (int)prefix_length;
    return *length > 0 && memcmp(text, prefix, prefix_length) == 0 ? text + prefix_length : NULL;
}

static void print_role(const unsigned char *role, int length)
{
    const unsigned char *slash = memchr(role, '/', (size_t)length);
    if (slash == NULL) {
        print_text(role, length);
        printf(" (this names no role)\n");
        return;
    }
    int choreography = (int)(slash - role);
    bool all_roles = length - choreography == 2 && slash[1] == '*', all = choreography == 1 && role[0] == '*';
    if (all_roles)
        printf("every role");
    else
        print_text(slash + 1, length - choreography - 1);
    printf(" of ");
    if (all)
        printf("every choreography");
    else
        print_text(role, choreography);
    printf("\n");
}

static void print_roles(const GENERAL_NAMES *names)
{
    int count = 0, length;
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const unsigned char *role = uri_behind(sk_GENERAL_NAME_value(names, i), "chorex:role/", &length);
        if (role == NULL)
            continue;
        printf(count++ == 0 ? "May play:     " : "              ");
        print_role(role, length);
    }
    if (count == 0)
        printf("May play:     no role\n");
}

static void print_host(const GENERAL_NAME *name)
{
    char text[INET6_ADDRSTRLEN];
    if (name->type == GEN_DNS) {
        print_text(ASN1_STRING_get0_data(name->d.dNSName), ASN1_STRING_length(name->d.dNSName));
        return;
    }
    int length = ASN1_STRING_length(name->d.iPAddress);
    const unsigned char *bytes = ASN1_STRING_get0_data(name->d.iPAddress);
    bool is_good =
        (length == 4 || length == 16) && inet_ntop(length == 4 ? AF_INET : AF_INET6, bytes, text, sizeof text) != NULL;
    printf("%s", is_good ? text : "(no address)");
}

static void print_hosts(const GENERAL_NAMES *names)
{
    int count = 0;
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type != GEN_DNS && name->type != GEN_IPADD)
            continue;
        printf(count++ == 0 ? "Host:         " : ", ");
        print_host(name);
    }
    if (count > 0)
        printf("\n");
}

static void print_fingerprint(const X509 *certificate)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    if (X509_digest(certificate, EVP_sha256(), bytes, &count) != 1)
        return;
    printf("Fingerprint:  ");
    for (unsigned i = 0; i < count; i++)
        printf("%02X%s", bytes[i], i + 1 < count ? ":" : " (SHA-256)\n");
}

int show_file(const char *path)
{
    X509 *certificate = files_read_certificate(path);
    if (certificate == NULL)
        return EXIT_WRONG;
    bool is_authority = X509_check_ca(certificate) != 0;
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    printf(is_authority ? "Authority:    " : "Node:         ");
    print_common_name(X509_get_subject_name(certificate));
    printf("\n");
    if (!is_authority)
        print_roles(names);
    print_hosts(names);
    print_validity(certificate);
    printf("Signed by:    ");
    print_common_name(X509_get_issuer_name(certificate));
    printf(X509_self_signed(certificate, 0) == 1 ? " (itself)\n" : "\n");
    print_fingerprint(certificate);
    GENERAL_NAMES_free(names);
    X509_free(certificate);
    ERR_clear_error();
    return EXIT_SUCCESS;
}
