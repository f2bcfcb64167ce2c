/* Layers of every kind; groups flattened. */
#include "tiled_reader.h"

#include <string.h>

static const char *const kind_names[] = {"tilelayer", "objectgroup", "imagelayer", "group"};

/* ---- tiles ---- */

/** A rectangle of tiles: a chunk, or what all of them span. */
typedef struct area {
    int32_t x, y;
    uint32_t width, height;
} area;

static bool read_size(tiled_reader *reader, const json_t *object, area *out) {
    return tiled_get_u32(reader, object, "width", TILED_SIDE_MAX, &out->width) &&
           tiled_get_u32(reader, object, "height", TILED_SIDE_MAX, &out->height) &&
           tiled_get_i32(reader, object, "x", &out->x) && tiled_get_i32(reader, object, "y", &out->y);
}

static bool cells_take(tiled_reader *reader, area span, tiled_layer *layer, uint32_t **out) {
    uint32_t count = span.width * span.height; /* both at most TILED_SIDE_MAX */
    if (count > TILED_CELLS_MAX - reader->cells) {
        return tiled_fail(reader, EDDY_E_LIMIT, "expected at most %u tiles in all layers; make the map smaller",
                          TILED_CELLS_MAX);
    }
    reader->cells += count;
    *out = tiled_take(reader, count, sizeof **out);
    layer->x = span.x;
    layer->y = span.y;
    layer->width = span.width;
    layer->height = span.height;
    layer->tiles = *out;
    return *out != NULL;
}

/** The rectangle around all chunks. */
static bool chunks_span(tiled_reader *reader, const json_t *chunks, area *out) {
    int64_t left = INT64_MAX, top = INT64_MAX, right = INT64_MIN, bottom = INT64_MIN;
    for (size_t i = 0; i < json_array_size(chunks); i++) {
        area each = {0};
        size_t mark = tiled_enter(reader, "chunks[%zu]", i);
        if (!read_size(reader, json_array_get(chunks, i), &each)) {
            return false;
        }
        tiled_leave(reader, mark);
        left = each.x < left ? each.x : left;
        top = each.y < top ? each.y : top;
        right = (int64_t)each.x + each.width > right ? (int64_t)each.x + each.width : right;
        bottom = (int64_t)each.y + each.height > bottom ? (int64_t)each.y + each.height : bottom;
    }
    if (json_array_size(chunks) == 0) {
        *out = (area){0};
        return true;
    }
    if (right - left > TILED_SIDE_MAX || bottom - top > TILED_SIDE_MAX) {
        return tiled_fail(reader, EDDY_E_LIMIT,
                          "expected chunks within %d x %d tiles, found them over %lld x %lld; remove the stray ones",
                          TILED_SIDE_MAX, TILED_SIDE_MAX, (long long)(right - left), (long long)(bottom - top));
    }
    *out = (area){(int32_t)left, (int32_t)top, (uint32_t)(right - left), (uint32_t)(bottom - top)};
    return true;
}

static bool read_chunks(tiled_reader *reader, const json_t *chunks, const char *encoding, const char *compression,
                        tiled_layer *out) {
    area span = {0};
    uint32_t *cells = NULL;
    if (!chunks_span(reader, chunks, &span) || !cells_take(reader, span, out, &cells)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(chunks); i++) {
        const json_t *chunk = json_array_get(chunks, i);
        area each = {0};
        size_t mark = tiled_enter(reader, "chunks[%zu]", i);
        if (!read_size(reader, chunk, &each)) {
            return false;
        }
        uint32_t *to = cells + (size_t)((int64_t)each.y - span.y) * span.width + (size_t)((int64_t)each.x - span.x);
        if (!tiled_read_data(reader, json_object_get(chunk, "data"), encoding, compression, each.width, each.height, to,
                             span.width)) {
            return false;
        }
        tiled_leave(reader, mark);
    }
    return true;
}

/** A gid before all sets has no picture and no properties: worth a sentence. */
static void check_gids(tiled_reader *reader, const tiled_layer *layer) {
    const tiled_map *map = reader->map;
    uint32_t first = map->tileset_count ? map->tilesets[0].first_gid : UINT32_MAX, count = 0;
    for (size_t i = 0; i < (size_t)layer->width * layer->height; i++) {
        uint32_t gid = layer->tiles[i] & TILED_GID_MASK;
        count += gid > 0 && gid < first;
    }
    if (count) {
        tiled_warn(reader, "%u tiles are of no tile set of the map", count);
    }
}

static bool read_tiles(tiled_reader *reader, const json_t *object, tiled_layer *out) {
    const char *encoding = "csv", *compression = "";
    const json_t *chunks = NULL, *data = json_object_get(object, "data");
    area span = {0};
    uint32_t *cells = NULL;
    if (!tiled_get_text(reader, object, "encoding", &encoding) ||
        !tiled_get_text(reader, object, "compression", &compression) ||
        !tiled_get_array(reader, object, "chunks", &chunks)) {
        return false;
    }
    bool good = false;
    if (chunks) {
        good = read_chunks(reader, chunks, encoding, compression, out);
    } else if (!data && reader->map->infinite) {
        good = true;
    } else if (!read_size(reader, object, &span)) {
        good = false;
    } else if (span.width == 0 || span.height == 0) {
        good = tiled_fail(reader, EDDY_E_FORMAT, "expected a size of 1 x 1 to %d x %d tiles, found %u x %u",
                          TILED_SIDE_MAX, TILED_SIDE_MAX, span.width, span.height);
    } else {
        good = cells_take(reader, span, out, &cells) &&
               tiled_read_data(reader, data, encoding, compression, span.width, span.height, cells, span.width);
    }
    if (good) {
        check_gids(reader, out);
    }
    return good;
}

