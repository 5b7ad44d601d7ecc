// An array takes only an array of its own type, wherever the value comes from and whether it is a variable or a field.
#include <chorex.h>

struct parts {
    int a[3];
    int i;
};

choreography(arrays, (A, B),
    def give(A.int n) -> A.int {
        return A.n;
    }
    def run(A.int n, B.int m) {
        A.int a[2] = {0};
        A.struct parts s = {.i = 1};
        B.struct parts t;
        B.int b[2] = {0};
        B.int c[3] = {0};
        A.a = n;                //! error: 'a' is 'int [2]': a value of type 'int' can't be put there
        A.n ~> B.b;             //! error: 'b' is 'int [2]': a value of type 'int' can't be put there
        A.a ~> B.c;             //! error: 'c' is 'int [3]': a value of type 'int [2]' can't be put there
        A.a ~> B.t.a;           //! error: 't.a' is 'int [3]': a value of type 'int [2]' can't be put there
        A.s.a ~> B.t.i;         //! error: incompatible pointer to integer conversion
        A.s.a = n;              //! error: 's.a' is 'int [3]': a value of type 'int' can't be put there
        A.{.i = a} = s;         //! error: 'a' is 'int [2]': a value of type 'int' can't be put there
        A.{.a} = s;             //! error: 'a' is 'int [2]': a value of type 'int [3]' can't be put there
        A.{n, n} ~> B.{b, _};   //! error: 'b' is 'int [2]': a value of type 'int' can't be put there
        A.a = give(A.n);        //! error: 'a' is 'int [2]': a value of type 'int' can't be put there
        A.s.a = give(A.n);      //! error: 's.a' is 'int [3]': a value of type 'int' can't be put there
        A.s ~> B.{.i = b};      //! error: 'b' is 'int [2]': a value of type 'int' can't be put there
        A.s ~> B.{.a = b};      //! error: 'b' is 'int [2]': a value of type 'int [3]' can't be put there
        A.s ~> B.{.i = t.a};    //! error: 't.a' is 'int [3]': a value of type 'int' can't be put there
        A.s ~> B.{.a = m};      //! error: incompatible pointer to integer conversion
        A.(a[0] + s.i);
        B.(b[0] + c[0] + m + t.i);
    }
)
