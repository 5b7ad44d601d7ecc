// Definitions that nobody calls are checked on their own, whatever their parameters are called elsewhere.
#include <chorex.h>

choreography(unused, (Alice, Bob, Carol),
    // Function parameters of one name with different signatures.
    def apply_int(f(Alice.int) -> Bob.int, Alice.int x) -> Bob.int {       //! warning: function 'apply_int' is never used
        Bob.y = f(Alice.x);
        return Bob.y;
    }
    def apply_text(f(Bob.const char *, Carol.int) -> Alice.bool) {         //! warning: function 'apply_text' is never used
        Alice.b = f(Bob.("text"), Carol.(1));
        Alice.(b);
    }
    // Several values of one role.
    def apply_two(f(Alice.int, Alice.int, Bob.int) -> Alice.{int, int}) {  //! warning: function 'apply_two' is never used
        Alice.{x, y} = f(Alice.(1), Alice.(2), Bob.(3));
        Alice.(x + y);
    }
    def apply_named(f(Alice.int a, Alice.int b) -> Bob.int) {              //! warning: function 'apply_named' is never used
        Bob.x = f(Alice.(1), Alice.(2));
        Bob.(x);
    }
    // Role parameters of one name, passed on to another definition.
    def give[From, To](From.int x) -> To.int {                             //! warning: function 'give' is never used
        From.x ~> To.y;
        return To.y;
    }
    def there[From, To](From.int x) -> To.int {                            //! warning: function 'there' is never used
        To.y = give[From, To](From.x);
        return To.y;
    }
    def back[To, From](To.int x) -> From.int {                             //! warning: function 'back' is never used
        From.y = give[To, From](To.x);
        return From.y;
    }
    def back_again[From, To](From.int x) -> From.int {                     //! warning: function 'back_again' is never used
        To.y = give[From, To](From.x);
        From.z = give[To, From](To.y);
        return From.z;
    }
    // Both: a parameter that is passed on to definitions with other signatures.
    def pass[From, To](f(From.int) -> To.int, From.int x) -> To.int {      //! warning: function 'pass' is never used
        To.y = f(From.x);
        return To.y;
    }
    def pass_on[From, To](f(From.int) -> To.int, From.int x) -> To.int {   //! warning: function 'pass_on' is never used
        To.y = pass[From, To](f, From.x);
        return To.y;
    }
    def pass_back[From, To](f(To.int) -> From.int, To.int x) -> From.int { //! warning: function 'pass_back' is never used
        From.y = pass[To, From](f, To.x);
        return From.y;
    }
    // A signature may be called with different roles' names in one definition.
    def twice[P, Q](f(P.int) -> Q.int, g(Q.int) -> P.int, P.int x) -> P.int {  //! warning: function 'twice' is never used
        Q.y = f(P.x);
        P.z = g(Q.y);
        Q.y = f(P.z);
        P.z = g(Q.y);
        return P.z;
    }
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
