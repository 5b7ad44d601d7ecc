// log.h: a role's log, a file with a line "IDENTIFIER TRIP ENTRY" for each thing done. What stands there stays there,
// whatever becomes of the role. Called in a role's functions only.

#ifndef LOG_H
#define LOG_H

#include <chorex.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char id[33], trip[20], entry[20];
} log_line;

// The next line, or false.
static inline bool log_read(FILE *file, log_line *line)
{
    return fscanf(file, "%32s %19s %19s", line->id, line->trip, line->entry) == 3;
}

static inline FILE *log_open(const char *path)
{
    FILE *file = fopen(path, "a+");
    if (file == NULL)
        chx_fail("%s: %s", path, strerror(errno));
    return file;
}

// Is there this entry about the trip?
static inline bool log_says(const char *path, const char *trip, const char *entry)
{
    FILE *file = log_open(path);
    log_line line;
    bool found = false;
    while (!found && log_read(file, &line))
        found = strcmp(line.trip, trip) == 0 && strcmp(line.entry, entry) == 0;
    fclose(file);
    return found;
}

// Adds an entry, unless this step of this session has done so before: the step's identifier is the entry's, so a step
// writes at most one. Returns whether it is new. (To outlive the machine, too, call fsync before fclose.)
static inline bool log_once(const char *path, const char *trip, const char *entry)
{
    char id[33];
    chx_effect effect = chx_effect_id();
    snprintf(id, sizeof id, "%016llx%016llx", (unsigned long long)effect.high, (unsigned long long)effect.low);
    FILE *file = log_open(path);
    log_line line;
    bool found = false;
    while (!found && log_read(file, &line))
        found = strcmp(line.id, id) == 0;
    bool good = found || fprintf(file, "%s %s %s\n", id, trip, entry) > 0;
    if (fclose(file) != 0 || !good)
        chx_fail("%s: %s", path, strerror(errno));
    return !found;
}

#endif
