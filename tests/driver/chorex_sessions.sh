# chorex sessions: lists, shows, drops and exports what is in a store; what is wrong with a store or a name is said. chorcc --libs=sqlite and
# --libs=postgres are what a program with a store needs.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
prefix=$(dirname "$(dirname "$CHORCC")")

# ---- libraries ----
mkdir -p elsewhere/lib elsewhere/include
cp "$prefix/lib/libchorex.a" elsewhere/lib/
cp -r "$prefix/include/." elsewhere/include/
CHORCC_PREFIX=$PWD/elsewhere status 2 "$CHORCC" --libs=sqlite
contains messages "libsqlite3-dev"
CHORCC_PREFIX=$PWD/elsewhere status 2 "$CHORCC" --libs=postgres
contains messages "libpq-dev"
status 2 "$CHORCC" --libs=sqlite,mysql
contains messages "unknown '--libs=sqlite,mysql'"
[ -x "$(dirname "$CHORCC")/chorex-sessions" ] || { echo "chorex-sessions is not built here"; exit 0; }
for store in sqlite postgres; do
    library=$prefix/lib/libchorex-$store.a
    [ -e "$library" ] || continue
    nm -g --defined-only "$library" | awk 'NF == 3 && $3 !~ /^chx_/ { print $3 }' >visible
    [ ! -s visible ] || { cat visible >&2; fail "$library has names that could meet the program's"; }
    nm -g --defined-only "$library" >visible
    contains visible "chx_store_ops_$store"
    contains visible "chx_store_$store"
    printf '#include <chorex/%s.h>\nint main() { return 0; }\n' $store >main.cc
    g++ -Wall -Wextra -Wpedantic -Werror -c main.cc $("$CHORCC" --cflags) -o main.o
done
if [ -e "$prefix/lib/libchorex-postgres.a" ] && [ -e "$prefix/lib/libchorex-net.a" ]; then
    "$CHORCC" --libs=net,postgres >libs
    contains libs "-lchorex-net -Wl,--undefined=chx_store_ops_postgres -lchorex-postgres -lchorex -lssl -lcrypto -lpq -lpthread"
fi
[ -e "$prefix/lib/libchorex-sqlite.a" ] || { echo "libchorex-sqlite is not built here"; exit 0; }

# ---- a store with sessions of many kinds ----
cat >make.c <<'END'
#include <chorex/sqlite.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    void *store;
    char why[CHX_STORE_WHY];
    const uint64_t writer[2] = {1, 2};
    if (argc < 2 || chx_store_ops_sqlite.open(argv[1], "node-a", writer, &store, why) != 0)
        return 1;
    chx_store_piece base[] = {{0, 0, "buyer", 5}, {0, 1, "seller", 6}};
    chx_store_piece block[] = {{1, 0, "b", 1}, {1, 1, "", 0}, {1, CHX_STORE_HEAD, "head", 4}, {0, 0, "buyer", 5}};
    static const char head[] = "\1\0\0\0" "\7\0\0\0" "\0\0\0\0" "\2\0\0\0" "\1\0\0\0" "\0\0\0\0" "\11\0\0\0" "\5\0\0\0Buyer" "\10\0\0\0no money";
    static const char end[] = "\1\0\0\0" "\0\0\0\0" "\0\0\0\0" "\0\0\0\0" "\0\0\0\0" "\0\0\0\0" "\0\0\0\0" "\0\0\0\0";
    chx_store_piece attempt[] = {{1, 0, "b", 1}, {2, 0, "c", 1}, {2, CHX_STORE_HEAD, head, sizeof head - 1}};
    chx_store_piece results[] = {{CHX_STORE_RESULTS, 0, "42", 2}, {CHX_STORE_RESULTS, CHX_STORE_HEAD, end, sizeof end - 1}};
    chx_store_change changes[] = {
        {.key = {"shop", "", "order-1"}, .pieces = base, .piece_count = 2, .home = ""},
        {.key = {"shop", "", "order-2"}, .pieces = block, .piece_count = 4, .home = "node-a"},
        {.key = {"shop", "", "order-3"}, .pieces = results, .piece_count = 2, .home = "node-a", .outcome = CHX_STORE_OVER},
        {.key = {"shop", "", "order-4"}, .pieces = attempt, .piece_count = 3, .home = "local 12-34 pid:[5] 6789 42"},
        {.key = {"bank", "north", "order-1"}, .home = "node-b"},
        {.key = {"bank", "south", "strange \"\\\033[31m\n"}, .home = "node-b"},
    };
    size_t count = sizeof changes / sizeof changes[0];
    for (size_t i = 0; i < count; i++) {
        changes[i].term = 3;
        changes[i].definition = "run";
        changes[i].token[0] = 0xabcdef;
    }
    int error = chx_store_ops_sqlite.commit(store, changes, count, why);
    if (error == 0)
        error = chx_store_ops_sqlite.lease(store, 600000, why);
    chx_store_ops_sqlite.close(store);
    return error != 0;
}
// In a libchorex without durable blocks it is missing.
__attribute__((weak)) chx_store *chx_store_of(const chx_store_ops *ops, const char *place)
{
    (void)ops, (void)place;
    return NULL;
}
END
gcc -Wall -Wextra -Werror make.c $("$CHORCC" --cflags --libs=sqlite) -o make
./make orders.db

