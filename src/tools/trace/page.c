// page.c: a recording as one self-contained HTML page. The page itself is in page/; here its data is written.
//
// Two elements hold the data. `tables` is JSON: texts, places, lanes, sessions and source files. `events` is base64 of
// numbers of seven bits a byte, the lowest first, in the order of time; page/data.js reads what put_record writes.

#include "tools/trace/page.h"

#include "tools/trace/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_BYTES_MAX = 1 << 20, BYTES_PER_LINE = 57 };

// ---- base64 ----

typedef struct {
    FILE *out;
    unsigned char bytes[BYTES_PER_LINE];
    size_t count;
} Encoder;

static void encoder_flush(Encoder *encoder)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[BYTES_PER_LINE / 3 * 4 + 4];
    size_t size = 0;
    for (size_t i = 0; i < encoder->count; i += 3) {
        size_t left = encoder->count - i;
        unsigned group = (unsigned)encoder->bytes[i] << 16;
        group |= left > 1 ? (unsigned)encoder->bytes[i + 1] << 8 : 0;
        group |= left > 2 ? encoder->bytes[i + 2] : 0;
        text[size++] = digits[group >> 18];
        text[size++] = digits[group >> 12 & 63];
        text[size++] = left > 1 ? digits[group >> 6 & 63] : '=';
        text[size++] = left > 2 ? digits[group & 63] : '=';
    }
    fwrite(text, 1, size, encoder->out);
    encoder->count = 0;
}

static void put_byte(Encoder *encoder, unsigned byte)
{
    encoder->bytes[encoder->count++] = (unsigned char)byte;
    if (encoder->count == BYTES_PER_LINE)
        encoder_flush(encoder);
}

static void put_number(Encoder *encoder, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        put_byte(encoder, (unsigned)(number & 127) | 128);
    put_byte(encoder, (unsigned)number);
}

// ---- JSON ----

// Also safe inside of a <script> element. What is not UTF-8 becomes a question mark: a page is.
static void put_text(const char *text, size_t size, FILE *out)
{
    fputc('"', out);
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        size_t more = byte >= 0xc2 && byte < 0xe0   ? 1
                      : byte >= 0xe0 && byte < 0xf0 ? 2
                      : byte >= 0xf0 && byte < 0xf5 ? 3
                                                    : 0;
        bool is_good = more > 0 && i + more < size;
        for (size_t k = 1; is_good && k <= more; k++)
            is_good = ((unsigned char)text[i + k] & 0xc0) == 0x80;
        if (byte >= 0x80 && is_good) {
            fwrite(text + i, 1, more + 1, out);
            i += more;
        } else if (byte >= 0x80) {
            fputc('?', out);
        } else if (byte < 0x20 || byte == '<' || byte == '>' || byte == '&' || byte == 0x7f) {
            fprintf(out, "\\u%04x", (unsigned)byte);
        } else {
            if (byte == '"' || byte == '\\')
                fputc('\\', out);
            fputc(byte, out);
        }
    }
    fputc('"', out);
}

static void put_string(const char *text, FILE *out)
{
    put_text(text, strlen(text), out);
}

static bool has_source_name(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && path[length - 2] == '.' && (path[length - 1] == 'c' || path[length - 1] == 'h');
}

// NULL: it is not there. A trace could name any file: only those whose names are those of C files are looked at.
static char *read_source(const Recording *recording, const char *path, size_t *size)
{
    struct stat about;
    FILE *file = has_source_name(path) ? fopen(path, "re") : NULL;
    if (file == NULL)
        return NULL;
    char *text = NULL;
    if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= SOURCE_BYTES_MAX) {
        text = arena_alloc(recording->arena, (size_t)about.st_size + 1);
        *size = fread(text, 1, (size_t)about.st_size, file);
    }
    fclose(file);
    return text;
}

static char *find_source(const Recording *recording, const char *name, const char *sources, size_t *size)
{
    char *text = read_source(recording, name, size);
    const char *base = strrchr(name, '/');
    if (text == NULL && sources != NULL)
        text = read_source(recording, arena_printf(recording->arena, "%s/%s", sources, name), size);
    if (text == NULL && sources != NULL && base != NULL)
        text = read_source(recording, arena_printf(recording->arena, "%s%s", sources, base), size);
    return text;
}

static void put_sources(const Recording *recording, const char *sources, FILE *out)
{
    bool *is_done = ARENA_ARRAY(recording->arena, bool, recording->texts.count);
    bool is_first = true;
    fputs(",\n\"sources\":{", out);
    for (size_t i = 1; i < recording->places.count; i++) {
        uint32_t file = recording->places.items[i].file;
        size_t size = 0;
        if (is_done[file])
            continue;
        is_done[file] = true;
        const char *name = recording_text(recording, file);
        char *text = find_source(recording, name, sources, &size);
        if (text == NULL)
            continue;
        fputs(is_first ? "\n" : ",\n", out);
        put_string(name, out);
        fputc(':', out);
        put_text(text, size, out);
        is_first = false;
    }
    fputs("}", out);
}

