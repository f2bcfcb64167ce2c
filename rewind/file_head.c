#include "file_head.h"

#include "file_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The fewest bytes that each can take, so that a foreign count cannot ask for more memory than the file has. */
enum { TEXT_BYTES_LEAST = 5, FIELD_BYTES_LEAST = 44, TYPE_BYTES_LEAST = 13 };

/* ---- writing ---- */

static void field_put(bytes_writer *out, const eddy_field *field) {
    file_put_text(out, field->name);
    file_put_u8(out, (uint8_t)field->kind);
    file_put_u32(out, field->count);
    file_put_u32(out, field->offset);
    file_put_f64(out, field->min);
    file_put_f64(out, field->max);
    file_put_text(out, field->unit);
    file_put_u32(out, field->names ? field->name_count : 0);
    for (uint32_t i = 0; field->names && i < field->name_count; i++)
        file_put_text(out, field->names[i]);
    file_put_text(out, field->integrates);
}

static void type_put(bytes_writer *out, const eddy_type *type) {
    file_put_text(out, type->name);
    file_put_u32(out, type->size);
    if (type->defaults)
        bytes_write(out, type->defaults, type->size);
    else
        for (uint32_t i = 0; i < type->size; i++)
            file_put_u8(out, 0);
    file_put_u32(out, type->field_count);
    for (uint32_t i = 0; i < type->field_count; i++)
        field_put(out, &type->fields[i]);
}

void file_head_put(bytes_writer *out, const file_head *head) {
    file_put_u8_padded(out, (uint8_t)head->version);
    file_put_u32(out, head->rate_num);
    file_put_u32(out, head->rate_den);
    file_put_u32(out, head->flush_frames);
    file_put_text(out, head->title);
    file_put_text(out, head->program);
    file_put_u32(out, head->schema.type_count);
    for (uint32_t i = 0; i < head->schema.type_count; i++)
        type_put(out, &head->schema.types[i]);
}

/* ---- reading ---- */

typedef struct head_reader {
    bytes_reader in;
    bool out_of_memory;
} head_reader;

/* Zeroed memory for `count` elements, whose count was checked against the bytes left. NULL when there are none. */
static void *head_allocate(head_reader *reader, size_t count, size_t bytes) {
    if (reader->in.expected || count == 0) {
        return NULL;
    }
    void *memory = calloc(count, bytes);
    if (!memory) {
        reader->out_of_memory = true;
        bytes_spoil(&reader->in, "memory", count);
    }
    return memory;
}

static const char *text_or_null(bytes_reader *in) {
    const char *text = file_take_text(in);
    return text[0] ? text : NULL;
}

static void field_read(head_reader *reader, eddy_field *field) {
    bytes_reader *in = &reader->in;
    field->name = file_take_text(in);
    field->kind = (eddy_kind)file_take_u8(in);
    field->count = file_take_u32(in);
    field->offset = file_take_u32(in);
    field->min = file_take_f64(in);
    field->max = file_take_f64(in);
    field->unit = text_or_null(in);
    uint32_t name_count = file_take_count(in, TEXT_BYTES_LEAST);
    const char **names = head_allocate(reader, name_count, sizeof *names);
    field->names = names;
    for (uint32_t i = 0; names && i < name_count; i++)
        names[i] = file_take_text(in);
    field->name_count = names ? name_count : 0;
    field->integrates = text_or_null(in);
}

static void type_read(head_reader *reader, eddy_type *type) {
    bytes_reader *in = &reader->in;
    type->name = file_take_text(in);
    type->size = file_take_u32(in);
    const uint8_t *defaults = bytes_take(in, type->size);
    void *copy = head_allocate(reader, defaults ? type->size : 0, 1); /* aligned, unlike the file's bytes */
    if (copy)
        memcpy(copy, defaults, type->size);
    type->defaults = copy;
    uint32_t field_count = file_take_count(in, FIELD_BYTES_LEAST);
    eddy_field *fields = head_allocate(reader, field_count, sizeof *fields);
    type->fields = fields;
    type->field_count = fields ? field_count : 0;
    for (uint32_t i = 0; fields && i < field_count; i++)
        field_read(reader, &fields[i]);
}

static void schema_read(head_reader *reader, eddy_schema *schema) {
    uint32_t type_count = file_take_count(&reader->in, TYPE_BYTES_LEAST);
    eddy_type *types = head_allocate(reader, type_count, sizeof *types);
    schema->types = types;
    schema->type_count = types ? type_count : 0;
    for (uint32_t i = 0; types && i < type_count; i++)
        type_read(reader, &types[i]);
}

eddy_result file_head_read(const uint8_t *payload, size_t payload_bytes, file_head *out, eddy_error *error) {
    head_reader reader = {.in = bytes_reader_of(payload, payload_bytes)};
    *out = (file_head){.version = file_take_u8_padded(&reader.in)};
    if (out->version > FILE_VERSION)
        return eddy_fail(error, EDDY_E_VERSION,
                         "made by version %u of the format, this program reads up to %u; "
                         "use a newer eddy",
                         out->version, FILE_VERSION);
    out->rate_num = file_take_u32(&reader.in);
    out->rate_den = file_take_u32(&reader.in);
    out->flush_frames = file_take_u32(&reader.in);
    out->title = file_take_text(&reader.in);
    out->program = file_take_text(&reader.in);
    schema_read(&reader, &out->schema);
    eddy_result result = EDDY_OK;
    if (reader.out_of_memory)
        result = eddy_fail(error, EDDY_E_MEMORY, "no memory for the schema");
    else if (reader.in.expected)
        result = eddy_fail(error, EDDY_E_FORMAT, "byte %zu of the head record: expected %s, found %" PRIu64,
                           reader.in.bad_at, reader.in.expected, reader.in.found);
    else if (out->version == 0 || out->rate_num == 0 || out->rate_den == 0)
        result = eddy_fail(error, EDDY_E_FORMAT, "the head record has version %u and rate %u/%u: none may be 0",
                           out->version, out->rate_num, out->rate_den);
    else
        result = eddy_schema_check(&out->schema, error);
    if (result != EDDY_OK)
        file_head_free(out);
    return result;
}

void file_head_free(file_head *head) {
    for (uint32_t i = 0; i < head->schema.type_count; i++) {
        const eddy_type *type = &head->schema.types[i];
        for (uint32_t k = 0; k < type->field_count; k++)
            free((void *)type->fields[k].names);
        free((void *)type->fields);
        free((void *)type->defaults);
    }
    free((void *)head->schema.types);
    *head = (file_head){0};
}
