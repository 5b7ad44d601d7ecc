# A program serves two versions of a choreography, each in a file of its own: clients meet the one that they were built from, and `chorex ping`
# shows the digests of both. A client of a third version is refused, with both digests in the message.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
[ -x "$(dirname "$CHORCC")/chorex-ping" ] || { echo "chorex-ping is not built here"; exit 0; }

for version in 1 2 3; do
    extra=""
    [ $version = 2 ] && extra='Buyer.(cost) ~> Seller.int back; Seller.(seen(back));'
    [ $version = 3 ] && extra='Seller.(item) ~> Buyer.int again; Buyer.(seen(again));'
    cat >choreography$version.h <<END
#include <chorex.h>
#include <chorex/net.h>
static inline void seen(int value) { (void)value; }
choreography(shop, (Buyer, Seller),
    int Seller.price(int item);
    def run(Buyer.int item) -> Buyer.int {
        Buyer.item ~> Seller.int item;
        Seller.price(item) ~> Buyer.int cost;
        $extra
        return Buyer.cost;
    }
)
END
    cat >seller$version.c <<END
#include "choreography$version.h"
#define CHX_ROLE_AS version$version
#include "shop.Seller.chor.h"
int version${version}_price(int item) { return item + ${version}00; }
chx_status serve$version(chx_node *node);
chx_status serve$version(chx_node *node) { return shop_run_serve_Seller(node, NULL); }
END
    cat >buyer$version.c <<END
#include "choreography$version.h"
#include "shop.Buyer.chor.h"
#include <stdio.h>
int main(void)
{
    int cost;
    chx_node *node = chx_node_open(NULL);
    if (node == NULL || shop_run_as_Buyer(&cost, node, NULL, 7) != CHX_OK)
        return puts(chx_last_report()->why), 1;
    printf("%d\n", cost);
    chx_node_close(node);
}
END
    mkdir s$version b$version
    "$CHORCC" -c --emit-dir=s$version seller$version.c -o seller$version.o
    "$CHORCC" --emit-dir=b$version buyer$version.c $("$CHORCC" --cflags --libs=net) -o buyer$version
done
cat >main.c <<'END'
#include <chorex.h>
#include <chorex/net.h>
#include <stdio.h>
chx_status serve1(chx_node *node), serve2(chx_node *node);
int main(void)
{
    chx_node *node = chx_node_open(NULL);
    if (node == NULL || serve1(node) != CHX_OK || serve2(node) != CHX_OK)
        return puts(chx_last_report()->why), 1;
    puts("ready");
    fflush(stdout);
    chx_node_run(node);
}
END
"$CHORCC" main.c seller1.o seller2.o $("$CHORCC" --cflags --libs=net) -o server
"$chorex" certs init ca >output
"$chorex" certs node seller --roles shop/Seller --dir ca >output
"$chorex" certs node buyer --roles shop/Buyer --dir ca >output
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for name in seller buyer; do
    printf '[node]\nname = %s\ncerts = ca\n' $name
    [ $name = seller ] && echo "listen = 127.0.0.1:$port"
    printf '[nodes]\nseller = 127.0.0.1:%s\n[shop]\nhome = Seller\nSeller = seller\nBuyer = any\n' "$port"
done >all.conf
sed -n '/name = seller/,/name = buyer/p' all.conf | sed '$d' | sed '$d' | sed '1i [node]' >seller.conf
sed -n '/name = buyer/,$p' all.conf | sed '1i [node]' >buyer.conf
mkfifo said
CHOREX_NODE=seller.conf timeout 100 ./server >said &
server=$!
read -r line <said
[ "$line" = ready ] || fail "$line"
export CHOREX_NODE=buyer.conf
[ "$(./buyer1)" = 107 ] || fail "version 1 does not meet version 1"
[ "$(./buyer2)" = 207 ] || fail "version 2 does not meet version 2"
./buyer3 >output && fail "version 3 is not refused"
contains output "is not the one of buyer"
contains output "rebuild one of them"
"$chorex" ping seller --count 1 >output || fail "seller is not found"
[ "$(grep -c 'digest       [0-9a-f]\{16\}  shop' output)" = 2 ] || fail "there are not two digests: $(cat output)"
kill $server
