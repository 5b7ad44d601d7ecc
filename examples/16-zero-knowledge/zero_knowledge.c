// A login that gives nothing away. Prover knows x, Verifier knows only g^x. In every round Prover commits to a random
// g^r, Verifier tosses a coin, and Prover must show r or r + x. Whoever knows x can show either; whoever doesn't can
// prepare for one of them only, and is caught in half of the rounds. What Verifier sees are random numbers.
//! seeds: 100

#include "numbers.h"

#include <chorex.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    chx_bytes secret; // x
    chx_bytes public; // g^x
} identity;

typedef struct {
    chx_bytes random; // r
    chx_bytes sent;   // g^r
} commitment;

choreography(zero_knowledge, (Prover, Verifier),
    identity   Prover.make_identity(int bits);
    commitment Prover.commit(int bits, identity me);
    chx_bytes  Prover.answer(identity me, commitment own, bool coin);
    bool       Verifier.toss(void);
    bool       Verifier.fits(int bits, chx_bytes known, chx_bytes sent, bool coin, chx_bytes answer);

    def enroll({Prover, Verifier}.int bits) -> Prover.identity, Verifier.chx_bytes {
        Prover.identity me = make_identity(bits);
        Prover.(me.public) ~> Verifier.known;
        return Prover.me, Verifier.known;
    }

    def login({Prover, Verifier}.int bits, Prover.identity me, Verifier.chx_bytes known,
              Verifier.int rounds) -> Verifier.bool {
        for (Verifier.int round = 0; Verifier.(round < rounds); Verifier.round++) {
            Prover.commitment own = commit(bits, me);
            Prover.(own.sent) ~> Verifier.sent;
            Verifier.toss() ~> {Prover, Verifier}.coin;
            Prover.answer(me, own, coin) ~> Verifier.answer;
            if (Verifier.(!fits(bits, known, sent, coin, answer))) {
                return Verifier.(false);
            }
        }
        return Verifier.(true);
    }
)

#include "zero_knowledge.Prover.chor.h"
#include "zero_knowledge.Verifier.chor.h"

identity Prover_make_identity(int bits)
{
    BIGNUM *prime = group(bits);
    identity me = {.secret = random_bytes(SECRET_BITS)};
    BIGNUM *public = power_of_two(prime, me.secret);
    me.public = bytes_of(public, bits / 8);
    BN_free(public);
    BN_free(prime);
    return me;
}

commitment Prover_commit(int bits, identity me)
{
    (void)me;
    BIGNUM *prime = group(bits);
    commitment own = {.random = random_bytes(RANDOM_BITS)};
    BIGNUM *sent = power_of_two(prime, own.random);
    own.sent = bytes_of(sent, bits / 8);
    BN_free(sent);
    BN_free(prime);
    return own;
}

chx_bytes Prover_answer(identity me, commitment own, bool coin)
{
    BIGNUM *sum = number_of(own.random), *secret = number_of(me.secret);
    if (coin)
        need(BN_add(sum, sum, secret) == 1);
    chx_bytes answer = bytes_of(sum, ANSWER_SIZE);
    BN_clear_free(secret);
    BN_clear_free(sum);
    return answer;
}

bool Verifier_toss(void)
{
    return random_bit();
}

// Is g^answer what was sent, times g^x if the coin says so?
bool Verifier_fits(int bits, chx_bytes known, chx_bytes sent, bool coin, chx_bytes answer)
{
    size_t size = (size_t)bits / 8;
    if (chx_bytes_len(sent) != size || chx_bytes_len(known) != size || chx_bytes_len(answer) != ANSWER_SIZE)
        return false;
    BIGNUM *prime = group(bits);
    BIGNUM *expected = number_of(sent), *public = number_of(known), *shown = power_of_two(prime, answer);
    BN_CTX *context = BN_CTX_new();
    need(context != NULL);
    if (coin)
        need(BN_mod_mul(expected, expected, public, prime, context) == 1);
    bool good = BN_cmp(shown, expected) == 0;
    BN_CTX_free(context);
    BN_free(shown);
    BN_free(public);
    BN_free(expected);
    BN_free(prime);
    return good;
}

// Somebody else with Prover's public number who tries to log in without the secret: guesses the coin beforehand and
// commits to g^r or to g^r / g^x, for which r is the right answer if the guess was.

