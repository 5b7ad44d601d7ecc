// process_fixture.c: see process_fixture.h.

#define _GNU_SOURCE
#include "runtime/isolation/process_fixture.h"

#include "runtime/value/codec.h"
#include "runtime/channel/shm_channel.h"
#include "runtime/session/registry.h"
#include "runtime/session/runtime.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

long process_fixture_blobs;

static void blob_encode(chx_writer *writer, const void *value)
{
    const ProcessFixtureBlob *blob = value;
    chx_write(writer, &blob->length, 1);
    chx_write(writer, &blob->fill, 1);
    chx_write(writer, blob->memory, blob->length);
}

static bool blob_decode(chx_reader *reader, void *value)
{
    ProcessFixtureBlob *blob = value;
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
    process_fixture_blobs++;
    return true;
}

static void blob_drop(void *value)
{
    ProcessFixtureBlob *blob = value;
    if (blob->memory != NULL)
        process_fixture_blobs--;
    free(blob->memory);
}

static const chx_codec blob_codec = {blob_encode, blob_decode, blob_drop};
const chx_type process_fixture_blob = {.kind = CHX_KIND_CODEC,
                                       .owning = true,
                                       .size = sizeof(ProcessFixtureBlob),
                                       .name = "StageBlob",
                                       .codec = &blob_codec};
static const chx_field mix_fields[] = {
    {"flag", offsetof(ProcessFixtureMix, flag), &chx_type_bool},
    {"number", offsetof(ProcessFixtureMix, number), &chx_type_short},
    {"text", offsetof(ProcessFixtureMix, text), &chx_type_cstring},
    {"blob", offsetof(ProcessFixtureMix, blob), &process_fixture_blob},
};
const chx_type process_fixture_mix = {.kind = CHX_KIND_STRUCT,
                                      .owning = true,
                                      .size = sizeof(ProcessFixtureMix),
                                      .name = "StageMix",
                                      .fields = mix_fields,
                                      .count = 4};

static const unsigned outer_roles[] = {0, 1, 2}, inner_roles[] = {0, 1}, other_roles[] = {1, 2};
#define CHECKPOINT(number, again, who, index)                                                                          \
    {                                                                                                                  \
        .site = number, .name = number, .body_at = 1, .rescue_at = 2, .retries = again, .participants = who,           \
        .participant_count = sizeof who / sizeof *who, .position = index                                               \
    }
// As each of the participants plays it.
static const chx_checkpoint outer[] = {CHECKPOINT(PROCESS_FIXTURE_OUTER, 1, outer_roles, 0),
                                       CHECKPOINT(PROCESS_FIXTURE_OUTER, 1, outer_roles, 1),
                                       CHECKPOINT(PROCESS_FIXTURE_OUTER, 1, outer_roles, 2)};
static const chx_checkpoint inner[] = {CHECKPOINT(PROCESS_FIXTURE_INNER, 0, inner_roles, 0),
                                       CHECKPOINT(PROCESS_FIXTURE_INNER, 0, inner_roles, 1)};
static const chx_checkpoint other[] = {CHECKPOINT(PROCESS_FIXTURE_OTHER, 0, other_roles, 0),
                                       CHECKPOINT(PROCESS_FIXTURE_OTHER, 0, other_roles, 1)};
#define HOUR_NS UINT64_C(3600000000000)
#define TIMED(number, rescue, again, time_ns, index)                                                                   \
    {                                                                                                                  \
        .site = number, .name = number, .body_at = 1, .rescue_at = rescue, .retries = again, .within_ns = time_ns,     \
        .participants = outer_roles, .participant_count = 3, .position = index                                         \
    }
static const chx_checkpoint timed[] = {TIMED(PROCESS_FIXTURE_TIMED, 2, 1, HOUR_NS, 0),
                                       TIMED(PROCESS_FIXTURE_TIMED, 2, 1, HOUR_NS, 1),
                                       TIMED(PROCESS_FIXTURE_TIMED, 2, 1, HOUR_NS, 2)};
static const chx_checkpoint strict[] = {TIMED(PROCESS_FIXTURE_STRICT, 0, 0, UINT64_MAX, 0),
                                        TIMED(PROCESS_FIXTURE_STRICT, 0, 0, UINT64_MAX, 1),
                                        TIMED(PROCESS_FIXTURE_STRICT, 0, 0, UINT64_MAX, 2)};

