// json.h: reads JSON objects from memory, without making anything of them: whoever asks is told each member in order.
//
// Nothing is assumed about the text: it may be cut off anywhere, nest deeply, or be no JSON at all.

#ifndef TOOLS_TRACE_JSON_H
#define TOOLS_TRACE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A piece of the text. Strings: what is between the quotes, still with its escapes. Objects and arrays: with their brackets.
typedef struct {
    const char *data;
    size_t size;
    bool is_string;
} JsonPiece;

typedef struct {
    const char *at, *end;
    bool is_broken;
} JsonReader;

// Begins to read the members of an object. False: there is none.
bool json_begin(JsonReader *reader, const char *data, size_t size);
// The next member. False: that was all, or what follows is no member (`is_broken`).
bool json_next(JsonReader *reader, JsonPiece *name, JsonPiece *value);

bool json_is(JsonPiece piece, const char *text);
uint64_t json_number(JsonPiece piece);      // 0 if it is none; the largest one if it is larger
uint64_t json_hexadecimal(JsonPiece piece); // with or without 0x; of more than 16 digits the first 16
// Thousandths of what the number says, without rounding: "12.345" is 12345. Negative ones are 0.
uint64_t json_thousandths(JsonPiece piece);
// Without its escapes, into `text`, which has room for piece.size bytes. Returns the size.
size_t json_unescape(JsonPiece piece, char *text);

#endif
