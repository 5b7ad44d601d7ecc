// A choreography with a type of the user's own, which two files share.
#ifndef POST_H
#define POST_H

#include <chorex.h>
#include <stdlib.h>

typedef union {
    int number;
    float fraction;
} letter;

static inline void letter_encode(chx_writer *writer, const void *value)
{
    chx_write_u64(writer, (uint64_t)((const letter *)value)->number);
}

static inline bool letter_decode(chx_reader *reader, void *value)
{
    uint64_t number = 0;
    if (!chx_read_u64(reader, &number))
        return false;
    ((letter *)value)->number = (int)number;
    return true;
}

static inline void letter_drop(void *value)
{
    (void)value;
}

CHX_CODEC(letter, letter_encode, letter_decode, letter_drop);

choreography(post, (Sender, Receiver),
    letter Sender.write(void);
    int Receiver.read(letter l);
    def run() -> Receiver.int {
        Sender.write() ~> Receiver.l;
        return Receiver.read(l);
    }
)

#endif
