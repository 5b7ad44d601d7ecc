// chx_str: empty, zero-initialised, with NUL bytes inside, made by chx_strf.
// expect: 0 0 3 hello 7
#include <chorex.h>
#include <stdio.h>

choreography(strs, (Alice, Bob),
    def run() -> Bob.chx_str {
        Alice.(chx_str_new("", 0)) ~> Bob.empty;
        Alice.chx_str zero = {0};
        Alice.zero ~> Bob.z;
        Alice.(chx_str_new("a\0b", 3)) ~> Bob.inner;
        Alice.chx_str made = chx_strf("%s", "hello");
        Alice.{made, chx_strf("%d", 7)} ~> Bob.{hello, seven};
        return Bob.(chx_strf("%zu %zu %zu %s %s", chx_str_len(empty), chx_str_len(z), chx_str_len(inner),
                             chx_cstr(hello), chx_cstr(seven)));
    }
)

#include "strs.Alice.chor.h"
#include "strs.Bob.chor.h"

int main(void)
{
    struct strs_run_result r;
    if (strs_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%s\n", chx_cstr(r.Bob));
    strs_run_result_drop(&r);
    return 0;
}
