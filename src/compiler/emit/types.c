// C types in emitted code: declarations, the table of descriptors, and their definitions.

#include "compiler/emit/types.h"

#include "base/check.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct TypeEntry {
    const char *key;
    const char *name;  // of the descriptor
    const CType *type; // NULL: a tuple
    const CType *const *parts;
    size_t part_count;
    const char *tag; // of the tuple's struct
    // How to reach the type: it is named `root`, or is that of the member `path` of `root` (a type without a name).
    const char *root, *path;
    const char *shadow;  // tag of the struct without bit-fields
    const char *element; // ARRAY: its descriptor
    VECTOR(struct TypeField) fields;
};

typedef struct TypeField {
    const char *name;
    const CType *type;
    bool is_bitfield;
    const char *descriptor;
} TypeField;

typedef struct TypeEntry TypeEntry;

// ---- C ----

char *type_declare(Arena *arena, const CType *type, const char *name)
{
    return arena_printf(arena, "%s%s%s", type->before, name, type->after);
}

char *type_declare_const(Arena *arena, const CType *type, const char *name)
{
    return arena_printf(arena, "%s%s%s", type->before_const, name, type->after);
}

char *type_name(Arena *arena, const CType *type)
{
    char *name = type_declare(arena, type, "");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ')
        name[--length] = '\0';
    return name;
}

char *shape_declare(Arena *arena, const Shape *shape, const char *name)
{
    return arena_printf(arena, "%s%s%s", shape->before, name, shape->after);
}

bool type_same(const CType *one, const CType *other)
{
    return one == other || strcmp(one->canonical, other->canonical) == 0;
}

const CType *type_field(const CType *type, const char *name)
{
    for (size_t i = 0; i < type->fields.count; i++) {
        const CField *field = &type->fields.items[i];
        if (field->name != NULL && strcmp(field->name, name) == 0)
            return field->type;
        const CType *inner = field->name == NULL && !field->is_bitfield ? type_field(field->type, name) : NULL;
        if (inner != NULL)
            return inner;
    }
    return NULL;
}

// ---- table ----

void types_init(TypeTable *table, Arena *arena, const char *prefix, const TypeTable *parent)
{
    *table = (TypeTable){.arena = arena, .prefix = prefix, .parent = parent};
    map_init(&table->by_key, arena);
    map_init(&table->names, arena);
}

static TypeEntry *table_find(const TypeTable *table, const char *key)
{
    for (; table != NULL; table = table->parent) {
        TypeEntry *entry = map_get(&table->by_key, key);
        if (entry != NULL)
            return entry;
    }
    return NULL;
}

// The descriptors that libchorex has: canonical C names.
static const char *predefined(const CType *type)
{
    static const struct {
        const char *canonical, *name;
    } known[] = {
        {"_Bool", "chx_type_bool"},
        {"bool", "chx_type_bool"},
        {"char", "chx_type_char"},
        {"signed char", "chx_type_signed_char"},
        {"unsigned char", "chx_type_unsigned_char"},
        {"short", "chx_type_short"},
        {"unsigned short", "chx_type_unsigned_short"},
        {"int", "chx_type_int"},
        {"unsigned int", "chx_type_unsigned_int"},
        {"long", "chx_type_long"},
        {"unsigned long", "chx_type_unsigned_long"},
        {"long long", "chx_type_long_long"},
        {"unsigned long long", "chx_type_unsigned_long_long"},
        {"__int128", "chx_type_int128"},
        {"unsigned __int128", "chx_type_unsigned_int128"},
        {"float", "chx_type_float"},
        {"double", "chx_type_double"},
        {"long double", "chx_type_long_double"},
    };
    switch (type->kind) {
    case CTYPE_CSTRING:
        return "chx_type_cstring";
    case CTYPE_STR:
        return "chx_type_str";
    case CTYPE_BYTES:
        return "chx_type_bytes";
    case CTYPE_BOOL:
        return "chx_type_bool";
    case CTYPE_INTEGER:
    case CTYPE_FLOAT:
        break;
    default:
        return NULL;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].canonical, type->canonical) == 0)
            return known[i].name;
    }
    return NULL;
}

