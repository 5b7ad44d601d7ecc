# What the driver's tests share: `fail` says why, the others write sources and look at outputs.
# Each test runs in a fresh folder, with $CHORCC.

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# contains FILE TEXT
contains()
{
    grep -qF -- "$2" "$1" || { cat "$1" >&2; fail "'$2' is not in $1"; }
}

lacks()
{
    if grep -qF -- "$2" "$1"; then
        cat "$1" >&2
        fail "'$2' is in $1"
    fi
}

# prints TEXT COMMAND...: the command succeeds and prints exactly this
prints()
{
    local expected=$1 got
    shift
    got=$("$@") || fail "$* has exit status $?"
    [ "$got" = "$expected" ] || fail "$* prints '$got', not '$expected'"
}

# status N COMMAND...: its messages go to the file `messages`
status()
{
    local expected=$1 got=0
    shift
    "$@" >output 2>messages || got=$?
    [ "$got" -eq "$expected" ] || { cat messages >&2; fail "$* has exit status $got, not $expected"; }
    lacks messages "AddressSanitizer"
    lacks messages "runtime error:"
}

# hello [FILE]: a program that prints 42
hello()
{
    cat >"${1:-hello.c}" <<'END'
#include <chorex.h>
#include <stdio.h>

choreography(hello, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        return Bob.(y + 1);
    }
)

#include "hello.Alice.chor.h"
#include "hello.Bob.chor.h"

int main(void)
{
    struct hello_run_result result;
    if (hello_run(&result, NULL, 41) != CHX_OK)
        return 1;
    printf("%d\n", result.Bob);
    return 0;
}
END
}

# pingpong: a choreography in a header, one file for each role and one that starts it; prints 42
pingpong()
{
    cat >pingpong.h <<'END'
#ifndef PINGPONG_H
#define PINGPONG_H
#include <chorex.h>
choreography(pingpong, (Ping, Pong),
    int Ping.serve(int n);
    int Pong.play(int n);
    def run(Ping.int n) -> Ping.int {
        Ping.serve(n) ~> Pong.n;
        Pong.play(n) ~> Ping.back;
        return Ping.back;
    }
)
#endif
END
    cat >ping.c <<'END'
#include "pingpong.h"
#include "pingpong.Ping.chor.h"
int Ping_serve(int n) { return n + 1; }
END
    cat >pong.c <<'END'
#include "pingpong.h"
#include "pingpong.Pong.chor.h"
int Pong_play(int n) { return n * 2; }
END
    cat >main.c <<'END'
#include "pingpong.h"
#include "pingpong.chor.h"
#include <stdio.h>
int main(void)
{
    struct pingpong_run_result r;
    if (pingpong_run(&r, NULL, 20) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    printf("%d\n", r.Ping);
    return 0;
}
END
}
