// text.c: see text.h.

#include "runtime/value/text.h"

#include "runtime/actor/actor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chx_text *text_new(const void *data, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    struct chx_text *text = malloc(sizeof *text + size + 1);
    if (text == NULL)
        return NULL;
    atomic_init(&text->references, 1);
    text->size = size;
    if (data != NULL && size != 0)
        memcpy(text->data, data, size);
    text->data[size] = '\0';
    return text;
}

const struct chx_text *text_keep(const struct chx_text *text)
{
    if (text != NULL)
        atomic_fetch_add_explicit(&((struct chx_text *)text)->references, 1, memory_order_relaxed);
    return text;
}

void text_drop(const struct chx_text *text)
{
    if (text == NULL)
        return;
    // The only owner need not tell anybody.
    _Atomic uint32_t *references = &((struct chx_text *)text)->references;
    if (atomic_load_explicit(references, memory_order_acquire) == 1 ||
        atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1)
        free((void *)text);
}

void text_no_memory(void)
{
    if (current()->guard != NULL)
        guard_no_memory();
}

const char *text_cstring_copy(const char *string)
{
    if (string == NULL)
        return NULL;
    struct chx_text *text = text_new(string, strlen(string));
    return text != NULL ? text->data : NULL;
}

static const struct chx_text *text_of(const char *string)
{
    return (const struct chx_text *)(const void *)(string - offsetof(struct chx_text, data));
}

void text_cstring_drop(const char *string)
{
    if (string != NULL)
        text_drop(text_of(string));
}

const char *chx_keep_cstring(const char *string)
{
    if (string != NULL)
        text_keep(text_of(string));
    return string;
}

// What is made in a role's step belongs to the step.
static const struct chx_text *text_give(struct chx_text *text)
{
    Current *here = current();
    if (text == NULL)
        text_no_memory();
    else if (here->actor != NULL && here->unpooled == 0)
        actor_pool(here->actor, text);
    return text;
}

chx_str chx_str_new(const void *data, size_t size)
{
    if (size == 0)
        return (chx_str){NULL};
    struct chx_text *text = text_new(data, size);
    if (data == NULL && text != NULL)
        memset(text->data, 0, size);
    return (chx_str){text_give(text)};
}

chx_str chx_strf(const char *format, ...)
{
    // Often there is nothing to format.
    if (strchr(format, '%') == NULL)
        return (chx_str){text_give(text_new(format, strlen(format)))};
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    char small[256];
    int size = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    struct chx_text *text = NULL;
    if (size >= 0 && (size_t)size < sizeof small) {
        text = text_new(small, (size_t)size);
    } else if (size >= 0) {
        text = text_new(NULL, (size_t)size);
        if (text != NULL)
            vsnprintf(text->data, (size_t)size + 1, format, again);
    }
    va_end(again);
    return (chx_str){text_give(text)};
}

const char *chx_cstr(chx_str string)
{
    return string.text != NULL ? string.text->data : "";
}

size_t chx_str_len(chx_str string)
{
    return string.text != NULL ? string.text->size : 0;
}

chx_str chx_str_keep(chx_str string)
{
    return (chx_str){text_keep(string.text)};
}

void chx_str_drop(chx_str string)
{
    text_drop(string.text);
}

chx_bytes chx_bytes_new(const void *data, size_t size)
{
    return (chx_bytes){chx_str_new(data, size).text};
}

const void *chx_bytes_data(chx_bytes bytes)
{
    return bytes.text != NULL ? bytes.text->data : "";
}

size_t chx_bytes_len(chx_bytes bytes)
{
    return bytes.text != NULL ? bytes.text->size : 0;
}

chx_bytes chx_bytes_keep(chx_bytes bytes)
{
    return (chx_bytes){text_keep(bytes.text)};
}

void chx_bytes_drop(chx_bytes bytes)
{
    text_drop(bytes.text);
}

static bool text_equal(const struct chx_text *a, const struct chx_text *b)
{
    size_t a_size = a != NULL ? a->size : 0, b_size = b != NULL ? b->size : 0;
    return a_size == b_size && (a_size == 0 || memcmp(a->data, b->data, a_size) == 0);
}

bool chx_str_equal(chx_str value, chx_str other)
{
    return text_equal(value.text, other.text);
}

bool chx_bytes_equal(chx_bytes value, chx_bytes other)
{
    return text_equal(value.text, other.text);
}

bool chx_cstring_equal(const char *value, const char *other)
{
    return value == other || (value != NULL && other != NULL && strcmp(value, other) == 0);
}
