// numbers.c: see numbers.h.

#include "numbers.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

void need(bool good)
{
    if (!good)
        chx_fail("OpenSSL has no memory or no random numbers");
}

BIGNUM *group(int bits)
{
    BIGNUM *prime = NULL;
    if (bits == 2048)
        prime = BN_get_rfc3526_prime_2048(NULL);
    else if (bits == 256)
        BN_hex2bn(&prime, "C7B1E7454236616800BE2E8D59E25D29B9F3FF960365679F614EF44A2C875F77");
    else
        chx_fail("there is no group of %d bits", bits);
    need(prime != NULL);
    return prime;
}

BIGNUM *number_of(chx_bytes bytes)
{
    BIGNUM *number = BN_bin2bn(chx_bytes_data(bytes), (int)chx_bytes_len(bytes), NULL);
    need(number != NULL);
    return number;
}

chx_bytes bytes_of(const BIGNUM *number, int size)
{
    unsigned char data[MAX_SIZE];
    need(BN_bn2binpad(number, data, size) == size);
    return chx_bytes_new(data, (size_t)size);
}

chx_bytes random_bytes(int bits)
{
    unsigned char data[RANDOM_BITS / 8];
    need(RAND_priv_bytes(data, bits / 8) == 1);
    chx_bytes random = chx_bytes_new(data, (size_t)bits / 8);
    OPENSSL_cleanse(data, sizeof data);
    return random;
}

bool random_bit(void)
{
    unsigned char byte;
    need(RAND_bytes(&byte, 1) == 1);
    return byte & 1;
}

BIGNUM *power_of_two(BIGNUM *prime, chx_bytes exponent)
{
    BN_CTX *context = BN_CTX_new();
    BIGNUM *two = BN_new(), *secret = number_of(exponent), *result = BN_new();
    need(context != NULL && two != NULL && result != NULL && BN_set_word(two, 2) == 1);
    BN_set_flags(secret, BN_FLG_CONSTTIME);
    need(BN_mod_exp_mont_consttime(result, two, secret, prime, context, NULL) == 1);
    BN_clear_free(secret);
    BN_free(two);
    BN_CTX_free(context);
    return result;
}
