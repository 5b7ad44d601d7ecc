// Function parameters with role parameters: functions that do not fit, and calls with other roles.
#include <chorex.h>

choreography(pass, (A, B, Worker[]),
    def apply[X, Y](f[From, To](From.int) -> To.int, X.int x) -> Y.int {
        return f[X, Y](X.x);
    }
    def send[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.y;
    }
    def one[X](X.int x) -> X.int {
        return X.x;
    }
    def family[V[], To](To.int x) -> To.int {
        return To.x;
    }
    def more[From, To](From.int x, To.int y) -> To.int {
        return To.y;
    }
    def none[From, To](From.int x) {
        From.x ~> To.y;
    }
    def back[From, To](To.int x) -> From.int {
        To.x ~> From.y;
        return From.y;
    }

    def count(A.int x) -> B.int {
        return apply[A, B](one, A.x); //! error: 'one' does not fit the parameter 'f': it takes 1 role argument, not 2
    }
    def kind(A.int x) -> B.int {
        return apply[A, B](family, A.x); //! error: its role parameter 1 is a family
    }
    def arguments(A.int x) -> B.int {
        return apply[A, B](more, A.x); //! error: it takes 2 arguments, not 1
    }
    def results(A.int x) -> B.int {
        return apply[A, B](none, A.x); //! error: it has 0 results, not 1
    }
    def roles(A.int x) -> B.int {
        return apply[A, B](send[A, B], A.x); //! error: 'f' is given its roles where it is called: write 'send' only
    }
    def unknown(A.int x) -> B.int {
        return apply[A, B](sned, A.x); //! error: no function 'sned'
    }
    def without[X, Y](f[From, To](From.int) -> To.int, X.int x) -> Y.int {
        return f(X.x); //! error: 'f' takes 2 role arguments, not 0
    }
    def calls(A.int x) -> B.int {
        return without[A, B](send, A.x);
    }
)
