// What `agree` finds goes to a variable before it is used, and it stands alone on the right side.
#include <chorex.h>

choreography(part, (Alice, Bob),
    def run(Alice.int x, Bob.int y) -> {Alice, Bob}.int {
        {Alice, Bob}.int n = 1;
        {Alice, Bob}.n += agree(Alice.x, Bob.y); //! error: the result of 'agree' must be bound on its own
        {Alice, Bob}.n = agree(Alice.x, Bob.y) + 1; //! error: the result of 'agree' must be bound on its own
        {Alice, Bob}.n = 1 + agree(Alice.x, Bob.y); //! error: the result of 'agree' must be bound on its own
        if (agree(Alice.x, Bob.y)) { //! error: a condition belongs to one role
            Alice.use(n);
        }
        return {Alice, Bob}.n;
    }
)
