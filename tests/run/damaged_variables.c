// A role that damages a function's variables and crashes there goes on in the rescue: what can't be released is lost.
//! no-sanitizer
//! no-central
// expect: rescued, fine
#include <chorex.h>
#include <stdint.h>
#include <stdio.h>

struct words { const char *text; };

choreography(damaged, (Alice, Bob),
    void Alice.damage(struct words *variable);
    void Alice.crash(void);
    def deeper(Alice.int depth) -> Alice.int {
        Alice.struct words words = {"in a function"};
        if (Alice.(depth == 0)) {
            Alice.damage(&words);
            Alice.crash();
            return Alice.(words.text[0]);
        }
        Alice.int x = deeper(Alice.(depth - 1));
        return Alice.(x + words.text[0]);
    }
    def run() -> Bob.chx_str {
        Alice.struct words words = {"fine"};
        Bob.chx_str heard = {0};
        checkpoint {
            Alice.words.text = "changed";
            Alice.damage(&words);
            Alice.int x = deeper(Alice.(2));
            Alice.x ~> Bob._;
        } rescue {
            Alice.(chx_strf("rescued, %s", words.text)) ~> Bob.heard;
        }
        return Bob.heard;
    }
)

#include "damaged.Alice.chor.h"
#include "damaged.Bob.chor.h"

static volatile int zero;

void Alice_damage(struct words *variable) { variable->text = (const char *)(intptr_t)(zero + 64); }
void Alice_crash(void) { *(volatile int *)(intptr_t)zero = 1; }

int main(void)
{
    struct damaged_run_result r;
    if (damaged_run(&r, NULL) != CHX_OK)
        return printf("%s\n", chx_last_report()->why) < 0;
    printf("%s\n", chx_cstr(r.Bob));
    damaged_run_result_drop(&r);
    return 0;
}
