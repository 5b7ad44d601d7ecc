// replay.c: what the model of recovery does, done again by the recovery machine. See tests/model/replay, which feeds it.
//
// Input, a line each: the tables of a choreography ("roles N", "block INDEX SITE RETRIES HAS_RESCUE MEMBERS IS_ROUND"), then what
// the model's monitor was told (E), has done (X) and where it then believed the roles to be (S). After each E line the
// machine gets the same event, and what it does must be the X and S lines that follow. Exit status 0: it was.

#include "runtime/recovery/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROLES_MAX = 8, BLOCKS_MAX = 16, DEPTH_MAX = 8, LINES_MAX = 64, LINE_BYTES = 80 };

// A role's place in the model: a position, and the model's name of the block.
typedef struct {
    Position position;
    long name;
} Named;

static struct {
    Recovery recovery;
    Member members[ROLES_MAX];
    Position *positions[ROLES_MAX][DEPTH_MAX];
    Named named[ROLES_MAX][DEPTH_MAX];
    unsigned role_count, block_count;
    chx_checkpoint checkpoints[ROLES_MAX][BLOCKS_MAX]; // as each role has it
    unsigned participants[BLOCKS_MAX][ROLES_MAX];
    const Member *failing;
    char lines[LINES_MAX][LINE_BYTES]; // what was done, not yet compared
    size_t line_count, compared;
    unsigned long number; // of the input line
} replay;

static _Noreturn void wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "replay: line %lu: ", replay.number);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    exit(1);
}

static void did(const char *format, ...)
{
    va_list arguments;
    if (replay.line_count == LINES_MAX)
        wrong("more effects than there is room for");
    va_start(arguments, format);
    vsnprintf(replay.lines[replay.line_count++], LINE_BYTES, format, arguments);
    va_end(arguments);
}

static unsigned role_of(const Member *member)
{
    return (unsigned)(member - replay.members);
}

// ---- effects ----

static void *take(chx_runtime *runtime, size_t size)
{
    (void)runtime;
    return malloc(size);
}

static void *take_page(chx_runtime *runtime)
{
    return take(runtime, BLOCK_PAGE_BYTES);
}

static void give(chx_runtime *runtime, void *memory)
{
    (void)runtime;
    free(memory);
}

static bool arm(Recovery *recovery, Block *block)
{
    (void)recovery, (void)block;
    return true;
}

static void disarm(Recovery *recovery, Block *block)
{
    (void)recovery, (void)block;
}

// As the monitor of roles in processes does it: the role's position is the block's start from now on.
static void go_back(Recovery *recovery, Member *member)
{
    Position *target = recovery_behind(member);
    if (target == NULL)
        return;
    uint32_t epoch = target->block->epoch;
    if (!recovery_return(recovery, member, target))
        wrong("a deadline could not be set");
    while (member_innermost(member) != target)
        member->count--;
    member->awaited = member == replay.failing ? 0 : epoch;
}

static void roll_back(Recovery *recovery, const Block *block)
{
    did("X decide %u %u", (unsigned)block->attempt, (unsigned)block->epoch);
    for (size_t i = 0; i < block->checkpoint->participant_count; i++) {
        Member *member = recovery_member(recovery, block->checkpoint->participants[i]);
        go_back(recovery, member);
        if (member != replay.failing)
            did("X recover %u", role_of(member));
    }
}

static void go(Recovery *recovery, Member *member, Block *block)
{
    Position *position = member_innermost(member);
    if (position == NULL || position->block != block)
        wrong("role %u goes on behind a block that it is not in", role_of(member));
    if (block->done) {
        recovery_leave(recovery, position, true);
        member->count--;
    } else {
        position_renew(position);
        ((Named *)(void *)position)->name++;
    }
    did("X go %u", role_of(member));
}

static const RecoveryEffects effects = {
    .allocate = take,
    .release = give,
    .page_take = take_page,
    .page_give = give,
    .arm = arm,
    .disarm = disarm,
    .roll_back = roll_back,
    .go = go,
};

// ---- events ----

static Member *member_of(unsigned role)
{
    if (role >= replay.role_count)
        wrong("no role %u", role);
    return &replay.members[role];
}

static void enter(unsigned role, long name, unsigned attempt, unsigned block)
{
    Member *member = member_of(role);
    if (member->awaited != 0)
        return;
    if (block >= replay.block_count || member->count == DEPTH_MAX)
        wrong("a block that can't be");
    const chx_checkpoint *checkpoint = &replay.checkpoints[role][block];
    Position *outer = member_innermost(member);
    Named *named = &replay.named[role][member->count];
    named->name = name;
    // The name as a whole stands for the ordinal: what else is in it, the parent and its attempt, is the same among the
    // blocks under one parent attempt.
    if (!recovery_enter(&replay.recovery, &named->position, outer != NULL ? outer->block : NULL, checkpoint,
                        (uint32_t)name, attempt))
        wrong("no memory");
    member->positions[member->count++] = &named->position;
    go_back(&replay.recovery, member);
}

static void arrive(unsigned role, long name, unsigned attempt, bool renews)
{
    Member *member = member_of(role);
    if (member->awaited != 0)
        return;
    Position *position = member_innermost(member);
    if (position == NULL || ((Named *)(void *)position)->name != name || position->attempt != attempt)
        wrong("role %u arrives where it can't be", role);
    if (!recovery_arrive(&replay.recovery, position, renews))
        wrong("a deadline could not be set");
}

