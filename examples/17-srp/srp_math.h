// srp_math.h: the arithmetic of SRP-6a as RFC 5054 has it, for any of its groups and any hash. Knows nothing of
// roles.
//
// The names are those of the RFC: N, g the group; I, P, s name, password and salt; v = g^x the verifier; a, b the
// secret and A, B the public numbers of client and server; K the key that both arrive at; M1, M2 their proofs that
// they have it.
//
// Numbers that are returned are the caller's, who frees them with BN_clear_free. Memory is all that can be missing:
// then abort() is called, which in a role is a failure like any other.

#ifndef SRP_MATH_H
#define SRP_MATH_H

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>

enum { SRP_MAX_SIZE = 4096 / 8, SRP_SECRET_BITS = 256 };

typedef struct {
    BIGNUM *N, *g, *k;
    int size;         // of N, in bytes
    const EVP_MD *md; // the hash
    size_t hash_size;
} SrpGroup;

SrpGroup *srp_group_new(int bits, const EVP_MD *md); // 1024, 1536, 2048, 3072, 4096; NULL: no such group
void srp_group_free(SrpGroup *group);                // NULL is fine

// False for numbers that would make the key known to everybody (A % N == 0, B % N == 0) and those that are no
// residues.
bool srp_is_safe(const SrpGroup *group, const BIGNUM *number);

BIGNUM *srp_random(void);
BIGNUM *srp_x(const SrpGroup *group, const void *salt, size_t salt_size, const char *name, const char *password);
BIGNUM *srp_power(const SrpGroup *group, BIGNUM *secret); // g^secret: v, A
BIGNUM *srp_B(const SrpGroup *group, const BIGNUM *v, BIGNUM *b);
BIGNUM *srp_u(const SrpGroup *group, const BIGNUM *A, const BIGNUM *B); // NULL: it is 0, which is not safe
BIGNUM *srp_client_S(const SrpGroup *group, const BIGNUM *B, BIGNUM *a, BIGNUM *x, const BIGNUM *u);
BIGNUM *srp_server_S(const SrpGroup *group, const BIGNUM *A, BIGNUM *b, const BIGNUM *v, const BIGNUM *u);

// The proofs have group->hash_size bytes. RFC 5054 leaves them to TLS; these are those of RFC 2945, with g padded.
typedef struct {
    unsigned char M1[EVP_MAX_MD_SIZE], M2[EVP_MAX_MD_SIZE];
} SrpProofs;
void srp_proofs(const SrpGroup *group, const char *name, const void *salt, size_t salt_size, const BIGNUM *A,
                const BIGNUM *B, const BIGNUM *S, SrpProofs *proofs);

#endif
