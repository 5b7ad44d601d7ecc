// Strings of all kinds are back at their old values in the rescue.
#include <chorex.h>
#include <stdio.h>

choreography(strings_restored, (A, B),
    def run(A.chx_str a, B.const char *b) -> A.chx_str, B.chx_str {
        B.b ~> A.const char *word;
        checkpoint {
            A.a = chx_strf("%s%s", chx_cstr(a), word);
            A.word = "changed";
            A.a ~> B.chx_str got;
            B.b = chx_cstr(chx_strf("%s|%s", b, chx_cstr(got)));
            B.b ~> A.word;
        } rescue {
            A.a = chx_strf("rescued %s %s", chx_cstr(a), word);
            A.a ~> B.chx_str got;
            B.b = chx_cstr(chx_strf("%s and %s", b, chx_cstr(got)));
        }
        return A.(chx_strf("%s %s", chx_cstr(a), word)), B.(chx_strf("%s", b));
    }
)

#include "strings_restored.A.chor.h"
#include "strings_restored.B.chor.h"

int main(void)
{
    struct strings_restored_run_result result;
    chx_str word = chx_strf("hello");
    chx_status status = strings_restored_run(&result, NULL, word, "world");
    chx_str_drop(word);
    if (status != CHX_OK)
        return puts("failed") < 0;
    printf("%s; %s\n", chx_cstr(result.A), chx_cstr(result.B));
    strings_restored_run_result_drop(&result);
    return 0;
}
