// companions.h: puts companions on disk.

#ifndef DRIVER_COMPANIONS_H
#define DRIVER_COMPANIONS_H

#include "compiler/driver/chorcc.h"

// Writes those whose content changes. Errors go to diags; if a companion belongs to another source, none is written.
void companions_write(Compilation *compilation);

#endif
