// server.c: plays Server, who understands requests (parse.c) and answers them.

#include "http.h"
#include "http.Server.chor.h"
#include "parse.h"

#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

static const char the_page[] = "<!DOCTYPE html>\n"
                               "<title>Chorex</title>\n"
                               "<p>Client and Server have agreed on this page.\n";

static struct answer answer_with(struct request request, const char *type, chx_bytes body)
{
    return (struct answer){.status = 200,
                           .type = chx_str_new(type, strlen(type)),
                           .body = body,
                           .is_head = request.method == HEAD,
                           .keeps_alive = request.keeps_alive};
}

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

static struct answer page(struct request request, chx_bytes body)
{
    (void)body;
    return answer_with(request, "text/html; charset=utf-8", chx_bytes_new(the_page, sizeof the_page - 1));
}

static struct answer echo(struct request request, chx_bytes body)
{
    return answer_with(request, "application/octet-stream", body);
}

static struct answer broken(struct request request, chx_bytes body)
{
    crash();
    return page(request, body);
}

static const struct {
    const char *path;
    bool takes_body; // POST; otherwise GET and HEAD
    struct answer (*answer)(struct request request, chx_bytes body);
} resources[] = {
    {"/", false, page},
    {"/crash", false, broken},
    {"/echo", true, echo},
};
enum { RESOURCE_COUNT = sizeof resources / sizeof *resources };

static size_t find(chx_str path)
{
    size_t i = 0;
    while (i < RESOURCE_COUNT && strcmp(resources[i].path, chx_cstr(path)) != 0)
        i++;
    return i;
}

struct request Server_understand(struct part head)
{
    struct request request = parse(head);
    if (request.status != 0)
        return request;
    size_t i = find(request.path);
    if (i == RESOURCE_COUNT)
        return refuse(request, 404, "there is nothing at this path");
    if (resources[i].takes_body ? request.method != POST : request.method != GET && request.method != HEAD)
        return refuse(request, 405, "this is not possible with what is at this path");
    if (request.body_size > BODY_LIMIT)
        return refuse(request, 413, "the body is too large");
    return request;
}

struct request Server_check_body(struct request request, enum end end)
{
    if (end == IS_COMPLETE)
        return request;
    return refuse(request, end == IS_TOO_SLOW ? 408 : 400, "the body is not complete");
}

struct answer Server_answer(struct request request, chx_bytes body)
{
    return resources[find(request.path)].answer(request, body);
}

struct answer Server_refusal(struct request request)
{
    const char *why = request.status == 500 ? "something is broken here" : chx_cstr(request.why);
    chx_str text = chx_strf("%d: %s\n", request.status, why);
    struct answer answer =
        answer_with(request, "text/plain; charset=utf-8", chx_bytes_new(chx_cstr(text), chx_str_len(text)));
    answer.status = request.status;
    if (request.status == 405)
        answer.fields = chx_strf("Allow: %s\r\n", resources[find(request.path)].takes_body ? "POST" : "GET, HEAD");
    return answer;
}
