// effects.h: what the recovery machine asks for, in a running program. See machine.h.

#ifndef RUNTIME_RECOVERY_EFFECTS_H
#define RUNTIME_RECOVERY_EFFECTS_H

#include "runtime/recovery/machine.h"

extern const RecoveryEffects recovery_effects;

#endif
