// server.c: a PostgreSQL server in a folder of its own, which syncs its files. Prints its address, and ends when its standard input does.

#include "store/postgres/fixture.h"

#include <stdio.h>

int main(void)
{
    PostgresFixture server;
    if (!postgres_fixture_exists())
        return 77;
    postgres_fixture_init(&server, true);
    printf("%s\n", server.url);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    postgres_fixture_fini(&server);
    return 0;
}
