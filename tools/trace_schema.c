/* schema.json is read here: checked row by row, into the field tables that the recorder walks. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

/** Where in the file we are, for errors. */
typedef struct place {
    const char *path;
    const char *type; /**< NULL: outside the types */
    size_t type_index, field_index;
    const char *field; /**< NULL: no field */
    eddy_error *error;
} place;

/** "PATH: type body, field x: expected ..., found ...". `found` NULL: nothing. Returns E_SCHEMA. */
static eddy_result fail(const place *at, const char *expected, const json_t *found) {
    char where[160] = "", text[64] = "nothing";
    if (at->type && at->field)
        snprintf(where, sizeof where, "type %zu (%.50s), field %zu (%.50s): ", at->type_index, at->type,
                 at->field_index, at->field);
    else if (at->type)
        snprintf(where, sizeof where, "type %zu (%.50s): ", at->type_index, at->type);
    char *dumped = found ? json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (dumped)
        snprintf(text, sizeof text, "%.50s%s", dumped, strlen(dumped) > 50 ? "..." : "");
    free(dumped);
    return eddy_fail(at->error, EDDY_E_SCHEMA, "%.120s: %sexpected %s, found %s", at->path, where, expected, text);
}

/** A text that is there and not empty, or NULL. */
static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text && *text ? text : NULL;
}

/* ---- the text ---- */

static eddy_result read_whole(const char *path, char **text, size_t *size, eddy_error *error) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    if (!file)
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be read: %s; name the trace's schema.json", path,
                         strerror(errno));
    eddy_result result = EDDY_OK;
    for (size_t got = 1; got > 0 && result == EDDY_OK; *size += got) {
        if (*size == capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            char *larger = capacity <= TRACE_SCHEMA_BYTES_MAX ? realloc(*text, capacity) : NULL;
            if (!larger) {
                result = eddy_fail(error, EDDY_E_FORMAT, "%s: expected a schema.json of at most %zu bytes, found more",
                                   path, TRACE_SCHEMA_BYTES_MAX);
                break;
            }
            *text = larger;
        }
        got = fread(*text + *size, 1, capacity - *size, file);
    }
    if (result == EDDY_OK && ferror(file))
        result =
            eddy_fail(error, EDDY_E_IO, "%s: cannot be read: %s; name the trace's schema.json", path, strerror(errno));
    if (file != stdin)
        fclose(file);
    return result;
}

/** The length of the number that begins at `at`, or 0. */
static size_t number_length(const char *text, size_t size, size_t at, bool *is_whole) {
    size_t end = at;
    *is_whole = true;
    while (end < size &&
           ((text[end] >= '0' && text[end] <= '9') || text[end] == '-' || (end > at && memchr(".eE+", text[end], 4)))) {
        *is_whole = *is_whole && (end == at || (text[end] >= '0' && text[end] <= '9'));
        end++;
    }
    return end - at;
}

/** A copy in which whole numbers of 19 digits and more, which a u64 may need and the parser refuses, are texts. */
static char *quote_long_numbers(const char *text, size_t size, size_t *out_size) {
    char *out = malloc(size + size / 8 + 4); /* two more for every 19 */
    size_t to = 0;
    bool in_text = false;
    for (size_t i = 0; out && i < size;) {
        bool is_whole;
        const size_t length = in_text ? 0 : number_length(text, size, i, &is_whole);
        if (length > 0) {
            const bool quoted = is_whole && length >= 19;
            to += (size_t)sprintf(out + to, quoted ? "\"%.*s\"" : "%.*s", (int)length, text + i);
            i += length;
            continue;
        }
        if (in_text && text[i] == '\\' && i + 1 < size)
            out[to++] = text[i++];
        else if (text[i] == '"')
            in_text = !in_text;
        out[to++] = text[i++];
    }
    *out_size = to;
    return out;
}

static eddy_result parse(const char *path, json_t **document, eddy_error *error) {
    char *text;
    size_t size, quoted_size = 0;
    json_error_t found;
    eddy_result result = read_whole(path, &text, &size, error);
    if (result == EDDY_OK) {
        char *quoted = quote_long_numbers(text, size, &quoted_size);
        *document = quoted ? json_loadb(quoted, quoted_size, JSON_REJECT_DUPLICATES, &found) : NULL;
        if (!quoted)
            result = eddy_fail(error, EDDY_E_MEMORY, "%s: no memory to read it", path);
        else if (!*document)
            result = eddy_fail(error, EDDY_E_FORMAT,
                               "%s:%d: expected JSON, found: %.160s; write numbers that are not finite as texts, "
                               "\"nan\"",
                               path, found.line, found.text);
        free(quoted);
    }
    free(text);
    return result;
}

/* ---- fields ---- */

