// conform.h: what every store must do, for the tests of each.

#ifndef STORE_CONFORM_H
#define STORE_CONFORM_H

#include "chorex/store.h"

// An empty store.
typedef struct StoreWorld StoreWorld;
struct StoreWorld {
    const chx_store_ops *ops;
    const char *place;
    size_t large_bytes; // of the largest piece that is put
    // Lets so much time pass by the store's clock. NULL: the clock is real, and the test waits.
    void (*pass)(const StoreWorld *world, uint64_t ms);
    void *context;
};

// All of it.
void store_conforms(const StoreWorld *world);

#endif
