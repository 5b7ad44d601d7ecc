// tls_peer.c: who is at the other end, by its certificate; and why a handshake has failed.

#define _GNU_SOURCE

#include "net/carrier/tls_internal.h"

#include "net/config/config.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert((int)TLS_NODE_NAME_MAX == (int)CONFIG_NAME_MAX, "one rule for names of nodes");

// ---- names ----

void tls_format_date(const ASN1_TIME *moment, char text[TLS_DATE_SIZE])
{
    struct tm parts;
    snprintf(text, TLS_DATE_SIZE, "an unknown date");
    if (moment != NULL && ASN1_TIME_to_tm(moment, &parts) == 1)
        strftime(text, TLS_DATE_SIZE, "%Y-%m-%d %H:%M UTC", &parts);
}

// The text behind `prefix` in a URI; NULL: it begins otherwise, or has a NUL in it.
static const char *uri_behind(const GENERAL_NAME *name, const char *prefix, size_t *length)
{
    size_t prefix_length = strlen(prefix);
    if (name->type != GEN_URI)
        return NULL;
    const char *text = (const char *)ASN1_STRING_get0_data(name->d.uniformResourceIdentifier);
    size_t size = (size_t)ASN1_STRING_length(name->d.uniformResourceIdentifier);
    if (size <= prefix_length || memcmp(text, prefix, prefix_length) != 0 || memchr(text, '\0', size) != NULL)
        return NULL;
    *length = size - prefix_length;
    return text + prefix_length;
}

static bool take_name(const char *text, size_t length, char name[TLS_NODE_NAME_MAX + 1])
{
    if (length > TLS_NODE_NAME_MAX)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    return strlen(name) == length && config_is_node_name(name);
}

static bool common_name(X509 *certificate, char name[TLS_NODE_NAME_MAX + 1])
{
    const X509_NAME *subject = X509_get_subject_name(certificate);
    int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0)
        return false;
    const ASN1_STRING *text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    return take_name((const char *)ASN1_STRING_get0_data(text), (size_t)ASN1_STRING_length(text), name);
}

// The URI chorex:node/NAME; without one, the common name. One certificate is for one node.
bool tls_node_name(X509 *certificate, char name[TLS_NODE_NAME_MAX + 1])
{
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    unsigned count = 0;
    bool is_good = true;
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        size_t length;
        const char *text = uri_behind(sk_GENERAL_NAME_value(names, i), "chorex:node/", &length);
        if (text == NULL)
            continue;
        is_good = take_name(text, length, name) && count++ == 0;
        if (!is_good)
            break;
    }
    GENERAL_NAMES_free(names);
    return is_good && (count == 1 || common_name(certificate, name));
}

static bool is_identifier_or_star(const char *text, size_t length)
{
    if (length == 1 && text[0] == '*')
        return true;
    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && !(i > 0 && c >= '0' && c <= '9'))
            return false;
    }
    return true;
}

// "bookseller/Seller" into two texts at `to`. False: it is not of this form, and allows nothing.
static bool take_role(const char *text, size_t length, char *to, TlsRole *role)
{
    const char *slash = memchr(text, '/', length);
    size_t first = slash == NULL ? 0 : (size_t)(slash - text);
    if (slash == NULL || !is_identifier_or_star(text, first) || !is_identifier_or_star(slash + 1, length - first - 1))
        return false;
    memcpy(to, text, length);
    to[first] = to[length] = '\0';
    *role = (TlsRole){to, to + first + 1};
    return true;
}

// The name and the roles of a certificate, in one piece of memory. False: no memory.
static bool take_roles(Tls *tls, X509 *certificate, const char *name)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    int count = sk_GENERAL_NAME_num(names);
    size_t length, size = strlen(name) + 1, role_count = 0;
    for (int i = 0; i < count; i++)
        if (uri_behind(sk_GENERAL_NAME_value(names, i), "chorex:role/", &length) != NULL) {
            size += length + 1;
            role_count++;
        }
    TlsRole *roles = malloc(role_count * sizeof *roles + size);
    if (roles != NULL) {
        char *to = (char *)(roles + role_count);
        tls->peer.name = strcpy(to, name);
        tls->peer.roles = roles;
        to += strlen(name) + 1;
        for (int i = 0; i < count; i++) {
            const char *text = uri_behind(sk_GENERAL_NAME_value(names, i), "chorex:role/", &length);
            if (text == NULL || !take_role(text, length, to, &roles[tls->peer.role_count]))
                continue;
            to += length + 1;
            tls->peer.role_count++;
        }
    }
    tls->peer_memory = roles;
    GENERAL_NAMES_free(names);
    return roles != NULL;
}