static eddy_result read_kind(const place *at, const json_t *row, eddy_field *field) {
    const char *kind = text_of(row, "kind");
    field->kind = kind ? eddy_kind_from_name(kind) : EDDY_KIND_COUNT;
    if (field->kind != EDDY_KIND_COUNT)
        return EDDY_OK;
    char expected[160] = "a \"kind\", one of";
    for (int i = 0; i < EDDY_KIND_COUNT; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), " %s", eddy_kind_name((eddy_kind)i));
    return fail(at, expected, json_object_get(row, "kind"));
}

static eddy_result read_count(const place *at, const json_t *row, eddy_field *field) {
    const json_t *value = json_object_get(row, "count");
    const json_int_t count = value ? json_integer_value(value) : 1;
    const uint32_t max = TRACE_TYPE_BYTES_MAX / eddy_kind_bytes(field->kind);
    if ((value && !json_is_integer(value)) || count < 1 || count > max) {
        char expected[80];
        snprintf(expected, sizeof expected, "a \"count\" of 1 to %u, for a struct has at most %u bytes", max,
                 TRACE_TYPE_BYTES_MAX);
        return fail(at, expected, value);
    }
    field->count = (uint32_t)count;
    return EDDY_OK;
}

/** One bound alone leaves the other side open. */
static eddy_result read_range(const place *at, const json_t *row, eddy_field *field) {
    const json_t *min = json_object_get(row, "min"), *max = json_object_get(row, "max");
    if (!min && !max)
        return EDDY_OK;
    field->min = -INFINITY;
    field->max = INFINITY;
    if (min && (!trace_real_read(min, &field->min) || isnan(field->min)))
        return fail(at, "a number as \"min\"", min);
    if (max && (!trace_real_read(max, &field->max) || isnan(field->max)))
        return fail(at, "a number as \"max\"", max);
    if (field->min > field->max)
        return fail(at, "a \"min\" that is not above \"max\"", min ? min : max);
    return EDDY_OK;
}

static eddy_result read_names(const place *at, const json_t *row, eddy_field *field) {
    const json_t *names = json_object_get(row, "names");
    if (!names)
        return EDDY_OK;
    const size_t count = json_array_size(names);
    if (!json_is_array(names) || count > UINT32_MAX)
        return fail(at, "an array of texts as \"names\"", names);
    const char **texts = count ? calloc(count, sizeof *texts) : NULL;
    if (count && !texts)
        return eddy_fail(at->error, EDDY_E_MEMORY, "%s: no memory for its names", at->path);
    field->names = texts;
    field->name_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        if (!(texts[i] = json_string_value(json_array_get(names, i))))
            return fail(at, "an array of texts as \"names\"", json_array_get(names, i));
    return EDDY_OK;
}

static eddy_result read_texts(const place *at, const json_t *row, eddy_field *field) {
    const json_t *unit = json_object_get(row, "unit"), *integrates = json_object_get(row, "integrates");
    if (unit && !json_is_null(unit) && !json_is_string(unit))
        return fail(at, "a text as \"unit\"", unit);
    if (integrates && !json_is_null(integrates) && !json_is_string(integrates))
        return fail(at, "the name of a field as \"integrates\"", integrates);
    field->unit = text_of(row, "unit");
    field->integrates = text_of(row, "integrates");
    return EDDY_OK;
}

static eddy_result read_field(place *at, const json_t *row, uint32_t offset, eddy_field *field) {
    if (!json_is_object(row))
        return fail(at, "an object for each field", row);
    field->name = text_of(row, "name");
    if (!field->name)
        return fail(at, "a \"name\" for each field", json_object_get(row, "name"));
    at->field = field->name;
    field->offset = offset;
    eddy_result result = read_kind(at, row, field);
    if (result == EDDY_OK)
        result = read_count(at, row, field);
    if (result == EDDY_OK)
        result = read_range(at, row, field);
    if (result == EDDY_OK)
        result = read_names(at, row, field);
    return result == EDDY_OK ? read_texts(at, row, field) : result;
}

/* ---- types ---- */

/** Fills the defaults, unless they are all zero. */
static eddy_result read_defaults(place *at, const json_t *rows, eddy_type *type) {
    uint8_t *defaults = calloc(1, type->size);
    if (!defaults)
        return eddy_fail(at->error, EDDY_E_MEMORY, "%s: no memory for the defaults of %s", at->path, type->name);
    eddy_result result = EDDY_OK;
    for (uint32_t i = 0; i < type->field_count && result == EDDY_OK; i++) {
        const eddy_field *field = &type->fields[i];
        const json_t *value = json_object_get(json_array_get(rows, i), "default");
        const char *expected = trace_default_read(field, value, defaults + field->offset);
        at->field = field->name;
        at->field_index = i;
        if (expected) {
            char text[120];
            snprintf(text, sizeof text, "as \"default\" %s", expected);
            result = fail(at, text, value);
        }
    }
    if (result != EDDY_OK || (defaults[0] == 0 && memcmp(defaults, defaults + 1, type->size - 1) == 0)) {
        free(defaults);
        return result;
    }
    type->defaults = defaults;
    return EDDY_OK;
}

