// secure.c: carries bytes between a stream and TLS; on a simulated network also without TLS.

#define _GNU_SOURCE

#include "net/carrier/secure.h"

#include "base/check.h"
#include "net/carrier/sim.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// So much is read from a carrier at once: two records.
enum { INPUT_SIZE = 33 << 10 };

struct Secure {
    const chx_carrier_ops *carrier;
    void *stream;
    Tls *tls;      // NULL: a simulated stream without it
    TlsPeer peer;  // who is at the other end of that; no name: not connected yet
    char far[256]; // its name, if the network does not say it
    uint64_t deadline_ns;
    bool is_connected; // the stream is
    bool has_ended;    // the carrier has no more input
    bool has_write_failed;
    bool is_drained; // the carrier has given less than there was room for
    int error;       // 0, or why it failed
    char why[TLS_WHY_SIZE];
};

static int fail(Secure *secure, int error, const char *why)
{
    if (secure->error == 0) {
        secure->error = error;
        snprintf(secure->why, sizeof secure->why, "%s", why);
    }
    return -secure->error;
}

static int fail_by_carrier(Secure *secure, int error)
{
    char why[TLS_WHY_SIZE];
    secure->carrier->explain(secure->stream, error, why, sizeof why);
    return fail(secure, error < 0 ? -error : error, why);
}

// `tls` NULL: no memory, unless it is to be without.
static Secure *new_secure(const chx_carrier_ops *carrier, Tls *tls, bool is_plain, uint64_t deadline_ns)
{
    // Nothing that leaves this process is ever sent without TLS: relayed streams without it are inside of simulated ones.
    CHECK(!is_plain || carrier == &sim_carrier || strcmp(carrier->scheme, "relay") == 0);
    Secure *secure = tls == NULL && !is_plain ? NULL : calloc(1, sizeof *secure);
    if (secure == NULL) {
        tls_free(tls);
        return NULL;
    }
    *secure = (Secure){.carrier = carrier, .tls = tls, .deadline_ns = deadline_ns};
    return secure;
}

Secure *secure_dial(const chx_carrier_ops *carrier, chx_net *net, const char *address, TlsContext *context,
                    const TlsExpected *expected, uint64_t deadline_ns, int *error)
{
    Tls *tls = context != NULL ? tls_dial(context, expected, deadline_ns) : NULL;
    Secure *secure = new_secure(carrier, tls, context == NULL, deadline_ns);
    *error = ENOMEM;
    if (secure == NULL)
        return NULL;
    int result = carrier->dial(net, address, &secure->stream);
    if (result == 0)
        return secure;
    *error = -result;
    tls_free(secure->tls);
    free(secure);
    return NULL;
}

// Over a stream that there is already. `far`: without TLS, who is at the other end; NULL: with TLS.
static Secure *secure_over(const chx_carrier_ops *carrier, void *stream, Tls *tls, const char *far,
                           uint64_t deadline_ns)
{
    Secure *secure = new_secure(carrier, tls, far != NULL, deadline_ns);
    if (secure == NULL) {
        carrier->close(stream);
        return NULL;
    }
    secure->stream = stream;
    if (far != NULL)
        snprintf(secure->far, sizeof secure->far, "%s", far);
    return secure;
}

Secure *secure_call(const chx_carrier_ops *carrier, void *stream, TlsContext *context, const TlsExpected *expected,
                    uint64_t deadline_ns)
{
    Tls *tls = context != NULL ? tls_dial(context, expected, deadline_ns) : NULL;
    return secure_over(carrier, stream, tls, context == NULL ? expected->node : NULL, deadline_ns);
}

Secure *secure_called(const chx_carrier_ops *carrier, void *stream, TlsContext *context, const char *from,
                      uint64_t deadline_ns)
{
    Tls *tls = context != NULL ? tls_accept(context, false, deadline_ns) : NULL;
    return secure_over(carrier, stream, tls, context == NULL ? from : NULL, deadline_ns);
}

