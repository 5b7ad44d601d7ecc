// merge.h: choices whose outcome a role need not be told, because what arrives first tells it.
//
// A role can do without the message where each branch begins, for it, with a receive from one and the same role: the
// site of what arrives there is the outcome. Decided before projecting, since both ends must know. Used by same.c, which
// decides who is told at all, and by project.c.

#ifndef CHECK_MERGE_H
#define CHECK_MERGE_H

#include "compiler/check/program.h"

typedef struct Knowledge Knowledge;
typedef VECTOR(uint32_t) SiteList;

typedef struct {
    RoleId role;
    RoleId peer;        // who sends what arrives
    SiteList *arrivals; // by branch
} Merge;
typedef VECTOR(Merge) MergeList;

typedef struct Merger Merger;

// `by_site` is by site of a CHOICE; each list is in role order.
Merger *merger_new(Arena *arena, const Program *program, const Knowledge *knowledge, MergeList *by_site);
// Finds, for those who are told of the choice, whether what arrives tells them. Inner choices first: an outer one can be told
// by what tells an inner one.
void merge_choice(Merger *merger, const Node *node);
const Merge *merge_find(const MergeList *list, RoleId role); // NULL: the role is told, or decides, or does not know

#endif
