// Who does something in a sequential program: a role, a member of a family, or all members one after the other.

#include "compiler/central/internal.h"

const char *central_index(const CentralEmit *central, RoleId view)
{
    return arena_printf(central->arena, "chx_here->chx_index_%u", view);
}

CentralParty central_party(const CentralEmit *central, RoleId id)
{
    const Program *program = central->program;
    RoleId role = program->role_of[id];
    const char *member = NULL;
    if (role != id)
        member = central_index(central, id);
    else if (program_has_families(program))
        member = "0";
    return (CentralParty){role, member, "", ""};
}

CentralParty central_all(const CentralEmit *central, RoleId role)
{
    if (!central->program->is_family[role])
        return central_party(central, role);
    const char *before = arena_printf(
        central->arena, "for (size_t chx_member = 0; chx_member < chx_members(chx_this, %u); chx_member++) { ", role);
    return (CentralParty){role, "chx_member", before, " }"};
}

// A member that is there already under another name does nothing a second time.
static void add_party(const CentralEmit *central, RoleId id, CentralParties *parties)
{
    const char *others = NULL;
    bool is_role = central->program->role_of[id] == id;
    CentralParty party = is_role ? central_all(central, id) : central_party(central, id);
    for (size_t i = 0; !is_role && i < parties->count; i++)
        if (parties->items[i].role == party.role)
            others = arena_printf(central->arena, "%s%s%s != %s", others != NULL ? others : "",
                                  others != NULL ? " && " : "", parties->items[i].member, party.member);
    if (others != NULL) {
        party.before = arena_printf(central->arena, "if (%s) { ", others);
        party.after = " }";
    }
    vector_push(central->arena, parties, party);
}

CentralParties central_parties(const CentralEmit *central, const RoleSet *set)
{
    CentralParties parties = {0};
    RoleSet plain = without_views(central->arena, central->program, set);
    for (ROLESET_EACH(id, &plain))
        add_party(central, id, &parties);
    return parties;
}

CentralParties central_given(const CentralEmit *central, const Node *call, const RoleSet *set)
{
    CentralParties parties = {0};
    RoleSet plain = without_views(central->arena, central->program, set);
    for (ROLESET_EACH(id, &plain))
        add_party(central, given_role(call, id), &parties);
    return parties;
}
