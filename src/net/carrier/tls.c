// tls.c: bytes through OpenSSL and back, in memory.
//
// OpenSSL reads through a BIO of ours from where the caller has put the bytes, and writes into our output: no other copies are
// made than those that it makes itself.

#define _GNU_SOURCE

#include "net/carrier/tls_internal.h"

#include "base/check.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_MAX = 1 << 20, OUTPUT_KEPT = 128 << 10, RECORD_OVERHEAD = 64 };
static const uint64_t key_records_default = UINT64_C(1) << 23;

// Clearing OpenSSL's list of errors costs more than the rest of a small call: so it is done only if there is something in it, which
// others in this thread may have left there.
static void clear_errors(void)
{
    if (ERR_peek_error() != 0)
        ERR_clear_error();
}

// ---- output ----

// Room for so many more bytes. False: no memory, or somebody makes us write without reading it.
static bool reserve(TlsBuffer *buffer, size_t size)
{
    size_t used = buffer->end - buffer->start;
    if (buffer->capacity - buffer->end >= size)
        return true;
    if (used + size > OUTPUT_MAX)
        return false;
    if (buffer->start > 0 && buffer->capacity - used >= size && used <= buffer->start) {
        memcpy(buffer->data, buffer->data + buffer->start, used);
    } else {
        size_t capacity = buffer->capacity * 2 > used + size ? buffer->capacity * 2 : used + size;
        unsigned char *larger = malloc(capacity);
        if (larger == NULL)
            return false;
        if (used > 0)
            memcpy(larger, buffer->data + buffer->start, used);
        free(buffer->data);
        buffer->data = larger;
        buffer->capacity = capacity;
    }
    buffer->start = 0;
    buffer->end = used;
    return true;
}

size_t tls_output(const Tls *tls, const void **data)
{
    size_t size = tls->output.end - tls->output.start;
    *data = size == 0 ? NULL : tls->output.data + tls->output.start;
    return size;
}

void tls_output_sent(Tls *tls, size_t size)
{
    TlsBuffer *output = &tls->output;
    CHECK(size <= output->end - output->start);
    output->start += size;
    if (output->start < output->end)
        return;
    output->start = output->end = 0;
    // Memory for a large write is kept for the next one; tls_release_memory gives it back.
    if (output->capacity > OUTPUT_KEPT) {
        free(output->data);
        *output = (TlsBuffer){0};
    }
}

// ---- what OpenSSL calls ----

static int bio_write(BIO *bio, const char *data, int size)
{
    Tls *tls = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0 || !reserve(&tls->output, (size_t)size)) {
        tls->is_out_of_memory = true;
        return -1;
    }
    memcpy(tls->output.data + tls->output.end, data, (size_t)size);
    tls->output.end += (size_t)size;
    return size;
}

static int bio_read(BIO *bio, char *data, int size)
{
    Tls *tls = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0)
        return 0;
    if (tls->input_size == 0) {
        if (tls->has_ended)
            return 0;
        BIO_set_retry_read(bio);
        return -1;
    }
    size_t count = (size_t)size < tls->input_size ? (size_t)size : tls->input_size;
    memcpy(data, tls->input, count);
    tls->input += count;
    tls->input_size -= count;
    return (int)count;
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    const Tls *tls = BIO_get_data(bio);
    (void)number;
    (void)pointer;
    if (command == BIO_CTRL_EOF)
        return tls->has_ended && tls->input_size == 0;
    return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP;
}

BIO_METHOD *tls_bio_new(void)
{
    BIO_METHOD *bio = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "chorex");
    if (bio != NULL) {
        BIO_meth_set_write(bio, bio_write);
        BIO_meth_set_read(bio, bio_read);
        BIO_meth_set_ctrl(bio, bio_control);
    }
    return bio;
}

// ---- life ----

static bool set_up(Tls *tls)
{
    TlsContext *context = tls->context;
    BIO *bio = BIO_new(context->bio);
    tls->ssl = bio == NULL ? NULL : SSL_new(context->ssl);
    if (tls->ssl == NULL) {
        BIO_free(bio);
        return false;
    }
    BIO_set_data(bio, tls);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls->ssl, bio, bio);
    SSL_set_app_data(tls->ssl, tls);
    bool is_demanding = tls->is_server && !tls->accepts_anonymous;
    SSL_set_verify(tls->ssl, SSL_VERIFY_PEER | (is_demanding ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), tls_verify);
    if (tls->is_server)
        SSL_set_accept_state(tls->ssl);
    else
        SSL_set_connect_state(tls->ssl);
    return true;
}

