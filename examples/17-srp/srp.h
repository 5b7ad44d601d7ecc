// srp.h: Secure Remote Password, the choreography. A client who knows a password and a server who knows only
// something made from it prove to each other that they do. Neither the password nor anything to guess it with is ever
// sent.

#ifndef SRP_H
#define SRP_H

#include <chorex.h>

// What the server keeps of a user.
typedef struct {
    chx_str name;
    chx_bytes salt;
    chx_bytes verifier;
} srp_record;

// What a client needs for its first step: the group's size in bits, and the user's salt.
typedef struct {
    int bits;
    chx_bytes salt;
} srp_challenge;

// What a role must not show during a login. It is wiped when the role's variable is gone: at the end, and also when
// the session fails. It can't be sent. See secrets.h.
typedef struct {
    struct srp_hidden *hidden;
} srp_secrets;
void srp_secrets_encode(chx_writer *writer, const void *value);
bool srp_secrets_decode(chx_reader *reader, void *value);
void srp_secrets_drop(void *value);
CHX_CODEC(srp_secrets, srp_secrets_encode, srp_secrets_decode, srp_secrets_drop);

choreography(srp, (SrpClient, SrpServer),
    int         SrpServer.open_group(const char *database, int bits);
    srp_record  SrpClient.make_record(const char *user, const char *password_file, int bits);
    bool        SrpServer.store(const char *database, srp_record record);

    def registration(SrpClient.const char *user, SrpClient.const char *password_file,
                     SrpServer.const char *database, SrpServer.int bits) -> SrpClient.bool {
        SrpServer.open_group(database, bits) ~> SrpClient.bits;
        SrpClient.make_record(user, password_file, bits) ~> SrpServer.record;
        SrpServer.store(database, record) ~> SrpClient.stored;
        return SrpClient.stored;
    }

    const char *  SrpClient.introduce(const char *user);
    srp_secrets   SrpClient.ask_password(const char *user, const char *password_file);
    chx_bytes     SrpClient.public_number(srp_secrets mine, srp_challenge challenge, int least_bits);
    chx_bytes     SrpClient.proof(srp_secrets mine, chx_bytes server_public);
    bool          SrpClient.trusts(srp_secrets mine, chx_bytes server_proof);
    srp_secrets   SrpServer.look_up(const char *database, const char *user);
    srp_challenge SrpServer.challenge(srp_secrets mine);
    chx_bytes     SrpServer.public_number(srp_secrets mine, chx_bytes client_public);
    chx_bytes     SrpServer.proof(srp_secrets mine, chx_bytes client_proof);

    def login(SrpClient.const char *user, SrpClient.const char *password_file, SrpClient.int least_bits,
              SrpServer.const char *database) -> SrpClient.bool, SrpServer.bool {
        SrpClient.srp_secrets mine = ask_password(user, password_file);
        SrpClient.introduce(user) ~> SrpServer.user;
        SrpServer.srp_secrets mine = look_up(database, user);
        SrpServer.challenge(mine) ~> SrpClient.challenge;

        SrpClient.public_number(mine, challenge, least_bits) ~> SrpServer.a;
        SrpServer.public_number(mine, a) ~> SrpClient.b;

        // Whoever has the right password has the right key by now. The server's proof is empty if the client's is
        // wrong: the course of messages is the same for everybody.
        SrpClient.proof(mine, b) ~> SrpServer.client_proof;
        SrpServer.chx_bytes own_proof = proof(mine, client_proof);
        SrpServer.own_proof ~> SrpClient.server_proof;
        return SrpClient.trusts(mine, server_proof), SrpServer.(chx_bytes_len(own_proof) > 0);
    }
)

#endif
