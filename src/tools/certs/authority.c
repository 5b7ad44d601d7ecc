// authority.c: chorex certs init: an authority of one's own, whose only purpose is to sign the certificates of nodes.

#define _GNU_SOURCE

#include "tools/certs/certs.h"

#include <errno.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

EVP_PKEY *authority_new_key(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    if (key == NULL)
        certs_error("a key can't be made");
    return key;
}

static bool set_serial(X509 *certificate)
{
    BIGNUM *number = BN_new();
    bool is_set = number != NULL && BN_rand(number, 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
                  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return is_set;
}

static bool set_validity(X509 *certificate, long days)
{
    return X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != NULL &&
           X509_time_adj_ex(X509_getm_notAfter(certificate), (int)days, 0, NULL) != NULL;
}

X509 *authority_new_certificate(EVP_PKEY *key, const char *name, long days)
{
    X509 *certificate = X509_new();
    if (certificate != NULL && X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
        set_validity(certificate, days) &&
        X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, (const unsigned char *)name,
                                   -1, -1, 0) == 1 &&
        X509_set_pubkey(certificate, key) == 1)
        return certificate;
    certs_error("a certificate for '%s' can't be made", name);
    X509_free(certificate);
    return NULL;
}

bool authority_extend(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    bool is_added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    if (!is_added)
        certs_error("'%s' can't be put into the certificate", value);
    return is_added;
}

static X509 *make_authority(EVP_PKEY *key, const char *name, long days)
{
    X509 *certificate = authority_new_certificate(key, name, days);
    if (certificate == NULL)
        return NULL;
    if (X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1 &&
        authority_extend(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
        authority_extend(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") &&
        authority_extend(certificate, certificate, NID_subject_key_identifier, "hash") &&
        X509_sign(certificate, key, EVP_sha256()) > 0)
        return certificate;
    certs_error("the authority's certificate can't be signed");
    X509_free(certificate);
    return NULL;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static int write_authority(const char *directory, const char *certificate_path, const char *key_path, const char *name,
                           long days)
{
    EVP_PKEY *key = authority_new_key();
    X509 *certificate = key == NULL ? NULL : make_authority(key, name, days);
    // The certificate comes last: where it is, the key is, too.
    bool is_written = certificate != NULL && files_write_key(key_path, key, false);
    if (is_written && !files_write_certificate(certificate_path, certificate, false)) {
        unlink(key_path);
        is_written = false;
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
    if (!is_written)
        return EXIT_WRONG;
    printf("%s: the authority's certificate; every node needs a copy of it.\n"
           "%s: its key. Who has it can make certificates for any role: keep it safe, and not on the nodes.\n"
           "\n"
           "Next, a certificate for each node:\n"
           "    chorex certs node NAME --roles CHOREOGRAPHY/ROLE,... --dir %s\n",
           certificate_path, key_path, directory);
    return EXIT_SUCCESS;
}

int authority_init(const char *directory, const char *name, long days)
{
    char certificate_path[PATH_SIZE], key_path[PATH_SIZE];
    if (!files_path(certificate_path, directory, "ca", ".pem") || !files_path(key_path, directory, "ca", ".key"))
        return EXIT_WRONG;
    if (mkdir(directory, 0755) != 0 && errno != EEXIST)
        return certs_error("the directory '%s' can't be made: %s", directory, strerror(errno));
    if (is_there(certificate_path) || is_there(key_path))
        return certs_error(
            "there is an authority in '%s' already. Certificates that it has signed would not be accepted with "
            "another one: take another directory, or remove ca.pem and ca.key yourself",
            directory);
    return write_authority(directory, certificate_path, key_path, name, days);
}
