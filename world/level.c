/* world_load: a Tiled map becomes a world at frame 0. */
#include "level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAP_PROPERTIES " title seed sky music ambience wicks_needed "
#define DEFAULT_SKY 0x28304au

/** What a map's properties say, until it is handed to the build. */
typedef struct level_head {
    world_level level;
    char music[EDDY_SOUND_KEY_BYTES], ambience[EDDY_SOUND_KEY_BYTES];
    bool all_wicks; /**< wicks_needed was not said */
} level_head;

/* ---- walls ---- */

static const tiled_layer *walls_find(level_loader *loader, eddy_result *result) {
    const tiled_map *map = loader->map;
    const tiled_layer *walls = tiled_map_layer(map, TILED_LAYER_TILES, "walls");
    *result = EDDY_OK;
    if (!walls) {
        *result = level_fail(loader, EDDY_E_FORMAT, "expected a tile layer named \"walls\", found none; name one so");
    } else if (strcmp(map->orientation, "orthogonal") != 0) {
        *result = level_fail(loader, EDDY_E_FORMAT, "expected an orthogonal map, found %.20s", map->orientation);
    } else if (map->tile_width != WORLD_TILE || map->tile_height != WORLD_TILE) {
        *result = level_fail(loader, EDDY_E_FORMAT, "expected tiles of %d x %d px, found %u x %u; resize them in Tiled",
                             WORLD_TILE, WORLD_TILE, map->tile_width, map->tile_height);
    } else if (walls->offset_x != 0 || walls->offset_y != 0) {
        *result = level_fail(loader, EDDY_E_FORMAT, "layer \"walls\": expected no offset, found (%g, %g) px",
                             walls->offset_x, walls->offset_y);
    } else if (walls->width == 0 || walls->height == 0 || walls->width > WORLD_TILES_MAX ||
               walls->height > WORLD_TILES_MAX) {
        *result = level_fail(loader, EDDY_E_LIMIT, "layer \"walls\": expected 1 x 1 to %d x %d tiles, found %u x %u",
                             WORLD_TILES_MAX, WORLD_TILES_MAX, walls->width, walls->height);
    }
    return walls;
}

/** Every tile is a wall but one whose set says `solid` false: those are only to look at. */
static bool tile_is_solid(const tiled_map *map, uint32_t gid) {
    const tiled_tileset *tileset = tiled_map_tileset(map, gid);
    const tiled_tile *tile = tileset ? tiled_tileset_tile(tileset, (gid & TILED_GID_MASK) - tileset->first_gid) : NULL;
    const tiled_property *solid = tile ? tiled_properties_find(&tile->properties, "solid") : NULL;
    return (gid & TILED_GID_MASK) != 0 && !(solid && solid->kind == TILED_BOOL && !solid->boolean);
}

static eddy_result read_walls(level_loader *loader) {
    eddy_result result = EDDY_OK;
    const tiled_layer *walls = walls_find(loader, &result);
    if (result) {
        return result;
    }
    size_t count = (size_t)walls->width * walls->height;
    loader->solid = malloc(count);
    if (!loader->solid) {
        return level_fail(loader, EDDY_E_MEMORY, "no memory for %zu tiles", count);
    }
    for (size_t i = 0; i < count; i++) {
        loader->solid[i] = tile_is_solid(loader->map, walls->tiles[i]);
    }
    loader->width = walls->width;
    loader->height = walls->height;
    loader->origin_x = (float)walls->x * WORLD_TILE;
    loader->origin_y = (float)walls->y * WORLD_TILE;
    return EDDY_OK;
}

/* ---- the map's properties ---- */

static eddy_result read_sound(level_loader *loader, const char *name, char *out) {
    eddy_result result = level_get_text(loader, name, out, EDDY_SOUND_KEY_BYTES);
    if (!result && out[0] && loader->catalog && !world_catalog_find(loader->catalog, out)) {
        result = level_fail(loader, EDDY_E_FORMAT, "property \"%s\": expected a key of sounds.json, found \"%s\"", name,
                            out);
    }
    return result;
}