"$chorex" sessions orders.db >output
contains output "FUNCTION"
grep -q '^order-1 *shop.run *between blocks *[0-9]* s *- *a program *unfinished$' output || { cat output >&2; fail "order-1"; }
grep -q '^order-2 *shop.run *level 1 *[0-9]* s *node-a *its roles *unfinished$' output || { cat output >&2; fail "order-2"; }
grep -q '^order-3 *shop.run *over: ok *[0-9]* s *node-a *- *over$' output || { cat output >&2; fail "order-3"; }
grep -q '^north/order-1 *bank.run *between blocks *[0-9]* s *node-b *a program *unfinished$' output || { cat output >&2; fail "north"; }
grep -q '^order-4 *shop.run *level 2, attempt 3 *[0-9]* s *process 6789 *a program *unfinished$' output || { cat output >&2; fail "order-4"; }
contains output 'south/strange "\?[31m?'
# In all forms.
for words in "list orders.db" "orders.db list" "sqlite:orders.db" "list sqlite:orders.db"; do
    "$chorex" sessions $words >again
    [ "$(sed 's/ *[0-9]* s / s /' again)" = "$(sed 's/ *[0-9]* s / s /' output)" ] || fail "$words"
done
CHOREX_STORE=sqlite:orders.db "$chorex" sessions >again
contains again "order-2"
"$chorex" sessions orders.db --choreography bank >again
[ "$(wc -l <again)" = 3 ] || fail "--choreography"
"$chorex" sessions orders.db --space north >again
[ "$(wc -l <again)" = 2 ] || fail "--space"
"$chorex" sessions orders.db --json >json
python3 - <<'END'
import json
rows = [json.loads(line) for line in open("json")]
assert len(rows) == 6, rows
assert rows[5]["name"] == 'strange "\\\033[31m\n', rows[5]
assert rows[1]["alive"] is True and rows[4]["alive"] is False and rows[4]["waits_for"] == "a program"
assert rows[2]["outcome"] == "over" and rows[1]["term"] == 3 and rows[1]["version"] == 1
END

# ---- one of them ----
"$chorex" sessions show orders.db order-2 >output
contains output "shop.run"
contains output "version 1 of term 3"
grep -q '^1 *head *4$' output || fail "no head"
grep -q '^base *0 *5$' output || fail "no base"
"$chorex" sessions orders.db show order-3 --json >json
python3 -c 'import json; c = json.load(open("json")); assert c["pieces"] == [{"level": 2147483647, "role": 0, "size": 2}, {"level": 2147483647, "role": 2147483647, "size": 32}], c'
"$chorex" sessions show orders.db order-4 >output
contains output "failure   Buyer: no money"
CHOREX_STORE=orders.db "$chorex" sessions show order-2 >again
contains again "order-2"
status 1 "$chorex" sessions show orders.db order-1
contains messages "several sessions are called 'order-1': say which one"
"$chorex" sessions show orders.db order-1 --space north >output
contains output "bank.run"
"$chorex" sessions show orders.db order-1 --choreography shop >output
contains output "shop.run"
status 1 "$chorex" sessions show orders.db order-9
contains messages "there is no session 'order-9'"
"$chorex" sessions export orders.db order-2 out.json
[ "$(stat -c %a out.json)" = 600 ] || fail "others can read what was exported"
python3 -c 'import json; c = json.load(open("out.json")); assert c["pieces"][0]["data"] == "6275796572", c; assert c["token"] == "0000000000abcdef" + "0" * 16'
status 1 "$chorex" sessions export orders.db order-2 out.json
contains messages "out.json"
"$chorex" sessions orders.db --export order-2 >again.json
cmp out.json again.json
"$chorex" sessions export orders.db order-2 >again.json
cmp out.json again.json
status 1 "$chorex" sessions drop orders.db order-2
contains messages "node 'node-a', which decides about session 'order-2', is alive"
"$chorex" sessions drop --force orders.db order-2 >output
"$chorex" sessions orders.db --drop order-1 --space north >output
contains output "session 'order-1' of bank was dropped"
"$chorex" sessions orders.db >output
lacks output "north"
lacks output "order-2"
contains output "order-1"

