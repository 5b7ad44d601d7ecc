// json.c: diagnostics for programs: a small JSON of our own, and SARIF 2.1.0.

#include "base/text.h"
#include "chorex.h"
#include "compiler/diag/print.h"
#include "compiler/diag/utf8.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>

typedef struct {
    Arena *arena;
    const Sources *sources;
} Printer;

// Source text can have any bytes, JSON can't.
static json_t *clean_string(const Printer *printer, const char *string)
{
    Text text;
    text_init(&text, printer->arena);
    utf8_clean(&text, string, strlen(string));
    return json_stringn(text.chars, text.length);
}

static void set_string(const Printer *printer, json_t *object, const char *key, const char *string)
{
    json_object_set_new(object, key, clean_string(printer, string));
}

static void set_place(const Printer *printer, json_t *object, Span span)
{
    if (span.file == FILE_NONE)
        return;
    const Source *source = source_get(printer->sources, span.file);
    Position start = source_position(source, span.start), end = source_position(source, span.end);
    set_string(printer, object, "file", source->path);
    json_object_set_new(object, "line", json_integer(start.line));
    json_object_set_new(object, "column", json_integer(start.column));
    json_object_set_new(object, "end_line", json_integer(end.line));
    json_object_set_new(object, "end_column", json_integer(end.column));
}

static json_t *json_of(const Printer *printer, const Diagnostic *diagnostic)
{
    json_t *object = json_object();
    json_object_set_new(object, "severity", json_string(diagnostic->severity == SEVERITY_ERROR ? "error" : "warning"));
    set_string(printer, object, "message", diagnostic->message);
    set_place(printer, object, diagnostic->span);
    json_t *notes = json_array();
    for (size_t i = 0; i < diagnostic->notes.count; i++) {
        json_t *note = json_object();
        set_string(printer, note, "message", diagnostic->notes.items[i].message);
        set_place(printer, note, diagnostic->notes.items[i].span);
        json_array_append_new(notes, note);
    }
    json_object_set_new(object, "notes", notes);
    json_t *fixes = json_array();
    for (size_t i = 0; i < diagnostic->fixes.count; i++) {
        json_t *fix = json_object();
        set_string(printer, fix, "message", diagnostic->fixes.items[i].message);
        set_string(printer, fix, "replacement", diagnostic->fixes.items[i].replacement);
        set_place(printer, fix, diagnostic->fixes.items[i].span);
        json_array_append_new(fixes, fix);
    }
    json_object_set_new(object, "fixes", fixes);
    return object;
}

static void write_and_free(json_t *document, FILE *out)
{
    json_dumpf(document, out, JSON_INDENT(2));
    putc('\n', out);
    json_decref(document);
}

void print_json(Arena *arena, const Sources *sources, const Diagnostic *const *list, size_t count, FILE *out)
{
    Printer printer = {arena, sources};
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_of(&printer, list[i]));
    json_t *document = json_object();
    json_object_set_new(document, "diagnostics", array);
    write_and_free(document, out);
}

// ---- SARIF ----

static json_t *uri(const Printer *printer, const char *path)
{
    Text text;
    text_init(&text, printer->arena);
    if (path[0] == '/')
        text_puts(&text, "file://");
    for (const unsigned char *at = (const unsigned char *)path; *at != '\0'; at++) {
        if (isalnum(*at) || strchr("/._-~", *at) != NULL)
            text_printf(&text, "%c", *at);
        else
            text_printf(&text, "%%%02X", *at);
    }
    return json_string(text.chars);
}

// SARIF counts characters where we count bytes.
static json_int_t character_column(const Source *source, uint32_t offset)
{
    uint32_t start = offset - (source_position(source, offset).column - 1);
    json_int_t column = 1;
    for (uint32_t at = start; at < offset && at < source->size; column++) {
        uint32_t code;
        size_t length = utf8_decode(source->text + at, source->size - at, &code);
        at += length == 0 ? 1 : (uint32_t)length;
    }
    return column;
}

