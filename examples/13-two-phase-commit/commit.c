// Two-phase commit: a trip is booked with everybody, or with nobody. The Coordinator asks for votes; if all of them are
// yes, everybody commits, otherwise everybody aborts. That stays true when somebody crashes, the Coordinator included.

#include <chorex.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

typedef enum { WORKS, REFUSES, CRASHES_VOTING, CRASHES_DECIDING, CRASHES_AFTER_LOGGING, STAYS_DOWN } fate;

typedef struct {
    const char *log; // the role's log, a file
    fate fate;       // what goes wrong
    bool signal;     // a crash is a real one
} setup;

choreography(booking, (Coordinator, Flight, Hotel, Car),

    bool    Coordinator.decide(setup s, bool all);
    chx_str Coordinator.explain(bool flight, bool hotel, bool car);

    def run(Coordinator.const char *trip, Coordinator.setup s, Flight.setup s, Hotel.setup s, Car.setup s)
        -> Coordinator.{bool, chx_str} {
        {Coordinator, Flight, Hotel, Car}.bool commit = false;
        Coordinator.chx_str why = {0};

        // Phase 1. Nobody leaves the block before all have come to its end. So if somebody crashes in it, nobody has
        // committed yet, and all can abort.
        checkpoint {
            Coordinator.flight = ask[Flight](Coordinator.trip, Flight.s);
            Coordinator.hotel = ask[Hotel](Coordinator.trip, Hotel.s);
            Coordinator.car = ask[Car](Coordinator.trip, Car.s);
            Coordinator.why = explain(flight, hotel, car);
            Coordinator.decide(s, flight && hotel && car) ~> {Coordinator, Flight, Hotel, Car}.commit;
        } rescue (fault) {
            {Coordinator, Flight, Hotel, Car}.commit = false;
            Coordinator.why = chx_strf("%s failed (%s)", fault.role, fault.why);
        }

        // Phase 2. The decision stands: there is no rescue, only another attempt. What is in a log already is not
        // written again.
        checkpoint retry 3 {
            Coordinator.finish(s, trip, commit);
            tell[Flight](Coordinator.trip, {Coordinator, Flight}.commit, Flight.s);
            tell[Hotel](Coordinator.trip, {Coordinator, Hotel}.commit, Hotel.s);
            tell[Car](Coordinator.trip, {Coordinator, Car}.commit, Car.s);
        }
        return Coordinator.{commit, why};
    }

    def ask[Participant](Coordinator.const char *trip, Participant.setup s) -> Coordinator.bool {
        Coordinator.trip ~> Participant.trip;
        Participant.vote(s, trip) ~> Coordinator.bool yes;
        return Coordinator.yes;
    }

    def tell[Participant](Coordinator.const char *trip, {Coordinator, Participant}.bool commit, Participant.setup s) {
        Coordinator.trip ~> Participant.trip;
        Participant.finish(s, trip, commit);
        Participant.(true) ~> Coordinator._;      // done
    }

    // After a session that ended in the middle: what the Coordinator's log says is done by all who have voted and not
    // heard the outcome. If it says nothing, nobody has committed.
    def resolve(Coordinator.const char *trip, Coordinator.setup s, Flight.setup s, Hotel.setup s, Car.setup s)
        -> Coordinator.bool {
        checkpoint retry 3 {
            Coordinator.bool commit = recall(s, trip);
            catch_up[Flight](Coordinator.trip, Coordinator.commit, Flight.s);
            catch_up[Hotel](Coordinator.trip, Coordinator.commit, Hotel.s);
            catch_up[Car](Coordinator.trip, Coordinator.commit, Car.s);
            return Coordinator.commit;
        }
    }

    def catch_up[Participant](Coordinator.const char *trip, Coordinator.bool commit, Participant.setup s) {
        Coordinator.trip ~> Participant.trip;
        if (Participant.is_in_doubt(s, trip)) {
            Coordinator.commit ~> Participant.commit;
            Participant.finish(s, trip, commit);
        }
    }
)

#include "booking.Coordinator.chor.h"
#include "booking.Flight.chor.h"
#include "booking.Hotel.chor.h"
#include "booking.Car.chor.h"

static void crash(setup s)
{
    if (s.signal)
        abort();
    chx_fail("out of power");
}

static bool vote(setup s, const char *trip)
{
    if (s.fate == CRASHES_VOTING)
        crash(s);
    log_once(s.log, trip, s.fate == REFUSES ? "refused" : "prepared");
    return s.fate != REFUSES;
}

static void finish(setup s, const char *trip, bool commit)
{
    if (s.fate == STAYS_DOWN)
        crash(s);
    bool first = log_once(s.log, trip, commit ? "committed" : "aborted");
    if (s.fate == CRASHES_AFTER_LOGGING && first)
        crash(s);
}

static bool is_in_doubt(setup s, const char *trip)
{
    return (log_says(s.log, trip, "prepared") || log_says(s.log, trip, "refused")) &&
           !log_says(s.log, trip, "committed") && !log_says(s.log, trip, "aborted");
}

bool Coordinator_decide(setup s, bool all)
{
    if (s.fate == CRASHES_DECIDING)
        crash(s);
    return all;
}

chx_str Coordinator_explain(bool flight, bool hotel, bool car)
{
    if (flight && hotel && car)
        return chx_strf("all agreed");
    return chx_strf("no from%s%s%s", flight ? "" : " Flight", hotel ? "" : " Hotel", car ? "" : " Car");
}

