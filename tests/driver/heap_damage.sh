# A role that damages the heap: the program goes on after an abort that has left the memory allocator usable; after one that
# has not, it ends with a message that names the role. It never hangs. A program can choose that every abort ends it.
set -eu
. "$(dirname "$0")/common.bash"
cat >heap.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <chorex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(heap, (Alice, Bob),
    int Alice.damage(const char *way);
    def run(Alice.const char *way) -> Bob.int {
        Bob.int rescues = 0;
        checkpoint {
            Alice.damage(way) ~> Bob._;
        } rescue {
            Bob.rescues++;
        }
        return Bob.rescues;
    }
)

#include "heap.Alice.chor.h"
#include "heap.Bob.chor.h"

#ifdef OWN_MALLOC
// An allocator that finds a mistake while it holds its lock.
extern void *__libc_malloc(size_t size);
extern void __libc_free(void *memory);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int finds_mistake;

void *malloc(size_t size)
{
    pthread_mutex_lock(&lock);
    if (finds_mistake) {
        finds_mistake = 0;
        abort();
    }
    void *memory = __libc_malloc(size);
    pthread_mutex_unlock(&lock);
    return memory;
}

void free(void *memory)
{
    pthread_mutex_lock(&lock);
    __libc_free(memory);
    pthread_mutex_unlock(&lock);
}
#endif

static char *volatile a, *volatile b;

int Alice_damage(const char *way)
{
    a = malloc(2000);
    b = malloc(2000);
    if (strcmp(way, "top") == 0) { // "malloc(): corrupted top size", with the lock held
        memset(b, 0xff, 2000 + 64);
        a = malloc(100000);
    } else if (strcmp(way, "list") == 0) { // a crash inside of malloc, with the lock held
        free(a);
        memset(a, 0x41, 64);
        a = malloc(3000);
    } else if (strcmp(way, "twice") == 0) { // found in the thread's own list, without a lock
        b = malloc(24);
        free(b);
        free(b);
    } else if (strcmp(way, "assert") == 0) {
        assert(a == NULL);
    } else if (strcmp(way, "null") == 0) {
        a = NULL;
        a[0] = 1;
#ifdef OWN_MALLOC
    } else if (strcmp(way, "own") == 0) {
        finds_mistake = 1;
        a = malloc(1);
#endif
    }
    return 0;
}

int main(int count, char **arguments)
{
    struct heap_run_result result;
    chx_status status;
    if (strcmp(arguments[count - 1], "strict") == 0) {
        chx_runtime_options options = {.signals = true, .abort_ends_program = true};
        status = heap_run_wait(heap_run_start(chx_runtime_new(&options), NULL, arguments[1]), &result);
    } else if (strcmp(arguments[count - 1], "pool") == 0) {
        status = heap_run_wait(heap_run_start(NULL, NULL, arguments[1]), &result);
    } else {
        status = heap_run(&result, NULL, arguments[1]);
    }
    printf("%s, %d rescues\n", chx_status_text(status), result.Bob);
    return 0;
}
END
"$CHORCC" -O0 -w --emit-dir=. heap.c -o heap
"$CHORCC" -O0 -w --emit-dir=. -DOWN_MALLOC heap.c -o heap-own
ulimit -c 0

# ends NAME COMMAND...: dies of SIGABRT, with the message; in the background
ends()
{
    local name=$1 got=0
    shift
    timeout 60 "$@" >"$name.out" 2>&1 || got=$?
    echo "$got" >"$name.status"
}

ends top ./heap top &
ends top-pool ./heap top pool &
ends list ./heap list &
ends list-pool ./heap list pool &
ends own ./heap-own own &
ends own-pool ./heap-own own pool &
wait
for name in top top-pool list list-pool own own-pool; do
    [ "$(cat "$name.status")" -eq 134 ] || { cat "$name.out"; fail "$name: exit status $(cat "$name.status")"; }
    contains "$name.out" "chorex: role Alice: a fatal signal has left the memory allocator locked or its data damaged"
done
for way in twice assert null; do
    prints "success, 1 rescues" timeout 60 ./heap $way 2>messages
    prints "success, 1 rescues" timeout 60 ./heap $way pool 2>messages
done
status 134 timeout 60 ./heap assert strict
lacks output "rescues"
status 134 timeout 60 ./heap twice strict
prints "success, 1 rescues" timeout 60 ./heap null strict
