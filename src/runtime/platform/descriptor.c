// descriptor.c: see descriptor.h.

#define _GNU_SOURCE
#include "runtime/platform/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

Descriptor descriptor_note(int number)
{
    struct stat file;
    // If it is not open any more the program has closed it, and its number is the program's.
    if (number < 0 || fstat(number, &file) != 0)
        return NO_DESCRIPTOR;
    return (Descriptor){number, file.st_dev, file.st_ino};
}

Descriptor descriptor_keep(int number)
{
    Descriptor low = descriptor_note(number), high = low;
    if (low.number < 0 || low.number >= DESCRIPTOR_FIRST)
        return low;
    high.number = fcntl(low.number, F_DUPFD_CLOEXEC, DESCRIPTOR_FIRST);
    int error = errno == EINVAL ? EMFILE : errno; // the limit lies below the first number that it may get
    descriptor_close(&low);
    errno = error;
    if (high.number < 0)
        return NO_DESCRIPTOR;
    if (descriptor_is_ours(&high))
        return high;
    // The program has closed one of the two meanwhile, and either number may be its own by now: it is not ours to close.
    errno = EBADF;
    return NO_DESCRIPTOR;
}

bool descriptor_is_ours(const Descriptor *descriptor)
{
    struct stat file;
    return descriptor->number >= 0 && fstat(descriptor->number, &file) == 0 && file.st_ino == descriptor->inode &&
           file.st_dev == descriptor->device;
}

int descriptor_use(const Descriptor *descriptor)
{
    if (descriptor_is_ours(descriptor))
        return descriptor->number;
    errno = EBADF;
    return -1;
}

ssize_t descriptor_read(const Descriptor *descriptor, void *to, size_t size)
{
    struct pollfd polled = {.fd = descriptor_use(descriptor), .events = POLLIN};
    struct iovec part = {to, size};
    if (polled.fd < 0)
        return -1;
    ssize_t got = preadv2(polled.fd, &part, 1, -1, RWF_NOWAIT);
    if (got >= 0 || errno == EAGAIN)
        return got;
    // Older systems can't do that with all kinds of files.
    int count;
    while ((count = poll(&polled, 1, 0)) < 0 && errno == EINTR)
        ;
    if (count == 1)
        return read(polled.fd, to, size);
    errno = EAGAIN;
    return -1;
}

void descriptor_close(Descriptor *descriptor)
{
    int number = descriptor_use(descriptor);
    if (number >= 0)
        close(number);
    *descriptor = NO_DESCRIPTOR;
}

bool descriptor_owns_pipe(const Descriptor ends[2])
{
    return descriptor_is_ours(&ends[0]) && descriptor_is_ours(&ends[1]);
}

bool descriptor_open_pipe(Descriptor ends[2])
{
    int numbers[2] = {-1, -1};
    if (descriptor_owns_pipe(ends))
        return true;
    descriptor_close(&ends[0]);
    descriptor_close(&ends[1]);
    if (pipe2(numbers, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    ends[0] = descriptor_keep(numbers[0]);
    int error = errno;
    ends[1] = descriptor_keep(numbers[1]);
    if (ends[0].number < 0)
        errno = error;
    return ends[0].number >= 0 && ends[1].number >= 0;
}