#define CHX_ROLE_AS cheater
#include "zero_knowledge.Prover.chor.h"

identity cheater_make_identity(int bits)
{
    (void)bits;
    chx_fail("a cheater has nothing to enroll");
}

commitment cheater_commit(int bits, identity me)
{
    commitment own = Prover_commit(bits, me);
    if (random_bit()) {
        BIGNUM *prime = group(bits), *sent = number_of(own.sent), *public = number_of(me.public);
        BN_CTX *context = BN_CTX_new();
        need(context != NULL && BN_mod_inverse(public, public, prime, context) != NULL);
        need(BN_mod_mul(sent, sent, public, prime, context) == 1);
        own.sent = bytes_of(sent, bits / 8);
        BN_CTX_free(context);
        BN_free(public);
        BN_free(sent);
        BN_free(prime);
    }
    return own;
}

chx_bytes cheater_answer(identity me, commitment own, bool coin)
{
    (void)coin;
    return Prover_answer(me, own, false);
}

static void usage(void)
{
    puts("usage: zero_knowledge [--rounds N] [--sessions N] [--bits 256|2048]\n"
         "Registers once, then logs in N times with the secret and N times without it.\n"
         "  --rounds N    coins in every login (32): a cheater passes with probability 1/2^N\n"
         "  --sessions N  logins of each kind (1)\n"
         "  --bits N      the group: 2048, or 256, which is quick but can be broken (2048)");
}

static void failed(void)
{
    const chx_report *report = chx_last_report();
    fprintf(stderr, "zero_knowledge: %s failed in line %d: %s\n", report->role, report->line, report->why);
    exit(1);
}

static int count_accepted(const chx_role *prover, int bits, identity me, chx_bytes known, int rounds, int sessions)
{
    struct zero_knowledge_cast cast = {.Prover = {.role = prover}};
    struct zero_knowledge_login_result result;
    int accepted = 0;
    for (int i = 0; i < sessions; i++) {
        if (zero_knowledge_login(&result, &cast, bits, me, known, rounds) != CHX_OK)
            failed();
        accepted += result.Verifier;
    }
    return accepted;
}

static int number_argument(const char *option, const char *text, int max)
{
    char *end;
    long number = text != NULL ? strtol(text, &end, 10) : 0;
    if (text == NULL || *end != '\0' || number < 1 || number > max) {
        fprintf(stderr, "zero_knowledge: %s needs a number from 1 to %d\n", option, max);
        exit(2);
    }
    return (int)number;
}

int main(int argc, char **argv)
{
    int rounds = 32, sessions = 1, bits = 2048;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0) {
            usage();
            return 0;
        } else if (strcmp(argv[i], "--rounds") == 0) {
            rounds = number_argument(argv[i], argv[i + 1], 1000);
        } else if (strcmp(argv[i], "--sessions") == 0) {
            sessions = number_argument(argv[i], argv[i + 1], 1000000);
        } else if (strcmp(argv[i], "--bits") == 0) {
            bits = number_argument(argv[i], argv[i + 1], 4096);
        } else {
            fprintf(stderr, "zero_knowledge: unknown option '%s'; see --help\n", argv[i]);
            return 2;
        }
    }
    if (bits != 256 && bits != 2048) {
        fprintf(stderr, "zero_knowledge: there is no group of %d bits, only 256 and 2048\n", bits);
        return 2;
    }
    // OpenSSL's clean-up at exit would come before the end of the threads that run the roles.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);

    struct zero_knowledge_enroll_result keys;
    if (zero_knowledge_enroll(&keys, NULL, bits) != CHX_OK)
        failed();
    identity owner = keys.Prover, stranger = {.public = keys.Prover.public};
    printf("with the secret: %d of %d logins accepted\n",
           count_accepted(NULL, bits, owner, keys.Verifier, rounds, sessions), sessions);
    printf("without it: %d of %d logins accepted\n",
           count_accepted(&cheater, bits, stranger, keys.Verifier, rounds, sessions), sessions);
    zero_knowledge_enroll_result_drop(&keys);
    return 0;
}

// expect: with the secret: 1 of 1 logins accepted
// expect: without it: 0 of 1 logins accepted
