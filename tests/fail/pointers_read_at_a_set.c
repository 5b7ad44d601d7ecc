// At a role set, C is read through pointers only where it leads to what every role has a copy of, or to constants.
#include <chorex.h>

struct node { int value; struct node *next; };
typedef struct { int count; struct node *first; } list;
static void list_encode(chx_writer *writer, const void *value) { (void)writer; (void)value; }
static bool list_decode(chx_reader *reader, void *value) { (void)reader; (void)value; return false; }
static void list_drop(void *value) { (void)value; }
CHX_CODEC(list, list_encode, list_decode, list_drop);

static int counter;
static char text[10];
static struct node changing;
static int *const to_counter = &counter;
static const char *const to_text = text;
static const struct node chain = {1, &changing};
static const char *const texts[] = {"one", text};
extern const char *const elsewhere[];
extern const volatile int hardware;

choreography(through, (Alice, Bob),
    def run({Alice, Bob}.int *p, {Alice, Bob}.const struct node *n, {Alice, Bob}.const unsigned char *raw, Alice.list made) {
        Alice.made ~> {Alice, Bob}.l;
        {Alice, Bob}.int a[2] = {1, 2};
        {Alice, Bob}.int _1 = *p; //! error: can't read through this pointer
        {Alice, Bob}.int _2 = p[1]; //! error: can't read through this pointer
        {Alice, Bob}.int _3 = n->value; //! error: can't read through this pointer
        {Alice, Bob}.int _4 = raw[0]; //! error: can't read through this pointer
        {Alice, Bob}.int _5 = l.count + l.first->value; //! error: can't read through this pointer
        {Alice, Bob}.int _6 = ({ const int *q = a; q[0]; }); //! error: can't read through this pointer
        {Alice, Bob}.int _7 = *to_counter; //! error: what 'to_counter' points to may change
        {Alice, Bob}.int _8 = to_text[0]; //! error: what 'to_text' points to may change
        {Alice, Bob}.const char *_9 = to_text; //! error: what 'to_text' points to may change
        {Alice, Bob}.int _10 = chain.next->value; //! error: what 'chain' points to may change
        {Alice, Bob}.int _11 = texts[0][0]; //! error: what 'texts' points to may change
        {Alice, Bob}.int _12 = elsewhere[0][0]; //! error: what 'elsewhere' points to may change
        {Alice, Bob}.int _13 = hardware; //! error: 'hardware' may change
        {Alice, Bob}.p[0] = 3; //! error: can't read through this pointer
        {Alice, Bob}.int _14 = sizeof(char[counter]); //! error: 'counter' may change
    }
)
