# The order of the companions' includes does not matter, and including one twice does no harm.
set -eu
. "$(dirname "$0")/common.bash"
hello
sed 's/#include "hello.Alice.chor.h"/#include "hello.Bob.chor.h"\n#include "hello.chor.h"/' hello.c >swapped.c
echo '#include "hello.Alice.chor.h"' >>swapped.c
mkdir other
cp swapped.c other/hello.c
"$CHORCC" -Wall -Wextra -Wpedantic -Werror other/hello.c -o program
prints 42 ./program