static json_t *sarif_region(const Source *source, Span span)
{
    json_t *region = json_object();
    json_object_set_new(region, "startLine", json_integer(source_position(source, span.start).line));
    json_object_set_new(region, "startColumn", json_integer(character_column(source, span.start)));
    json_object_set_new(region, "endLine", json_integer(source_position(source, span.end).line));
    json_object_set_new(region, "endColumn", json_integer(character_column(source, span.end)));
    return region;
}

static json_t *sarif_artifact(const Printer *printer, const Source *source)
{
    json_t *artifact = json_object();
    json_object_set_new(artifact, "uri", uri(printer, source->path));
    return artifact;
}

static json_t *sarif_message(const Printer *printer, const char *message)
{
    json_t *object = json_object();
    set_string(printer, object, "text", message);
    return object;
}

static json_t *sarif_location(const Printer *printer, Span span)
{
    const Source *source = source_get(printer->sources, span.file);
    json_t *physical = json_object();
    json_object_set_new(physical, "artifactLocation", sarif_artifact(printer, source));
    json_object_set_new(physical, "region", sarif_region(source, span));
    json_t *location = json_object();
    json_object_set_new(location, "physicalLocation", physical);
    return location;
}

static json_t *sarif_fix(const Printer *printer, const Fix *fix)
{
    const Source *source = source_get(printer->sources, fix->span.file);
    json_t *inserted = json_object();
    set_string(printer, inserted, "text", fix->replacement);
    json_t *replacement = json_object();
    json_object_set_new(replacement, "deletedRegion", sarif_region(source, fix->span));
    json_object_set_new(replacement, "insertedContent", inserted);
    json_t *replacements = json_array();
    json_array_append_new(replacements, replacement);
    json_t *change = json_object();
    json_object_set_new(change, "artifactLocation", sarif_artifact(printer, source));
    json_object_set_new(change, "replacements", replacements);
    json_t *changes = json_array();
    json_array_append_new(changes, change);
    json_t *object = json_object();
    json_object_set_new(object, "description", sarif_message(printer, fix->message));
    json_object_set_new(object, "artifactChanges", changes);
    return object;
}

static json_t *sarif_result(const Printer *printer, const Diagnostic *diagnostic)
{
    json_t *result = json_object();
    json_object_set_new(result, "level", json_string(diagnostic->severity == SEVERITY_ERROR ? "error" : "warning"));
    json_object_set_new(result, "message", sarif_message(printer, diagnostic->message));
    json_t *locations = json_array();
    if (diagnostic->span.file != FILE_NONE)
        json_array_append_new(locations, sarif_location(printer, diagnostic->span));
    json_object_set_new(result, "locations", locations);
    json_t *related = json_array();
    for (size_t i = 0; i < diagnostic->notes.count; i++) {
        const Note *note = &diagnostic->notes.items[i];
        json_t *location = note->span.file == FILE_NONE ? json_object() : sarif_location(printer, note->span);
        json_object_set_new(location, "message", sarif_message(printer, note->message));
        json_array_append_new(related, location);
    }
    json_object_set_new(result, "relatedLocations", related);
    json_t *fixes = json_array();
    for (size_t i = 0; i < diagnostic->fixes.count; i++)
        if (diagnostic->fixes.items[i].span.file != FILE_NONE)
            json_array_append_new(fixes, sarif_fix(printer, &diagnostic->fixes.items[i]));
    if (json_array_size(fixes) > 0)
        json_object_set_new(result, "fixes", fixes);
    else
        json_decref(fixes);
    return result;
}

void print_sarif(Arena *arena, const Sources *sources, const Diagnostic *const *list, size_t count, FILE *out)
{
    Printer printer = {arena, sources};
    json_t *results = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(results, sarif_result(&printer, list[i]));
    json_t *driver = json_pack("{s:s, s:s}", "name", "chorcc", "version", CHX_VERSION);
    json_t *run = json_pack("{s:{s:o}, s:s, s:o}", "tool", "driver", driver, "columnKind", "unicodeCodePoints",
                            "results", results);
    json_t *runs = json_array();
    json_array_append_new(runs, run);
    json_t *document = json_object();
    json_object_set_new(document, "$schema", json_string("https://json.schemastore.org/sarif-2.1.0.json"));
    json_object_set_new(document, "version", json_string("2.1.0"));
    json_object_set_new(document, "runs", runs);
    write_and_free(document, out);
}
