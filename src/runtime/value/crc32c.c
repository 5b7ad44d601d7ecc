// crc32c.c: see crc32c.h.

#include "runtime/value/crc32c.h"

#include <string.h>

// The polynomial is 0x1edc6f41; here its bits stand in the order in which they travel, and four are dealt with at once.
static const uint32_t quarters[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_portable(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ quarters[crc & 15];
        crc = crc >> 4 ^ quarters[crc & 15];
    }
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_INSTRUCTION
static __attribute__((target("sse4.2"))) uint32_t crc32c_instruction(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t crc = UINT32_MAX, word;
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    for (; size > 0; size--, bytes++)
        crc = __builtin_ia32_crc32qi((uint32_t)crc, *bytes);
    return ~(uint32_t)crc;
}

#endif

uint32_t crc32c(const void *data, size_t size)
{
#ifdef HAS_INSTRUCTION
    if (__builtin_cpu_supports("sse4.2"))
        return crc32c_instruction(data, size);
#endif
    return crc32c_portable(data, size);
}
