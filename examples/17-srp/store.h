// store.h: the server's SQLite file: its group, its secret, and its users' salts and verifiers.
//
// Every function makes the role fail, with SQLite's message, when it can't do its work; the file is closed then.

#ifndef STORE_H
#define STORE_H

#include <chorex.h>

enum { SECRET_SIZE = 32 };

typedef struct Store Store;

Store *store_open(const char *path, bool create); // a new file can be read by its owner only
void store_close(Store *store);

// The group's size in bits. A new file gets `bits` (0: 2048) and keeps it: one group for all users, so that it tells
// nothing about any of them.
int store_group(Store *store, int bits);

int store_secret(Store *store, unsigned char secret[SECRET_SIZE]); // returns the group's size

bool store_add(Store *store, const char *name, chx_bytes salt, chx_bytes verifier); // false: the name is taken

// False, and nothing written: no such user. `salt` and `verifier` have room for SALT_SIZE and SRP_MAX_SIZE bytes.
bool store_find(Store *store, const char *name, unsigned char *salt, unsigned char *verifier, int *verifier_size);

#endif
