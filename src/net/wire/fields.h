// fields.h: what is in each frame between two nodes, written down once.
//
// From these lists come the C structs (wire.h), the tables that encoding, decoding and the tests go by (wire.c), and the
// tables of docs/wire.md (describe.c). A field has a type, a name and a sentence for the documentation; a list has the kind
// of its items and the most that it may have. O is the struct that the field belongs to.
//
// Types: BOOL, U8, U16, U32, U64; ID (16 bytes); NAME (up to 255 printable characters); TEXT (up to 65535 bytes, none of
// them 0); BYTES (up to 4 GiB).
//
// A record is encoded like the body of a frame, but is none: it travels as BYTES in frames, and whoever only keeps it need
// not look into it.

#ifndef NET_WIRE_FIELDS_H
#define NET_WIRE_FIELDS_H

#include <stdint.h>

// clang-format off

// ---- items of lists: they contain no lists themselves ----

#define WIRE_ITEM_KINDS(K)                                                                                             \
    K(FAULT, Fault, fault, "why an attempt, or a session, was given up")                                               \
    K(BLOCK, Block, block, "a block that the role is in, or the end of the last durable one (identifier 0, name 0)")   \
    K(CHANNEL, Channel, channel, "where the role stands in its channels to and from another role")                     \
    K(KEPT, Kept, kept, "a message of the sender's window: sent, and not yet known to be taken")                       \
    K(SEAT, Seat, seat, "which life plays a role now, and where")                                                      \
    K(RECOVERY, Recovery, recovery, "a block in another attempt than the first, which the role takes part in and is not in")

#define WIRE_FAULT_FIELDS(F, L, O)                                                                                     \
    F(O, U8, kind, "`chx_fault_kind`")                                                                                 \
    F(O, U32, signal, "the signal, 0: none")                                                                           \
    F(O, U32, line, "where: the line")                                                                                 \
    F(O, TEXT, role, "who")                                                                                            \
    F(O, TEXT, why, "what happened")                                                                                   \
    F(O, TEXT, file, "where: the file")
#define WIRE_BLOCK_FIELDS(F, L, O)                                                                                     \
    F(O, ID, id, "identifier of the instance")                                                                         \
    F(O, U32, name, "the block, under its name that all participants know")                                            \
    F(O, U32, ordinal, "how often the role has entered it before, in this attempt of the block around")                \
    F(O, U32, attempt, "the attempt that the role begins or goes on with")                                             \
    F(O, BYTES, saved, "what the role begins it with: a SAVED")
#define WIRE_CHANNEL_FIELDS(F, L, O)                                                                                   \
    F(O, U16, role, "the other role")                                                                                  \
    F(O, U32, out_epoch, "epoch of the next message to it")                                                            \
    F(O, U64, out_number, "number of the next message to it")                                                          \
    F(O, U32, in_epoch, "epoch of the next message from it")                                                           \
    F(O, U64, in_number, "number of the next message from it: the first that the role has not consumed")
#define WIRE_KEPT_FIELDS(F, L, O)                                                                                      \
    F(O, U16, to, "the role that it is for")                                                                           \
    F(O, U32, epoch, "as in DATA")                                                                                     \
    F(O, U64, number, "as in DATA")                                                                                    \
    F(O, U32, site, "as in DATA")                                                                                      \
    F(O, BYTES, value, "as in DATA")
#define WIRE_SEAT_FIELDS(F, L, O)                                                                                      \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "its life")                                                                                        \
    F(O, BOOL, has_ended, "it has come to its end")                                                                    \
    F(O, NAME, node,                                                                                                   \
      "name of its node, or `~` and its incarnation in hexadecimal digits if it has no certificate; of a role that "   \
      "has ended: that of the home, which sends what it had kept")                                                     \
    F(O, NAME, address, "where that node listens; empty: it dials only")

#define WIRE_RECOVERY_FIELDS(F, L, O)                                                                                  \
    F(O, ID, id, "as in RECOVER")                                                                                      \
    F(O, U32, depth, "as in RECOVER")                                                                                  \
    F(O, U32, attempt, "as in RECOVER")                                                                                \
    F(O, U32, epoch, "as in RECOVER")                                                                                  \
    F(O, U8, kind, "as in FAULT")                                                                                      \
    F(O, U32, signal, "as in FAULT")                                                                                   \
    F(O, U32, line, "as in FAULT")                                                                                     \
    F(O, TEXT, role, "as in FAULT")                                                                                    \
    F(O, TEXT, why, "as in FAULT")                                                                                     \
    F(O, TEXT, file, "as in FAULT")

