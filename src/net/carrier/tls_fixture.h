// tls_fixture.h: authorities and certificates for tests, with every property that they may have, in a directory of their own.

#ifndef NET_CARRIER_TLS_FIXTURE_H
#define NET_CARRIER_TLS_FIXTURE_H

#include "net/carrier/tls.h"

#include <openssl/evp.h>
#include <openssl/x509v3.h>

enum { DAY_S = 86400 };

typedef struct {
    X509 *certificate;
    EVP_PKEY *key;
} TlsIssuer;

typedef struct {
    const char *common_name;
    const char *names;     // subjectAltName, as OpenSSL's configuration writes it; NULL: none
    const char *usage;     // extendedKeyUsage; NULL: none
    long from_s, until_s;  // relative to now; both 0: thirty days ago to thirty days from now
    const char *file_name; // NULL: common_name
    bool names_no_key;     // of its authority: that is known by its name only
} TlsFixtureNode;

// What the tests need: ca.pem, the other authority's other/ca.pem, and the nodes shop-1, bank, mallory, expired, early, and
// other/shop-1 and other/plain of the other authority.
typedef struct {
    char directory[64], other[80];
    TlsIssuer issuer, other_issuer;
} TlsFixture;

void tls_fixture_init(TlsFixture *fixture);
// The same, with keys of a kind that makes all handshakes equally long, so that a simulated run can be repeated.
void tls_fixture_init_even(TlsFixture *fixture);
void tls_fixture_fini(TlsFixture *fixture);
void tls_fixture_node(const char *directory, const TlsIssuer *issuer, const TlsFixtureNode *node);
// Ends the program if there is something wrong with it.
TlsContext *tls_fixture_context(const char *directory, const char *name);

#endif
