// A definition that is started with a cast of its own has no other roles than its role parameters.
#include <chorex.h>

choreography(farm, (Queue, Worker, Log),
    def tell[A, B](A.int x) {
        A.x ~> B.y;
        B.y ~> Log._; //! error: no role 'Log'
    }
    def run(Worker.int x) {
        tell[Worker, Queue](Worker.x);
    }
)

#include "farm_tell.A.chor.h"
