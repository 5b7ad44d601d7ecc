// keeps.c: sessions that are decided here and kept in a store: how they are found in it, what of them is committed, and what their
// roles are told when they are over. The home itself says what has to be committed when (home/home_durable.c).
//
// A session whose definition has durable blocks begins with a question to the store, which a thread of its own asks; who wants to join
// meanwhile waits. What the store has then says whether the session is new, goes on, or is over.

#include "net/node/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WHY_SIZE = 512 };

// Somebody who waits for the store's answer.
struct KeepJoin {
    KeepJoin *next;
    HomeJoin join;
    WireId token; // 0: it asks by name
};

// What is being committed.
struct KeepCommit {
    chx_store_piece *pieces;
    unsigned char (*heads)[CHX_KEEP_HEAD_SIZE];
    chx_buffer bytes, outcome;
};

bool keeps_wants(const chx_node *node, const chx_choreography *choreography, size_t definition)
{
    return choreography->definitions[definition].is_durable && node->around.net == NULL;
}

static const char *store_address(const chx_node *node)
{
    const char *address = getenv("CHOREX_STORE");
    bool is_off = address != NULL && strcmp(address, "none") == 0;
    if (is_off || node->config.store != NULL)
        return is_off ? "none" : node->config.store;
    return address != NULL && address[0] != '\0' ? address : NULL;
}

bool keeps_may(chx_node *node, const chx_choreography *choreography, const char *name, bool *is_durable, char *why,
               size_t why_size)
{
    const char *address = store_address(node);
    chx_status status;
    *is_durable = false;
    if (address != NULL && strcmp(address, "none") == 0)
        return true;
    if (name == NULL || name[0] == '#') {
        snprintf(why, why_size,
                 "%s has durable blocks, and a session that %s can't be kept in a store: let each program play its "
                 "role by name (%s_..._as_...), or run it without, with CHOREX_STORE=none",
                 choreography->name, name == NULL ? "a cast places on nodes" : "programs with CHOREX_ROLES play",
                 choreography->name);
        return false;
    }
    if (address == NULL) {
        snprintf(why, why_size,
                 "%s has durable blocks, and %s has no store: write store = sqlite:FILE to [node] in its "
                 "configuration; store = none "
                 "runs it without",
                 choreography->name, node->config.name != NULL ? node->config.name : "the home");
        return false;
    }
    if (node->keeper == NULL)
        node->keeper = chx_keeper_open(node->runtime, address, &status);
    chx_keeper_retain(node->keeper, node->config.limits.keep_ms);
    if (node->keeper == NULL)
        snprintf(why, why_size, "the store of %s can't be used: %s",
                 node->config.name != NULL ? node->config.name : "the home", chx_last_report()->why);
    *is_durable = node->keeper != NULL;
    return *is_durable;
}

// ---- commits ----

static void commit_free(NodeHome *home)
{
    KeepCommit *commit = home->commit;
    if (commit == NULL)
        return;
    free(commit->pieces);
    free(commit->heads);
    free(commit->bytes.data);
    free(commit->outcome.data);
    free(commit);
    home->commit = NULL;
}

// Appends a copy. What pieces point to is set when all are there.
static void put_piece(KeepCommit *commit, chx_store_change *change, uint32_t level, uint32_t role, WireSpan bytes)
{
    commit->pieces[change->piece_count++] = (chx_store_piece){level, role, NULL, bytes.size};
    node_append(&commit->bytes, bytes);
}

static void put_head(const NodeHome *home, KeepCommit *commit, chx_store_change *change, uint32_t level)
{
    HomeHead head;
    home_head(&home->home, level, &head);
    chx_keep_head from = {head.block, head.ordinal, head.attempt, head.fault};
    unsigned char *bytes = commit->heads[level - 1];
    put_piece(commit, change, level, CHX_STORE_HEAD, (WireSpan){bytes, chx_keep_head_write(&from, bytes)});
}

static void put_outcome(const NodeHome *home, KeepCommit *commit, chx_store_change *change)
{
    const Home *of = &home->home;
    put_piece(commit, change, CHX_STORE_RESULTS, CHX_STORE_HEAD,
              (WireSpan){commit->outcome.data, commit->outcome.size});
    for (unsigned i = 0; of->status == CHX_OK && i < home->known->choreography->role_count; i++)
        put_piece(commit, change, CHX_STORE_RESULTS, i, home_result(of, i));
}

