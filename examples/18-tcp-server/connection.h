// connection.h: what happens on one connection, from its beginning to its end, as a choreography between Client and Handler.
//
// Client is the outside peer's stand-in in this process: it owns the socket, turns bytes into lines and answers into
// bytes. Handler knows what the lines mean and never sees a socket. Each connection is a session. While it waits for its peer it
// holds no thread (chx_again_when), only a few kilobytes.

#ifndef CONNECTION_H
#define CONNECTION_H

#include <chorex.h>
#include <stdatomic.h>

enum { LINE_LIMIT = 4096 }; // bytes, with its end

// What Handler knows of a connection.
struct counts {
    uint64_t lines, bytes, crashes;
};

enum next { GO_ON, HANG_UP, STOP_SERVER };

struct answer {
    chx_str text;
    enum next next;
};

choreography(connection, (Client, Handler),
    bool          Client.has_line(enum next next);
    chx_str       Client.take_line(void);
    uint64_t      Client.line_size(void);
    void          Client.put(chx_str line);
    void          Client.end(enum next next);
    struct answer Handler.answer(chx_str line, struct counts counts);

    def serve() -> Client.enum next, Handler.struct counts {
        Client.enum next next = GO_ON;
        Handler.struct counts counts = {0};
        checkpoint while (Client.has_line(next)) {
            Client.take_line() ~> Handler.line;
            Handler.counts.lines++;
            Handler.counts.bytes += chx_str_len(line);
            Handler.answer(line, counts) ~> Client.{.text, .next};
            Client.put(text);
        } rescue (fault) {
            // The variables are those at the beginning of the round, so the line is counted here.
            Client.line_size() ~> Handler.size;
            Handler.counts.lines++;
            Handler.counts.bytes += size;
            Handler.counts.crashes++;
            Client.put(chx_strf("error: %s failed with %s; the connection goes on", fault.role, fault.why));
        }
        Client.end(next);
        Client.announce();
        return Client.next, Handler.counts;
    }
)

// Client's context: what it keeps of a connection. The Acceptor looks at what is atomic, and may shut the socket down.
struct peer {
    int socket;
    int ended;                     // a pipe: takes the address of this when the connection is over,
    _Atomic bool is_announced;     // and has it
    const _Atomic unsigned *ticks; // how often the Acceptor's clock has ticked,
    _Atomic unsigned active_at;    // and at which tick the peer last sent or took something
    bool has_ended;                // the peer sends no more
    bool is_broken;                // nothing can be sent to it any more
    bool is_drained;               // there was nothing more to read,
    bool has_waited;               // and it has been waited for more since
    bool is_shut;                  // we have told the peer that nothing follows
    char *in;                      // what has arrived
    size_t in_start, in_end, in_size;
    size_t next_size; // of the line that is to be taken next, with its end
    size_t line_size; // of the line that was taken last
    char *out;        // answers not sent yet
    size_t out_start, out_end, out_size;
};

#endif
