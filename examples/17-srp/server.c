// server.c: plays SrpServer.

#include "secrets.h"
#include "store.h"
#include "srp.SrpServer.chor.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- registration ----

int SrpServer_open_group(const char *database, int bits)
{
    Store *store = store_open(database, true);
    int group_bits = store_group(store, bits);
    store_close(store);
    if (bits != 0 && bits != group_bits)
        chx_fail("%s has a group of %d bits, not %d", database, group_bits, bits);
    return group_bits;
}

bool SrpServer_store(const char *database, srp_record record)
{
    if (!srp_name_is_good(chx_cstr(record.name)) || chx_str_len(record.name) != strlen(chx_cstr(record.name)) ||
        chx_bytes_len(record.salt) != SALT_SIZE)
        chx_fail("a record of the wrong form");
    Store *store = store_open(database, true);
    SrpGroup *group = srp_group_new(store_group(store, 0), EVP_sha256());
    BIGNUM *v = srp_number_of(group, record.verifier);
    bool good = v != NULL;
    bool stored = good && store_add(store, chx_cstr(record.name), record.salt, record.verifier);
    BN_clear_free(v);
    srp_group_free(group);
    store_close(store);
    if (!good)
        chx_fail("the user's verifier is not safe");
    return stored;
}

// ---- login ----

static void keyed_hash(const unsigned char secret[SECRET_SIZE], const char *purpose, const char *name,
                       unsigned char hash[EVP_MAX_MD_SIZE])
{
    char text[NAME_MAX_BYTES + 32];
    int size = snprintf(text, sizeof text, "%s:%s", purpose, name);
    if (HMAC(EVP_sha256(), secret, SECRET_SIZE, (unsigned char *)text, (size_t)size, hash, NULL) == NULL)
        abort();
}

// A user who does not exist gets a salt and a verifier all the same: always the same for one name, made from a secret
// of the server's, so that they can't be told from real ones. They are made for every name, so that time tells
// nothing either.
static void make_up(struct srp_hidden *my, const unsigned char secret[SECRET_SIZE])
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    keyed_hash(secret, "salt", my->name, hash);
    my->salt_size = SALT_SIZE;
    memcpy(my->salt, hash, SALT_SIZE);
    srp_salt_finish(my->salt);

    keyed_hash(secret, "verifier", my->name, hash);
    BIGNUM *x = BN_bin2bn(hash, SECRET_SIZE, NULL);
    if (x == NULL)
        abort();
    my->v = srp_power(my->group, x);
    BN_clear_free(x);
    OPENSSL_cleanse(hash, sizeof hash);
}

srp_secrets SrpServer_look_up(const char *database, const char *user)
{
    if (!srp_name_is_good(user))
        chx_fail("the user's name has the wrong form");
    unsigned char secret[SECRET_SIZE], salt[SALT_SIZE], verifier[SRP_MAX_SIZE];
    int verifier_size = 0;
    Store *store = store_open(database, false);
    int bits = store_secret(store, secret);
    bool known = store_find(store, user, salt, verifier, &verifier_size);
    store_close(store);

    srp_secrets mine = srp_secrets_new();
    struct srp_hidden *my = mine.hidden;
    strcpy(my->name, user);
    my->group = srp_group_new(bits, EVP_sha256());
    make_up(my, secret);
    my->known = known;
    if (known) {
        memcpy(my->salt, salt, SALT_SIZE);
        if (BN_bin2bn(verifier, verifier_size, my->v) == NULL)
            abort();
    }
    OPENSSL_cleanse(secret, sizeof secret);
    OPENSSL_cleanse(verifier, sizeof verifier);
    return mine;
}

srp_challenge SrpServer_challenge(srp_secrets mine)
{
    return (srp_challenge){.bits = mine.hidden->group->size * 8,
                           .salt = chx_bytes_new(mine.hidden->salt, mine.hidden->salt_size)};
}

// B = k * v + g^b. Everything is known now that makes the key, and from it both proofs.
chx_bytes SrpServer_public_number(srp_secrets mine, chx_bytes client_public)
{
    struct srp_hidden *my = mine.hidden;
    BIGNUM *A = srp_number_of(my->group, client_public);
    if (A == NULL)
        chx_fail("the client's public number is not safe");
    my->own = srp_random();
    BIGNUM *B = srp_B(my->group, my->v, my->own);
    BIGNUM *u = srp_u(my->group, A, B);
    if (u == NULL) {
        BN_free(B);
        BN_free(A);
        chx_fail("the public numbers are not safe");
    }
    BIGNUM *S = srp_server_S(my->group, A, my->own, my->v, u);
    srp_proofs(my->group, my->name, my->salt, my->salt_size, A, B, S, &my->proofs);
    chx_bytes public = srp_bytes_of(my->group, B);
    BN_clear_free(S);
    BN_free(u);
    BN_free(B);
    BN_free(A);
    return public;
}

chx_bytes SrpServer_proof(srp_secrets mine, chx_bytes client_proof)
{
    struct srp_hidden *my = mine.hidden;
    size_t size = my->group->hash_size;
    if (chx_bytes_len(client_proof) != size)
        return (chx_bytes){0};
    int differs = CRYPTO_memcmp(chx_bytes_data(client_proof), my->proofs.M1, size);
    bool good = (differs == 0) & my->known;
    return good ? chx_bytes_new(my->proofs.M2, size) : (chx_bytes){0};
}