/* ---- the rest ---- */

static bool read_image(tiled_reader *reader, const json_t *object, tiled_layer *out) {
    return tiled_get_image(reader, object, "image", &out->image) &&
           tiled_get_bool(reader, object, "repeatx", &out->repeat_x) &&
           tiled_get_bool(reader, object, "repeaty", &out->repeat_y) &&
           tiled_get_color(reader, object, "transparentcolor", &out->transparent);
}

static bool read_object_layer(tiled_reader *reader, const json_t *object, tiled_layer *out) {
    const char *order = "topdown";
    bool good = tiled_get_text(reader, object, "draworder", &order);
    out->by_index = good && strcmp(order, "index") == 0;
    return good && tiled_read_objects(reader, object, &out->objects, &out->object_count);
}

/** Multiplies two colours channel by channel. */
static uint32_t tint_of(uint32_t a, uint32_t b) {
    uint32_t product = 0;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        product |= ((a >> shift & 255) * (b >> shift & 255) + 127) / 255 << shift;
    }
    return product;
}

/** What all layers have, on top of the group around them. */
static bool read_common(tiled_reader *reader, const json_t *object, int32_t parent, tiled_layer *out) {
    tiled_layer own = {.name = "",
                       .type_name = "",
                       .visible = true,
                       .opacity = 1,
                       .parallax_x = 1,
                       .parallax_y = 1,
                       .tint = 0xffffffffu,
                       .parent = parent};
    bool good = tiled_get_text(reader, object, "class", &own.type_name) &&
                tiled_get_bool(reader, object, "visible", &own.visible) &&
                tiled_get_number(reader, object, "opacity", &own.opacity) &&
                tiled_get_number(reader, object, "offsetx", &own.offset_x) &&
                tiled_get_number(reader, object, "offsety", &own.offset_y) &&
                tiled_get_number(reader, object, "parallaxx", &own.parallax_x) &&
                tiled_get_number(reader, object, "parallaxy", &own.parallax_y) &&
                tiled_get_color(reader, object, "tintcolor", &own.tint) &&
                tiled_read_properties(reader, object, &own.properties);
    if (good && parent >= 0) {
        const tiled_layer *group = &reader->layers[parent];
        own.depth = group->depth + 1;
        own.visible = own.visible && group->visible;
        own.opacity *= group->opacity;
        own.offset_x += group->offset_x;
        own.offset_y += group->offset_y;
        own.parallax_x *= group->parallax_x;
        own.parallax_y *= group->parallax_y;
        own.tint = tint_of(own.tint, group->tint);
    }
    *out = own;
    return good;
}

static bool read_layer(tiled_reader *reader, const json_t *object, int32_t parent) {
    const char *kind = "";
    uint32_t index = reader->map->layer_count;
    reader->layers = tiled_grow(reader, reader->layers, index, sizeof *reader->layers);
    tiled_layer made = {0};
    if (!reader->layers || !tiled_get_text(reader, object, "type", &kind) ||
        !read_common(reader, object, parent, &made) || !tiled_get_text(reader, object, "name", &made.name) ||
        !tiled_get_u32(reader, object, "id", INT32_MAX, &made.id)) {
        return false;
    }
    if (made.depth > TILED_DEPTH_MAX) {
        return tiled_fail(reader, EDDY_E_LIMIT, "more than %d groups in one another", TILED_DEPTH_MAX);
    }
    uint32_t found = 0;
    while (found < 4 && strcmp(kind_names[found], kind) != 0) {
        found++;
    }
    if (found == 4) {
        tiled_warn(reader, "a layer of unknown type \"%.20s\"; passed over", kind);
        return true;
    }
    made.kind = (tiled_layer_kind)found;
    bool good = made.kind == TILED_LAYER_TILES     ? read_tiles(reader, object, &made)
                : made.kind == TILED_LAYER_OBJECTS ? read_object_layer(reader, object, &made)
                : made.kind == TILED_LAYER_IMAGE   ? read_image(reader, object, &made)
                                                   : true;
    if (!good) {
        return false;
    }
    reader->layers[index] = made;
    reader->map->layer_count++;
    return made.kind != TILED_LAYER_GROUP || tiled_read_layers(reader, object, (int32_t)index);
}

bool tiled_read_layers(tiled_reader *reader, const json_t *owner, int32_t parent) {
    const json_t *list = NULL;
    if (!tiled_get_array(reader, owner, "layers", &list)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *each = json_array_get(list, i);
        const json_t *name = json_object_get(each, "name");
        size_t mark = json_string_length(name) > 0 ? tiled_enter(reader, "layer \"%.60s\"", json_string_value(name))
                                                   : tiled_enter(reader, "layers[%zu]", i);
        if (!json_is_object(each)) {
            return tiled_fail(reader, EDDY_E_FORMAT, "expected an object, found %s", tiled_json_kind(each));
        }
        if (!read_layer(reader, each, parent)) {
            return false;
        }
        tiled_leave(reader, mark);
    }
    return true;
}
