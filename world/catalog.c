/* sounds.json: what a level may make heard.
 *
 *     {"sounds": {"jump": {"file": "jump.ogg", "length": 17280, "category": "effect", "repeat": "once", "gain": 0.5,
 *                          "range": 900, "priority": 6}, ...}}
 *
 * `length` counts samples at 48 kHz. Optional are category (effect), repeat (once), gain (1), range (0: heard
 * everywhere) and priority (0); other keys are for other readers. */
#include "world.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/** One entry being read. */
typedef struct entry {
    const char *path, *name;
    const json_t *json;
    eddy_error *error;
    eddy_result result; /**< the first thing wrong */
} entry;

static void entry_fail(entry *at, const char *key, const char *expected) {
    if (!at->result) {
        at->result = eddy_fail(at->error, EDDY_E_FORMAT, "%s: sound \"%.40s\": \"%s\": expected %s", at->path, at->name,
                               key, expected);
    }
}

/** A text that is there and fits with its zero. */
static void take_text(entry *at, const char *key, const char *text, size_t bytes, char *out, size_t out_bytes) {
    if (bytes == 0) {
        entry_fail(at, key, "text");
    } else if (bytes < out_bytes) {
        memcpy(out, text, bytes);
    } else if (!at->result) {
        at->result =
            eddy_fail(at->error, EDDY_E_LIMIT, "%s: sound \"%.40s\": \"%s\": expected at most %zu bytes, found %zu",
                      at->path, at->name, key, out_bytes - 1, bytes);
    }
}

/** A number of a row: its range, what it is when absent, and the words for it. */
typedef struct number_row {
    const char *key;
    double min, max;
    bool needed;
    double absent;
    const char *expected;
} number_row;

static double get_number(entry *at, const number_row *row) {
    const json_t *value = json_object_get(at->json, row->key);
    if (!value && !row->needed) {
        return row->absent;
    }
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= row->min && number <= row->max)) {
        entry_fail(at, row->key, row->expected);
        return row->absent;
    }
    return number;
}

/** One of some names; absent: the first. */
static uint8_t get_name(entry *at, const char *key, const char *const *names, size_t count, const char *expected) {
    const json_t *value = json_object_get(at->json, key);
    for (size_t i = 0; i < count; i++) {
        if (!value || (json_is_string(value) && strcmp(json_string_value(value), names[i]) == 0)) {
            return (uint8_t)i;
        }
    }
    entry_fail(at, key, expected);
    return 0;
}

static void entry_read(entry *at, world_sound_def *out) {
    static const number_row length = {"length", 0, 1e15, true, 0, "a number of samples at 48 kHz"};
    static const number_row gain = {"gain", 0, 4, false, 1, "0 to 4"};
    static const number_row range = {"range", 0, 1e6, false, 0, "px, 0 to 1000000"};
    static const number_row priority = {"priority", 0, 255, false, 0, "0 to 255"};
    const json_t *file = json_object_get(at->json, "file");
    take_text(at, "key", at->name, strlen(at->name), out->key, sizeof out->key);
    take_text(at, "file", json_string_value(file), json_string_length(file), out->file, sizeof out->file);
    out->length = get_number(at, &length);
    out->gain = (float)get_number(at, &gain);
    out->range = (float)get_number(at, &range);
    out->priority = (uint8_t)get_number(at, &priority);
    out->category = get_name(at, "category", eddy_category_names, EDDY_CATEGORY_COUNT,
                             "\"effect\", \"music\", \"ambience\" or \"speech\"");
    out->repeat = get_name(at, "repeat", eddy_sound_repeat_names, EDDY_SOUND_REPEAT_COUNT, "\"once\" or \"loop\"");
}

static eddy_result sounds_read(const char *path, json_t *sounds, world_catalog *into, eddy_error *error) {
    if (!json_is_object(sounds)) {
        return eddy_fail(error, EDDY_E_FORMAT, "%s: expected an object \"sounds\" with an entry a sound", path);
    }
    if (json_object_size(sounds) > WORLD_CATALOG_MAX) {
        return eddy_fail(error, EDDY_E_LIMIT, "%s: \"sounds\": expected at most %d entries, found %zu", path,
                         WORLD_CATALOG_MAX, json_object_size(sounds));
    }
    const char *key;
    json_t *value;
    json_object_foreach(sounds, key, value) {
        entry at = {.path = path, .name = key, .json = value, .error = error};
        entry_read(&at, &into->sounds[into->count]);
        if (at.result) {
            return at.result;
        }
        into->count++;
    }
    return EDDY_OK;
}

eddy_result world_catalog_load(const char *path, world_catalog *out, eddy_error *error) {
    json_error_t where = {0};
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (!root) {
        bool unread = json_error_code(&where) == json_error_cannot_open_file;
        return eddy_fail(error, unread ? EDDY_E_IO : EDDY_E_FORMAT, "%s: line %d: %s; expected JSON with \"sounds\"",
                         path, where.line, where.text);
    }
    world_catalog *read = calloc(1, sizeof *read);
    eddy_result result = read ? sounds_read(path, json_object_get(root, "sounds"), read, error)
                              : eddy_fail(error, EDDY_E_MEMORY, "%s: no memory", path);
    if (!result) {
        *out = *read;
    }
    free(read);
    json_decref(root);
    return result;
}

const world_sound_def *world_catalog_find(const world_catalog *catalog, const char *key) {
    for (uint32_t i = 0; i < catalog->count; i++) {
        if (strcmp(catalog->sounds[i].key, key) == 0) {
            return &catalog->sounds[i];
        }
    }
    return NULL;
}
