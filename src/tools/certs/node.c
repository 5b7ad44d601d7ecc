// node.c: chorex certs node: a key and a certificate for one node.

#define _GNU_SOURCE

#include "tools/certs/certs.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    X509 *certificate;
    EVP_PKEY *key;
} Authority;

static void authority_fini(Authority *authority)
{
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
}

// False: a message was written.
static bool read_authority(const char *directory, Authority *authority)
{
    char certificate_path[PATH_SIZE], key_path[PATH_SIZE];
    *authority = (Authority){0};
    if (!files_path(certificate_path, directory, "ca", ".pem") || !files_path(key_path, directory, "ca", ".key"))
        return false;
    if (access(certificate_path, F_OK) != 0) {
        certs_error(
            "there is no authority in '%s': make one with 'chorex certs init %s', or say where it is with --dir DIR",
            directory, directory);
        return false;
    }
    authority->certificate = files_read_certificate(certificate_path);
    authority->key = authority->certificate == NULL ? NULL : files_read_key(key_path);
    if (authority->key == NULL)
        return false;
    ERR_clear_error();
    if (X509_check_private_key(authority->certificate, authority->key) != 1) {
        ERR_clear_error();
        certs_error("'%s' is not the key of '%s': they come from different authorities", key_path, certificate_path);
        return false;
    }
    if (X509_cmp_current_time(X509_get0_notAfter(authority->certificate)) < 0) {
        certs_error(
            "the authority in '%s' has expired: make a new one in another directory, and a certificate for each node",
            directory);
        return false;
    }
    return true;
}

// The names in the certificate, as OpenSSL wants them: "URI:chorex:node/shop-1,URI:chorex:role/...,DNS:...". To be freed; NULL:
// no memory.
static char *alternative_names(const NodeRequest *request)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "URI:chorex:node/%s", request->name);
    for (size_t i = 0; i < request->role_count; i++)
        fprintf(out, ",URI:chorex:role/%s", request->roles[i]);
    for (size_t i = 0; i < request->host_count; i++)
        fprintf(out, ",%s", request->hosts[i]);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static X509 *make_certificate(const NodeRequest *request, const Authority *authority, EVP_PKEY *key)
{
    X509 *issuer = authority->certificate;
    X509 *certificate = authority_new_certificate(key, request->name, request->days);
    char *names = alternative_names(request);
    bool is_good = certificate != NULL && names != NULL &&
                   X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
                   authority_extend(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
                   authority_extend(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
                   // A node is called by others and calls others.
                   authority_extend(certificate, issuer, NID_ext_key_usage, "serverAuth,clientAuth") &&
                   authority_extend(certificate, issuer, NID_subject_key_identifier, "hash") &&
                   authority_extend(certificate, issuer, NID_authority_key_identifier, "keyid") &&
                   authority_extend(certificate, issuer, NID_subject_alt_name, names);
    // A certificate is not believed for longer than the one that signed it.
    if (is_good && ASN1_TIME_compare(X509_get0_notAfter(certificate), X509_get0_notAfter(issuer)) > 0)
        is_good = X509_set1_notAfter(certificate, X509_get0_notAfter(issuer)) == 1;
    is_good = is_good && X509_sign(certificate, authority->key, EVP_sha256()) > 0;
    free(names);
    if (is_good)
        return certificate;
    certs_error("the certificate of '%s' can't be made", request->name);
    X509_free(certificate);
    return NULL;
}

static void explain(const NodeRequest *request, const char *certificate_path, const char *key_path)
{
    printf("%s: the certificate of %s", certificate_path, request->name);
    if (request->role_count == 0)
        printf(", for no role: it can only open links.\n");
    else {
        printf(", which may play");
        for (size_t i = 0; i < request->role_count; i++)
            printf("%s %s", i == 0 ? "" : ",", request->roles[i]);
        printf(".\n");
    }
    printf("%s: its key.\n"
           "\n"
           "On its host, put both and ca.pem into one directory and name it in the configuration: certs = DIRECTORY\n",
           key_path);
}

static int write_node(const NodeRequest *request, const Authority *authority, const char *certificate_path,
                      const char *key_path)
{
    EVP_PKEY *key = authority_new_key();
    X509 *certificate = key == NULL ? NULL : make_certificate(request, authority, key);
    bool is_written = certificate != NULL && files_write_key(key_path, key, request->replaces);
    if (is_written && !files_write_certificate(certificate_path, certificate, request->replaces)) {
        if (!request->replaces)
            unlink(key_path);
        is_written = false;
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
    if (is_written)
        explain(request, certificate_path, key_path);
    return is_written ? EXIT_SUCCESS : EXIT_WRONG;
}

int node_certify(const NodeRequest *request)
{
    char certificate_path[PATH_SIZE], key_path[PATH_SIZE];
    if (!files_path(certificate_path, request->directory, request->name, ".pem") ||
        !files_path(key_path, request->directory, request->name, ".key"))
        return EXIT_WRONG;
    if (!request->replaces && (access(certificate_path, F_OK) == 0 || access(key_path, F_OK) == 0))
        return certs_error("there is a certificate of '%s' in '%s' already: replace it with --replace", request->name,
                           request->directory);
    Authority authority;
    int status = read_authority(request->directory, &authority)
                     ? write_node(request, &authority, certificate_path, key_path)
                     : EXIT_WRONG;
    authority_fini(&authority);
    return status;
}
