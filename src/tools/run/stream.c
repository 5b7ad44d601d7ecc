// stream.c: lines of a process's output. Lines of several processes are never mixed.

#define _GNU_SOURCE
#include "tools/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 64 * 1024, LINE_MAX_SIZE = 1 << 20 };

static bool has_failed;

bool stream_has_failed(void)
{
    return has_failed;
}

void stream_open(Stream *stream, int descriptor, int to, const char *prefix)
{
    *stream = (Stream){.descriptor = descriptor, .to = to, .prefix = prefix};
}

static void write_all(int to, const char *data, size_t size)
{
    while (size > 0 && !has_failed) {
        ssize_t count = write(to, data, size);
        if (count < 0 && errno != EINTR && errno != EAGAIN)
            has_failed = true;
        else if (count > 0) {
            data += count;
            size -= (size_t)count;
        }
    }
}

// With a prefix each line is written by itself, else all at once.
static void pass_on(const Stream *stream, const char *data, size_t size)
{
    if (stream->prefix == NULL) {
        write_all(stream->to, data, size);
        return;
    }
    while (size > 0) {
        const char *end = memchr(data, '\n', size);
        size_t length = end != NULL ? (size_t)(end - data) + 1 : size;
        // Together in one call: somebody else may write to the same place.
        size_t prefix = strlen(stream->prefix);
        char *line = run_grow(NULL, prefix + length + 3, 1);
        memcpy(line, stream->prefix, prefix);
        memcpy(line + prefix, ": ", 2);
        memcpy(line + prefix + 2, data, length);
        line[prefix + 2 + length] = '\n';
        write_all(stream->to, line, prefix + 2 + length + (end == NULL));
        free(line);
        data += length;
        size -= length;
    }
}

void stream_end(Stream *stream)
{
    if (stream->descriptor < 0)
        return;
    close(stream->descriptor);
    stream->descriptor = -1;
    pass_on(stream, stream->line, stream->size);
    stream->size = 0;
}

bool stream_step(Stream *stream)
{
    while (stream->descriptor >= 0) {
        if (stream->capacity < stream->size + PIECE) {
            stream->capacity = stream->size + 2 * PIECE;
            stream->line = run_grow(stream->line, stream->capacity, 1);
        }
        ssize_t count = read(stream->descriptor, stream->line + stream->size, PIECE);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return true;
        if (count <= 0) {
            stream_end(stream);
            return false;
        }
        stream->size += (size_t)count;
        const char *end = memrchr(stream->line, '\n', stream->size);
        size_t whole = end != NULL ? (size_t)(end - stream->line) + 1 : stream->size > LINE_MAX_SIZE ? stream->size : 0;
        pass_on(stream, stream->line, whole);
        memmove(stream->line, stream->line + whole, stream->size - whole);
        stream->size -= whole;
    }
    return false;
}
