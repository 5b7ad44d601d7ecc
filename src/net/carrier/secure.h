// secure.h: a stream of a carrier with TLS on it: what a link between two nodes is made of.
//
// It does not wait. secure_descriptor and secure_events say what to wait for; then secure_establish is called until it has returned 0,
// and secure_read, secure_write and secure_flush after that. Errors are negated, as a carrier's.

#ifndef NET_CARRIER_SECURE_H
#define NET_CARRIER_SECURE_H

#include "chorex/net.h"
#include "net/carrier/tls.h"

typedef struct Secure Secure;

// On a simulated network the context may be NULL: then there is no TLS, and the network itself says who is at the other end, who may
// play all roles. (With another carrier that is a mistake that ends the program.)

// NULL: no memory, no descriptors, or the carrier can't dial this (*error).
Secure *secure_dial(const chx_carrier_ops *carrier, chx_net *net, const char *address, TlsContext *context,
                    const TlsExpected *expected, uint64_t deadline_ns, int *error);
// The same over a stream that there is already, and from the side of the one who is called, by a node of this name. Both own the stream,
// also if the result is NULL: no memory.
Secure *secure_call(const chx_carrier_ops *carrier, void *stream, TlsContext *context, const TlsExpected *expected,
                    uint64_t deadline_ns);
Secure *secure_called(const chx_carrier_ops *carrier, void *stream, TlsContext *context, const char *from,
                      uint64_t deadline_ns);
// Owns the stream, also if the result is NULL.
Secure *secure_accept(const chx_carrier_ops *carrier, void *stream, TlsContext *context, bool accepts_anonymous,
                      uint64_t deadline_ns);
// Says goodbye to the other side, as far as that is possible without waiting. NULL does nothing.
void secure_close(Secure *secure);

// 0: both sides know each other. -EAGAIN: not yet.
int secure_establish(Secure *secure);
// True: it was not done in time, and has failed.
bool secure_check_deadline(Secure *secure, uint64_t now_ns);

// Fills the memory as far as possible. 0: the other side has ended the connection in an orderly way. A size of 64 KiB or more saves
// copies. A carrier that gives less than there is room for is not asked again in the same call: with sockets that means that there is
// nothing more. So an end or error behind the last bytes may need another call, for which an edge-triggered descriptor does not ask,
// unless it says that the other side has hung up.
ssize_t secure_read(Secure *secure, void *data, size_t size);
// That was the case in the last call, and everything that had come was read.
bool secure_is_drained(const Secure *secure);
// How much was taken. It may not have been sent yet: secure_flush.
ssize_t secure_write(Secure *secure, const struct iovec *parts, int count);
// 0: all is sent. -EAGAIN: some waits.
int secure_flush(Secure *secure);

// For a stream on which nothing moves; see tls_release_memory.
void secure_release_memory(Secure *secure);

int secure_descriptor(const Secure *secure);
short secure_events(const Secure *secure); // POLLIN, POLLOUT

const TlsPeer *secure_peer(const Secure *secure); // NULL before it is established
const char *secure_why(const Secure *secure);     // after a failure; in the user's words
void secure_address(const Secure *secure, char *text, size_t size);

#endif
