/* schema.json is written here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "trace.h"

/** A whole number without a point. */
static json_t *bound_json(double bound) {
    return bound == floor(bound) && fabs(bound) < 9e15 ? json_integer((json_int_t)bound) : tool_json_real(bound);
}

static void put_range(json_t *row, const eddy_field *field) {
    if (field->min == field->max)
        return;
    const bool is_open = isinf(field->min) && isinf(field->max); /* yet NaN is outside: it must be said */
    if (is_open || !isinf(field->min))
        json_object_set_new(row, "min", bound_json(field->min));
    if (is_open || !isinf(field->max))
        json_object_set_new(row, "max", bound_json(field->max));
}

/** Returns false when a text is not UTF-8. */
static bool put_text(json_t *row, const char *key, const char *text) {
    return !text || !*text || json_object_set_new(row, key, json_string(text)) == 0;
}

static json_t *field_json(const eddy_type *type, const eddy_field *field) {
    json_t *row = json_object();
    bool good = put_text(row, "name", field->name);
    json_object_set_new(row, "kind", json_string(eddy_kind_name(field->kind)));
    json_object_set_new(row, "count", json_integer(field->count));
    uint8_t *zero = type->defaults ? NULL : calloc(field->count, eddy_kind_bytes(field->kind));
    const uint8_t *bytes = type->defaults ? (const uint8_t *)type->defaults + field->offset : zero;
    good = good && bytes && json_object_set_new(row, "default", trace_default_json(field, bytes)) == 0;
    free(zero);
    put_range(row, field);
    good = good && put_text(row, "unit", field->unit) && put_text(row, "integrates", field->integrates);
    if (field->name_count > 0) {
        json_t *names = json_array();
        for (uint32_t i = 0; i < field->name_count; i++)
            good = good && json_array_append_new(names, json_string(field->names[i])) == 0;
        json_object_set_new(row, "names", names);
    }
    if (!good) {
        json_decref(row);
        return NULL;
    }
    return row;
}

eddy_result trace_schema_json(const eddy_schema *schema, trace_rate rate, json_t **out, eddy_error *error) {
    json_t *types = json_array();
    *out = json_pack("{s:i, s:o, s:O}", "eddy_trace", TRACE_VERSION, "rate", trace_rate_json(rate), "types", types);
    eddy_result result = EDDY_OK;
    for (uint32_t i = 0; i < schema->type_count && result == EDDY_OK; i++) {
        const eddy_type *type = &schema->types[i];
        json_t *fields = json_array(), *name = json_string(type->name);
        bool good = name != NULL;
        for (uint32_t k = 0; k < type->field_count && good; k++)
            good = json_array_append_new(fields, field_json(type, &type->fields[k])) == 0;
        if (!good)
            result = eddy_fail(error, EDDY_E_FORMAT,
                               "type %u: its names are not UTF-8, or there is no memory for them; schema.json can hold "
                               "only UTF-8: rename the type or field and record again",
                               i);
        json_array_append_new(types, json_pack("{s:o*, s:o}", "name", name, "fields", fields));
    }
    json_decref(types);
    if (result != EDDY_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return result;
}
