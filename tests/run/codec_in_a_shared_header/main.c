// A codec in a shared header has the same name in every file, whatever stands before it.
//! no-central
// expect: 7
#define FIRST __COUNTER__
enum { other = FIRST };
#include "post.h"
#include "post.Sender.chor.h"

#include <stdio.h>

letter Sender_write(void) { return (letter){.number = 7}; }

int main(void)
{
    struct post_run_result r;
    if (post_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d\n", r.Receiver);
    return 0;
}
