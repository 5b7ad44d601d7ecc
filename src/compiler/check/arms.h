// arms.h: whose variables are whose, among the arms of a `par`.
//
// An arm sees the variables around the `par`. One that only one arm uses is that arm's own, which may change it. One that several
// arms use none of them may change. With an arm for each member, w, all arms do the same: what belongs to one of them alone is what
// the member itself has, and element x[w] of an array over the family.

#ifndef CHECK_ARMS_H
#define CHECK_ARMS_H

#include "compiler/check/resolve.h"

// Reports what is wrong, and sets `uses` and `owns` of each arm and is_of_arms of what it mentions. Names are resolved, and it is known
// who agrees on what; types are not known yet.
void arms_check(Resolved *resolved);
// When types are known, and nothing is wrong: elements that belong to arms become variables there.
void arms_elements(Resolved *resolved);

#endif
