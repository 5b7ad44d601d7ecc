// Roles find out whether they have the same value: one with a codec, a string, and numbers that differ.
#include "list.h"

choreography(agreement, (Alice, Bob),
    def run(Alice.int count) -> {Alice, Bob}.int {
        Alice.count ~> Bob.n;
        {Alice, Bob}.int differs = 0;
        {Alice, Bob}.list both = agree(Alice.(list_make(count)), Bob.(list_make(n)));
        {Alice, Bob}.text = agree(Alice.("text"), Bob.(chx_cstr(chx_strf("te%s", "xt"))));
        checkpoint {
            {Alice, Bob}.both = agree(Bob.both, Alice.(list_make(3)));
            {Alice, Bob}.differs = -1;
        } rescue {
            {Alice, Bob}.differs = text[0] == 't';
            Bob.(must(list_sum(both) == 1275));
            Alice.(must(list_sum(both) == 1275));
        }
        return {Alice, Bob}.differs;
    }
)

#include "agreement.Alice.chor.h"
#include "agreement.Bob.chor.h"

static chx_status session(void)
{
    struct agreement_cast cast;
    struct agreement_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = agreement_run(&r, &cast, 50);
    if (status == CHX_OK)
        must(r.Alice == 1 && r.Bob == 1);
    return status;
}

int main(void)
{
    return inject_main(session);
}