// ---- frames: K(name, number, struct, member, sentence) ----

// Numbers below WIRE_NUMBERED_FROM concern one connection. Those from there on are numbered and arrive once and in order.
// From WIRE_RECORDS_FROM on they are records, which are no frames.
#define WIRE_KINDS(K)                                                                                                  \
    K(HELLO, 1, Hello, hello, "who this is: the first frame of each side of a connection; the side that dialled begins") \
    K(PING, 2, Ping, ping, "are you there?")                                                                           \
    K(PONG, 3, Pong, pong, "the answer to PING")                                                                       \
    K(ACK, 4, Ack, ack, "numbered frames that have arrived")                                                           \
    K(DUPLICATE, 5, Duplicate, duplicate, "another connection of the two nodes stays; this one is closed")             \
    K(ERROR, 6, Error, error, "the other side broke the protocol; this connection is closed")                          \
    K(BYE, 7, Bye, bye, "the node ends in order: nothing more will come, on any connection")                           \
    K(CHUNK, 16, Chunk, chunk, "a piece of a message that is larger than a frame")                                     \
    K(RELAY_OPEN, 17, RelayOpen, relay_open, "a stream of bytes to another node through this one; or from another node") \
    K(RELAY_BYTES, 18, RelayBytes, relay_bytes, "bytes of such a stream")                                              \
    K(RELAY_TAKEN, 19, RelayTaken, relay_taken, "how much of a stream has been taken at its end")                      \
    K(RELAY_CLOSE, 20, RelayClose, relay_close, "the stream has ended, or could not be opened")                        \
    K(OUTCOME, 29, Outcome, outcome, "from a home, the answer to JOIN: the session is over, and this is how")          \
    K(SEEK, 30, Seek, seek, "from a home: would the node play this role in sessions of mine? The answer is OFFER or REFUSED") \
    K(UNREACHED, 31, Unreached, unreached, "to the home: nothing reaches the node of another role; or it is reached again")\
    K(JOIN, 32, Join, join, "to the home: a node wants to play a role of a session")                                   \
    K(OFFER, 33, Offer, offer, "to the home: a node can play a role of sessions to come")                              \
    K(REFUSED, 34, Refused, refused, "the answer to JOIN, OFFER or SEEK, or of a node to RESTORE: it can't be done")         \
    K(RESTORE, 35, Restore, restore, "from the home: play this role, from here on")                                    \
    K(ENTER, 36, Enter, enter, "to the home: the role has entered a block")                                            \
    K(EACK, 37, Eack, eack, "from the home: ENTER, or END, has arrived")                                               \
    K(ARRIVE, 38, Arrive, arrive, "to the home: the role stands at the end of a block")                                \
    K(GO, 39, Go, go, "from the home: all have arrived, the block or round is over")                                   \
    K(FAIL, 40, Fail, fail, "to the home: the role has failed")                                                        \
    K(RECOVER, 41, Recover, recover, "from the home: go back to the beginning of this attempt")                        \
    K(READY, 42, Ready, ready, "to the home: the role has gone back")                                                  \
    K(START, 43, Start, start, "from the home: act in the new attempt")                                                \
    K(LIFE, 44, Life, life, "from the home: who plays a role from now on")                                             \
    K(FENCED, 45, Fenced, fenced, "from the home: this life is over, another one plays the role")                      \
    K(END, 46, End, end, "to the home: the role has come to its end")                                                  \
    K(CANCEL, 47, Cancel, cancel, "to the home: the session is to end")                                                \
    K(STOP, 48, Stop, stop, "from the home: the session is over")                                                      \
    K(DATA, 49, Data, data, "a message from one role to another")                                                      \
    K(TAKEN, 50, Taken, taken, "how far the messages of a role have been consumed")                                    \
    K(SAVED, 51, Saved, saved, "what a new life of a role begins with, besides the block and its attempt")
enum { WIRE_NUMBERED_FROM = 16, WIRE_RECORDS_FROM = 51, WIRE_KIND_LIMIT = 52 };

#define WIRE_HELLO_FIELDS(F, L, O)                                                                                     \
    F(O, U32, magic, "0x31786863: `chx1`")                                                                             \
    F(O, U32, version, "of this protocol: 1")                                                                          \
    F(O, ID, incarnation, "16 random bytes, drawn when the node was opened")                                           \
    F(O, ID, peer, "the other node's incarnation, as far as this one knows it; 0: not at all")                         \
    F(O, U64, received, "number of the last numbered frame that has arrived from `peer`")                              \
    F(O, U64, dialled, "when this connection was dialled, in ns of the dialler's clock; in an answer, the time of its own clock") \
    F(O, U32, message_max, "the largest message that this node takes, in bytes")                                       \
    F(O, NAME, node, "name of the node")                                                                               \
    F(O, NAME, build, "version of the library, for messages")
