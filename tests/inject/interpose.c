// interpose.c: a shared object for LD_PRELOAD that lets the n-th call of a class fail, in one kind of process.
//
// INJECT=KIND:CLASS:N or KIND:CLASS:N+ says which call fails: the N-th one, or the N-th and all that follow. Without it calls
// are only counted. INJECT_STATE names a file of STATE_BYTES that all processes of a run share: counts survive fork and exec
// there, and the runner reads them when the program is gone. Calls are counted between inject_on and inject_off, or from the
// beginning with INJECT_ALWAYS=1. With INJECT_OWN=1 only calls that stand in the program's own code count, not those of
// shared libraries.
//
// Kinds: the first process that finds the state is the program; one that is started anew is the helper, which forks the roles'
// processes; a child that the helper has forked is a role. Other processes are left alone.
//
// At the program's orderly end, after its destructors, the memory that its own code (libchorex is part of that) has
// allocated and not freed is counted, and so are the threads and descriptors that are left.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef enum { KIND_PROGRAM, KIND_HELPER, KIND_ROLE, KIND_COUNT, KIND_OTHER = KIND_COUNT } Kind;
typedef enum {
    CLASS_MEMORY,    // malloc and its relatives
    CLASS_FILES,     // whatever makes a descriptor
    CLASS_PROCESSES, // fork, clone, posix_spawn
    CLASS_THREADS,   // pthread_create
    CLASS_SPACE,     // mmap, ftruncate, writes to files
    CLASS_CONTROL,   // epoll_ctl, sendmsg, seals, keys, handlers of fork
    CLASS_WAITING,   // epoll_wait, poll
    CLASS_COUNT,
} Class;
static const char *const kind_names[] = {"program", "helper", "role"};
static const char *const class_names[] = {"memory", "files", "processes", "threads", "space", "control", "waiting"};

// The runner knows this layout, as a sequence of 64-bit numbers.
enum { FRAMES = 10, LEAKS = 8, STATE_BYTES = 4096 };
typedef struct {
    _Atomic uint64_t program, helper; // process numbers
    _Atomic uint64_t enabled;
    _Atomic uint64_t fired; // so many calls have failed
    _Atomic uint64_t ended; // the program came to its orderly end; what follows is valid
    _Atomic uint64_t live;  // pieces of memory
    _Atomic uint64_t files, threads;
    _Atomic uint64_t counts[KIND_COUNT][CLASS_COUNT];
    _Atomic uint64_t fired_at[FRAMES];     // who called, innermost first, as offsets in the program's file
    _Atomic uint64_t leaks[LEAKS][FRAMES]; // who had allocated what is left
} State;
_Static_assert(sizeof(State) <= STATE_BYTES, "the runner's size");

static State unshared; // if there is no state
static State *state = &unshared;
static Kind kind = KIND_OTHER;
static int wanted_kind = -1, wanted_class = -1;
static uint64_t wanted_n;
static bool wanted_on, only_own;
static bool is_below; // forked from the program that was started
static uintptr_t own_base, own_begin, own_end;
static uint64_t files_before;

// ---- what fails ----

static bool is_own(const void *address)
{
    return (uintptr_t)address >= own_begin && (uintptr_t)address < own_end;
}

// Innermost first; only those in the program itself. `frames` are offsets in its file.
static void stack_note(_Atomic uint64_t *frames)
{
    void *addresses[FRAMES * 2];
    int count = backtrace(addresses, FRAMES * 2), kept = 0;
    for (int i = 0; i < count && kept < FRAMES; i++)
        if (is_own(addresses[i]))
            frames[kept++] = (uintptr_t)addresses[i] - own_base - 1;
    if (kept < FRAMES)
        frames[kept] = 0;
}

// One more call of this class. Is it to fail?
static bool fails(Class class, const void *caller)
{
    if (kind == KIND_OTHER || atomic_load(&state->enabled) == 0 || (only_own && !is_own(caller)))
        return false;
    uint64_t count = atomic_fetch_add(&state->counts[kind][class], 1) + 1;
    if (wanted_kind != (int)kind || wanted_class != (int)class || (wanted_on ? count < wanted_n : count != wanted_n))
        return false;
    if (atomic_fetch_add(&state->fired, 1) == 0)
        stack_note(state->fired_at);
    return true;
}

