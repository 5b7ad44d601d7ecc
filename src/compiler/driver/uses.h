// uses.h: which choreographies a choreography uses.

#ifndef DRIVER_USES_H
#define DRIVER_USES_H

#include "compiler/driver/chorcc.h"

// The name that a block begins with; "" without one.
const char *block_name(Compilation *compilation, const CFile *file, const FoundBlock *block);
// Finds what `use` names among the unit's choreographies so far. False: something is wrong with one of them, which is reported.
bool find_uses(Compilation *compilation, const Unit *unit, const Choreography *choreography);

#endif