static eddy_result read_sky(level_loader *loader, uint32_t *out) {
    const tiled_property *sky = tiled_properties_find(&loader->map->properties, "sky");
    if (sky && sky->kind != TILED_COLOR) {
        return level_fail(loader, EDDY_E_FORMAT,
                          "property \"sky\": expected a color, found a %s; set its type in Tiled",
                          tiled_kind_name(sky->kind));
    }
    *out = sky ? sky->color & 0xffffffu : DEFAULT_SKY;
    return EDDY_OK;
}

static eddy_result read_head(level_loader *loader, level_head *head) {
    world_level *level = &head->level;
    *level = (world_level){.seed = 1, .width_tiles = loader->width, .height_tiles = loader->height};
    head->all_wicks = !tiled_properties_find(&loader->map->properties, "wicks_needed");
    eddy_result result = level_check_names(loader, MAP_PROPERTIES);
    if (!result) {
        result = level_get_text(loader, "title", level->title, sizeof level->title);
    }
    if (!result) {
        result = level_get_count(loader, "seed", 1, UINT32_MAX, &level->seed);
    }
    if (!result) {
        result = read_sky(loader, &level->sky);
    }
    if (!result) {
        result = level_get_count(loader, "wicks_needed", 0, UINT16_MAX, &level->wicks_needed);
    }
    if (!result) {
        result = read_sound(loader, "music", head->music);
    }
    return result ? result : read_sound(loader, "ambience", head->ambience);
}

/** Wicks are needed for the exit: all of them, if nothing else is said. Known before the build begins. */
static eddy_result count_wicks(level_loader *loader, level_head *head) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < loader->map->layer_count; i++) {
        const tiled_layer *layer = &loader->map->layers[i];
        for (uint32_t j = 0; j < layer->object_count; j++) {
            count += strcmp(layer->objects[j].type_name, "wick") == 0;
        }
    }
    if (head->level.wicks_needed > count) {
        return level_fail(loader, EDDY_E_LIMIT,
                          "property \"wicks_needed\": expected at most the map's %u wicks, found %u", count,
                          head->level.wicks_needed);
    }
    head->level.wicks_needed = head->all_wicks ? count : head->level.wicks_needed;
    return EDDY_OK;
}

/* ---- objects ---- */

static const char *shape_name(tiled_shape shape) {
    static const char *const names[] = {"rectangle", "point",    "ellipse", "capsule",
                                        "polygon",   "polyline", "text",    "tile"};
    return names[shape];
}

static eddy_result check_extent(level_loader *loader, const level_kind *kind) {
    const tiled_object *here = loader->here;
    bool sized = here->width >= 1 && here->height >= 1; /* particles go round in it: less than a px is none */
    bool boxed = here->shape == TILED_RECTANGLE || here->shape == TILED_TILE;
    const char *expected = NULL;
    switch (kind->extent) {
    case LEVEL_SPOT:
    case LEVEL_MIDDLE:
        expected = boxed || here->shape == TILED_POINT ? NULL : "a point, rectangle or tile";
        break;
    case LEVEL_BOX:
        expected = boxed && sized ? NULL : "a rectangle of at least 1 x 1 px";
        break;
    case LEVEL_DISC:
        expected = here->shape == TILED_ELLIPSE && sized && here->width == here->height
                       ? NULL
                       : "an ellipse as wide as it is high";
        break;
    case LEVEL_LINE:
        expected = here->shape == TILED_POLYLINE && here->point_count == 2 ? NULL : "a polyline of two points";
        break;
    }
    if (expected) {
        return level_fail(loader, EDDY_E_FORMAT, "expected %s, found a %s of %g x %g px with %u points", expected,
                          shape_name(here->shape), here->width, here->height, here->point_count);
    }
    if (here->rotation != 0) {
        return level_fail(loader, EDDY_E_FORMAT, "expected no rotation, found %g degrees", here->rotation);
    }
    return EDDY_OK;
}

