// What can be wrong with `agree`.
#include <chorex.h>
#include <stdio.h>

struct node { int value; struct node *next; };

choreography(mistakes, (Alice, Bob, Carol),
    def run(Alice.int x, Bob.int y, Carol.int z, Bob.long l, Alice.FILE *f, Bob.FILE *g, Alice.struct node n, Bob.struct node m) {
        {Alice, Bob}.k1 = agree(Alice.x); //! error: the value of Bob is missing: '{Alice, Bob}.k1 = agree(Alice.k1, Bob.k1);'
        {Alice, Bob}.k2 = agree(Alice.x, Bob.y, Alice.x); //! error: the value of Alice is given twice
        {Alice, Bob}.k3 = agree(Alice.x, Bob.y, Carol.z); //! error: Carol is not among the roles that are to agree: Alice and Bob
        {Alice, Bob}.k4 = agree(Alice.x, Bob.l); //! error: Alice's 'k4' is 'int', but Bob's is 'long': one value can't be both
        {Alice, Bob}.k5 = agree(); //! error: the value of Alice is missing
        {Alice, Bob}.k6 = agree(Alice.x, y); //! error: 'agree' wants a value of one role here, 'y' is not located
        {Alice, Bob}.k7 = agree(Alice.{x, x}, Bob.y); //! error: roles agree on one value, not on a tuple
        {Alice, Bob}.k8 = agree({Alice, Bob}.(1), Bob.y); //! error: 'agree' wants a value of each role by itself, this is one of Alice and Bob
        Alice.k9 = agree(Alice.x, Bob.y); //! error: nobody is there for Alice to agree with
        agree(Alice.x, Bob.y); //! error: what roles agree on goes to one variable of a role set
        Alice.k20, Bob.k21 = agree(Alice.x, Bob.y); //! error: what roles agree on goes to one variable of a role set
        {Alice, Bob}.k10 = agree(Alice.f, Bob.g); //! error: values of type 'FILE *' can't be compared by 'agree'
        {Alice, Bob}.k11 = agree(Alice.n, Bob.m); //! error: values of type 'struct node' can't be compared by 'agree'
        {Alice, Bob}.int a[2] = {1, 2};
        {Alice, Bob}.a[0] = agree(Alice.x, Bob.y); //! error: what roles agree on goes to a whole variable
        {Alice, Bob}.{.value} = agree(Alice.n, Bob.m); //! error: what roles agree on goes to a whole variable
        {Alice, Bob}.k12 = agree[Alice](Alice.x, Bob.y); //! error: 'agree' takes no role arguments
        {Alice, Bob}.k13 = agree(Alice.nothing, Bob.y); //! error: Alice has no variable 'nothing' here
        {Alice, Bob}.k14 = agree(Alice.x, Bob.(x)); //! error: 'x' is Alice's, not Bob's
        {Alice, Bob}.int k15 = agree(Alice.("text"), Bob.y); //! error: incompatible pointer to integer conversion
        {Alice, Bob}.long k16 = agree(Alice.x, Bob.l);
        {Alice, Bob}.const int k17 = agree(Alice.x, Bob.y);
        {Alice, Bob}.k17 = agree(Alice.x, Bob.y); //! error: Alice's 'k17' is const: it keeps its first value
        f(agree); //! error: 'f' takes 0 arguments, not 1
        Bob.use(k1, k2, k3, k4, k5, k6, k7, k8);
    }
    def f() {
        Alice.(1) ~> Bob._;
    }
)
