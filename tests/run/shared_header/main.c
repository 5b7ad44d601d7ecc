// A choreography in a header; each of its roles is played by a file of its own, and a third one starts it.
//! no-central
// expect: 42
#include "pingpong.h"
#include "pingpong.chor.h"

#include <stdio.h>

int main(void)
{
    struct pingpong_run_result r;
    if (pingpong_run(&r, NULL, 20) != CHX_OK)
        return 1;
    printf("%d\n", r.Ping);
    return 0;
}
