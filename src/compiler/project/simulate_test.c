// Random choreographies: the projections together do what the choreography does.
//
// The choreography is run as one sequential program, the projections with queues between them; the n-th decision at a
// site is the same in both. Every role must do the same in both, and no message may be left. Statements that stand for each
// other because somebody does not know which one is meant (numbers.h) count as one.

#include "compiler/check/mini_test.h"
#include "compiler/project/project.h"

// ---- the generator ----

typedef struct {
    uint64_t random;
    char text[4096];
    size_t length;
    int loops;
} Generator;

static uint32_t random_below(Generator *generator, uint32_t bound)
{
    generator->random = generator->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(generator->random >> 33) % bound;
}

static void gen(Generator *generator, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    generator->length += (size_t)vsnprintf(generator->text + generator->length,
                                           sizeof generator->text - generator->length, format, arguments);
    va_end(arguments);
    assert_true(generator->length < sizeof generator->text);
}

static char gen_role(Generator *generator)
{
    return (char)('A' + random_below(generator, 4));
}

static void gen_set(Generator *generator)
{
    char role = gen_role(generator);
    gen(generator, "%c", role);
    if (random_below(generator, 4) == 0)
        gen(generator, "%c", (role - 'A' + 1) % 4 + 'A');
    gen(generator, " ");
}

static void gen_body(Generator *generator, int depth);

static void gen_simple(Generator *generator)
{
    static const char *const jumps[] = {"break ", "continue ", "return "};
    char from = gen_role(generator), to = gen_role(generator);
    uint32_t kind = random_below(generator, 12);
    if (kind < 3)
        gen(generator, "%c! ", from);
    else if (kind < 8 && from != to)
        gen(generator, "%c>%c%s ", from, to, random_below(generator, 5) == 0 && from != 'D' && to != 'D' ? "D" : "");
    else if (kind == 8)
        gen(generator, "%s", jumps[random_below(generator, 3) < 1 || generator->loops == 0 ? 2 : kind % 2]);
    else if (kind == 9 && generator->loops > 0)
        gen(generator, "%s", jumps[random_below(generator, 2)]);
    else if (kind == 10)
        gen(generator, "%s%c() ", random_below(generator, 4) == 0 ? "return " : "", "fgh"[random_below(generator, 3)]);
    else if (kind == 11 && from != to)
        gen(generator, "%c%c%s~x ", from, to, random_below(generator, 3) == 0 && from != 'D' && to != 'D' ? "D" : "");
}

static void gen_copy(Generator *generator, size_t start, size_t end)
{
    char copy[sizeof generator->text];
    memcpy(copy, generator->text + start, end - start);
    copy[end - start] = '\0';
    gen(generator, "%s ", copy);
}

// Once more what the text ends with, from `start` on: the same for some roles, and not for others.
static void gen_variant(Generator *generator, size_t start)
{
    size_t end = generator->length;
    gen(generator, "{ ");
    if (random_below(generator, 3) == 0)
        gen_simple(generator);
    gen_copy(generator, start, end);
    if (random_below(generator, 3) == 0)
        gen_simple(generator);
    gen(generator, "} ");
}

static void gen_branch(Generator *generator, int depth, size_t first)
{
    if (random_below(generator, 2) == 0 && generator->length < 1200)
        gen_variant(generator, first);
    else
        gen_body(generator, depth);
}

static void gen_statement(Generator *generator, int depth)
{
    static const char *const loops[] = {"while ", "do ", "for ", "loop "};
    uint32_t kind = random_below(generator, 14);
    if (depth == 0 || generator->length > 1200 || kind < 7) {
        gen_simple(generator);
    } else if (kind < 11) {
        bool is_switch = random_below(generator, 5) == 0;
        gen(generator, is_switch ? "switch " : "if ");
        gen_set(generator);
        size_t first = generator->length;
        gen_body(generator, depth - 1);
        if (is_switch || random_below(generator, 3) > 0)
            gen_branch(generator, depth - 1, first);
        if (is_switch)
            gen_body(generator, depth - 1);
    } else if (kind < 13) {
        uint32_t loop = random_below(generator, 4);
        gen(generator, "%s", loops[loop]);
        if (loop < 3)
            gen_set(generator);
        generator->loops++;
        gen_body(generator, depth - 1);
        generator->loops--;
        if (loop == 2)
            gen(generator, random_below(generator, 2) == 0 ? "{ A! } " : "{ B>C } ");
    } else {
        gen(generator, "try ");
        gen_body(generator, depth - 1);
        if (random_below(generator, 4) > 0)
            gen_body(generator, depth - 1);
    }
}