// "struct box *[3]" -> "struct_box_p_3"
static void add_identifier(Text *text, const char *words)
{
    bool gap = false;
    for (const char *c = words; *c != '\0'; c++) {
        bool is_word = isalnum((unsigned char)*c) || *c == '_';
        if (!is_word && *c != '*') {
            gap = true;
            continue;
        }
        if ((gap || *c == '*') && text->length > 0 && text->chars[text->length - 1] != '_')
            text_puts(text, "_");
        gap = *c == '*';
        text_printf(text, "%c", is_word ? *c : 'p');
    }
}

static const char *table_name(TypeTable *table, const char *kind, const char *words)
{
    Text name;
    text_init(&name, table->arena);
    text_printf(&name, "%s_%s_", table->prefix, kind);
    add_identifier(&name, words);
    const char *unique = name.chars;
    for (unsigned number = 2; map_has(&table->names, unique); number++)
        unique = arena_printf(table->arena, "%s_%u", name.chars, number);
    map_put(&table->names, unique, table);
    return unique;
}

static TypeEntry *table_add(TypeTable *table, const char *key, const char *words)
{
    TypeEntry *entry = ARENA_NEW(table->arena, TypeEntry);
    entry->key = key;
    entry->name = table_name(table, "chx_type", words);
    map_put(&table->by_key, key, entry);
    return entry;
}

static bool has_bitfield(const CType *type)
{
    for (size_t i = 0; i < type->fields.count; i++) {
        const CField *field = &type->fields.items[i];
        if (field->is_bitfield && field->name != NULL)
            return true;
        if (field->name == NULL && !field->is_bitfield && has_bitfield(field->type))
            return true;
    }
    return false;
}

static const char *use_at(TypeTable *table, const CType *type, const char *root, const char *path);

static void add_fields(TypeTable *table, TypeEntry *entry, const CType *type)
{
    for (size_t i = 0; i < type->fields.count; i++) {
        const CField *field = &type->fields.items[i];
        if (field->name == NULL) {
            // Members of an anonymous struct are reached as if they were the outer one's.
            if (!field->is_bitfield)
                add_fields(table, entry, field->type);
            continue;
        }
        const char *path =
            entry->path == NULL ? field->name : arena_printf(table->arena, "%s.%s", entry->path, field->name);
        TypeField added = {field->name, field->type, field->is_bitfield, NULL};
        added.descriptor = use_at(table, field->type, entry->root, path);
        vector_push(table->arena, &entry->fields, added);
    }
}

// A type that can't be sent and owns nothing is copied as bytes: nobody asks what it consists of.
static bool is_opaque(const CType *type)
{
    return !type->is_sendable && !type->is_owning;
}

// `path`: the type is that of this member of `root`; used where it has no name.
static const char *use_at(TypeTable *table, const CType *type, const char *root, const char *path)
{
    const char *known = predefined(type);
    if (known != NULL)
        return known;
    CHECK(type->is_named || path != NULL);
    Arena *arena = table->arena;
    const char *key = type->is_named ? type->canonical : arena_printf(arena, "%s member %s", root, path);
    TypeEntry *entry = table_find(table, key);
    if (entry != NULL)
        return entry->name;
    const char *words = type->is_named ? type->spelling : arena_printf(arena, "%s %s", root, path);
    entry = table_add(table, key, words);
    entry->type = type;
    entry->root = type->is_named ? type_name(arena, type) : root;
    entry->path = type->is_named ? NULL : path;
    if (is_opaque(type)) {
        // No fields.
    } else if (type->kind == CTYPE_STRUCT) {
        add_fields(table, entry, type);
        if (has_bitfield(type))
            entry->shadow = table_name(table, "shadow", words);
    } else if (ctype_is_array(type)) {
        // The element has a name if the array has one: the path is then not used.
        const char *element = entry->path == NULL ? NULL : arena_printf(arena, "%s[0]", entry->path);
        entry->element = use_at(table, type->element, entry->root, element);
    }
    vector_push(arena, &table->entries, entry);
    return entry->name;
}

