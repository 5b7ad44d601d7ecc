// In a process of its own: hooks of each instance, attempts, identifiers of effects. What the roles did is written to a
// file, since they share nothing else.
// expect: rescued: Alice: I0 I0 I1 2F, Bob: IF
// expect: retry same, rescue different, next different
// expect: nested: inner, then outer: Worker: 9 lives are over
//! no-central
//! no-sim
#include <chorex.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// To the end of the file that the variable names.
static void note(const char *variable, const void *what, size_t size)
{
    int file = open(getenv(variable), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0 || write(file, what, size) != (ssize_t)size)
        abort();
    close(file);
}

choreography(hooked, (Alice, Bob),
    void Alice.init(void);
    void Alice.fini(void);
    void Bob.init(void);
    void Bob.fini(void);
    int Alice.before(void);
    void Alice.act(int where);
    def run() -> Bob.int {
        Bob.int n = 0;
        Alice.before() ~> Bob._;
        checkpoint retry 1 {
            Alice.(1) ~> Bob.n;
            Alice.act(0);
            Bob.n = 7;
        } rescue {
            Alice.act(1);
        }
        Alice.act(2);
        return Bob.n;
    }
)

#include "hooked.Alice.chor.h"
#include "hooked.Bob.chor.h"

void Alice_init(void) { note("ALICE", "I", 1); }
void Alice_fini(void) { note("ALICE", "F", 1); }
void Bob_init(void) { note("BOB", "I", 1); }
int Alice_before(void) { return 2; }
void Bob_fini(void) { note("BOB", "F", 1); }

void Alice_act(int where)
{
    chx_effect effect = chx_effect_id();
    note("EFFECTS", &effect, sizeof effect);
    note("ALICE", &"012"[where], 1);
    if (where == 0) {
        note("ALICE", " ", 1);
        chx_fail("not yet");
    }
    if (where == 1)
        note("ALICE", " ", 1);
}

choreography(lives, (Boss, Worker),
    int Worker.work(int lives);
    def run(Worker.int lives) -> Boss.chx_str {
        Boss.chx_str how = {0};
        checkpoint {
            checkpoint {
                Worker.work(lives) ~> Boss.x;
                Boss.how = chx_strf("%d", x);
            } rescue {
                Boss.how = chx_strf("%s", "inner");
                Worker.work(lives + 1) ~> Boss.y;
                Boss.how = chx_strf("%d", y);
            }
        } rescue (fault) {
            Boss.how = chx_strf("inner, then outer: %s: %s", fault.role, fault.why);
        }
        return Boss.how;
    }
)

#include "lives.Boss.chor.h"
#include "lives.Worker.chor.h"

int Worker_work(int lives)
{
    chx_fail("%d lives are over", lives);
}

static const char *compare(chx_effect a, chx_effect b)
{
    return a.high == b.high && a.low == b.low ? "same" : "different";
}

static size_t take(const char *path, void *to, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t got = fread(to, 1, size, file);
    fclose(file);
    remove(path);
    return got;
}

int main(void)
{
    remove("alice");
    remove("bob");
    remove("effects");
    setenv("ALICE", "alice", 1);
    setenv("BOB", "bob", 1);
    setenv("EFFECTS", "effects", 1);
    struct hooked_cast cast = {.Alice = {.isolation = CHX_PROCESS}, .Bob = {.isolation = CHX_PROCESS}};
    struct hooked_run_result r;
    if (hooked_run(&r, &cast) != CHX_OK || r.Bob != 0)
        return 1;
    char alice[100], bob[100];
    chx_effect effects[5];
    alice[take("alice", alice, 99)] = bob[take("bob", bob, 99)] = '\0';
    printf("rescued: Alice: %s, Bob: %s\n", alice, bob);
    if (take("effects", effects, sizeof effects) != 4 * sizeof *effects)
        return 1;
    printf("retry %s, rescue %s, next %s\n", compare(effects[0], effects[1]), compare(effects[0], effects[2]),
           compare(effects[2], effects[3]));
    struct lives_cast lives = {.Worker = {.isolation = CHX_PROCESS}};
    struct lives_run_result how;
    if (lives_run(&how, &lives, 8) != CHX_OK)
        return 1;
    printf("nested: %s\n", chx_cstr(how.Boss));
    lives_run_result_drop(&how);
    return 0;
}
