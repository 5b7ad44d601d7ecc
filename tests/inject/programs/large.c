// Messages larger than a channel, and more of them than one piece of its memory holds.
#include "inject.h"

typedef struct {
    int number;
    char filling[3000];
} Block;

static chx_str large(int n, int size)
{
    char *text = (char *)chx_alloc((size_t)size);
    memset(text, 'a' + n % 26, (size_t)size);
    return chx_str_new(text, (size_t)size);
}

static Block block(int n)
{
    Block b = {.number = n};
    memset(b.filling, n, sizeof b.filling);
    return b;
}

choreography(large, (Alice, Bob),
    def run(Alice.int size) -> Bob.{long, long} {
        Alice.(large(1, size)) ~> Bob.first;
        Bob.long sum = 0;
        Alice.int i = 0;
        while (Alice.(i < 40)) {
            Alice.(block(i)) ~> Bob.b;
            Bob.sum += b.number + b.filling[2999];
            Alice.i++;
        }
        Bob.(large(2, 100000)) ~> Alice.second;
        Alice.second ~> Bob.third;
        return Bob.{sum, (long)chx_str_len(first) + (long)chx_str_len(third)};
    }
)

#include "large.Alice.chor.h"
#include "large.Bob.chor.h"

static chx_status session(void)
{
    struct large_cast cast;
    struct large_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = large_run(&r, &cast, 300000);
    if (status == CHX_OK)
        must(r.Bob.v0 == 1560 && r.Bob.v1 == 400000);
    return status;
}

int main(void)
{
    return inject_main(session);
}
