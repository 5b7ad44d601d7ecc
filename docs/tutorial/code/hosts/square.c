// square.c: Worker's part.

#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include "squares.chor"
#include "squares.Worker.chor.h"

long Worker_square(int number)
{
    if (number == 13)
        raise(SIGKILL); // what `kill -9` does
    return (long)number * number;
}
