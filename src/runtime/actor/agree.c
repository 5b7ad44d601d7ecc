// agree.c: roles find out whether they hold the same value, without sending it.
//
// Each role sends all others a digest of its value. Whoever receives one makes the same digest of its own value, and fails
// if they differ. Each compares for itself: nobody has to take another one's word for it, and one message in each
// direction is enough.
//
// The digest is a keyed hash of the value's encoded form, which has no padding and no addresses in it. The key is the
// session's token, and a random number that travels with the digest is hashed, too, as are the sender and the place in the
// choreography: a digest can't be compared with that of another session or another round, looked up in a table that was
// made before, or sent back as one's own. Who knows the token can still try values: a value that could be guessed in
// so many attempts is not hidden from the other roles of the session.

#include "runtime/actor/actor.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/value/codec.h"
#include "runtime/value/siphash.h"

static void encode_exits(void *buffer)
{
    chx_buffer_free(buffer);
}

// Appends the value's encoded form. A codec's function may fail as a role's functions do, and may end its thread: nothing
// is left behind then.
static void encode(const chx_type *type, const void *value, chx_buffer *buffer)
{
    Fault fault;
    bool is_encoded;
    pthread_cleanup_push(encode_exits, buffer);
    is_encoded = value_encode(type, value, buffer, &fault);
    pthread_cleanup_pop(0);
    if (is_encoded)
        return;
    chx_buffer_free(buffer);
    if (fault.kind == CHX_FAULT_NONE)
        guard_no_memory();
    value_raise(&fault);
}

// What the sender says of the value, if it has the same one.
static chx_agreement digest_of(const Actor *actor, uint64_t nonce, unsigned sender, uint32_t site, const chx_type *type,
                               const void *value)
{
    chx_buffer buffer = {0};
    chx_writer writer = {.buffer = &buffer};
    chx_agreement agreement = {.nonce = nonce};
    chx_write_u64(&writer, nonce);
    chx_write_u64(&writer, (uint64_t)site << 32 | sender);
    encode(type, value, &buffer);
    siphash(actor->session->token, buffer.data, buffer.size, agreement.digest);
    chx_buffer_free(&buffer);
    return agreement;
}

chx_agreement chx_agree_digest(chx_self *self, uint32_t site, const chx_type *type, const void *value)
{
    const Actor *actor = (const Actor *)self;
    uint64_t nonce;
    actor->session->runtime->platform->random(&nonce, sizeof nonce);
    return digest_of(actor, nonce, actor->index, site, type, value);
}

void chx_agree_compare(chx_self *self, uint32_t site, unsigned peer, const chx_type *type, const void *value,
                       const chx_agreement *received, const char *difference)
{
    chx_agreement own = digest_of((const Actor *)self, received->nonce, peer, site, type, value);
    if (own.digest[0] != received->digest[0] || own.digest[1] != received->digest[1])
        guard_raise(CHX_FAULT_AGREE, 0, site, "%s", difference);
}

void chx_central_agree(chx_self *self, const chx_type *type, const void *one, const void *other, const char *difference)
{
    const Actor *actor = (const Actor *)self;
    chx_agreement first = digest_of(actor, 0, 0, 0, type, one), second = digest_of(actor, 0, 0, 0, type, other);
    if (first.digest[0] != second.digest[0] || first.digest[1] != second.digest[1])
        guard_raise(CHX_FAULT_AGREE, 0, self->site, "%s", difference);
}