bool Coordinator_recall(setup s, const char *trip)
{
    bool committed = log_says(s.log, trip, "committed");
    if (!committed && !log_says(s.log, trip, "aborted"))
        log_once(s.log, trip, "aborted");
    return committed;
}

void Coordinator_finish(setup s, const char *trip, bool commit)
{
    finish(s, trip, commit);
}

// The three participants do the same, each with its own log.
#define PARTICIPANT(role)                                                                                              \
    bool role##_vote(setup s, const char *trip)                                                                        \
    {                                                                                                                  \
        return vote(s, trip);                                                                                          \
    }                                                                                                                  \
    void role##_finish(setup s, const char *trip, bool commit)                                                         \
    {                                                                                                                  \
        finish(s, trip, commit);                                                                                       \
    }                                                                                                                  \
    bool role##_is_in_doubt(setup s, const char *trip)                                                                 \
    {                                                                                                                  \
        return is_in_doubt(s, trip);                                                                                   \
    }
PARTICIPANT(Flight)
PARTICIPANT(Hotel)
PARTICIPANT(Car)

// ---- the scenarios ----

#define ROLES 4
#define PATH_SIZE 4096
static const char *const roles[ROLES] = {"Coordinator", "Flight", "Hotel", "Car"};

static const struct {
    const char *trip, *what;
    fate fates[ROLES];
} scenarios[] = {
    {"Oslo", "nothing goes wrong", {WORKS, WORKS, WORKS, WORKS}},
    {"Rome", "Hotel votes no", {WORKS, WORKS, REFUSES, WORKS}},
    {"Lima", "Car crashes while it votes", {WORKS, WORKS, WORKS, CRASHES_VOTING}},
    {"Kyiv", "Coordinator crashes after the votes", {CRASHES_DECIDING, WORKS, WORKS, WORKS}},
    {"Bern", "Flight crashes after committing", {WORKS, CRASHES_AFTER_LOGGING, WORKS, WORKS}},
    {"Doha", "Coordinator crashes after deciding", {CRASHES_AFTER_LOGGING, WORKS, WORKS, WORKS}},
    {"Cork", "Hotel is down after the decision", {WORKS, WORKS, STAYS_DOWN, WORKS}},
};
#define SCENARIOS (sizeof scenarios / sizeof *scenarios)

static bool book(size_t number, char logs[ROLES][PATH_SIZE], bool signal)
{
    const char *trip = scenarios[number].trip;
    setup s[ROLES];
    for (int i = 0; i < ROLES; i++)
        s[i] = (setup){logs[i], scenarios[number].fates[i], signal};
    printf("%-5s %-37s", trip, scenarios[number].what);
    fflush(stdout);
    struct booking_run_result result;
    if (booking_run(&result, NULL, trip, s[0], s[1], s[2], s[3]) == CHX_OK) {
        printf("%s: %s\n", result.Coordinator.v0 ? "commit" : "abort", chx_cstr(result.Coordinator.v1));
        booking_run_result_drop(&result);
        return true;
    }
    const chx_report *report = chx_last_report();
    printf("%s failed (%s); ", report->role, report->why);
    fflush(stdout);
    for (int i = 0; i < ROLES; i++)
        s[i].fate = WORKS;
    struct booking_resolve_result resolved;
    if (booking_resolve(&resolved, NULL, trip, s[0], s[1], s[2], s[3]) == CHX_OK) {
        printf("then resolved: %s\n", resolved.Coordinator ? "commit" : "abort");
        return true;
    }
    report = chx_last_report();
    printf("not resolved: %s failed (%s)\n", report->role, report->why);
    return false;
}

static void show_log(const char *role, const char *path, const char *trip)
{
    log_line line;
    printf("  %s:", role);
    FILE *file = fopen(path, "r");
    while (file != NULL && log_read(file, &line)) {
        if (strcmp(line.trip, trip) == 0)
            printf(" %s", line.entry);
    }
    if (file != NULL)
        fclose(file);
}

int main(int count, char **arguments)
{
    bool signal = count > 1 && strcmp(arguments[1], "--signal") == 0;
    const char *given = count > 1 + signal ? arguments[1 + signal] : NULL;
    char folder[PATH_SIZE - 20] = "/tmp/two-phase-commit-XXXXXX";
    if (count > 2 + signal || (given != NULL && (given[0] == '-' || strlen(given) >= sizeof folder))) {
        fprintf(stderr, "usage: %s [--signal] [NEW-FOLDER-FOR-LOGS]\n", arguments[0]);
        return 2;
    }
    if (given != NULL)
        strcpy(folder, given);
    if (given != NULL ? mkdir(folder, 0777) != 0 : mkdtemp(folder) == NULL) {
        fprintf(stderr, "%s: %s: %s\n", arguments[0], folder, strerror(errno));
        return 2;
    }
    char logs[ROLES][PATH_SIZE];
    for (int i = 0; i < ROLES; i++)
        snprintf(logs[i], sizeof logs[i], "%s/%s.log", folder, roles[i]);

    bool good = true;
    for (size_t i = 0; i < SCENARIOS; i++)
        good = book(i, logs, signal) && good;

    printf("\nlogs\n");
    for (size_t i = 0; i < SCENARIOS; i++) {
        printf("%s", scenarios[i].trip);
        for (int k = 0; k < ROLES; k++)
            show_log(roles[k], logs[k], scenarios[i].trip);
        printf("\n");
    }
    for (int i = 0; given == NULL && i < ROLES; i++)
        remove(logs[i]);
    if (given == NULL)
        rmdir(folder);
    return good ? 0 : 1;
}