const char *types_use(TypeTable *table, const CType *type)
{
    return use_at(table, type, NULL, NULL);
}

Shape types_shape(TypeTable *table, const CType *type)
{
    return (Shape){
        .type = type,
        .before = type->before,
        .after = type->after,
        .descriptor = types_use(table, type),
        .is_array = type->kind == CTYPE_ARRAY,
        .is_owning = type->is_owning,
    };
}

Shape types_tuple(TypeTable *table, const CType *const *parts, size_t count)
{
    Text key;
    Text words;
    text_init(&key, table->arena);
    text_init(&words, table->arena);
    bool is_owning = false;
    for (size_t i = 0; i < count; i++) {
        text_printf(&key, "%s%s", i == 0 ? "{" : ", ", parts[i]->canonical);
        text_printf(&words, "%s%s", i == 0 ? "" : " ", parts[i]->spelling);
        is_owning |= parts[i]->is_owning;
    }
    text_puts(&key, "}");
    TypeEntry *entry = table_find(table, key.chars);
    if (entry == NULL) {
        const char *tag = table_name(table, "tuple", words.chars);
        entry = table_add(table, key.chars, arena_printf(table->arena, "tuple %s", words.chars));
        entry->parts = parts;
        entry->part_count = count;
        entry->tag = tag;
        entry->root = arena_printf(table->arena, "struct %s", tag);
        for (size_t i = 0; i < count; i++) {
            TypeField field = {arena_printf(table->arena, "v%zu", i), parts[i], false, types_use(table, parts[i])};
            vector_push(table->arena, &entry->fields, field);
        }
        vector_push(table->arena, &table->entries, entry);
    }
    return (Shape){
        .parts = entry->parts,
        .part_count = count,
        .before = arena_printf(table->arena, "struct %s ", entry->tag),
        .after = "",
        .descriptor = entry->name,
        .is_owning = is_owning,
    };
}

// ---- printing ----

static bool entry_is_owning(const TypeEntry *entry)
{
    if (entry->type != NULL)
        return entry->type->is_owning;
    for (size_t i = 0; i < entry->part_count; i++) {
        if (entry->parts[i]->is_owning)
            return true;
    }
    return false;
}

static char *entry_offset(Arena *arena, const TypeEntry *entry, const char *field)
{
    if (entry->path == NULL)
        return arena_printf(arena, "offsetof(%s, %s)", entry->root, field);
    return arena_printf(arena, "offsetof(%s, %s.%s) - offsetof(%s, %s)", entry->root, entry->path, field, entry->root,
                        entry->path);
}

static char *entry_size(Arena *arena, const TypeEntry *entry)
{
    if (entry->path == NULL)
        return arena_printf(arena, "sizeof(%s)", entry->root);
    return arena_printf(arena, "sizeof(((%s *)0)->%s)", entry->root, entry->path);
}

static void print_fields(const TypeEntry *entry, const char *shadow, Out *out)
{
    Arena *arena = out->text.arena;
    if (entry->fields.count == 0)
        return;
    out_printf(out, "static const chx_field %s_chx_fields[] CHX_UNUSED = {\n", entry->name);
    for (size_t i = 0; i < entry->fields.count; i++) {
        const TypeField *field = &entry->fields.items[i];
        const char *offset = shadow == NULL ? entry_offset(arena, entry, field->name)
                                            : arena_printf(arena, "offsetof(struct %s, %s)", shadow, field->name);
        out_printf(out, "    {\"%s\", %s, &%s},\n", field->name, offset, field->descriptor);
    }
    out_puts(out, "};\n");
}

