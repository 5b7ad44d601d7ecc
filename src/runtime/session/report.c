// report.c: reports, and the names of statuses and signals.

#include "runtime/session/report.h"

#include "chorex/remote.h"
#include "runtime/actor/actor.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each thread's last report. Only its address is a thread-local variable: those of a library that is loaded at run time have to fit into
// a small room that all such libraries share.
static struct {
    pthread_once_t once;
    pthread_key_t key;
    bool has_key;
    Report spare; // of threads for which there is no memory
} last = {.once = PTHREAD_ONCE_INIT};

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

void report_fault(Report *report, const char *role, const Fault *fault, const char *file, int line, unsigned restarts)
{
    report->report = (chx_report){.role = role,
                                  .kind = fault->kind,
                                  .signal = fault->signal,
                                  .why = report->why,
                                  .file = file,
                                  .line = line,
                                  .restarts = restarts};
    strcpy(report->why, fault->why);
}

// At the thread's end.
static void last_free(void *report)
{
    current()->report = NULL;
    free(report);
}

static void last_begin(void)
{
    last.has_key = pthread_key_create(&last.key, last_free) == 0;
    report_clear(&last.spare);
}

static Report *last_new(void)
{
    pthread_once(&last.once, last_begin);
    Report *report = last.has_key ? malloc(sizeof *report) : NULL;
    if (report != NULL)
        report_clear(report);
    if (report != NULL && pthread_setspecific(last.key, report) != 0) {
        free(report);
        report = NULL;
    }
    // What was said while there was no memory is kept.
    if (report != NULL && current()->report == &last.spare)
        report_copy(report, &last.spare);
    return current()->report = report != NULL ? report : &last.spare;
}

Report *report_last(void)
{
    Report *report = current()->report;
    return report != NULL && report != &last.spare ? report : last_new();
}

// When the program ends, or the library that this is linked into is unloaded. After other destructors.
static void __attribute__((destructor(102))) last_end(void)
{
    if (!last.has_key)
        return;
    last_free(pthread_getspecific(last.key));
    pthread_key_delete(last.key);
    last.has_key = false;
}

static void refuse(const char *role, const char *file, const char *format, va_list arguments)
{
    Report *report = report_last();
    report_clear(report);
    report->report.kind = CHX_FAULT_SYSTEM;
    report->report.role = role != NULL ? role : "";
    report->report.file = file != NULL ? file : "";
    vsnprintf(report->why, sizeof report->why, format, arguments);
}

chx_status report_refuse(chx_status status, const char *role, const char *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refuse(role, file, format, arguments);
    va_end(arguments);
    return status;
}

chx_status chx_refuse(chx_status status, const char *role, const char *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refuse(role, file, format, arguments);
    va_end(arguments);
    return status;
}

const chx_report *chx_last_report(void)
{
    return &report_last()->report;
}

const char *chx_status_text(chx_status status)
{
    static const char *const texts[] = {
        [CHX_OK] = "success",
        [CHX_FAILED] = "a role failed",
        [CHX_UNCAST] = "a role has no implementation",
        [CHX_NO_MEMORY] = "out of memory, threads or processes",
        [CHX_INVALID] = "invalid use",
        [CHX_CANCELLED] = "cancelled",
        [CHX_REFUSED] = "another host refused it",
    };
    return (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

const char *report_signal_name(int signal)
{
    static const struct {
        int number;
        const char *name;
    } signals[] = {
        {SIGSEGV, "SIGSEGV (segmentation fault)"},
        {SIGBUS, "SIGBUS (bus error)"},
        {SIGFPE, "SIGFPE (arithmetic error)"},
        {SIGILL, "SIGILL (illegal instruction)"},
        {SIGABRT, "SIGABRT (abort)"},
        {SIGKILL, "SIGKILL (killed)"},
        {SIGTERM, "SIGTERM (terminated)"},
        {SIGPIPE, "SIGPIPE (broken pipe)"},
        {SIGTRAP, "SIGTRAP (trap)"},
        {SIGSYS, "SIGSYS (bad system call)"},
        {SIGXCPU, "SIGXCPU (processor time limit)"},
    };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == signal)
            return signals[i].name;
    return "signal";
}
