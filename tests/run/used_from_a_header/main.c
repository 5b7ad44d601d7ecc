// A choreography in a header uses one of another header; a failure is reported where its text stands.
//! no-central
// expect: 6
// expect: part.h:10: too much
#include "whole.h"
#include "whole.Alice.chor.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    struct whole_run_result r;
    if (whole_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("%d\n", r.Bob);
    if (whole_run(&r, NULL, 300) == CHX_OK)
        return 1;
    const chx_report *report = chx_last_report();
    const char *slash = strrchr(report->file, '/');
    printf("%s:%d: %s\n", slash != NULL ? slash + 1 : report->file, report->line, report->why);
    return 0;
}