static eddy_result check_integrates(place *at, const eddy_type *type, const json_t *rows) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].integrates;
        bool found = !name;
        for (uint32_t k = 0; k < type->field_count && !found; k++)
            found = k != i && strcmp(type->fields[k].name, name) == 0;
        at->field = type->fields[i].name;
        at->field_index = i;
        if (!found)
            return fail(at, "the name of another field of the type as \"integrates\"",
                        json_object_get(json_array_get(rows, i), "integrates"));
    }
    return EDDY_OK;
}

static eddy_result read_type(place *at, const json_t *row, eddy_type *type) {
    const json_t *rows = json_object_get(row, "fields");
    at->field = NULL;
    at->type = "no name";
    if (!json_is_object(row) || !(type->name = text_of(row, "name")))
        return fail(at, "an object with a \"name\" for each type", row);
    at->type = type->name;
    if (!json_is_array(rows) || json_array_size(rows) == 0 || json_array_size(rows) > TRACE_TYPE_BYTES_MAX)
        return fail(at, "an array of \"fields\", at least one", rows);
    eddy_field *fields = calloc(json_array_size(rows), sizeof *fields);
    if (!fields)
        return eddy_fail(at->error, EDDY_E_MEMORY, "%s: no memory for the fields of %s", at->path, type->name);
    type->fields = fields;
    type->field_count = (uint32_t)json_array_size(rows);
    for (uint32_t i = 0; i < type->field_count; i++) {
        at->field = "no name";
        at->field_index = i;
        eddy_result result = read_field(at, json_array_get(rows, i), type->size, &fields[i]);
        if (result != EDDY_OK)
            return result;
        type->size += fields[i].count * eddy_kind_bytes(fields[i].kind);
        if (type->size > TRACE_TYPE_BYTES_MAX)
            return fail(at, "a struct of at most 1048576 bytes, with this field", json_array_get(rows, i));
    }
    eddy_result result = check_integrates(at, type, rows);
    return result == EDDY_OK ? read_defaults(at, rows, type) : result;
}

static eddy_result read_types(place *at, const json_t *rows, eddy_schema *schema) {
    const size_t count = json_array_size(rows);
    if (!json_is_array(rows) || count == 0 || count > UINT16_MAX)
        return fail(at, "an array of 1 to 65535 \"types\"", rows);
    eddy_type *types = calloc(count, sizeof *types);
    if (!types)
        return eddy_fail(at->error, EDDY_E_MEMORY, "%s: no memory for its types", at->path);
    schema->types = types;
    schema->type_count = (uint32_t)count;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        at->type_index = i;
        eddy_result result = read_type(at, json_array_get(rows, i), &types[i]);
        if (result != EDDY_OK)
            return result;
        bytes += types[i].size;
        if (bytes > TRACE_FRAME_BYTES_MAX)
            return fail(at, "structs that take at most 268435456 bytes together", rows);
    }
    return EDDY_OK;
}

/* ---- the whole ---- */

static eddy_result read_document(const char *path, trace_schema *out, eddy_error *error) {
    place at = {.path = path, .error = error};
    const json_t *document = out->document, *version = json_object_get(document, "eddy_trace");
    if (!json_is_object(document) || !json_is_integer(version) || json_integer_value(version) < 1)
        return fail(&at, "an object with \"eddy_trace\": 1", json_is_object(document) ? version : document);
    if (json_integer_value(version) > TRACE_VERSION)
        return eddy_fail(error, EDDY_E_VERSION, "%s: expected \"eddy_trace\": 1, found %lld; use a newer eddy", path,
                         (long long)json_integer_value(version));
    if (!trace_rate_read(json_object_get(document, "rate"), &out->rate))
        return fail(&at, "frames a second as \"rate\": 60, 62.5 or [60000, 1001]", json_object_get(document, "rate"));
    eddy_result result = read_types(&at, json_object_get(document, "types"), &out->schema);
    eddy_error found;
    if (result == EDDY_OK && (result = eddy_schema_check(&out->schema, &found)) != EDDY_OK)
        eddy_fail(error, result, "%.120s: %.270s", path, found.text); /* names that are there twice, for instance */
    return result;
}

eddy_result trace_schema_load(const char *path, trace_schema *out, eddy_error *error) {
    *out = (trace_schema){0};
    eddy_result result = parse(path, &out->document, error);
    return result == EDDY_OK ? read_document(path, out, error) : result;
}

void trace_schema_free(trace_schema *schema) {
    for (uint32_t i = 0; i < schema->schema.type_count; i++) {
        const eddy_type *type = &schema->schema.types[i];
        for (uint32_t k = 0; k < type->field_count; k++)
            free((void *)type->fields[k].names);
        free((void *)type->fields);
        free((void *)type->defaults);
    }
    free((void *)schema->schema.types);
    json_decref(schema->document);
    *schema = (trace_schema){0};
}
