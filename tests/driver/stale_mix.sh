# Objects made from different versions of a choreography don't run together: the report says to rebuild.
set -eu
. "$(dirname "$0")/common.bash"
pingpong
"$CHORCC" -c main.c ping.c pong.c
sed -i 's/Ping.serve(n) ~> Pong.n;/Ping.serve(n) ~> Pong.n; Ping.(1) ~> Pong._;/' pingpong.h
"$CHORCC" -c pong.c
"$CHORCC" main.o ping.o pong.o -o program
status 1 ./program
contains output "rebuild"
