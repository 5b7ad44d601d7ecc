// Prototypes are inferred: argument types from the arguments, results from typed targets, bool in a condition,
// void as a statement; char arrays and literals are const char *.
// expect: word literal 3.5
#include <chorex.h>
#include <stdio.h>

struct tag { char name[8]; };

choreography(inferred, (Alice, Bob),
    def run(Alice.struct tag t, Alice.double d) -> Bob.chx_str {
        if (Alice.is_word(t.name)) {
            Alice.keep("literal", d);
        }
        Alice.label(t) ~> Bob.const char *a;
        Alice.const char *second = kept();
        Alice.second ~> Bob.b;
        Alice.number() ~> Bob.double n;
        return Bob.(chx_strf("%s %s %.1f", a, b, n));
    }
)

#include "inferred.Alice.chor.h"
#include "inferred.Bob.chor.h"

static const char *kept_text;
static double kept_number;

bool Alice_is_word(const char *name) { return name[0] == 'w'; }
void Alice_keep(const char *text, double d)
{
    kept_text = text[0] == 'l' ? "literal" : "";
    kept_number = d;
}
const char *Alice_label(struct tag t) { return chx_cstr(chx_strf("%s", t.name)); }
const char *Alice_kept(void) { return kept_text; }
double Alice_number(void) { return kept_number; }

int main(void)
{
    struct inferred_run_result r;
    struct tag t = {"word"};
    if (inferred_run(&r, NULL, t, 3.5) != CHX_OK)
        return 1;
    printf("%s\n", chx_cstr(r.Bob));
    inferred_run_result_drop(&r);
    return 0;
}
