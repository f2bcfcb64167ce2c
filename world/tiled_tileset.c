/* Tile sets, embedded or in files of their own. */
#include "tiled_reader.h"

#include <stdlib.h>
#include <string.h>

const tiled_tileset *tiled_map_tileset(const tiled_map *map, uint32_t gid) {
    gid &= TILED_GID_MASK;
    const tiled_tileset *found = NULL;
    for (uint32_t i = 0; gid && i < map->tileset_count && map->tilesets[i].first_gid <= gid; i++) {
        found = &map->tilesets[i];
    }
    return found;
}

const tiled_tile *tiled_tileset_tile(const tiled_tileset *tileset, uint32_t id) {
    uint32_t low = 0, high = tileset->tile_count_described;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tileset->tiles[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < tileset->tile_count_described && tileset->tiles[low].id == id ? &tileset->tiles[low] : NULL;
}

static bool read_animation(tiled_reader *reader, const json_t *tile, tiled_tile *out) {
    const json_t *animation = NULL;
    if (!tiled_get_array(reader, tile, "animation", &animation)) {
        return false;
    }
    size_t count = json_array_size(animation);
    tiled_frame *frames = tiled_take(reader, count, sizeof *frames);
    for (size_t i = 0; frames && i < count; i++) {
        const json_t *frame = json_array_get(animation, i);
        if (!tiled_get_u32(reader, frame, "tileid", TILED_GID_MASK, &frames[i].tile) ||
            !tiled_get_u32(reader, frame, "duration", UINT32_MAX, &frames[i].duration_ms)) {
            return false;
        }
    }
    out->frames = frames;
    out->frame_count = (uint32_t)count;
    return frames != NULL;
}

static bool read_tile(tiled_reader *reader, const json_t *tile, tiled_tile *out) {
    const json_t *group = json_object_get(tile, "objectgroup");
    out->type_name = "";
    return tiled_get_u32(reader, tile, "id", TILED_GID_MASK, &out->id) &&
           tiled_get_type(reader, tile, &out->type_name) && tiled_get_image(reader, tile, "image", &out->image) &&
           tiled_get_u32(reader, tile, "imagewidth", INT32_MAX, &out->image_width) &&
           tiled_get_u32(reader, tile, "imageheight", INT32_MAX, &out->image_height) &&
           tiled_read_properties(reader, tile, &out->properties) && read_animation(reader, tile, out) &&
           (!group || tiled_read_objects(reader, group, &out->objects, &out->object_count));
}

static int tile_order(const void *left, const void *right) {
    uint32_t a = ((const tiled_tile *)left)->id, b = ((const tiled_tile *)right)->id;
    return (a > b) - (a < b);
}

/** `tiles`: not sorted by Tiled since 1.7. */
static bool read_tiles(tiled_reader *reader, const json_t *tileset, tiled_tileset *out) {
    const json_t *list = json_object_get(tileset, "tiles");
    if (json_is_object(list)) {
        tiled_warn(reader, "\"tiles\" is written as Tiled 1.1 did; passed over: open it in a newer Tiled and save");
        return true;
    }
    if (!tiled_get_array(reader, tileset, "tiles", &list)) {
        return false;
    }
    size_t count = json_array_size(list);
    tiled_tile *tiles = tiled_take(reader, count, sizeof *tiles);
    for (size_t i = 0; tiles && i < count; i++) {
        size_t mark = tiled_enter(reader, "tiles[%zu]", i);
        if (!read_tile(reader, json_array_get(list, i), &tiles[i])) {
            return false;
        }
        tiled_leave(reader, mark);
    }
    if (tiles && count > 1) {
        qsort(tiles, count, sizeof *tiles, tile_order);
    }
    out->tiles = tiles;
    out->tile_count_described = (uint32_t)count;
    return tiles != NULL;
}

static bool read_offset(tiled_reader *reader, const json_t *tileset, tiled_tileset *out) {
    const json_t *offset = json_object_get(tileset, "tileoffset");
    return !json_is_object(offset) || (tiled_get_number(reader, offset, "x", &out->offset_x) &&
                                       tiled_get_number(reader, offset, "y", &out->offset_y));
}

/** What an embedded set and a set's own file have in common; reader->file is where it stands. */
static bool read_body(tiled_reader *reader, const json_t *tileset, tiled_tileset *out) {
    return tiled_get_text(reader, tileset, "name", &out->name) &&
           tiled_get_text(reader, tileset, "class", &out->type_name) &&
           tiled_get_text(reader, tileset, "objectalignment", &out->alignment) &&
           tiled_get_u32(reader, tileset, "tilewidth", INT32_MAX, &out->tile_width) &&
           tiled_get_u32(reader, tileset, "tileheight", INT32_MAX, &out->tile_height) &&
           tiled_get_u32(reader, tileset, "tilecount", TILED_GID_MASK, &out->tile_count) &&
           tiled_get_u32(reader, tileset, "columns", INT32_MAX, &out->columns) &&
           tiled_get_u32(reader, tileset, "margin", INT32_MAX, &out->margin) &&
           tiled_get_u32(reader, tileset, "spacing", INT32_MAX, &out->spacing) &&
           tiled_get_image(reader, tileset, "image", &out->image) &&
           tiled_get_u32(reader, tileset, "imagewidth", INT32_MAX, &out->image_width) &&
           tiled_get_u32(reader, tileset, "imageheight", INT32_MAX, &out->image_height) &&
           tiled_get_color(reader, tileset, "transparentcolor", &out->transparent) &&
           read_offset(reader, tileset, out) && tiled_read_properties(reader, tileset, &out->properties) &&
           read_tiles(reader, tileset, out);
}

/** The file of a set; out->source is its path. */
static bool read_file(tiled_reader *reader, tiled_tileset *out) {
    json_t *root = tiled_parse(reader, out->source, "tile set", ".tsj (or embed it in the map)");
    if (!root) {
        return false;
    }
    const char *outer = reader->file, *type = "tileset";
    size_t mark = reader->place_bytes;
    reader->file = out->source;
    bool good = tiled_get_text(reader, root, "type", &type) &&
                (strcmp(type, "tileset") == 0 ||
                 tiled_fail(reader, EDDY_E_FORMAT, "expected a tile set, found a %.20s", type)) &&
                read_body(reader, root, out);
    json_decref(root);
    if (good) {
        tiled_leave(reader, mark);
    }
    reader->file = outer;
    return good;
}

/** Puts a set among the others, by first_gid. */
static bool tileset_add(tiled_reader *reader, const tiled_tileset *made) {
    tiled_map *map = reader->map;
    reader->tilesets = tiled_grow(reader, reader->tilesets, map->tileset_count, sizeof *made);
    if (!reader->tilesets) {
        return false;
    }
    uint32_t place = map->tileset_count++;
    while (place > 0 && reader->tilesets[place - 1].first_gid > made->first_gid) {
        reader->tilesets[place] = reader->tilesets[place - 1];
        place--;
    }
    reader->tilesets[place] = *made;
    map->tilesets = reader->tilesets;
    return true;
}

/** Reads a set, from its own file when it has a source, and adds it. */
static bool tileset_read(tiled_reader *reader, const json_t *tileset, const char *source, uint32_t first_gid) {
    if (reader->map->tileset_count == TILED_TILESETS_MAX) {
        return tiled_fail(reader, EDDY_E_LIMIT, "expected at most %d tile sets", TILED_TILESETS_MAX);
    }
    tiled_tileset made = {
        .first_gid = first_gid, .source = source, .name = "", .type_name = "", .alignment = "unspecified"};
    bool was_in = reader->in_tileset;
    reader->in_tileset = true;
    bool good = source ? read_file(reader, &made) : read_body(reader, tileset, &made);
    reader->in_tileset = was_in;
    return good && tileset_add(reader, &made);
}

bool tiled_find_source(tiled_reader *reader, const char *source, uint32_t *first_gid) {
    uint32_t next = 1;
    for (uint32_t i = 0; i < reader->map->tileset_count; i++) {
        const tiled_tileset *each = &reader->tilesets[i];
        uint32_t described = each->tile_count_described ? each->tiles[each->tile_count_described - 1].id + 1 : 0;
        uint32_t tiles = described > each->tile_count ? described : each->tile_count;
        if (each->source && strcmp(each->source, source) == 0) {
            *first_gid = each->first_gid;
            return true;
        }
        next = each->first_gid + tiles > next ? each->first_gid + tiles : next;
    }
    if (next > TILED_GID_MASK) {
        return tiled_fail(reader, EDDY_E_LIMIT, "no tile numbers are left for tile set %s", source);
    }
    *first_gid = next;
    return tileset_read(reader, NULL, source, next);
}

bool tiled_read_tilesets(tiled_reader *reader, const json_t *root) {
    const json_t *list = NULL;
    if (!tiled_get_array(reader, root, "tilesets", &list)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *tileset = json_array_get(list, i);
        size_t mark = tiled_enter(reader, "tilesets[%zu]", i);
        uint32_t first_gid = 0;
        const char *text = NULL, *source = NULL;
        if (!json_is_object(tileset)) {
            return tiled_fail(reader, EDDY_E_FORMAT, "expected an object, found %s", tiled_json_kind(tileset));
        }
        if (!tiled_get_u32(reader, tileset, "firstgid", TILED_GID_MASK, &first_gid) ||
            !tiled_get_text(reader, tileset, "source", &text) ||
            (text && !(source = tiled_path(reader, reader->file, text)))) {
            return false;
        }
        if (first_gid == 0) {
            return tiled_fail(reader, EDDY_E_FORMAT, "\"firstgid\": expected 1 or more");
        }
        if (!tileset_read(reader, tileset, source, first_gid)) {
            return false;
        }
        tiled_leave(reader, mark);
    }
    return true;
}
