// Plays Bob.
#include "whole.h"
#include "whole.Bob.chor.h"

void Bob_check(int x)
{
    if (x > 100)
        chx_fail("too much");
}