Secure *secure_accept(const chx_carrier_ops *carrier, void *stream, TlsContext *context, bool accepts_anonymous,
                      uint64_t deadline_ns)
{
    Tls *tls = context != NULL ? tls_accept(context, accepts_anonymous, deadline_ns) : NULL;
    return secure_over(carrier, stream, tls, context == NULL ? "" : NULL, deadline_ns);
}

void secure_close(Secure *secure)
{
    if (secure == NULL)
        return;
    if (secure->is_connected && secure->tls != NULL) {
        tls_close(secure->tls);
        secure_flush(secure);
    }
    secure->carrier->close(secure->stream);
    tls_free(secure->tls);
    free(secure);
}

// Takes encrypted bytes from the carrier. 1: something has come, or the end; they must be read before `input` goes away. 0: nothing.
static int take_input(Secure *secure, unsigned char *input, size_t size)
{
    if (secure->has_ended)
        return 0;
    ssize_t count = secure->carrier->read(secure->stream, input, size);
    secure->is_drained = count < (ssize_t)size;
    if (count == -EAGAIN)
        return 0;
    if (count < 0)
        return fail_by_carrier(secure, (int)count);
    if (count == 0) {
        secure->has_ended = true;
        tls_end_of_input(secure->tls);
    } else {
        tls_feed(secure->tls, input, (size_t)count);
    }
    return 1;
}

// The other side does not take what we send. It may have said why, if it does not accept our certificate: then we were still writing
// when it had closed the connection.
static int fail_by_writing(Secure *secure, int error)
{
    unsigned char input[4096], ignored[1024];
    ssize_t count;
    do
        count = tls_read(secure->tls, ignored, sizeof ignored);
    while (count > 0 || (count == -EAGAIN && take_input(secure, input, sizeof input) == 1));
    tls_keep_input(secure->tls);
    if (tls_state(secure->tls) == TLS_FAILED && tls_error(secure->tls) == EACCES) {
        secure->error = 0;
        return fail(secure, EACCES, tls_why(secure->tls));
    }
    return fail_by_carrier(secure, error);
}

int secure_flush(Secure *secure)
{
    const void *data;
    if (secure->tls == NULL)
        return 0;
    if (secure->error != 0 && secure->has_write_failed)
        return -secure->error;
    for (size_t size; (size = tls_output(secure->tls, &data)) > 0;) {
        struct iovec part = {(void *)data, size};
        ssize_t count = secure->carrier->write(secure->stream, &part, 1);
        if (count == -EAGAIN)
            return -EAGAIN;
        if (count < 0) {
            secure->has_write_failed = true;
            return fail_by_writing(secure, (int)count);
        }
        tls_output_sent(secure->tls, (size_t)count);
    }
    return 0;
}

static int fail_by_tls(Secure *secure)
{
    int error = fail(secure, tls_error(secure->tls), tls_why(secure->tls));
    // What is left of the output tells the other side why. If that can't be sent, it is not the reason.
    secure_flush(secure);
    return error;
}

static const TlsRole all_roles = {"*", "*"};

int secure_establish(Secure *secure)
{
    unsigned char input[INPUT_SIZE];
    if (secure->error != 0)
        return -secure->error;
    if (!secure->is_connected) {
        int result = secure->carrier->establish(secure->stream);
        if (result != 0)
            return result == -EAGAIN ? -EAGAIN : fail_by_carrier(secure, result);
        secure->is_connected = true;
    }
    if (secure->tls == NULL) {
        const char *far = secure->far[0] != '\0' ? secure->far : sim_stream_far(secure->stream);
        secure->peer = (TlsPeer){.name = far, .roles = &all_roles, .role_count = 1};
        return 0;
    }
    for (;;) {
        if (tls_state(secure->tls) == TLS_FAILED)
            return fail_by_tls(secure);
        int flushed = secure_flush(secure);
        if (flushed != 0 && flushed != -EAGAIN)
            return flushed;
        if (tls_state(secure->tls) != TLS_HANDSHAKE)
            return 0;
        int taken = take_input(secure, input, sizeof input);
        if (taken <= 0)
            return taken == 0 ? -EAGAIN : taken;
        tls_keep_input(secure->tls);
    }
}

