// similar.h: which name was meant by one that is nearly right.

#ifndef BASE_SIMILAR_H
#define BASE_SIMILAR_H

#include <stddef.h>

// The candidate that is nearest to `name`, the first one of several. NULL: none is near, or one is the name itself.
const char *closest_name(const char *name, const char *const *candidates, size_t count);

#endif
