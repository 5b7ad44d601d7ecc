// Names that the C compiler gives a meaning of its own in every function, file and build.
#include <chorex.h>

#define NUMBER __COUNTER__
#define UNIQUE (NUMBER + 1)
#define BUILD "built at " __TIME__ "."

choreography(predefined, (Alice, Bob),
    def run() {
        {Alice, Bob}.const char *_1 = __func__; //! error: '__func__' is not the same in every role's program
        {Alice, Bob}.int _2 = __FUNCTION__[2]; //! error: '__func__' is not the same in every role's program
        {Alice, Bob}.int _3 = __COUNTER__; //! error: '__COUNTER__' is not the same in every role's program
        {Alice, Bob}.int _4 = 2 * UNIQUE; //! error: '__COUNTER__' is not the same in every role's program
        {Alice, Bob}.const char *_5 = BUILD; //! error: '__TIME__' is not the same in every role's program
        {Alice, Bob}.const char *_6 = "of " __DATE__; //! error: '__DATE__' is not the same in every role's program
        {Alice, Bob}.const char *_7 = __builtin_FUNCTION(); //! error: can't be used at a role set
        Alice.int _8 = UNIQUE;
        Alice.const char *_9 = BUILD;
    }
)
