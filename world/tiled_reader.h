/* What the parts of the Tiled reader share: one reader per tiled_map_load. Private to world/tiled_*.c.
 *
 * A function that can fail returns false after one tiled_fail, which names the file and the place reached by
 * tiled_enter; its callers pass the false on. */
#ifndef EDDY_WORLD_TILED_READER_H
#define EDDY_WORLD_TILED_READER_H

#include "tiled.h"

#include <jansson.h>

/** A template file, read once. */
typedef struct tiled_template {
    const char *path;
    json_t *root;
} tiled_template;

typedef struct tiled_reader {
    tiled_map *map;
    eddy_error *error;
    eddy_result code;
    const char *file; /**< being read */
    char place[240];  /**< in it: `layer "walls", object 12` */
    size_t place_bytes;
    uint32_t cells; /**< of all layers so far */
    tiled_tileset *tilesets;
    tiled_layer *layers;
    const char **warnings;
    bool in_tileset; /**< templates there get no tile of their own: it might be of the very set being read */
    tiled_template *templates;
    uint32_t template_count;
} tiled_reader;

/* ---- memory: all of a map in a few blocks ---- */

typedef struct tiled_memory tiled_memory;

tiled_memory *tiled_memory_create(void);
void tiled_memory_destroy(tiled_memory *memory);
/** Zeroed; NULL (after tiled_fail) when the system or TILED_MEMORY_BYTES_MAX says no. Never NULL for 0 bytes. */
void *tiled_take(tiled_reader *reader, size_t count, size_t item_bytes);
/** Makes room for one more behind `count` items: moved to twice the room at every power of two. NULL: as tiled_take. */
void *tiled_grow(tiled_reader *reader, const void *items, uint32_t count, size_t item_bytes);
/** A copy of a text. NULL: as tiled_take. */
const char *tiled_copy(tiled_reader *reader, const char *text);

/* ---- where we are, and what is wrong ---- */

bool tiled_fail(tiled_reader *reader, eddy_result code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** Keeps a sentence about something passed over. */
void tiled_warn(tiled_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Goes into a part of the file; give the result to tiled_leave. */
size_t tiled_enter(tiled_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tiled_leave(tiled_reader *reader, size_t mark);

/* ---- files ---- */

/** Parses a whole file that must hold an object; `what` says which kind of file is meant, `as` the kinds of name to use
 * instead of an XML one. NULL after tiled_fail. */
json_t *tiled_parse(tiled_reader *reader, const char *path, const char *what, const char *as);
/** `relative` as seen from the folder of `file`, with "." and ".." taken out. NULL after tiled_fail. */
const char *tiled_path(tiled_reader *reader, const char *file, const char *relative);

/* ---- members of JSON objects; absent ones (and null) keep what is in `out` ---- */

bool tiled_get_u32(tiled_reader *reader, const json_t *object, const char *key, uint32_t max, uint32_t *out);
bool tiled_get_i32(tiled_reader *reader, const json_t *object, const char *key, int32_t *out);
bool tiled_get_number(tiled_reader *reader, const json_t *object, const char *key, double *out);
bool tiled_get_bool(tiled_reader *reader, const json_t *object, const char *key, bool *out);
bool tiled_get_text(tiled_reader *reader, const json_t *object, const char *key, const char **out);
/** The class of an object or tile: `type`, else `class`. */
bool tiled_get_type(tiled_reader *reader, const json_t *object, const char **out);
/** An image path, joined and looked for. */
bool tiled_get_image(tiled_reader *reader, const json_t *object, const char *key, const char **out);
/** "#AARRGGBB", "#RRGGBB" or "". What is none of them is warned about and passed over. */
void tiled_read_color(tiled_reader *reader, const char *what, const char *text, uint32_t *out);
bool tiled_get_color(tiled_reader *reader, const json_t *object, const char *key, uint32_t *out);
/** The array under a key; NULL when absent. False when it is something else. */
bool tiled_get_array(tiled_reader *reader, const json_t *object, const char *key, const json_t **out);
/** "an array", "text", ... for messages. */
const char *tiled_json_kind(const json_t *value);

/* ---- the parts ---- */

/** `properties` of an object, as an array or, in old files, an object. */
bool tiled_read_properties(tiled_reader *reader, const json_t *object, tiled_properties *out);
/** `base` with everything in `over` put on top, by name; members of classes likewise. */
bool tiled_merge_properties(tiled_reader *reader, tiled_properties base, tiled_properties over, tiled_properties *out);
/** `width` x `height` tiles of a layer or chunk: `data` is an array or base64. Cells land in a grid `stride` wide. */
bool tiled_read_data(tiled_reader *reader, const json_t *data, const char *encoding, const char *compression,
                     uint32_t width, uint32_t height, uint32_t *cells, uint32_t stride);
/** The map's `tilesets`. */
bool tiled_read_tilesets(tiled_reader *reader, const json_t *root);
/** The first gid of the set with this file, which is added behind the others if need be. */
bool tiled_find_source(tiled_reader *reader, const char *source, uint32_t *first_gid);
/** `objects` of a layer or a tile. */
bool tiled_read_objects(tiled_reader *reader, const json_t *owner, const tiled_object **out, uint32_t *count);
/** `layers` of the map or of a group (index `parent`, or -1). */
bool tiled_read_layers(tiled_reader *reader, const json_t *owner, int32_t parent);

#endif
