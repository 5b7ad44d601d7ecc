// Roles' functions may be called like C's, with a prototype; variables like C's functions and types.
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>

choreography(likec, (Alice, Bob),
    int Alice.read(int fd);
    int Bob.write(const char *text);
    def run(Alice.int printf) -> Bob.int {
        Alice.read(printf) ~> Bob.index;
        Bob.write("text");
        Bob.int main = index + 1;
        return Bob.main;
    }
)
