/* A reader of Tiled's JSON maps (.tmj, .json) into plain structs, for any game: it knows no word of Kettlewick.
 *
 * Words
 *   gid       the number of a tile across all tile sets of a map, in the lower 28 bits; flips in the upper four
 *   tile set  gids from its `first_gid` up to the next one's; embedded, or a file of its own (.tsj, .json)
 *   template  an object kept in a file of its own (.tj, .json); an instance lists only what it overrides
 *   layer     a tile, object, image or group layer; groups are flattened: a layer's place, opacity, tint, parallax and
 *             visibility already hold those of the groups around it
 *
 * What Tiled may write is read: arrays and base64 with none, zlib, gzip or zstd; infinite maps; versions as number or
 * text; `type` or `class`; keys that are not known are passed over. Foreign bytes never crash the reader, and every
 * size is checked against the limits below before it allocates. An error names the file, the layer or object, what was
 * expected and found, and what to try. */
#ifndef EDDY_WORLD_TILED_H
#define EDDY_WORLD_TILED_H

#include "rewind/rewind.h"

#define TILED_SIDE_MAX 4096                 /**< tiles: width and height of a layer */
#define TILED_CELLS_MAX (1u << 25)          /**< tiles in all layers of a map */
#define TILED_DEPTH_MAX 32                  /**< groups in groups, classes in classes */
#define TILED_FILE_BYTES_MAX (64u << 20)    /**< a map, tile set or template */
#define TILED_MEMORY_BYTES_MAX (512u << 20) /**< what one map may come to */
#define TILED_TILESETS_MAX 1024             /**< tile sets, and templates, of a map */
#define TILED_PROPERTIES_MAX 4096           /**< of one object, layer, class, ... */
#define TILED_WARNINGS_MAX 64               /**< kept; further ones are only counted */

/* A tile of a layer is a gid with these bits. */
#define TILED_FLIP_H 0x80000000u   /**< mirrored left to right */
#define TILED_FLIP_V 0x40000000u   /**< mirrored top to bottom */
#define TILED_FLIP_D 0x20000000u   /**< x and y exchanged, before the others */
#define TILED_TURN_HEX 0x10000000u /**< turned by 120 degrees, hexagonal maps only */
#define TILED_GID_MASK 0x0fffffffu

typedef enum tiled_kind {
    TILED_STRING,
    TILED_INT,
    TILED_FLOAT,
    TILED_BOOL,
    TILED_COLOR,
    TILED_FILE,
    TILED_OBJECT,
    TILED_CLASS,
    TILED_LIST
} tiled_kind;

struct tiled_property;

typedef struct tiled_properties {
    const struct tiled_property *items;
    uint32_t count;
} tiled_properties;

/** One custom property. Members that its kind does not use are zero; `text` is never NULL. */
typedef struct tiled_property {
    const char *name;      /**< "" for an item of a list */
    const char *type_name; /**< of the project's class or enum; "" when not said */
    tiled_kind kind;
    const char *text;       /**< STRING; COLOR and FILE as written */
    const char *path;       /**< FILE: relative to the file it was written in, joined; else NULL */
    double number;          /**< INT and FLOAT */
    int64_t integer;        /**< INT; OBJECT: the id, 0 for none */
    uint32_t color;         /**< COLOR: 0xAARRGGBB; 0 when empty */
    bool boolean;           /**< BOOL */
    tiled_properties items; /**< CLASS: its members; LIST: its items */
} tiled_property;

typedef enum tiled_shape {
    TILED_RECTANGLE,
    TILED_POINT,
    TILED_ELLIPSE,
    TILED_CAPSULE,
    TILED_POLYGON,
    TILED_POLYLINE,
    TILED_TEXT,
    TILED_TILE
} tiled_shape;

typedef struct tiled_text {
    const char *text, *font;
    double size_px;
    uint32_t color; /**< 0xAARRGGBB */
    bool wrap;
} tiled_text;

/** An object, its template and its tile's properties merged in (tile < template < instance). */
typedef struct tiled_object {
    uint32_t id;
    const char *name;
    const char *type_name; /**< its class ("" for none): its own, else its template's, else its tile's */
    tiled_shape shape;
    double x, y;          /**< px within the layer; its origin, see tiled_object_corner */
    double width, height; /**< px */
    double rotation;      /**< degrees clockwise about the origin */
    bool visible;
    uint32_t gid;              /**< TILE: with flip bits, in the map's numbering */
    const char *template_path; /**< NULL: none */
    const eddy_vec2 *points;   /**< POLYGON, POLYLINE: px from the origin */
    uint32_t point_count;
    tiled_text text; /**< TEXT */
    tiled_properties properties;
} tiled_object;

typedef enum tiled_layer_kind {
    TILED_LAYER_TILES,
    TILED_LAYER_OBJECTS,
    TILED_LAYER_IMAGE,
    TILED_LAYER_GROUP
} tiled_layer_kind;