static void shake_hands(Tls *tls)
{
    clear_errors();
    int result = SSL_do_handshake(tls->ssl);
    if (result == 1) {
        if (tls_take_peer(tls))
            tls->state = TLS_UP;
    } else if (SSL_get_error(tls->ssl, result) != SSL_ERROR_WANT_READ) {
        tls_fail_by_openssl(tls);
    }
}

static Tls *new_connection(TlsContext *context, bool is_server, uint64_t deadline_ns)
{
    Tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL)
        return NULL;
    atomic_fetch_add(&context->references, 1);
    tls->context = context;
    tls->is_server = is_server;
    tls->deadline_ns = deadline_ns;
    tls->key_records = key_records_default;
    return tls;
}

Tls *tls_dial(TlsContext *context, const TlsExpected *expected, uint64_t deadline_ns)
{
    Tls *tls = new_connection(context, false, deadline_ns);
    if (tls == NULL)
        return NULL;
    tls->expected_node = expected->node == NULL ? NULL : strdup(expected->node);
    tls->expected_host = expected->host == NULL ? NULL : strdup(expected->host);
    if ((expected->node != NULL && tls->expected_node == NULL) ||
        (expected->host != NULL && tls->expected_host == NULL) || !set_up(tls)) {
        tls_free(tls);
        return NULL;
    }
    shake_hands(tls);
    return tls;
}

Tls *tls_accept(TlsContext *context, bool accepts_anonymous, uint64_t deadline_ns)
{
    CHECK(context->name != NULL);
    Tls *tls = new_connection(context, true, deadline_ns);
    if (tls == NULL)
        return NULL;
    tls->accepts_anonymous = accepts_anonymous;
    if (set_up(tls))
        return tls;
    tls_free(tls);
    return NULL;
}

void tls_free(Tls *tls)
{
    if (tls == NULL)
        return;
    SSL_free(tls->ssl);
    free(tls->expected_node);
    free(tls->expected_host);
    free(tls->kept_input);
    free(tls->output.data);
    free(tls->peer_memory);
    tls_context_release(tls->context);
    free(tls);
}

TlsState tls_state(const Tls *tls)
{
    return tls->state;
}

int tls_error(const Tls *tls)
{
    return tls->error;
}

const char *tls_why(const Tls *tls)
{
    return tls->why;
}

const TlsPeer *tls_peer(const Tls *tls)
{
    return tls->state == TLS_UP || tls->state == TLS_CLOSED ? &tls->peer : NULL;
}

bool tls_check_deadline(Tls *tls, uint64_t now_ns)
{
    if (tls->state != TLS_HANDSHAKE || now_ns < tls->deadline_ns)
        return false;
    tls_fail(tls, ETIMEDOUT, "the other side did not finish the TLS handshake in time");
    return true;
}

// ---- input ----

void tls_feed(Tls *tls, const void *data, size_t size)
{
    CHECK(tls->input_size == 0 && !tls->has_ended);
    if (tls->state == TLS_FAILED || tls->state == TLS_CLOSED)
        return;
    free(tls->kept_input);
    tls->kept_input = NULL;
    tls->input = data;
    tls->input_size = size;
    if (tls->state == TLS_HANDSHAKE)
        shake_hands(tls);
    if (tls->state == TLS_FAILED)
        tls->input_size = 0;
}

size_t tls_unread(const Tls *tls)
{
    return tls->input_size;
}

void tls_keep_input(Tls *tls)
{
    if (tls->input_size == 0 || tls->kept_input != NULL)
        return;
    tls->kept_input = malloc(tls->input_size);
    if (tls->kept_input == NULL) {
        tls_fail(tls, ENOMEM, "there is no memory for a connection");
        tls->input_size = 0;
        return;
    }
    memcpy(tls->kept_input, tls->input, tls->input_size);
    tls->input = tls->kept_input;
}

void tls_end_of_input(Tls *tls)
{
    tls->has_ended = true;
    if (tls->state == TLS_HANDSHAKE)
        shake_hands(tls);
}

