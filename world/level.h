/* From a Tiled map to a world: what the parts of the level loader share. Private to world/level*.c and the tests.
 *
 * levels/README.md says what an author may write. `kinds of things` there are the rows of level_kinds. */
#ifndef EDDY_WORLD_LEVEL_H
#define EDDY_WORLD_LEVEL_H

#include "build.h"
#include "tiled.h"

#define LEVEL_PAN_HALF_H 6.0f

/** A lever's id in the map and in the world. */
typedef struct level_lever {
    uint32_t object;
    eddy_id entity;
} level_lever;

/** A map on its way to a world. */
typedef struct level_loader {
    const tiled_map *map;
    const world_catalog *catalog;
    world_build *build;
    eddy_error *error;
    uint8_t *solid; /**< width * height tiles, row-major */
    uint32_t width, height;
    float origin_x,
        origin_y; /**< px of the map that are the world's (0, 0): those of an infinite map may be negative */
    level_lever *levers;
    uint32_t lever_count;
    uint32_t spawn;           /**< object id of the spawn; 0: none yet */
    const tiled_object *here; /**< the object being read; NULL: the map */
    float here_x, here_y;     /**< px of the world: its upper left corner, layer and map offsets counted in */
} level_loader;

/** What an object's box means. */
typedef enum level_extent {
    LEVEL_SPOT,   /**< a point, or the middle of the lower edge of a box or tile: where it stands */
    LEVEL_MIDDLE, /**< a point, or the middle of a box */
    LEVEL_BOX,    /**< a box with a size */
    LEVEL_DISC,   /**< an ellipse as wide as it is high */
    LEVEL_LINE    /**< a polyline of two points */
} level_extent;

/** A kind of thing that may stand in a map: its name is the objects' class. */
typedef struct level_kind {
    const char *name;
    level_extent extent;
    const char *properties; /**< names allowed, each between blanks: " kind count " */
    eddy_result (*read)(level_loader *loader);
} level_kind;

/** NULL: no such kind. */
const level_kind *level_kind_find(const char *name);
/** "moth, kettle, ...": all of them. */
void level_kind_list(char *out, size_t out_bytes);

/** Fails with the map's path and, within an object, its id, class and name before the text. */
eddy_result level_fail(level_loader *loader, eddy_result code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Properties of the object being read, or of the map. An absent one keeps what is in `out`; E_FORMAT when it is of
 * another kind, E_LIMIT when out of range. */
eddy_result level_get_number(level_loader *loader, const char *name, double min, double max, float *out);
eddy_result level_get_count(level_loader *loader, const char *name, uint32_t min, uint32_t max, uint32_t *out);
eddy_result level_get_bool(level_loader *loader, const char *name, bool *out);
/** Up to `out_bytes` - 1 bytes, zero tail. */
eddy_result level_get_text(level_loader *loader, const char *name, char *out, size_t out_bytes);
/** One of `names`, as its index. */
eddy_result level_get_name(level_loader *loader, const char *name, const char *const *names, uint32_t count,
                           uint32_t *out);
/** The lever that an object property points at. */
eddy_result level_get_lever(level_loader *loader, eddy_id *out);
/** E_FORMAT on a property whose name is not in `allowed`. */
eddy_result level_check_names(level_loader *loader, const char *allowed);

#endif
