# The process that starts isolated roles can't start them: it may have no more processes, no more descriptors, be killed or
# stopped. Each session ends with a report, whatever the number of its isolated roles, at its beginning and in a recovery; and when
# the limit is gone, the next one works.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
cat >limits.c <<'END_OF_LIMITS'
#include <chorex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

choreography(limits, (A, B, C),
    void A.waits(bool here);
    def run(A.bool waits) {
        checkpoint retry 3 {
            A.waits ~> {A, B, C}.w;
            B.(1) ~> A._;
            C.(1) ~> A._;
            A.waits(w);
            A.(1) ~> B._;
            A.(1) ~> C._;
        }
    }
)
#include "limits.A.chor.h"
#include "limits.B.chor.h"
#include "limits.C.chor.h"

void A_waits(bool here)
{
    if (here) {
        printf("waits\n");
        fflush(stdout);
        pause();
    }
}

// Each line names the roles that have processes of their own, and says whether A waits to be killed.
int main(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct limits_cast cast = {0};
        if (strchr(line, 'A') != NULL)
            cast.A.isolation = CHX_PROCESS;
        if (strchr(line, 'B') != NULL)
            cast.B.isolation = CHX_PROCESS;
        if (strchr(line, 'C') != NULL)
            cast.C.isolation = CHX_PROCESS;
        chx_status status = limits_run(&cast, strchr(line, 'w') != NULL);
        printf("%s: %s\n", chx_status_text(status), status == CHX_OK ? "" : chx_last_report()->why);
        fflush(stdout);
    }
    return 0;
}
END_OF_LIMITS
"$CHORCC" -O1 -g -Wall -Wextra limits.c -o limits
as=
if [ "$(id -u)" = 0 ]; then
    # Limits on processes are none for root.
    chmod 755 . limits
    as="setpriv --reuid 65531 --regid 65531 --clear-groups"
    $as ./limits </dev/null || { echo "skipped: other users can't run programs here"; exit 0; }
fi
coproc PROGRAM { exec env CHOREX_LOG=off $as ./limits 2>&1; }
pid=$PROGRAM_PID

ask() { echo "$1" >&"${PROGRAM[1]}"; }
says()
{
    local line
    read -t 60 -r line <&"${PROGRAM[0]}" || line="nothing for a minute"
    case $line in
    *"$1"*) ;;
    *) fail "'$line' instead of '$1'" ;;
    esac
}
limit() { $as prlimit --pid "$(named chorex-zygote)" "$@"; }

ask ABC
says success
for roles in A AB ABC BC; do
    for what in nproc nofile; do
        text="Resource temporarily unavailable"
        number=1
        if [ $what = nofile ]; then
            text="Too many open files"
            number=7
        fi
        limit --$what=$number:
        ask $roles
        says "no process could be started for it: $text"
        limit --$what=1000:
        ask $roles
        says success
    done
done

# A new process for a role that was killed in a block; for two at once.
for victims in limits_A "limits_A limits_B" "limits_A limits_B limits_C"; do
    ask ABCw
    says waits
    limit --nproc=1:
    pids=
    for each in $victims; do
        pids="$pids $(named "$each")"
    done
    kill -9 $pids
    says "no process could be started for it: Resource temporarily unavailable"
    limit --nproc=1000:
    ask ABC
    says success
done

# The zygote is killed when it is idle, and while a session begins.
for i in 1 2 3; do
    kill -9 "$(named chorex-zygote)"
    ask ABC
    says success
done

# It answers nothing: a session does not wait for ever, but gets another one.
stopped=$(named chorex-zygote)
kill -STOP "$stopped"
ask ABC
says success
[ "$(named chorex-zygote)" != "$stopped" ] || fail "the same zygote"
exec {PROGRAM[1]}>&-
wait "$pid" || fail "exit status $?"
soon "processes are left" nothing_runs
