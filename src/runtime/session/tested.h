// tested.h: the role whose step is the function that a test calls with chx_test_call.

#ifndef RUNTIME_SESSION_TESTED_H
#define RUNTIME_SESSION_TESTED_H

#include "chorex.h"

extern const chx_role tested_role;

#endif
