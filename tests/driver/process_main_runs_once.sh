# The program is started once more for its isolated roles, but its main never is: where the library can't be sure of that, the
# session is refused with a reason.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
. "$(dirname "$0")/main_once.bash"
work

program plain main.c work.c
once "result 42" ./plain
once "result 42" env CHOREX_NURSERY=1 ./plain
once "result 42" env CHOREX_NURSERY=program ./plain

# Linked statically, as far as this machine has the libraries for it.
for way in -static -static-pie; do
    if program "plain$way" "$way" main.c work.c 2>err; then
        once "result 42" "./plain$way"
    else
        echo "not tested: $way"
    fi
done

# Through the dynamic loader: then the loader is the program.
loader=$(sed -n 's/.*program interpreter: \(.*\)\]/\1/p' <<<"$(readelf -lW plain)")
once "${refused}the program was started through " "$loader" ./plain
once "result -42" env THREADS=1 "$loader" ./plain

# A library that the program is linked with is there from its start on.
"$CHORCC" -shared -fPIC work.c -o libwork.so
program linked main.c -L. -lwork -Wl,-rpath,"$PWD"
once "result 42" ./linked
program searched main.c -L. -lwork
once "result 42" env LD_LIBRARY_PATH="$PWD" ./searched
once "result 42" env LD_LIBRARY_PATH=. ./searched
# Roles in the program and in the library, which has the only copy of libchorex: its constructors run before the program's.
sed 's/work/own/g' work.c >own.c
"$CHORCC" -shared -fPIC own.c -o libown.so
program both main.c work.c -L. -Wl,--no-as-needed -lown -Wl,-rpath,"$PWD"
once "status 4: A: work_A can't be found by its name in a new process of this program: it must be linked in, together with" \
    ./both
sed 's/\bwork(void)/own(void)/; s/return work()/return own()/' main.c >of_library.c
program both of_library.c work.c -L. -Wl,--no-as-needed -lown -Wl,-rpath,"$PWD"
once "result 42" ./both
# Each of the two has a copy.
libraries=$("$CHORCC" --libs)
program both main.c work.c $libraries -L. -Wl,--no-as-needed -lown -Wl,-rpath,"$PWD"
once "result 42" ./both
program both of_library.c work.c $libraries -L. -Wl,--no-as-needed -lown -Wl,-rpath,"$PWD"
once "result 42" ./both

# One that is loaded at run time is not: by a program in C, by one in Python, by the loader's own means.
cat >host.c <<'END_OF_HOST'
#include <dlfcn.h>
#include <stdio.h>
static int (*found)(void);
int work(void)
{
    void *library = dlopen("./libwork.so", RTLD_NOW);
    if (library == NULL) {
        puts(dlerror());
        return 1;
    }
    *(void **)&found = dlsym(library, "work");
    return found();
}
END_OF_HOST
program host main.c host.c -ldl
once "${refused}the choreography is in ./libwork.so, which was loaded at run time" ./host
once "result -42" env THREADS=1 ./host
sed 's/dlopen("[^"]*", RTLD_NOW)/RTLD_DEFAULT/; s/library == NULL/0/' host.c >preloaded.c
program preloaded main.c preloaded.c -ldl
once "${refused}the choreography is in " env LD_PRELOAD="$PWD/libwork.so" ./preloaded
cat >host.py <<END_OF_PYTHON
import ctypes
open("$PWD/count", "a").write("x")
ctypes.CDLL("./libwork.so").work()
END_OF_PYTHON
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
once "${refused}the choreography is in ./libwork.so, which was loaded at run time" "$python" host.py
once "${refused}the choreography is in ./libwork.so, which was loaded at run time" sh -c "exec $python - <host.py"

# In a constructor: of the program, which runs before the library's own; before that of its roles; after it.
program early main.c work.c -DCONSTRUCTOR='__attribute__((constructor)) static void early(void) { work(); }'
early="${refused}the program's constructors have not all run: start the session in main, or later"
# The second time in the process that main's session starts.
once "$early
$early
result 42" ./early
program first main.c work.c -DCONSTRUCTOR='__attribute__((constructor(101))) static void first(void) { work(); }'
once "status " ./first
program late main.c -L. -lwork -Wl,-rpath,"$PWD" \
    -DCONSTRUCTOR='__attribute__((constructor)) static void late(void) { work(); }'
once "result 42
result 42" ./late
# One that ends or hangs in the new process.
program ends main.c work.c \
    -DCONSTRUCTOR='__attribute__((constructor)) static void ends(void) { if (getenv("CHOREX_NURSERY") != NULL) _exit(0); }'
once "status 3: processes can't be started: the program can't be started once more: it ends before its main" ./ends
program hangs main.c work.c \
    -DCONSTRUCTOR='__attribute__((constructor)) static void hangs(void) { if (getenv("CHOREX_NURSERY") != NULL) pause(); }'
once "status 3: processes can't be started: the program, started once more, did not come to its main" ./hangs

# Whoever is started as a zygote and can't be one ends before main.
program marked main.c work.c -DCONSTRUCTOR='__attribute__((constructor(101))) static void marked(void) { if (getenv("AGAIN") == NULL) { setenv("AGAIN", "1", 1); execl("/proc/self/./exe", "marked", (char *)NULL); } }'
: >count
status=0
contained ./marked || status=$?
[ "$status" = 126 ] || fail "a zygote without a socket: exit status $status"
[ ! -s count ] || fail "a zygote without a socket comes to main"

# The library is another by now, or is not where it was.
replaced()
{
    local text=$1 line
    shift
    : >count
    coproc PROGRAM { contained ./linked pause 2>&1; }
    read -r line <&"${PROGRAM[0]}" && [ "$line" = ready ] || fail "the program does not start: $line"
    "$@"
    echo >&"${PROGRAM[1]}"
    read -r line <&"${PROGRAM[0]}" || line=nothing
    case $line in
    "$text"*) ;;
    *) fail "$*: $line" ;;
    esac
    wait "$PROGRAM_PID" || true
    [ "$(cat count)" = x ] || fail "$*: main has run $(wc -c <count) times"
}
replaced "result 42" true
cp libwork.so libwork.kept
cc -shared -fPIC -x c - -o other.so <<<'int work(void) { return 0; }'
replaced "${refused}the choreography is in $PWD/libwork.so, and that name leads to another file" mv other.so libwork.so
mv libwork.kept libwork.so
replaced "${refused}the choreography is in $PWD/libwork.so, and that name leads to another file" rm libwork.so
