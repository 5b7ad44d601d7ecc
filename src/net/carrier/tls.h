// tls.h: TLS 1.3 between two nodes, over whatever carries bytes.
//
// Encrypted bytes go in (tls_feed) and come out (tls_output), plain ones come out (tls_read) and go in (tls_write). There are no
// sockets, no clock and no waiting here, so that it works the same over TCP, over a relay and on a simulated machine. secure.h
// runs it over a carrier.
//
// Both sides show certificates, signed by an authority that is the node's own choice. A certificate says who a node is and which
// roles it may play (`chorex certs`). A side that dials may do without one, where the other side accepts that. There are no
// session tickets: links are long-lived. A context may be used by several threads, a connection by one at a time.

#ifndef NET_CARRIER_TLS_H
#define NET_CARRIER_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { TLS_NODE_NAME_MAX = 64, TLS_WHY_SIZE = 320 };
// A record holds so many plain bytes at most. What is written in one call is put into as few records as possible.
enum { TLS_RECORD_SIZE = 16384 };
// tls_write takes nothing more while so many encrypted bytes wait to be sent.
enum { TLS_OUTPUT_HIGH = 256 << 10 };

// OpenSSL is not to clean up when the program ends: other threads may still use it then, and so may functions that run at the end of
// the program. To be called before the program's first use of OpenSSL.
void tls_outlives_main(void);

// ---- who we are, and whom we believe ----

typedef struct TlsContext TlsContext;

typedef struct {
    const char *directory; // has ca.pem and, for a node with a name, NAME.pem and NAME.key
    const char *name;      // NULL: without a certificate; it can only dial
    const char *const *denied;
    size_t denied_count; // names of nodes whose certificates are not accepted
    int64_t time;        // in seconds since 1970: the moment at which certificates must be valid; 0: now
} TlsOptions;

// NULL: `why` says what is wrong with the files, and what to do. Everything in the options is copied.
TlsContext *tls_context_new(const TlsOptions *options, char *why, size_t why_size);
// Connections keep their context, so it may be released, and replaced by another, at any time.
void tls_context_release(TlsContext *context);
bool tls_context_denies(const TlsContext *context, const char *name);

// ---- connections ----

typedef struct Tls Tls;

typedef enum {
    TLS_HANDSHAKE,
    TLS_UP,
    TLS_CLOSED, // the other side has said that it sends nothing more
    TLS_FAILED, // tls_error and tls_why
} TlsState;

// Whom we dial. Both may be NULL: then it may be any node.
typedef struct {
    const char *node; // the name that must be in its certificate
    const char *host; // the host, by name or number, that its certificate must be for
} TlsExpected;

// NULL: no memory. The handshake must be done before the deadline, by the caller's clock (tls_check_deadline). The first output of
// one who dials is there at once.
Tls *tls_dial(TlsContext *context, const TlsExpected *expected, uint64_t deadline_ns);
Tls *tls_accept(TlsContext *context, bool accepts_anonymous, uint64_t deadline_ns);
// NULL does nothing.
void tls_free(Tls *tls);

TlsState tls_state(const Tls *tls);
// After a failure, what kind of one: EPROTO: the other side does not keep to the protocol; EACCES: one side does not accept the
// other's certificate; ECONNRESET: the connection was cut; ETIMEDOUT: the handshake took too long; ENOMEM.
int tls_error(const Tls *tls);
const char *tls_why(const Tls *tls); // in the user's words; "" before a failure

// True: the deadline has passed before the handshake was done, and the state is TLS_FAILED.
bool tls_check_deadline(Tls *tls, uint64_t now_ns);

// Gives encrypted bytes. They are read when they are needed: until tls_read has returned -EAGAIN, or tls_keep_input was called, they
// must stay where they are, and nothing more may be given (tls_unread is 0 then).
void tls_feed(Tls *tls, const void *data, size_t size);
size_t tls_unread(const Tls *tls);
// Copies what was not read yet.
void tls_keep_input(Tls *tls);
// The carrier has come to its end.
void tls_end_of_input(Tls *tls);

// Plain bytes, at most one record's. 0: the state is TLS_CLOSED; -EAGAIN: there are no more in what was given; else -tls_error.
ssize_t tls_read(Tls *tls, void *data, size_t size);
// How many bytes were taken; -EAGAIN: the handshake is not done, or too much output waits.
ssize_t tls_write(Tls *tls, const struct iovec *parts, int count);
// Says that nothing more will be sent.
void tls_close(Tls *tls);

// What is to be sent, in one piece; valid until the next call about this connection. There may be some after a failure: it tells the
// other side the reason.
size_t tls_output(const Tls *tls, const void **data);
void tls_output_sent(Tls *tls, size_t size);

// For a connection on which nothing moves: gives back memory that is needed only while bytes are under way, some 35 KiB. There may
// be thousands of connections, most of them idle.
void tls_release_memory(Tls *tls);

// Another key is used after so many records (by default 2^23: AES-GCM wears out after some 2^24).
void tls_set_key_records(Tls *tls, uint64_t records);
uint64_t tls_key_updates(const Tls *tls); // how often that was done

// ---- who is at the other end ----

typedef struct {
    const char *choreography, *role; // "*": all
} TlsRole;

typedef struct {
    const char *name; // NULL: anonymous
    const TlsRole *roles;
    size_t role_count;
    int64_t valid_until; // in seconds since 1970
    unsigned char fingerprint[32];
} TlsPeer;

// NULL as long as the handshake is not done. Lives as long as the connection.
const TlsPeer *tls_peer(const Tls *tls);
// Does the certificate allow this role?
bool tls_peer_may_play(const TlsPeer *peer, const char *choreography, const char *role);

#endif