static bool commit_make(NodeHome *home)
{
    size_t roles = home->known->choreography->role_count, levels = home->home.cut.depth + 1;
    KeepCommit *commit = home->commit = calloc(1, sizeof *home->commit);
    if (commit == NULL)
        return false;
    commit->pieces = calloc(2 * roles + levels + 1, sizeof *commit->pieces);
    commit->heads = calloc(levels, sizeof *commit->heads);
    // What a change may contain at most: once it is taken from the home nothing may fail.
    commit->bytes.capacity = home_kept_bytes(&home->home) + (levels + 2) * CHX_KEEP_HEAD_SIZE;
    commit->bytes.data = malloc(commit->bytes.capacity);
    chx_fault fault;
    bool has_fault = home_outcome_fault(&home->home, &fault);
    chx_keep_outcome_write(&commit->outcome, home->home.status, has_fault ? &fault : NULL, home->home.restarts);
    return commit->pieces != NULL && commit->heads != NULL && commit->bytes.data != NULL && !commit->outcome.failed;
}

static void change_fill(NodeHome *home, const CutChange *about, chx_store_change *change)
{
    KeepCommit *commit = home->commit;
    const chx_choreography *choreography = home->known->choreography;
    *change = (chx_store_change){.term = about->term,
                                 .version = about->version,
                                 .definition = choreography->definitions[home->definition].name,
                                 .protocol_digest = choreography->protocol_digest,
                                 .outcome = about->is_over ? CHX_STORE_OVER : CHX_STORE_UNFINISHED,
                                 .drops = about->drops,
                                 .drop_from = about->drop_from,
                                 .pieces = commit->pieces};
    memcpy(change->token, home->home.options.token.bytes, sizeof change->token);
    for (unsigned i = 0; about->pieces_level != CUT_NO_LEVEL && i < choreography->role_count; i++)
        put_piece(commit, change, (uint32_t)about->pieces_level, i,
                  home_piece(&home->home, (uint32_t)about->pieces_level, i));
    for (uint32_t level = about->head_from; level <= about->levels; level++)
        put_head(home, commit, change, level);
    if (about->is_over)
        put_outcome(home, commit, change);
    const unsigned char *at = commit->bytes.data;
    for (size_t i = 0; i < change->piece_count; at += commit->pieces[i++].size)
        commit->pieces[i].data = at;
}

static int keep_build(void *context, chx_store_change *change)
{
    NodeHome *home = context;
    CutChange about;
    int built = -1;
    node_lock(home->node);
    commit_free(home);
    if (commit_make(home)) {
        built = home_take_change(&home->home, &about) ? 1 : 0;
        if (built == 1)
            change_fill(home, &about, change);
        home->is_committing = built == 1;
    }
    node_unlock(home->node);
    return built;
}

static void keep_done(void *context, bool is_applied)
{
    NodeHome *home = context;
    chx_node *node = home->node;
    node_lock(node);
    home->is_committing = false;
    commit_free(home);
    home_committed(&home->home, is_applied, node->now_ns);
    home_changed(home);
    node->must_flush = true;
    node_unlock(node);
}

// One that is not in the store yet can be refused, and nothing is lost. Whoever cancels a session wants to be rid of it.
static bool keep_give_up(void *context, bool is_in_doubt, const char *why)
{
    NodeHome *home = context;
    chx_node *node = home->node;
    char text[WHY_SIZE];
    node_lock(node);
    const Home *of = &home->home;
    bool gives_up = of->cut.version == 0 || (of->is_over && of->status == CHX_CANCELLED);
    if (gives_up) {
        snprintf(text, sizeof text,
                 is_in_doubt ? "it is not known whether the session is in the store, which says: %.300s"
                             : "the session can't be begun, the store says: %.300s",
                 why);
        home->is_committing = false;
        home_give_up_store(&home->home, wire_text(text), node->now_ns);
        home_changed(home);
        node->must_flush = true;
    }
    node_unlock(node);
    return gives_up;
}

// ---- what the home asks for ----

void keeps_commit(NodeHome *home)
{
    home->is_committing = true;
    chx_keep_ask(home->keep);
}

// Another program has taken the session: it goes on there (C9).
void keeps_lost(NodeHome *home)
{
    chx_node *node = home->node;
    node_log(node, CHX_LOG_WARN, "%s: session %s was taken over by another program", home->known->choreography->name,
             home->name);
    keeps_end(home);
    if (home->is_over)
        return;
    home->is_over = true;
    home->node->open_homes--;
    home->forget_ns = node->now_ns;
    map_remove(&node->names, &home->by_name);
    joins_home_gone(node, home->by_session.key);
}

void keeps_end(NodeHome *home)
{
    if (home->keep != NULL && home->is_unnamed && home->home.cut.state == CUT_OVER)
        chx_keep_forget(home->keep);
    chx_keep_free(home->keep);
    home->keep = NULL;
}

void keeps_free(NodeHome *home)
{
    for (KeepJoin *join = home->asked, *next; join != NULL; join = next) {
        next = join->next;
        free(join);
    }
    home->asked = NULL;
    commit_free(home);
    chx_keep_free(home->keep);
    home->keep = NULL;
}

