# A role in a static archive is linked when the cast names it.
set -eu
. "$(dirname "$0")/common.bash"
pingpong
"$CHORCC" -c pong.c
ar rcs libpong.a pong.o
sed -e 's/struct pingpong_run_result r;/struct pingpong_run_result r; extern const chx_role pingpong_Pong;\n    struct pingpong_cast cast = {.Pong = {.role = \&pingpong_Pong}};/' \
    -e 's/(&r, NULL, 20)/(\&r, \&cast, 20)/' main.c >named.c
"$CHORCC" named.c ping.c -L. -lpong -o named
prints 42 ./named
"$CHORCC" main.c ping.c -L. -lpong -o unnamed
status 1 ./unnamed
contains output "Pong"
contains output "no implementation of Pong in this program: include \"pingpong.Pong.chor.h\" in a file of it"
contains output "in a static library, nothing refers to it there: name pingpong_Pong in the cast"
"$CHORCC" main.c ping.c -Wl,--whole-archive -L. -lpong -Wl,--no-whole-archive -o whole
prints 42 ./whole
