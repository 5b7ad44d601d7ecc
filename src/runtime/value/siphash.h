// siphash.h: SipHash-2-4 with a result of 128 bits (Aumasson and Bernstein): a keyed hash of short inputs. Who does not
// know the key can neither predict it nor find two inputs with the same one.

#ifndef RUNTIME_VALUE_SIPHASH_H
#define RUNTIME_VALUE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

void siphash(const uint64_t key[2], const void *data, size_t size, uint64_t hash[2]);

#endif