static void gen_body(Generator *generator, int depth)
{
    gen(generator, "{ ");
    for (uint32_t i = random_below(generator, 4); i > 0; i--)
        gen_statement(generator, depth);
    gen(generator, "} ");
}

static void gen_program(Generator *generator)
{
    static const char *const results[] = {"", "->A", "->BC", "->D"};
    const char *result = results[random_below(generator, 4)];
    size_t body = 0, end = 0;
    for (const char *name = "fgh"; *name != '\0'; name++) {
        gen(generator, "def %c%s { ", *name, result);
        if (name[0] == 'h' && random_below(generator, 3) == 0) {
            // A function that does the same as the one before it.
            gen_copy(generator, body, end);
            gen(generator, "return } ");
            continue;
        }
        body = generator->length;
        for (uint32_t i = 1 + random_below(generator, 4); i > 0; i--)
            gen_statement(generator, 3);
        end = generator->length;
        gen(generator, "return } ");
    }
}

// ---- the choreography ----

#define SIM_SITES 1024
#define SIM_EVENTS 1024

#define SIM_SETS 16 // of the four roles

typedef struct {
    uint32_t events[SIM_EVENTS];
    size_t count;
    uint16_t decided[SIM_SITES][SIM_SETS]; // by number of the statement, and by who decides
} Trace;

typedef struct {
    uint64_t seed;
    const Numbers *numbers;
    Trace expected[MINI_ROLES];
    uint16_t decided[SIM_SITES][SIM_SETS];
    size_t fuel;
} CentralRun;

static uint32_t decide(uint64_t seed, uint32_t site, uint32_t turn, uint32_t bound)
{
    uint64_t mixed = (seed ^ ((uint64_t)site << 32) ^ turn) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(mixed >> 40) % bound;
}

// The statement, by its number, and what it is, in case the number is that of something else.
static void note_event(Trace *trace, const Numbers *numbers, const Node *node)
{
    uint32_t from = node->kind == NODE_DELIVERY ? node->from : 0;
    uint32_t to = node->to.at.word_count > 0 ? (uint32_t)node->to.at.words[0] : 0;
    if (trace->count < SIM_EVENTS)
        trace->events[trace->count++] =
            number_of_statement(numbers, node->site) << 12 | (uint32_t)node->kind << 8 | from << 4 | (to & 15);
}

static size_t deciding_set(const RoleSet *roles)
{
    return roles->word_count > 0 ? roles->words[0] % SIM_SETS : 0;
}

typedef enum { WAY_ON, WAY_BREAK, WAY_CONTINUE, WAY_RETURN, WAY_OUT_OF_FUEL } Way;

static Way central_list(CentralRun *central, const Instance *instance, const NodeList *list, const Node **loop);

static bool central_decides(CentralRun *central, const Node *node, uint32_t bound, uint32_t *outcome)
{
    uint32_t number = number_of_statement(central->numbers, node->site);
    uint16_t *turn = &central->decided[number][deciding_set(&node->deciders)];
    *outcome = decide(central->seed, number, (*turn)++, bound);
    for (ROLESET_EACH(role, &node->deciders))
        note_event(&central->expected[role], central->numbers, node);
    return *outcome != 0;
}

static Way central_loop(CentralRun *central, const Instance *instance, const Node *node, const Node **loop)
{
    uint32_t outcome = 1;
    for (bool is_first = true;; is_first = false) {
        if (node->condition != NULL && !(is_first && node->loop == LOOP_DO) &&
            !central_decides(central, node, 2, &outcome))
            return WAY_ON;
        Way way = central_list(central, instance, &node->body, loop);
        if (way == WAY_BREAK && *loop == node)
            return WAY_ON;
        if (way != WAY_ON && !(way == WAY_CONTINUE && *loop == node))
            return way;
        way = central_list(central, instance, &node->step, loop);
        if (way != WAY_ON)
            return way;
        if (central->fuel-- < 2)
            return WAY_OUT_OF_FUEL;
    }
}

