// report.h: why something failed, in the form that the caller gets.

#ifndef RUNTIME_SESSION_REPORT_H
#define RUNTIME_SESSION_REPORT_H

#include <chorex.h>

typedef struct Fault Fault; // actor.h

enum { REPORT_WHY_SIZE = 512 };

// A chx_report together with the text it points to. The role's and file's names are the program's own constants.
typedef struct {
    chx_report report;
    char why[REPORT_WHY_SIZE];
} Report;

void report_clear(Report *report);
void report_copy(Report *to, const Report *from);

// Says that this fault has ended a session.
void report_fault(Report *report, const char *role, const Fault *fault, const char *file, int line, unsigned restarts);

// This thread's last report, which chx_last_report shows.
Report *report_last(void);
// Sets it: something failed with this status, which is returned, before there was a session. role and file may be NULL.
chx_status report_refuse(chx_status status, const char *role, const char *file, const char *format, ...)
    CHX_PRINTF(4, 5);

const char *report_signal_name(int signal);

#endif