static void print_type(const TypeEntry *entry, const char *name, const char *kind, unsigned wire, const char *size,
                       Out *out)
{
    Arena *arena = out->text.arena;
    bool has_fields = entry->fields.count > 0 && strcmp(kind, "STRUCT") == 0;
    size_t count = has_fields ? entry->fields.count : strcmp(kind, "ARRAY") == 0 ? entry->type->count : 0;
    const char *shown = entry->type == NULL ? entry->key : entry->path == NULL ? entry->type->spelling : "(unnamed)";
    const char *element = entry->element != NULL ? arena_printf(arena, "&%s", entry->element) : "NULL";
    out_printf(out, "static const chx_type %s CHX_UNUSED = {\n", name);
    out_printf(out, "    CHX_KIND_%s, %s, %u, %s, %s, ", kind, entry_is_owning(entry) ? "true" : "false", wire, size,
               c_literal(arena, shown));
    out_printf(out, "%s, %zu, %s, ", has_fields ? arena_printf(arena, "%s_chx_fields", entry->name) : "NULL", count,
               element);
    const char *codec = entry->type != NULL && entry->type->kind == CTYPE_CODEC ? entry->type->codec : NULL;
    if (codec != NULL && entry->type->is_codec_list)
        codec = arena_printf(arena, "%s_chx_codec", entry->name);
    out_printf(out, "%s%s, NULL, NULL,\n};\n", codec != NULL ? "&" : "", codec != NULL ? codec : "NULL");
}

static void print_pack(const TypeEntry *entry, bool pack, Out *out)
{
    Arena *arena = out->text.arena;
    const char *value = entry->path == NULL
                            ? type_declare(arena, entry->type, "*")
                            : arena_printf(arena, "__typeof__(((%s *)0)->%s) *", entry->root, entry->path);
    out_printf(out, "static void %s_%s(void *chx_to, const void *chx_from)\n{\n", entry->name,
               pack ? "chx_pack" : "chx_unpack");
    const char *shadow = arena_printf(arena, "struct %s *", entry->shadow);
    const char *to = pack ? shadow : value;
    const char *from = pack ? value : shadow;
    out_printf(out, "    %schx_into = (%s)chx_to;\n    const %schx_out_of = (const %s)chx_from;\n", to, to, from, from);
    for (size_t i = 0; i < entry->fields.count; i++) {
        const TypeField *field = &entry->fields.items[i];
        if (field->is_bitfield || field->type->kind != CTYPE_ARRAY)
            out_printf(out, "    chx_into->%s = chx_out_of->%s;\n", field->name, field->name);
        else
            out_printf(out, "    memcpy(chx_into->%s, chx_out_of->%s, sizeof chx_into->%s);\n", field->name,
                       field->name, field->name);
    }
    out_puts(out, "}\n");
}

// A struct with bit-fields goes through one without: bit-fields have no address.
static void print_shadow(const TypeEntry *entry, Out *out)
{
    Arena *arena = out->text.arena;
    out_printf(out, "struct %s {\n", entry->shadow);
    for (size_t i = 0; i < entry->fields.count; i++) {
        const TypeField *field = &entry->fields.items[i];
        if (field->type->is_named) {
            out_printf(out, "    %s;\n", type_declare(arena, field->type, field->name));
        } else {
            const char *path = entry->path == NULL ? "" : arena_printf(arena, "%s.", entry->path);
            out_printf(out, "    __typeof__(((%s *)0)->%s%s) %s;\n", entry->root, path, field->name, field->name);
        }
    }
    out_puts(out, "};\n");
    print_pack(entry, true, out);
    // The values came out of bit-fields of the same width.
    out_puts(out, "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wconversion\"\n");
    print_pack(entry, false, out);
    out_puts(out, "#pragma GCC diagnostic pop\n");
    print_fields(entry, entry->shadow, out);
    print_type(entry, arena_printf(arena, "%s_chx_plain", entry->name), "STRUCT", 0,
               arena_printf(arena, "sizeof(struct %s)", entry->shadow), out);
    out_printf(out, "static const chx_type %s CHX_UNUSED = {\n", entry->name);
    out_printf(out,
               "    CHX_KIND_SHADOW, %s, 0, %s, %s, NULL, 0, &%s_chx_plain, NULL, %s_chx_pack, %s_chx_unpack,\n};\n",
               entry_is_owning(entry) ? "true" : "false", entry_size(arena, entry),
               c_literal(arena, entry->path == NULL ? entry->type->spelling : "(unnamed)"), entry->name, entry->name,
               entry->name);
}