static void fail(unsigned role)
{
    Member *member = member_of(role);
    chx_fault fault = {.kind = CHX_FAULT_FAIL, .why = "failed"};
    replay.failing = member;
    RecoveryVerdict verdict = recovery_fail(&replay.recovery, member, member->awaited != 0, &fault);
    replay.failing = NULL;
    if (verdict == RECOVERY_NO_MEMORY)
        wrong("no memory");
    if (verdict == RECOVERY_NONE) {
        did("X over");
        return;
    }
    member->awaited = 0;
    did("X restart %u", role);
}

// A deadline of the block that the model calls so.
static void expire(long name)
{
    chx_fault fault = {.kind = CHX_FAULT_DEADLINE, .why = "late"};
    for (unsigned role = 0; role < replay.role_count; role++)
        for (size_t i = 0; i < replay.members[role].count; i++)
            if (replay.named[role][i].name == name) {
                Block *block = replay.named[role][i].position.block;
                if (recovery_expire(&replay.recovery, &block, &fault) != RECOVERY_DECIDED)
                    wrong("the deadline of %ld is nobody's", name);
                return;
            }
    wrong("nobody is in the block %ld, whose time is up", name);
}

static void say_positions(void)
{
    for (unsigned role = 0; role < replay.role_count; role++) {
        const Member *member = &replay.members[role];
        const Position *position = member_innermost(member);
        did("S %u %zu %u %u", role, member->count, (unsigned)member->awaited,
            (unsigned)(position != NULL ? position->attempt : 0));
    }
}

// ---- input ----

static void read_block(const char *line)
{
    unsigned index, site, retries, has_rescue, members, is_round, count = 0;
    if (sscanf(line, "block %u %u %u %u %u %u", &index, &site, &retries, &has_rescue, &members, &is_round) != 6 ||
        index >= BLOCKS_MAX)
        wrong("a block that can't be read");
    for (unsigned role = 0; role < replay.role_count; role++) {
        if ((members >> role & 1) == 0)
            continue;
        replay.checkpoints[role][index] = (chx_checkpoint){.site = site,
                                                           .name = site,
                                                           .body_at = 1,
                                                           .rescue_at = has_rescue,
                                                           .retries = retries,
                                                           .participants = replay.participants[index],
                                                           .position = count,
                                                           .is_round = is_round != 0};
        replay.participants[index][count++] = role;
    }
    for (unsigned role = 0; role < replay.role_count; role++)
        replay.checkpoints[role][index].participant_count = count;
    replay.block_count = index + 1 > replay.block_count ? index + 1 : replay.block_count;
}

static void read_event(const char *line)
{
    unsigned role, attempt, block;
    long name;
    if (replay.compared != replay.line_count)
        wrong("the machine has also done: %s", replay.lines[replay.compared]);
    replay.line_count = replay.compared = 0;
    if (sscanf(line, "E enter %u %ld %u %u", &role, &name, &attempt, &block) == 4)
        enter(role, name, attempt, block);
    else if (sscanf(line, "E arrive %u %ld %u %u", &role, &name, &attempt, &block) == 4)
        arrive(role, name, attempt, block != 0);
    else if (sscanf(line, "E ready %u %u", &role, &attempt) == 2) {
        if (recovery_ready(member_of(role), attempt))
            did("X start %u", role);
    } else if (sscanf(line, "E fail %u", &role) == 1)
        fail(role);
    else if (sscanf(line, "E expire %ld", &name) == 1)
        expire(name);
    else
        wrong("an event that can't be read: %s", line);
    say_positions();
}

static void read_line(const char *line)
{
    if (sscanf(line, "roles %u", &replay.role_count) == 1) {
        if (replay.role_count > ROLES_MAX)
            wrong("too many roles");
    } else if (line[0] == 'b') {
        read_block(line);
    } else if (line[0] == 'E') {
        read_event(line);
    } else if (replay.compared == replay.line_count) {
        wrong("the model: %s, the machine: nothing", line);
    } else if (strcmp(replay.lines[replay.compared], line) != 0) {
        wrong("the model: %s, the machine: %s", line, replay.lines[replay.compared]);
    } else {
        replay.compared++;
    }
}

int main(void)
{
    char line[LINE_BYTES];
    recovery_init(&replay.recovery, &effects, NULL, replay.members, sizeof(Member), NULL);
    for (unsigned role = 0; role < ROLES_MAX; role++)
        replay.members[role] = (Member){.positions = replay.positions[role], .capacity = DEPTH_MAX};
    while (fgets(line, sizeof line, stdin) != NULL) {
        replay.number++;
        line[strcspn(line, "\n")] = '\0';
        read_line(line);
    }
    if (replay.compared != replay.line_count)
        wrong("the machine has also done: %s", replay.lines[replay.compared]);
    for (unsigned role = 0; role < replay.role_count; role++)
        while (replay.members[role].count > 0) {
            recovery_abandon(&replay.recovery, &replay.members[role]);
            replay.members[role].count--;
        }
    recovery_fini(&replay.recovery);
    return 0;
}
