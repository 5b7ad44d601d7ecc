// A type with a codec: sent, copied, saved by checkpoints, given back by a rescue.
#include "list.h"

typedef struct {
    list inner;
    const char *name;
} Named;

choreography(codec, (Alice, Bob),
    void Bob.fail(void);
    def run(Alice.int count) -> Bob.list, Alice.int {
        Alice.list mine = list_make(count);
        Alice.mine ~> Bob.theirs;
        Bob.list copy = theirs;
        Bob.Named named = {0};
        Bob.named.inner = list_make(50);
        Bob.named.name = "first";
        Alice.int tries = 0;
        checkpoint {
            Bob.copy = list_make(7);
            Bob.named.name = "second";
            Bob.copy ~> Alice.back;
            Alice.mine = back;
            Bob.fail();
            Alice.(1) ~> Bob._;
        } rescue {
            Alice.tries = 1;
            Alice.(list_sum(mine)) ~> Bob.sum;
            Bob.(must(sum == list_sum(theirs)));
            Bob.(must(strcmp(named.name, "first") == 0 && list_sum(named.inner) == sum));
        }
        Bob.copy ~> Alice.mine;
        return Bob.copy, Alice.(tries + list_sum(mine));
    }
)

#include "codec.Alice.chor.h"
#include "codec.Bob.chor.h"

void Bob_fail(void)
{
    chx_fail("on purpose");
}

static chx_status session(void)
{
    struct codec_cast cast;
    struct codec_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = codec_run(&r, &cast, 50);
    if (status != CHX_OK)
        return status;
    must(list_sum(r.Bob) == 1275 && r.Alice == 1276);
    codec_run_result_drop(&r);
    return CHX_OK;
}

int main(void)
{
    return inject_main(session);
}
