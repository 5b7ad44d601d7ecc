// squares.c: all roles in one program.

#include <stdio.h>
#include <stdlib.h>
#include "squares.chor"
#include "squares.Desk.chor.h"
#include "squares.Client.chor.h"

int main(int argc, char **argv)
{
    struct squares_run_result result;
    if (squares_run(&result, NULL, argc > 1 ? atoi(argv[1]) : 10) != CHX_OK) {
        fprintf(stderr, "%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    if (chx_str_len(result.Client) > 0)
        printf("%s\n", chx_cstr(result.Client));
    squares_run_result_drop(&result);
    return 0;
}