// ---- finding ----

static void refuse_one(NodeHome *home, const KeepJoin *join, WireRefusal code, const char *why)
{
    WireRefused refused = {.request = join->join.request, .code = code, .text = wire_text(why)};
    node_send(home->node, join->join.node, 0, WIRE_REFUSED, &refused);
}

static void refuse_all(NodeHome *home, WireRefusal code, const char *why)
{
    for (const KeepJoin *join = home->asked; join != NULL; join = join->next)
        refuse_one(home, join, code, why);
}

static const chx_store_piece *cut_piece(const chx_store_cut *cut, uint32_t level, uint32_t role)
{
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].level == level && cut->pieces[i].role == role)
            return &cut->pieces[i];
    return NULL;
}

static WireSpan resume_piece(const void *context, uint32_t level, unsigned role)
{
    const chx_store_piece *piece = cut_piece(context, level, role);
    return piece != NULL ? (WireSpan){piece->data, piece->size} : (WireSpan){0};
}

static HomeVerdict home_resume_from(NodeHome *home, const chx_store_cut *cut)
{
    size_t depth = 0;
    while (cut_piece(cut, (uint32_t)depth + 1, CHX_STORE_HEAD) != NULL)
        depth++;
    HomeHead *heads = calloc(depth + 1, sizeof *heads);
    char(*texts)[CHX_KEEP_HEAD_SIZE] = calloc(depth + 1, sizeof *texts);
    HomeVerdict verdict = heads != NULL && texts != NULL ? HOME_GOOD : HOME_NO_MEMORY;
    for (size_t i = 0; i < depth && verdict == HOME_GOOD; i++) {
        const chx_store_piece *piece = cut_piece(cut, (uint32_t)i + 1, CHX_STORE_HEAD);
        chx_keep_head head;
        if (!chx_keep_head_read(piece->data, piece->size, &head, texts[i]))
            verdict = HOME_VIOLATION;
        heads[i] = (HomeHead){head.block, head.ordinal, head.attempt, head.fault};
    }
    HomeResume from = {.version = cut->version, .heads = heads, .depth = depth, .piece = resume_piece, .context = cut};
    if (verdict == HOME_GOOD)
        verdict = home_resume(&home->home, &from);
    free(heads);
    free(texts);
    return verdict;
}

// Is it one that this program can go on with? If not, why.
static bool cut_fits(const NodeHome *home, const chx_store_cut *cut, char *why)
{
    const chx_choreography *choreography = home->known->choreography;
    const char *definition = choreography->definitions[home->definition].name;
    if (strcmp(cut->definition, definition) != 0)
        snprintf(why, WHY_SIZE, "session %.100s is one of '%.100s', not of '%s'", home->name, cut->definition,
                 definition);
    else if (cut->protocol_digest != choreography->protocol_digest)
        snprintf(why, WHY_SIZE,
                 "session %.100s was saved by another version: what the roles say to each other is different now; "
                 "finish it with that "
                 "one, or: chorex sessions drop",
                 home->name);
    else
        return true;
    return false;
}

static bool token_is(const WireId *token, const chx_store_cut *cut)
{
    return wire_id_is_zero(token) || memcmp(token->bytes, cut->token, sizeof token->bytes) == 0;
}

// The session goes on with those who have asked for it, and then with who else comes.
static void begin_asked(NodeHome *home)
{
    KeepJoin *asked = home->asked;
    home->asked = NULL;
    for (KeepJoin *join = asked, *next; join != NULL; join = next) {
        next = join->next;
        home_join(&home->home, &join->join, home->node->now_ns);
        free(join);
    }
    homes_fill(home);
}

static void drop_strangers(NodeHome *home, const chx_store_cut *cut)
{
    for (KeepJoin **link = &home->asked, *join; (join = *link) != NULL;) {
        if (cut != NULL ? token_is(&join->token, cut) : wire_id_is_zero(&join->token)) {
            link = &join->next;
            continue;
        }
        refuse_one(home, join, WIRE_REFUSED_UNKNOWN, "the session is over, or is not in the store any more");
        *link = join->next;
        free(join);
    }
}

static void found_ours(NodeHome *home, uint64_t term, const chx_store_cut *cut)
{
    char why[WHY_SIZE];
    HomeVerdict verdict = HOME_VIOLATION;
    snprintf(why, sizeof why, "session %.100s was saved by another version, or is damaged", home->name);
    memcpy(home->home.options.token.bytes, cut->token, sizeof cut->token);
    home->home.options.term = term;
    drop_strangers(home, cut);
    if (cut_fits(home, cut, why))
        verdict = home_resume_from(home, cut);
    if (verdict == HOME_GOOD) {
        node_log(home->node, CHX_LOG_INFO, "%s: session %s goes on, term %" PRIu64, home->known->choreography->name,
                 home->name, term);
        begin_asked(home);
        return;
    }
    refuse_all(home, WIRE_REFUSED_STATE, verdict == HOME_NO_MEMORY ? "out of memory" : why);
    home->is_wrong = true;
}

