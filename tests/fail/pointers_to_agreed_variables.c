// One role's own C gets no pointer through which it could change what it agrees on with others, wherever the pointer
// comes to stand.
#include <chorex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct named { char name[8]; int n; };
static void set(int *where) { *where = 3; }
static void fill(struct named *named) { named->n = 3; }
#define SET(x) set(&(x))

choreography(pointers, (Alice, Bob),
    void Alice.change(int *where);
    void Alice.list(int items[3]);
    def run(Alice.int n, Alice.const char *s) {
        Alice.n ~> {Alice, Bob}.k;
        Alice.s ~> {Alice, Bob}.t;
        {Alice, Bob}.int a[3] = {1, 2, 3};
        {Alice, Bob}.struct point p = {1, 2};
        {Alice, Bob}.struct named q = {"x", 1};
        Alice.({ int *w = &k; *w = 9; }); //! error: on 'k': a pointer without const could change it
        Alice.({ int *w; w = &k; *w = 9; }); //! error: on 'k': a pointer without const could change it
        Alice.({ for (int *w = &k; *w < 4; (*w)++) ; }); //! error: on 'k': a pointer without const could change it
        Alice.(*(int *)&k = 9); //! error: on 'k': a pointer without const could change it
        Alice.(set(&k)); //! error: on 'k': a pointer without const could change it
        Alice.(set((int *)&k)); //! error: on 'k': a pointer without const could change it
        Alice.(SET(k)); //! error: on 'k': a pointer without const could change it
        Alice.(set(n > 0 ? (int *)&k : &n)); //! error: on 'k': a pointer without const could change it
        Alice.change(&k); //! error: on 'k': a pointer without const could change it
        Alice.(memcpy(&k, &n, sizeof k)); //! error: on 'k': a pointer without const could change it
        Alice.(memcpy((void *)&k, &n, sizeof k)); //! error: on 'k': a pointer without const could change it
        Alice.({ const int *c = &k; int *w = (int *)c; *w = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.({ uintptr_t u = (uintptr_t)&k; *(int *)u = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.({ union { const int *c; int *w; } u = {&k}; *u.w = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.({ struct { int *w; } z = {(int *)&k}; *z.w = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.({ struct { const int *c; } z; z.c = &k; *(int *)z.c = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.({ const int *c = &k; const int **w = &c; *(int *)*w = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.({ const int *w[2] = {&n, &k}; *(int *)w[1] = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.(scanf("%d", &k)); //! error: on 'k': a pointer without const could change it
        Alice.({ const int *c = &k; int *w; memcpy(&w, &c, sizeof w); *w = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.({ const int *c[1] = {&k}; int *w; memcpy(&w, c, sizeof w); *w = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.({ struct { const int *c; } z = {&k}; int *w; memcpy(&w, &z, sizeof w); *w = 1; }); //! error: on 'k': a pointer without const could change it
        Alice.(*(int *)memchr(&k, 3, 1) = 4); //! error: on 'k': a pointer without const could change it
        Alice.({ int *w = memchr(&k, 3, 1); *w = 4; }); //! error: on 'k': a pointer without const could change it
        Alice.(set(memchr(a, 3, 1))); //! error: on 'a': a pointer without const could change it
        Alice.(*strchr(t, 'x') = 0); //! error: on 't': a pointer without const could change it
        Alice.({ __asm__ volatile ("" : : "m"(k) : "memory"); }); //! error: on 'k': a pointer without const could change it
        Alice.({ __asm__ volatile ("" : : "r"(&k) : "memory"); }); //! error: on 'k': a pointer without const could change it
        Alice.({ __asm__ volatile ("" : : "r"(k)); });
        Alice.int *_1 = &k; //! error: on 'k': a pointer without const could change it
        Alice.int *_2 = (int *)&k; //! error: on 'k': a pointer without const could change it
        Alice.({ int *w = a; w[0] = 1; }); //! error: on 'a': a pointer without const could change it
        Alice.(set(a)); //! error: on 'a': a pointer without const could change it
        Alice.(set(&a[1])); //! error: on 'a': a pointer without const could change it
        Alice.(set(a + 1)); //! error: on 'a': a pointer without const could change it
        Alice.list(a); //! error: on 'a': a pointer without const could change it
        Alice.(memset(a, 0, sizeof a)); //! error: on 'a': a pointer without const could change it
        Alice.({ int *w = &p.x; *w = 1; }); //! error: on 'p': a pointer without const could change it
        Alice.({ struct point *w = &p; w->x = 1; }); //! error: on 'p': a pointer without const could change it
        Alice.(strcpy(q.name, "y")); //! error: on 'q': a pointer without const could change it
        Alice.(sscanf("z", "%7s", q.name)); //! error: on 'q': a pointer without const could change it
        Alice.(fill(&q)); //! error: on 'q': a pointer without const could change it
        Alice.({ char *w = t; w[0] = 0; }); //! error: on 't': a pointer without const could change it
        Alice.({ char *w = (char *)t; w[0] = 0; }); //! error: on 't': a pointer without const could change it
        Alice.({ const char **w = &t; *w = "q"; }); //! error: on 't': a pointer without const could change it
        Bob.use(k, t, a, p, q);
    }
)
