# A choreography is found wherever a C file includes it from: with <> along -I, -isystem or CPATH, by -include, through a
# macro. In a C++ file it is refused.
set -eu
. "$(dirname "$0")/common.bash"
mkdir lib
pingpong
mv pingpong.h lib/
sed -i 's/"pingpong.h"/<pingpong.h>/' ping.c pong.c main.c

# with_flags FLAG...: builds all in one go, and each file on its own
with_flags()
{
    rm -f lib/*.chor.h ./*.o program
    "$CHORCC" "$@" ping.c pong.c main.c -o program
    prints 42 ./program
    rm -f lib/*.chor.h
    "$CHORCC" "$@" -c ping.c
    [ -f lib/pingpong.Ping.chor.h ] || fail "no companion with $*"
}
with_flags -Ilib
with_flags -I lib
with_flags -isystem lib
with_flags -idirafter lib
CPATH=lib with_flags -O0
C_INCLUDE_PATH=other:lib with_flags -O0

# Companions may be included with <>, too.
sed -i 's/"\(pingpong.*chor.h\)"/<\1>/' ping.c pong.c main.c
with_flags -Ilib

# A file that includes nothing but the header.
echo '#include <pingpong.h>' >bare.c
rm -f lib/*.chor.h
"$CHORCC" -Ilib --emit bare.c
[ -f lib/pingpong.Ping.chor.h ] || fail "no companion of a header that is included with <>"

# -include and computed includes.
sed -i '/<pingpong.h>/d' ping.c pong.c main.c
with_flags -include lib/pingpong.h
printf '#define HEADER <pingpong.h>\n#include HEADER\n' >computed.c
rm -f lib/*.chor.h
"$CHORCC" -Ilib -c computed.c
[ -f lib/pingpong.Ping.chor.h ] || fail "no companion of a computed include"

# One of the system's own folders would need other rights; --emit-dir helps.
with_flags -Ilib --emit-dir=lib -include pingpong.h

# C++: refused where the block stands in a C++ file, whatever the mode; fine in a header that C reads.
cat >block.h <<'END_OF_HEADER'
#include <chorex.h>
choreography(block, (Alice), def run() { })
END_OF_HEADER
for name in a.cc a.cpp a.cxx a.C a.c++ a.hpp a.hh; do
    cp block.h $name
    status 1 "$CHORCC" -fsyntax-only $name
    contains messages "$name:2:1: error: a choreography can't stand in a C++ file"
    echo 'int main(void) { return 0; }' >plain.c
    status 1 "$CHORCC" --emit plain.c $name
    contains messages "$name:2:1: error"
done
cp block.h as_cxx.c
status 1 "$CHORCC" -x c++ -c as_cxx.c
contains messages "as_cxx.c:2:1: error"
echo '#include "a.hpp"' >uses.cc
status 1 "$CHORCC" -c uses.cc
contains messages "a.hpp:2:1: error"
printf '#include "block.h"\nconst char *text = R"(choreography(a, (B)))";\n#if 0\n' >good.cc
cat block.h >>good.cc
printf '#endif\n' >>good.cc
status 0 "$CHORCC" -std=c++17 -Wall -Werror -c good.cc
status 0 "$CHORCC" -std=c++17 -x c++-header block.h -o block.h.gch
