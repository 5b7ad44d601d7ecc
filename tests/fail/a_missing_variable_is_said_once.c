// A variable that is missing is one mistake, however often it is used: the first use in each function is reported. What hides two
// variables of one name is two mistakes.
#include <chorex.h>

choreography(once, (Alice, Bob),
    void Bob.show(int n);
    def run(Alice.int n) {
        Alice.(n + missing) ~> Bob.x; //! error: Alice has no variable 'missing' here
        Alice.(missing * 2) ~> Bob.x;
        if (Alice.(missing > 1)) {
            Alice.missing ~> Bob.first;
            Bob.show(first);
        } else {
            Alice.n ~> Bob.second;
            Bob.show(second + missing); //! error: Bob has no variable 'missing' here
        }
        Bob.show(first); //! error: Bob has no variable 'first' here
        Bob.show(first + 1);
        Bob.show(second); //! error: Bob has no variable 'second' here
        Bob.show(n); //! error: 'n' is Alice's, not Bob's
        Bob.show(n + 1);
        again(Alice.n);
    }
    def again(Alice.int n) {
        Alice.missing ~> Bob.x; //! error: Alice has no variable 'missing' here
        while (Alice.(n > missing)) {
            Alice.n ~> Bob.twice;
            Bob.show(twice);
            Alice.n--;
        }
        Bob.show(twice); //! error: Bob has no variable 'twice' here
        while (Alice.(n < 3)) {
            Alice.n ~> Bob.twice;
            Bob.show(twice + x);
            Alice.n++;
        }
        Bob.show(twice); //! error: Bob has no variable 'twice' here
        Bob.show(twice + 1);
    }
)