// Whoever asks for a session that is over is told how it ended (C5).
static void say_outcome(NodeHome *home, const KeepJoin *join, const chx_store_cut *cut)
{
    const chx_store_piece *head = cut_piece(cut, CHX_STORE_RESULTS, CHX_STORE_HEAD);
    const chx_store_piece *result = cut_piece(cut, CHX_STORE_RESULTS, join->join.role);
    char text[CHX_KEEP_HEAD_SIZE];
    chx_status status;
    chx_fault fault;
    unsigned restarts;
    WireBuffer faults = {0};
    if (head == NULL || !chx_keep_outcome_read(head->data, head->size, &status, &fault, &restarts, text)) {
        refuse_one(home, join, WIRE_REFUSED_STATE,
                   "the session is over, but how it ended was saved by another version");
        return;
    }
    WireFault why = {.kind = (uint8_t)fault.kind,
                     .signal = (uint32_t)fault.signal,
                     .line = (uint32_t)fault.line,
                     .role = wire_text(fault.role),
                     .why = wire_text(fault.why)};
    if (status != CHX_OK)
        wire_add(&faults, WIRE_ITEM_FAULT, &why);
    WireOutcome outcome = {
        .request = join->join.request, .status = (uint8_t)status, .restarts = restarts, .fault = wire_list(&faults)};
    if (result != NULL)
        outcome.result = (WireSpan){result->data, result->size};
    node_send(home->node, join->join.node, 0, WIRE_OUTCOME, &outcome);
    wire_buffer_fini(&faults);
}

static void found_over(NodeHome *home, const chx_store_cut *cut)
{
    char why[WHY_SIZE];
    drop_strangers(home, cut);
    if (!cut_fits(home, cut, why))
        refuse_all(home, WIRE_REFUSED_STATE, why);
    else
        for (const KeepJoin *join = home->asked; join != NULL; join = join->next)
            say_outcome(home, join, cut);
    home->is_wrong = true;
}

static void keep_found(void *context, chx_keep_found found, uint64_t term, const chx_store_cut *cut, const char *why)
{
    NodeHome *home = context;
    chx_node *node = home->node;
    node_lock(node);
    home->is_finding = false;
    switch (found) {
    case CHX_KEEP_NEW:
        drop_strangers(home, NULL);
        home->is_wrong = home->asked == NULL;
        if (!home->is_wrong)
            begin_asked(home);
        break;
    case CHX_KEEP_OURS:
        found_ours(home, term, cut);
        break;
    case CHX_KEEP_OVER:
        found_over(home, cut);
        break;
    case CHX_KEEP_TAKEN:
    case CHX_KEEP_WRONG:
        refuse_all(home, found == CHX_KEEP_TAKEN ? WIRE_REFUSED_TAKEN : WIRE_REFUSED_LIMIT, why);
        home->is_wrong = true;
        break;
    }
    node->must_flush = true;
    // One that is not to be goes with its keep, which must not be touched by the caller afterwards.
    if (home->is_wrong && !home->is_committing)
        home_free(home);
    else
        home_changed(home);
    node_unlock(node);
}

static const chx_keep_ops keep_ops = {keep_found, keep_build, keep_done, keep_give_up};

bool keeps_begin(NodeHome *home)
{
    chx_store_key key = {home->known->choreography->name, home->opener, home->name};
    home->keep = chx_keep_new(home->node->keeper, &keep_ops, home);
    if (home->keep == NULL || chx_keep_find(home->keep, &key) != 0)
        return false;
    home->is_finding = true;
    return true;
}

bool keeps_join(NodeHome *home, const HomeJoin *join, const WireId *token)
{
    KeepJoin **end = &home->asked, *made;
    // Of one that asks again the later counts.
    for (; (made = *end) != NULL; end = &made->next)
        if (made->join.role == join->role && made->join.node == join->node)
            break;
    if (made == NULL && (made = *end = calloc(1, sizeof *made)) == NULL)
        return false;
    made->join = *join;
    made->token = *token;
    return true;
}

void keeps_forget_peer(NodeHome *home, uint32_t peer)
{
    for (KeepJoin **link = &home->asked, *join; (join = *link) != NULL;) {
        if (join->join.node != peer) {
            link = &join->next;
            continue;
        }
        *link = join->next;
        free(join);
    }
}
