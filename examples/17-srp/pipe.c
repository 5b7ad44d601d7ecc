// pipe.c: stand-ins for a role that is really played by another program at the other end of standard input and
// output. The choreography does not notice: what it gives to such a role is written, and what it wants from it is
// read.
//
//     client: user NAME, then server: challenge BITS SALT
//     client: A NUMBER,  then server: B NUMBER
//     client: M PROOF,   then server: proof PROOF, or refused
//
// One line each. BITS is decimal, everything else is hex.

#include "pipe.h"
#include "secrets.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 2 * SRP_MAX_SIZE + 64 };

static void line_write(const char *word, const void *data, size_t size)
{
    printf("%s", word);
    for (size_t i = 0; i < size; i++)
        printf("%s%02x", i == 0 ? " " : "", ((const unsigned char *)data)[i]);
    printf("\n");
    fflush(stdout);
}

static void bytes_write(const char *word, chx_bytes bytes)
{
    line_write(word, chx_bytes_data(bytes), chx_bytes_len(bytes));
}

static void line_read(char line[LINE_SIZE])
{
    if (fgets(line, LINE_SIZE, stdin) == NULL)
        chx_fail("the other side has hung up");
    size_t size = strlen(line);
    if (size == 0 || line[size - 1] != '\n')
        chx_fail("the other side sent half a line, or one that is too long");
    line[size - 1] = '\0';
}

static chx_bytes bytes_of_hex(const char *hex)
{
    unsigned char data[LINE_SIZE];
    size_t size;
    if (OPENSSL_hexstr2buf_ex(data, sizeof data, &size, hex, '\0') != 1)
        chx_fail("the other side sent something that is not hex");
    return chx_bytes_new(data, size);
}

// The rest of a line that must begin with `word` and a space.
static const char *rest_after(const char *line, const char *word)
{
    size_t size = strlen(word);
    if (strncmp(line, word, size) != 0 || line[size] != ' ')
        chx_fail("the other side was expected to send '%s'", word);
    return line + size + 1;
}

static chx_bytes bytes_read(const char *word)
{
    char line[LINE_SIZE];
    line_read(line);
    return bytes_of_hex(rest_after(line, word));
}

// ---- SrpClient is over there ----

#define CHX_ROLE_AS pipe_client
#include "srp.SrpClient.chor.h"

srp_record pipe_client_make_record(const char *user, const char *password_file, int bits)
{
    (void)user, (void)password_file, (void)bits;
    chx_fail("there is no registration through a pipe");
}

srp_secrets pipe_client_ask_password(const char *user, const char *password_file)
{
    (void)user, (void)password_file;
    return (srp_secrets){NULL};
}

const char *pipe_client_introduce(const char *user)
{
    (void)user;
    chx_bytes name = bytes_read("user");
    return chx_cstr(chx_str_new(chx_bytes_data(name), chx_bytes_len(name)));
}

chx_bytes pipe_client_public_number(srp_secrets mine, srp_challenge challenge, int least_bits)
{
    (void)mine, (void)least_bits;
    char word[32];
    snprintf(word, sizeof word, "challenge %d", challenge.bits);
    bytes_write(word, challenge.salt);
    return bytes_read("A");
}

chx_bytes pipe_client_proof(srp_secrets mine, chx_bytes server_public)
{
    (void)mine;
    bytes_write("B", server_public);
    return bytes_read("M");
}

bool pipe_client_trusts(srp_secrets mine, chx_bytes server_proof)
{
    (void)mine;
    bool accepted = chx_bytes_len(server_proof) > 0;
    bytes_write(accepted ? "proof" : "refused", server_proof);
    return accepted;
}

// ---- SrpServer is over there ----

#define CHX_ROLE_AS pipe_server
#include "srp.SrpServer.chor.h"

int pipe_server_open_group(const char *database, int bits)
{
    (void)database, (void)bits;
    chx_fail("there is no registration through a pipe");
}

bool pipe_server_store(const char *database, srp_record record)
{
    (void)database, (void)record;
    chx_fail("there is no registration through a pipe");
}

srp_secrets pipe_server_look_up(const char *database, const char *user)
{
    (void)database;
    line_write("user", user, strlen(user));
    return (srp_secrets){NULL};
}

srp_challenge pipe_server_challenge(srp_secrets mine)
{
    (void)mine;
    char line[LINE_SIZE], *end;
    line_read(line);
    long bits = strtol(rest_after(line, "challenge"), &end, 10);
    if (bits < 0 || bits > 8 * SRP_MAX_SIZE || *end != ' ')
        chx_fail("the other side sent a challenge of the wrong form");
    return (srp_challenge){.bits = (int)bits, .salt = bytes_of_hex(end + 1)};
}

chx_bytes pipe_server_public_number(srp_secrets mine, chx_bytes client_public)
{
    (void)mine;
    bytes_write("A", client_public);
    return bytes_read("B");
}

chx_bytes pipe_server_proof(srp_secrets mine, chx_bytes client_proof)
{
    (void)mine;
    bytes_write("M", client_proof);
    char line[LINE_SIZE];
    line_read(line);
    return strcmp(line, "refused") == 0 ? (chx_bytes){0} : bytes_of_hex(rest_after(line, "proof"));
}
