// Every participant sees the same fault, with the failing role, its cause and its place; it can be kept and sent on.
// expect: Alice: Bob failed (0, 0): 7 is too much at checkpoint_fault.c:21
// expect: Carol: Bob failed (0, 0): 7 is too much at checkpoint_fault.c:21
// expect: Bob knows: checkpoint_fault.c 21
// expect: Alice: Carol failed (2, 0): the value received is not n + 1 at checkpoint_fault.c:22
// expect: Carol: Carol failed (2, 0): the value received is not n + 1 at checkpoint_fault.c:22
// expect: Bob knows: checkpoint_fault.c 22
// expect: both: first then second, outside second
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(faults, (Alice, Bob, Carol),
    int  Bob.check(int n);
    void Bob.fail(const char *why);
    def run(Alice.int n) -> Alice.chx_str, Bob.{chx_str, int}, Carol.chx_str {
        Alice.chx_str a = {0};
        Carol.chx_str c = {0};
        checkpoint {
            Alice.n ~> {Bob, Carol}.n;
            Bob.check(n) ~> Carol.m;
            Alice.n ~> Carol.(n + 1);
            Carol.c = chx_strf("%d", m);
        } rescue (fault) {
            Alice.a = chx_strf("%s failed (%d, %d): %s at %s:%d", fault.role, fault.kind, fault.signal, fault.why,
                               fault.file, fault.line);
            Alice.fault ~> Carol.received;
            Carol.c = chx_strf("%s failed (%d, %d): %s at %s:%d", received.role, fault.kind, fault.signal,
                               received.why, fault.file, received.line);
            return Alice.a, Bob.{chx_strf("%s", strrchr(fault.file, '/') ? strrchr(fault.file, '/') + 1 : fault.file),
                                 fault.line}, Carol.c;
        }
        return Alice.a, Bob.{chx_strf("none"), 0}, Carol.c;
    }
    def both() -> Alice.{const char *, const char *, chx_str} {
        Alice.const char *one = "";
        Alice.const char *two = "";
        Alice.chx_str three = {0};
        checkpoint {
            Bob.fail("first");
        } rescue (why) {
            checkpoint {
                Bob.fail("second");
            } rescue (why) {
                Alice.three = chx_strf("outside %s", why.why);
            }
            Alice.one = why.why;
        }
        checkpoint {
            Bob.fail("second");
        } rescue (fault) {
            if ({Alice, Bob}.(fault.kind == CHX_FAULT_FAIL && fault.why[0] == 's')) {
                Alice.two = fault.why;
            }
        }
        return Alice.{one, two, three};
    }
)

#include "faults.Alice.chor.h"
#include "faults.Bob.chor.h"
#include "faults.Carol.chor.h"

int Bob_check(int n)
{
    if (n > 5)
        chx_fail("%d is too much", n);
    return n;
}

void Bob_fail(const char *why) { chx_fail("%s", why); }

static const char *plain(const char *text)
{
    // The path before the file's name depends on where the test runs.
    static char out[200];
    const char *at = strstr(text, " at "), *name = strrchr(text, '/');
    if (at == NULL || name == NULL)
        return text;
    snprintf(out, sizeof out, "%.*s%s", (int)(at + 4 - text), text, name + 1);
    return out;
}

int main(void)
{
    static const int numbers[] = {7, 3};
    for (int i = 0; i < 2; i++) {
        struct faults_run_result r;
        if (faults_run(&r, NULL, numbers[i]) != CHX_OK)
            return 1;
        printf("Alice: %s\n", plain(chx_cstr(r.Alice)));
        printf("Carol: %s\n", plain(chx_cstr(r.Carol)));
        printf("Bob knows: %s %d\n", chx_cstr(r.Bob.v0), r.Bob.v1);
        faults_run_result_drop(&r);
    }
    struct faults_both_result both;
    if (faults_both(&both, NULL) != CHX_OK)
        return 1;
    printf("both: %s then %s, %s\n", both.Alice.v0, both.Alice.v1, chx_cstr(both.Alice.v2));
    faults_both_result_drop(&both);
    return 0;
}
