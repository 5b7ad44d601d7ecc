// subject.c: see subject.h.

#include "net/nats/subject.h"

#include "net/config/config.h"

#include <stdio.h>
#include <string.h>

static const char stream_prefix[] = "chorex.to.";
static const char pool_prefix[] = "pool/";
enum { STREAM_PREFIX_SIZE = sizeof stream_prefix - 1, POOL_PREFIX_SIZE = sizeof pool_prefix - 1, STREAM_DIGITS = 16 };

bool nats_subject_of_address(const char *address, char subject[static NATS_SUBJECT_SIZE], bool *is_pool)
{
    *is_pool = strncmp(address, pool_prefix, POOL_PREFIX_SIZE) == 0;
    const char *name = *is_pool ? address + POOL_PREFIX_SIZE : address;
    if (!config_is_node_name(name))
        return false;
    char *at = subject + snprintf(subject, NATS_SUBJECT_SIZE, "chorex.%s.", *is_pool ? "pool" : "node");
    for (; *name != '\0'; name++)
        *at++ = *name == '.' ? '~' : *name;
    *at = '\0';
    return true;
}

void nats_subject_of_stream(const char *client, uint64_t stream, char subject[static NATS_SUBJECT_SIZE])
{
    snprintf(subject, NATS_SUBJECT_SIZE, "%s%.*s.%016llx", stream_prefix, NATS_CLIENT_DIGITS, client,
             (unsigned long long)stream);
}

void nats_subject_of_streams(const char *client, char subject[static NATS_SUBJECT_SIZE])
{
    snprintf(subject, NATS_SUBJECT_SIZE, "%s%.*s.*", stream_prefix, NATS_CLIENT_DIGITS, client);
}

// So many hexadecimal digits, in lower case as they are written here. The value is that of the last 16.
static bool read_digits(const char *text, size_t count, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        char c = text[i];
        bool is_decimal = c >= '0' && c <= '9';
        if (!is_decimal && !(c >= 'a' && c <= 'f'))
            return false;
        *value = *value << 4 | (uint64_t)(is_decimal ? c - '0' : c - 'a' + 10);
    }
    return true;
}

bool nats_subject_is_stream(const char *subject, uint64_t *stream)
{
    uint64_t client;
    const char *at = subject + STREAM_PREFIX_SIZE;
    return strlen(subject) == STREAM_PREFIX_SIZE + NATS_CLIENT_DIGITS + 1 + STREAM_DIGITS &&
           memcmp(subject, stream_prefix, STREAM_PREFIX_SIZE) == 0 && read_digits(at, NATS_CLIENT_DIGITS, &client) &&
           at[NATS_CLIENT_DIGITS] == '.' && read_digits(at + NATS_CLIENT_DIGITS + 1, STREAM_DIGITS, stream);
}

bool nats_subject_is_own(const char *subject, const char *client, uint64_t *stream)
{
    return nats_subject_is_stream(subject, stream) &&
           memcmp(subject + STREAM_PREFIX_SIZE, client, NATS_CLIENT_DIGITS) == 0;
}
