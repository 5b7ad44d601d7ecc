// started.h: definitions with role parameters that are started from C, with a cast of their own.
//
// Who includes "farm_greet.W.chor.h" wants to start `greet[W[], To]` of `farm` with roles W and To: that is a choreography `farm_greet`, whose
// roles are the role parameters and whose definition is `run`.

#ifndef DRIVER_STARTED_H
#define DRIVER_STARTED_H

#include "compiler/driver/chorcc.h"

// Marks the definitions of the choreography that files of the unit want to start.
void started_mark(Compilation *compilation, const Unit *unit, const Choreography *choreography);
// The choreography that is made of a definition. It has been parsed and checked as part of its own.
Tree *started_tree(Compilation *compilation, const Tree *tree, const TreeDef *def);

#endif
