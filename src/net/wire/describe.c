// describe.c: see describe.h.

#include "net/wire/describe.h"

#include "net/wire/wire.h"

static const char *const type_names[] = {
    [WIRE_TYPE_BOOL] = "`bool`", [WIRE_TYPE_U8] = "`u8`",   [WIRE_TYPE_U16] = "`u16`",
    [WIRE_TYPE_U32] = "`u32`",   [WIRE_TYPE_U64] = "`u64`", [WIRE_TYPE_ID] = "16 bytes",
    [WIRE_TYPE_NAME] = "name",   [WIRE_TYPE_TEXT] = "text", [WIRE_TYPE_BYTES] = "bytes",
};

static void describe_fields(FILE *file, const WireShape *shape)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        const WireField *field = &shape->fields[i];
        fprintf(file, "| | `%s` | ", field->name);
        if (field->type != WIRE_TYPE_LIST)
            fputs(type_names[field->type], file);
        else if (field->most == 1)
            fprintf(file, "%s, one or none", wire_item_shape(field->item)->name);
        else
            fprintf(file, "list of %s", wire_item_shape(field->item)->name);
        fprintf(file, " | %s |\n", field->text);
    }
}

void wire_describe(FILE *file)
{
    fputs("| kind | field | type | |\n| --- | --- | --- | --- |\n", file);
    for (unsigned kind = 0; kind < WIRE_KIND_LIMIT; kind++) {
        const WireShape *shape = wire_shape(kind);
        if (shape == NULL)
            continue;
        fprintf(file, "| **%s** %u | | %s | %s |\n", shape->name, kind,
                wire_is_record(kind)     ? "no frame"
                : wire_is_numbered(kind) ? "numbered"
                                         : "",
                shape->text);
        describe_fields(file, shape);
    }
    fputs("\nItems of lists:\n\n| item | field | type | |\n| --- | --- | --- | --- |\n", file);
    for (unsigned item = 0; item < WIRE_ITEM_COUNT; item++) {
        const WireShape *shape = wire_item_shape(item);
        fprintf(file, "| **%s** | | | %s |\n", shape->name, shape->text);
        describe_fields(file, shape);
    }
    fputs("\nCodes of ERROR:\n\n| code | |\n| --- | --- |\n", file);
    for (unsigned verdict = WIRE_BAD_KIND; verdict <= WIRE_BAD_NAME; verdict++)
        fprintf(file, "| %u | %s |\n", verdict, wire_verdict_text((WireVerdict)verdict));
    fputs("\nCodes of REFUSED:\n\n| code | |\n| --- | --- |\n", file);
    for (unsigned refusal = WIRE_REFUSED_UNKNOWN; refusal <= WIRE_REFUSED_CHOICE; refusal++)
        fprintf(file, "| %u | %s |\n", refusal, wire_refusal_text((WireRefusal)refusal));
}
