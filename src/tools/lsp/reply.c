// reply.c: see reply.h.

#include "tools/lsp/reply.h"

#include "base/utf8.h"

#include <string.h>

json_t *reply_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    // Files on disk have any bytes; JSON has not.
    Arena *arena = arena_new();
    char *copy = arena_strdup(arena, text);
    for (char *at = copy; *at != '\0';) {
        size_t length = utf8_length((const unsigned char *)at);
        if (length == 0)
            *at = '?';
        at += length == 0 ? 1 : length;
    }
    string = json_string(copy);
    arena_free(arena);
    return string;
}

json_t *reply_place(Place place)
{
    return json_pack("{s:I, s:I}", "line", (json_int_t)place.line, "character", (json_int_t)place.character);
}

json_t *reply_range(const Lines *lines, uint32_t start, uint32_t end)
{
    return json_pack("{s:o, s:o}", "start", reply_place(lines_place(lines, start)), "end",
                     reply_place(lines_place(lines, end)));
}

json_t *reply_location(const View *view, uint32_t start, uint32_t end)
{
    return json_pack("{s:o, s:o}", "uri", reply_text(view->uri), "range", reply_range(&view->lines, start, end));
}

json_t *reply_edit(const Lines *lines, uint32_t start, uint32_t end, const char *text)
{
    return json_pack("{s:o, s:o}", "range", reply_range(lines, start, end), "newText", reply_text(text));
}

json_t *reply_markdown(const char *text)
{
    return json_pack("{s:s, s:o}", "kind", "markdown", "value", reply_text(text));
}

void reply_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

void reply_add(json_t *array, json_t *value)
{
    json_array_append_new(array, value);
}

static bool read_number(const json_t *json, uint32_t *number)
{
    if (!json_is_integer(json) || json_integer_value(json) < 0)
        return false;
    json_int_t value = json_integer_value(json);
    *number = value > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)value;
    return true;
}

bool reply_read_place(const json_t *json, Place *place)
{
    return read_number(json_object_get(json, "line"), &place->line) &&
           read_number(json_object_get(json, "character"), &place->character);
}

json_t *reply_member(const json_t *json, const char *path)
{
    while (json != NULL) {
        const char *dot = strchr(path, '.');
        if (dot == NULL)
            return json_object_get(json, path);
        char key[64];
        size_t length = (size_t)(dot - path);
        if (length >= sizeof key)
            return NULL;
        memcpy(key, path, length);
        key[length] = '\0';
        json = json_object_get(json, key);
        path = dot + 1;
    }
    return NULL;
}

const char *reply_string(const json_t *json, const char *path)
{
    return json_string_value(reply_member(json, path));
}
