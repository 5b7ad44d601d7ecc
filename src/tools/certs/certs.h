// certs.h: chorex-certs, which makes the certificates of nodes.
//
// An authority is a directory with ca.pem and ca.key. A node has NAME.pem and NAME.key, signed by it. The certificate says the
// node's name (common name, and the URI chorex:node/NAME) and the roles that it may play: a URI chorex:role/CHOREOGRAPHY/ROLE
// each, where * stands for all.

#ifndef TOOLS_CERTS_CERTS_H
#define TOOLS_CERTS_CERTS_H

#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2 };
enum { NODE_NAME_MAX = 64, DAYS_MAX = 36500, PATH_SIZE = 4096 };

// What was asked for on the command line.
typedef struct {
    const char *name, *directory;
    char **roles; // "bookseller/Seller"
    size_t role_count;
    char **hosts; // "DNS:shop.example.org", "IP:192.0.2.7"
    size_t host_count;
    long days;
    bool replaces; // an existing certificate of the node
} NodeRequest;

// ---- the commands; the result is an exit status ----

int authority_init(const char *directory, const char *name, long days);
int node_certify(const NodeRequest *request);
int show_file(const char *path);

// ---- messages ----

// "chorex certs: error: ...", with OpenSSL's reason behind it if there is one. The result is EXIT_WRONG.
int certs_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// ---- names.c ----

bool names_is_node(const char *name);
bool names_is_authority(const char *name);
// NULL: a role as "CHOREOGRAPHY/ROLE", each the name of a C identifier or *. Otherwise what is wrong with it.
const char *names_check_role(const char *role);
const char *names_check_dns(const char *name);
const char *names_check_ip(const char *address);

// ---- files.c ----

// False: the path is too long, and a message was written.
bool files_path(char path[PATH_SIZE], const char *directory, const char *name, const char *ending);
// Written beside its place, synced, then moved there: it is never there by half. Messages are written.
bool files_write_key(const char *path, EVP_PKEY *key, bool replaces);
bool files_write_certificate(const char *path, X509 *certificate, bool replaces);
X509 *files_read_certificate(const char *path);
EVP_PKEY *files_read_key(const char *path);

// ---- authority.c ----

// A new key for ECDSA with P-256; NULL: a message was written.
EVP_PKEY *authority_new_key(void);
// A certificate for `key` without extensions: version, random serial number, validity, subject; NULL: a message was written. An
// hour of its validity has passed already, since clocks of hosts differ.
X509 *authority_new_certificate(EVP_PKEY *key, const char *name, long days);
bool authority_extend(X509 *certificate, X509 *issuer, int nid, const char *value);

#endif
