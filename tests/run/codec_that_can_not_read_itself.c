// A codec that can't read what it has written is its role's failure, and the message says which one it is.
//! no-central
// expect: a role failed: Alice: the codec of odd can't read what it has written
#include <chorex.h>
#include <stdio.h>

typedef struct {
    int number;
} odd;

static void odd_encode(chx_writer *writer, const void *value) { chx_write_u64(writer, (unsigned)((const odd *)value)->number); }

static bool odd_decode(chx_reader *reader, void *value)
{
    uint64_t number;
    if (!chx_read_u64(reader, &number) || number % 2 == 0)
        return false;
    ((odd *)value)->number = (int)number;
    return true;
}

CHX_CODEC(odd, odd_encode, odd_decode, NULL);

choreography(reading, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Alice.odd value = {1};
        Alice.value.number = n;
        Alice.odd copy = value;
        Alice.(copy.number) ~> Bob.got;
        return Bob.got;
    }
)

#include "reading.Alice.chor.h"
#include "reading.Bob.chor.h"

int main(void)
{
    struct reading_run_result r;
    if (reading_run(&r, NULL, 3) != CHX_OK || r.Bob != 3)
        return 1;
    chx_status status = reading_run(&r, NULL, 4);
    printf("%s: %s: %s\n", chx_status_text(status), chx_last_report()->role, chx_last_report()->why);
    return 0;
}
