// tls_internal.h: what the files about TLS share. tls_context.c reads certificates, tls_peer.c says who somebody is and why a
// handshake failed, tls.c moves bytes.

#ifndef NET_CARRIER_TLS_INTERNAL_H
#define NET_CARRIER_TLS_INTERNAL_H

#include "net/carrier/tls.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdatomic.h>

struct TlsContext {
    SSL_CTX *ssl;
    BIO_METHOD *bio; // through which OpenSSL reads and writes our memory
    char *name;      // NULL: without a certificate
    char **denied;
    size_t denied_count;
    atomic_uint references;
};

typedef struct {
    unsigned char *data;
    size_t start, end, capacity;
} TlsBuffer;

struct Tls {
    TlsContext *context;
    SSL *ssl;
    TlsState state;
    bool is_server, accepts_anonymous;
    bool has_ended;        // the carrier has
    bool is_out_of_memory; // for output
    bool is_closing;       // tls_close was called
    char *expected_node, *expected_host;
    uint64_t deadline_ns;
    const unsigned char *input; // not yet read
    size_t input_size;
    unsigned char *kept_input; // a copy of the input, which then is in it; NULL: it is the caller's
    TlsBuffer output;
    uint64_t records, key_records, key_updates;
    TlsPeer peer;
    void *peer_memory; // of its name and roles
    int error;
    char why[TLS_WHY_SIZE];
};

// How OpenSSL reads the input and writes the output of a connection. NULL: no memory.
BIO_METHOD *tls_bio_new(void);
// The first failure counts: later ones follow from it.
void tls_fail(Tls *tls, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

// OpenSSL's verdict about each certificate of the other side, and ours about the last one. 1: go on.
int tls_verify(int is_good, X509_STORE_CTX *store);
// After a call of OpenSSL has failed: why, in the user's words.
void tls_fail_by_openssl(Tls *tls);
// Who is at the other end. False: it failed.
bool tls_take_peer(Tls *tls);
// The node's name in a certificate. False: there is none.
bool tls_node_name(X509 *certificate, char name[TLS_NODE_NAME_MAX + 1]);
// "2026-03-01 12:00 UTC".
enum { TLS_DATE_SIZE = 32 };
void tls_format_date(const ASN1_TIME *moment, char text[TLS_DATE_SIZE]);

#endif
