# Missing and wrong functions of a role are reported at the use in the choreography and at the file that plays the role.
set -eu
. "$(dirname "$0")/common.bash"
pingpong
echo '#include "pingpong.h"
#include "pingpong.Pong.chor.h"' >pong.c
status 1 "$CHORCC" -c pong.c
contains messages "pingpong.h:"
contains messages "pong.c:2:"
contains messages "Pong_play"
contains messages "error:"
echo 'double Pong_play(const char *n) { return *n; }' >>pong.c
status 1 "$CHORCC" -c pong.c
contains messages "pingpong.h:"
contains messages "pong.c:3:"
contains messages "Pong_play"
printf '#include "pingpong.h"\n#define CHX_ROLE_AS other\n#include "pingpong.Pong.chor.h"\n' >pong.c
status 1 "$CHORCC" -c pong.c
contains messages "other_play"
contains messages "pong.c:3:"
echo 'int other_play(int n) { return n; }' >>pong.c
status 0 "$CHORCC" -c pong.c

# A type that was inferred can be settled by a prototype, which the note shows.
cat >inferred.c <<'END'
#include <chorex.h>
choreography(inferred, (Alice, Bob),
    def run(Alice.int n) {
        Alice.look(n > 3);
        Alice.n ~> Bob.const int m;
        Bob.(look(m));
    }
)
#include "inferred.Alice.chor.h"
#include "inferred.Bob.chor.h"
void Alice_look(bool big) { (void)big; }
void Bob_look(long n) { (void)n; }
END
status 1 "$CHORCC" -c inferred.c
contains messages "add 'void Alice.look(_Bool);' to the choreography"
contains messages "add 'void Bob.look(long);' to the choreography"
sed -i '/^    def run/i void Alice.look(_Bool); void Bob.look(long);' inferred.c
status 0 "$CHORCC" -c inferred.c