#define WIRE_PING_FIELDS(F, L, O)                                                                                      \
    F(O, U64, nonce, "any number")
#define WIRE_PONG_FIELDS(F, L, O)                                                                                      \
    F(O, U64, nonce, "that of the PING")
#define WIRE_ACK_FIELDS(F, L, O)                                                                                       \
    F(O, U64, received, "this one and all before it have arrived")
#define WIRE_DUPLICATE_FIELDS(F, L, O)                                                                                 \
    F(O, U64, dialled, "which one: from HELLO")
#define WIRE_ERROR_FIELDS(F, L, O)                                                                                     \
    F(O, U32, code, "what was wrong (see below)")                                                                      \
    F(O, TEXT, text, "the same in words")
#define WIRE_BYE_FIELDS(F, L, O)                                                                                       \
    F(O, TEXT, text, "why")
#define WIRE_CHUNK_FIELDS(F, L, O)                                                                                     \
    F(O, U32, stream, "which message: any number that is not in use")                                                  \
    F(O, U8, kind, "the kind of frame that the message is the body of")                                                \
    F(O, U32, total, "size of that body in bytes")                                                                     \
    F(O, U32, offset, "where in it the piece belongs: pieces of a message come in order")                              \
    F(O, BYTES, piece, "up to 16 KiB")
#define WIRE_RELAY_OPEN_FIELDS(F, L, O)                                                                                \
    F(O, U32, stream, "its number, below 2^31, given by the side that opens it: each a new one")                       \
    F(O, BOOL, ends, "it ends here; else it is to be carried on")                                                      \
    F(O, NAME, node, "it ends here: where it begins; else: where it is to end")
#define WIRE_RELAY_BYTES_FIELDS(F, L, O)                                                                               \
    F(O, U32, stream, "its number; with the highest bit set if the receiver of this frame has opened it")              \
    F(O, BYTES, bytes, "as they are, encrypted by the two ends; 1 to 15360 of them")
#define WIRE_RELAY_TAKEN_FIELDS(F, L, O)                                                                               \
    F(O, U32, stream, "as in RELAY_BYTES")                                                                             \
    F(O, U64, count, "bytes since it was opened; at most 131072 more may be on their way")
#define WIRE_RELAY_CLOSE_FIELDS(F, L, O)                                                                               \
    F(O, U32, stream, "as in RELAY_BYTES")                                                                             \
    F(O, TEXT, text, "why")
#define WIRE_SEEK_FIELDS(F, L, O)                                                                                      \
    F(O, U64, request, "a number for the answer")                                                                      \
    F(O, NAME, choreography, "its name")                                                                               \
    F(O, NAME, definition, "the definition")                                                                           \
    F(O, U64, protocol, "digest of the protocol: must be equal on both sides")                                         \
    F(O, NAME, role, "the role")                                                                                       \
    F(O, NAME, build, "when this side was built, for messages")
#define WIRE_UNREACHED_FIELDS(F, L, O)                                                                                 \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that speaks")                                                                      \
    F(O, U16, of, "the role that is not reached")                                                                      \
    F(O, U32, of_life, "its life")                                                                                     \
    F(O, BOOL, is_over, "it is reached again")
#define WIRE_JOIN_FIELDS(F, L, O)                                                                                      \
    F(O, U64, request, "a number for the answer")                                                                      \
    F(O, NAME, choreography, "its name")                                                                               \
    F(O, NAME, definition, "the definition that is run")                                                               \
    F(O, U64, protocol, "digest of the protocol: must be equal on both sides")                                         \
    F(O, U64, state, "digest of the role's state: must be equal to go on from a snapshot")                             \
    F(O, NAME, role, "the role")                                                                                       \
    F(O, NAME, home, "the role whose node decides, as this side has it configured")                                    \
    F(O, NAME, name, "name of the session; empty: a new one")                                                          \
    F(O, U64, session, "from RESTORE: the role was played here, and is to be again; 0: it was not")                     \
    F(O, ID, seat_key, "from RESTORE, if there is a session: who has no certificate can't come back without it")       \
    F(O, ID, token, "from RESTORE of a durable session whose home was lost: that one is meant; 0: none")               \
    F(O, NAME, space, "from RESTORE, with `token`")                                                                    \
    F(O, NAME, address, "where the node listens; empty: it dials only")                                                \
    F(O, NAME, build, "when this side was built, for messages")
