/* The map itself: the reader's table of contents. */
#include "tiled_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** "1.10" or, in maps up to 1.5, the number 1.5. */
static bool read_version(tiled_reader *reader, const json_t *root, const char **out) {
    const json_t *value = json_object_get(root, "version");
    char text[32];
    if (json_is_number(value)) {
        snprintf(text, sizeof text, "%g", json_number_value(value));
        *out = tiled_copy(reader, text);
        return *out != NULL;
    }
    return tiled_get_text(reader, root, "version", out);
}

static bool read_head(tiled_reader *reader, const json_t *root) {
    tiled_map *map = reader->map;
    const char *type = "map";
    if (!tiled_get_text(reader, root, "type", &type)) {
        return false;
    }
    if (strcmp(type, "map") != 0 || !json_object_get(root, "layers")) {
        return tiled_fail(reader, EDDY_E_FORMAT, "expected a map with layers, found a %.20s%s; give the map's own file",
                          type, strcmp(type, "map") == 0 ? " without \"layers\"" : "");
    }
    map->version = map->tiled_version = map->type_name = "";
    map->orientation = "orthogonal";
    map->render_order = "right-down";
    return read_version(reader, root, &map->version) &&
           tiled_get_text(reader, root, "tiledversion", &map->tiled_version) &&
           tiled_get_text(reader, root, "orientation", &map->orientation) &&
           tiled_get_text(reader, root, "renderorder", &map->render_order) &&
           tiled_get_text(reader, root, "class", &map->type_name) &&
           tiled_get_bool(reader, root, "infinite", &map->infinite) &&
           tiled_get_u32(reader, root, "width", map->infinite ? INT32_MAX : TILED_SIDE_MAX, &map->width) &&
           tiled_get_u32(reader, root, "height", map->infinite ? INT32_MAX : TILED_SIDE_MAX, &map->height) &&
           tiled_get_u32(reader, root, "tilewidth", TILED_SIDE_MAX, &map->tile_width) &&
           tiled_get_u32(reader, root, "tileheight", TILED_SIDE_MAX, &map->tile_height) &&
           tiled_get_color(reader, root, "backgroundcolor", &map->background) &&
           tiled_get_number(reader, root, "parallaxoriginx", &map->parallax_origin_x) &&
           tiled_get_number(reader, root, "parallaxoriginy", &map->parallax_origin_y) &&
           tiled_read_properties(reader, root, &map->properties);
}

static bool check_head(tiled_reader *reader) {
    const tiled_map *map = reader->map;
    if (map->tile_width == 0 || map->tile_height == 0) {
        return tiled_fail(reader, EDDY_E_FORMAT, "expected tiles of at least 1 x 1 px, found %u x %u", map->tile_width,
                          map->tile_height);
    }
    if (!map->infinite && (map->width == 0 || map->height == 0)) {
        return tiled_fail(reader, EDDY_E_FORMAT, "expected a map of at least 1 x 1 tiles, found %u x %u", map->width,
                          map->height);
    }
    return true;
}

static bool read_map(tiled_reader *reader) {
    reader->warnings = tiled_take(reader, TILED_WARNINGS_MAX, sizeof *reader->warnings);
    if (!reader->warnings || !(reader->map->path = tiled_copy(reader, reader->file))) {
        return false;
    }
    reader->map->warnings = reader->warnings;
    json_t *root = tiled_parse(reader, reader->file, "map", ".tmj");
    bool good = root && read_head(reader, root) && check_head(reader) && tiled_read_tilesets(reader, root) &&
                tiled_read_layers(reader, root, -1);
    json_decref(root);
    reader->map->layers = reader->layers;
    return good;
}

eddy_result tiled_map_load(const char *path, tiled_map **out, eddy_error *error) {
    tiled_reader reader = {.error = error, .file = path};
    reader.map = calloc(1, sizeof *reader.map);
    if (!reader.map || !(reader.map->memory = tiled_memory_create())) {
        free(reader.map);
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for a map", path);
    }
    bool good = read_map(&reader) && reader.code == EDDY_OK;
    for (uint32_t i = 0; i < reader.template_count; i++) {
        json_decref(reader.templates[i].root);
    }
    if (!good) {
        tiled_map_destroy(reader.map);
        return reader.code;
    }
    *out = reader.map;
    return EDDY_OK;
}

void tiled_map_destroy(tiled_map *map) {
    if (map) {
        tiled_memory_destroy(map->memory);
        free(map);
    }
}

const tiled_object *tiled_map_object(const tiled_map *map, uint32_t id, const tiled_layer **layer) {
    for (uint32_t i = 0; i < map->layer_count; i++) {
        for (uint32_t j = 0; j < map->layers[i].object_count; j++) {
            if (map->layers[i].objects[j].id == id) {
                if (layer) {
                    *layer = &map->layers[i];
                }
                return &map->layers[i].objects[j];
            }
        }
    }
    return NULL;
}

const tiled_layer *tiled_map_layer(const tiled_map *map, tiled_layer_kind kind, const char *name) {
    for (uint32_t i = 0; i < map->layer_count; i++) {
        if (map->layers[i].kind == kind && strcmp(map->layers[i].name, name) == 0) {
            return &map->layers[i];
        }
    }
    return NULL;
}
