// client.c: plays SrpClient.

#include "secrets.h"
#include "password.h"
#include "srp.SrpClient.chor.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

static SrpGroup *group_new(int bits)
{
    SrpGroup *group = srp_group_new(bits, EVP_sha256());
    if (group == NULL)
        chx_fail("there is no group of %d bits", bits);
    return group;
}

static void check_name(const char *user)
{
    if (!srp_name_is_good(user))
        chx_fail("a user's name has 1 to %d bytes and no control characters", NAME_MAX_BYTES);
}

// ---- registration ----

srp_record SrpClient_make_record(const char *user, const char *password_file, int bits)
{
    check_name(user);
    SrpGroup *group = group_new(bits);
    char password[PASSWORD_MAX + 1];
    const char *problem = password_read(password_file, true, password, sizeof password);
    if (problem != NULL) {
        srp_group_free(group);
        chx_fail("%s", problem);
    }

    unsigned char salt[SALT_SIZE];
    if (RAND_bytes(salt, sizeof salt) != 1)
        abort();
    srp_salt_finish(salt);
    BIGNUM *x = srp_x(group, salt, sizeof salt, user, password);
    OPENSSL_cleanse(password, sizeof password);
    BIGNUM *v = srp_power(group, x);
    srp_record record = {
        .name = chx_strf("%s", user), .salt = chx_bytes_new(salt, sizeof salt), .verifier = srp_bytes_of(group, v)};
    BN_clear_free(x);
    BN_clear_free(v);
    srp_group_free(group);
    return record;
}

// ---- login ----

srp_secrets SrpClient_ask_password(const char *user, const char *password_file)
{
    check_name(user);
    srp_secrets mine = srp_secrets_new();
    strcpy(mine.hidden->name, user);
    const char *problem = password_read(password_file, false, mine.hidden->password, sizeof mine.hidden->password);
    if (problem != NULL) {
        srp_secrets_drop(&mine);
        chx_fail("%s", problem);
    }
    return mine;
}

const char *SrpClient_introduce(const char *user)
{
    return user;
}

// A = g^a
chx_bytes SrpClient_public_number(srp_secrets mine, srp_challenge challenge, int least_bits)
{
    struct srp_hidden *my = mine.hidden;
    if (challenge.bits < least_bits)
        chx_fail("the server's group has %d bits, at least %d are wanted", challenge.bits, least_bits);
    my->salt_size = chx_bytes_len(challenge.salt);
    if (my->salt_size == 0 || my->salt_size > SALT_MAX)
        chx_fail("the server's salt has %zu bytes; 1 to %d are possible", my->salt_size, SALT_MAX);
    memcpy(my->salt, chx_bytes_data(challenge.salt), my->salt_size);
    my->group = group_new(challenge.bits);
    my->own = srp_random();
    my->A = srp_power(my->group, my->own);
    return srp_bytes_of(my->group, my->A);
}

// The key, and from it both proofs: one to send, one to compare with.
chx_bytes SrpClient_proof(srp_secrets mine, chx_bytes server_public)
{
    struct srp_hidden *my = mine.hidden;
    BIGNUM *B = srp_number_of(my->group, server_public);
    BIGNUM *u = B != NULL ? srp_u(my->group, my->A, B) : NULL;
    if (u == NULL) {
        BN_free(B);
        chx_fail("the server's public number is not safe");
    }
    BIGNUM *x = srp_x(my->group, my->salt, my->salt_size, my->name, my->password);
    OPENSSL_cleanse(my->password, sizeof my->password);
    BIGNUM *S = srp_client_S(my->group, B, my->own, x, u);
    srp_proofs(my->group, my->name, my->salt, my->salt_size, my->A, B, S, &my->proofs);
    BN_clear_free(S);
    BN_clear_free(x);
    BN_free(u);
    BN_free(B);
    return chx_bytes_new(my->proofs.M1, my->group->hash_size);
}

bool SrpClient_trusts(srp_secrets mine, chx_bytes server_proof)
{
    size_t size = mine.hidden->group->hash_size;
    return chx_bytes_len(server_proof) == size &&
           CRYPTO_memcmp(chx_bytes_data(server_proof), mine.hidden->proofs.M2, size) == 0;
}
