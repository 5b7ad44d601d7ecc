// house.c: see house.h.

#define _GNU_SOURCE
#include "runtime/isolation/house.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

const chx_checkpoint *role_checkpoint(const chx_role *role, uint32_t site)
{
    for (size_t i = 0; i < role->checkpoint_count; i++)
        if (role->checkpoints[i]->site == site)
            return role->checkpoints[i];
    return NULL;
}

void *house_map(int file, size_t offset, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    return memory != MAP_FAILED ? memory : NULL;
}

bool house_map_ring(Ring *ring, const Descriptor *file, size_t at, uint32_t token)
{
    unsigned char *memory = house_map(descriptor_use(file), at, RING_FILE_BYTES);
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

void house_unmap_ring(Ring *ring)
{
    if (ring->words != NULL)
        munmap(ring->words, RING_FILE_BYTES);
    ring->words = NULL;
}

Bell *house_map_bell(int file, size_t at)
{
    unsigned char *page = house_map(file, at - at % PAGE, PAGE);
    return page != NULL ? (Bell *)(void *)(page + at % PAGE) : NULL;
}

void house_unmap_bell(Bell *bell)
{
    if (bell != NULL)
        munmap((void *)((uintptr_t)bell - (uintptr_t)bell % PAGE), PAGE);
}

void bell_wake(Bell *bell)
{
    // All: one alone sleeps there, if the others behave.
    atomic_fetch_add(&bell->word, 1);
    syscall(SYS_futex, (void *)&bell->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void bell_ring(Bell *bell)
{
    atomic_fetch_add(&bell->word, 1);
    if (atomic_load(&bell->sleeps) != 0 && atomic_exchange(&bell->sleeps, 0) != 0)
        bell_wake(bell);
}

void bell_sleep(Bell *bell, uint32_t seen)
{
    // In this order: who rings either changes the word before the system looks at it, or sees this.
    atomic_store(&bell->sleeps, 1);
    syscall(SYS_futex, (void *)&bell->word, FUTEX_WAIT, seen, NULL, NULL, 0);
    atomic_store(&bell->sleeps, 0);
}
