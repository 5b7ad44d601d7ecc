// inject.h: the frame around the programs of tests/inject/programs. One call fails while the first session runs; the second
// one, without failures, must be right. What is left at the end is counted by interpose.c; the runner judges.

#ifndef INJECT_H
#define INJECT_H

#include <chorex.h>

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// In interpose.c; not there if the program runs by itself.
extern void inject_on(void) __attribute__((weak));
extern void inject_off(void) __attribute__((weak));
extern int inject_helper(void) __attribute__((weak));

// There was no memory for a runtime, or for an argument: then there is no session, and nobody who could say more.
static bool inject_has_nothing;

// A result that can't be, or something that must not happen whatever fails.
static inline void inject_wrong(int line, const char *what)
{
    printf("WRONG: line %d: %s\n", line, what);
    fflush(stdout);
    _exit(3);
}
#define must(condition) ((condition) ? (void)0 : inject_wrong(__LINE__, #condition))

// INJECT_MODE: all roles in threads, all in processes, or every second one.
static inline bool inject_isolates(unsigned role)
{
    const char *mode = getenv("INJECT_MODE");
    if (mode == NULL || strcmp(mode, "thread") == 0)
        return false;
    return strcmp(mode, "process") == 0 || role % 2 == 1;
}

static inline void inject_cast(void *cast, size_t bytes)
{
    chx_actor *actors = (chx_actor *)cast;
    memset(cast, 0, bytes);
    for (unsigned i = 0; i < bytes / sizeof *actors; i++)
        actors[i].isolation = inject_isolates(i) ? CHX_PROCESS : CHX_THREAD;
}

static inline int inject_entries(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

// Descriptors of the helper process when all roles have ended; 0: there is none. It closes those of a role a moment after the
// role's end, so it gets time to come down to INJECT_HELPER_FILES.
static inline int inject_helper_files(void)
{
    char path[64];
    const char *wanted = getenv("INJECT_HELPER_FILES");
    int helper = inject_helper != NULL ? inject_helper() : 0, count = 0;
    if (helper == 0)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/fd", helper);
    for (int i = 0; i < 3000; i++) {
        count = inject_entries(path);
        if (wanted != NULL ? count <= atoi(wanted) : i > 300)
            break;
        poll(NULL, 0, 1);
    }
    return count;
}

// One session, or several: the status of the first that failed. It checks the results of those that did not.
typedef chx_status (*InjectSession)(void);

static inline int inject_main(InjectSession session)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("begins\n");
    if (inject_on != NULL)
        inject_on();
    inject_has_nothing = false;
    chx_status status = session();
    if (inject_off != NULL)
        inject_off();
    const chx_report *report = chx_last_report();
    if (status != CHX_OK && inject_has_nothing)
        printf("first: nothing to start with\n");
    else if (status != CHX_OK)
        printf("first: %s\nwhy: %s: %s\n", chx_status_text(status), report->role, report->why);
    else
        printf("first: right\n");
    status = session();
    if (status != CHX_OK) {
        printf("WRONG: second: %s: %s: %s\n", chx_status_text(status), chx_last_report()->role, chx_last_report()->why);
        return 3;
    }
    printf("second: right\nhelper files: %d\n", inject_helper_files());
    return 0;
}

#endif
