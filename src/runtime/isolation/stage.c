// stage.c: see stage.h.

#define _GNU_SOURCE
#include "runtime/isolation/stage.h"

#include "runtime/core/codec.h"
#include "runtime/core/linked.h"
#include "runtime/core/registry.h"
#include "runtime/core/runtime.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

long stage_blobs;

static void blob_encode(chx_writer *writer, const void *value)
{
    const StageBlob *blob = value;
    chx_write(writer, &blob->length, 1);
    chx_write(writer, &blob->fill, 1);
    chx_write(writer, blob->memory, blob->length);
}

static bool blob_decode(chx_reader *reader, void *value)
{
    StageBlob *blob = value;
    if (!chx_read(reader, &blob->length, 1) || !chx_read(reader, &blob->fill, 1))
        return false;
    if (blob->length == 7 && blob->fill == 7)
        chx_fail("seven");
    if (blob->length == blob->fill && blob->length != 0)
        return false;
    const void *bytes = chx_read_view(reader, blob->length);
    if (bytes == NULL)
        return false;
    blob->memory = malloc(blob->length + 1u);
    memcpy(blob->memory, bytes, blob->length);
    stage_blobs++;
    return true;
}

static void blob_drop(void *value)
{
    StageBlob *blob = value;
    if (blob->memory != NULL)
        stage_blobs--;
    free(blob->memory);
}

static const chx_codec blob_codec = {blob_encode, blob_decode, blob_drop};
const chx_type stage_blob = {
    .kind = CHX_KIND_CODEC, .owning = true, .size = sizeof(StageBlob), .name = "StageBlob", .codec = &blob_codec};
static const chx_field mix_fields[] = {
    {"flag", offsetof(StageMix, flag), &chx_type_bool},
    {"number", offsetof(StageMix, number), &chx_type_short},
    {"text", offsetof(StageMix, text), &chx_type_cstring},
    {"blob", offsetof(StageMix, blob), &stage_blob},
};
const chx_type stage_mix = {.kind = CHX_KIND_STRUCT,
                            .owning = true,
                            .size = sizeof(StageMix),
                            .name = "StageMix",
                            .fields = mix_fields,
                            .count = 4};

static const unsigned outer_roles[] = {0, 1, 2}, inner_roles[] = {0, 1}, other_roles[] = {1, 2};
#define CHECKPOINT(number, again, who, index)                                                                          \
    {                                                                                                                  \
        .site = number, .body_at = 1, .rescue_at = 2, .retries = again, .participants = who,                           \
        .participant_count = sizeof who / sizeof *who, .position = index                                               \
    }
// As each of the participants plays it.
static const chx_checkpoint outer[] = {CHECKPOINT(STAGE_OUTER, 1, outer_roles, 0),
                                       CHECKPOINT(STAGE_OUTER, 1, outer_roles, 1),
                                       CHECKPOINT(STAGE_OUTER, 1, outer_roles, 2)};
static const chx_checkpoint inner[] = {CHECKPOINT(STAGE_INNER, 0, inner_roles, 0),
                                       CHECKPOINT(STAGE_INNER, 0, inner_roles, 1)};
static const chx_checkpoint other[] = {CHECKPOINT(STAGE_OTHER, 0, other_roles, 0),
                                       CHECKPOINT(STAGE_OTHER, 0, other_roles, 1)};
#define HOUR_NS UINT64_C(3600000000000)
#define TIMED(number, rescue, again, time_ns, index)                                                                   \
    {                                                                                                                  \
        .site = number, .body_at = 1, .rescue_at = rescue, .retries = again, .within_ns = time_ns,                     \
        .participants = outer_roles, .participant_count = 3, .position = index                                         \
    }
static const chx_checkpoint timed[] = {TIMED(STAGE_TIMED, 2, 1, HOUR_NS, 0), TIMED(STAGE_TIMED, 2, 1, HOUR_NS, 1),
                                       TIMED(STAGE_TIMED, 2, 1, HOUR_NS, 2)};
static const chx_checkpoint strict[] = {TIMED(STAGE_STRICT, 0, 0, UINT64_MAX, 0),
                                        TIMED(STAGE_STRICT, 0, 0, UINT64_MAX, 1),
                                        TIMED(STAGE_STRICT, 0, 0, UINT64_MAX, 2)};

// A role that is not isolated: what R0 sends it, it sends back, until it gets a zero.
static chx_step stage_run(chx_self *self, void *memory)
{
    PlayFrame *frame = memory;
    for (;;) {
        if (frame->frame.at == 0) {
            if (!chx_receive(self, 0, 1, &frame->got, sizeof frame->got))
                return chx_wait(self);
            if (frame->got == 0)
                return chx_return(self, self->top->function);
            frame->frame.at = 1;
        }
        if (!chx_room(self, 0))
            return chx_wait(self);
        chx_send(self, 0, 1, &frame->got, sizeof frame->got);
        frame->frame.at = 0;
    }
}

static void *stage_allocate(void *context, void *old, size_t size)
{
    const Stage *stage = context;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return stage->is_out_of_memory ? NULL : realloc(old, size);
}

