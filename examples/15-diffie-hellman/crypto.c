// crypto.c: Diffie-Hellman and AES-256-GCM with OpenSSL.

#include "crypto.h"

#include <limits.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

enum { GROUP_SIZE = 256, KEY_SIZE = 32, NONCE_SIZE = 12, TAG_SIZE = 16 };

// Memory and random numbers are all that can be missing.
static void need(bool good)
{
    if (!good)
        chx_fail("OpenSSL has no memory or no random numbers");
}

static void sha256(const void *data, size_t size, unsigned char hash[KEY_SIZE])
{
    need(EVP_Digest(data, size, hash, NULL, EVP_sha256(), NULL) == 1);
}

// Always GROUP_SIZE bytes, so that both sides hash the same text.
static chx_bytes bytes_of(const BIGNUM *number)
{
    unsigned char data[GROUP_SIZE];
    need(BN_bn2binpad(number, data, sizeof data) == sizeof data);
    chx_bytes bytes = chx_bytes_new(data, sizeof data);
    OPENSSL_cleanse(data, sizeof data);
    return bytes;
}

static BIGNUM *number_of(chx_bytes bytes)
{
    BIGNUM *number = BN_bin2bn(chx_bytes_data(bytes), (int)chx_bytes_len(bytes), NULL);
    need(number != NULL);
    return number;
}

// base^secret modulo prime, in a time that does not depend on the secret.
static BIGNUM *power(const BIGNUM *base, BIGNUM *secret, const BIGNUM *prime)
{
    BN_CTX *context = BN_CTX_new();
    BIGNUM *result = BN_new();
    need(context != NULL && result != NULL);
    BN_set_flags(secret, BN_FLG_CONSTTIME);
    need(BN_mod_exp_mont_consttime(result, base, secret, prime, context, NULL) == 1);
    BN_CTX_free(context);
    return result;
}

keys make_keys(void)
{
    BIGNUM *prime = BN_get_rfc3526_prime_2048(NULL);
    BIGNUM *generator = BN_new();
    BIGNUM *secret = BN_new();
    need(prime != NULL && generator != NULL && secret != NULL && BN_set_word(generator, 2) == 1);
    need(BN_priv_rand_range(secret, prime) == 1);
    BIGNUM *public = power(generator, secret, prime);

    keys mine = {.secret = bytes_of(secret), .public = bytes_of(public)};
    BN_clear_free(secret);
    BN_free(public);
    BN_free(generator);
    BN_free(prime);
    return mine;
}

chx_bytes shared_key(chx_bytes secret, chx_bytes their_public)
{
    BIGNUM *prime = BN_get_rfc3526_prime_2048(NULL);
    BIGNUM *last = BN_dup(prime);
    need(prime != NULL && last != NULL && BN_sub_word(last, 1) == 1);

    // 0, 1 and prime - 1 have only powers that everybody can guess.
    if (chx_bytes_len(their_public) != GROUP_SIZE)
        chx_fail("a public number of %zu bytes", chx_bytes_len(their_public));
    BIGNUM *theirs = number_of(their_public);
    if (BN_cmp(theirs, BN_value_one()) <= 0 || BN_cmp(theirs, last) >= 0)
        chx_fail("a public number that makes no secret");

    BIGNUM *exponent = number_of(secret);
    BIGNUM *shared = power(theirs, exponent, prime);
    unsigned char data[GROUP_SIZE], hash[KEY_SIZE];
    need(BN_bn2binpad(shared, data, sizeof data) == sizeof data);
    sha256(data, sizeof data, hash);
    chx_bytes key = chx_bytes_new(hash, sizeof hash);

    OPENSSL_cleanse(data, sizeof data);
    OPENSSL_cleanse(hash, sizeof hash);
    BN_clear_free(shared);
    BN_clear_free(exponent);
    BN_free(theirs);
    BN_free(last);
    BN_free(prime);
    return key;
}

sealed seal(chx_bytes key, const char *message)
{
    size_t size = strlen(message);
    if (size > INT_MAX)
        chx_fail("a message of %zu bytes is too long", size);
    unsigned char nonce[NONCE_SIZE], tag[TAG_SIZE];
    unsigned char *text = OPENSSL_malloc(size + 1);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0, rest = 0;
    need(text != NULL && context != NULL && RAND_bytes(nonce, sizeof nonce) == 1);
    need(EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, chx_bytes_data(key), nonce) == 1);
    need(EVP_EncryptUpdate(context, text, &length, (const unsigned char *)message, (int)size) == 1);
    need(EVP_EncryptFinal_ex(context, text + length, &rest) == 1);
    need(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, sizeof tag, tag) == 1);

    sealed letter = {.nonce = chx_bytes_new(nonce, sizeof nonce),
                     .text = chx_bytes_new(text, (size_t)(length + rest)),
                     .tag = chx_bytes_new(tag, sizeof tag)};
    EVP_CIPHER_CTX_free(context);
    OPENSSL_free(text);
    return letter;
}

chx_str unseal(chx_bytes key, sealed letter)
{
    size_t size = chx_bytes_len(letter.text);
    if (chx_bytes_len(letter.nonce) != NONCE_SIZE || chx_bytes_len(letter.tag) != TAG_SIZE || size > INT_MAX)
        chx_fail("a letter of the wrong form");
    unsigned char tag[TAG_SIZE];
    memcpy(tag, chx_bytes_data(letter.tag), sizeof tag);
    unsigned char *text = OPENSSL_malloc(size + 1);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0, rest = 0;
    need(text != NULL && context != NULL);
    need(EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, chx_bytes_data(key), chx_bytes_data(letter.nonce)) == 1);
    need(EVP_DecryptUpdate(context, text, &length, chx_bytes_data(letter.text), (int)size) == 1);
    need(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, sizeof tag, tag) == 1);
    bool genuine = EVP_DecryptFinal_ex(context, text + length, &rest) == 1;
    EVP_CIPHER_CTX_free(context);

    chx_str message = chx_str_new(text, genuine ? (size_t)(length + rest) : 0);
    OPENSSL_clear_free(text, size + 1);
    if (!genuine)
        chx_fail("the letter was written with another key, or changed on its way");
    return message;
}

chx_str fingerprint(chx_bytes key)
{
    unsigned char hash[KEY_SIZE];
    sha256(chx_bytes_data(key), chx_bytes_len(key), hash);
    char hex[17];
    for (int i = 0; i < 8; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    return chx_strf("%s", hex);
}