# ---- a program that runs, and one that was killed, whose lease is not over ----
cat >owner.c <<'END'
#include <chorex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
choreography(owner, (Ann, Bob),
    void Ann.stay(void);
    def run() {
        checkpoint durable {
            Ann.stay();
            Ann.(1) ~> Bob._;
        }
    }
)
#include "owner.Ann.chor.h"
#include "owner.Bob.chor.h"
void Ann_stay(void)
{
    puts("begun");
    fflush(stdout);
    while (getchar() != EOF)
        ;
}
int main(int argc, char **argv)
{
    chx_session *session = owner_run_open(NULL, "mine", NULL);
    (void)argc, (void)argv;
    if (argc > 1)
        chx_session_cancel(session);
    return owner_run_wait(session);
}
END
"$CHORCC" owner.c $("$CHORCC" --libs=sqlite) -o owner
mkfifo in out
CHOREX_STORE=sqlite:owner.db ./owner <in >out &
owner=$!
exec 5>in 6<out
read -r line <&6
"$chorex" sessions owner.db >output
grep -q "^mine *owner.run *level 1, attempt 1 *[0-9]* s *process $owner *its roles *unfinished$" output || { cat output >&2; fail "mine"; }
status 1 "$chorex" sessions drop owner.db mine
contains messages "process $owner of this machine, which decides about session 'mine', is alive"
kill -9 $owner
wait $owner || true
exec 5>&- 6<&-
"$chorex" sessions owner.db >output
grep -q "^mine .* a program *unfinished$" output || { cat output >&2; fail "killed"; }
"$chorex" sessions drop owner.db mine >output
CHOREX_STORE=sqlite:owner.db ./owner cancel </dev/null >/dev/null 2>&1 || true
"$chorex" sessions owner.db >output
grep -q "^mine .* over: cancelled " output || { cat output >&2; fail "cancelled"; }

# ---- what is wrong ----
status 1 "$chorex" sessions nothing.db
contains messages "there is no file 'nothing.db'"
[ ! -e nothing.db ] || fail "it was made"
printf 'something else, which is long enough to be looked at by SQLite, and then some more of it. %0100d\n' 1 >text
status 1 "$chorex" sessions text
contains messages "is not a SQLite database"
status 2 "$chorex" sessions
contains messages "'list' needs a store"
status 2 "$chorex" sessions show orders.db
status 2 "$chorex" sessions orders.db unknown words
status 2 "$chorex" sessions --unknown orders.db
status 2 "$chorex" sessions mysql://somewhere
contains messages "unknown store"
if [ -e "$prefix/lib/libchorex-postgres.a" ]; then
    status 1 "$chorex" sessions "postgresql://nobody@/nothing?host=/nowhere"
    contains messages "the database can't be reached"
fi
# A damaged session is shown as such, and can be dropped.
python3 - <<'END'
import sqlite3
store = sqlite3.connect("orders.db")
store.execute("UPDATE chunk SET data = x'00' WHERE level = 0")
store.commit()
END
"$chorex" sessions orders.db >output
grep -q '^order-1 *shop.run *damaged' output || fail "damage is not seen"
status 1 "$chorex" sessions show orders.db order-1
contains messages "is damaged"
"$chorex" sessions drop orders.db order-1 >output
rm -f empty.db && ./make empty.db
python3 -c 'import sqlite3; s = sqlite3.connect("empty.db"); s.execute("DELETE FROM session"); s.commit()'
prints "no sessions" "$chorex" sessions empty.db
