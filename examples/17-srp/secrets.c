// secrets.c: see secrets.h.

#include "secrets.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

srp_secrets srp_secrets_new(void)
{
    srp_secrets secrets = {OPENSSL_zalloc(sizeof(struct srp_hidden))};
    if (secrets.hidden == NULL)
        abort();
    return secrets;
}

// The codec. Its drop is what matters.

void srp_secrets_encode(chx_writer *writer, const void *value)
{
    (void)writer;
    (void)value;
    chx_fail("secrets are not sent");
}

bool srp_secrets_decode(chx_reader *reader, void *value)
{
    (void)reader;
    (void)value;
    return false;
}

void srp_secrets_drop(void *value)
{
    struct srp_hidden *hidden = ((srp_secrets *)value)->hidden;
    if (hidden == NULL)
        return;
    srp_group_free(hidden->group);
    BN_clear_free(hidden->v);
    BN_clear_free(hidden->own);
    BN_free(hidden->A);
    OPENSSL_clear_free(hidden, sizeof *hidden);
}

bool srp_name_is_good(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)name[i] < ' ' || name[i] == 127)
            return false;
    }
    return size > 0 && size <= NAME_MAX_BYTES;
}

void srp_salt_finish(unsigned char salt[SALT_SIZE])
{
    if (salt[0] == 0)
        salt[0] = 1;
}

BIGNUM *srp_number_of(const SrpGroup *group, chx_bytes bytes)
{
    if (chx_bytes_len(bytes) > (size_t)group->size)
        return NULL;
    BIGNUM *number = BN_bin2bn(chx_bytes_data(bytes), (int)chx_bytes_len(bytes), NULL);
    if (number == NULL)
        abort();
    if (srp_is_safe(group, number))
        return number;
    BN_free(number);
    return NULL;
}

chx_bytes srp_bytes_of(const SrpGroup *group, const BIGNUM *number)
{
    unsigned char data[SRP_MAX_SIZE];
    if (BN_bn2binpad(number, data, group->size) != group->size)
        abort();
    return chx_bytes_new(data, (size_t)group->size);
}
