// The dotted form means the role's own function, whatever C declares under that name.
// expect: 6
#include <chorex.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

choreography(dotted, (Alice, Bob),
    int Alice.read(int n);
    int Bob.send(int n, int m);
    def run(Alice.int n) -> Bob.int {
        Alice.read(n) ~> Bob.m;
        Bob.int sent = send(m, 3);
        return Bob.sent;
    }
)

#include "dotted.Alice.chor.h"
#include "dotted.Bob.chor.h"

int Alice_read(int n) { return n + 1; }
int Bob_send(int n, int m) { return n * m; }

int main(void)
{
    struct dotted_run_result r;
    if (dotted_run(&r, NULL, 1) != CHX_OK)
        return 1;
    printf("%d\n", r.Bob);
    return 0;
}