bool tls_take_peer(Tls *tls)
{
    char name[TLS_NODE_NAME_MAX + 1];
    struct tm parts = {0};
    X509 *certificate = SSL_get0_peer_certificate(tls->ssl);
    const unsigned char *spoken = NULL;
    unsigned length = 0;
    SSL_get0_alpn_selected(tls->ssl, &spoken, &length);
    if (length != strlen("chorex/1") || memcmp(spoken, "chorex/1", length) != 0) {
        tls_fail(tls, EPROTO, "the other side speaks TLS, but not chorex/1: it is not a node");
        return false;
    }
    if (certificate == NULL)
        return true;
    unsigned size = 0;
    if (!tls_node_name(certificate, name) || !take_roles(tls, certificate, name) ||
        X509_digest(certificate, EVP_sha256(), tls->peer.fingerprint, &size) != 1) {
        tls_fail(tls, ENOMEM, "there is no memory");
        return false;
    }
    ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts);
    tls->peer.valid_until = (int64_t)timegm(&parts);
    return true;
}

bool tls_peer_may_play(const TlsPeer *peer, const char *choreography, const char *role)
{
    for (size_t i = 0; i < peer->role_count; i++) {
        const TlsRole *allowed = &peer->roles[i];
        if ((strcmp(allowed->choreography, "*") == 0 || strcmp(allowed->choreography, choreography) == 0) &&
            (strcmp(allowed->role, "*") == 0 || strcmp(allowed->role, role) == 0))
            return true;
    }
    return false;
}

// ---- verdicts ----

