// A choreography has at least one role.
#include <chorex.h>

choreography(empty, (), //! error: role
    def run() {
    }
)
