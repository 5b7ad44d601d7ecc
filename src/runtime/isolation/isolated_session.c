// isolated_session.c: see isolated_session.h.

#define _GNU_SOURCE
#include "runtime/isolation/isolated_session.h"

#include "runtime/platform/platform.h"

#include <sys/mman.h>

void *isolated_map(int file, size_t offset, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    return memory != MAP_FAILED ? memory : NULL;
}

bool isolated_map_ring(Ring *ring, const Descriptor *file, size_t at, uint32_t token)
{
    unsigned char *memory = isolated_map(descriptor_use(file), at, RING_FILE_BYTES);
    if (memory == NULL)
        return false;
    *ring = (Ring){.words = (RingWords *)(void *)memory,
                   .data = memory + PAGE,
                   .bytes = RING_BYTES,
                   .file = *file,
                   .large_at = (off_t)(at + RING_FILE_BYTES),
                   .token = token};
    return true;
}

void isolated_unmap_ring(Ring *ring)
{
    if (ring->words != NULL)
        munmap(ring->words, RING_FILE_BYTES);
    ring->words = NULL;
}

Doorbell *isolated_map_doorbell(int file, size_t at)
{
    unsigned char *page = isolated_map(file, at - at % PAGE, PAGE);
    return page != NULL ? (Doorbell *)(void *)(page + at % PAGE) : NULL;
}

void isolated_unmap_doorbell(Doorbell *doorbell)
{
    if (doorbell != NULL)
        munmap((void *)((uintptr_t)doorbell - (uintptr_t)doorbell % PAGE), PAGE);
}

void doorbell_wake(Doorbell *doorbell)
{
    // All that sleep there are woken. That is only the role, unless a process does what it should not.
    atomic_fetch_add(&doorbell->word, 1);
    platform_from_env()->wake_shared(&doorbell->word);
}

void doorbell_ring(Doorbell *doorbell)
{
    atomic_fetch_add(&doorbell->word, 1);
    if (atomic_load(&doorbell->sleeps) != 0 && atomic_exchange(&doorbell->sleeps, 0) != 0)
        doorbell_wake(doorbell);
}

void doorbell_sleep(Doorbell *doorbell, uint32_t seen)
{
    // In this order: one that rings either changes the word before the system compares it, or sees this.
    atomic_store(&doorbell->sleeps, 1);
    platform_from_env()->sleep_on_shared(&doorbell->word, seen);
    atomic_store(&doorbell->sleeps, 0);
}
