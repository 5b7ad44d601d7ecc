// crypto.h: what both roles do on their own. Each function makes its role fail (chx_fail) when it can't do its work.

#ifndef CRYPTO_H
#define CRYPTO_H

#include <chorex.h>

typedef struct {
    chx_bytes secret; // a random exponent x
    chx_bytes public; // 2^x modulo the prime of RFC 3526, group 14 (2048 bits)
} keys;

typedef struct {
    chx_bytes nonce, text, tag; // AES-256-GCM
} sealed;

keys make_keys(void);
chx_bytes shared_key(chx_bytes secret, chx_bytes their_public); // 32 bytes
sealed seal(chx_bytes key, const char *message);
chx_str unseal(chx_bytes key, sealed letter);
chx_str fingerprint(chx_bytes key); // can be shown: the key can't be found from it

#endif
