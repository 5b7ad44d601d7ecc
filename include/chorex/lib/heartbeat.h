// Is another role there? See docs/library.md.

#ifndef CHOREX_LIB_HEARTBEAT_H
#define CHOREX_LIB_HEARTBEAT_H

#include <chorex.h>

choreography(heartbeat, (Watcher, Watched),
    bool Watched.alive(void);

    // False if it says no, fails, or has not answered within a second. Who failed is started anew.
    def ask() -> Watcher.bool {
        Watcher.bool is_there = false;
        checkpoint within 1s {
            Watched.alive() ~> Watcher.is_there;
        } rescue {
            Watcher.is_there = false;
        }
        return Watcher.is_there;
    }
)

#endif
