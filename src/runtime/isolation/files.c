// files.c: which memory is shared with which processes. See isolated_session.h for what the files are, and parent.h.
//
// A process that has a part of a file can reach the whole of it: a mapping can be moved to any other part of its file
// (remap_file_pages), and grown (mremap), also without a descriptor. Hence a file for each group of roles that may see the
// same things, and no fewer files.

#define _GNU_SOURCE
#include "runtime/isolation/parent.h"

#include "base/check.h"
#include "runtime/actor/observe.h"
#include "runtime/session/trace.h"
#include "runtime/value/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- what lies where ----

static SharedFile *file_plan(IsolatedSession *isolated, uint64_t bytes)
{
    SharedFile *file = &isolated->files[isolated->file_count++];
    *file = (SharedFile){.descriptor = NO_DESCRIPTOR, .bytes = bytes};
    return file;
}

// The file of the channel that leads the other way. NULL: there is no such channel, or it has not been planned yet.
static SharedFile *pair_find(const IsolatedSession *isolated, const Channel *channel)
{
    const Actor *from = channel->consumer;
    for (size_t i = 0; i < from->role->sends_to_count; i++)
        if (from->out[i].consumer == channel->producer)
            return isolated->rings[&from->out[i] - isolated->session->channels].file;
    return NULL;
}

// The first page is for the doorbells of those two, where no third isolated role rings them.
static SharedFile *pair_plan(IsolatedSession *isolated, const Channel *channel)
{
    RoleProxy *ends[2] = {role_proxy(channel->producer), role_proxy(channel->consumer)};
    SharedFile *file = file_plan(isolated, PAGE);
    for (unsigned i = 0; i < 2; i++) {
        ends[i]->isolated_peers++;
        ends[i]->doorbell_place = (SharedPlace){file, i * sizeof(Doorbell)};
    }
    return file;
}

static void channel_plan(IsolatedSession *isolated, size_t number)
{
    const Channel *channel = &isolated->session->channels[number];
    const RoleProxy *producer = role_proxy(channel->producer), *consumer = role_proxy(channel->consumer);
    SharedFile *file = NULL;
    if (producer != NULL && consumer != NULL)
        file = pair_find(isolated, channel);
    else if (producer != NULL || consumer != NULL)
        file = (producer != NULL ? producer : consumer)->own;
    else
        return;
    if (file == NULL)
        file = pair_plan(isolated, channel);
    isolated->rings[number] = (SharedPlace){file, file->bytes};
    file->bytes += RING_WHOLE_BYTES;
}

static void doorbell_plan(IsolatedSession *isolated, RoleProxy *proxy)
{
    if (proxy->isolated_peers == 0) {
        proxy->doorbell_place = (SharedPlace){proxy->own, proxy->own->bytes};
        proxy->own->bytes += PAGE;
    } else if (proxy->isolated_peers > 1) {
        proxy->doorbell_place = (SharedPlace){file_plan(isolated, PAGE), 0};
    }
}

// ---- making them ----

static bool file_make(SharedFile *file, bool may_grow)
{
    struct rlimit limit;
    file->descriptor = descriptor_keep(memfd_create("chorex", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file->descriptor.number < 0)
        return false;
    // The limit on sizes of files (ulimit -f) is one for memory with a descriptor, too, though little of it is ever used.
    // Going beyond is not an error but a signal that ends the program.
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < file->bytes) {
        errno = EFBIG;
        return false;
    }
    // A process that has the file can't make it smaller while it is mapped here.
    int seals = F_SEAL_SHRINK | F_SEAL_SEAL | (may_grow ? 0 : F_SEAL_GROW);
    return ftruncate(descriptor_use(&file->descriptor), (off_t)file->bytes) == 0 &&
           fcntl(descriptor_use(&file->descriptor), F_ADD_SEALS, seals) == 0;
}

// ---- rings of arms ----

// Its process may have made it larger already.
static bool file_grow(const SharedFile *file, uint64_t bytes)
{
    struct stat about;
    struct rlimit limit;
    int number = descriptor_use(&file->descriptor);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) {
        errno = EFBIG;
        return false;
    }
    return fstat(number, &about) == 0 && (about.st_size >= (off_t)bytes || ftruncate(number, (off_t)bytes) == 0);
}

bool isolated_take_ring(IsolatedSession *isolated, SharedFile *file, uint64_t *at)
{
    pthread_mutex_lock(&isolated->spare_lock);
    SpareRing *spare = file->spare;
    bool is_had = true;
    if (spare != NULL) {
        *at = spare->at;
        file->spare = spare->next;
        free(spare);
    } else if ((is_had = file_grow(file, file->bytes + RING_WHOLE_BYTES))) {
        *at = file->bytes;
        file->bytes += RING_WHOLE_BYTES;
    }
    pthread_mutex_unlock(&isolated->spare_lock);
    return is_had;
}

