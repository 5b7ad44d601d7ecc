// fuzz.c: any bytes as a trace, and as two of them, in all views (scripts/fuzz). Two traces are cut where a byte is 0.

#include "tools/trace/page.h"
#include "tools/trace/views.h"

#include <stdlib.h>
#include <string.h>

const unsigned char page_before[] = "<", page_behind[] = ">";
const size_t page_before_size = 1, page_behind_size = 1;

static void check_order(const Recording *recording)
{
    for (size_t i = 0; i < recording->events.count; i++) {
        const Record *record = &recording->events.items[i];
        if (i > 0 && record->time_ns < recording->events.items[i - 1].time_ns)
            abort();
        if (record->link != 0 && recording->events.items[record->link - 1].link != i + 1)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    Arena *arena = arena_new();
    Recording *recording = recording_new(arena);
    const unsigned char *cut = size > 0 ? memchr(data, 0, size) : NULL;
    size_t first = cut != NULL ? (size_t)(cut - data) : size;
    const char *wrong = recording_read_memory(recording, "first", (const char *)data, first);
    if (wrong == NULL && cut != NULL)
        wrong = recording_read_memory(recording, "second", (const char *)cut + 1, size - first - 1);
    if (wrong == NULL) {
        FILE *out = fopen("/dev/null", "w");
        recording_finish(recording);
        check_order(recording);
        view_text(recording, out);
        view_stats(recording, out);
        view_perfetto(recording, out);
        view_page(recording, NULL, out);
        fclose(out);
    }
    recording_free(recording);
    arena_free(arena);
    return 0;
}
