# The digest of the protocol changes with what travels between roles and with nothing else; a role's state digest with its own part.
set -eu
. "$(dirname "$0")/common.bash"

cat >original.c <<'END'
#include <chorex.h>
#include <stdint.h>
struct order { int number; const char *title; };
enum { SLOTS = 3 };
choreography(shop, (Buyer, Seller, Clerk),
    int Seller.price(const char *title);
    bool Buyer.likes(int price);
    def run(Buyer.struct order wanted, Seller.int64_t stock) -> Buyer.int {
        Buyer.wanted ~> Seller.order;
        Buyer.int price;
        Clerk.int slots[SLOTS];
        checkpoint within 2s retry 3 {
            Seller.price(order.title) ~> Buyer.price;
            Seller.int slots[SLOTS];
            Seller.slots ~> Clerk.slots;
        } rescue {
            Buyer.price = 17;
        }
        if (Buyer.likes(price)) {
            Buyer.price ~> Seller.paid;
            relay[Seller, Clerk](Seller.paid);
        } else {
            Buyer.(true) ~> Seller._;
        }
        while (Clerk.(slots[0] > 0)) {
            Clerk.slots[0]--;
        }
        return Buyer.price;
    }
    def relay[From, To](From.int x) {
        From.x ~> To.y;
    }
    def look(Clerk.int x) {
        Clerk.x ~> {Buyer, Seller}.seen;
    }
)
#include "shop.Buyer.chor.h"
#include "shop.Seller.chor.h"
#include "shop.Clerk.chor.h"
END

# digests FOLDER: protocol, and the states of Buyer, Seller, Clerk
digests()
{
    "$CHORCC" --emit --emit-dir="$1" "$1/shop.c" >"$1/messages" 2>&1 || { cat "$1/messages"; fail "$1"; }
    sed -n 's/.*UINT64_C(\(0x[0-9a-f]*\)), CHX_BUILT,.*/protocol \1/p' "$1/shop.chor.h"
    for role in Buyer Seller Clerk; do
        sed -n "s/.*chx_function_table, [0-9]*, UINT64_C(\(0x[0-9a-f]*\)), .*/$role \1/p" "$1/shop.$role.chor.h"
    done
}

mkdir original
cp original.c original/shop.c
digests original >wanted
[ "$(wc -l <wanted)" -eq 4 ] || fail "no digests in the companions"
number=0

# changes WORDS SED-SCRIPT: exactly the digests of these words are others after the change
changes()
{
    number=$((number + 1))
    mkdir "$number"
    sed -E "$2" original.c >"$number/shop.c"
    ! cmp -s original.c "$number/shop.c" || fail "'$2' changes nothing"
    digests "$number" >"$number/digests"
    diff wanted "$number/digests" | sed -n 's/^> \([A-Za-z]*\) .*/\1/p' | tr '\n' ' ' >"$number/changed"
    [ "$(cat "$number/changed")" = "${1:+$1 }" ] || fail "'$2' changes '$(cat "$number/changed")', not '$1'"
}

everything="protocol Buyer Seller Clerk"

# Comments, formatting, and what else is in the file.
changes "" 's|^( *)def run|\1// What they do.\n\1def run|'
changes "" 's|Buyer.price = 17;|Buyer . price /* not much */ =\n 17;|'
changes "" 's|^struct order|static int another;\n&|'
changes "" 's/SLOTS/PLACES/g'
# Names of variables, of functions and of definitions that nobody starts; other expressions: the role's own state.
changes "Seller" 's/paid/got/g'
changes "" 's/Buyer.wanted ~>/Buyer.(wanted) ~>/'
changes "Seller" 's/\.price\(/.cost(/'
changes "Buyer" 's/likes/wants/'
changes "Buyer" 's/17/18/'
changes "Seller Clerk" 's/relay/pass_on/'
# Another integer type of the same kind and size in messages is the same protocol, but another variable.
changes "Seller" 's/Seller.int64_t/Seller.long long/'

# What travels: types, members, sizes.
changes "$everything" 's/int number;/long number;/'
changes "$everything" 's/int number;/unsigned number;/'
changes "$everything" 's/int number; const char \*title;/const char *title; int number;/'
changes "$everything" 's/int number/int count/'
changes "$everything" 's/SLOTS = 3/SLOTS = 4/'
changes "$everything" 's/Buyer.\(true\)/Buyer.(1L)/'
# Who sends what to whom, and where.
changes "$everything" 's/(Seller.slots ~>) Clerk.slots;/&\n Seller.slots ~> Buyer._;/'
changes "$everything" 's/\{Buyer, Seller\}.seen/{Buyer}.seen/'
changes "$everything" 's/relay\[Seller, Clerk\]\(Seller.paid\)/relay[Buyer, Clerk](Buyer.price)/'
changes "$everything" 's/Clerk.slots\[0\]--;/&\n Clerk.slots[0] ~> Seller._;/'
changes "$everything" 's/Buyer, Seller, Clerk\)/Seller, Buyer, Clerk)/'
# Blocks.
changes "$everything" 's/within 2s/within 3s/'
changes "$everything" 's/retry 3/retry 2/'
changes "$everything" 's/within 2s retry 3/retry 3/'
# What C code starts, gives and gets.
changes "$everything" 's/def look\(/def see(/'
changes "$everything" 's/Clerk.int x\)/Clerk.short x)/'
changes "$everything" 's/def look\(Clerk.int x\)/def look(Clerk.int x, Buyer.int n)/'
changes "$everything" 's/Buyer.int \{/Buyer.long {/'