// One of two errors that the class can have.
static int error_of(int odd, int even)
{
    return wanted_n % 2 != 0 ? odd : even;
}

#define CALLER __builtin_return_address(0)
#define FAIL_IF(class, odd, even, result)                                                                              \
    do {                                                                                                               \
        if (fails(class, CALLER)) {                                                                                    \
            errno = error_of(odd, even);                                                                               \
            return result;                                                                                             \
        }                                                                                                              \
    } while (0)
#define REAL(name) (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define EXPORT __attribute__((visibility("default")))

// ---- memory that the program's own code holds ----

enum { TABLE_SIZE = 1 << 16 };
typedef struct {
    void *memory; // NULL: free; &table: it was used
    _Atomic uint64_t frames[FRAMES];
} Piece;
static Piece table[TABLE_SIZE];
static atomic_flag table_lock = ATOMIC_FLAG_INIT;
static uint64_t table_used;

static size_t table_slot(const void *memory)
{
    return (size_t)(((uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 48) % TABLE_SIZE;
}

static void table_enter(void)
{
    while (atomic_flag_test_and_set(&table_lock))
        sched_yield();
}

static void piece_add(void *memory, const void *caller)
{
    if (kind != KIND_PROGRAM || memory == NULL || !is_own(caller))
        return;
    _Atomic uint64_t frames[FRAMES];
    stack_note(frames);
    table_enter();
    size_t slot = table_slot(memory);
    while (table[slot].memory != NULL && table[slot].memory != table)
        slot = (slot + 1) % TABLE_SIZE;
    table[slot].memory = memory;
    memcpy((void *)table[slot].frames, (void *)frames, sizeof frames);
    if (++table_used > TABLE_SIZE / 2) {
        static const char text[] = "inject: too much memory to keep track of\n";
        (void)!write(2, text, sizeof text - 1);
        _exit(99);
    }
    atomic_flag_clear(&table_lock);
}

static bool piece_remove(void *memory)
{
    if (kind != KIND_PROGRAM || memory == NULL)
        return false;
    table_enter();
    size_t slot = table_slot(memory);
    while (table[slot].memory != NULL && table[slot].memory != memory)
        slot = (slot + 1) % TABLE_SIZE;
    bool is_there = table[slot].memory != NULL;
    if (is_there) {
        // Nothing was ever behind it: then it is as if it had never been used.
        table[slot].memory = table[(slot + 1) % TABLE_SIZE].memory != NULL ? (void *)table : NULL;
        table_used--;
    }
    atomic_flag_clear(&table_lock);
    return is_there;
}

extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size), *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

EXPORT void *malloc(size_t size)
{
    FAIL_IF(CLASS_MEMORY, ENOMEM, ENOMEM, NULL);
    void *memory = __libc_malloc(size);
    piece_add(memory, CALLER);
    return memory;
}

EXPORT void *calloc(size_t count, size_t size)
{
    FAIL_IF(CLASS_MEMORY, ENOMEM, ENOMEM, NULL);
    void *memory = __libc_calloc(count, size);
    piece_add(memory, CALLER);
    return memory;
}

EXPORT void *realloc(void *old, size_t size)
{
    FAIL_IF(CLASS_MEMORY, ENOMEM, ENOMEM, NULL);
    piece_remove(old);
    void *memory = __libc_realloc(old, size);
    piece_add(memory, CALLER);
    return memory;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    FAIL_IF(CLASS_MEMORY, ENOMEM, ENOMEM, NULL);
    void *memory = __libc_memalign(alignment, size);
    piece_add(memory, CALLER);
    return memory;
}

EXPORT int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (fails(CLASS_MEMORY, CALLER))
        return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    piece_add(*memory, CALLER);
    return *memory != NULL ? 0 : ENOMEM;
}

EXPORT void free(void *memory)
{
    piece_remove(memory);
    __libc_free(memory);
}

// ---- descriptors ----

static mode_t open_mode(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

#define WRAP_OPEN(name)                                                                                                \
    EXPORT int name(const char *path, int flags, ...)                                                                  \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = open_mode(flags, arguments);                                                                     \
        va_end(arguments);                                                                                             \
        FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);                                                                      \
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);                                                  \
    }
WRAP_OPEN(open)
WRAP_OPEN(open64)