#define WIRE_OFFER_FIELDS(F, L, O)                                                                                     \
    F(O, U64, request, "a number for the answer")                                                                      \
    F(O, NAME, choreography, "its name")                                                                               \
    F(O, NAME, definition, "the definition")                                                                           \
    F(O, U64, protocol, "digest of the protocol")                                                                      \
    F(O, U64, state, "digest of the role's state")                                                                     \
    F(O, NAME, role, "the role")                                                                                       \
    F(O, NAME, address, "where the node listens; empty: it dials only")                                                \
    F(O, U32, sessions_max, "so many at once; 0: the offer is withdrawn")                                              \
    F(O, U32, sessions, "so many it has now")                                                                          \
    F(O, BOOL, takes_arguments, "the home may give the role's arguments, with RESTORE")
#define WIRE_REFUSED_FIELDS(F, L, O)                                                                                   \
    F(O, U64, request, "that of JOIN, OFFER or SEEK; 0: RESTORE is meant")                                                   \
    F(O, U64, session, "that of RESTORE")                                                                              \
    F(O, U16, role, "that of RESTORE")                                                                                 \
    F(O, U32, life, "that of RESTORE")                                                                                 \
    F(O, U32, code, "why (see below)")                                                                                 \
    F(O, TEXT, text, "the same in words")
#define WIRE_OUTCOME_FIELDS(F, L, O)                                                                                   \
    F(O, U64, request, "that of JOIN")                                                                                 \
    F(O, U8, status, "`chx_status` of the session")                                                                    \
    F(O, U32, restarts, "so many lives were lost and replaced, of all roles")                                          \
    F(O, BYTES, result, "of the role; empty: it has none")                                                             \
    L(O, FAULT, fault, 1, "why, if it has failed")
#define WIRE_RESTORE_FIELDS(F, L, O)                                                                                   \
    F(O, U64, request, "that of JOIN; 0: the home asks, after OFFER")                                                  \
    F(O, U64, session, "a random number for this session and term: names them in all frames that follow")              \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "number of the life in this term")                                                                 \
    F(O, NAME, choreography, "its name")                                                                               \
    F(O, NAME, definition, "the definition")                                                                           \
    F(O, U64, protocol, "digest of the protocol")                                                                      \
    F(O, ID, token, "of the session: 16 random bytes")                                                                 \
    F(O, NAME, name, "name of the session; empty: it has none")                                                        \
    F(O, NAME, opener, "name of the node that has asked for the session; empty: it has no certificate")                \
    F(O, U64, term, "number of homes that the session has had")                                                        \
    F(O, BOOL, is_durable, "the session is kept in a store: the role waits at the edges of durable blocks")            \
    F(O, NAME, space, "whose names the session's is one of; empty: everybody's")                                       \
    F(O, ID, seat_key, "to come back without a certificate; 0: none")                                                  \
    F(O, BYTES, arguments, "of the role, from the opener; empty: it has its own")                                      \
    F(O, U32, window_messages, "so many messages are kept for one receiver at most: the same for all roles of the session") \
    F(O, U32, window_bytes, "and so many bytes of values; the last message may exceed that")                             \
    L(O, BLOCK, blocks, 65535, "that the role is in, the outermost first; none: it begins")                            \
    F(O, U32, epoch, "of the innermost block: its channels with participants of that go on there, unless they are ahead") \
    L(O, SEAT, roster, 65535, "of each role that has begun: the life that has begun last, or has ended")               \
    L(O, FAULT, fault, 1, "why the innermost block is in another attempt; none: it is in its first")                   \
    L(O, RECOVERY, recoveries, 65535, "of blocks that the role has not entered yet")
#define WIRE_ENTER_FIELDS(F, L, O)                                                                                     \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that speaks")                                                                      \
    F(O, ID, id, "identifier of the block's instance")                                                                 \
    F(O, U32, name, "the block, under its name that all participants know")                                            \
    F(O, U32, ordinal, "how often the role has entered it before, in this attempt of the block around")                \
    F(O, U32, attempt, "the attempt that the role begins it in")                                                       \
    F(O, BYTES, saved, "what it begins it with: a SAVED, whose frames are what is new against the enclosing block")
#define WIRE_EACK_FIELDS(F, L, O)                                                                                      \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that is meant")                                                                    \
    F(O, ID, id, "identifier of the block's instance; 0: END has arrived")
#define WIRE_ARRIVE_FIELDS(F, L, O)                                                                                    \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that speaks")                                                                      \
    F(O, ID, id, "identifier of the block's instance")                                                                 \
    F(O, U32, attempt, "the attempt at whose end it stands")                                                           \
    L(O, BLOCK, next, 1, "at the end of a round, the next one; none: the block ends here")
