// trace.c: the command `chorex trace`: which files are read, and what is made of them.

#include "tools/trace/trace.h"

#include "tools/trace/views.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum { VIEW_PAGE, VIEW_TEXT, VIEW_STATS, VIEW_PERFETTO } View;

typedef struct {
    VECTOR(const char *) files;
    const char *out, *sources;
    View view;
} Wanted;

static void print_help(void)
{
    fputs("Usage: chorex trace FILE... [OPTIONS]\n"
          "\n"
          "Shows recorded runs, which CHOREX_TRACE=FILE makes a program write: as a page for a browser, FILE.html, "
          "unless another\n"
          "view is asked for. Files of several hosts are joined, and their clocks corrected.\n"
          "\n"
          "  -o OUT         write to this file; -: standard output\n"
          "  --text         a log, one line for each event\n"
          "  --stats        where the time went: steps, waits, the critical path\n"
          "  --perfetto     JSON for https://ui.perfetto.dev and chrome://tracing\n"
          "  --source DIR   look for source files in DIR, too: the page shows lines of them\n"
          "\n"
          "CHOREX_TRACE=FILE,values records the values of messages, too.\n",
          stdout);
}

static int fail(const char *message)
{
    fprintf(stderr, "chorex: error: %s (see 'chorex trace --help')\n", message);
    return 2;
}

// NULL, or what is wrong.
static const char *read_words(Arena *arena, const char *const *words, size_t count, Wanted *wanted)
{
    static const struct {
        const char *word;
        View view;
    } views[] = {{"--html", VIEW_PAGE}, {"--text", VIEW_TEXT}, {"--stats", VIEW_STATS}, {"--perfetto", VIEW_PERFETTO}};
    bool has_view = false;
    for (size_t i = 0; i < count; i++) {
        bool is_view = false;
        for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
            if (strcmp(words[i], views[k].word) == 0) {
                if (has_view)
                    return "one view at a time";
                has_view = is_view = true;
                wanted->view = views[k].view;
            }
        if (is_view)
            continue;
        bool is_out = strcmp(words[i], "-o") == 0;
        if (is_out || strcmp(words[i], "--source") == 0) {
            if (i + 1 == count)
                return is_out ? "-o needs the name of a file" : "--source needs a folder";
            *(is_out ? &wanted->out : &wanted->sources) = words[++i];
        } else if (words[i][0] == '-') {
            return arena_printf(arena, "unknown option '%s'", words[i]);
        } else {
            vector_push(arena, &wanted->files, words[i]);
        }
    }
    return wanted->files.count == 0 ? "no trace file" : NULL;
}

static void report_file(const TraceFile *file)
{
    if (file->lines_left_out > 0)
        fprintf(stderr, "chorex: warning: '%s': %zu line%s can't be read and %s left out; the first is line %zu\n",
                file->path, file->lines_left_out, file->lines_left_out == 1 ? "" : "s",
                file->lines_left_out == 1 ? "is" : "are", file->first_left_out);
    if (file->is_cut_off)
        fprintf(stderr, "chorex: note: '%s' is not complete: the program still runs, or was killed\n", file->path);
}

static void write_view(const Recording *recording, const Wanted *wanted, FILE *out)
{
    switch (wanted->view) {
    case VIEW_PAGE:
        view_page(recording, wanted->sources, out);
        break;
    case VIEW_TEXT:
        view_text(recording, out);
        break;
    case VIEW_STATS:
        view_stats(recording, out);
        break;
    case VIEW_PERFETTO:
        view_perfetto(recording, out);
        break;
    }
}

static int write_out(const Recording *recording, const Wanted *wanted, const char *path)
{
    if (strcmp(path, "-") == 0) {
        write_view(recording, wanted, stdout);
        return 0;
    }
    FILE *out = fopen(path, "we");
    if (out == NULL) {
        fprintf(stderr, "chorex: error: '%s' can't be written: %s\n", path, strerror(errno));
        return 1;
    }
    write_view(recording, wanted, out);
    bool is_written = ferror(out) == 0;
    if (fclose(out) != 0 || !is_written) {
        fprintf(stderr, "chorex: error: '%s' can't be written: %s\n", path, strerror(errno));
        return 1;
    }
    printf("%s\n", path);
    return 0;
}

static int show(Arena *arena, Recording *recording, const Wanted *wanted)
{
    recording->wants_progress = isatty(STDERR_FILENO) != 0;
    for (size_t i = 0; i < wanted->files.count; i++) {
        const char *wrong = recording_read(recording, wanted->files.items[i]);
        progress(recording, "reading", 1, 1);
        if (wrong != NULL) {
            fprintf(stderr, "chorex: error: %s\n", wrong);
            return 1;
        }
        report_file(&recording->files.items[i]);
    }
    recording_finish(recording);
    const char *path = wanted->out;
    if (path == NULL)
        path = wanted->view == VIEW_PAGE ? arena_printf(arena, "%s.html", wanted->files.items[0]) : "-";
    for (size_t i = 0; i < wanted->files.count; i++)
        if (strcmp(path, wanted->files.items[i]) == 0)
            return fail("the trace itself would be overwritten: -o names it");
    return write_out(recording, wanted, path);
}

int trace_command(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], "--help") == 0) {
            print_help();
            return 0;
        }
    Arena *arena = arena_new();
    Wanted wanted = {0};
    const char *wrong = read_words(arena, words, count, &wanted);
    Recording *recording = recording_new(arena);
    int status = wrong != NULL ? fail(wrong) : show(arena, recording, &wanted);
    recording_free(recording);
    arena_free(arena);
    return status;
}
