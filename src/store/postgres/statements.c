// statements.c: what the store says to PostgreSQL. The tables are in schema.c.

#include "store/postgres/server.h"

#define KEY "choreography = $1 AND space = $2 AND name = $3"
#define MS(time) "floor(extract(epoch FROM " time ") * 1000)::int8"
#define COLUMNS                                                                                                        \
    "s.id, s.choreography, s.space, s.name, s.term, s.version, s.token, s.definition, s.protocol_digest, s.home, "     \
    "s.outcome, s.writer, " MS("s.changed")

const char *const postgres_statements[STATEMENT_COUNT] = {
    // All changes of a commit at once, one round trip. Each session occurs once. What one part of the statement writes the others don't see, so
    // the pieces that are dropped and those that are put must be different ones. Rows are locked in the order of the arrays, which is that of
    // the names: two nodes don't wait for each other.
    [STATEMENT_COMMIT_CHANGES] =
        "WITH change AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::bytea[], "
        "    $7::text[], $8::int8[], $9::text[], $10::int8[], $11::int8[]) WITH ORDINALITY AS c(choreography, space, "
        "    name, term, version, token, definition, protocol_digest, home, outcome, drop_from, n)), "
        "part AS (SELECT * FROM unnest($13::int8[], $14::int8[], $15::int8[], $16::int8[], $17::bytea[]) "
        "    AS p(n, level, roles, sum, data)), "
        "made AS (INSERT INTO chorex_session (choreography, space, name, term, version, token, definition, "
        "    protocol_digest, home, outcome, writer, changed) "
        "  SELECT choreography, space, name, term, 1, token, definition, protocol_digest, home, outcome, $12::bytea, "
        "    clock_timestamp() FROM change WHERE version = 0 ORDER BY n "
        "  ON CONFLICT (choreography, space, name) DO NOTHING RETURNING id, choreography, space, name), "
        "changed AS (UPDATE chorex_session s SET version = s.version + 1, outcome = c.outcome, writer = $12::bytea, "
        "    changed = clock_timestamp() FROM change c WHERE c.version <> 0 AND s.choreography = c.choreography "
        "    AND s.space = c.space AND s.name = c.name AND s.term = c.term AND s.version = c.version "
        "  RETURNING s.id, c.n), "
        "applied AS (SELECT c.n, m.id, c.drop_from, 1 AS version FROM made m JOIN change c USING (choreography, space, "
        "name) "
        "  UNION ALL SELECT d.n, d.id, c.drop_from, c.version + 1 FROM changed d JOIN change c USING (n)), "
        "dropped AS (DELETE FROM chorex_chunk p USING applied a WHERE p.session = a.id AND p.level >= a.drop_from "
        "  AND NOT EXISTS (SELECT FROM part q WHERE q.n = a.n AND q.level = p.level AND q.roles = p.roles)), "
        "put AS (INSERT INTO chorex_chunk (session, level, roles, version, sum, data) "
        "  SELECT a.id, q.level, q.roles, a.version, q.sum, q.data FROM part q JOIN applied a USING (n) "
        "  ON CONFLICT (session, level, roles) DO UPDATE SET version = excluded.version, sum = excluded.sum, "
        "  data = excluded.data) "
        "SELECT n FROM applied ORDER BY n",
    [STATEMENT_LOAD] = "SELECT " COLUMNS ", p.level, p.roles, p.version, p.sum, p.data FROM chorex_session s "
                       "LEFT JOIN chorex_chunk p ON p.session = s.id "
                       "WHERE s.choreography = $1 AND s.space = $2 AND s.name = $3 ORDER BY p.version",
    [STATEMENT_EACH] = "SELECT " COLUMNS " FROM chorex_session s WHERE s.id > $1::int8 "
                       "AND ($2::text IS NULL OR s.choreography = $2) AND ($3::text IS NULL OR s.home = $3) "
                       "AND ($4::int8 = 0 OR s.outcome = 0) AND ($5::int8 = 0 OR NOT EXISTS (SELECT FROM chorex_node n "
                       "  WHERE n.name = s.home AND n.lease_until > clock_timestamp())) "
                       "AND ($6::int8 = 0 OR " MS("s.changed") " < $6) ORDER BY s.id LIMIT $7::int8",
    // Returns the term and the home as they were, the milliseconds that its lease has left, and the new term if it was taken.
    [STATEMENT_TAKE] =
        "WITH found AS (SELECT id, term, home FROM chorex_session WHERE " KEY " FOR UPDATE), "
        "lease AS (SELECT " MS(
            "lease_until - clock_timestamp()") " AS left_ms FROM chorex_node, found "
                                               "  WHERE name = home AND lease_until > clock_timestamp()), "
                                               "taken AS (UPDATE chorex_session s SET term = s.term + 1, home = "
                                               "$5::text, writer = $7::bytea, "
                                               "    changed = clock_timestamp() FROM found f WHERE s.id = f.id AND "
                                               "f.term = $4::int8 "
                                               "    AND ($6::int8 <> 0 OR f.home = $5 OR NOT EXISTS (SELECT FROM "
                                               "lease)) RETURNING s.term), "
                                               "told AS (SELECT pg_notify('chorex', $8::text) FROM taken) "
                                               "SELECT f.term, f.home, (SELECT left_ms FROM lease), (SELECT term FROM "
                                               "taken), (SELECT count(*) FROM told) "
                                               "FROM found f",
    [STATEMENT_LEASE] = "INSERT INTO chorex_node (name, lease_until) "
                        "VALUES ($1, clock_timestamp() + $2::int8 * interval '1 ms') "
                        "ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until",
    [STATEMENT_END_LEASE] = "WITH gone AS (DELETE FROM chorex_node WHERE name = $1 RETURNING name) "
                            "SELECT pg_notify('chorex', $2::text) FROM gone",
    // Whoever changes the session meanwhile is waited for: its pieces are not seen before.
    [STATEMENT_LOCK_SESSION] = "SELECT id FROM chorex_session WHERE " KEY " FOR UPDATE",
    [STATEMENT_DROP] = "WITH gone AS (DELETE FROM chorex_session WHERE id = $1::int8), "
                       "told AS (SELECT pg_notify('chorex', $2::text)), "
                       "pieces AS (DELETE FROM chorex_chunk WHERE session = $1) SELECT count(*) FROM told",
    [STATEMENT_DROP_OLD] = "WITH gone AS (DELETE FROM chorex_session WHERE outcome = 1 "
                           "AND changed <= clock_timestamp() - $1::int8 * interval '1 ms' RETURNING id) "
                           "DELETE FROM chorex_chunk USING gone WHERE session = gone.id",
    [STATEMENT_OFFER] =
        "WITH told AS (SELECT pg_notify('chorex', $8::text)), "
        "put AS (INSERT INTO chorex_offer (choreography, role, node, address, protocol_digest, busy, places) "
        "  VALUES ($1, $2, $3, $4, $5::int8, $6::int8, $7::int8) ON CONFLICT (choreography, role, node) "
        "  DO UPDATE SET address = excluded.address, protocol_digest = excluded.protocol_digest, busy = excluded.busy, "
        "  places = excluded.places) SELECT count(*) FROM told",
    [STATEMENT_END_OFFER] = "DELETE FROM chorex_offer WHERE choreography = $1 AND role = $2 AND node = $3",
    [STATEMENT_CLAIM] =
        "UPDATE chorex_offer SET busy = busy + 1 WHERE (choreography, role, node) = ("
        "  SELECT o.choreography, o.role, o.node FROM chorex_offer o JOIN chorex_node n ON n.name = o.node "
        "  WHERE o.choreography = $1 AND o.role = $2 AND o.protocol_digest = $3::int8 AND o.busy < o.places "
        "  AND n.lease_until > clock_timestamp() AND o.node <> ALL ($4::text[]) "
        "  ORDER BY o.busy::float8 / o.places, random() LIMIT 1 FOR UPDATE OF o) "
        "RETURNING node, address, busy, places",
    [STATEMENT_END_CLAIM] = "UPDATE chorex_offer SET busy = busy - 1 "
                            "WHERE choreography = $1 AND role = $2 AND node = $3 AND busy > 0",
};
