// outcomes.c: makes the blocks of a sequential program fail as often as FAULT_OUTCOMES says, whatever is in them.
//
// Linked with -Wl,--wrap, it stands between the program and chx_central_checkpoint. FAULT_OUTCOMES is a list of
// SESSION:SITE.ORDINAL.ATTEMPT/.../SITE.ORDINAL=ATTEMPT@ROLE. A block that stands there begins with that attempt, as
// one whose earlier ones were undone; the fault names the role. check_results.py writes the list.

#define _GNU_SOURCE
#include <chorex.h>
#include <chorex/generated.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4096, COUNTS_MAX = 64, NAME_BYTES = 1 << 16 };

typedef int Body(chx_self *self, void *frame);
typedef int Rescue(chx_self *self, void *frame, const chx_fault *fault);

typedef struct {
    unsigned site;
    int line, ordinal;
    unsigned attempt;
    Body *body;
    Rescue *rescue;
    size_t count;
    struct {
        unsigned site;
        int entered;
    } counts[COUNTS_MAX]; // of the blocks directly inside, in this attempt
} Level;

// Level 0 is the session. The program has one thread.
static Level levels[DEPTH_MAX];
static size_t depth;
static int session;
static unsigned culprit;

int __real_chx_central_checkpoint(chx_self *self, void *frame, uint32_t site, uint32_t retries, uint64_t within_ns,
                                  int line, bool is_round, Body *body, Rescue *rescue);
int __wrap_chx_central_checkpoint(chx_self *self, void *frame, uint32_t site, uint32_t retries, uint64_t within_ns,
                                  int line, bool is_round, Body *body, Rescue *rescue);
chx_status __real_chx_central(const chx_choreography *choreography, const chx_actor *cast,
                              void (*body)(chx_self *self, void *closure), void *closure);
chx_status __wrap_chx_central(const chx_choreography *choreography, const chx_actor *cast,
                              void (*body)(chx_self *self, void *closure), void *closure);
chx_session *__real_chx_central_start(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                                      void (*body)(chx_self *self, void *closure), void *closure, const void *results);
chx_session *__wrap_chx_central_start(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                                      void (*body)(chx_self *self, void *closure), void *closure, const void *results);

static void session_begins(void)
{
    session++;
    depth = 0;
    levels[0].count = 0;
}

chx_status __wrap_chx_central(const chx_choreography *choreography, const chx_actor *cast,
                              void (*body)(chx_self *self, void *closure), void *closure)
{
    session_begins();
    return __real_chx_central(choreography, cast, body, closure);
}

chx_session *__wrap_chx_central_start(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                                      void (*body)(chx_self *self, void *closure), void *closure, const void *results)
{
    session_begins();
    return __real_chx_central_start(choreography, definition, cast, body, closure, results);
}

static int ordinal_of(Level *level, unsigned site)
{
    for (size_t i = 0; i < level->count; i++)
        if (level->counts[i].site == site)
            return level->counts[i].entered++;
    if (level->count == COUNTS_MAX)
        abort();
    level->counts[level->count].site = site;
    level->counts[level->count++].entered = 1;
    return 0;
}

// The attempt that the innermost block is to begin with.
static unsigned attempt_wanted(void)
{
    static char name[NAME_BYTES];
    const char *list = getenv("FAULT_OUTCOMES");
    size_t size = (size_t)snprintf(name, sizeof name, "%d:", session);
    for (size_t i = 1; i <= depth && size < sizeof name; i++) {
        size += (size_t)snprintf(name + size, sizeof name - size, "%u.%d", levels[i].site, levels[i].ordinal);
        if (i < depth && size < sizeof name)
            size += (size_t)snprintf(name + size, sizeof name - size, ".%u/", levels[i].attempt);
    }
    for (const char *at = list; at != NULL && (at = strstr(at, name)) != NULL; at++) {
        unsigned attempt;
        if ((at == list || at[-1] == ' ') && sscanf(at + size, "=%u@%u", &attempt, &culprit) == 2)
            return attempt;
    }
    return 0;
}

static int fails(chx_self *self, void *frame)
{
    (void)frame;
    chx_central_at(self, culprit, 0, levels[depth].line);
    chx_fail("as FAULT_OUTCOMES says");
}

static int rescues(chx_self *self, void *frame, const chx_fault *fault)
{
    return levels[depth].rescue(self, frame, fault);
}

int __wrap_chx_central_checkpoint(chx_self *self, void *frame, uint32_t site, uint32_t retries, uint64_t within_ns,
                                  int line, bool is_round, Body *body, Rescue *rescue)
{
    (void)within_ns;
    (void)is_round;
    if (depth + 1 == DEPTH_MAX)
        abort();
    int ordinal = ordinal_of(&levels[depth], site);
    size_t level = ++depth;
    levels[level] = (Level){.site = site, .line = line, .ordinal = ordinal, .rescue = rescue};
    levels[level].attempt = attempt_wanted();
    // Nothing fails here but what the list says: with the wrong list the results differ, or the session fails.
    int way = levels[level].attempt > retries
                  ? __real_chx_central_checkpoint(self, frame, site, 0, 0, line, false, fails, rescue != NULL ? rescues : NULL)
                  : __real_chx_central_checkpoint(self, frame, site, 0, 0, line, false, body, NULL);
    depth = level - 1;
    return way;
}
