// A search that recurses inside its block: as many nested blocks as steps, left one by one.
// matrix crash: 0.005 0.01
#include <chorex.h>
#include <stdio.h>

choreography(nonce_search, (Searcher, Verifier),
    def step(Searcher.int x, Verifier.int limit) -> Searcher.int, Verifier.int {
        Searcher.int found = -1;
        Verifier.int nonce = -1;
        checkpoint {
            Searcher.((x * 37 + 11) % 64) ~> Verifier.hash;
            if (Verifier.(hash < limit)) {
                Searcher.found = x;
                Searcher.x ~> Verifier.nonce;
            } else {
                Searcher.found, Verifier.nonce = step(Searcher.(x + 1), Verifier.limit);
            }
        } rescue {
            Searcher.found, Verifier.nonce = step(Searcher.(x + 1), Verifier.limit);
        }
        return Searcher.found, Verifier.nonce;
    }
    def run(Verifier.int limit) -> Searcher.int, Verifier.int {
        Verifier.limit ~> Searcher.x;
        return step(Searcher.x, Verifier.limit);
    }
)

#include "nonce_search.Searcher.chor.h"
#include "nonce_search.Verifier.chor.h"

int main(void)
{
    struct nonce_search_run_result result;
    if (nonce_search_run(&result, NULL, 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.Searcher, result.Verifier);
    return 0;
}
