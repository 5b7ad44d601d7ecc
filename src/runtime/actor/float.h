// float.h: the floating-point environment of the calling thread, without the mathematical library.
//
// The control part is what a program sets: rounding, which exceptions trap, how denormal numbers are treated. Every turn of
// a role begins with the control part that the thread had which started the session. The flags part says which exceptions
// have occurred.

#ifndef RUNTIME_ACTOR_FLOAT_H
#define RUNTIME_ACTOR_FLOAT_H

#include <stdint.h>

typedef uint64_t FloatControl;

#if defined(__x86_64__)

enum { FLOAT_FLAGS = 0x3f }; // in MXCSR and in the status word of the x87 unit alike

static inline FloatControl float_control(void)
{
    uint32_t sse;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
    return (uint64_t)x87 << 32 | (sse & ~(uint32_t)FLOAT_FLAGS);
}

static inline unsigned float_flags(void)
{
    uint32_t sse;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0\n\tfnstsw %1" : "=m"(sse), "=m"(x87));
    return (sse | x87) & FLOAT_FLAGS;
}

// The flags are kept, together with `more`. Flags of the x87 unit move to MXCSR, which means the same to the program:
// there they don't trap when their exception is no longer masked.
static inline void float_set(FloatControl control, unsigned more)
{
    uint32_t sse = (uint32_t)control | float_flags() | more;
    uint16_t x87 = (uint16_t)(control >> 32);
    __asm__ volatile("fnclex\n\tfldcw %1\n\tldmxcsr %0" : : "m"(sse), "m"(x87));
}

#elif defined(__aarch64__)

static inline FloatControl float_control(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}

static inline unsigned float_flags(void)
{
    uint64_t flags;
    __asm__ volatile("mrs %0, fpsr" : "=r"(flags));
    return (unsigned)flags;
}

static inline void float_set(FloatControl control, unsigned more)
{
    uint64_t flags = float_flags() | more;
    __asm__ volatile("msr fpsr, %0\n\tmsr fpcr, %1" : : "r"(flags), "r"(control));
}

#else // nothing is known: the environment is left alone

static inline FloatControl float_control(void)
{
    return 0;
}

static inline unsigned float_flags(void)
{
    return 0;
}

static inline void float_set(FloatControl control, unsigned more)
{
    (void)control;
    (void)more;
}

#endif

static inline void float_use(FloatControl control)
{
    if (__builtin_expect(float_control() != control, 0))
        float_set(control, 0);
}

#endif
