// Strings that functions hand down and keep: called, called again in tail position, sent, returned, over failures, with other
// strings in between. Each is released once (the sanitizers see to that).
// expect: down down/1 down/1/0 down/1/0
// expect: rescued: down, left with down
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(passing, (Alice, Bob),
    void Alice.fail_at(int depth, const char *text, chx_str string);
    const char *Alice.longer(const char *text, int depth);

    def run(Alice.const char *text) -> Bob.chx_str {
        Alice.chx_str string = chx_strf("%s", text);
        checkpoint {
            Alice.chx_str all = down(Alice.text, Alice.string, Alice.(2));
            Alice.all ~> Bob.all;
            Bob.(printf("%s\n", chx_cstr(all)));
            deeper(Alice.text, Alice.string, Alice.(3));
            return Bob.all;
        } rescue {
            Alice.text ~> Bob.const char *left;
            Alice.(chx_strf("rescued: %s", chx_cstr(string))) ~> Bob.chx_str how;
            return Bob.(chx_strf("%s, left with %s", chx_cstr(how), left));
        }
    }

    def down(Alice.const char *text, Alice.chx_str string, Alice.int depth) -> Alice.chx_str {
        Alice.text ~> Bob.const char *heard;
        if (Bob.(heard[0] == 'd')) {
            Alice.chx_str rest = across(Alice.text, Alice.string, Alice.depth);
            return Alice.(chx_strf("%s %s", text, chx_cstr(rest)));
        }
        return Alice.string;
    }

    def across(Alice.const char *text, Alice.chx_str string, Alice.int depth) -> Alice.chx_str {
        if (Alice.(depth == 0)) {
            Alice.text ~> Bob._;
            return Alice.(chx_strf("%s", text));
        }
        if (Alice.(depth == 1)) {
            Alice.chx_str rest = across(Alice.longer(text, depth - 1), Alice.string, Alice.(depth - 1));
            return Alice.(chx_strf("%s %s %s", text, chx_cstr(rest), chx_cstr(rest)));
        }
        return across(Alice.longer(text, depth - 1), Alice.string, Alice.(depth - 1));
    }

    def deeper(Alice.const char *text, Alice.chx_str string, Alice.int depth) {
        Alice.fail_at(depth, text, string);
        Alice.depth ~> Bob.int seen;
        if (Bob.(seen > 1)) {
            checkpoint {
                deeper(Alice.text, Alice.string, Alice.(depth - 1));
            }
        } else {
            deeper(Alice.text, Alice.string, Alice.(depth - 1));
        }
    }
)

#include "passing.Alice.chor.h"
#include "passing.Bob.chor.h"

static void Alice_fail_at(int depth, const char *text, chx_str string)
{
    if (strcmp(text, chx_cstr(string)) != 0)
        chx_fail("%s is not %s", text, chx_cstr(string));
    if (depth == 0)
        chx_fail("deep enough");
}

static const char *Alice_longer(const char *text, int depth)
{
    return chx_cstr(chx_strf("%s/%d", text, depth));
}

int main(void)
{
    struct passing_run_result result;
    if (passing_run(&result, NULL, "down") != CHX_OK)
        return printf("%s\n", chx_last_report()->why) < 0;
    printf("%s\n", chx_cstr(result.Bob));
    passing_run_result_drop(&result);
    return 0;
}
