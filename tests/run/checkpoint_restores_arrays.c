// Strings, in arrays and in structs in arrays too, are back at their old values in each attempt and in the rescue.
// expect: one two three / 1:ab 2:cd / word / rescues 3
#include <chorex.h>
#include <stdio.h>

typedef struct {
    int number;
    chx_str text;
} item;
typedef struct {
    const char *names[3];
    item items[2];
} things;

choreography(arrays, (Alice, Bob),
    things Alice.make(const char *first, const char *second, const char *third);
    void Alice.fail(void);
    def run() -> Alice.{things, const char *, int} {
        Alice.const char *empty = NULL;
        Alice.const char *word = "word";
        Alice.things t = make("one", "two", "three");
        Alice.int rescues = 0;
        for ({Alice, Bob}.int i = 0; {Alice, Bob}.(i < 3); {Alice, Bob}.i++) {
            checkpoint retry 2 {
                Alice.t = make("other", "words", "here");
                Bob.(1) ~> Alice._;
                Alice.t.names[2] = "gone";
                Alice.empty = "not";
                Alice.word = "gone, too";
                Alice.fail();
            } rescue {
                Alice.rescues += empty == NULL;
            }
        }
        return Alice.{t, word, rescues};
    }
)

#include "arrays.Alice.chor.h"
#include "arrays.Bob.chor.h"

things Alice_make(const char *first, const char *second, const char *third)
{
    things made = {{first, second, third}, {{1, chx_strf("%s", "ab")}, {2, chx_strf("%s", "cd")}}};
    return made;
}

void Alice_fail(void) { chx_fail("each time"); }

int main(void)
{
    struct arrays_run_result r;
    if (arrays_run(&r, NULL) != CHX_OK)
        return 1;
    const things *t = &r.Alice.v0;
    printf("%s %s %s / %d:%s %d:%s / %s / rescues %d\n", t->names[0], t->names[1], t->names[2], t->items[0].number,
           chx_cstr(t->items[0].text), t->items[1].number, chx_cstr(t->items[1].text), r.Alice.v1, r.Alice.v2);
    arrays_run_result_drop(&r);
    return 0;
}
