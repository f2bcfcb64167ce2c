/* Custom properties: reading, merging, finding. */
#include "tiled_reader.h"

#include <string.h>

static const char *const kind_names[] = {"string", "int", "float", "bool", "color", "file", "object", "class", "list"};
#define KIND_COUNT (sizeof kind_names / sizeof kind_names[0])

const char *tiled_kind_name(tiled_kind kind) {
    return (size_t)kind < KIND_COUNT ? kind_names[kind] : "unknown";
}

static bool read_value(tiled_reader *reader, const char *kind, const json_t *value, unsigned depth,
                       tiled_property *out);

/** The kind of a value that does not say: members of classes, old files, kinds that are newer than this reader. */
static tiled_kind kind_of(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return TILED_CLASS;
    case JSON_ARRAY:
        return TILED_LIST;
    case JSON_INTEGER:
        return TILED_INT;
    case JSON_REAL:
        return TILED_FLOAT;
    case JSON_TRUE:
    case JSON_FALSE:
        return TILED_BOOL;
    default:
        return TILED_STRING;
    }
}

static bool kind_fits(tiled_kind kind, const json_t *value) {
    switch (kind) {
    case TILED_INT:
    case TILED_FLOAT:
    case TILED_OBJECT:
        return json_is_number(value);
    case TILED_BOOL:
        return json_is_boolean(value);
    case TILED_CLASS:
        return json_is_object(value);
    case TILED_LIST:
        return json_is_array(value);
    default:
        return json_is_string(value);
    }
}

static bool count_fits(tiled_reader *reader, size_t count) {
    return count <= TILED_PROPERTIES_MAX ||
           tiled_fail(reader, EDDY_E_LIMIT, "expected at most %d properties, found %zu", TILED_PROPERTIES_MAX, count);
}

static bool read_members(tiled_reader *reader, const json_t *object, unsigned depth, tiled_properties *out) {
    if (!count_fits(reader, json_object_size(object))) {
        return false;
    }
    tiled_property *items = tiled_take(reader, json_object_size(object), sizeof *items);
    uint32_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        if (!items || !(items[count].name = tiled_copy(reader, key)) ||
            !read_value(reader, "", value, depth, &items[count])) {
            return false;
        }
        count++;
    }
    *out = (tiled_properties){.items = items, .count = count};
    return items != NULL;
}

/** An item of `properties` or of a list: {name, type, propertytype, value}. */
static bool read_item(tiled_reader *reader, const json_t *item, unsigned depth, tiled_property *out) {
    const char *kind = "";
    out->name = out->name ? out->name : "";
    out->type_name = "";
    if (!tiled_get_text(reader, item, "name", &out->name) || !tiled_get_text(reader, item, "type", &kind) ||
        !tiled_get_text(reader, item, "propertytype", &out->type_name)) {
        return false;
    }
    const json_t *value = json_object_get(item, "value");
    return read_value(reader, kind, value, depth, out);
}

static bool read_list(tiled_reader *reader, const json_t *list, unsigned depth, tiled_properties *out) {
    size_t count = json_array_size(list);
    tiled_property *items = tiled_take(reader, count, sizeof *items);
    if (!items) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        bool described = json_is_object(item) && json_object_get(item, "value");
        items[i].name = items[i].type_name = "";
        if (described ? !read_item(reader, item, depth, &items[i]) : !read_value(reader, "", item, depth, &items[i])) {
            return false;
        }
    }
    *out = (tiled_properties){.items = items, .count = (uint32_t)count};
    return true;
}

static bool read_scalar(tiled_reader *reader, const json_t *value, tiled_property *out) {
    out->number = json_number_value(value);
    out->boolean = json_is_true(value);
    if (json_is_number(value) && out->number >= -9.0e18 && out->number <= 9.0e18) {
        out->integer = json_is_integer(value) ? json_integer_value(value) : (int64_t)out->number;
    }
    if (json_is_string(value)) {
        out->text = tiled_copy(reader, json_string_value(value));
    }
    if (out->text && out->kind == TILED_FILE) {
        out->path = tiled_path(reader, reader->file, out->text);
        return out->path != NULL;
    }
    return out->text != NULL;
}

