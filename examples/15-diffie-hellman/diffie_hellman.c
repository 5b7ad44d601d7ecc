// Diffie-Hellman key agreement: Alice and Bob, who share no secret, exchange two numbers in public and arrive at the
// same key. Then Alice sends Bob a message that is encrypted with it.
//! seeds: 100

#include "crypto.h"

#include <chorex.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

choreography(diffie_hellman, (Alice, Bob),
    def run(Alice.const char *message) -> Alice.chx_str, Bob.{chx_str, chx_str} {
        Alice.keys mine = make_keys();
        Bob.keys mine = make_keys();
        Alice.(mine.public) ~> Bob.theirs;
        Bob.(mine.public) ~> Alice.theirs;

        // Each computes it alone. If they did not get the same, both would fail here, and not when the letter is read.
        {Alice, Bob}.key = agree(Alice.(shared_key(mine.secret, theirs)), Bob.(shared_key(mine.secret, theirs)));

        Alice.(seal(key, message)) ~> Bob.letter;
        Bob.chx_str text = unseal(key, letter);
        return Alice.(fingerprint(key)), Bob.{fingerprint(key), text};
    }
)

#include "diffie_hellman.Alice.chor.h"
#include "diffie_hellman.Bob.chor.h"

int main(void)
{
    // OpenSSL's clean-up at exit would come before the end of the threads that run the roles.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);

    struct diffie_hellman_run_result result;
    if (diffie_hellman_run(&result, NULL, "Meet me at noon by the old mill.") != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "%s failed in line %d: %s\n", report->role, report->line, report->why);
        return 1;
    }
    // The keys are different in every run; what counts is that both have the same.
    bool same = strcmp(chx_cstr(result.Alice), chx_cstr(result.Bob.v0)) == 0;
    printf("Alice and Bob have %s key\n", same ? "the same" : "NOT the same");
    printf("Bob reads: %s\n", chx_cstr(result.Bob.v1));
    diffie_hellman_run_result_drop(&result);
    return same ? 0 : 1;
}

// expect: Alice and Bob have the same key
// expect: Bob reads: Meet me at noon by the old mill.
