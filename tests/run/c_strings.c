// const char * values are copied when bound: literals, NULL, empty strings and buffers that change later.
// expect: literal | (null) | [] | before
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(cstrings, (Alice, Bob),
    const char *Alice.nothing(void);
    const char *Alice.buffer(const char *text);
    chx_str Bob.show(const char *a, const char *b, const char *c, const char *d);
    def run() -> Bob.chx_str {
        Alice.("literal") ~> Bob.a;
        Alice.nothing() ~> Bob.b;
        Alice.("") ~> Bob.c;
        Alice.const char *kept = buffer("before");
        Alice.buffer("after!");
        Alice.kept ~> Bob.d;
        return Bob.(show(a, b, c, d));
    }
)

#include "cstrings.Alice.chor.h"
#include "cstrings.Bob.chor.h"

const char *Alice_nothing(void) { return NULL; }

static char shared[16];
const char *Alice_buffer(const char *text)
{
    strcpy(shared, text);
    return shared;
}

chx_str Bob_show(const char *a, const char *b, const char *c, const char *d)
{
    return chx_strf("%s | %s | [%s] | %s", a, b == NULL ? "(null)" : b, c, d);
}

int main(void)
{
    struct cstrings_run_result r;
    if (cstrings_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%s\n", chx_cstr(r.Bob));
    cstrings_run_result_drop(&r);
    return 0;
}
