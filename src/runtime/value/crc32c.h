// crc32c.h: the checksum of snapshots: CRC-32C (Castagnoli), as in iSCSI and ext4.
//
// It finds every change of up to 32 bits in a row, and all others but one in 2^32. It is no protection from somebody who
// changes a snapshot on purpose.

#ifndef RUNTIME_VALUE_CRC32C_H
#define RUNTIME_VALUE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(const void *data, size_t size);
// The same on a processor that has no instruction for it.
uint32_t crc32c_portable(const void *data, size_t size);

#endif
