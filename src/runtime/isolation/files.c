// files.c: which memory is shared with whom. See house.h for what the files are, and parent.h.
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

static SharedFile *file_plan(House *house, uint64_t bytes)
{
    SharedFile *file = &house->files[house->file_count++];
    *file = (SharedFile){.descriptor = NO_DESCRIPTOR, .bytes = bytes};
    return file;
}

// The file with the channel that leads the other way, if there is one, and it was planned before.
static SharedFile *pair_find(const House *house, const Channel *channel)
{
    const Actor *from = channel->consumer;
    for (size_t i = 0; i < from->role->sends_to_count; i++)
        if (from->out[i].consumer == channel->producer)
            return house->rings[&from->out[i] - house->session->channels].file;
    return NULL;
}

// The first page is for the bells of those two, if nobody else rings them.
static SharedFile *pair_plan(House *house, const Channel *channel)
{
    Link *ends[2] = {channel->producer->link, channel->consumer->link};
    SharedFile *file = file_plan(house, PAGE);
    for (unsigned i = 0; i < 2; i++) {
        ends[i]->isolated_peers++;
        ends[i]->bell_place = (SharedPlace){file, i * sizeof(Bell)};
    }
    return file;
}

static SharedFile *channel_file(House *house, const Channel *channel)
{
    const Link *producer = channel->producer->link, *consumer = channel->consumer->link;
    if (producer == NULL || consumer == NULL)
        return producer != NULL ? producer->own.file : consumer != NULL ? consumer->own.file : NULL;
    SharedFile *file = pair_find(house, channel);
    return file != NULL ? file : pair_plan(house, channel);
}

static void channel_plan(House *house, size_t number)
{
    SharedFile *file = channel_file(house, &house->session->channels[number]);
    if (file == NULL)
        return;
    house->rings[number] = (SharedPlace){file, file->bytes};
    file->bytes += RING_WHOLE_BYTES;
}

static void bell_plan(House *house, Link *link)
{
    if (link->isolated_peers == 0) {
        link->bell_place = (SharedPlace){link->own.file, link->own.file->bytes};
        link->own.file->bytes += PAGE;
    } else if (link->isolated_peers > 1) {
        link->bell_place = (SharedPlace){file_plan(house, PAGE), 0};
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

static bool link_map(Link *link)
{
    link->seat = house_map(descriptor_use(&link->own.file->descriptor), 0, sizeof(Seat));
    link->bell = house_map_bell(descriptor_use(&link->bell_place.file->descriptor), link->bell_place.at);
    return link->seat != NULL && link->bell != NULL;
}

bool house_make_files(House *house)
{
    Session *session = house->session;
    size_t channels = session->channel_count;
    // At most: one of its own and a bell for each link, and one for each channel.
    house->files = runtime_allocate(session->runtime, (2 * house->link_count + channels) * sizeof *house->files);
    house->rings = runtime_allocate(session->runtime, (channels + 1) * sizeof *house->rings);
    if (house->files == NULL || house->rings == NULL)
        return false;
    memset(house->rings, 0, (channels + 1) * sizeof *house->rings);
    for (unsigned i = 0; i < house->link_count; i++)
        house->links[i].own.file = file_plan(house, page_up(sizeof(Seat)));
    for (size_t i = 0; i < channels; i++)
        channel_plan(house, i);
    for (unsigned i = 0; i < house->link_count; i++)
        bell_plan(house, &house->links[i]);
    for (size_t i = 0; i < house->file_count; i++)
        if (!file_make(&house->files[i]))
            return false;
    for (unsigned i = 0; i < house->link_count; i++)
        if (!link_map(&house->links[i]))
            return false;
    return true;
}

void house_release_files(House *house)
{
    chx_runtime *runtime = house->session->runtime;
    for (unsigned i = 0; i < house->link_count; i++) {
        if (house->links[i].seat != NULL)
            munmap(house->links[i].seat, sizeof(Seat));
        house_unmap_bell(house->links[i].bell);
    }
    for (size_t i = 0; i < house->file_count; i++)
        descriptor_close(&house->files[i].descriptor);
    if (house->files != NULL)
        runtime_release(runtime, house->files);
    if (house->rings != NULL)
        runtime_release(runtime, house->rings);
}

size_t house_descriptors(const House *house)
{
    return house->file_count;
}

// ---- giving them away ----

static void list_add(FileList *files, const Link *link, SharedFile *file)
{
    if (file->listed == link)
        return;
    file->listed = link;
    file->position = (uint32_t)files->count;
    files->list[files->count++] = descriptor_use(&file->descriptor);
}

static void list_add_peer(FileList *files, const Link *link, const Channel *channel, const Actor *peer)
{
    list_add(files, link, link->house->rings[channel->linked->number].file);
    if (peer->link != NULL)
        list_add(files, link, peer->link->bell_place.file);
}

bool link_list_files(Link *link, FileList *files)
{
    const Actor *actor = link->actor;
    size_t channels = actor->role->sends_to_count + actor->role->receives_from_count;
    // Two for each channel, the role's own two, and the trace.
    *files = (FileList){.list = malloc((GIVEN_OTHERS + 2 * channels + 2) * sizeof(int)), .count = GIVEN_OWN};
    if (files->list == NULL)
        return false;
    for (size_t i = 0; i < link->house->file_count; i++)
        link->house->files[i].listed = NULL;
    list_add(files, link, link->own.file);
    list_add(files, link, link->bell_place.file);
    for (size_t i = 0; i < actor->role->sends_to_count; i++)
        list_add_peer(files, link, &actor->out[i], actor->out[i].consumer);
    for (size_t i = 0; i < actor->role->receives_from_count; i++)
        list_add_peer(files, link, actor->in[i], actor->in[i]->producer);
    for (size_t i = GIVEN_OWN; i < files->count; i++)
        if (files->list[i] < 0) {
            free(files->list);
            errno = EBADF;
            return false;
        }
    return true;
}

GivenPlace link_given(const Link *link, SharedPlace place)
{
    CHECK(place.file->listed == link);
    return (GivenPlace){place.file->position, place.at};
}
