# Whatever ends chorcc while it writes a companion, there is the old one or the new one, and nothing else: signals, a full
# disk, a limit on the size of files, a folder that can't be written to. Also with many chorccs at a time.
set -eu
. "$(dirname "$0")/common.bash"
hello
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

# nothing_left FOLDER
nothing_left()
{
    local left
    left=$(find "$1" -name '*.tmp')
    [ -z "$left" ] || fail "left $left"
}

# A library that sends a signal to the process in the middle: when it writes to the temporary file, or renames it.
cat >middle.c <<'END_OF_SOURCE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
ssize_t write(int fd, const void *data, size_t size)
{
    ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (fd > 2 && getenv("AT_WRITE") != NULL)
        raise(atoi(getenv("AT_WRITE")));
    return real(fd, data, size);
}
int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    if (getenv("AT_RENAME") != NULL)
        raise(atoi(getenv("AT_RENAME")));
    return real(from, to);
}
END_OF_SOURCE
gcc -shared -fPIC -w middle.c -o middle.so -ldl
for signal in INT TERM HUP QUIT; do
    for place in AT_WRITE AT_RENAME; do
        rm -rf made
        code=0
        (export "$place=$(kill -l $signal)"
         LD_PRELOAD=$PWD/middle.so timeout 20 "$CHORCC" --emit --emit-dir=made hello.c) 2>messages || code=$?
        [ $code -eq $((128 + $(kill -l $signal))) ] || { cat messages >&2; fail "SIG$signal at $place: status $code"; }
        nothing_left made
    done
done

# A limit on the size of files (SIGXFSZ), and a full disk, where one can be made.
rm -rf made
code=0
(ulimit -f 1; exec "$CHORCC" --emit --emit-dir=made hello.c) 2>messages || code=$?
[ $code -eq 1 ] || { cat messages >&2; fail "a limit on the size: status $code"; }
contains messages "can't be written"
nothing_left made
if unshare -rm true 2>/dev/null; then
    mkdir full
    unshare -rm sh -c 'mount -t tmpfs -o size=8k none full && cd full && code=0
        "$1" --emit --emit-dir=. ../hello.c 2>../messages || code=$?
        ls -A >../left; exit $code' sh "$CHORCC" && fail "a full disk is no error" || true
    contains messages "can't be written: No space left on device"
    lacks left .tmp
fi

# A folder without the right to write.
mkdir closed
hello closed/hello.c
chmod 555 closed
run=
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 .
    run="setpriv --reuid=65534 --regid=65534 --clear-groups"
    $run "$CHORCC" --cflags >output 2>&1 || run=none
fi
if [ "$run" != none ]; then
    status 1 $run "$CHORCC" --emit "$PWD/closed/hello.c"
    contains messages "can't be written: Permission denied"
    contains messages "--emit-dir=DIR"
fi
chmod 755 closed

# A name as long as names can be.
long=$(printf 'l%.0s' $(seq 1 237))
mkdir long
sed "s/hello/$long/g" hello.c >long/long.c
"$CHORCC" long/long.c -o program
prints 42 ./program

# Many at a time that change the same companions back and forth: a reader never sees a half-written one.
mkdir race
hello race/hello.c
(cd race && "$CHORCC" --emit hello.c)
for turn in 1 2 3 4 5 6; do
    (cd race && timeout 60 "$CHORCC" --emit hello.c) &
    (cd / && timeout 60 "$CHORCC" --emit "$PWD/race/hello.c" 2>/dev/null) &
    for file in race/*.chor.h; do
        [ "$(tail -n 1 "$file")" = "#endif" ] || fail "$file is not whole"
    done
done
wait
nothing_left race
