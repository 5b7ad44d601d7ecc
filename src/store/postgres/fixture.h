// fixture.h: a PostgreSQL server for tests, in a folder of its own, reached through a socket there. It ends with the test, however that ends.

#ifndef STORE_POSTGRES_FIXTURE_H
#define STORE_POSTGRES_FIXTURE_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
    pid_t pid;  // 0: it does not run
    bool syncs; // its files: needed only where the machine itself could fail, and slow
    char folder[40];
    char url[100];
} PostgresFixture;

// False: PostgreSQL is not installed.
bool postgres_fixture_exists(void);
// Makes a database, starts a server, and returns when it answers.
void postgres_fixture_init(PostgresFixture *server, bool syncs);
void postgres_fixture_fini(PostgresFixture *server);
// Ends it at once, as a crash does, and starts it again.
void postgres_fixture_kill(PostgresFixture *server);
void postgres_fixture_start(PostgresFixture *server);

#endif