static const char *page_title(const Recording *recording)
{
    const char *slash = strrchr(recording->files.items[0].path, '/');
    const char *name = slash != NULL ? slash + 1 : recording->files.items[0].path;
    return recording->files.count == 1
               ? name
               : arena_printf(recording->arena, "%s and %zu more", name, recording->files.count - 1);
}

// All lanes that some session has, in the order of the page.
static uint32_t lanes_shown(const Recording *recording)
{
    uint32_t count = 0;
    for (size_t i = 0; i < recording->runs.count; i++)
        count += recording->runs.items[i].lane_count;
    return count;
}

static void put_tables(const Recording *recording, const char *sources, FILE *out)
{
    uint32_t lane_count = lanes_shown(recording);
    fprintf(out, "{\"count\":%zu,\n\"title\":", recording->events.count);
    put_string(page_title(recording), out);
    fputs(",\n\"texts\":[", out);
    for (size_t i = 0; i < recording->texts.count; i++) {
        fputs(i > 0 ? ",\n" : "", out);
        put_string(recording->texts.items[i], out);
    }
    fputs("],\n\"places\":[", out);
    for (size_t i = 0; i < recording->places.count; i++)
        fprintf(out, "%s[%u,%u]", i > 0 ? "," : "", (unsigned)recording->places.items[i].file,
                (unsigned)recording->places.items[i].line);
    fputs("],\n\"lanes\":[", out);
    for (uint32_t i = 0; i < lane_count; i++) {
        const Lane *lane = &recording->lanes.items[recording->session_lanes[i]];
        fprintf(out, "%s[%u,%u,%u]", i > 0 ? "," : "", (unsigned)lane->session, (unsigned)lane->role,
                (unsigned)lane->arm_number);
    }
    fputs("],\n\"runs\":[", out);
    for (uint32_t i = 0; i < recording->runs.count; i++) {
        const Run *run = &recording->runs.items[i];
        fprintf(out, "%s[%u,%u,%u,%u,%u,%u,%u,%d]", i > 0 ? "," : "", (unsigned)i + 1, (unsigned)run->choreography,
                (unsigned)run->definition, (unsigned)run->source, (unsigned)run->name, (unsigned)run->status,
                (unsigned)run->why, run->is_resumed);
    }
    fputs("]", out);
    put_sources(recording, sources, out);
    fputs("}", out);
}

// ---- events ----

static void put_record(const Recording *recording, uint32_t number, uint32_t lane, uint64_t passed_ns, Encoder *encoder)
{
    const Record *record = &recording->events.items[number];
    put_byte(encoder, record->kind | (record->is_rescue ? 16u : 0));
    put_number(encoder, lane);
    put_number(encoder, passed_ns);
    put_number(encoder, record->text);
    if (record->kind >= RECORD_STEP)
        put_number(encoder, record->place);
    if (record->kind == RECORD_STEP) {
        put_number(encoder, record->duration_ns);
    } else if (record_is_message(record)) {
        put_number(encoder, record->peer);
        put_number(encoder, record->sequence);
        put_number(encoder, record->epoch);
        put_number(encoder, record->value);
        bool is_linked = record_is_in(record) && record->link != 0 && record->link - 1 < number;
        put_number(encoder, is_linked ? number - (record->link - 1) : 0);
    } else if (record_is_block(record)) {
        put_number(encoder, record->attempt);
        put_number(encoder, record->round);
        put_number(encoder, record->depth);
        put_number(encoder, record->epoch);
    }
}

static void put_events(const Recording *recording, FILE *out)
{
    Encoder encoder = {.out = out};
    uint32_t *places = ARENA_ARRAY(recording->arena, uint32_t, recording->lanes.count + 1),
             count = lanes_shown(recording);
    uint64_t time_ns = 0;
    for (uint32_t i = 0; i < count; i++)
        places[recording->session_lanes[i]] = i;
    for (uint32_t i = 0; i < recording->events.count; i++) {
        const Record *record = &recording->events.items[i];
        put_record(recording, i, places[record->lane], record->time_ns - time_ns, &encoder);
        time_ns = record->time_ns;
        if (i % 65536 == 0)
            progress(recording, "writing", i, recording->events.count);
    }
    encoder_flush(&encoder);
    progress(recording, "writing", 1, 1);
}

void view_page(const Recording *recording, const char *sources, FILE *out)
{
    fwrite(page_before, 1, page_before_size, out);
    fputs("<script type=\"application/json\" id=\"tables\">", out);
    put_tables(recording, sources, out);
    fputs("</script>\n<script type=\"text/plain\" id=\"events\">", out);
    put_events(recording, out);
    fputs("</script>\n", out);
    fwrite(page_behind, 1, page_behind_size, out);
}
