// srp_math.c: see srp_math.h.

#include "srp_math.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

// RFC 5054, appendix A. Those of 3072 and 4096 bits are the primes of RFC 3526, which OpenSSL has.
static const char prime_1024[] =
    "EEAF0AB9ADB38DD69C33F80AFA8FC5E86072618775FF3C0B9EA2314C9C256576D674DF7496EA81D3383B4813"
    "D692C6E0E0D5D8E250B98BE48E495C1D6089DAD15DC7D7B46154D6B6CE8EF4AD69B15D4982559B297BCF1885"
    "C529F566660E57EC68EDBC3C05726CC02FD4CBF4976EAA9AFD5138FE8376435B9FC61D2FC0EB06E3";
static const char prime_1536[] =
    "9DEF3CAFB939277AB1F12A8617A47BBBDBA51DF499AC4C80BEEEA9614B19CC4D5F4F5F556E27CBDE51C6A94B"
    "E4607A291558903BA0D0F84380B655BB9A22E8DCDF028A7CEC67F0D08134B1C8B97989149B609E0BE3BAB63D"
    "47548381DBC5B1FC764E3F4B53DD9DA1158BFD3E2B9C8CF56EDF019539349627DB2FD53D24B7C48665772E43"
    "7D6C7F8CE442734AF7CCB7AE837C264AE3A9BEB87F8A2FE9B8B5292E5A021FFF5E91479E8CE7A28C2442C6F3"
    "15180F93499A234DCF76E3FED135F9BB";
static const char prime_2048[] =
    "AC6BDB41324A9A9BF166DE5E1389582FAF72B6651987EE07FC3192943DB56050A37329CBB4A099ED8193E075"
    "7767A13DD52312AB4B03310DCD7F48A9DA04FD50E8083969EDB767B0CF6095179A163AB3661A05FBD5FAAAE8"
    "2918A9962F0B93B855F97993EC975EEAA80D740ADBF4FF747359D041D5C33EA71D281E446B14773BCA97B43A"
    "23FB801676BD207A436C6481F1D2B9078717461A5B9D32E688F87748544523B524B0D57D5EA77A2775D2ECFA"
    "032CFBDBF52FB3786160279004E57AE6AF874E7303CE53299CCC041C7BC308D82A5698F3A8D0C38271AE35F8"
    "E9DBFBB694B5C803D89F7AE435DE236D525F54759B65E372FCD68EF20FA7111F9E4AFF73";

static void need(bool good)
{
    if (!good)
        abort();
}

static BIGNUM *number_new(void)
{
    BIGNUM *number = BN_new();
    need(number != NULL);
    return number;
}

static BN_CTX *context_new(void)
{
    BN_CTX *context = BN_CTX_new();
    need(context != NULL);
    return context;
}

// ---- hashing ----

static EVP_MD_CTX *hash_begin(const SrpGroup *group)
{
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    need(hash != NULL && EVP_DigestInit_ex(hash, group->md, NULL) == 1);
    return hash;
}

static void hash_bytes(EVP_MD_CTX *hash, const void *data, size_t size)
{
    need(EVP_DigestUpdate(hash, data, size) == 1);
}

// `size` bytes with zeros in front: the RFC's PAD(). Without a size, as many bytes as the number needs.
static void hash_number(EVP_MD_CTX *hash, const BIGNUM *number, int size)
{
    unsigned char data[SRP_MAX_SIZE];
    int used = size > 0 ? size : BN_num_bytes(number);
    need(used <= SRP_MAX_SIZE && BN_bn2binpad(number, data, used) == used);
    hash_bytes(hash, data, (size_t)used);
    OPENSSL_cleanse(data, sizeof data);
}

static void hash_end(EVP_MD_CTX *hash, unsigned char *digest)
{
    need(EVP_DigestFinal_ex(hash, digest, NULL) == 1);
    EVP_MD_CTX_free(hash);
}

static BIGNUM *hash_end_number(const SrpGroup *group, EVP_MD_CTX *hash)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    hash_end(hash, digest);
    BIGNUM *number = BN_bin2bn(digest, (int)group->hash_size, NULL);
    need(number != NULL);
    OPENSSL_cleanse(digest, sizeof digest);
    return number;
}

// ---- groups ----

SrpGroup *srp_group_new(int bits, const EVP_MD *md)
{
    BIGNUM *N = NULL;
    switch (bits) {
    case 1024:
        BN_hex2bn(&N, prime_1024);
        break;
    case 1536:
        BN_hex2bn(&N, prime_1536);
        break;
    case 2048:
        BN_hex2bn(&N, prime_2048);
        break;
    case 3072:
        N = BN_get_rfc3526_prime_3072(NULL);
        break;
    case 4096:
        N = BN_get_rfc3526_prime_4096(NULL);
        break;
    default:
        return NULL;
    }
    SrpGroup *group = calloc(1, sizeof *group);
    need(N != NULL && group != NULL);
    *group =
        (SrpGroup){.N = N, .g = number_new(), .size = bits / 8, .md = md, .hash_size = (size_t)EVP_MD_get_size(md)};
    need(BN_set_word(group->g, bits >= 3072 ? 5 : 2) == 1);
    EVP_MD_CTX *hash = hash_begin(group);
    hash_number(hash, group->N, group->size);
    hash_number(hash, group->g, group->size);
    group->k = hash_end_number(group, hash);
    return group;
}

void srp_group_free(SrpGroup *group)
{
    if (group == NULL)
        return;
    BN_free(group->N);
    BN_free(group->g);
    BN_free(group->k);
    free(group);
}