typedef struct tiled_layer {
    tiled_layer_kind kind;
    uint32_t id;
    const char *name;
    const char *type_name; /**< its class */
    int32_t parent;        /**< index of its group, or -1 */
    uint32_t depth;        /**< groups around it */
    bool visible;
    double opacity;
    double offset_x, offset_y; /**< px */
    double parallax_x, parallax_y;
    uint32_t tint; /**< 0xAARRGGBB */
    tiled_properties properties;

    /* TILES: tiles[(row - y) * width + column - x], gids with flip bits; an infinite layer spans all its chunks */
    int32_t x, y; /**< of the upper left tile */
    uint32_t width, height;
    const uint32_t *tiles;

    /* OBJECTS */
    bool by_index; /**< drawn in the order of the file, not by y */
    const tiled_object *objects;
    uint32_t object_count;

    /* IMAGE */
    const char *image; /**< path, or NULL */
    bool repeat_x, repeat_y;
    uint32_t transparent; /**< 0xAARRGGBB; 0: none */
} tiled_layer;

typedef struct tiled_frame {
    uint32_t tile, duration_ms;
} tiled_frame;

/** What a tile set says of one of its tiles; most tiles have no such entry. */
typedef struct tiled_tile {
    uint32_t id; /**< within its set */
    const char *type_name;
    const char *image; /**< of its own (image collections), or NULL */
    uint32_t image_width, image_height;
    tiled_properties properties;
    const tiled_frame *frames;
    uint32_t frame_count;
    const tiled_object *objects; /**< its collision shapes */
    uint32_t object_count;
} tiled_tile;

typedef struct tiled_tileset {
    uint32_t first_gid;
    const char *source; /**< path of its own file, or NULL: embedded */
    const char *name, *type_name;
    uint32_t tile_width, tile_height, tile_count, columns, margin, spacing;
    const char *image; /**< path, or NULL */
    uint32_t image_width, image_height;
    uint32_t transparent;  /**< 0xAARRGGBB; 0: none */
    const char *alignment; /**< of tile objects: "unspecified", "topleft", "center", ... */
    double offset_x, offset_y;
    tiled_properties properties;
    const tiled_tile *tiles; /**< ascending ids */
    uint32_t tile_count_described;
} tiled_tileset;

typedef struct tiled_map {
    const char *path;
    const char *version, *tiled_version; /**< as text, whatever they were */
    const char *orientation, *render_order, *type_name;
    bool infinite;
    uint32_t width, height;           /**< tiles; of an infinite map what the file says, not its extent */
    uint32_t tile_width, tile_height; /**< px */
    uint32_t background;              /**< 0xAARRGGBB; 0: none */
    double parallax_origin_x, parallax_origin_y;
    tiled_properties properties;
    const tiled_tileset *tilesets; /**< ascending first_gid */
    uint32_t tileset_count;
    const tiled_layer *layers; /**< a group comes before what is in it */
    uint32_t layer_count;
    const char *const *warnings; /**< what was passed over, a sentence each */
    uint32_t warning_count;      /**< of `warnings` */
    uint32_t warnings_dropped;
    struct tiled_memory *memory; /**< the reader's */
} tiled_map;

/** Reads a map with its tile sets and templates. On success `*out` owns all that it points at.
 * E_IO: a file is missing or cannot be read; E_FORMAT: not what Tiled writes; E_LIMIT: past a limit above; E_MEMORY.
 * `*out` is unchanged then. */
eddy_result tiled_map_load(const char *path, tiled_map **out, eddy_error *error);
/** NULL is fine. */
void tiled_map_destroy(tiled_map *map);

/** The set of a gid (flip bits are ignored): the last whose first_gid is not above it. NULL: gid 0, or before all sets.
 */
const tiled_tileset *tiled_map_tileset(const tiled_map *map, uint32_t gid);
/** What the set says of a tile, or NULL. O(log n). */
const tiled_tile *tiled_tileset_tile(const tiled_tileset *tileset, uint32_t id);
/** The object with an id on any layer, or NULL. `layer` (may be NULL) becomes its layer. O(objects). */
const tiled_object *tiled_map_object(const tiled_map *map, uint32_t id, const tiled_layer **layer);
/** The first layer with a name (and a kind), or NULL. */
const tiled_layer *tiled_map_layer(const tiled_map *map, tiled_layer_kind kind, const char *name);
/** Where the upper left corner of an object's box is, px within the layer: tile objects hang on another point (bottom
 * left unless their set says otherwise), which turns with them. */
eddy_vec2 tiled_object_corner(const tiled_map *map, const tiled_object *object);
/** The property with a name, or NULL. */
const tiled_property *tiled_properties_find(const tiled_properties *properties, const char *name);
/** "string", "int", ... Never NULL. */
const char *tiled_kind_name(tiled_kind kind);

#endif
