// Several choreographies of one file, with roles and functions of the same names.
#include <chorex.h>

choreography(one, (Alice, Bob), int Alice.make(void); def run() -> Bob.int { Alice.make() ~> Bob.x; return Bob.x; })
choreography(two, (Carol, Dave), int Carol.make(void); def run() -> Dave.int { Carol.make() ~> Dave.x; return Dave.x; })
choreography(three, (Eve), def run(Eve.int x) -> Eve.int { return Eve.(x + 1); })