static bool read_value(tiled_reader *reader, const char *kind, const json_t *value, unsigned depth,
                       tiled_property *out) {
    out->text = "";
    out->type_name = out->type_name ? out->type_name : "";
    if (depth > TILED_DEPTH_MAX) {
        return tiled_fail(reader, EDDY_E_LIMIT, "property \"%.40s\": more than %d classes in one another", out->name,
                          TILED_DEPTH_MAX);
    }
    if (!value || json_is_null(value)) { /* nothing set: an empty text */
        return true;
    }
    uint32_t found = 0;
    while (found < KIND_COUNT && strcmp(kind_names[found], kind) != 0) {
        found++;
    }
    out->kind = found < KIND_COUNT ? (tiled_kind)found : kind_of(value);
    if (!kind_fits(out->kind, value)) {
        return tiled_fail(reader, EDDY_E_FORMAT, "property \"%.40s\": expected %s, found %s", out->name,
                          tiled_kind_name(out->kind), tiled_json_kind(value));
    }
    if (out->kind == TILED_CLASS) {
        return read_members(reader, value, depth + 1, &out->items);
    }
    if (out->kind == TILED_LIST) {
        return read_list(reader, value, depth + 1, &out->items);
    }
    if (out->kind == TILED_COLOR) {
        tiled_read_color(reader, out->name, json_string_value(value), &out->color);
    }
    return read_scalar(reader, value, out);
}

bool tiled_read_properties(tiled_reader *reader, const json_t *object, tiled_properties *out) {
    const json_t *properties = json_object_get(object, "properties");
    if (json_is_object(properties)) {
        return read_members(reader, properties, 0, out);
    }
    if (!tiled_get_array(reader, object, "properties", &properties)) {
        return false;
    }
    size_t count = json_array_size(properties);
    tiled_property *items = count_fits(reader, count) ? tiled_take(reader, count, sizeof *items) : NULL;
    if (!items) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(properties, i);
        if (!json_is_object(item)) {
            return tiled_fail(reader, EDDY_E_FORMAT, "properties[%zu]: expected an object, found %s", i,
                              tiled_json_kind(item));
        }
        if (!read_item(reader, item, 0, &items[i])) {
            return false;
        }
    }
    *out = (tiled_properties){.items = items, .count = (uint32_t)count};
    return true;
}

const tiled_property *tiled_properties_find(const tiled_properties *properties, const char *name) {
    for (uint32_t i = 0; i < properties->count; i++) {
        if (strcmp(properties->items[i].name, name) == 0) {
            return &properties->items[i];
        }
    }
    return NULL;
}

/* Recursion ends: both sides were read with at most TILED_DEPTH_MAX classes in one another. */
bool tiled_merge_properties(tiled_reader *reader, tiled_properties base, tiled_properties over, tiled_properties *out) {
    if (base.count == 0 || over.count == 0) {
        *out = over.count ? over : base;
        return true;
    }
    tiled_property *items = tiled_take(reader, (size_t)base.count + over.count, sizeof *items);
    if (!items) {
        return false;
    }
    uint32_t count = base.count;
    memcpy(items, base.items, base.count * sizeof *items);
    for (uint32_t i = 0; i < over.count; i++) {
        const tiled_property *from = &over.items[i];
        tiled_properties all = {.items = items, .count = base.count};
        const tiled_property *found = tiled_properties_find(&all, from->name);
        tiled_property *to = &items[found ? (uint32_t)(found - items) : count++];
        tiled_properties inner = found && found->kind == TILED_CLASS ? found->items : (tiled_properties){0};
        *to = *from;
        if (from->kind == TILED_CLASS && !tiled_merge_properties(reader, inner, from->items, &to->items)) {
            return false;
        }
    }
    *out = (tiled_properties){.items = items, .count = count};
    return true;
}