EXPORT FILE *fopen(const char *path, const char *mode)
{
    FAIL_IF(CLASS_FILES, EMFILE, ENFILE, NULL);
    return (REAL(fopen))(path, mode);
}

EXPORT int socket(int domain, int type, int protocol)
{
    FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);
    return (int)syscall(SYS_socket, domain, type, protocol);
}

EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
    FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);
    return (int)syscall(SYS_socketpair, domain, type, protocol, ends);
}

EXPORT int pipe2(int ends[2], int flags)
{
    FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);
    return (int)syscall(SYS_pipe2, ends, flags);
}

EXPORT int eventfd(unsigned count, int flags)
{
    FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);
    return (int)syscall(SYS_eventfd2, count, flags);
}

EXPORT int epoll_create1(int flags)
{
    FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);
    return (int)syscall(SYS_epoll_create1, flags);
}

EXPORT int timerfd_create(int clock, int flags)
{
    FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);
    return (int)syscall(SYS_timerfd_create, clock, flags);
}

EXPORT int memfd_create(const char *name, unsigned flags)
{
    FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);
    return (int)syscall(SYS_memfd_create, name, flags);
}

#define WRAP_FCNTL(name)                                                                                               \
    EXPORT int name(int file, int command, ...)                                                                        \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, command);                                                                                  \
        long argument = va_arg(arguments, long);                                                                       \
        va_end(arguments);                                                                                             \
        if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)                                                          \
            FAIL_IF(CLASS_FILES, EMFILE, EMFILE, -1);                                                                  \
        if (command == F_ADD_SEALS)                                                                                    \
            FAIL_IF(CLASS_CONTROL, EPERM, EBUSY, -1);                                                                  \
        return (int)syscall(SYS_fcntl, file, command, argument);                                                       \
    }
WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)

// A receiver that can't have the descriptors that it was sent gets the message without them.
static void files_cut_off(struct msghdr *message)
{
    struct cmsghdr *head = CMSG_FIRSTHDR(message);
    size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
        int file;
        memcpy(&file, CMSG_DATA(head) + i * sizeof file, sizeof file);
        close(file);
    }
    message->msg_controllen = 0;
    message->msg_flags |= MSG_CTRUNC;
}

EXPORT ssize_t recvmsg(int socket, struct msghdr *message, int flags)
{
    ssize_t got = syscall(SYS_recvmsg, socket, message, flags);
    struct cmsghdr *head = got >= 0 ? CMSG_FIRSTHDR(message) : NULL;
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && fails(CLASS_FILES, CALLER))
        files_cut_off(message);
    return got;
}

// ---- processes and threads ----

EXPORT pid_t fork(void)
{
    FAIL_IF(CLASS_PROCESSES, EAGAIN, ENOMEM, -1);
    pid_t pid = (REAL(fork))();
    if (pid == 0) {
        kind = kind == KIND_HELPER ? KIND_ROLE : KIND_OTHER;
        is_below = true;
    }
    return pid;
}

EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
    FAIL_IF(CLASS_PROCESSES, EAGAIN, ENOMEM, -1);
    return (REAL(clone))(run, stack, flags, argument);
}

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
                       const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
                       char *const arguments[restrict], char *const environment[restrict])
{
    if (fails(CLASS_PROCESSES, CALLER))
        return error_of(EAGAIN, ENOMEM);
    // A helper of a role's process, which runs sessions itself, is not the one that is asked for.
    char *const *below = environment;
    while (*below != NULL && strncmp(*below, "INJECT_BELOW=", 13) != 0)
        below++;
    if (*below != NULL)
        (*below)[13] = is_below ? '1' : '0';
    return (REAL(posix_spawn))(pid, path, actions, attributes, arguments, environment);
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict path,
                        const posix_spawn_file_actions_t *restrict actions,
                        const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                        char *const environment[restrict])
{
    if (fails(CLASS_PROCESSES, CALLER))
        return error_of(EAGAIN, ENOMEM);
    return (REAL(posix_spawnp))(pid, path, actions, attributes, arguments, environment);
}

EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*run)(void *),
                          void *restrict argument)
{
    if (fails(CLASS_THREADS, CALLER))
        return EAGAIN;
    return (REAL(pthread_create))(thread, attributes, run, argument);
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    if (fails(CLASS_CONTROL, CALLER))
        return error_of(EAGAIN, ENOMEM);
    return (REAL(pthread_key_create))(key, destroy);
}

EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (fails(CLASS_CONTROL, CALLER))
        return ENOMEM;
    return (REAL(pthread_setspecific))(key, value);
}

// ---- memory with a descriptor, and files ----

#define WRAP_MMAP(name)                                                                                                \
    EXPORT void *name(void *address, size_t size, int protection, int flags, int file, off_t offset)                   \
    {                                                                                                                  \
        FAIL_IF(CLASS_SPACE, ENOMEM, ENOMEM, MAP_FAILED);                                                              \
        return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);                              \
    }
WRAP_MMAP(mmap)
WRAP_MMAP(mmap64)

#define WRAP_FTRUNCATE(name)                                                                                           \
    EXPORT int name(int file, off_t size)                                                                              \
    {                                                                                                                  \
        FAIL_IF(CLASS_SPACE, ENOSPC, EIO, -1);                                                                         \
        return (int)syscall(SYS_ftruncate, file, size);                                                                \
    }
WRAP_FTRUNCATE(ftruncate)
WRAP_FTRUNCATE(ftruncate64)

#define WRAP_FALLOCATE(name)                                                                                           \
    EXPORT int name(int file, int mode, off_t offset, off_t size)                                                      \
    {                                                                                                                  \
        FAIL_IF(CLASS_SPACE, ENOSPC, EIO, -1);                                                                         \
        return (int)syscall(SYS_fallocate, file, mode, offset, size);                                                  \
    }
WRAP_FALLOCATE(fallocate)
WRAP_FALLOCATE(fallocate64)

static bool is_regular(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

EXPORT ssize_t write(int file, const void *data, size_t size)
{
    if (is_regular(file) && file > 2)
        FAIL_IF(CLASS_SPACE, ENOSPC, EIO, -1);
    return syscall(SYS_write, file, data, size);
}

#define WRAP_PWRITE(name)                                                                                              \
    EXPORT ssize_t name(int file, const void *data, size_t size, off_t offset)                                         \
    {                                                                                                                  \
        FAIL_IF(CLASS_SPACE, ENOSPC, EIO, -1);                                                                         \
        return syscall(SYS_pwrite64, file, data, size, offset);                                                        \
    }
WRAP_PWRITE(pwrite)
WRAP_PWRITE(pwrite64)

#define WRAP_PREAD(name)                                                                                               \
    EXPORT ssize_t name(int file, void *data, size_t size, off_t offset)                                               \
    {                                                                                                                  \
        FAIL_IF(CLASS_SPACE, EIO, ENOMEM, -1);                                                                         \
        return syscall(SYS_pread64, file, data, size, offset);                                                         \
    }
WRAP_PREAD(pread)
WRAP_PREAD(pread64)

// ---- the rest ----

EXPORT int epoll_ctl(int epoll, int operation, int file, struct epoll_event *event)
{
    if (operation == EPOLL_CTL_ADD)
        FAIL_IF(CLASS_CONTROL, ENOSPC, ENOMEM, -1);
    return (int)syscall(SYS_epoll_ctl, epoll, operation, file, event);
}

// A signal; or the program has closed the descriptor.
EXPORT int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    if (fails(CLASS_WAITING, CALLER)) {
        int error = error_of(EINTR, EBADF);
        if (error == EBADF)
            close(epoll);
        errno = error;
        return -1;
    }
    return (int)syscall(SYS_epoll_wait, epoll, events, count, timeout_ms);
}

EXPORT int poll(struct pollfd *polled, nfds_t count, int timeout_ms)
{
    FAIL_IF(CLASS_WAITING, EINTR, EINTR, -1);
    return (int)syscall(SYS_poll, polled, count, timeout_ms);
}

EXPORT ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    FAIL_IF(CLASS_CONTROL, ETOOMANYREFS, ENOMEM, -1);
    return syscall(SYS_sendmsg, socket, message, flags);
}

EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    if (stack != NULL && (stack->ss_flags & SS_DISABLE) == 0)
        FAIL_IF(CLASS_CONTROL, ENOMEM, ENOMEM, -1);
    return (int)syscall(SYS_sigaltstack, stack, old);
}

