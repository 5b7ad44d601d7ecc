// deep.c: libclang's parser on a stack of our own.
//
// C can be nested so deeply, by macros above all, that libclang's parser overflows the stack of the thread that it makes
// for itself: the program would end without a word. Here it gets a larger stack, and another one for the handler of
// signals with which it gives up a parse, so that even then the parse fails with an error code.

#define _GNU_SOURCE

#include "compiler/ctypes/internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
    STACK_BYTES = 256 << 20, // only what is used takes memory
    SIGNAL_STACK_BYTES = 256 << 10,
};

typedef struct {
    const ParseCall *call;
    enum CXErrorCode code;
} DeepCall;

static enum CXErrorCode parse(const ParseCall *call)
{
    return clang_parseTranslationUnit2(call->index, call->path, call->args, call->arg_count, call->files,
                                       call->file_count, call->options, call->tu);
}

// libclang's handlers are there since clang_createIndex. On the stack that has overflown they can't run.
static void move_handlers(void)
{
    static const int SIGNALS[] = {SIGSEGV, SIGBUS};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(SIGNALS[i], NULL, &action) != 0 || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
            continue;
        action.sa_flags |= SA_ONSTACK;
        sigaction(SIGNALS[i], &action, NULL);
    }
}

static void *run(void *context)
{
    DeepCall *deep = context;
    void *memory = malloc(SIGNAL_STACK_BYTES);
    stack_t stack = {.ss_sp = memory, .ss_size = SIGNAL_STACK_BYTES}, before;
    bool has_stack = memory != NULL && sigaltstack(&stack, &before) == 0;
    if (has_stack)
        move_handlers();
    deep->code = parse(deep->call);
    if (has_stack)
        sigaltstack(&before, NULL);
    free(memory);
    return NULL;
}

enum CXErrorCode parse_deep(const ParseCall *call)
{
    DeepCall deep = {call, CXError_Failure};
    pthread_attr_t attributes;
    pthread_t thread;
    // Read by libclang each time: it makes no thread of its own then.
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    bool is_running = false;
    if (pthread_attr_init(&attributes) == 0) {
        is_running = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                     pthread_create(&thread, &attributes, run, &deep) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (is_running)
        pthread_join(thread, NULL);
    unsetenv("LIBCLANG_NOTHREADS");
    return is_running ? deep.code : parse(call);
}
