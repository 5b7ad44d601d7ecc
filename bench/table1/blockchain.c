// blockchain.c: a Searcher looks for a nonce whose hash begins with a zero, a Verifier checks each. Variants: plain;
// checkpoint: each try, with all that follow, is a block; crash: the Verifier fails at every bad hash; hashing: only the
// hashes, by a loop in C.

#include "bench/table1/work.h"

enum { FIRST_NONCE = 42, FOUND_NONCE = 242 };

struct digest {
    unsigned char bytes[WORK_DIGEST_BYTES];
};

choreography(blockchain, (Searcher, Verifier),
    struct digest Searcher.hash(const char *data, int nonce);
    void Verifier.insist(struct digest digest);

    def plain(Verifier.const char *data, Verifier.int first) -> Verifier.int {
        Verifier.data ~> Searcher.const char *data;
        Verifier.first ~> Searcher.int nonce;
        return plain_from(Searcher.data, Searcher.nonce);
    }
    def plain_from(Searcher.const char *data, Searcher.int nonce) -> Verifier.int {
        Searcher.hash(data, nonce) ~> Verifier.struct digest digest;
        if (Verifier.(digest.bytes[0] == 0)) {
            Searcher.nonce ~> Verifier.int found;
            return Verifier.found;
        }
        return plain_from(Searcher.data, Searcher.(nonce + 1));
    }

    def checkpoints(Verifier.const char *data, Verifier.int first) -> Verifier.int {
        Verifier.data ~> Searcher.const char *data;
        Verifier.first ~> Searcher.int nonce;
        return checkpoints_from(Searcher.data, Searcher.nonce);
    }
    def checkpoints_from(Searcher.const char *data, Searcher.int nonce) -> Verifier.int {
        checkpoint {
            Searcher.hash(data, nonce) ~> Verifier.struct digest digest;
            if (Verifier.(digest.bytes[0] == 0)) {
                Searcher.nonce ~> Verifier.int found;
                return Verifier.found;
            }
            return checkpoints_from(Searcher.data, Searcher.(nonce + 1));
        } rescue {
            return Verifier.(-1);
        }
    }

    def crashes(Verifier.const char *data, Verifier.int first) -> Verifier.int {
        Verifier.data ~> Searcher.const char *data;
        Verifier.first ~> Searcher.int nonce;
        return crashes_from(Searcher.data, Searcher.nonce);
    }
    def crashes_from(Searcher.const char *data, Searcher.int nonce) -> Verifier.int {
        checkpoint {
            Searcher.hash(data, nonce) ~> Verifier.struct digest digest;
            Verifier.insist(digest);
            Searcher.nonce ~> Verifier.int found;
            return Verifier.found;
        } rescue {
            return crashes_from(Searcher.data, Searcher.(nonce + 1));
        }
    }
)

#include "blockchain.Searcher.chor.h"
#include "blockchain.Verifier.chor.h"

static struct digest Searcher_hash(const char *data, int nonce)
{
    char text[64];
    size_t size = strlen(data);
    memcpy(text, data, size);
    text[size] = (char)nonce;
    struct digest digest;
    work_digest(text, size + 1, digest.bytes);
    return digest;
}

static void Verifier_insist(struct digest digest)
{
    if (digest.bytes[0] != 0)
        chx_fail("not a zero");
}

static bool hash_all(void)
{
    struct digest digest;
    int nonce = FIRST_NONCE - 1;
    do
        digest = Searcher_hash("hello", ++nonce);
    while (digest.bytes[0] != 0);
    return nonce == FOUND_NONCE;
}

static bool sample(const WorkOptions *options)
{
    if (work_is(options, "hashing"))
        return hash_all();
    if (work_is(options, "checkpoint")) {
        struct blockchain_checkpoints_result result;
        return blockchain_checkpoints(&result, NULL, "hello", FIRST_NONCE) == CHX_OK && result.Verifier == FOUND_NONCE;
    }
    if (work_is(options, "crash")) {
        struct blockchain_crashes_result result;
        return blockchain_crashes(&result, NULL, "hello", FIRST_NONCE) == CHX_OK && result.Verifier == FOUND_NONCE;
    }
    struct blockchain_plain_result result;
    return blockchain_plain(&result, NULL, "hello", FIRST_NONCE) == CHX_OK && result.Verifier == FOUND_NONCE;
}

int main(int argc, char **argv)
{
    WorkOptions options = work_options(argc, argv, 0);
    return work_measure(&options, sample);
}
