// An expression at a role set depends on values only: every role has its variables, functions and strings at other
// addresses.
#include <chorex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct point { int x, y; };
static void helper(void) {}
#define ADDRESS(x) (&(x))
#define EQUAL(a, b) ((a) == (b))
#define DISTANCE(a, b) ((a) - (b))

choreography(addresses, (Alice, Bob, Carol),
    def run(Alice.int n, Alice.const char *s, {Alice, Bob}.int *p) {
        Alice.n ~> {Alice, Bob}.k;
        Alice.s ~> {Alice, Bob}.t;
        {Alice, Bob}.int a[3] = {1, 2, 3};
        {Alice, Bob}.struct point c = {1, 2};
        if ({Alice, Bob}.((long)&k % 2 == 0)) { //! error: takes no addresses
            Alice.use(k);
        }
        while ({Alice, Bob}.(&k < &a[0])) { //! error: can't compare pointers
            Bob.use(k);
        }
        {Alice, Bob}.bool _1 = &c.x == NULL; //! error: takes no addresses
        {Alice, Bob}.bool _2 = &a[k] != 0; //! error: takes no addresses
        {Alice, Bob}.bool _3 = ADDRESS(k) != NULL; //! error: takes no addresses
        {Alice, Bob}.int _4 = *&k; //! error: takes no addresses
        {Alice, Bob}.bool _5 = helper; //! error: 'helper' is an address here
        {Alice, Bob}.bool _6 = &helper != NULL; //! error: takes no addresses
        {Alice, Bob}.bool _7 = p == a; //! error: can't compare pointers
        {Alice, Bob}.bool _8 = EQUAL(p, a); //! error: can't compare pointers
        {Alice, Bob}.long _9 = p - a; //! error: can't compare pointers
        {Alice, Bob}.long _10 = DISTANCE(p, (int *)0); //! error: can't compare pointers
        {Alice, Bob}.unsigned long _11 = (unsigned long)t; //! error: can't convert pointers
        {Alice, Bob}.int _12 = (int)(long)p; //! error: can't convert pointers
        {Alice, Bob}.int _13 = *(const int *)t; //! error: can't convert pointers
        {Alice, Bob}.const char *_14 = (const char *)(long)k; //! error: can't convert pointers
        {Alice, Bob}.const int *_15 = a; //! error: can't make a pointer of an array
        {Alice, Bob}.const int *_16 = k ? a + 1 : NULL; //! error: can't make a pointer of an array
        {Alice, Bob}.int _17 = ((int *)1000)[k]; //! error: can't read through this pointer
        {Alice, Bob}.a[&k == NULL] = 3; //! error: takes no addresses
        {Alice, Bob}.c.x += &k != NULL; //! error: takes no addresses
        f({Alice, Bob}.(&k != NULL)); //! error: takes no addresses
        Carol.compute() ~> {Alice, Bob}.(&k == NULL); //! error: takes no addresses
        {Alice, Bob}.bool _18 = __extension__ ({ __label__ here; here: &&here != NULL; }); //! error: can't be used at a role set
        {Alice, Bob}.int _19 = snprintf(NULL, 0, "%p", (const void *)t); //! error: 'snprintf' is not
        {Alice, Bob}.chx_str _20 = chx_strf("%p", (const void *)t); //! error: 'chx_strf' is not
        {Alice, Bob}.bool _21 = ({ const char *q = t; q == t; }); //! error: can't compare strings like this
        {Alice, Bob}.long _22 = ({ const char *q = t; while (*q != 0) q++; q - t; }); //! error: can't compare strings like this
        {Alice, Bob}.bool _23 = ({ int *q = p; q > p; }); //! error: can't compare pointers
        {Alice, Bob}.uintptr_t _24 = ({ const char *q = t + 1; (uintptr_t)q; }); //! error: can't convert pointers
        {Alice, Bob}.int _25 = ({ int i = k; int *q = &i; *q; }); //! error: takes no addresses
        {Alice, Bob}.bool _26 = (uintptr_t)p % 2 == 0 || k; //! error: can't convert pointers
        {Alice, Bob}.long _27 = &a[2] - &a[0]; //! error: can't compare pointers
        {Alice, Bob}.double _28 = (double)(intptr_t)a; //! error: can't convert pointers
        {Alice, Bob}.size_t _29 = __builtin_object_size(t, 0); //! error: makes no calls
        if ({Alice, Bob}.(_Generic(t, const char *: (long)t, default: 0L) > 0)) { //! error: can't convert pointers
            Alice.use(k);
        }
        switch ({Alice, Bob}.((int)(long)p)) { //! error: can't convert pointers
        case 1:
            Alice.use(k);
            break;
        }
    }
    bool Carol.compute(void);
    def f({Alice, Bob}.bool b) {
        if ({Alice, Bob}.b) {
            Alice.use(3);
        }
    }
)
