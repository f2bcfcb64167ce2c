#include "cells.h"
#include "limits.h"

static eddy_result check_field(const eddy_type *type, uint32_t index, uint32_t offset, eddy_error *error) {
    const eddy_field *field = &type->fields[index];
    const char *name = field->name && field->name[0] ? field->name : "(no name)";
    uint32_t bytes = eddy_kind_bytes(field->kind);
    const char *expected = NULL;
    if (!field->name || !field->name[0]) {
        expected = "a name";
    } else if (bytes == 0) {
        expected = "a known kind";
    } else if (field->count == 0 || field->count > LIMIT_TYPE_BYTES / bytes) {
        expected = "a count of at least 1 and a struct of at most 1 MiB";
    } else if (field->offset != offset) {
        expected = "an offset right after the field before";
    } else if (!(field->min <= field->max)) {
        expected = "min <= max";
    } else if (field->name_count > 0 && !field->names) {
        expected = "as many enum names as name_count says";
    }
    for (uint32_t i = 0; !expected && i < index; i++) {
        expected = strcmp(type->fields[i].name, name) == 0 ? "a name that no other field has" : NULL;
    }
    return expected ? eddy_fail(error, EDDY_E_SCHEMA,
                                "type %s, field %u (%s): expected %s, found kind %d, count %u, offset %u", type->name,
                                index, name, expected, (int)field->kind, field->count, field->offset)
                    : EDDY_OK;
}

static eddy_result check_defaults(const eddy_type *type, eddy_error *error) {
    eddy_error found;
    if (type->defaults && cells_check(type, 0, type->defaults, &found) != EDDY_OK) {
        return eddy_fail(error, EDDY_E_SCHEMA, "the defaults of a type are not allowed: %.300s", found.text);
    }
    return EDDY_OK;
}

static eddy_result check_type(const eddy_schema *schema, uint32_t index, eddy_error *error) {
    const eddy_type *type = &schema->types[index];
    if (!type->name || !type->name[0]) {
        return eddy_fail(error, EDDY_E_SCHEMA, "type %u has no name", index);
    }
    if (eddy_schema_find(schema, type->name) != index) {
        return eddy_fail(error, EDDY_E_SCHEMA, "type %u: the name %s is taken by type %u", index, type->name,
                         eddy_schema_find(schema, type->name));
    }
    if (!type->fields || type->field_count == 0) {
        return eddy_fail(error, EDDY_E_SCHEMA, "type %s: expected at least one field, found none", type->name);
    }
    uint32_t offset = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        eddy_result result = check_field(type, i, offset, error);
        if (result != EDDY_OK) {
            return result;
        }
        offset += type->fields[i].count * eddy_kind_bytes(type->fields[i].kind);
        if (offset > LIMIT_TYPE_BYTES) {
            return eddy_fail(error, EDDY_E_SCHEMA, "type %s: expected a struct of at most %u bytes", type->name,
                             LIMIT_TYPE_BYTES);
        }
    }
    if (offset != type->size) {
        return eddy_fail(error, EDDY_E_SCHEMA, "type %s: the fields take %u bytes, the struct has %u", type->name,
                         offset, type->size);
    }
    return check_defaults(type, error);
}

eddy_result eddy_schema_check(const eddy_schema *schema, eddy_error *error) {
    if (!schema || !schema->types || schema->type_count == 0 || schema->type_count > LIMIT_TYPES) {
        return eddy_fail(error, EDDY_E_SCHEMA, "expected a schema of 1 to %u types, found %u", LIMIT_TYPES,
                         schema && schema->types ? schema->type_count : 0);
    }
    for (uint32_t i = 0; i < schema->type_count; i++) {
        eddy_result result = check_type(schema, i, error);
        if (result != EDDY_OK) {
            return result;
        }
    }
    return EDDY_OK;
}

uint32_t eddy_schema_find(const eddy_schema *schema, const char *type_name) {
    for (uint32_t i = 0; i < schema->type_count; i++) {
        if (schema->types[i].name && strcmp(schema->types[i].name, type_name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

const char *eddy_schema_difference(const eddy_schema *a, const eddy_schema *b) {
    if (a->type_count != b->type_count) {
        return "the number of types";
    }
    for (uint32_t i = 0; i < a->type_count; i++) {
        const eddy_type *in_a = &a->types[i], *in_b = &b->types[i];
        if (strcmp(in_a->name, in_b->name) != 0 || in_a->field_count != in_b->field_count) {
            return in_a->name;
        }
        for (uint32_t j = 0; j < in_a->field_count; j++) {
            const eddy_field *f = &in_a->fields[j], *g = &in_b->fields[j];
            if (strcmp(f->name, g->name) != 0 || f->kind != g->kind || f->count != g->count) {
                return f->name;
            }
        }
    }
    return NULL;
}
