#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tool_json_line(FILE *out, json_t *object) {
    json_dumpf(object, out, JSON_COMPACT | JSON_ENSURE_ASCII);
    fputc('\n', out);
    fflush(out);
    json_decref(object);
}

json_t *tool_json_text(const char *text) {
    const size_t length = strlen(text);
    json_t *whole = json_stringn(text, length);
    char *copy = whole ? NULL : strdup(text);
    if (!copy)
        return whole;
    /* The longest piece that is UTF-8 from each place on; a byte that begins none is replaced. */
    for (size_t at = 0; at < length;) {
        size_t piece = length - at < 4 ? length - at : 4;
        json_t *character = NULL;
        for (; piece > 0 && !(character = json_stringn(copy + at, piece)); piece--)
            ;
        json_decref(character);
        if (piece == 0)
            copy[at] = '?';
        at += piece ? piece : 1;
    }
    whole = json_string(copy);
    free(copy);
    return whole;
}

json_t *tool_json_hash(uint64_t hash) {
    return json_sprintf("%016" PRIx64, hash);
}

json_t *tool_json_real(double value) {
    if (isnan(value))
        return json_string("nan");
    return isinf(value) ? json_string(value > 0 ? "inf" : "-inf") : json_real(value);
}

/** One element, whatever its kind but str. Elements are aligned: they stand in their struct. */
static json_t *element_json(const eddy_field *field, const uint8_t *bytes) {
    int64_t number = 0;
    switch (field->kind) {
    case EDDY_BOOL:
        return json_boolean(*bytes);
    case EDDY_F32: {
        float value;
        memcpy(&value, bytes, sizeof value);
        return tool_json_real((double)value);
    }
    case EDDY_F64: {
        double value;
        memcpy(&value, bytes, sizeof value);
        return tool_json_real(value);
    }
    case EDDY_VEC2: {
        eddy_vec2 value;
        memcpy(&value, bytes, sizeof value);
        return json_pack("[o,o]", tool_json_real((double)value.x), tool_json_real((double)value.y));
    }
    case EDDY_U64: {
        uint64_t value;
        memcpy(&value, bytes, sizeof value);
        return json_sprintf("%" PRIu64, value);
    }
    case EDDY_I64: {
        int64_t value;
        memcpy(&value, bytes, sizeof value);
        return json_sprintf("%" PRId64, value);
    }
    default:
        break;
    }
    /* The integers of up to 32 bits: little-endian, sign-extended where signed. */
    const uint32_t size = eddy_kind_bytes(field->kind);
    memcpy(&number, bytes, size);
    if (field->kind == EDDY_I8)
        number = (int8_t)number;
    else if (field->kind == EDDY_I16)
        number = (int16_t)number;
    else if (field->kind == EDDY_I32)
        number = (int32_t)number;
    if (number >= 0 && number < (int64_t)field->name_count && field->names)
        return json_string(field->names[number]);
    return json_integer(number);
}

json_t *tool_json_field(const eddy_field *field, const void *state) {
    const uint8_t *bytes = (const uint8_t *)state + field->offset;
    if (field->kind == EDDY_STR) {
        json_t *text = json_stringn((const char *)bytes, strnlen((const char *)bytes, field->count));
        return text ? text : json_string("(not UTF-8)");
    }
    if (field->count == 1)
        return element_json(field, bytes);
    json_t *array = json_array();
    for (uint32_t i = 0; i < field->count; i++)
        json_array_append_new(array, element_json(field, bytes + i * eddy_kind_bytes(field->kind)));
    return array;
}

json_t *tool_json_fields(const eddy_schema *schema, const eddy_entity *entity) {
    json_t *fields = json_object();
    const eddy_type *type = &schema->types[entity->type];
    for (uint32_t i = 0; i < type->field_count; i++)
        json_object_set_new(fields, type->fields[i].name, tool_json_field(&type->fields[i], entity->data));
    return fields;
}

json_t *tool_json_entity(const eddy_schema *schema, const eddy_entity *entity) {
    return json_pack("{s:I, s:s, s:b, s:o}", "id", (json_int_t)entity->id, "type", schema->types[entity->type].name,
                     "immune", (entity->id & EDDY_ID_IMMUNE) != 0, "fields", tool_json_fields(schema, entity));
}
