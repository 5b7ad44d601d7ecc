// http.h: HTTP/1.1 on one connection, as a choreography between Client and Server.
//
// Client owns the socket: the stand-in, in this program, of whoever has connected. It finds out where a message begins and
// ends, and waits, without a thread (chx_again_when). Server decides: refuse, ask for the body, answer. It never sees the
// socket, Client never looks into a message.

#ifndef HTTP_H
#define HTTP_H

#include <chorex.h>
#include <stdatomic.h>

enum {
    HEAD_LIMIT = 8192, // bytes of request line and header fields together
    FIELD_LIMIT = 100, // header fields
    BODY_LIMIT = 1 << 20,
};

// What has arrived, and why there is no more of it.
enum end { IS_COMPLETE, IS_TOO_LARGE, IS_TOO_SLOW, IS_CUT_SHORT };
struct part {
    enum end end;
    chx_bytes data;
};

enum method { GET, HEAD, POST, ANOTHER };

// A request as Server understands it.
struct request {
    int status; // 0: so far nothing is wrong with it
    chx_str why;
    enum method method;
    chx_str path;
    uint64_t body_size;
    bool expects_continue;
    bool keeps_alive;
};

struct answer {
    int status;
    chx_str type;
    chx_str fields; // more of the header, lines with their ends
    chx_bytes body;
    bool is_head; // as if there were a body, but without it
    bool keeps_alive;
};

choreography(http, (Client, Server),
    bool           Client.read_head(void);
    struct part    Client.take_head(void);
    struct part    Client.read_body(uint64_t size, bool expects_continue);
    bool           Client.send(struct answer answer);
    void           Client.announce(void);
    struct request Server.understand(struct part head);
    struct request Server.check_body(struct request request, enum end end);
    struct answer  Server.answer(struct request request, chx_bytes body);
    struct answer  Server.refusal(struct request request);

    // Results: how many requests were answered, how often Server has crashed.
    def connection() -> Client.int, Server.int {
        Client.int answered = 0;
        Server.int crashes = 0;
        Client.bool is_open = true;
        checkpoint while (Client.(is_open && read_head())) {
            Client.take_head() ~> Server.head;
            Server.request = understand(head);
            Server.chx_bytes body;
            if (Server.(request.status == 0 && request.body_size > 0)) {
                // Server wants this request, so the peer is asked for the body; one that waits for that is told.
                Server.{request.body_size, request.expects_continue} ~> Client.{size, expects_continue};
                Client.read_body(size, expects_continue) ~> Server.{.end, .data};
                Server.request = check_body(request, end);
                Server.body = data;
            }
            Client.struct answer answer;
            checkpoint {
                if (Server.(request.status == 0)) {
                    Server.answer(request, body) ~> Client.answer;
                } else {
                    Server.refusal(request) ~> Client.answer;
                }
            } rescue {
                Server.crashes++;
                Server.request.status = 500;
                Server.refusal(request) ~> Client.answer;
            }
            Client.is_open = send(answer);
            Client.answered++;
        } rescue {
            // Something else than an answer has failed: nobody knows how far the request has come.
            Server.crashes++;
            Client.is_open = false;
        }
        Client.announce();
        return Client.answered, Server.crashes;
    }
)

// Client's context: what it knows of the connection. The server's main loop looks at what is atomic, and may shut the socket
// down.
struct peer {
    int socket;
    int patience_ms;             // for a whole head or body, and for the peer to take an answer
    int ended;                   // a pipe: takes the address of this when the connection is over,
    _Atomic bool is_announced;   // and has it
    _Atomic int64_t deadline_ms; // of what it waits for; 0: none
    _Atomic bool is_sending;     // it waits for the peer to take something, not to send
    bool has_ended;              // it sends no more
    enum end head_end;
    size_t head_size, size, room; // of the head, of all that is there, of the buffer
    char *data;
    char *body;       // that is being read; NULL: none
    size_t body_size; // so much of it has come
    char *out;        // that is being sent; NULL: nothing
    size_t out_size, out_done;
    size_t thrown_away; // after the last answer
    bool is_shut;
};

int64_t now_ms(void);

#endif
