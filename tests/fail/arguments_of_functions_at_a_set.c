// A function that is called at a role set gets values that every role has: no addresses, except to read agreed ones through.
#include <chorex.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

struct node { int value; struct node *next; };
union either { int i; float f; };
struct tagged { int kind; union either of; };
struct holder { int n; const int *at; };
typedef struct { int handle; } list;
static void list_encode(chx_writer *writer, const void *value) { (void)writer; (void)value; }
static bool list_decode(chx_reader *reader, void *value) { (void)reader; (void)value; return false; }
static void list_drop(void *value) { (void)value; }
CHX_CODEC(list, list_encode, list_decode, list_drop);

#define CONST __attribute__((const))
#define PURE __attribute__((pure))
CONST int square(int x);
PURE int sum(const int *numbers, int count);
PURE int change(int *numbers);
PURE int any(const void *data, size_t size);
PURE int raw(const unsigned char *data);
PURE int chain(const struct node *first);
PURE int by_value(struct holder holder);
PURE int tag(struct tagged tagged);
PURE int count(list all);
PURE int apply(int (*function)(int), int x);
PURE int *find(int x);
CONST int many(int n, ...);
static int table[3];
static const struct node constant = {1, NULL};

choreography(arguments, (Alice, Bob),
    def run(Alice.int n, Alice.const char *s, {Alice, Bob}.int *p, {Alice, Bob}.struct node *first, Alice.list made, {Alice, Bob}.const unsigned char *r) {
        Alice.n ~> {Alice, Bob}.k;
        Alice.s ~> {Alice, Bob}.t;
        Alice.made ~> {Alice, Bob}.all;
        {Alice, Bob}.int a[3] = {1, 2, 3};
        {Alice, Bob}.struct holder h = {0};
        {Alice, Bob}.struct tagged u = {0};
        {Alice, Bob}.int _1 = sum(&k, 1); //! error: takes no addresses
        {Alice, Bob}.int _2 = sum(p, 1); //! error: 'sum' gets something here that every role has its own of
        {Alice, Bob}.int _3 = sum(table, 3); //! error: 'table' may change
        {Alice, Bob}.int _4 = change(a); //! error: 'change' gets something here
        {Alice, Bob}.int _5 = any(a, sizeof a); //! error: 'any' gets something here
        {Alice, Bob}.int _6 = memcmp(a, t, 3); //! error: 'memcmp' gets something here
        {Alice, Bob}.int _7 = raw(r); //! error: 'raw' gets something here
        {Alice, Bob}.int _8 = chain(first); //! error: 'chain' gets something here
        {Alice, Bob}.int _9 = chain(&constant); //! error: takes no addresses
        {Alice, Bob}.int _10 = by_value(h); //! error: 'by_value' gets something here
        {Alice, Bob}.int _11 = tag(u); //! error: 'tag' gets something here
        {Alice, Bob}.int _12 = count(all); //! error: 'count' gets something here
        {Alice, Bob}.int _13 = apply(square, k); //! error: 'square' is an address here
        {Alice, Bob}.int _14 = square((int)(long)t); //! error: can't convert pointers
        {Alice, Bob}.int _15 = square(t == t); //! error: can't compare strings like this
        {Alice, Bob}.int _16 = *find(k); //! error: can't read through this pointer
        {Alice, Bob}.bool _17 = find(k) == find(k + 1); //! error: can't compare pointers
        {Alice, Bob}.int _18 = many(1, p); //! error: 'many' gets something here
        {Alice, Bob}.bool _19 = isalpha(k); //! error: can't read through this pointer
        {Alice, Bob}.int _20 = errno; //! error: can't read through this pointer
        {Alice, Bob}.bool _21 = strchr(t, 'x') == t; //! error: can't compare strings like this
        {Alice, Bob}.unsigned long _22 = (unsigned long)strchr(t, 'x'); //! error: can't convert pointers
        {Alice, Bob}.long _23 = strchr(t, 'x') - t; //! error: can't compare strings like this
    }
)
