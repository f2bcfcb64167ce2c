#include "levels.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

eddy_result tool_places_find(const char *level_dir, tool_places *out, eddy_error *error) {
    const char *own = getenv("EDDY_LEVELS"), *sounds = getenv("EDDY_SOUNDS");
    if (!own || !*own)
        own = EDDY_LEVEL_DIR;
    if (!sounds || !*sounds)
        sounds = EDDY_SOUND_DIR;
    char catalog[ENGINE_PATH_BYTES];
    eddy_result result = engine_path_print(out->levels, sizeof out->levels, error, "%s", level_dir ? level_dir : own);
    if (result == EDDY_OK)
        result = engine_path_print(out->sounds, sizeof out->sounds, error, "%s", sounds);
    if (result == EDDY_OK)
        result = engine_path_print(out->art, sizeof out->art, error, "%s/art", own);
    if (result == EDDY_OK)
        result = engine_path_print(catalog, sizeof catalog, error, "%s/sounds.json", out->levels);
    if (result == EDDY_OK)
        result = engine_path_print(out->catalog, sizeof out->catalog, error, "%s",
                                   access(catalog, R_OK) == 0 ? out->levels : own);
    return result;
}

/** Reads levels.json into an array; a new reference. NULL with an error. */
static json_t *list_load(const tool_places *places, eddy_error *error) {
    char path[ENGINE_PATH_BYTES];
    if (engine_path_print(path, sizeof path, error, "%s/levels.json", places->levels) != EDDY_OK)
        return NULL;
    json_error_t where;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (!root) {
        eddy_fail(error, where.line < 0 ? EDDY_E_IO : EDDY_E_FORMAT, "%s:%d: %s", path, where.line < 0 ? 0 : where.line,
                  where.text);
        return NULL;
    }
    json_t *levels = json_incref(json_object_get(root, "levels"));
    json_decref(root);
    if (!json_is_array(levels)) {
        json_decref(levels);
        eddy_fail(error, EDDY_E_FORMAT, "%s: expected an array \"levels\"", path);
        return NULL;
    }
    return levels;
}

/** False: not an entry of a level. */
static bool entry_read(const tool_places *places, json_t *entry, tool_level *out) {
    json_int_t number;
    const char *name, *file, *title;
    if (json_unpack(entry, "{s:I, s:s, s:s, s:s}", "number", &number, "name", &name, "file", &file, "title", &title) ||
        number < 1 || number > UINT32_MAX || strlen(name) >= sizeof out->name)
        return false;
    out->number = (uint32_t)number;
    strcpy(out->name, name);
    snprintf(out->title, sizeof out->title, "%s", title);
    return engine_path_print(out->path, sizeof out->path, NULL, "%s/%s", places->levels, file) == EDDY_OK;
}

/** The entry with a number or a name; `number` 0 and `name` NULL match nothing. */
static bool list_find(const tool_places *places, json_t *levels, uint32_t number, const char *name, tool_level *out) {
    size_t index;
    json_t *entry;
    json_array_foreach(levels, index, entry) {
        tool_level level;
        if (entry_read(places, entry, &level) &&
            ((number && level.number == number) || (name && strcmp(level.name, name) == 0))) {
            *out = level;
            return true;
        }
    }
    return false;
}

/** "1 first-lamp, 2 millwheel". */
static void list_print(const tool_places *places, json_t *levels, char *out, size_t out_bytes) {
    size_t index, used = 0;
    json_t *entry;
    out[0] = '\0';
    json_array_foreach(levels, index, entry) {
        tool_level level;
        if (entry_read(places, entry, &level) && used < out_bytes)
            used +=
                (size_t)snprintf(out + used, out_bytes - used, "%s%u %s", used ? ", " : "", level.number, level.name);
    }
}

static bool is_map_path(const char *level) {
    const char *dot = strrchr(level, '.');
    return strchr(level, '/') ||
           (dot && (strcmp(dot, ".tmj") == 0 || strcmp(dot, ".json") == 0 || strcmp(dot, ".tj") == 0));
}

static eddy_result level_from_path(const char *path, tool_level *out, eddy_error *error) {
    const char *slash = strrchr(path, '/');
    *out = (tool_level){0};
    eddy_result result = engine_path_print(out->path, sizeof out->path, error, "%s", path);
    if (result == EDDY_OK)
        result = engine_path_print(out->name, sizeof out->name, error, "%s", slash ? slash + 1 : path);
    out->name[strcspn(out->name, ".")] = '\0';
    snprintf(out->title, sizeof out->title, "%.63s", out->name);
    return result;
}

eddy_result tool_level_find(const tool_places *places, const char *level, tool_level *out, eddy_error *error) {
    if (is_map_path(level)) {
        if (access(level, R_OK) != 0)
            return eddy_fail(error, EDDY_E_IO, "%s: no such map, or it cannot be read", level);
        return level_from_path(level, out, error);
    }
    char path[ENGINE_PATH_BYTES];
    eddy_result result = engine_path_print(path, sizeof path, error, "%s/%s.tmj", places->levels, level);
    if (result != EDDY_OK)
        return result;
    json_t *levels = list_load(places, error);
    if (!levels) {
        if (access(path, R_OK) != 0)
            return error ? error->code : EDDY_E_IO;
        return level_from_path(path, out, error);
    }
    char *end;
    const unsigned long number = strtoul(level, &end, 10);
    const bool is_number = end != level && !*end && number > 0 && number < UINT32_MAX;
    if (!list_find(places, levels, is_number ? (uint32_t)number : 0, level, out)) {
        if (access(path, R_OK) == 0) {
            result = level_from_path(path, out, error);
        } else {
            char list[256];
            list_print(places, levels, list, sizeof list);
            result = eddy_fail(error, EDDY_E_ARGUMENT, "no level \"%s\" in %s; there are: %s; or name a .tmj file",
                               level, places->levels, list);
        }
    }
    json_decref(levels);
    return result;
}

bool tool_level_next(const tool_places *places, uint32_t number, tool_level *out) {
    json_t *levels = number ? list_load(places, NULL) : NULL;
    const bool found = levels && list_find(places, levels, number + 1, NULL, out);
    json_decref(levels);
    return found;
}
