// cut.c: see cut.h.

#include "runtime/durable/cut.h"

#include "base/check.h"

#include <stdlib.h>

void cut_init(Cut *cut, const CutEffects *effects, unsigned role_count)
{
    *cut = (Cut){.effects = effects, .role_count = role_count, .pieces_level = CUT_NO_LEVEL};
}

void cut_fini(Cut *cut)
{
    free(cut->entries);
    cut->entries = NULL;
}

bool cut_reserve(Cut *cut)
{
    if (cut->depth < cut->capacity)
        return true;
    size_t more = cut->capacity == 0 ? 4 : cut->capacity * 2;
    CutEntry *grown = realloc(cut->entries, more * sizeof *grown);
    if (grown == NULL)
        return false;
    cut->entries = grown;
    cut->capacity = more;
    return true;
}

// ---- what is to be committed ----

static void cut_ask(Cut *cut)
{
    if (!cut->is_dirty || cut->is_asked || cut->is_on_its_way)
        return;
    cut->is_asked = true;
    cut->effects->commit(cut);
}

// Something has changed: the entries from this one on.
static void cut_change(Cut *cut, size_t from)
{
    if (!cut->is_dirty || from < cut->head_from)
        cut->head_from = from;
    cut->is_dirty = true;
    cut_ask(cut);
}

// This depth is what there is now. What roles had given for a level further in counts no more.
static void cut_set_depth(Cut *cut, size_t depth)
{
    cut->depth = depth;
    cut->there = 0;
    if (cut->pieces_level > (int)depth)
        cut->pieces_level = CUT_NO_LEVEL;
}

bool cut_take(Cut *cut, CutChange *change)
{
    cut->is_asked = false;
    if (!cut->is_dirty || cut->is_on_its_way || cut->state == CUT_LOST || cut->state == CUT_OVER)
        return false;
    bool is_over = cut->state == CUT_ENDS;
    *change =
        (CutChange){.term = cut->term,
                    .version = cut->version,
                    .is_first = cut->is_new,
                    .is_over = is_over,
                    .drops = is_over || (cut->kept_levels > cut->depth && !cut_is_broken(CUT_BROKEN_INNER_SURVIVES)),
                    .drop_from = is_over ? 0 : (uint32_t)cut->depth + 1,
                    .pieces_level = is_over && !cut->is_new ? CUT_NO_LEVEL : cut->pieces_level,
                    .head_from = (uint32_t)cut->head_from + 1,
                    .levels = is_over ? 0 : (uint32_t)cut->depth};
    if (cut->is_new && is_over)
        change->drops = false;
    cut->is_dirty = cut->is_new = false;
    cut->is_on_its_way = true;
    cut->pieces_level = CUT_NO_LEVEL;
    if (!cut_is_broken(CUT_BROKEN_INNER_SURVIVES) || cut->depth > cut->kept_levels)
        cut->kept_levels = cut->depth;
    cut->head_from = cut->depth;
    return true;
}

void cut_committed(Cut *cut)
{
    CHECK(cut->is_on_its_way);
    cut->is_on_its_way = false;
    cut->version++;
    if (cut->is_dirty) {
        cut_ask(cut);
    } else if (cut->state == CUT_ENDS) {
        cut->state = CUT_OVER;
        cut->effects->over(cut);
    } else {
        cut->effects->settled(cut);
    }
}

void cut_stale(Cut *cut)
{
    CHECK(cut->is_on_its_way);
    cut->is_on_its_way = cut->is_dirty = false;
    cut->state = CUT_LOST;
    cut->effects->lost(cut);
}

void cut_give_up(Cut *cut)
{
    cut->is_on_its_way = cut->is_asked = cut->is_dirty = false;
    cut->state = CUT_LOST;
    cut->effects->lost(cut);
}

CutDoubt cut_doubt(const CutChange *change, bool is_there, uint64_t term, uint64_t version, bool is_own_writer)
{
    if (cut_is_broken(CUT_BROKEN_DOUBT_IS_DONE))
        return CUT_DONE;
    if (cut_is_broken(CUT_BROKEN_DOUBT_IS_NOT))
        return CUT_NOT_DONE;
    if (!is_there)
        return change->is_first ? CUT_NOT_DONE : CUT_TAKEN;
    if (term == change->term && version == change->version + 1 && is_own_writer)
        return CUT_DONE;
    return term == change->term && version == change->version && !change->is_first ? CUT_NOT_DONE : CUT_TAKEN;
}

