// A runtime of the program's own, with its own allocator, made and freed; a session waited for by its descriptor.
#include "inject.h"

#include <errno.h>

choreography(own, (Alice, Bob),
    def run(Alice.const char *text) -> Bob.chx_str {
        Alice.text ~> Bob.got;
        Bob.got ~> Alice._;
        return Bob.(chx_strf("%s!", got));
    }
)

#include "own.Alice.chor.h"
#include "own.Bob.chor.h"

static void *allocate(void *context, void *old, size_t size)
{
    (void)context;
    if (size != 0)
        return realloc(old, size);
    free(old);
    return NULL;
}

static chx_status one(chx_runtime *runtime)
{
    struct own_cast cast;
    struct own_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_session *session = own_run_start(runtime, &cast, "text");
    if (session == NULL) {
        must(chx_last_report()->why[0] != '\0');
        return CHX_NO_MEMORY;
    }
    struct pollfd polled = {.fd = chx_session_fd(session), .events = POLLIN};
    int count = 1;
    while (polled.fd >= 0 && (count = poll(&polled, 1, 15000)) < 0)
        must(errno == EINTR);
    must(count == 1);
    chx_status status = own_run_wait(session, &r);
    if (status != CHX_OK)
        return status;
    must(strcmp(chx_cstr(r.Bob), "text!") == 0);
    own_run_result_drop(&r);
    return CHX_OK;
}

static chx_status session(void)
{
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = 2, .allocate = allocate});
    inject_has_nothing = runtime == NULL;
    if (runtime == NULL)
        return CHX_NO_MEMORY;
    chx_status first = one(runtime), second = first == CHX_OK ? one(runtime) : first;
    chx_runtime_free(runtime);
    return second;
}

int main(void)
{
    return inject_main(session);
}
