// describe.c: see describe.h.

#include "runtime/value/describe.h"

#include "runtime/value/codec.h"
#include "runtime/value/sequence.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

// Values nest as deeply as their types do; what is deeper is not shown, so that the stack of a role is enough.
enum { DEPTH_MAX = 6, CUT_BYTES = 4 };

typedef struct {
    char *text;
    size_t size;
    bool is_full;
} Description;

static void add(Description *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Description *to, const char *format, ...)
{
    size_t room = DESCRIPTION_BYTES - CUT_BYTES - to->size;
    va_list arguments;
    if (to->is_full)
        return;
    va_start(arguments, format);
    int size = vsnprintf(to->text + to->size, room, format, arguments);
    va_end(arguments);
    if (size >= 0 && (size_t)size < room) {
        to->size += (size_t)size;
    } else {
        to->is_full = true;
        memcpy(to->text + to->size, "...", CUT_BYTES);
    }
}

static void add_quoted(Description *to, const char *data, size_t size)
{
    add(to, "\"");
    for (size_t i = 0; i < size && !to->is_full; i++) {
        unsigned char byte = (unsigned char)data[i];
        if (byte == '"' || byte == '\\')
            add(to, "\\%c", byte);
        else if (byte == '\n')
            add(to, "\\n");
        else if (byte == '\t')
            add(to, "\\t");
        else if (byte < 0x20 || byte == 0x7f)
            add(to, "\\x%02x", (unsigned)byte);
        else
            add(to, "%c", byte);
    }
    add(to, "\"");
}

static void add_bytes(Description *to, const unsigned char *data, size_t size)
{
    add(to, "%zu bytes", size);
    for (size_t i = 0; i < size && !to->is_full; i++)
        add(to, i == 0 ? ": %02x" : " %02x", (unsigned)data[i]);
}

static void add_integer(Description *to, const void *value, size_t size, bool is_signed)
{
    if (size > sizeof(uint64_t)) {
        uint64_t halves[2];
        memcpy(halves, value, sizeof halves);
        add(to, "0x%" PRIx64 "%016" PRIx64, halves[IS_LITTLE_ENDIAN], halves[!IS_LITTLE_ENDIAN]);
        return;
    }
    uint64_t number = 0;
    memcpy((char *)&number + (IS_LITTLE_ENDIAN ? 0 : sizeof number - size), value, size);
    uint64_t sign = size > 0 ? (uint64_t)1 << (8 * size - 1) : 0;
    if (is_signed)
        add(to, "%" PRId64, (int64_t)((number ^ sign) - sign));
    else
        add(to, "%" PRIu64, number);
}

static void add_float(Description *to, const void *value, size_t size)
{
    if (size == sizeof(float)) {
        float number;
        memcpy(&number, value, sizeof number);
        add(to, "%.9g", (double)number);
    } else if (size == sizeof(double)) {
        double number;
        memcpy(&number, value, sizeof number);
        add(to, "%.17g", number);
    } else if (size == sizeof(long double)) {
        long double number;
        memcpy(&number, value, sizeof number);
        add(to, "%.21Lg", number);
    }
}

static void add_value(Description *to, const chx_type *type, const void *value, unsigned depth);

static void add_elements(Description *to, const chx_type *element, const char *first, size_t count, unsigned depth)
{
    add(to, "[");
    for (size_t i = 0; i < count && !to->is_full; i++) {
        if (i > 0)
            add(to, ", ");
        add_value(to, element, first + i * element->size, depth + 1);
    }
    add(to, "]");
}

static void add_struct(Description *to, const chx_type *type, const char *value, unsigned depth)
{
    add(to, "{");
    for (size_t i = 0; i < type->count && !to->is_full; i++) {
        const chx_field *field = &type->fields[i];
        if (i > 0)
            add(to, ", ");
        if (field->name != NULL && field->name[0] != '\0')
            add(to, "%s: ", field->name);
        add_value(to, field->type, value + field->offset, depth + 1);
    }
    add(to, "}");
}

static bool is_text_array(const chx_type *type)
{
    return type->element == &chx_type_char ||
           (type->element->size == 1 && type->element->name != NULL && strcmp(type->element->name, "char") == 0);
}

// What is not a number.
static void add_other(Description *to, const chx_type *type, const void *value, unsigned depth)
{
    const char *string;
    chx_str text;
    chx_bytes bytes;
    switch (type->kind) {
    case CHX_KIND_STRUCT:
        add_struct(to, type, value, depth);
        break;
    case CHX_KIND_ARRAY:
        if (is_text_array(type))
            add_quoted(to, value, strnlen(value, type->count));
        else
            add_elements(to, type->element, value, type->count, depth);
        break;
    case CHX_KIND_CSTRING:
        memcpy(&string, value, sizeof string);
        if (string == NULL)
            add(to, "NULL");
        else
            add_quoted(to, string, strnlen(string, DESCRIPTION_BYTES));
        break;
    case CHX_KIND_STR:
        memcpy(&text, value, sizeof text);
        add_quoted(to, chx_cstr(text), chx_str_len(text));
        break;
    case CHX_KIND_BYTES:
        memcpy(&bytes, value, sizeof bytes);
        add_bytes(to, chx_bytes_data(bytes), chx_bytes_len(bytes));
        break;
    case CHX_KIND_SEQUENCE:
        memcpy(&string, value, sizeof string);
        add_elements(to, type->element, string, sequence_count(string), depth);
        break;
    default: // the user's codec, bit-fields, what can't be sent
        add(to, "(%s)", type->name != NULL ? type->name : "value");
        break;
    }
}

static void add_value(Description *to, const chx_type *type, const void *value, unsigned depth)
{
    if (depth > DEPTH_MAX) {
        add(to, "...");
        return;
    }
    switch (type->kind) {
    case CHX_KIND_BOOL:
        add(to, *(const unsigned char *)value != 0 ? "true" : "false");
        break;
    case CHX_KIND_SIGNED:
    case CHX_KIND_UNSIGNED:
        add_integer(to, value, type->size, type->kind == CHX_KIND_SIGNED);
        break;
    case CHX_KIND_FLOAT:
        add_float(to, value, type->size);
        break;
    case CHX_KIND_COMPLEX:
        add_float(to, value, type->size / 2);
        add(to, " + i ");
        add_float(to, (const char *)value + type->size / 2, type->size / 2);
        break;
    default:
        add_other(to, type, value, depth);
        break;
    }
}

void value_describe(const chx_type *type, const void *value, size_t size, char text[DESCRIPTION_BYTES])
{
    Description description = {.text = text};
    text[0] = '\0';
    if (type != NULL)
        add_value(&description, type, value, 0);
    else
        add_integer(&description, value, size, false);
}
