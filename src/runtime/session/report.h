// report.h: why something failed, in the form that the caller gets.

#ifndef RUNTIME_SESSION_REPORT_H
#define RUNTIME_SESSION_REPORT_H

#include <chorex.h>

enum { REPORT_WHY_SIZE = 512 };

// A chx_report together with the text it points to. The role's and file's names are the program's own constants.
typedef struct {
    chx_report report;
    char why[REPORT_WHY_SIZE];
} Report;

void report_clear(Report *report);
void report_copy(Report *to, const Report *from);

// This thread's last report, which chx_last_report shows.
Report *report_last(void);
// Sets it: a start that failed, before there is a session. role and file may be NULL.
void report_refuse(const char *role, const char *file, const char *format, ...) CHX_PRINTF(3, 4);

const char *report_signal_name(int signal);

#endif
