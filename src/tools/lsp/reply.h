// reply.h: JSON as LSP wants it.

#ifndef LSP_REPLY_H
#define LSP_REPLY_H

#include "tools/lsp/view.h"

#include <jansson.h>

// A string, whatever its bytes are.
json_t *reply_text(const char *text);
json_t *reply_place(Place place);
json_t *reply_range(const Lines *lines, uint32_t start, uint32_t end);
json_t *reply_location(const View *view, uint32_t start, uint32_t end);
// A TextEdit.
json_t *reply_edit(const Lines *lines, uint32_t start, uint32_t end, const char *text);
// {"kind": "markdown", "value": ...}
json_t *reply_markdown(const char *text);
// Sets a member of an object to a new value.
void reply_set(json_t *object, const char *key, json_t *value);
void reply_add(json_t *array, json_t *value);

// False: it is no position.
bool reply_read_place(const json_t *json, Place *place);
// A member on a path "a.b.c"; NULL: there is none.
json_t *reply_member(const json_t *json, const char *path);
const char *reply_string(const json_t *json, const char *path); // NULL: there is none

#endif