static Way central_node(CentralRun *central, const Instance *instance, const Node *node, const Node **loop)
{
    uint32_t outcome = 0;
    Way way;
    switch (node->kind) {
    case NODE_EACH: // no families and arms here
    case NODE_PAR:
    case NODE_ARM:
        CHECK(false);
    case NODE_STEP:
        for (ROLESET_EACH(role, &node->at))
            note_event(&central->expected[role], central->numbers, node);
        return WAY_ON;
    case NODE_AGREE:
        for (ROLESET_EACH(role, &node->at))
            for (size_t i = roleset_count(&node->at); i > 0; i--) // one send, a receive from each other
                note_event(&central->expected[role], central->numbers, node);
        return WAY_ON;
    case NODE_DELIVERY:
        note_event(&central->expected[node->from], central->numbers, node);
        for (ROLESET_EACH(role, &node->to.at))
            if (role != node->from)
                note_event(&central->expected[role], central->numbers, node);
        return WAY_ON;
    case NODE_CALL:
        way = central_list(central, node->callee, &node->callee->body, loop);
        return way == WAY_RETURN ? WAY_ON : way;
    case NODE_CHOICE:
        central_decides(central, node, (uint32_t)node->branches.count, &outcome);
        return central_list(central, instance, &node->branches.items[outcome].body, loop);
    case NODE_LOOP:
        return central_loop(central, instance, node, loop);
    case NODE_BREAK:
    case NODE_CONTINUE:
        *loop = node->loop_node;
        return node->kind == NODE_BREAK ? WAY_BREAK : WAY_CONTINUE;
    case NODE_RETURN:
        if (node->callee != NULL)
            return central_list(central, node->callee, &node->callee->body, loop);
        for (size_t i = 0; i < instance->results.count; i++)
            for (ROLESET_EACH(role, &instance->results.items[i].at))
                note_event(&central->expected[role], central->numbers, node);
        return WAY_RETURN;
    case NODE_CHECKPOINT:
        outcome = number_of_statement(central->numbers, node->site);
        outcome = decide(central->seed, outcome, central->decided[outcome][0]++, 2);
        return central_list(central, instance, outcome == 1 && node->has_rescue ? &node->rescue : &node->body, loop);
    case NODE_BLOCK:
        return central_list(central, instance, &node->body, loop);
    }
    return WAY_ON;
}

static Way central_list(CentralRun *central, const Instance *instance, const NodeList *list, const Node **loop)
{
    for (size_t i = 0; i < list->count; i++) {
        if (central->fuel-- < 2) {
            central->fuel = 1;
            return WAY_OUT_OF_FUEL;
        }
        Way way = central_node(central, instance, list->items[i], loop);
        if (way != WAY_ON)
            return way;
    }
    return WAY_ON;
}

// ---- the projections ----

// A role runs its local program with an explicit stack, so that it can wait.
typedef enum { PHASE_BODY, PHASE_STEP, PHASE_CONDITION } Phase;

typedef struct {
    const LocalOpList *list;
    size_t index;
    const LocalOp *owner; // NULL: the body of a function
    Phase phase;          // of a loop
    bool returns;         // as soon as it is on top again
} Activation;

typedef struct {
    uint32_t number, outcome;
} Message;

typedef VECTOR(Message) SimChannel;

typedef struct {
    Mini *mini;
    uint64_t seed;
    const Numbers *numbers;
    LocalProgram **locals;
    Trace traces[MINI_ROLES];
    SimChannel channels[MINI_ROLES][MINI_ROLES]; // from, to
    size_t taken[MINI_ROLES][MINI_ROLES];
    VECTOR(Activation) stacks[MINI_ROLES];
    size_t arrival_count;
    const char *error; // the first thing that went wrong
} Sim;

static bool sim_check(Sim *sim, bool condition, const char *error)
{
    if (!condition && sim->error == NULL)
        sim->error = error;
    return condition;
}

static const Message *sim_front(const Sim *sim, RoleId from, RoleId to)
{
    const SimChannel *channel = &sim->channels[from][to];
    return sim->taken[from][to] < channel->count ? &channel->items[sim->taken[from][to]] : NULL;
}

static void sim_push(Sim *sim, RoleId role, const LocalOpList *list, const LocalOp *owner, Phase phase)
{
    Activation activation = {list, 0, owner, phase, false};
    vector_push(sim->mini->arena, &sim->stacks[role], activation);
}

static void sim_return(Sim *sim, RoleId role)
{
    while (sim->stacks[role].items[--sim->stacks[role].count].owner != NULL)
        continue;
}

