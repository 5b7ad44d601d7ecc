// json.c: see json.h.

#include "tools/trace/json.h"

#include <string.h>

enum { DIGITS_MAX = 16 };

static void skip_space(JsonReader *reader)
{
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r' || *reader->at == '\n'))
        reader->at++;
}

static bool broken(JsonReader *reader)
{
    reader->is_broken = true;
    return false;
}

// The reader stands at a quote.
static bool read_string(JsonReader *reader, JsonPiece *piece)
{
    const char *begin = ++reader->at;
    for (; reader->at < reader->end; reader->at++) {
        if (*reader->at == '"') {
            *piece = (JsonPiece){begin, (size_t)(reader->at++ - begin), true};
            return true;
        }
        if ((unsigned char)*reader->at < 0x20)
            return broken(reader);
        if (*reader->at == '\\')
            reader->at++;
    }
    return broken(reader);
}

// An object or an array, whose brackets are counted: what is in it is read by whoever wants to know.
static bool read_nested(JsonReader *reader, JsonPiece *piece)
{
    const char *begin = reader->at;
    size_t depth = 0;
    JsonPiece inner;
    while (reader->at < reader->end) {
        char c = *reader->at;
        if (c == '"') {
            if (!read_string(reader, &inner))
                return false;
            continue;
        }
        reader->at++;
        depth += c == '{' || c == '[';
        if (c == '}' || c == ']') {
            if (--depth == 0) {
                *piece = (JsonPiece){begin, (size_t)(reader->at - begin), false};
                return true;
            }
        }
    }
    return broken(reader);
}

static bool read_value(JsonReader *reader, JsonPiece *piece)
{
    skip_space(reader);
    if (reader->at >= reader->end)
        return broken(reader);
    if (*reader->at == '"')
        return read_string(reader, piece);
    if (*reader->at == '{' || *reader->at == '[')
        return read_nested(reader, piece);
    const char *begin = reader->at;
    while (reader->at < reader->end && strchr(",}] \t\r\n", *reader->at) == NULL)
        reader->at++;
    *piece = (JsonPiece){begin, (size_t)(reader->at - begin), false};
    // A word that ends with the text may have been longer.
    return piece->size > 0 && reader->at < reader->end ? true : broken(reader);
}

bool json_begin(JsonReader *reader, const char *data, size_t size)
{
    *reader = (JsonReader){.at = data, .end = data + size};
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != '{')
        return broken(reader);
    reader->at++;
    return true;
}

bool json_next(JsonReader *reader, JsonPiece *name, JsonPiece *value)
{
    if (reader->is_broken)
        return false;
    skip_space(reader);
    if (reader->at < reader->end && *reader->at == ',')
        reader->at++;
    skip_space(reader);
    if (reader->at < reader->end && *reader->at == '}')
        return false;
    if (reader->at >= reader->end || *reader->at != '"' || !read_string(reader, name))
        return broken(reader);
    skip_space(reader);
    if (reader->at >= reader->end || *reader->at != ':')
        return broken(reader);
    reader->at++;
    return read_value(reader, value);
}

bool json_is(JsonPiece piece, const char *text)
{
    return strlen(text) == piece.size && memcmp(piece.data, text, piece.size) == 0;
}

uint64_t json_number(JsonPiece piece)
{
    uint64_t number = 0;
    for (size_t i = 0; i < piece.size && piece.data[i] >= '0' && piece.data[i] <= '9'; i++) {
        unsigned digit = (unsigned)(piece.data[i] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return UINT64_MAX;
        number = number * 10 + digit;
    }
    return number;
}

static int hexadecimal_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

uint64_t json_hexadecimal(JsonPiece piece)
{
    uint64_t number = 0;
    size_t begin = piece.size > 2 && piece.data[0] == '0' && piece.data[1] == 'x' ? 2 : 0;
    for (size_t i = begin; i < piece.size && i < begin + DIGITS_MAX && hexadecimal_digit(piece.data[i]) >= 0; i++)
        number = number << 4 | (unsigned)hexadecimal_digit(piece.data[i]);
    return number;
}

uint64_t json_thousandths(JsonPiece piece)
{
    uint64_t whole = json_number(piece), part = 0;
    const char *point = memchr(piece.data, '.', piece.size);
    for (size_t i = 1; i <= 3; i++) {
        bool is_digit = point != NULL && point + i < piece.data + piece.size && point[i] >= '0' && point[i] <= '9';
        part = part * 10 + (is_digit ? (unsigned)(point[i] - '0') : 0);
        if (!is_digit)
            point = NULL;
    }
    return whole > (UINT64_MAX - part) / 1000 ? UINT64_MAX : whole * 1000 + part;
}

static size_t put_utf8(char *text, unsigned code)
{
    if (code < 0x80) {
        text[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        text[0] = (char)(0xc0 | code >> 6);
        text[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    text[0] = (char)(0xe0 | code >> 12);
    text[1] = (char)(0x80 | (code >> 6 & 0x3f));
    text[2] = (char)(0x80 | (code & 0x3f));
    return 3;
}

size_t json_unescape(JsonPiece piece, char *text)
{
    static const char escapes[] = "b\bf\fn\nr\rt\t";
    size_t size = 0;
    for (size_t i = 0; i < piece.size; i++) {
        if (piece.data[i] != '\\' || i + 1 == piece.size) {
            text[size++] = piece.data[i];
            continue;
        }
        char kind = piece.data[++i];
        const char *known = strchr(escapes, kind);
        if (kind == 'u' && i + 4 < piece.size) {
            size += put_utf8(text + size, (unsigned)json_hexadecimal((JsonPiece){piece.data + i + 1, 4, false}));
            i += 4;
        } else if (kind != '\0' && known != NULL && (known - escapes) % 2 == 0) {
            text[size++] = known[1];
        } else {
            text[size++] = kind;
        }
    }
    return size;
}