bool secure_check_deadline(Secure *secure, uint64_t now_ns)
{
    bool is_done = secure->tls != NULL ? tls_state(secure->tls) != TLS_HANDSHAKE : secure->is_connected;
    if (secure->error != 0 || is_done || now_ns < secure->deadline_ns)
        return false;
    if (secure->is_connected && tls_check_deadline(secure->tls, now_ns))
        fail_by_tls(secure);
    else
        fail_by_carrier(secure, ETIMEDOUT);
    return true;
}

ssize_t secure_read(Secure *secure, void *data, size_t size)
{
    unsigned char input[INPUT_SIZE];
    size_t filled = 0;
    ssize_t result = secure->error != 0 ? -secure->error : 0;
    secure->is_drained = false;
    if (secure->tls == NULL && result == 0) {
        result = secure->carrier->read(secure->stream, data, size);
        return result < 0 && result != -EAGAIN ? fail_by_carrier(secure, (int)result) : result;
    }
    while (result == 0 && filled < size) {
        ssize_t count = tls_read(secure->tls, (char *)data + filled, size - filled);
        if (count > 0) {
            filled += (size_t)count;
            continue;
        }
        if (count == 0)
            break;
        if (count != -EAGAIN) {
            result = fail_by_tls(secure);
            break;
        }
        // No more is read than there is room for, so that nothing has to be kept.
        size_t room = size - filled;
        if ((filled > 0 && room < TLS_RECORD_SIZE) || (secure->is_drained && filled > 0))
            break;
        int taken = take_input(secure, input, room < sizeof input ? room : sizeof input);
        if (taken == 0)
            result = -EAGAIN;
        else if (taken < 0)
            result = taken;
    }
    secure->is_drained = secure->is_drained && filled < size;
    tls_keep_input(secure->tls);
    // What was read counts first; an error comes again.
    return filled > 0 ? (ssize_t)filled : result;
}

bool secure_is_drained(const Secure *secure)
{
    return secure->is_drained;
}

ssize_t secure_write(Secure *secure, const struct iovec *parts, int count)
{
    if (secure->error != 0)
        return -secure->error;
    if (secure->tls == NULL) {
        ssize_t written = secure->carrier->write(secure->stream, parts, count);
        return written < 0 && written != -EAGAIN ? fail_by_carrier(secure, (int)written) : written;
    }
    ssize_t taken = tls_write(secure->tls, parts, count);
    if (taken < 0 && taken != -EAGAIN && taken != -EPIPE)
        return fail_by_tls(secure);
    int flushed = secure_flush(secure);
    if (flushed != 0 && flushed != -EAGAIN && taken <= 0)
        return flushed;
    return taken;
}

void secure_release_memory(Secure *secure)
{
    if (secure->tls != NULL)
        tls_release_memory(secure->tls);
}

int secure_descriptor(const Secure *secure)
{
    return secure->carrier->descriptor(secure->stream);
}

short secure_events(const Secure *secure)
{
    const void *data;
    bool wants_to_write = secure->is_connected && secure->tls != NULL && tls_output(secure->tls, &data) > 0;
    return (short)(POLLIN | (wants_to_write ? POLLOUT : 0));
}

const TlsPeer *secure_peer(const Secure *secure)
{
    if (secure->tls != NULL)
        return tls_peer(secure->tls);
    return secure->peer.name != NULL ? &secure->peer : NULL;
}

const char *secure_why(const Secure *secure)
{
    return secure->why;
}

void secure_address(const Secure *secure, char *text, size_t size)
{
    secure->carrier->peer(secure->stream, text, size);
}
