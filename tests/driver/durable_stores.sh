# A program with durable blocks that is killed at each of its effects, and started again each time, ends as if nothing had happened: with its
# sessions in SQLite, and in PostgreSQL where it is installed.
set -eu
. "$(dirname "$0")/common.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)
chorex=$(dirname "$CHORCC")/chorex
prefix=$(dirname "$(dirname "$CHORCC")")
source=$root/tests/durable/programs/order.c
expected=$(sed -n 's,^// expect: ,,p' "$source")

# killed_everywhere STORE: in the environment
killed_everywhere()
{
    rm -f effects
    for n in 1 2 3 4 5 6; do
        for when in before after; do
            EFFECTS=effects EFFECTS_KILL=$n:$when CHOREX_STORE=$1 timeout 60 setsid -w ./order >output 2>messages || true
            lacks messages "damaged"
        done
    done
    EFFECTS=effects CHOREX_STORE=$1 prints "$expected" ./order
    # The outcome is kept.
    EFFECTS=effects CHOREX_STORE=$1 prints "$expected" ./order
    [ "$(grep -c 'note' effects)" -ge 1 ] || fail "no effects"
    "$chorex" sessions "$1" >output
    grep -q '^order-4711 *shop.order *over: ok ' output || { cat output >&2; fail "it is not over"; }
    "$chorex" sessions drop "$1" order-4711 >output
    prints "no sessions" "$chorex" sessions "$1"
}

[ -e "$prefix/lib/libchorex-sqlite.a" ] || { echo "libchorex-sqlite is not built here"; exit 0; }
for compiler in gcc "$CHORCC"; do
    "$CHORCC" --emit "$source" --emit-dir=companions
    "$compiler" -w -Icompanions "$source" $("$CHORCC" --cflags --libs=sqlite) -o order
done
killed_everywhere sqlite:orders.db
# A program that is not linked with the store says what to do.
"$CHORCC" -w --emit-dir=companions "$source" -o without
CHOREX_STORE=sqlite:orders.db status 1 ./without
contains output "--libs=sqlite"
# In the program itself.
sed 's,#include "../effect.h",#include "effect.h"\n#include <chorex/sqlite.h>,; s,shop_order_open(NULL,shop_order_open(runtime,
     s,^    struct shop_order_result result;,    chx_store *store = chx_store_sqlite("own.db");\n    chx_runtime *runtime = chx_runtime_new(\&(chx_runtime_options){.store = store});\n&,
     s,^    shop_order_result_drop.*,&\n    chx_runtime_free(runtime);\n    chx_store_close(store);,' "$source" >own.c
"$CHORCC" -w -I"$root/tests/durable" own.c $("$CHORCC" --cflags --libs=sqlite) -o own
prints "$expected" ./own
"$chorex" sessions own.db >output
contains output "order-4711"

[ -e "$prefix/lib/libchorex-postgres.a" ] || { echo "libchorex-postgres is not built here"; exit 0; }
gcc -w -I"$root/src" $(pkg-config --cflags libpq) "$root/bench/stores/server.c" "$root/src/store/postgres/fixture.c" \
    $(pkg-config --libs libpq) -o server
"$CHORCC" -w --emit-dir=companions "$source" $("$CHORCC" --cflags --libs=sqlite,postgres) -o order
mkfifo control address
./server <control >address &
exec 3>control
read -r store <address || { echo "PostgreSQL is not installed here"; exit 0; }
killed_everywhere "$store"
exec 3>&-
wait
