// subject.h: the subjects on a NATS server that the carrier uses.
//
//   chorex.node.NAME          where the node NAME is dialled
//   chorex.pool.NAME          where one of those is dialled that listen for the pool NAME; the address is pool/NAME
//   chorex.to.CLIENT.STREAM   what one end of a stream receives. CLIENT: 32 random hexadecimal digits, for each node that is
//                             opened; STREAM: 16, for each end of a stream
//
// A name may have dots in it, which separate the parts of a subject: they are written as '~'.

#ifndef NET_NATS_SUBJECT_H
#define NET_NATS_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NATS_CLIENT_DIGITS = 32, NATS_SUBJECT_SIZE = 96 };
enum { NATS_ADDRESS_SIZE = 80 }; // of what is dialled and listened at

// The subject of an address. False: it is none.
bool nats_subject_of_address(const char *address, char subject[static NATS_SUBJECT_SIZE], bool *is_pool);

// `client`: its digits. The subject of all its streams has "*" in the place of a stream's number.
void nats_subject_of_stream(const char *client, uint64_t stream, char subject[static NATS_SUBJECT_SIZE]);
void nats_subject_of_streams(const char *client, char subject[static NATS_SUBJECT_SIZE]);

// Is this the subject of an end of a stream, whosever it is? *stream is set.
bool nats_subject_is_stream(const char *subject, uint64_t *stream);
// Is it one of this client's?
bool nats_subject_is_own(const char *subject, const char *client, uint64_t *stream);

#endif
