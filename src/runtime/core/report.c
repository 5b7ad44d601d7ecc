// report.c: reports, and the names of statuses and signals.

#include "runtime/core/report.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local Report last_report;

void report_clear(Report *report)
{
    report->why[0] = '\0';
    report->report = (chx_report){.role = "", .kind = CHX_FAULT_NONE, .why = report->why, .file = ""};
}

void report_copy(Report *to, const Report *from)
{
    to->report = from->report;
    to->report.why = to->why;
    strcpy(to->why, from->why);
}

Report *report_last(void)
{
    if (last_report.report.why == NULL)
        report_clear(&last_report);
    return &last_report;
}

void report_refuse(const char *role, const char *file, const char *format, ...)
{
    Report *report = &last_report;
    report_clear(report);
    report->report.kind = CHX_FAULT_SYSTEM;
    report->report.role = role != NULL ? role : "";
    report->report.file = file != NULL ? file : "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->why, sizeof report->why, format, arguments);
    va_end(arguments);
}

const chx_report *chx_last_report(void)
{
    return &report_last()->report;
}

const char *chx_status_text(chx_status status)
{
    switch (status) {
    case CHX_OK:
        return "success";
    case CHX_FAILED:
        return "a role failed";
    case CHX_UNCAST:
        return "a role has no implementation";
    case CHX_NO_MEMORY:
        return "out of memory, threads or processes";
    case CHX_INVALID:
        return "invalid use";
    case CHX_CANCELLED:
        return "cancelled";
    }
    return "unknown status";
}

const char *report_signal_name(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV (segmentation fault)";
    case SIGBUS:
        return "SIGBUS (bus error)";
    case SIGFPE:
        return "SIGFPE (arithmetic error)";
    case SIGILL:
        return "SIGILL (illegal instruction)";
    case SIGABRT:
        return "SIGABRT (abort)";
    case SIGKILL:
        return "SIGKILL (killed)";
    case SIGTERM:
        return "SIGTERM (terminated)";
    case SIGPIPE:
        return "SIGPIPE (broken pipe)";
    case SIGTRAP:
        return "SIGTRAP (trap)";
    case SIGSYS:
        return "SIGSYS (bad system call)";
    case SIGXCPU:
        return "SIGXCPU (processor time limit)";
    default:
        return "signal";
    }
}