ssize_t tls_read(Tls *tls, void *data, size_t size)
{
    size_t count;
    if (tls->state == TLS_FAILED)
        return -tls->error;
    if (tls->state == TLS_CLOSED)
        return 0;
    if (tls->state == TLS_HANDSHAKE || size == 0)
        return -EAGAIN;
    // OpenSSL would say the same, but takes its time.
    if (tls->input_size == 0 && !tls->has_ended && SSL_has_pending(tls->ssl) == 0)
        return -EAGAIN;
    clear_errors();
    if (SSL_read_ex(tls->ssl, data, size, &count) == 1)
        return (ssize_t)count;
    switch (SSL_get_error(tls->ssl, 0)) {
    case SSL_ERROR_WANT_READ:
        return -EAGAIN;
    case SSL_ERROR_ZERO_RETURN:
        tls->state = TLS_CLOSED;
        tls->input_size = 0;
        return 0;
    default:
        tls_fail_by_openssl(tls);
        tls->input_size = 0;
        return -tls->error;
    }
}

// ---- output ----

// Makes records of these bytes. False: it failed.
static bool encrypt(Tls *tls, const unsigned char *data, size_t size)
{
    while (size > 0) {
        size_t count;
        if (tls->records >= tls->key_records) {
            // The record of this update is written before the next one.
            SSL_key_update(tls->ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
            tls->records = 0;
            tls->key_updates++;
        }
        if (SSL_write_ex(tls->ssl, data, size, &count) != 1) {
            tls_fail_by_openssl(tls);
            return false;
        }
        tls->records++;
        data += count;
        size -= count;
    }
    return true;
}

typedef struct {
    const struct iovec *parts;
    int count, at;
    size_t offset; // in the part
} Gather;

// The next bytes, at most a record's: where they are, if one part has enough of them, else copied to `room`.
static const unsigned char *gather(Gather *gather, unsigned char *room, size_t *size)
{
    size_t used = 0;
    while (gather->at < gather->count && used < TLS_RECORD_SIZE) {
        const struct iovec *part = &gather->parts[gather->at];
        const unsigned char *from = (const unsigned char *)part->iov_base + gather->offset;
        size_t left = part->iov_len - gather->offset, room_left = TLS_RECORD_SIZE - used;
        size_t count = left < room_left ? left : room_left;
        bool is_last = gather->at == gather->count - 1;
        gather->offset += count;
        if (gather->offset == part->iov_len) {
            gather->at++;
            gather->offset = 0;
        }
        if (used == 0 && (count == TLS_RECORD_SIZE || is_last)) {
            *size = count;
            return from;
        }
        if (count > 0)
            memcpy(room + used, from, count);
        used += count;
    }
    *size = used;
    return room;
}

ssize_t tls_write(Tls *tls, const struct iovec *parts, int count)
{
    unsigned char room[TLS_RECORD_SIZE];
    Gather source = {parts, count, 0, 0};
    size_t total = 0, taken = 0, size;
    if (tls->state == TLS_FAILED)
        return -tls->error;
    if (tls->is_closing)
        return -EPIPE;
    if (tls->state == TLS_HANDSHAKE)
        return -EAGAIN;
    for (int i = 0; i < count; i++)
        total += parts[i].iov_len;
    clear_errors();
    while (taken < total && tls->output.end - tls->output.start < TLS_OUTPUT_HIGH) {
        const unsigned char *data = gather(&source, room, &size);
        // All that is left is encrypted to one place, so that it is sent by one call.
        size_t rest = total - taken, records = rest / TLS_RECORD_SIZE + 1;
        size_t wanted = rest + records * RECORD_OVERHEAD;
        if (taken == 0 && !reserve(&tls->output, wanted < TLS_OUTPUT_HIGH ? wanted : TLS_OUTPUT_HIGH))
            tls->is_out_of_memory = true;
        if (size > 0 && !encrypt(tls, data, size))
            return -tls->error;
        taken += size;
    }
    return taken > 0 || total == 0 ? (ssize_t)taken : -EAGAIN;
}

void tls_close(Tls *tls)
{
    if ((tls->state != TLS_UP && tls->state != TLS_CLOSED) || tls->is_closing)
        return;
    tls->is_closing = true;
    clear_errors();
    SSL_shutdown(tls->ssl);
    clear_errors();
}

void tls_release_memory(Tls *tls)
{
    if (tls->output.start == tls->output.end) {
        free(tls->output.data);
        tls->output = (TlsBuffer){0};
    }
    if (tls->input_size == 0) {
        free(tls->kept_input);
        tls->kept_input = NULL;
    }
    if (tls->state == TLS_UP)
        SSL_free_buffers(tls->ssl);
}

void tls_set_key_records(Tls *tls, uint64_t records)
{
    tls->key_records = records;
}

uint64_t tls_key_updates(const Tls *tls)
{
    return tls->key_updates;
}
