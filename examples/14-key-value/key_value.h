// A key-value store that survives the death of its Primary. The Primary answers the Client's requests; every change goes
// to the Backup first. Both keep their entries in ordinary memory, which dies with them. The rescue gives the new one a
// copy of what the other has, and the request is served again.
//
// client.c plays the Client and starts the program, replicas.c plays Primary and Backup.

#ifndef KEY_VALUE_H
#define KEY_VALUE_H

#include <chorex.h>

enum verb { NOTHING, PUT, GET, DEL, LIST, WRONG };
enum victim { NOBODY, PRIMARY, BACKUP };
enum crash { CRASH_FAIL, CRASH_ABORT, CRASH_KILL };

struct request {
    enum verb verb;
    const char *key, *value;
    enum victim victim; // who dies while it serves this
    enum crash how;
};

choreography(key_value, (Client, Primary, Backup),
    void Client.init(void);
    void Primary.init(void);
    void Backup.init(void);
    chx_str Client.read_line(const char *path, int number);
    struct request Client.parse(chx_str line, enum crash how);
    chx_str Primary.answer(struct request request);

    def run(Client.const char *path, Client.enum crash how) {
        {Client, Primary, Backup}.int number = 0;     // variables: a new instance has them as they were before the block
        Primary.begin();                              // memory: a new instance has none
        Backup.begin();
        Client.line = read_line(path, number);
        while (Client.(chx_str_len(line) > 0)) {
            Client.request = parse(line, how);
            Client.chx_str answer;
            Client.chx_str note;
            checkpoint {
                Client.answer = serve(Client.request);
            } rescue (fault) {
                Client.request.victim = NOBODY;
                checkpoint retry 3 {
                    Client.note = repair(Primary.number, Backup.number);
                    Client.answer = serve(Client.request);
                }
                Client.note = chx_strf("%s died. %s", fault.role, chx_cstr(note));
            }
            Client.show(line, note, answer);
            {Client, Primary, Backup}.number = number + 1;
            Client.line = read_line(path, number);
        }
    }

    // The Backup has a change before the Client has an answer.
    def serve(Client.struct request request) -> Client.chx_str {
        Client.request ~> Primary.struct request request;
        if (Primary.(request.verb == PUT || request.verb == DEL || request.victim == BACKUP)) {
            Primary.request ~> Backup.struct request request;
            Backup.change(request);
            if (Backup.(request.victim == BACKUP)) {
                Backup.crash(request.how);
            }
            Backup.(true) ~> Primary._;
        }
        if (Primary.(request.victim == PRIMARY)) {
            Primary.crash(request.how);
        }
        Primary.answer(request) ~> Client.answer;
        return Client.answer;
    }

    // Who has no memory gets a copy of the other's. If both are new, nothing can help: `save` fails.
    def repair(Primary.int number, Backup.int number) -> Client.chx_str {
        if (Primary.is_new()) {
            return copy[Backup, Primary](Primary.number);
        } else if (Backup.is_new()) {
            return copy[Primary, Backup](Backup.number);
        }
        return Client.(chx_strf("No memory is lost."));
    }

    def copy[From, To](To.int number) -> Client.chx_str {
        From.save() ~> To.chx_bytes entries;
        To.int count = load(entries);
        To.{number, count} ~> Client.{int number, int count};
        return Client.(chx_strf("The new one knows that %d requests were served, and got %d entries from the other.",
                                number, count));
    }
)

#endif
