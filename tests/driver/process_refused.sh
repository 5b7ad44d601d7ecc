# What is in the way of processes is said in clear words.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
worker
status 2 env CHOREX_ISOLATION=nonsense ./worker
contains messages "CHOREX_ISOLATION=nonsense: it can be thread, thread! or process"
prints fine env CHOREX_ISOLATION=thread ./worker
prints fine env CHOREX_ISOLATION= ./worker

chmod 755 . worker
status 1 ./worker limited 0
contains messages "can't be started"
contains messages "Resource temporarily unavailable"

# Few descriptors: it works or says so, for every number.
for limit in $(seq 5 30); do
    code=0
    (ulimit -n "$limit"; exec ./worker) >output 2>messages || code=$?
    if [ $code -eq 0 ]; then
        contains output fine
        break
    fi
    contains messages "Too many open files"
done
[ $code -eq 0 ] || fail "30 descriptors are not enough"

# A limit on sizes of files must not end the program by a signal.
code=0
(ulimit -f 100; exec ./worker) >output 2>messages || code=$?
[ $code -eq 1 ] || fail "with a limit on files: status $code"
contains messages "ulimit -f"

# A program that does not come up a second time.
sed 's/^static int unused;.*/static int unused;\
__attribute__((constructor)) static void never_twice(void) { if (getenv("CHOREX_NURSERY") != NULL) _exit(9); }/' worker.c >twice.c
"$CHORCC" --emit-dir=twice.d twice.c -o twice
status 1 timeout 60 ./twice
contains messages "the program can't be started once more: it ends before its main"

# The variable alone makes no zygote.
prints fine env CHOREX_NURSERY=1 ./worker
soon "processes are left" nothing_runs
