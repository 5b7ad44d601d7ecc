// Reading an agreed variable, a string or the fault through pointers is fine, and so is changing a copy.
#include <chorex.h>
#include <stdio.h>
#include <string.h>

struct named { char name[8]; int n; };
struct pointing { int *to; };
struct two { struct pointing of[2]; };
static void sum(const int *from, int n) { (void)from; (void)n; }
static int compare(const struct named *one, const struct named *other) { return one->n - other->n; }

choreography(reading, (Alice, Bob),
    void Alice.look(const int *where);
    void Alice.look_all(const struct named *named, const char *s);
    void Alice.fail(const char *why);
    def run(Alice.int n, Alice.const char *s) {
        Alice.int local = n;
        Alice.n ~> {Alice, Bob}.k;
        Alice.s ~> {Alice, Bob}.t;
        {Alice, Bob}.int a[3] = {1, 2, 3};
        {Alice, Bob}.struct named q = {"x", 1};
        Alice.look(&k);
        Alice.look(a);
        Alice.look_all(&q, t);
        Alice.(sum(&k, 1), sum(a, 3), sum(&a[1], 2), sum(a + 1, 1));
        Alice.(printf("%d %s %s %s %d\n", k, t, s, q.name, q.n));
        Alice.(printf("%p\n", (const void *)&k));
        Alice.(memcpy(&local, &k, sizeof local));
        Alice.(__extension__ ({ const int *c = &k; local = *c; }));
        Alice.(__extension__ ({ char b[10]; strcpy(b, q.name); puts(b); }));
        Alice.(__extension__ ({ struct named z = q; z.n = 3; strcpy(z.name, "z"); local = compare(&z, &q); }));
        Alice.(__extension__ ({ int z = k; int *w = &z; *w = 3; }));
        Alice.(__extension__ ({ const int *c[2] = {&k, a}; local = *c[0] + c[1][2]; }));
        Alice.(local = memchr(a, 3, 1) != NULL && *(const int *)memchr(a, 3, sizeof a) == 3);
        Alice.(printf("%s\n", strchr(t, 'x')), puts(strchr(t, 'x') + 1));
        {Alice, Bob}.struct two w = {0};
        Alice.struct pointing one = w.of[0];
        Alice.(one = n > 0 ? w.of[1] : one);
        Alice.w.of[1] = w.of[0];
        Alice.(local += one.to == w.of[1].to);
        Alice.int *p = &local;
        Alice.(*p = k);
        Alice.const char *found = strchr(t, 'x');
        Alice.look_all(&q, found);
        checkpoint {
            Alice.fail(t);
        } rescue (fault) {
            Alice.(puts(fault.why), printf("%p\n", (const void *)&fault));
            Alice.chx_fault copy = fault;
            Alice.(copy.line = 3);
            Alice.look_all(&q, copy.why);
        }
        Bob.use(k, t, a, q.n);
    }
)

#include "reading.Alice.chor.h"
#include "reading.Bob.chor.h"