// ---- events ----

void cut_begin(Cut *cut, uint64_t term)
{
    cut->term = term;
    cut->is_new = true;
    cut->pieces_level = 0;
    cut_change(cut, 0);
}

static bool entry_can_recover(const CutEntry *entry)
{
    bool runs_rescue = entry->attempt == entry->retries || entry->is_round;
    return entry->attempt < entry->retries || (runs_rescue && entry->has_rescue);
}

CutResumed cut_resume(Cut *cut, uint64_t term, uint64_t version, size_t depth)
{
    cut->term = term;
    cut->version = version;
    cut->depth = cut->kept_levels = cut->head_from = depth;
    if (depth == 0 || cut_is_broken(CUT_BROKEN_SAME_ATTEMPT))
        return CUT_AS_IT_WAS;
    while (cut->depth > 0 && !entry_can_recover(&cut->entries[cut->depth - 1]))
        cut->depth--;
    if (cut->depth == 0)
        return CUT_NONE_LEFT;
    cut->entries[cut->depth - 1].attempt++;
    cut->head_from = cut->depth - 1;
    cut->is_dirty = true;
    return CUT_NEXT_ATTEMPT;
}

void cut_go_on(Cut *cut)
{
    cut_ask(cut);
}

bool cut_enter(Cut *cut, size_t depth, const CutEntry *entry)
{
    if (cut->state != CUT_RUNS)
        return true;
    CHECK(cut->depth < cut->capacity);
    CutEntry *made = &cut->entries[cut->depth];
    if (depth != cut->depth || (cut->there > 0 && (made->name != entry->name || made->ordinal != entry->ordinal)))
        return false;
    *made = *entry;
    if (++cut->there < cut->role_count)
        return true;
    cut->there = 0;
    cut->depth++;
    cut->pieces_level = (int)cut->depth;
    cut_change(cut, depth);
    return true;
}

void cut_decide(Cut *cut, size_t depth, uint32_t attempt)
{
    // If not all are in yet, the last one that enters says in which attempt.
    if (cut->state != CUT_RUNS || depth >= cut->depth)
        return;
    cut_set_depth(cut, depth + 1);
    cut->entries[depth].attempt = attempt;
    cut->entries[depth].has_begun = false;
    cut_change(cut, depth);
}

void cut_leave(Cut *cut, size_t depth)
{
    if (cut->state != CUT_RUNS)
        return;
    CHECK(cut->depth == depth + 1);
    cut_set_depth(cut, depth);
    if (depth == 0 && !cut_is_broken(CUT_BROKEN_NO_EXIT))
        cut->pieces_level = 0;
    cut_change(cut, depth);
}

void cut_renew(Cut *cut, size_t depth)
{
    if (cut->state != CUT_RUNS)
        return;
    CHECK(cut->depth == depth + 1);
    cut->entries[depth].ordinal++;
    cut->entries[depth].attempt = 0;
    cut->entries[depth].has_begun = false;
    cut->pieces_level = (int)depth + 1;
    cut_change(cut, depth);
}

void cut_end(Cut *cut)
{
    if (cut->state != CUT_RUNS && !cut_is_broken(CUT_BROKEN_NO_OUTCOME))
        return;
    cut->state = CUT_ENDS;
    cut_change(cut, 0);
}

// ---- questions ----

bool cut_lets_in(const Cut *cut, size_t depth, uint32_t ordinal, uint32_t attempt)
{
    if (cut_is_broken(CUT_BROKEN_NO_BARRIER))
        return true;
    if (cut->depth <= depth || cut->entries[depth].ordinal != ordinal || cut->entries[depth].attempt != attempt)
        return false;
    if (cut_is_broken(CUT_BROKEN_ENTER_FIRST) && attempt == 0)
        return true;
    if (cut_is_broken(CUT_BROKEN_DECIDE_FIRST) && attempt > 0)
        return true;
    return cut_is_settled(cut);
}

bool cut_lets_go(const Cut *cut)
{
    return cut_is_settled(cut) || cut_is_broken(CUT_BROKEN_GO_FIRST);
}
