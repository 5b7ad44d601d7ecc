// A sender that is far ahead of its receiver waits at the channel's bound, and nothing is lost or reordered.
// expect: 20000 in order, 20000 back
#include <chorex.h>
#include <stdio.h>

choreography(stream, (Alice, Bob),
    def run(Alice.int count) -> Alice.int, Bob.int {
        Bob.int seen = 0;
        Bob.int next = 0;
        for (Alice.int i = 0; Alice.(i < count); Alice.i++) {
            Alice.i ~> Bob.n;
            Bob.seen += n == next;
            Bob.next = n + 1;
        }
        Alice.int back = 0;
        for (Bob.int k = 0; Bob.(k < seen); Bob.k++) {
            Bob.(1) ~> Alice.one;
            Alice.back += one;
        }
        return Alice.back, Bob.seen;
    }
)

#include "stream.Alice.chor.h"
#include "stream.Bob.chor.h"

int main(void)
{
    struct stream_run_result r;
    if (stream_run(&r, NULL, 20000) != CHX_OK)
        return 1;
    printf("%d in order, %d back\n", r.Bob, r.Alice);
    return 0;
}
