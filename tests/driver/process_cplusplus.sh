# A C++ program whose C role is isolated: its static objects are there in the role's process, and so is standard input.
set -eu
. "$(dirname "$0")/common.bash"
cat >lines.h <<'END'
#ifndef LINES_H
#define LINES_H
#include <chorex.h>
#ifdef __cplusplus
extern "C"
#endif
int constructed(void);
choreography(lines, (Reader, Counter),
    chx_str Reader.line(void);
    def run() -> Counter.{chx_str, int} {
        Reader.line() ~> Counter.first;
        Reader.line() ~> Counter.second;
        return Counter.{chx_strf("%s/%s", chx_cstr(second), chx_cstr(first)), constructed()};
    }
)
#endif
END
cat >roles.c <<'END'
#include "lines.h"
#include "lines.Counter.chor.h"
#include "lines.Reader.chor.h"
#include <stdio.h>
#include <string.h>
chx_str Reader_line(void)
{
    char line[100];
    if (fgets(line, sizeof line, stdin) == NULL)
        chx_fail("no line");
    return chx_str_new(line, strcspn(line, "\n"));
}
END
cat >main.cc <<'END'
#include "lines.h"
#include "lines.chor.h"
#include <iostream>
#include <string>
static std::string object(40, 'x');
extern "C" int constructed(void)
{
    return (int)object.size();
}
int main()
{
    lines_cast cast = {};
    cast.Reader.isolation = CHX_PROCESS;
    cast.Counter.isolation = CHX_PROCESS;
    lines_run_result r;
    if (lines_run(&r, &cast) != CHX_OK) {
        std::cout << chx_last_report()->why << std::endl;
        return 1;
    }
    std::cout << chx_cstr(r.Counter.v0) << " " << r.Counter.v1 << std::endl;
    lines_run_result_drop(&r);
}
END
"$CHORCC" -c roles.c
g++ -Wall -Wextra -Werror $("$CHORCC" --cflags) -c main.cc -o main.o
g++ main.o roles.o $("$CHORCC" --libs) -o program
printf 'one\ntwo\n' >in
prints "two/one 40" ./program <in
printf 'one\n' >in
status 1 ./program <in
contains output "no line"
