// secrets.h: what is behind srp_secrets.

#ifndef SECRETS_H
#define SECRETS_H

#include "srp.h"
#include "srp_math.h"

// Salts that we make have SALT_SIZE bytes; a client takes what another server has.
enum { SALT_SIZE = 16, SALT_MAX = 64, PASSWORD_MAX = 1023, NAME_MAX_BYTES = 255 };

// Both roles use the same struct, each its own. Pointers that are not NULL are freed with it.
struct srp_hidden {
    SrpGroup *group;
    char name[NAME_MAX_BYTES + 1];
    unsigned char salt[SALT_MAX];
    size_t salt_size;
    char password[PASSWORD_MAX + 1]; // client
    BIGNUM *v;                       // server
    bool known;                      // server: is there such a user?
    BIGNUM *own;                     // a or b
    BIGNUM *A;                       // client
    SrpProofs proofs;
};

srp_secrets srp_secrets_new(void); // zeroed

// 1 to NAME_MAX_BYTES bytes, no control characters.
bool srp_name_is_good(const char *name);

// Some implementations read a salt as a number and lose leading zeros: ours has none.
void srp_salt_finish(unsigned char salt[SALT_SIZE]);

BIGNUM *srp_number_of(const SrpGroup *group, chx_bytes bytes);       // NULL: not a safe one
chx_bytes srp_bytes_of(const SrpGroup *group, const BIGNUM *number); // always of the group's size

#endif
