# A role with more isolated peers than descriptors fit into one message; and what is said where the limit on open files is
# too low for all that the session shares with its roles.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
roles=260
{
    echo '#include <chorex.h>'
    echo '#include <stdio.h>'
    printf 'choreography(many, (Hub'
    for ((i = 1; i < roles; i++)); do printf ', R%d' $i; done
    echo '), def run() -> Hub.int { Hub.int sum = 0;'
    for ((i = 1; i < roles; i++)); do echo "Hub.($i) ~> R$i.x$i;"; done
    for ((i = 1; i < roles; i++)); do echo "R$i.x$i ~> Hub.y$i; Hub.sum += y$i;"; done
    echo 'return Hub.sum; })'
    echo '#include "many.Hub.chor.h"'
    for ((i = 1; i < roles; i++)); do echo "#include \"many.R$i.chor.h\""; done
    cat <<'END'
int main(void)
{
    struct many_run_result r;
    if (many_run(&r, NULL) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    printf("%d\n", r.Hub);
    return 0;
}
END
} >many.c
"$CHORCC" -O0 many.c -o many
(
    ulimit -n 1024
    CHOREX_ISOLATION=process ./many >out
) || { cat out; fail "exit status $?"; }
[ "$(cat out)" = $((roles * (roles - 1) / 2)) ] || fail "$(cat out)"
(
    ulimit -n 200
    ! CHOREX_ISOLATION=process ./many >out
) || fail "it ran with 200 descriptors"
grep -q "Too many open files: this session needs $((3 * roles)) descriptors" out || fail "$(cat out)"
soon "processes are left" nothing_runs
