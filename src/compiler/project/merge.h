// merge.h: choices whose outcome a role need not be told, because what arrives first tells it.
//
// A role can do without the message where each branch begins, for it, with a receive from one and the same role: the
// site of what arrives there is the outcome. Decided before projecting, since both ends must know. Used by project.c.

#ifndef PROJECT_MERGE_H
#define PROJECT_MERGE_H

#include "compiler/check/knowledge.h"

typedef VECTOR(uint32_t) SiteList;

typedef struct {
    RoleId role;
    RoleId peer;        // who sends what arrives
    SiteList *arrivals; // by branch
} Merge;

typedef struct {
    VECTOR(Merge) * by_site; // of a CHOICE; in role order
} Merges;

Merges *merges_new(Arena *arena, const Program *program, const Knowledge *knowledge);
const Merge *merge_at(const Merges *merges, uint32_t site, RoleId role); // NULL: the role is told, or decides

#endif
