// arena.h: memory that is freed whole.
//
// Everything the compiler makes lives in one arena. Memory comes zeroed and is never NULL:
// a compiler without memory ends with a message.

#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *arena);

void *arena_alloc(Arena *arena, size_t size);
char *arena_copy(Arena *arena, const char *text, size_t length); // NUL-terminated
char *arena_strdup(Arena *arena, const char *text);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *arena, const char *format, va_list arguments);

#define ARENA_NEW(arena, Type) ((Type *)arena_alloc((arena), sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count) ((Type *)arena_alloc((arena), sizeof(Type) * (count)))

#endif
