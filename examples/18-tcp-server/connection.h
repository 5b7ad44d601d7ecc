// connection.h: what happens on one connection, as a choreography between Client and Handler.
//
// Client is the outside peer's stand-in in this process: it owns the socket, turns bytes into lines and answers into
// bytes. Handler knows what the lines mean and never sees a socket. A session is one *visit*: it takes what has arrived,
// answers all complete lines, and is over. Between visits a connection is a record and a descriptor, no session.

#ifndef CONNECTION_H
#define CONNECTION_H

#include <chorex.h>

enum { LINE_LIMIT = 4096 }; // bytes, with its end

// What Handler knows of a connection. It goes from one visit to the next.
struct counts {
    uint64_t lines, bytes, crashes;
};

enum next { GO_ON, HANG_UP, STOP_SERVER };

// What a connection waits for after a visit.
enum wait { WAIT_FOR_INPUT, WAIT_FOR_ROOM, WAIT_FOR_NOTHING };

struct answer {
    chx_str text;
    enum next next;
};

choreography(connection, (Client, Handler),
    void          Client.receive(void);
    bool          Client.has_line(enum next next);
    chx_str       Client.take_line(void);
    void          Client.put(chx_str line);
    enum wait     Client.deliver(enum next next);
    struct answer Handler.answer(chx_str line, struct counts counts);

    def visit(Handler.struct counts counts) -> Client.{enum wait, enum next}, Handler.struct counts {
        Client.receive();
        Client.enum next next = GO_ON;
        while (Client.has_line(next)) {
            Client.take_line() ~> Handler.line;
            Handler.counts.lines++;
            Handler.counts.bytes += chx_str_len(line);
            Client.chx_str text;
            checkpoint {
                Handler.answer(line, counts) ~> Client.{.text, .next};
            } rescue (fault) {
                Handler.counts.crashes++;
                Client.text = chx_strf("error: %s failed with %s; the connection goes on", fault.role, fault.why);
            }
            Client.put(text);
        }
        return Client.{deliver(next), next}, Handler.counts;
    }
)

// What Client keeps of a connection from visit to visit: its context. While a visit runs, nobody else touches it.
struct peer {
    int socket;
    bool has_ended; // the peer sends no more
    bool is_broken; // nothing can be sent to it any more
    bool hangs_up;  // all is said: what still comes is thrown away until the peer ends, too
    char in[LINE_LIMIT];
    size_t in_start, in_end;
    char *out; // answers not sent yet
    size_t out_start, out_end, out_size;
};

#endif
