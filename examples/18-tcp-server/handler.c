// handler.c: plays Handler, who knows what the lines mean.

#include "connection.h"
#include "connection.Handler.chor.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

// A bug. A sanitizer would end the program at a null pointer, as it should.
static void crash(void)
{
#ifdef HAS_SANITIZER
    chx_fail("a crash on demand");
#else
    volatile int *volatile nowhere = NULL; // volatile: the compiler must not see what it is
    *nowhere = 1;
#endif
}

static chx_str upper(const char *text, size_t size)
{
    char *copy = chx_alloc(size + 1);
    for (size_t i = 0; i < size; i++)
        copy[i] = (char)toupper((unsigned char)text[i]);
    return chx_str_new(copy, size);
}

struct answer Handler_answer(chx_str line, struct counts counts)
{
    const char *text = chx_cstr(line);
    size_t size = chx_str_len(line);
    if (size >= 5 && memcmp(text, "echo ", 5) == 0)
        return (struct answer){chx_str_new(text + 5, size - 5), GO_ON};
    if (size >= 6 && memcmp(text, "upper ", 6) == 0)
        return (struct answer){upper(text + 6, size - 6), GO_ON};
    // A line may hold any bytes, zero included: compared with its length, it is not taken for a shorter one.
    if (strlen(text) != size)
        return (struct answer){chx_strf("error: unknown command"), GO_ON};
    if (strcmp(text, "count") == 0)
        return (struct answer){chx_strf("%" PRIu64 " lines, %" PRIu64 " bytes", counts.lines, counts.bytes), GO_ON};
    if (strcmp(text, "crash") == 0)
        crash();
    if (strcmp(text, "quit") == 0)
        return (struct answer){chx_strf("bye"), HANG_UP};
    if (strcmp(text, "stop") == 0)
        return (struct answer){chx_strf("the server stops"), STOP_SERVER};
    return (struct answer){chx_strf("error: unknown command; there are echo, upper, count, crash, quit, stop"), GO_ON};
}