static void sim_send(Sim *sim, RoleId role, const LocalOp *op, uint32_t outcome)
{
    size_t count = 0;
    for (ROLESET_EACH(to, &op->to))
        vector_push(sim->mini->arena, &sim->channels[role][to], ((Message){op->leaves.items[count++], outcome}));
}

// False: must wait.
static bool sim_decide(Sim *sim, RoleId role, const LocalOp *op, uint32_t bound, uint32_t *outcome)
{
    const Message *front = op->peer != ROLE_NONE ? sim_front(sim, op->peer, role) : NULL;
    switch (op->decide) {
    case DECIDE_FOREVER:
        *outcome = 1;
        return true;
    case DECIDE_SELF:
        *outcome = decide(sim->seed, op->number,
                          sim->traces[role].decided[op->number][deciding_set(&op->node->deciders)]++, bound);
        note_event(&sim->traces[role], sim->numbers, op->node);
        sim_send(sim, role, op, *outcome);
        return true;
    case DECIDE_TOLD:
        if (front == NULL)
            return false;
        sim_check(sim, front->number == op->arrives, "a choice gets another site's message");
        *outcome = front->outcome;
        sim->taken[op->peer][role]++;
        return true;
    case DECIDE_ARRIVAL:
        if (front == NULL)
            return false;
        sim->arrival_count++;
        for (size_t i = 0; i < op->branches.count; i++)
            for (size_t j = 0; j < op->branches.items[i].arrivals.count; j++)
                if (op->branches.items[i].arrivals.items[j] == front->number) {
                    *outcome = (uint32_t)i;
                    return true;
                }
        sim_check(sim, false, "what arrives tells nothing");
    }
    return false;
}

static void sim_jump(Sim *sim, RoleId role, const LocalOp *op)
{
    while (sim->stacks[role].items[sim->stacks[role].count - 1].owner != op->loop_op)
        sim->stacks[role].count--;
    Activation *top = &sim->stacks[role].items[sim->stacks[role].count - 1];
    if (op->kind == LOCAL_BREAK) {
        sim->stacks[role].count--;
        return;
    }
    top->phase = op->loop_op->loop == LOOP_FOR ? PHASE_STEP : PHASE_CONDITION;
    top->list = &op->loop_op->step;
    top->index = 0;
}

static bool sim_op(Sim *sim, RoleId role, const LocalOp *op)
{
    Activation *top = &sim->stacks[role].items[sim->stacks[role].count - 1];
    Trace *trace = &sim->traces[role];
    uint32_t outcome = 0;
    switch (op->kind) {
    case LOCAL_EACH: // no families and arms here
    case LOCAL_PAR:
    case LOCAL_ARM:
        CHECK(false);
    case LOCAL_STEP:
        note_event(trace, sim->numbers, op->node);
        break;
    case LOCAL_SEND:
        note_event(trace, sim->numbers, op->node);
        sim_send(sim, role, op, 0);
        break;
    case LOCAL_RECEIVE:
        if (sim_front(sim, op->peer, role) == NULL)
            return false;
        sim_check(sim, sim_front(sim, op->peer, role)->number == op->arrives, "a receive gets another site's message");
        sim->taken[op->peer][role]++;
        note_event(trace, sim->numbers, op->node);
        break;
    case LOCAL_CALL:
        top->index++;
        top->returns = op->returns_result;
        if (op->is_tail)
            sim_return(sim, role);
        sim_push(sim, role, &op->callee->body, NULL, PHASE_BODY);
        return true;
    case LOCAL_CHOICE:
        if (!sim_decide(sim, role, op, (uint32_t)op->branches.count, &outcome))
            return false;
        top->index++;
        sim_push(sim, role, &op->branches.items[outcome].body, op, PHASE_BODY);
        return true;
    case LOCAL_LOOP:
        top->index++;
        sim_push(sim, role, &op->body, op, op->loop == LOOP_DO ? PHASE_BODY : PHASE_CONDITION);
        return true;
    case LOCAL_BREAK:
    case LOCAL_CONTINUE:
        sim_jump(sim, role, op);
        return true;
    case LOCAL_RETURN:
        if (op->returned.exprs.count > 0)
            note_event(trace, sim->numbers, op->node);
        sim_return(sim, role);
        return true;
    case LOCAL_CHECKPOINT:
        outcome = decide(sim->seed, op->number, trace->decided[op->number][0]++, 2);
        top->index++;
        sim_push(sim, role, outcome == 1 && op->has_rescue ? &op->rescue : &op->body, op, PHASE_BODY);
        return true;
    }
    top->index++;
    return true;
}