// What the C library has no function for. `syscall` is what this file itself uses, so the real one is asked for.
#undef syscall
EXPORT long syscall(long number, ...)
{
    static long (*real)(long number, ...);
    if (real == NULL)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    va_list arguments;
    va_start(arguments, number);
    long a[6];
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_pidfd_open)
        FAIL_IF(CLASS_FILES, EMFILE, ENFILE, -1);
    if (number == SYS_clone || number == SYS_clone3)
        FAIL_IF(CLASS_PROCESSES, EAGAIN, ENOMEM, -1);
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// ---- beginning and end ----

EXPORT void inject_on(void)
{
    atomic_store(&state->enabled, 1);
}

EXPORT void inject_off(void)
{
    atomic_store(&state->enabled, 0);
}

EXPORT int inject_has_fired(void)
{
    return atomic_load(&state->fired) != 0;
}

EXPORT int inject_helper(void)
{
    return (int)atomic_load(&state->helper);
}

static uint64_t entries_of(const char *path)
{
    uint64_t count = 0;
    DIR *folder = opendir(path);
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

static int find_own(struct dl_phdr_info *image, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    own_base = image->dlpi_addr;
    own_begin = UINTPTR_MAX;
    for (int i = 0; i < image->dlpi_phnum; i++) {
        uintptr_t begin = image->dlpi_addr + image->dlpi_phdr[i].p_vaddr, end = begin + image->dlpi_phdr[i].p_memsz;
        if (image->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        own_begin = begin < own_begin ? begin : own_begin;
        own_end = end > own_end ? end : own_end;
    }
    return 1; // the first one is the program
}

static int number_of(const char *name, size_t length, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    return -1;
}

static void wanted_read(const char *text)
{
    const char *first = text != NULL ? strchr(text, ':') : NULL,
               *second = first != NULL ? strchr(first + 1, ':') : NULL;
    if (second == NULL)
        return;
    wanted_kind = number_of(text, (size_t)(first - text), kind_names, KIND_COUNT);
    wanted_class = number_of(first + 1, (size_t)(second - first - 1), class_names, CLASS_COUNT);
    wanted_n = strtoull(second + 1, NULL, 10);
    wanted_on = text[strlen(text) - 1] == '+';
}

static void __attribute__((constructor)) inject_begin(void)
{
    const char *path = getenv("INJECT_STATE");
    int file = path != NULL ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
    if (file < 0)
        return;
    void *shared = (void *)syscall(SYS_mmap, NULL, STATE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED)
        return;
    // The first call loads a library.
    void *frames[2];
    backtrace(frames, 2);
    dl_iterate_phdr(find_own, NULL);
    wanted_read(getenv("INJECT"));
    only_own = getenv("INJECT_OWN") != NULL;
    state = shared;
    uint64_t none = 0;
    bool is_first = atomic_compare_exchange_strong(&state->program, &none, (uint64_t)getpid());
    if (is_first && getenv("INJECT_ALWAYS") != NULL)
        inject_on();
    if (!is_first && getenv("INJECT_ALWAYS") != NULL)
        return; // the programs that a compiler starts are not what is tested
    const char *below = getenv("INJECT_BELOW");
    if (!is_first && (below == NULL || below[0] != '1'))
        atomic_store(&state->helper, (uint64_t)getpid());
    if (is_first)
        files_before = entries_of("/proc/self/fd");
    kind = is_first ? KIND_PROGRAM : KIND_HELPER;
}

static void __attribute__((destructor)) inject_end(void)
{
    if (kind != KIND_PROGRAM || (uint64_t)getpid() != atomic_load(&state->program))
        return;
    kind = KIND_OTHER;
    // A thread that has been joined is still seen for a moment.
    struct timespec moment = {0, 1000000};
    uint64_t threads = entries_of("/proc/self/task") - 2;
    for (int i = 0; i < 1000 && threads > 1; i++, threads = entries_of("/proc/self/task") - 2)
        nanosleep(&moment, NULL);
    atomic_store(&state->threads, threads);
    atomic_store(&state->files, entries_of("/proc/self/fd") - files_before);
    atomic_store(&state->live, table_used);
    for (size_t i = 0, k = 0; i < TABLE_SIZE && k < LEAKS; i++)
        if (table[i].memory != NULL && table[i].memory != table)
            memcpy((void *)state->leaks[k++], (void *)table[i].frames, sizeof table[i].frames);
    atomic_store(&state->ended, 1);
}
