// transfer.c: numbered messages from one node to another, and answers to some of them, while tests/net/transfer cuts their connections.

#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(transfer, (Sender, Receiver),
    long Sender.next(void);
    void Sender.got(long number);
    long Sender.wrong(void);
    long Receiver.next(void);
    void Receiver.got(long number);
    long Receiver.wrong(void);

    chx_bytes Sender.next_large(void);
    void Receiver.got_large(chx_bytes value);

    def large({Sender, Receiver}.long count) -> Sender.long, Receiver.long {
        for ({Sender, Receiver}.long i = 0; {Sender, Receiver}.(i < count); {Sender, Receiver}.i++) {
            Sender.next_large() ~> Receiver.value;
            Receiver.got_large(value);
        }
        return Sender.wrong(), Receiver.wrong();
    }

    def run({Sender, Receiver}.long count) -> Sender.long, Receiver.long {
        for ({Sender, Receiver}.long i = 0; {Sender, Receiver}.(i < count); {Sender, Receiver}.i++) {
            Sender.next() ~> Receiver.number;
            Receiver.got(number);
            if ({Sender, Receiver}.(i % 50 == 49)) {
                Receiver.next() ~> Sender.number;
                Sender.got(number);
            }
        }
        return Sender.wrong(), Receiver.wrong();
    }
)
#include "transfer.Sender.chor.h"
#include "transfer.Receiver.chor.h"

// What one side has counted: of what it has said, and of what it has heard.
typedef struct {
    long said, heard, wrong;
} Side;

static Side sender, receiver;

static void check(Side *side, const char *role, long number)
{
    if (number != side->heard && side->wrong++ < 10)
        printf("%s: %ld instead of %ld: %s\n", role, number, side->heard, number < side->heard ? "twice" : "lost");
    side->heard = number + 1;
}

long Sender_next(void)
{
    return sender.said++;
}

void Sender_got(long number)
{
    check(&sender, "Sender", number);
}

long Sender_wrong(void)
{
    return sender.wrong;
}

long Receiver_next(void)
{
    return receiver.said++;
}

void Receiver_got(long number)
{
    check(&receiver, "Receiver", number);
}

long Receiver_wrong(void)
{
    return receiver.wrong;
}

// Of many sizes, some larger than a window.
static size_t size_of(long number)
{
    return (size_t)(number * 7919 % 200000) + sizeof number;
}

chx_bytes Sender_next_large(void)
{
    static unsigned char data[300000];
    long number = sender.said++;
    size_t size = size_of(number);
    memset(data, (int)(number & 255), size);
    memcpy(data, &number, sizeof number);
    return chx_bytes_new(data, size);
}

void Receiver_got_large(chx_bytes value)
{
    const unsigned char *data = chx_bytes_data(value);
    size_t size = chx_bytes_len(value);
    long number;
    memcpy(&number, data, sizeof number);
    check(&receiver, "Receiver", number);
    if (size != size_of(number) || (size > sizeof number && data[size - 1] != (unsigned char)number))
        receiver.wrong++;
}

// transfer COUNT [large]
int main(int argc, char **argv)
{
    struct transfer_run_result result;
    struct transfer_large_result large;
    chx_status status = argc > 2 ? transfer_large(&large, NULL, atol(argv[1])) : transfer_run(&result, NULL, atol(argv[1]));
    if (status != CHX_OK) {
        const chx_report *report = chx_last_report();
        printf("%s: %s: %s\n", chx_status_text(status), report->role, report->why);
        return 1;
    }
    printf("ended: sender said %ld heard %ld, receiver said %ld heard %ld, wrong %ld\n", sender.said, sender.heard,
           receiver.said, receiver.heard, sender.wrong + receiver.wrong);
    return 0;
}