// Runs the role until it waits or ends; true if it did something.
static bool sim_role(Sim *sim, RoleId role)
{
    bool acted = false;
    for (size_t fuel = 100000; sim->stacks[role].count > 0 && sim->error == NULL; acted = true) {
        sim_check(sim, fuel-- > 0, "a role runs on and on");
        Activation *top = &sim->stacks[role].items[sim->stacks[role].count - 1];
        bool is_loop = top->owner != NULL && top->owner->kind == LOCAL_LOOP;
        uint32_t outcome = 0;
        if (top->returns) {
            sim_return(sim, role);
        } else if (is_loop && top->phase == PHASE_CONDITION) {
            if (!sim_decide(sim, role, top->owner, 2, &outcome))
                return acted;
            *top = (Activation){&top->owner->body, 0, top->owner, PHASE_BODY, false};
            if (outcome == 0)
                sim->stacks[role].count--;
        } else if (top->index < top->list->count) {
            if (!sim_op(sim, role, top->list->items[top->index]))
                return acted;
        } else if (is_loop && top->phase == PHASE_BODY) {
            *top = (Activation){&top->owner->step, 0, top->owner, PHASE_STEP, false};
        } else if (is_loop) {
            top->phase = PHASE_CONDITION;
        } else {
            sim->stacks[role].count--;
        }
    }
    return acted;
}

static void sim_run(Sim *sim, const CentralRun *central)
{
    for (RoleId role = 0; role < MINI_ROLES; role++)
        sim_push(sim, role, &sim->locals[role]->functions.items[0]->body, NULL, PHASE_BODY);
    for (bool acted = true; acted && sim->error == NULL;) {
        acted = false;
        for (RoleId role = 0; role < MINI_ROLES; role++)
            acted |= sim_role(sim, role);
    }
    for (RoleId role = 0; role < MINI_ROLES; role++) {
        const Trace *expected = &central->expected[role];
        const Trace *trace = &sim->traces[role];
        sim_check(sim, sim->stacks[role].count == 0, "a role waits for ever");
        bool is_same = trace->count == expected->count &&
                       memcmp(trace->events, expected->events, expected->count * sizeof(uint32_t)) == 0;
        sim_check(sim, is_same, "a role does something else");
        for (RoleId to = 0; to < MINI_ROLES; to++)
            sim_check(sim, sim->taken[role][to] == sim->channels[role][to].count, "a message is left");
    }
}

static void projections_do_what_the_choreography_does(void **state)
{
    (void)state;
    size_t run_count = 0, arrival_count = 0, unaware_count = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        Generator *generator = test_calloc(1, sizeof *generator);
        generator->random = seed * 977;
        gen_program(generator);
        Mini *mini = mini_new(generator->text);
        Knowledge *knowledge = knowledge_new(mini->arena, mini->diags, mini->program);
        LocalProgram **locals = project_all(mini->arena, mini->program, knowledge);
        assert_true(mini->program->site_count < SIM_SITES);
        for (uint32_t site = 1; site < mini->program->site_count; site++)
            unaware_count += roleset_count(&knowledge->unaware[site]);
        for (uint64_t run = 0; run < 4; run++) {
            CentralRun *central = ARENA_NEW(mini->arena, CentralRun);
            const Node *loop = NULL;
            central->seed = seed * 31 + run;
            central->numbers = knowledge->numbers;
            central->fuel = 1000;
            const Instance *entry = mini->program->instances.items[0];
            if (central_list(central, entry, &entry->body, &loop) == WAY_OUT_OF_FUEL)
                continue;
            Sim *sim = ARENA_NEW(mini->arena, Sim);
            *sim = (Sim){.mini = mini, .seed = central->seed, .numbers = knowledge->numbers, .locals = locals};
            sim_run(sim, central);
            if (sim->error != NULL)
                print_error("seed %u, run %u: %s\n%s\n", (unsigned)seed, (unsigned)run, sim->error, generator->text);
            assert_null(sim->error);
            run_count++;
            arrival_count += sim->arrival_count;
        }
        mini_free(mini);
        test_free(generator);
    }
    // Otherwise the generator makes nothing of interest.
    assert_true(run_count > 3000);
    assert_true(arrival_count > 100);
    assert_true(unaware_count > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections_do_what_the_choreography_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
