// watch.c: a second connection that the server tells when another node takes a session, gives up its lease, offers something or drops a
// session. Ordinary commits say nothing: PostgreSQL does them one after the other if they do.

#include "store/postgres/server.h"

#include <errno.h>

static int connect_watcher(Server *server, char why[CHX_STORE_WHY])
{
    PGconn *connection = server_connect(server);
    int error = 0;
    if (connection == NULL || PQstatus(connection) != CONNECTION_OK) {
        error = server_refused(server, connection, false, why);
    } else {
        PGresult *result = PQexec(connection, "LISTEN chorex");
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            error = store_fail(why, EAGAIN, "the database can't be watched: %s", PQerrorMessage(connection));
        PQclear(result);
    }
    if (error != 0) {
        PQfinish(connection);
        return error;
    }
    server->watcher = connection;
    return 0;
}

// Also called again when the descriptor was readable: takes what has come, so that it can become readable once more, and makes a new
// connection if this one is lost.
int postgres_watch(void *store, int *descriptor, char why[CHX_STORE_WHY])
{
    Server *server = store;
    if (server->watcher != NULL && !server_is_alive(server->watcher)) {
        PQfinish(server->watcher);
        server->watcher = NULL;
    }
    if (server->watcher == NULL) {
        int error = connect_watcher(server, why);
        if (error != 0)
            return error;
    }
    for (PGnotify *notice; (notice = PQnotifies(server->watcher)) != NULL;)
        PQfreemem(notice);
    *descriptor = PQsocket(server->watcher);
    return 0;
}
