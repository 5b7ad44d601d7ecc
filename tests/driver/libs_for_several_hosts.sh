# --libs=net is what a program with chorex/net.h needs; a program without it is linked with nothing new.
set -eu
. "$(dirname "$0")/common.bash"
prefix=$(dirname "$(dirname "$CHORCC")")

hello
"$CHORCC" hello.c -o hello
ldd hello >libraries
lacks libraries ssl
lacks libraries crypto
"$CHORCC" --libs >libs
lacks libs chorex-net

# An installation without libchorex-net says what is missing.
mkdir -p elsewhere/lib elsewhere/include
cp "$prefix/lib/libchorex.a" elsewhere/lib/
cp -r "$prefix/include/." elsewhere/include/
CHORCC_PREFIX=$PWD/elsewhere status 2 "$CHORCC" --libs=net
contains messages "OpenSSL 3"
CHORCC_PREFIX=$PWD/elsewhere status 2 "$CHORCC" --libs=nats
contains messages "OpenSSL 3"
status 2 "$CHORCC" --libs=mqtt
contains messages "--libs, or --libs=net, nats, sqlite, postgres"

[ -e "$prefix/lib/libchorex-net.a" ] || { echo "libchorex-net is not built here"; exit 0; }
mkdir net && cd net
hello net.c
sed -i 's/#include <chorex.h>/#include <chorex.h>\n#include <chorex\/net.h>/' net.c
"$CHORCC" -Wall -Wextra -Wpedantic -Werror net.c $("$CHORCC" --cflags --libs=net) -o net
prints 42 ./net
# Also if it calls nothing of it.
nm net >symbols
contains symbols " T chx_node_start"
gcc -Wall -Wextra -Wpedantic -Werror net.c $("$CHORCC" --libs=net --cflags) -o net
prints 42 ./net
# The header is C++, too, and only names of ours are visible in the library.
printf '#include <chorex/net.h>\nint main() { return 0; }\n' >main.cc
g++ -Wall -Wextra -Wpedantic -Werror main.cc $("$CHORCC" --cflags --libs=net) -o main
nm -g --defined-only "$prefix/lib/libchorex-net.a" | awk 'NF == 3 && $3 !~ /^chx_/ { print $3 }' >visible
[ ! -s visible ] || { cat visible >&2; fail "libchorex-net has names that could meet the program's"; }

# A program gets the carrier over NATS, and with it libnats, only if it asks for it.
ldd net >libraries
lacks libraries nats
[ -e "$prefix/lib/libchorex-nats.a" ] || { echo "libchorex-nats is not built here"; exit 0; }
cp "$prefix/lib/libchorex-net.a" ../elsewhere/lib/
CHORCC_PREFIX=$PWD/../elsewhere status 2 "$CHORCC" --libs=nats
contains messages "libnats-dev"
for compiler in gcc "$CHORCC"; do
    "$compiler" -Wall -Wextra -Wpedantic -Werror net.c $("$CHORCC" --cflags --libs=nats) -o nats
    prints 42 ./nats
    ldd nats >libraries
    contains libraries libnats
    nm nats >names
    contains names "chx_carrier_nats"
done
nm -g --defined-only "$prefix/lib/libchorex-nats.a" | awk 'NF == 3 && $3 !~ /^chx_/ { print $3 }' >visible
[ ! -s visible ] || { cat visible >&2; fail "libchorex-nats has names that could meet the program's"; }
