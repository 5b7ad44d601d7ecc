// A document is kept in two places: ContentServer has it sealed, KeyServer has the key. MainServer needs both before it
// can give the text to Client, and takes the key first. Whichever server is slow, what the quick one has sent waits in
// its own channel and is neither lost, nor mistaken for something else, nor in anybody's way.

#include <chorex.h>
#include <stdio.h>

choreography(document, (KeyServer, ContentServer, MainServer, Client),
    chx_bytes KeyServer.load_key(void);
    chx_bytes ContentServer.load_sealed(void);
    chx_str   MainServer.unseal(chx_bytes sealed, chx_bytes key);

    // A server is as slow as it has questions: each one takes two messages.
    def run(KeyServer.int key_questions, ContentServer.int content_questions) -> Client.chx_str {
        question[KeyServer](KeyServer.key_questions);
        question[ContentServer](ContentServer.content_questions);
        KeyServer.load_key() ~> MainServer.key;
        ContentServer.load_sealed() ~> MainServer.sealed;
        MainServer.unseal(sealed, key) ~> Client.text;
        return Client.text;
    }

    // Client has to give the right answer to every question: the number that follows.
    def question[Server](Server.int count) {
        for (Server.int i = 0; Server.(i < count); Server.i++) {
            Server.i ~> Client.number;
            Client.(number + 1) ~> Server.(i + 1);
        }
    }
)

#include "document.KeyServer.chor.h"
#include "document.ContentServer.chor.h"
#include "document.MainServer.chor.h"
#include "document.Client.chor.h"

// A one-time pad: the key is as long as the text and is used for this text only.

static const unsigned char the_key[] = {
    0x9e, 0x37, 0x79, 0xb9, 0x7f, 0x4a, 0x7c, 0x15, 0xf3, 0x9c, 0xc0, 0x60,
    0x5c, 0xed, 0xc8, 0x34, 0x10, 0x82, 0x27, 0x6b, 0xf3, 0xa2, 0x72, 0x51,
};
static const unsigned char the_sealed_text[] = {
    0xd3, 0x52, 0x1c, 0xcd, 0x5f, 0x27, 0x19, 0x35, 0x92, 0xe8, 0xe0, 0x14,
    0x34, 0x88, 0xe8, 0x5b, 0x7c, 0xe6, 0x07, 0x06, 0x9a, 0xce, 0x1e, 0x7f,
};

chx_bytes KeyServer_load_key(void)
{
    return chx_bytes_new(the_key, sizeof the_key);
}

chx_bytes ContentServer_load_sealed(void)
{
    return chx_bytes_new(the_sealed_text, sizeof the_sealed_text);
}

chx_str MainServer_unseal(chx_bytes sealed, chx_bytes key)
{
    size_t size = chx_bytes_len(sealed);
    if (chx_bytes_len(key) != size)
        chx_fail("the key has %zu bytes, the text %zu", chx_bytes_len(key), size);
    const unsigned char *sealed_data = chx_bytes_data(sealed), *key_data = chx_bytes_data(key);
    char *text = chx_alloc(size);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(sealed_data[i] ^ key_data[i]);
    return chx_str_new(text, size);
}

static bool fetch(const char *what, int key_questions, int content_questions)
{
    struct document_run_result result;
    if (document_run(&result, NULL, key_questions, content_questions) != CHX_OK) {
        const chx_report *report = chx_last_report();
        printf("%s: %s failed at line %d: %s\n", what, report->role, report->line, report->why);
        return false;
    }
    printf("%s: %s\n", what, chx_cstr(result.Client));
    document_run_result_drop(&result);
    return true;
}

int main(void)
{
    bool good = fetch("slow key", 1000, 0) && fetch("slow content", 0, 1000) && fetch("both slow", 1000, 1000) &&
                fetch("both quick", 0, 0);
    return good ? 0 : 1;
}

// expect: slow key: Meet me at the old mill.
// expect: slow content: Meet me at the old mill.
// expect: both slow: Meet me at the old mill.
// expect: both quick: Meet me at the old mill.
