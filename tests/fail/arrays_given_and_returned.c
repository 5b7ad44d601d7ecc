// Arguments and results that are arrays have the type that is declared.
#include <chorex.h>

choreography(arrays, (A, B),
    def give(A.int n[3]) -> A.int n[3] {
        return A.n;
    }
    def two() -> A.int n[2] {
        A.int b[2] = {0};
        return A.b;
    }
    def pair() -> B.{int x[2], int} {
        B.int x[3] = {0};
        return B.{x, 1}; //! error: the result is 'int [2]': a value of type 'int [3]' can't be returned
    }
    def run(A.int n[2]) -> A.int r[3] {
        A.int b[3] = {0};
        A.b = give(A.n); //! error: the parameter 'n' is 'int [3]': a value of type 'int [2]' can't be put there
        A.(b[0]);
        pair();
        return A.n; //! error: the result is 'int [3]': a value of type 'int [2]' can't be returned
    }
    def other() -> A.int r[3] {
        return two(); //! error: the result is 'int [3]': a value of type 'int [2]' can't be returned
    }
)