#define WIRE_GO_FIELDS(F, L, O)                                                                                        \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that is meant")                                                                    \
    F(O, ID, id, "identifier of the block's instance")                                                                 \
    F(O, U32, attempt, "the attempt")                                                                                  \
    F(O, ID, next, "identifier of the next round; 0: the block is left")
#define WIRE_FAIL_FIELDS(F, L, O)                                                                                      \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that speaks")                                                                      \
    L(O, FAULT, fault, 1, "why")
#define WIRE_RECOVER_FIELDS(F, L, O)                                                                                   \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that is meant")                                                                    \
    F(O, ID, id, "identifier of the block's instance")                                                                 \
    F(O, U32, depth, "so many of the blocks that the role is in are around it")                                        \
    F(O, U32, attempt, "its new attempt")                                                                              \
    F(O, U32, epoch, "of the channels among its participants from now on")                                             \
    L(O, FAULT, fault, 1, "why")
#define WIRE_READY_FIELDS(F, L, O)                                                                                     \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that speaks")                                                                      \
    F(O, U32, epoch, "that of RECOVER; 0: the life only asks whether it is heard")
#define WIRE_START_FIELDS(F, L, O)                                                                                     \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that is meant")                                                                    \
    F(O, U32, epoch, "that of READY")
#define WIRE_LIFE_FIELDS(F, L, O)                                                                                      \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that is meant")                                                                    \
    F(O, U16, of, "the role that is told of")                                                                          \
    F(O, U32, of_life, "the life of it that has begun, or has ended")                                                  \
    F(O, BOOL, has_ended, "it has come to its end")                                                                    \
    F(O, NAME, node, "name of its node; if it has ended: that of the home, which sends what it had kept")              \
    F(O, NAME, address, "where that node listens; empty: it dials only")
#define WIRE_FENCED_FIELDS(F, L, O)                                                                                    \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that is over")
#define WIRE_END_FIELDS(F, L, O)                                                                                       \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that speaks")                                                                      \
    F(O, BYTES, result, "its value; empty: it has none")                                                               \
    L(O, KEPT, kept, 1 << 20, "messages that the home has to keep, for each role in order")
#define WIRE_CANCEL_FIELDS(F, L, O)                                                                                    \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that speaks")                                                                      \
    F(O, TEXT, why, "for messages")
#define WIRE_STOP_FIELDS(F, L, O)                                                                                      \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, role, "the role")                                                                                        \
    F(O, U32, life, "the life of it that is meant")                                                                    \
    F(O, U8, status, "`chx_status` of the session")                                                                    \
    F(O, U32, restarts, "so many lives were lost and replaced, of all roles")                                          \
    L(O, FAULT, fault, 1, "why, if it has failed")
#define WIRE_DATA_FIELDS(F, L, O)                                                                                      \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, from, "the role that speaks")                                                                            \
    F(O, U32, from_life, "its life")                                                                                   \
    F(O, U16, to, "the role that it is for")                                                                           \
    F(O, U32, to_life, "the life of it that it is for: no other one takes it")                                         \
    F(O, U32, epoch, "of the channel")                                                                                 \
    F(O, U64, number, "of the message, from 0 on in each epoch")                                                       \
    F(O, U32, site, "the send that it comes from")                                                                     \
    F(O, BYTES, value, "encoded as described under Values")                                                            \
    F(O, BYTES, more,                                                                                                  \
      "the messages that follow it in the channel, for each of them: u32 the send that it comes from, u32 size of the "  \
      "value, the value")
#define WIRE_TAKEN_FIELDS(F, L, O)                                                                                     \
    F(O, U64, session, "which session: its number from RESTORE")                                                       \
    F(O, U16, from, "the role that speaks")                                                                            \
    F(O, U32, from_life, "its life")                                                                                   \
    F(O, U16, to, "the role that it is for")                                                                           \
    F(O, U32, to_life, "the life of it that it is for: no other one takes it")                                         \
    F(O, U32, epoch, "of the channel")                                                                                 \
    F(O, U64, number, "everything before this number of this epoch is consumed, or never will be")
#define WIRE_SAVED_FIELDS(F, L, O)                                                                                     \
    F(O, U64, steps, "steps that the role had begun")                                                                  \
    F(O, BYTES, snapshot, "frames and counters, as described under Snapshots")                                         \
    L(O, CHANNEL, channels, 65535, "its channels, one for each other role")                                            \
    L(O, KEPT, kept, 1 << 20, "messages that are not known to be consumed, for each role in order")

// clang-format on

#endif
