// chx_bytes travel with NUL bytes inside, there and back, and can be kept by the caller.
// expect: 4 bytes: 1 0 2 3
#include <chorex.h>
#include <stdio.h>

choreography(octets, (Alice, Bob),
    def run(Alice.chx_bytes data) -> Alice.chx_bytes {
        Alice.data ~> Bob.d;
        Bob.d ~> Alice.back;
        return Alice.back;
    }
)

#include "octets.Alice.chor.h"
#include "octets.Bob.chor.h"

int main(void)
{
    chx_bytes data = chx_bytes_new("\1\0\2\3", 4);
    struct octets_run_result r;
    if (octets_run(&r, NULL, data) != CHX_OK)
        return 1;
    chx_bytes_drop(data);
    chx_bytes kept = chx_bytes_keep(r.Alice);
    octets_run_result_drop(&r);
    const unsigned char *b = chx_bytes_data(kept);
    printf("%zu bytes: %d %d %d %d\n", chx_bytes_len(kept), b[0], b[1], b[2], b[3]);
    chx_bytes_drop(kept);
    return 0;
}