// A role that is not isolated: what R0 sends it, it sends back, until it gets a zero.
static chx_step process_fixture_run(chx_self *self, void *memory)
{
    FixtureFrame *frame = memory;
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

static void *process_fixture_allocate(void *context, void *old, size_t size)
{
    const ProcessFixture *process_fixture = context;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return process_fixture->is_out_of_memory ? NULL : realloc(old, size);
}

void process_fixture_init(ProcessFixture *process_fixture)
{
    int ends[2];
    memset(process_fixture, 0, sizeof *process_fixture);
    fixture_init(&process_fixture->fixture, PROCESS_FIXTURE_ROLES);
    process_fixture->fixture.sites[1].type = &chx_type_str;
    process_fixture->fixture.sites[2].type = NULL;
    process_fixture->fixture.sites[2].kind = CHX_SITE_CHOICE;
    process_fixture->fixture.sites[3].type = &process_fixture_mix;
    for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES; i++) {
        chx_role *role = &process_fixture->fixture.roles[i];
        for (unsigned j = 0; j < PROCESS_FIXTURE_ROLES; j++)
            if (i != j)
                fixture_channel(&process_fixture->fixture, i, j);
        fixture_role(&process_fixture->fixture, i, process_fixture_run);
        if (i <= 2) {
            process_fixture->of_role[i][role->checkpoint_count++] = &outer[i];
            process_fixture->of_role[i][role->checkpoint_count++] = &timed[i];
            process_fixture->of_role[i][role->checkpoint_count++] = &strict[i];
        }
        if (i <= 1)
            process_fixture->of_role[i][role->checkpoint_count++] = &inner[i];
        if (i == 1 || i == 2)
            process_fixture->of_role[i][role->checkpoint_count++] = &other[i - 1];
        role->checkpoints = process_fixture->of_role[i];
        process_fixture->registrations[i].role = role;
        chx_register(&process_fixture->registrations[i]);
    }
    registry_seal();
    process_fixture->runtime = chx_runtime_new(&(chx_runtime_options){
        .workers = 1, .allocate = process_fixture_allocate, .allocate_context = process_fixture});
    // In the place of the real one, which would be made on first use.
    Isolation *isolation = runtime_allocate(process_fixture->runtime, sizeof *isolation);
    Inherited inherited;
    if (isolation == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
        !inherited_now(&inherited))
        abort();
    isolation_init(isolation, process_fixture->runtime);
    isolation->inherited = inherited;
    isolation->zygote.socket = descriptor_keep(ends[0]);
    if (!event_loop_open(&isolation->loop))
        abort();
    process_fixture->isolation = process_fixture->runtime->isolation = isolation;
    process_fixture->zygote = ends[1];
}

void process_fixture_fini(ProcessFixture *process_fixture)
{
    chx_runtime_free(process_fixture->runtime);
    close(process_fixture->zygote);
}

void process_fixture_hear(ProcessFixture *process_fixture)
{
    ZygoteMessage message;
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(64 * sizeof(int))];
    } control;
    struct iovec part = {&message, sizeof message};
    for (;;) {
        struct msghdr whole = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
        if (recvmsg(process_fixture->zygote, &whole, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof message)
            return;
        struct cmsghdr *head = CMSG_FIRSTHDR(&whole);
        for (size_t i = 0; head != NULL && i < (head->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
            int file;
            memcpy(&file, CMSG_DATA(head) + i * sizeof file, sizeof file);
            if (i == GIVEN_IMAGE && pread(file, &process_fixture->image, sizeof process_fixture->image, 0) !=
                                        (ssize_t)sizeof process_fixture->image)
                abort();
            close(file);
        }
        if (message.kind == ZYGOTE_SPAWN)
            process_fixture->spawned++;
        else
            process_fixture->killed++;
    }
}

chx_session *process_fixture_start(ProcessFixture *process_fixture, const bool *isolated)
{
    for (unsigned i = 0; i < PROCESS_FIXTURE_ROLES; i++)
        process_fixture->fixture.cast[i].isolation = isolated[i] ? CHX_PROCESS : CHX_THREAD;
    chx_session *session = fixture_start(&process_fixture->fixture, process_fixture->runtime, 1);
    process_fixture_hear(process_fixture);
    return session;
}

chx_status process_fixture_end(ProcessFixture *process_fixture, chx_session *session, bool is_there, int64_t *results)
{
    IsolatedSession *isolated = process_fixture_isolated(session);
    chx_session_cancel(session);
    for (unsigned i = 0; is_there && i < isolated->proxy_count; i++) {
        RoleProxy *proxy = &isolated->proxies[i];
        bool is_last = isolated->left_count + 1 == isolated->proxy_count;
        if (proxy->state == PROXY_LEFT)
            continue;
        isolated_block_lock(isolated);
        proxy_run_timers(proxy, UINT64_MAX);
        proxy_died(proxy, SIGKILL);
        process_fixture_hear(process_fixture);
        is_there = !is_last;
        isolated_block_unlock(isolated);
    }
    process_fixture_hear(process_fixture);
    return chx_finish(session, results);
}

void process_fixture_bytes(RoleProxy *proxy, const void *data, size_t size)
{
    ControlBlock *control = proxy->control;
    uint64_t tail = atomic_load(&control->control_tail);
    for (size_t i = 0; i < size; i++)
        control->controls[(tail + i) % CONTROLS_BYTES] = ((const unsigned char *)data)[i];
    atomic_store(&control->control_tail, tail + size);
}

void process_fixture_post(RoleProxy *proxy, ControlHead head, const void *data)
{
    process_fixture_bytes(proxy, &head, sizeof head);
    process_fixture_bytes(proxy, data, head.size);
}

Channel *process_fixture_channel(const RoleProxy *proxy, unsigned from, unsigned to)
{
    Session *session = proxy->isolated->session;
    for (size_t i = 0; i < session->channel_count; i++)
        if (session->channels[i].producer->index == from && session->channels[i].consumer->index == to)
            return &session->channels[i];
    return NULL;
}

Ring process_fixture_view(const RoleProxy *proxy, unsigned from, unsigned to)
{
    Ring view = shm_channel(process_fixture_channel(proxy, from, to))->ring;
    ring_go_on(&view);
    return view;
}

bool process_fixture_serve(IsolatedSession *isolated)
{
    isolated_block_lock(isolated);
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        proxy_take_controls(&isolated->proxies[i], CONTROLS_PER_TURN);
    bool is_there = isolated->left_count < isolated->proxy_count;
    isolated_block_unlock(isolated);
    return is_there;
}

bool process_fixture_die(RoleProxy *proxy, int status)
{
    IsolatedSession *isolated = proxy->isolated;
    isolated_block_lock(isolated);
    proxy_died(proxy, status);
    bool is_there = isolated->left_count < isolated->proxy_count;
    isolated_block_unlock(isolated);
    return is_there;
}