/** Where the object lies in the world, and whether the world reaches there. */
static eddy_result place_here(level_loader *loader, const tiled_layer *layer) {
    eddy_vec2 corner = tiled_object_corner(loader->map, loader->here);
    loader->here_x = corner.x + (float)layer->offset_x - loader->origin_x;
    loader->here_y = corner.y + (float)layer->offset_y - loader->origin_y;
    float reach = fabsf(loader->here_x) > fabsf(loader->here_y) ? fabsf(loader->here_x) : fabsf(loader->here_y);
    double size = loader->here->width > loader->here->height ? loader->here->width : loader->here->height;
    if (!((double)reach + size < WORLD_PX_MAX)) {
        return level_fail(loader, EDDY_E_LIMIT, "expected a place within %g px, found (%g, %g)", (double)WORLD_PX_MAX,
                          (double)loader->here_x, (double)loader->here_y);
    }
    return EDDY_OK;
}

static eddy_result read_object(level_loader *loader, const tiled_layer *layer, bool levers) {
    const level_kind *kind = level_kind_find(loader->here->type_name);
    if (!kind) {
        char list[160];
        level_kind_list(list, sizeof list);
        return level_fail(loader, EDDY_E_FORMAT, "expected a class out of %s; found \"%.30s\"", list,
                          loader->here->type_name);
    }
    if ((strcmp(kind->name, "lever") == 0) != levers) {
        return EDDY_OK;
    }
    eddy_result result = check_extent(loader, kind);
    if (!result) {
        result = place_here(loader, layer);
    }
    if (!result) {
        result = level_check_names(loader, kind->properties);
    }
    return result ? result : kind->read(loader);
}

/** All objects in the map's order, the levers or the others. */
static eddy_result read_objects(level_loader *loader, bool levers) {
    eddy_result result = EDDY_OK;
    for (uint32_t i = 0; !result && i < loader->map->layer_count; i++) {
        const tiled_layer *layer = &loader->map->layers[i];
        for (uint32_t j = 0; !result && j < layer->object_count; j++) {
            loader->here = &layer->objects[j];
            result = read_object(loader, layer, levers);
        }
    }
    loader->here = NULL;
    return result;
}

static eddy_result levers_reserve(level_loader *loader) {
    size_t count = 1;
    for (uint32_t i = 0; i < loader->map->layer_count; i++) {
        count += loader->map->layers[i].object_count;
    }
    loader->levers = malloc(count * sizeof *loader->levers);
    return loader->levers ? EDDY_OK : level_fail(loader, EDDY_E_MEMORY, "no memory for %zu objects", count);
}

/* ---- the whole ---- */

static eddy_result build_world(level_loader *loader, uint32_t seed) {
    level_head head = {0};
    eddy_result result = read_walls(loader);
    if (!result) {
        result = read_head(loader, &head);
    }
    if (!result) {
        result = count_wicks(loader, &head);
    }
    if (!result) {
        result = levers_reserve(loader);
    }
    if (!result) {
        world_build_desc desc = {.level = head.level,
                                 .seed = seed,
                                 .catalog = loader->catalog,
                                 .music = head.music,
                                 .ambience = head.ambience};
        result = world_build_begin(&desc, &loader->build, loader->error);
    }
    if (!result) {
        world_build_tiles(loader->build, loader->solid);
        result = read_objects(loader, true);
    }
    if (!result) {
        result = read_objects(loader, false);
    }
    if (!result && !loader->spawn) {
        result = level_fail(loader, EDDY_E_FORMAT,
                            "expected one object of class \"moth\", found none: where does it begin?");
    }
    return result;
}

eddy_result world_load(const char *map_path, const world_catalog *catalog, uint32_t seed, world **out,
                       eddy_error *error) {
    tiled_map *map = NULL;
    eddy_result result = tiled_map_load(map_path, &map, error);
    if (result) {
        return result;
    }
    level_loader loader = {.map = map, .catalog = catalog, .error = error};
    eddy_error cause = {0};
    result = build_world(&loader, seed);
    if (result) {
        world_build_cancel(loader.build);
    } else {
        result = world_build_finish(loader.build, out, &cause);
        if (result) {
            level_fail(&loader, result, "%s", cause.text);
        }
    }
    free(loader.levers);
    free(loader.solid);
    tiled_map_destroy(map);
    return result;
}