static void print_tuple_struct(const TypeEntry *entry, Out *out)
{
    out_printf(out, "struct %s {\n", entry->tag);
    for (size_t i = 0; i < entry->part_count; i++)
        out_printf(out, "    %s;\n", type_declare(out->text.arena, entry->parts[i], entry->fields.items[i].name));
    out_puts(out, "};\n");
}

static void print_entry(const TypeEntry *entry, Out *out)
{
    const char *size = entry_size(out->text.arena, entry);
    const CType *type = entry->type;
    if (type == NULL) {
        print_tuple_struct(entry, out);
        print_fields(entry, NULL, out);
        print_type(entry, entry->name, "STRUCT", 0, size, out);
    } else if (is_opaque(type)) {
        print_type(entry, entry->name, "OPAQUE", type->holds_pointer ? 0 : 1, size, out);
    } else if (type->kind == CTYPE_STRUCT && entry->shadow != NULL) {
        print_shadow(entry, out);
    } else if (type->kind == CTYPE_STRUCT) {
        print_fields(entry, NULL, out);
        print_type(entry, entry->name, "STRUCT", 0, size, out);
    } else if (type->kind == CTYPE_ARRAY) {
        print_type(entry, entry->name, "ARRAY", 0, size, out);
    } else if (type->kind == CTYPE_SEQUENCE) {
        print_type(entry, entry->name, "SEQUENCE", 0, size, out);
    } else if (type->kind == CTYPE_ENUM) {
        print_type(entry, entry->name, type->is_signed ? "SIGNED" : "UNSIGNED", 8, size, out);
    } else if (type->kind == CTYPE_INTEGER) {
        print_type(entry, entry->name, type->is_signed ? "SIGNED" : "UNSIGNED", type->size > 8 ? 16 : 8, size, out);
    } else if (type->kind == CTYPE_FLOAT) {
        print_type(entry, entry->name, "FLOAT", (unsigned)type->size, size, out);
    } else if (type->kind == CTYPE_COMPLEX) {
        print_type(entry, entry->name, "COMPLEX", (unsigned)type->size, size, out);
    } else if (type->kind == CTYPE_CODEC) {
        if (type->is_codec_list)
            out_printf(out, "static const chx_codec %s_chx_codec CHX_UNUSED = %s;\n", entry->name, type->codec);
        print_type(entry, entry->name, "CODEC", 0, size, out);
    } else {
        print_type(entry, entry->name, "OPAQUE", type->holds_pointer ? 0 : 1, size, out);
    }
}

void types_print_first(TypeTable *table, size_t count, Out *out)
{
    for (; table->printed < count; table->printed++)
        print_entry(table->entries.items[table->printed], out);
}

void types_print(TypeTable *table, Out *out)
{
    types_print_first(table, table->entries.count, out);
}

// ---- digest ----

uint64_t fnv1a(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t types_digest(const TypeTable *table, uint64_t hash)
{
    for (size_t i = 0; i < table->entries.count; i++) {
        const TypeEntry *entry = table->entries.items[i];
        Text words;
        text_init(&words, table->arena);
        text_printf(&words, "%s:", entry->path == NULL ? entry->key : entry->path);
        for (size_t k = 0; k < entry->fields.count; k++) {
            const TypeField *field = &entry->fields.items[k];
            text_printf(&words, "%s %s;", field->type->is_named ? field->type->canonical : "-", field->name);
        }
        hash = fnv1a(hash, words.chars, words.length + 1);
    }
    return hash;
}
