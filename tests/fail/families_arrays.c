// An array over one family is not one over another: they may have different numbers of elements.
#include <chorex.h>

static int sum(const int *x, size_t n)
{
    return n > 0 ? x[0] : 0;
}

choreography(arrays, (Boss, Clerk, Few[], Many[]),
    def take(Boss.int x[Many]) -> Boss.int {
        return Boss.(sum(x, Many_count));
    }
    def make() -> Boss.int x[Few] {
        Boss.int x[Few];
        return Boss.x;
    }
    def over[F[]](Boss.int x[F]) -> Boss.int r[F] {
        return Boss.x;
    }
    def fixed(Boss.int x[3]) {
        Boss.(sum(x, 3));
    }
    def with(f(Boss.int x[Many]) -> Boss.int) -> Boss.int {
        Boss.int x[Many];
        return f(Boss.x);
    }
    def of_few(Boss.int x[Few]) -> Boss.int {
        return Boss.(sum(x, Few_count));
    }
    def run() -> Boss.int r[Many] {
        Boss.int few[Few];
        Boss.int many[Many];
        Boss.long longs[Few];
        Clerk.int many[Many];
        {Boss, Clerk}.int both[Few];
        Boss.many = few; //! error: 'many' is 'int for each Many': a value of type 'int for each Few' can't be put there
        Boss.few ~> Clerk.many; //! error: 'many' is 'int for each Many': a value of type 'int for each Few' can't be put there
        Boss.few = longs; //! error: 'few' is 'int for each Few': a value of type 'long for each Few' can't be put there
        Boss.many ~> {Boss, Clerk}.both; //! error: 'both' is 'int for each Few': a value of type 'int for each Many' can't be put there
        Boss.{few, 1} ~> Clerk.{many, _}; //! error: 'many' is 'int for each Many': a value of type 'int for each Few' can't be put there
        Boss.a = take(Boss.few); //! error: the parameter 'x' is 'int for each Many': a value of type 'int for each Few' can't be put there
        Boss.many = make(); //! error: 'many' is 'int for each Many': a value of type 'int for each Few' can't be put there
        Boss.few = over[Many](Boss.many); //! error: 'few' is 'int for each Few': a value of type 'int for each Many' can't be put there
        Boss.few = over[Few](Boss.few);
        Boss.few = over[Few](Boss.many); //! error: the parameter 'x' is 'int for each Few': a value of type 'int for each Many' can't be put there
        fixed(Boss.few); //! error: the parameter 'x' is 'int [3]': a value of type 'int for each Few' can't be put there
        Boss.b = with(of_few); //! error: 'of_few' does not fit the parameter 'f': 'int for each Few' where 'int for each Many' is expected
        Boss.(a + b + both[0]);
        Clerk.(many[0] + both[0]);
        return Boss.few; //! error: the result is 'int for each Many': a value of type 'int for each Few' can't be returned
    }
    def tail() -> Boss.int x[Many] {
        return make(); //! error: the result is 'int for each Many': a value of type 'int for each Few' can't be returned
    }
    def first(Boss.int x[3][Few]) -> Boss.int y[3][Few] { //! error: the family comes first //! error: the family comes first
        return Boss.x;
    }
)
