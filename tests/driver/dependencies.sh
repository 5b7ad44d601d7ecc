# -MD, -MMD, -MF, -MT, -MQ, -MP: the choreography's file and the companions are among the dependencies.
set -eu
. "$(dirname "$0")/common.bash"
pingpong
"$CHORCC" -MMD -c ping.c
contains ping.d "ping.o:"
contains ping.d "pingpong.h"
contains ping.d "pingpong.Ping.chor.h"
contains ping.d "pingpong.chor.h"
"$CHORCC" -MD -MF deps.txt -MT target -MP -c ping.c -o x.o
contains deps.txt "target:"
contains deps.txt "pingpong.h"
contains deps.txt "pingpong.h:"
"$CHORCC" -MMD -MQ 'a$b' -MF q.txt -c ping.c
contains q.txt 'a$$b:'
"$CHORCC" -MM ping.c >m.txt
contains m.txt "pingpong.Ping.chor.h"
