// The smallest choreographies: an empty function, no function at all with arguments, a role that does nothing.
#include <chorex.h>

choreography(minimal, (Alice),
    def run() {
    }
)
choreography(idle, (Alice, Bob), def run(void) { Bob.(1) ~> Alice._; } def none() { return; })