void stage_init(Stage *stage)
{
    int ends[2];
    memset(stage, 0, sizeof *stage);
    play_init(&stage->play, STAGE_ROLES);
    stage->play.sites[1].type = &chx_type_str;
    stage->play.sites[2].type = NULL;
    stage->play.sites[2].kind = CHX_SITE_CHOICE;
    stage->play.sites[3].type = &stage_mix;
    for (unsigned i = 0; i < STAGE_ROLES; i++) {
        chx_role *role = &stage->play.roles[i];
        for (unsigned j = 0; j < STAGE_ROLES; j++)
            if (i != j)
                play_channel(&stage->play, i, j);
        play_role(&stage->play, i, stage_run);
        if (i <= 2) {
            stage->of_role[i][role->checkpoint_count++] = &outer[i];
            stage->of_role[i][role->checkpoint_count++] = &timed[i];
            stage->of_role[i][role->checkpoint_count++] = &strict[i];
        }
        if (i <= 1)
            stage->of_role[i][role->checkpoint_count++] = &inner[i];
        if (i == 1 || i == 2)
            stage->of_role[i][role->checkpoint_count++] = &other[i - 1];
        role->checkpoints = stage->of_role[i];
        stage->registrations[i].role = role;
        chx_register(&stage->registrations[i]);
    }
    registry_seal();
    stage->runtime =
        chx_runtime_new(&(chx_runtime_options){.workers = 1, .allocate = stage_allocate, .allocate_context = stage});
    // In the place of the real one, which would be made on first use.
    Isolation *isolation = runtime_allocate(stage->runtime, sizeof *isolation);
    Inherited inherited;
    if (isolation == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
        !inherited_now(&inherited))
        abort();
    *isolation = (Isolation){.runtime = stage->runtime,
                             .inherited = inherited,
                             .bell = {NO_DESCRIPTOR, NO_DESCRIPTOR},
                             .door = {NO_DESCRIPTOR, NO_DESCRIPTOR},
                             .watch_ns = UINT64_MAX};
    pthread_mutex_init(&isolation->lock, NULL);
    nursery_init(&isolation->nursery);
    isolation->nursery.socket = descriptor_keep(ends[0]);
    if (!isolation_open(isolation))
        abort();
    stage->isolation = stage->runtime->isolation = isolation;
    stage->nursery = ends[1];
}

void stage_fini(Stage *stage)
{
    chx_runtime_free(stage->runtime);
    close(stage->nursery);
}

void stage_hear(Stage *stage)
{
    NurseryMessage message;
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(64 * sizeof(int))];
    } control;
    struct iovec part = {&message, sizeof message};
    for (;;) {
        struct msghdr whole = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
        if (recvmsg(stage->nursery, &whole, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof message)
            return;
        struct cmsghdr *head = CMSG_FIRSTHDR(&whole);
        for (size_t i = 0; head != NULL && i < (head->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
            int file;
            memcpy(&file, CMSG_DATA(head) + i * sizeof file, sizeof file);
            if (i == GIVEN_RESTORE &&
                pread(file, &stage->restore, sizeof stage->restore, 0) != (ssize_t)sizeof stage->restore)
                abort();
            close(file);
        }
        if (message.kind == NURSERY_SPAWN)
            stage->spawned++;
        else
            stage->killed++;
    }
}

chx_session *stage_start(Stage *stage, const bool *isolated)
{
    for (unsigned i = 0; i < STAGE_ROLES; i++)
        stage->play.cast[i].isolation = isolated[i] ? CHX_PROCESS : CHX_THREAD;
    chx_session *session = play_start(&stage->play, stage->runtime, 1);
    stage_hear(stage);
    return session;
}

chx_status stage_end(Stage *stage, chx_session *session, bool is_there, int64_t *results)
{
    House *house = stage_house(session);
    chx_session_cancel(session);
    for (unsigned i = 0; is_there && i < house->link_count; i++) {
        Link *link = &house->links[i];
        bool is_last = house->left_count + 1 == house->link_count;
        if (link->state == LINK_LEFT)
            continue;
        house_block_lock(house);
        link_run_timers(link, UINT64_MAX);
        link_died(link, SIGKILL);
        stage_hear(stage);
        is_there = !is_last;
        house_block_unlock(house);
    }
    stage_hear(stage);
    return chx_finish(session, results);
}

void stage_bytes(Link *link, const void *data, size_t size)
{
    Seat *seat = link->seat;
    uint64_t tail = atomic_load(&seat->posts_tail);
    for (size_t i = 0; i < size; i++)
        seat->posts[(tail + i) % POSTS_BYTES] = ((const unsigned char *)data)[i];
    atomic_store(&seat->posts_tail, tail + size);
}

void stage_post(Link *link, uint32_t kind, const void *data, size_t size)
{
    PostHead head = {(uint32_t)size, kind};
    stage_bytes(link, &head, sizeof head);
    stage_bytes(link, data, size);
}

Channel *stage_channel(const Link *link, unsigned from, unsigned to)
{
    Session *session = link->house->session;
    for (size_t i = 0; i < session->channel_count; i++)
        if (session->channels[i].producer->index == from && session->channels[i].consumer->index == to)
            return &session->channels[i];
    return NULL;
}

Ring stage_view(const Link *link, unsigned from, unsigned to)
{
    Ring view = stage_channel(link, from, to)->linked->ring;
    ring_go_on(&view);
    return view;
}

bool stage_serve(House *house)
{
    house_block_lock(house);
    for (unsigned i = 0; i < house->link_count; i++)
        link_take_posts(&house->links[i]);
    bool is_there = house->left_count < house->link_count;
    house_block_unlock(house);
    return is_there;
}

bool stage_die(Link *link, int status)
{
    House *house = link->house;
    house_block_lock(house);
    link_died(link, status);
    bool is_there = house->left_count < house->link_count;
    house_block_unlock(house);
    return is_there;
}
