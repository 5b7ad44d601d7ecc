# Libraries that each have a choreography and a copy of libchorex, loaded at run time by one program: all of them work. Their
# thread-local variables lie in a small room that all such libraries share.
set -eu
. "$(dirname "$0")/common.bash"
many=8
hello
for i in $(seq $many); do
    sed "s/\bhello/hello_$i/g; s/int main(void)/int run_$i(void)/; s/41/$((i - 1))/" hello.c >"hello_$i.c"
    echo "$i" >>expected
done
for i in $(seq $many); do
    "$CHORCC" -shared -fPIC "hello_$i.c" -o "libhello_$i.so"
done
cat >host.c <<END_OF_HOST
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *function)
{
    return ((int (*)(void))function)() == 0 ? function : NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 1; i <= $many; i++) {
        char name[64];
        snprintf(name, sizeof name, "./libhello_%d.so", i);
        void *library = dlopen(name, argc > 1 ? RTLD_NOW | RTLD_GLOBAL : RTLD_NOW);
        if (library == NULL) {
            puts(dlerror());
            return 1;
        }
        snprintf(name, sizeof name, "run_%d", i);
        void *function = dlsym(library, name), *result;
        pthread_t thread;
        if (pthread_create(&thread, NULL, run, function) != 0 || pthread_join(thread, &result) != 0 || result == NULL)
            return 2;
    }
    return 0;
}
END_OF_HOST
cc host.c -o host -ldl -pthread
for arguments in "" global; do
    ./host $arguments >out || fail "$arguments: exit status $?: $(cat out)"
    cmp out expected || fail "$arguments"
done