void tls_fail(Tls *tls, int error, const char *format, ...)
{
    tls->state = TLS_FAILED;
    if (tls->why[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tls->why, sizeof tls->why, format, arguments);
    va_end(arguments);
    tls->error = error;
}

// During the handshake the reason is noted, and OpenSSL still has to send it to the other side.
static void note(Tls *tls, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(Tls *tls, const char *format, ...)
{
    if (tls->why[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tls->why, sizeof tls->why, format, arguments);
    va_end(arguments);
    tls->error = EACCES;
}

// Whose certificate it is, for messages.
static void describe(X509 *certificate, char text[TLS_NODE_NAME_MAX + 16])
{
    char name[TLS_NODE_NAME_MAX + 1];
    if (certificate != NULL && tls_node_name(certificate, name))
        snprintf(text, TLS_NODE_NAME_MAX + 16, "of '%s'", name);
    else
        snprintf(text, TLS_NODE_NAME_MAX + 16, "of the other side");
}

static void note_openssl_verdict(Tls *tls, X509_STORE_CTX *store)
{
    char whose[TLS_NODE_NAME_MAX + 16], date[TLS_DATE_SIZE];
    int error = X509_STORE_CTX_get_error(store);
    X509 *certificate = X509_STORE_CTX_get_current_cert(store);
    bool is_authority = X509_STORE_CTX_get_error_depth(store) > 0;
    describe(X509_STORE_CTX_get0_cert(store), whose);
    switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        tls_format_date(certificate == NULL ? NULL : X509_get0_notAfter(certificate), date);
        note(tls, "%s %s has expired on %s: make a new one ('chorex certs')",
             is_authority ? "the authority behind the certificate" : "the certificate", whose, date);
        break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        tls_format_date(certificate == NULL ? NULL : X509_get0_notBefore(certificate), date);
        note(tls, "the certificate %s is valid only from %s: are the clocks of both hosts right?", whose, date);
        break;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
        note(tls, "the certificate %s was signed by another authority than those in ca.pem", whose);
        break;
    case X509_V_ERR_INVALID_PURPOSE:
        note(tls, "the certificate %s is not meant for nodes (its extended key usage)", whose);
        break;
    default:
        note(tls, "the certificate %s is not accepted: %s", whose, X509_verify_cert_error_string(error));
    }
}

static bool is_for_host(X509 *certificate, const char *host)
{
    return X509_check_ip_asc(certificate, host, 0) == 1 || X509_check_host(certificate, host, 0, 0, NULL) == 1;
}

// What OpenSSL does not know: who it should be, and who is denied. X509_V_OK, or the error that is told to the other side.
static int judge(Tls *tls, X509 *certificate)
{
    char name[TLS_NODE_NAME_MAX + 1];
    if (!tls_node_name(certificate, name)) {
        note(tls,
             "the certificate of the other side does not say the name of a node: it was not made by 'chorex certs'");
        return X509_V_ERR_APPLICATION_VERIFICATION;
    }
    if (tls_context_denies(tls->context, name)) {
        note(tls, "'%s' is denied by the configuration", name);
        return X509_V_ERR_CERT_REVOKED;
    }
    if (tls->expected_node != NULL && strcmp(tls->expected_node, name) != 0) {
        note(tls,
             "'%s' is at the other end, not '%s': an address in [nodes] is wrong, or a host has the wrong certificate",
             name, tls->expected_node);
        return X509_V_ERR_HOSTNAME_MISMATCH;
    }
    if (tls->expected_host != NULL && !is_for_host(certificate, tls->expected_host)) {
        note(tls,
             "the certificate of '%s' is not for the host '%s': make it with --dns or --ip, or dial the node by its "
             "name",
             name, tls->expected_host);
        return X509_V_ERR_HOSTNAME_MISMATCH;
    }
    return X509_V_OK;
}

int tls_verify(int is_good, X509_STORE_CTX *store)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    Tls *tls = SSL_get_app_data(ssl);
    if (!is_good) {
        note_openssl_verdict(tls, store);
        // The other authority has the same name as ours: the other side is told the same as if it had another.
        if (X509_STORE_CTX_get_error(store) == X509_V_ERR_CERT_SIGNATURE_FAILURE)
            X509_STORE_CTX_set_error(store, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
        return 0;
    }
    if (X509_STORE_CTX_get_error_depth(store) > 0)
        return 1;
    int verdict = judge(tls, X509_STORE_CTX_get0_cert(store));
    X509_STORE_CTX_set_error(store, verdict);
    return verdict == X509_V_OK;
}

// ---- failures ----

// An alert of the other side about us. NULL: it is about something else.
static const char *refusal(int reason)
{
    switch (reason - SSL_AD_REASON_OFFSET) {
    case SSL_AD_CERTIFICATE_EXPIRED:
        return "it has expired, or the other host's clock is wrong";
    case SSL_AD_CERTIFICATE_REVOKED:
        return "the other side denies this node";
    case SSL_AD_UNKNOWN_CA:
        return "it was signed by an authority that the other side does not know";
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_ACCESS_DENIED:
    case SSL_AD_HANDSHAKE_FAILURE:
        return "the other side's log says why";
    default:
        return NULL;
    }
}

static void fail_by_reason(Tls *tls, int reason, const char *text)
{
    const char *about_us = refusal(reason);
    if (about_us != NULL && tls->context->name != NULL)
        tls_fail(tls, EACCES, "the other side does not accept the certificate of '%s': %s", tls->context->name,
                 about_us);
    else if (about_us != NULL || reason == SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_REQUIRED)
        tls_fail(tls, EACCES,
                 "the other side wants a certificate, and this node has none: it needs 'name' and 'certs'");
    else if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE)
        tls_fail(tls, EACCES, "the other side has no certificate, and no role is 'anonymous' here");
    else if (reason == SSL_R_NO_APPLICATION_PROTOCOL || reason == SSL_AD_REASON_OFFSET + SSL_AD_NO_APPLICATION_PROTOCOL)
        tls_fail(tls, EPROTO, "the other side speaks TLS, but not chorex/1: it is not a node");
    else if (reason == SSL_R_UNSUPPORTED_PROTOCOL || reason == SSL_R_VERSION_TOO_LOW ||
             reason == SSL_AD_REASON_OFFSET + SSL_AD_PROTOCOL_VERSION)
        tls_fail(tls, EPROTO, "the other side does not speak TLS 1.3");
    else if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
             reason == SSL_R_HTTPS_PROXY_REQUEST || reason == SSL_R_UNKNOWN_PROTOCOL)
        tls_fail(tls, EPROTO, "the other side does not speak TLS: it is not a node");
    else
        tls_fail(tls, EPROTO, "the other side breaks the rules of TLS (%s)", text);
}

void tls_fail_by_openssl(Tls *tls)
{
    unsigned long code = ERR_peek_error();
    const char *text = code == 0 ? NULL : ERR_reason_error_string(code);
    int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
    if (tls->why[0] != '\0') // by tls_verify
        tls->state = TLS_FAILED;
    else if (tls->is_out_of_memory || ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE)
        tls_fail(tls, ENOMEM, "there is no memory for a connection");
    else if (tls->has_ended && (code == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING))
        tls_fail(tls, ECONNRESET, "the connection was cut");
    else
        fail_by_reason(tls, reason, text == NULL ? "no reason is known" : text);
    ERR_clear_error();
}
