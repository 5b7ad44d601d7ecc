// tls_fixture.c: makes certificates.

#define _GNU_SOURCE

#include "net/carrier/tls_fixture.h"

#include "base/check.h"

#include <ftw.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// For signatures that all have the same length; those of P-256 have not.
static bool is_even;

static EVP_PKEY *make_key(void)
{
    EVP_PKEY *key = is_even ? EVP_PKEY_Q_keygen(NULL, NULL, "ED25519") : EVP_EC_gen("P-256");
    CHECK(key != NULL);
    return key;
}

static void sign(X509 *certificate, EVP_PKEY *key)
{
    CHECK(X509_sign(certificate, key, is_even ? NULL : EVP_sha256()) > 0);
}

static void extend(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    CHECK(extension != NULL && X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
}

static X509 *new_certificate(EVP_PKEY *key, const char *name, long from_s, long until_s)
{
    static long serial = 1;
    X509 *certificate = X509_new();
    CHECK(certificate != NULL && X509_set_version(certificate, X509_VERSION_3) == 1);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate), from_s);
    X509_gmtime_adj(X509_getm_notAfter(certificate), until_s);
    X509_set_pubkey(certificate, key);
    if (name != NULL)
        X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, (const unsigned char *)name,
                                   -1, -1, 0);
    return certificate;
}

static FILE *create(const char *directory, const char *name, const char *ending)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s%s", directory, name, ending);
    FILE *out = fopen(path, "w");
    CHECK(out != NULL);
    return out;
}

static void write_certificate(const char *directory, const char *name, X509 *certificate)
{
    FILE *out = create(directory, name, ".pem");
    CHECK(PEM_write_X509(out, certificate) == 1);
    fclose(out);
}

static void write_key(const char *directory, const char *name, EVP_PKEY *key)
{
    FILE *out = create(directory, name, ".key");
    CHECK(PEM_write_PKCS8PrivateKey(out, key, NULL, NULL, 0, NULL, NULL) == 1);
    fclose(out);
}

static void make_issuer(const char *directory, TlsIssuer *issuer)
{
    issuer->key = make_key();
    issuer->certificate = new_certificate(issuer->key, "authority", -365L * DAY_S, 365L * DAY_S);
    X509_set_issuer_name(issuer->certificate, X509_get_subject_name(issuer->certificate));
    extend(issuer->certificate, issuer->certificate, NID_basic_constraints, "critical,CA:TRUE");
    extend(issuer->certificate, issuer->certificate, NID_subject_key_identifier, "hash");
    sign(issuer->certificate, issuer->key);
    write_certificate(directory, "ca", issuer->certificate);
}

void tls_fixture_node(const char *directory, const TlsIssuer *issuer, const TlsFixtureNode *node)
{
    EVP_PKEY *key = make_key();
    bool is_usual = node->from_s == 0 && node->until_s == 0;
    X509 *certificate = new_certificate(key, node->common_name, is_usual ? -30L * DAY_S : node->from_s,
                                        is_usual ? 30L * DAY_S : node->until_s);
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer->certificate));
    extend(certificate, issuer->certificate, NID_basic_constraints, "critical,CA:FALSE");
    if (!node->names_no_key)
        extend(certificate, issuer->certificate, NID_authority_key_identifier, "keyid");
    if (node->names != NULL)
        extend(certificate, issuer->certificate, NID_subject_alt_name, node->names);
    if (node->usage != NULL)
        extend(certificate, issuer->certificate, NID_ext_key_usage, node->usage);
    sign(certificate, issuer->key);
    const char *name = node->file_name != NULL ? node->file_name : node->common_name;
    write_certificate(directory, name, certificate);
    write_key(directory, name, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

void tls_fixture_init_even(TlsFixture *fixture)
{
    is_even = true;
    tls_fixture_init(fixture);
}

void tls_fixture_init(TlsFixture *fixture)
{
    snprintf(fixture->directory, sizeof fixture->directory, "/tmp/chorex-tls-XXXXXX");
    CHECK(mkdtemp(fixture->directory) != NULL);
    snprintf(fixture->other, sizeof fixture->other, "%s/other", fixture->directory);
    CHECK(mkdir(fixture->other, 0700) == 0);
    make_issuer(fixture->directory, &fixture->issuer);
    make_issuer(fixture->other, &fixture->other_issuer);
    const TlsFixtureNode nodes[] = {
        {.common_name = "shop-1",
         .names = "URI:chorex:node/shop-1,URI:chorex:role/bookseller/Seller,URI:chorex:role/*/Monitor,"
                  "URI:chorex:role/kv/*,DNS:shop.example.org,IP:192.0.2.7"},
        {.common_name = "bank", .usage = "serverAuth,clientAuth"},
        {.common_name = "mallory"},
        {.common_name = "expired", .from_s = -10L * DAY_S, .until_s = -1L * DAY_S},
        {.common_name = "early", .from_s = 1L * DAY_S, .until_s = 10L * DAY_S},
    };
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        tls_fixture_node(fixture->directory, &fixture->issuer, &nodes[i]);
    tls_fixture_node(fixture->other, &fixture->other_issuer, &nodes[0]);
    tls_fixture_node(fixture->other, &fixture->other_issuer,
                     &(TlsFixtureNode){.common_name = "plain", .names_no_key = true});
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void tls_fixture_fini(TlsFixture *fixture)
{
    nftw(fixture->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    X509_free(fixture->issuer.certificate);
    EVP_PKEY_free(fixture->issuer.key);
    X509_free(fixture->other_issuer.certificate);
    EVP_PKEY_free(fixture->other_issuer.key);
}

TlsContext *tls_fixture_context(const char *directory, const char *name)
{
    char why[TLS_WHY_SIZE] = "";
    TlsContext *context = tls_context_new(&(TlsOptions){.directory = directory, .name = name}, why, sizeof why);
    if (context == NULL)
        fprintf(stderr, "%s\n", why);
    CHECK(context != NULL);
    return context;
}
