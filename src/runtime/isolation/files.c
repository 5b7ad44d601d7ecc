// files.c: which memory is shared with whom. See isolated session.h for what the files are, and parent.h.
//
// A process that has a part of a file can reach the whole of it: a mapping can be moved to any other part of its file
// (remap_file_pages), and grown (mremap), also without a descriptor. Hence a file for each group of roles that may see the
// same, and no fewer.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// ---- what lies where ----

static SharedFile *file_plan(IsolatedSession *isolated, uint64_t bytes)
{
    SharedFile *file = &isolated->files[isolated->file_count++];
    *file = (SharedFile){.descriptor = NO_DESCRIPTOR, .bytes = bytes};
    return file;
}

// The file with the channel that leads the other way, if there is one, and it was planned before.
static SharedFile *pair_find(const IsolatedSession *isolated, const Channel *channel)
{
    const Actor *from = channel->consumer;
    for (size_t i = 0; i < from->role->sends_to_count; i++)
        if (from->out[i].consumer == channel->producer)
            return isolated->rings[&from->out[i] - isolated->session->channels].file;
    return NULL;
}

// The first page is for the doorbells of those two, if nobody else rings them.
static SharedFile *pair_plan(IsolatedSession *isolated, const Channel *channel)
{
    RoleProxy *ends[2] = {channel->producer->proxy, channel->consumer->proxy};
    SharedFile *file = file_plan(isolated, PAGE);
    for (unsigned i = 0; i < 2; i++) {
        ends[i]->isolated_peers++;
        ends[i]->doorbell_place = (SharedPlace){file, i * sizeof(Doorbell)};
    }
    return file;
}

static SharedFile *channel_file(IsolatedSession *isolated, const Channel *channel)
{
    const RoleProxy *producer = channel->producer->proxy, *consumer = channel->consumer->proxy;
    if (producer == NULL || consumer == NULL)
        return producer != NULL ? producer->own.file : consumer != NULL ? consumer->own.file : NULL;
    SharedFile *file = pair_find(isolated, channel);
    return file != NULL ? file : pair_plan(isolated, channel);
}

static void channel_plan(IsolatedSession *isolated, size_t number)
{
    SharedFile *file = channel_file(isolated, &isolated->session->channels[number]);
    if (file == NULL)
        return;
    isolated->rings[number] = (SharedPlace){file, file->bytes};
    file->bytes += RING_WHOLE_BYTES;
}

static void doorbell_plan(IsolatedSession *isolated, RoleProxy *proxy)
{
    if (proxy->isolated_peers == 0) {
        proxy->doorbell_place = (SharedPlace){proxy->own.file, proxy->own.file->bytes};
        proxy->own.file->bytes += PAGE;
    } else if (proxy->isolated_peers > 1) {
        proxy->doorbell_place = (SharedPlace){file_plan(isolated, PAGE), 0};
    }
}

// ---- making them ----

// The limit on sizes of files (ulimit -f) is one for memory with a descriptor, too, though little of it is ever used.
// Going beyond is not an error but a signal that ends the program.
static bool file_resize(int file, uint64_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size) {
        errno = EFBIG;
        return false;
    }
    return ftruncate(file, (off_t)size) == 0;
}

static bool file_make(SharedFile *file)
{
    file->descriptor = descriptor_keep(memfd_create("chorex", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const Descriptor *made = &file->descriptor;
    // Nobody can make it smaller under our feet.
    return made->number >= 0 && file_resize(descriptor_use(made), file->bytes) &&
           fcntl(descriptor_use(made), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

static bool proxy_map(RoleProxy *proxy)
{
    proxy->control = isolated_map(descriptor_use(&proxy->own.file->descriptor), 0, sizeof(ControlBlock));
    proxy->doorbell =
        isolated_map_doorbell(descriptor_use(&proxy->doorbell_place.file->descriptor), proxy->doorbell_place.at);
    return proxy->control != NULL && proxy->doorbell != NULL;
}

bool isolated_make_files(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    size_t channels = session->channel_count;
    // At most: one of its own and a doorbell for each link, and one for each channel.
    isolated->files =
        runtime_allocate(session->runtime, (2 * isolated->proxy_count + channels) * sizeof *isolated->files);
    isolated->rings = runtime_allocate(session->runtime, (channels + 1) * sizeof *isolated->rings);
    if (isolated->files == NULL || isolated->rings == NULL)
        return false;
    memset(isolated->rings, 0, (channels + 1) * sizeof *isolated->rings);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        isolated->proxies[i].own.file = file_plan(isolated, page_up(sizeof(ControlBlock)));
    for (size_t i = 0; i < channels; i++)
        channel_plan(isolated, i);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        doorbell_plan(isolated, &isolated->proxies[i]);
    for (size_t i = 0; i < isolated->file_count; i++)
        if (!file_make(&isolated->files[i]))
            return false;
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        if (!proxy_map(&isolated->proxies[i]))
            return false;
    return true;
}

void isolated_release_files(IsolatedSession *isolated)
{
    chx_runtime *runtime = isolated->session->runtime;
    for (unsigned i = 0; i < isolated->proxy_count; i++) {
        if (isolated->proxies[i].control != NULL)
            munmap(isolated->proxies[i].control, sizeof(ControlBlock));
        isolated_unmap_doorbell(isolated->proxies[i].doorbell);
    }
    for (size_t i = 0; i < isolated->file_count; i++)
        descriptor_close(&isolated->files[i].descriptor);
    if (isolated->files != NULL)
        runtime_release(runtime, isolated->files);
    if (isolated->rings != NULL)
        runtime_release(runtime, isolated->rings);
}

// ---- giving them away ----

static void list_add(FileList *files, const RoleProxy *proxy, SharedFile *file)
{
    if (file->listed == proxy)
        return;
    file->listed = proxy;
    file->position = (uint32_t)files->count;
    files->list[files->count++] = descriptor_use(&file->descriptor);
}

static void list_add_peer(FileList *files, const RoleProxy *proxy, const Channel *channel, const Actor *peer)
{
    list_add(files, proxy, proxy->isolated->rings[shm_channel(channel)->number].file);
    if (peer->proxy != NULL)
        list_add(files, proxy, peer->proxy->doorbell_place.file);
}

bool proxy_list_files(RoleProxy *proxy, FileList *files)
{
    const Actor *actor = proxy->actor;
    size_t channels = actor->role->sends_to_count + actor->role->receives_from_count;
    // Two for each channel, the role's own two, and the trace.
    *files = (FileList){.list = malloc((GIVEN_OTHERS + 2 * channels + 2) * sizeof(int)), .count = GIVEN_OWN};
    if (files->list == NULL)
        return false;
    for (size_t i = 0; i < proxy->isolated->file_count; i++)
        proxy->isolated->files[i].listed = NULL;
    list_add(files, proxy, proxy->own.file);
    list_add(files, proxy, proxy->doorbell_place.file);
    for (size_t i = 0; i < actor->role->sends_to_count; i++)
        list_add_peer(files, proxy, &actor->out[i], actor->out[i].consumer);
    for (size_t i = 0; i < actor->role->receives_from_count; i++)
        list_add_peer(files, proxy, actor->in[i], actor->in[i]->producer);
    for (size_t i = GIVEN_OWN; i < files->count; i++)
        if (files->list[i] < 0) {
            free(files->list);
            errno = EBADF;
            return false;
        }
    return true;
}

GivenPlace proxy_given(const RoleProxy *proxy, SharedPlace place)
{
    CHECK(place.file->listed == proxy);
    return (GivenPlace){place.file->position, place.at};
}
