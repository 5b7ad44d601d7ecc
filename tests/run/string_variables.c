// A string variable is assigned new values, also from itself, from a struct's field, in branches and loops.
// expect: xxxx 4 (null)
#include <chorex.h>
#include <stdio.h>
#include <string.h>

struct pair { const char *a, *b; };

choreography(assign, (Alice, Bob),
    const char *Alice.longer(const char *s);
    def run() -> Bob.{const char *, int, const char *} {
        Alice.const char *s = "";
        while (Alice.(strlen(s) < 4)) {
            Alice.s = longer(s);
            Alice.s = s;
        }
        Alice.struct pair p = {s, NULL};
        Alice.p.a = p.a;
        Alice.const char *none = s;
        Alice.none = p.b;
        Alice.{p, none} ~> Bob.{q, n};
        Bob.text = q.a;
        Bob.text = text + 0;
        return Bob.{text, (int)strlen(q.a), n};
    }
)

#include "assign.Alice.chor.h"
#include "assign.Bob.chor.h"

const char *Alice_longer(const char *s) { return chx_cstr(chx_strf("%sx", s)); }

int main(void)
{
    struct assign_run_result r;
    if (assign_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%s %d %s\n", r.Bob.v0, r.Bob.v1, r.Bob.v2 == NULL ? "(null)" : r.Bob.v2);
    assign_run_result_drop(&r);
    return 0;
}
