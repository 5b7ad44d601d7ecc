// memory.h: where a link's memory comes from.

#ifndef NET_LINK_MEMORY_H
#define NET_LINK_MEMORY_H

#include "net/memory.h"

typedef NetMemory LinkMemory;

#endif
