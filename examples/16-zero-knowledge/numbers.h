// numbers.h: the arithmetic of both roles, with OpenSSL's big numbers. Between steps numbers are kept as bytes.

#ifndef NUMBERS_H
#define NUMBERS_H

#include <chorex.h>
#include <openssl/bn.h>

// x has 256 bits; r is 128 bits longer, so that r + x can't be told from r.
enum { MAX_SIZE = 2048 / 8, SECRET_BITS = 256, RANDOM_BITS = SECRET_BITS + 128, ANSWER_SIZE = RANDOM_BITS / 8 + 1 };

// Makes the role fail if OpenSSL could not do something. Memory and random numbers are all that can be missing.
void need(bool good);

// The prime p of the group; g is 2. 2048 bits: group 14 of RFC 3526; 256 bits: far too small for real use, but quick.
BIGNUM *group(int bits);

BIGNUM *number_of(chx_bytes bytes);
chx_bytes bytes_of(const BIGNUM *number, int size);
chx_bytes random_bytes(int bits);
bool random_bit(void);

// 2^exponent modulo the prime, in a time that does not depend on the exponent.
BIGNUM *power_of_two(BIGNUM *prime, chx_bytes exponent);

#endif