bool srp_is_safe(const SrpGroup *group, const BIGNUM *number)
{
    return !BN_is_zero(number) && !BN_is_negative(number) && BN_cmp(number, group->N) < 0;
}

// ---- the numbers ----

// base^secret, in a time that does not depend on the secret.
static BIGNUM *power(const SrpGroup *group, const BIGNUM *base, BIGNUM *secret)
{
    BN_CTX *context = context_new();
    BIGNUM *result = number_new();
    BN_set_flags(secret, BN_FLG_CONSTTIME);
    need(BN_mod_exp_mont_consttime(result, base, secret, group->N, context, NULL) == 1);
    BN_CTX_free(context);
    return result;
}

BIGNUM *srp_random(void)
{
    BIGNUM *number = number_new();
    need(BN_priv_rand(number, SRP_SECRET_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1);
    return number;
}

// H(s | H(I | ":" | P))
BIGNUM *srp_x(const SrpGroup *group, const void *salt, size_t salt_size, const char *name, const char *password)
{
    unsigned char inner[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *hash = hash_begin(group);
    hash_bytes(hash, name, strlen(name));
    hash_bytes(hash, ":", 1);
    hash_bytes(hash, password, strlen(password));
    hash_end(hash, inner);

    hash = hash_begin(group);
    hash_bytes(hash, salt, salt_size);
    hash_bytes(hash, inner, group->hash_size);
    OPENSSL_cleanse(inner, sizeof inner);
    return hash_end_number(group, hash);
}

BIGNUM *srp_power(const SrpGroup *group, BIGNUM *secret)
{
    return power(group, group->g, secret);
}

// k * v + g^b
BIGNUM *srp_B(const SrpGroup *group, const BIGNUM *v, BIGNUM *b)
{
    BN_CTX *context = context_new();
    BIGNUM *kv = number_new(), *B = srp_power(group, b);
    need(BN_mod_mul(kv, group->k, v, group->N, context) == 1 && BN_mod_add(B, B, kv, group->N, context) == 1);
    BN_clear_free(kv);
    BN_CTX_free(context);
    return B;
}

// H(PAD(A) | PAD(B))
BIGNUM *srp_u(const SrpGroup *group, const BIGNUM *A, const BIGNUM *B)
{
    EVP_MD_CTX *hash = hash_begin(group);
    hash_number(hash, A, group->size);
    hash_number(hash, B, group->size);
    BIGNUM *u = hash_end_number(group, hash);
    if (!BN_is_zero(u))
        return u;
    BN_free(u);
    return NULL;
}

// (B - k * g^x) ^ (a + u * x)
BIGNUM *srp_client_S(const SrpGroup *group, const BIGNUM *B, BIGNUM *a, BIGNUM *x, const BIGNUM *u)
{
    BN_CTX *context = context_new();
    BIGNUM *base = srp_power(group, x), *exponent = number_new();
    need(BN_mod_mul(base, group->k, base, group->N, context) == 1);
    need(BN_mod_sub(base, B, base, group->N, context) == 1);
    need(BN_mul(exponent, u, x, context) == 1 && BN_add(exponent, exponent, a) == 1);
    BIGNUM *S = power(group, base, exponent);
    BN_clear_free(exponent);
    BN_clear_free(base);
    BN_CTX_free(context);
    return S;
}

// (A * v^u) ^ b
BIGNUM *srp_server_S(const SrpGroup *group, const BIGNUM *A, BIGNUM *b, const BIGNUM *v, const BIGNUM *u)
{
    BN_CTX *context = context_new();
    BIGNUM *exponent = BN_dup(u);
    need(exponent != NULL);
    BIGNUM *base = power(group, v, exponent);
    need(BN_mod_mul(base, A, base, group->N, context) == 1);
    BIGNUM *S = power(group, base, b);
    BN_clear_free(base);
    BN_clear_free(exponent);
    BN_CTX_free(context);
    return S;
}

// K = H(S), M1 = H((H(N) xor H(PAD(g))) | H(I) | s | A | B | K), M2 = H(A | M1 | K)
void srp_proofs(const SrpGroup *group, const char *name, const void *salt, size_t salt_size, const BIGNUM *A,
                const BIGNUM *B, const BIGNUM *S, SrpProofs *proofs)
{
    unsigned char K[EVP_MAX_MD_SIZE], of_N[EVP_MAX_MD_SIZE], of_g[EVP_MAX_MD_SIZE], of_name[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *hash = hash_begin(group);
    hash_number(hash, S, 0);
    hash_end(hash, K);
    hash = hash_begin(group);
    hash_number(hash, group->N, group->size);
    hash_end(hash, of_N);
    hash = hash_begin(group);
    hash_number(hash, group->g, group->size);
    hash_end(hash, of_g);
    for (size_t i = 0; i < group->hash_size; i++)
        of_N[i] ^= of_g[i];
    hash = hash_begin(group);
    hash_bytes(hash, name, strlen(name));
    hash_end(hash, of_name);

    hash = hash_begin(group);
    hash_bytes(hash, of_N, group->hash_size);
    hash_bytes(hash, of_name, group->hash_size);
    hash_bytes(hash, salt, salt_size);
    hash_number(hash, A, 0);
    hash_number(hash, B, 0);
    hash_bytes(hash, K, group->hash_size);
    hash_end(hash, proofs->M1);

    hash = hash_begin(group);
    hash_number(hash, A, 0);
    hash_bytes(hash, proofs->M1, group->hash_size);
    hash_bytes(hash, K, group->hash_size);
    hash_end(hash, proofs->M2);
    OPENSSL_cleanse(K, sizeof K);
}
