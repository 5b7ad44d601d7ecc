// tls_context.c: a node's certificates. What is wrong with them is found when the node is opened, not when somebody calls.

#define _GNU_SOURCE

#include "net/carrier/tls_internal.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void tls_outlives_main(void)
{
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

enum { PATH_SIZE = 4096, CERTIFICATES_MAX = 32 << 10, DEPTH_MAX = 4 };
static const unsigned char protocol[] = "\x08"
                                        "chorex/1";

typedef struct {
    const TlsOptions *options;
    TlsContext *context;
    char authority[PATH_SIZE], certificate[PATH_SIZE], key[PATH_SIZE];
    char *why;
    size_t why_size;
} Loader;

static bool refuse(const Loader *loader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const Loader *loader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(loader->why, loader->why_size, format, arguments);
    va_end(arguments);
    ERR_clear_error();
    return false;
}

static bool refuse_unreadable(const Loader *loader, const char *path, const char *what)
{
    if (access(path, R_OK) != 0)
        return refuse(loader, "'%s' can't be read: %s%s", path, strerror(errno),
                      errno == ENOENT ? " ('chorex certs' makes certificates)" : "");
    return refuse(loader, "'%s' is not %s", path, what);
}

static bool find_paths(Loader *loader)
{
    const TlsOptions *options = loader->options;
    const char *name = options->name == NULL ? "" : options->name;
    int longest = snprintf(loader->key, PATH_SIZE, "%s/%s.key", options->directory, name);
    snprintf(loader->certificate, PATH_SIZE, "%s/%s.pem", options->directory, name);
    int authority = snprintf(loader->authority, PATH_SIZE, "%s/ca.pem", options->directory);
    if (longest >= PATH_SIZE || authority >= PATH_SIZE)
        return refuse(loader, "the path of the certificates is too long");
    return true;
}

// ---- what OpenSSL calls ----

static int select_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_size, const unsigned char *in,
                           unsigned in_size, void *context)
{
    (void)ssl;
    (void)context;
    unsigned char *selected;
    if (SSL_select_next_proto(&selected, out_size, protocol, sizeof protocol - 1, in, in_size) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = selected;
    return SSL_TLSEXT_ERR_OK;
}

// Nobody is there to type a passphrase.
static int no_passphrase(char *buffer, int size, int is_for_writing, void *context)
{
    (void)buffer;
    (void)size;
    (void)is_for_writing;
    (void)context;
    return -1;
}

// ---- loading ----

static bool load_authority(Loader *loader)
{
    if (SSL_CTX_load_verify_file(loader->context->ssl, loader->authority) != 1)
        return refuse_unreadable(loader, loader->authority, "a certificate in PEM form");
    return true;
}

static bool load_own(Loader *loader)
{
    SSL_CTX *ssl = loader->context->ssl;
    SSL_CTX_set_default_passwd_cb(ssl, no_passphrase);
    if (SSL_CTX_use_certificate_chain_file(ssl, loader->certificate) != 1)
        return refuse_unreadable(loader, loader->certificate, "a certificate in PEM form");
    if (SSL_CTX_use_PrivateKey_file(ssl, loader->key, SSL_FILETYPE_PEM) != 1) {
        bool is_other = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
        if (is_other)
            return refuse(loader, "'%s' is not the key of the certificate '%s': copy both again", loader->key,
                          loader->certificate);
        return refuse_unreadable(loader, loader->key, "a private key in PEM form, or is encrypted");
    }
    return true;
}

// Our own certificate, as others will look at it.
static bool check_own(Loader *loader)
{
    SSL_CTX *ssl = loader->context->ssl;
    X509 *certificate = SSL_CTX_get0_certificate(ssl);
    X509_STORE_CTX *store = X509_STORE_CTX_new();
    char name[TLS_NODE_NAME_MAX + 1], date[TLS_DATE_SIZE];
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(ssl, &chain);
    if (store == NULL || X509_STORE_CTX_init(store, SSL_CTX_get_cert_store(ssl), certificate, chain) != 1) {
        X509_STORE_CTX_free(store);
        return refuse(loader, "there is no memory");
    }
    if (loader->options->time != 0)
        X509_STORE_CTX_set_time(store, 0, (time_t)loader->options->time);
    int error = X509_verify_cert(store) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(store);
    X509 *culprit = X509_STORE_CTX_get_current_cert(store);
    tls_format_date(X509_get0_notAfter(culprit == NULL ? certificate : culprit), date);
    bool is_authority = culprit != NULL && culprit != certificate;
    X509_STORE_CTX_free(store);
    if (error == X509_V_ERR_CERT_HAS_EXPIRED)
        return refuse(loader, "the certificate in '%s' has expired on %s: make a new one ('chorex certs %s')",
                      is_authority ? loader->authority : loader->certificate, date,
                      is_authority ? "init DIR" : "node NAME --replace");
    if (error == X509_V_ERR_CERT_NOT_YET_VALID)
        return refuse(loader, "the certificate in '%s' is not valid yet: is this host's clock right?",
                      loader->certificate);
    if (error != X509_V_OK)
        return refuse(loader, "'%s' was not signed by the authority in '%s' (%s): copy both from the same place",
                      loader->certificate, loader->authority, X509_verify_cert_error_string(error));
    if (!tls_node_name(certificate, name))
        return refuse(loader, "'%s' does not say the name of a node: make it with 'chorex certs node %s'",
                      loader->certificate, loader->options->name);
    if (strcmp(name, loader->options->name) != 0)
        return refuse(loader, "'%s' is the certificate of '%s', but the configuration says 'name = %s'",
                      loader->certificate, name, loader->options->name);
    return true;
}

static bool copy_options(Loader *loader)
{
    const TlsOptions *options = loader->options;
    TlsContext *context = loader->context;
    context->name = options->name == NULL ? NULL : strdup(options->name);
    context->denied = calloc(options->denied_count + 1, sizeof *context->denied);
    bool is_good = (options->name == NULL || context->name != NULL) && context->denied != NULL;
    for (size_t i = 0; i < options->denied_count && is_good; i++) {
        context->denied[i] = strdup(options->denied[i]);
        is_good = context->denied[i] != NULL;
        context->denied_count += is_good;
    }
    return is_good || refuse(loader, "there is no memory");
}

static bool set_up(Loader *loader)
{
    TlsContext *context = loader->context;
    context->bio = tls_bio_new();
    context->ssl = SSL_CTX_new(TLS_method());
    SSL_CTX *ssl = context->ssl;
    if (context->bio == NULL || ssl == NULL)
        return refuse(loader, "OpenSSL can't be used: there is no memory, or its configuration is wrong");
    bool is_good =
        SSL_CTX_set_min_proto_version(ssl, TLS1_3_VERSION) == 1 &&
        SSL_CTX_set_max_proto_version(ssl, TLS1_3_VERSION) == 1 &&
        // The first is the fastest on machines with instructions for AES, the last one on others.
        SSL_CTX_set_ciphersuites(ssl, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256") ==
            1 &&
        SSL_CTX_set1_groups_list(ssl, "X25519:P-256") == 1 &&
        // This one returns 0 on success.
        SSL_CTX_set_alpn_protos(ssl, protocol, sizeof protocol - 1) == 0 && SSL_CTX_set_num_tickets(ssl, 0) == 1;
    SSL_CTX_set_alpn_select_cb(ssl, select_protocol, NULL);
    SSL_CTX_set_options(ssl, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_max_cert_list(ssl, CERTIFICATES_MAX);
    SSL_CTX_set_verify_depth(ssl, DEPTH_MAX);
    if (loader->options->time != 0)
        X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(ssl), (time_t)loader->options->time);
    return is_good ||
           refuse(loader,
                  "OpenSSL does not know what is needed (TLS 1.3, AES-GCM, X25519): is its configuration right?");
}

TlsContext *tls_context_new(const TlsOptions *options, char *why, size_t why_size)
{
    Loader loader = {.options = options, .why = why, .why_size = why_size};
    loader.context = calloc(1, sizeof *loader.context);
    ERR_clear_error();
    if (loader.context == NULL) {
        refuse(&loader, "there is no memory");
        return NULL;
    }
    atomic_init(&loader.context->references, 1);
    if (find_paths(&loader) && copy_options(&loader) && set_up(&loader) && load_authority(&loader) &&
        (options->name == NULL || (load_own(&loader) && check_own(&loader))))
        return loader.context;
    tls_context_release(loader.context);
    return NULL;
}

void tls_context_release(TlsContext *context)
{
    if (context == NULL || atomic_fetch_sub(&context->references, 1) != 1)
        return;
    for (size_t i = 0; i < context->denied_count; i++)
        free(context->denied[i]);
    free(context->denied);
    free(context->name);
    SSL_CTX_free(context->ssl);
    BIO_meth_free(context->bio);
    free(context);
}

bool tls_context_denies(const TlsContext *context, const char *name)
{
    for (size_t i = 0; i < context->denied_count; i++)
        if (strcmp(context->denied[i], name) == 0)
            return true;
    return false;
}
