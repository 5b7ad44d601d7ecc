// An effect's identifier does not depend on what happened before it in the attempt: steps, rounds of a loop, a block that
// was skipped. Hooks have identifiers of their own.
//
// expect: first 1 again: same
// expect: second 1 again: same
// expect: init of the retries: same
// expect: different: 8 of 8
// expect: keys: same, different, different
#include <chorex.h>
#include <stdio.h>
#include <string.h>

enum { NOTES_MAX = 64 };

// What Alice remembers of her effects is not a variable of hers: it survives.
static struct {
    const char *name;
    chx_effect effect;
} notes[NOTES_MAX];
static int note_count, attempts;

static void note(const char *name)
{
    if (note_count < NOTES_MAX) {
        notes[note_count].name = name;
        notes[note_count++].effect = chx_effect_id();
    }
}

//! no-process
choreography(differ, (Alice, Bob),
    void Alice.init(void);
    void Alice.fini(void);
    int Alice.attempt(void);
    void Alice.first(void);
    void Alice.second(void);
    void Alice.other(void);
    void Alice.die(int attempt);

    def twice() {
        Alice.other();
        Alice.other();
    }

    def run() -> Bob.int {
        Bob.int got = 0;
        checkpoint retry 2 {
            Alice.int n = attempt();
            Alice.int i = 0;
            while (Alice.(i < 3 * n)) {
                Alice.other();
                Alice.i++;
            }
            if (Alice.(n != 1)) {
                checkpoint {
                    twice();
                } rescue {
                    Alice.n = 0;
                }
            }
            Alice.first();
            twice();
            Alice.second();
            Alice.die(n);
            Alice.n ~> Bob.got;
        } rescue {
            Bob.got = -1;
        }
        return Bob.got;
    }
)

#include "differ.Alice.chor.h"
#include "differ.Bob.chor.h"

void Alice_init(void) { note("init"); }
void Alice_fini(void) { note("fini"); }
int Alice_attempt(void) { return attempts++; }
void Alice_first(void) { note("first"); }
void Alice_second(void) { note("second"); }
void Alice_die(int attempt)
{
    if (attempt < 2)
        chx_fail("not yet");
}

static chx_effect keyed[4];

void Alice_other(void)
{
    keyed[0] = chx_effect_for("one", 3);
    keyed[1] = chx_effect_for("one", 3);
    keyed[2] = chx_effect_for("two", 3);
    keyed[3] = chx_effect_for("one", 2);
    note("other");
}

static const char *compare(chx_effect a, chx_effect b)
{
    return memcmp(&a, &b, sizeof a) == 0 ? "same" : "different";
}

static chx_effect found(const char *name, int number)
{
    for (int i = 0; i < note_count; i++)
        if (strcmp(notes[i].name, name) == 0 && number-- == 0)
            return notes[i].effect;
    return (chx_effect){0, 0};
}

int main(void)
{
    struct differ_run_result result;
    if (differ_run(&result, NULL) != CHX_OK || result.Bob != 2)
        return 1;
    printf("first 1 again: %s\n", compare(found("first", 0), found("first", 1)));
    printf("second 1 again: %s\n", compare(found("second", 0), found("second", 2)));
    printf("init of the retries: %s\n", compare(found("init", 1), found("init", 2)));
    // init, init of a retry, in the first attempt: twice() in the inner block, first, twice(), second; fini
    chx_effect all[] = {found("init", 0),  found("init", 1),   found("other", 0),  found("other", 1), found("first", 0),
                        found("other", 2), found("second", 0), found("fini", 0)};
    int different = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool is_new = all[i].high != 0;
        for (size_t k = 0; k < i; k++)
            is_new = is_new && memcmp(&all[i], &all[k], sizeof all[i]) != 0;
        different += is_new;
    }
    printf("different: %d of 8\n", different);
    printf("keys: %s, %s, %s\n", compare(keyed[0], keyed[1]), compare(keyed[0], keyed[2]), compare(keyed[0], keyed[3]));
    return 0;
}