// Without memory to remember it, or if it can't be cleared, it is not used again.
void isolated_give_ring(IsolatedSession *isolated, SharedFile *file, uint64_t at)
{
    SpareRing *spare = malloc(sizeof *spare);
    if (spare == NULL || fallocate(descriptor_use(&file->descriptor), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                   (off_t)at, (off_t)RING_WHOLE_BYTES) != 0) {
        free(spare);
        return;
    }
    pthread_mutex_lock(&isolated->spare_lock);
    *spare = (SpareRing){file->spare, at};
    file->spare = spare;
    pthread_mutex_unlock(&isolated->spare_lock);
}

static void file_close(SharedFile *file)
{
    descriptor_close(&file->descriptor);
    while (file->spare != NULL) {
        SpareRing *spare = file->spare;
        file->spare = spare->next;
        free(spare);
    }
}

bool isolated_make_files(IsolatedSession *isolated)
{
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        isolated->proxies[i].own =
            file_plan(isolated, CONTROL_FILE_BYTES + arm_reply_bytes(isolated->proxies[i].actor->role));
    for (size_t i = 0; i < isolated->session->channel_count; i++)
        channel_plan(isolated, i);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        doorbell_plan(isolated, &isolated->proxies[i]);
    bool has_arms = false;
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        has_arms |= role_has_arms(isolated->proxies[i].actor->role);
    for (size_t i = 0; i < isolated->file_count; i++)
        if (!file_make(&isolated->files[i], has_arms))
            return false;
    for (unsigned i = 0; i < isolated->proxy_count; i++) {
        RoleProxy *proxy = &isolated->proxies[i];
        SharedPlace doorbell = proxy->doorbell_place;
        proxy->control = isolated_map(descriptor_use(&proxy->own->descriptor), 0, sizeof(ControlBlock));
        proxy->doorbell = isolated_map_doorbell(descriptor_use(&doorbell.file->descriptor), doorbell.at);
        if (proxy->control == NULL || proxy->doorbell == NULL)
            return false;
    }
    return true;
}

void isolated_release_files(IsolatedSession *isolated)
{
    for (unsigned i = 0; i < isolated->proxy_count; i++) {
        if (isolated->proxies[i].control != NULL)
            munmap(isolated->proxies[i].control, sizeof(ControlBlock));
        isolated_unmap_doorbell(isolated->proxies[i].doorbell);
        descriptor_close(&isolated->proxies[i].recall);
    }
    for (size_t i = 0; i < isolated->file_count; i++)
        file_close(&isolated->files[i]);
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
        list_add(files, proxy, role_proxy(peer)->doorbell_place.file);
}

// A new process has a new one: nobody else can read what it is told.
static bool list_add_recall(FileList *files, RoleProxy *proxy)
{
    int ends[2];
    descriptor_close(&proxy->recall);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return false;
    files->recall = descriptor_note(ends[1]);
    proxy->recall = descriptor_keep(ends[0]);
    files->list[GIVEN_RECALL] = ends[1];
    return proxy->recall.number >= 0;
}

void proxy_recall(const RoleProxy *proxy)
{
    static const char ring;
    int number = descriptor_use(&proxy->recall);
    // If there is no more room, there is something to be read.
    if (number >= 0)
        send(number, &ring, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool proxy_list_files(RoleProxy *proxy, FileList *files)
{
    const Actor *actor = proxy_main(proxy);
    size_t channels = actor->role->sends_to_count + actor->role->receives_from_count;
    // Two for each channel, the role's own two, and the trace.
    *files =
        (FileList){malloc((GIVEN_OTHERS + 2 * channels + 2) * sizeof(int)), GIVEN_OWN, NO_DESCRIPTOR, NO_DESCRIPTOR};
    if (files->list == NULL || !list_add_recall(files, proxy))
        return false;
    for (size_t i = 0; i < proxy->isolated->file_count; i++)
        proxy->isolated->files[i].listed = NULL;
    list_add(files, proxy, proxy->own);
    list_add(files, proxy, proxy->doorbell_place.file);
    for (size_t i = 0; i < actor->role->sends_to_count; i++)
        list_add_peer(files, proxy, &actor->out[i], actor->out[i].consumer);
    for (size_t i = 0; i < actor->role->receives_from_count; i++)
        list_add_peer(files, proxy, actor->in[i], actor->in[i]->producer);
    files->list[GIVEN_DOORBELL] = event_loop_door(&proxy->isolated->isolation->loop);
    for (size_t i = GIVEN_DOORBELL; i < files->count; i++)
        if (files->list[i] < 0) {
            errno = EBADF;
            return false;
        }
    files->image = proxy_image_file(proxy);
    files->list[GIVEN_IMAGE] = files->image.number;
    uint64_t start_ns;
    if ((actor->self.observed & OBSERVED_TRACE) != 0)
        files->list[files->count++] = trace_file(&start_ns);
    return files->image.number >= 0;
}

GivenPlace proxy_given(const RoleProxy *proxy, SharedPlace place)
{
    CHECK(place.file->listed == proxy);
    return (GivenPlace){place.file->position, place.at};
}
