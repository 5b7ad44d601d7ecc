// Pointers can't be sent, alone or in structs; sending is the error, not having.
#include <chorex.h>
#include <stdio.h>

struct node { struct node *next; };
struct holder { int n; struct node inner; };

choreography(unsendable, (Alice, Bob),
    def run(Alice.FILE *log, Alice.struct holder h, Alice.int *p, Alice.void *v) {
        Alice.log ~> Bob._; //! error: a value of type 'FILE *' can't be sent
        Alice.h ~> Bob.{.n}; //! error: 'struct holder' can't be sent
        Alice.p ~> Bob._; //! error: 'int *' can't be sent
        Alice.v ~> Bob._; //! error: 'void *' can't be sent
        Alice.(&h) ~> Bob._; //! error: 'struct holder *' can't be sent
        Alice.{h.n, p} ~> Bob.{n, q}; //! error: 'int *' can't be sent
        Alice.use(p);
    }
)
