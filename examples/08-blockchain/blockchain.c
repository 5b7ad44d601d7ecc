// A miniature of mining. The Searcher looks for a nonce such that the SHA-256 hash of the data and the nonce begins with
// enough zero bits. The Verifier does not answer yes or no: it fails at every bad hash. Failing is its normal way of
// saying no, and the rescue goes on with the next nonce.
//
//     blockchain [DATA [DIFFICULTY [FIRST-NONCE]]]     defaults: hello, 8 bits, 42

#include <chorex.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct digest {
    unsigned char bytes[32];
};

choreography(blockchain, (Searcher, Verifier),
    struct digest Searcher.hash(const char *data, uint32_t nonce);
    void Verifier.insist(struct digest digest, int difficulty);

    def run(Verifier.const char *data, Verifier.int difficulty, Verifier.uint32_t first)
        -> Verifier.{uint32_t, struct digest, int}
    {
    Verifier.
    {
        data, first
    }
    ~ > Searcher.{const char * data, nonce};
    return search(Searcher.data, Searcher.nonce, Verifier.difficulty, Verifier.(0));
    }

    def search(Searcher.const char *data, Searcher.uint32_t nonce, Verifier.int difficulty, Verifier.int failures)
        -> Verifier.{uint32_t, struct digest, int}
    {
        checkpoint {
            Searcher.hash(data, nonce) ~> Verifier.digest;
            Verifier.insist(digest, difficulty);          // fails if the hash is not good
            Searcher.nonce ~> Verifier.found;
            return Verifier.{found, digest, failures};
}
rescue(fault)
{
    // Whoever died of something else than a bad hash has not judged this nonce: it is tried again.
    Searcher.nonce += fault.kind == CHX_FAULT_FAIL;
    return search(Searcher.data, Searcher.nonce, Verifier.difficulty, Verifier.(failures + 1));
}
}
)

#include "blockchain.Searcher.chor.h"
#include "blockchain.Verifier.chor.h"

// SHA-256 of the data, followed by the nonce in as few bytes as it needs, the highest first.
static struct digest Searcher_hash(const char *data, uint32_t nonce)
{
    unsigned char tail[4];
    size_t tail_size = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        if (tail_size > 0 || nonce >> shift != 0 || shift == 0)
            tail[tail_size++] = (unsigned char)(nonce >> shift);
    }
    struct digest digest;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) &&
                EVP_DigestUpdate(context, data, strlen(data)) && EVP_DigestUpdate(context, tail, tail_size) &&
                EVP_DigestFinal_ex(context, digest.bytes, NULL);
    EVP_MD_CTX_free(context);
    if (!good)
        abort(); // no memory: not the Verifier's way of failing
    return digest;
}

static int leading_zero_bits(struct digest digest)
{
    int bits = 0;
    while (bits < 256 && (digest.bytes[bits / 8] >> (7 - bits % 8) & 1) == 0)
        bits++;
    return bits;
}

static void Verifier_insist(struct digest digest, int difficulty)
{
    int bits = leading_zero_bits(digest);
    if (bits < difficulty)
        chx_fail("%d zero bits, not %d", bits, difficulty);
}

// A number from `lowest` to `highest`, or the end of the program.
static unsigned long number_argument(const char *name, const char *text, unsigned long lowest, unsigned long highest)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < lowest || number > highest) {
        fprintf(stderr, "blockchain: %s must be a number from %lu to %lu, not '%s'\n", name, lowest, highest, text);
        exit(2);
    }
    return number;
}

int main(int argc, char **argv)
{
    if (argc > 4) {
        fprintf(stderr, "usage: blockchain [DATA [DIFFICULTY [FIRST-NONCE]]]\n");
        return 2;
    }
    const char *data = argc > 1 ? argv[1] : "hello";
    int difficulty = argc > 2 ? (int)number_argument("DIFFICULTY", argv[2], 0, 16) : 8;
    uint32_t first = argc > 3 ? (uint32_t)number_argument("FIRST-NONCE", argv[3], 0, 0xffffffff) : 42;

    struct blockchain_cast cast = {.Searcher = {.restarts_max = 10}}; // the Verifier may fail as often as it likes
    struct blockchain_run_result result;
    if (blockchain_run(&result, &cast, data, difficulty, first) != CHX_OK) {
        const chx_report *report = chx_last_report();
        fprintf(stderr, "blockchain: %s failed at %s:%d: %s\n", report->role, report->file, report->line, report->why);
        return 1;
    }
    printf("nonce %u after %d failures\n", (unsigned)result.Verifier.v0, result.Verifier.v2);
    printf("hash  ");
    for (size_t i = 0; i < sizeof result.Verifier.v1.bytes; i++)
        printf("%02x", result.Verifier.v1.bytes[i]);
    putchar('\n');
    return 0;
}
