/* Objects and their templates. */
#include "tiled_reader.h"

#include <math.h>
#include <string.h>

/** An object as written, over the object of its template. */
typedef struct pair {
    const json_t *own, *base;
} pair;

/** The one that says something about a key. */
static const json_t *pick(pair from, const char *key) {
    const json_t *own = json_object_get(from.own, key);
    return own || !from.base ? from.own : from.base;
}

/* ---- templates ---- */

static json_t *template_root(tiled_reader *reader, const char *path) {
    for (uint32_t i = 0; i < reader->template_count; i++) {
        if (strcmp(reader->templates[i].path, path) == 0) {
            return reader->templates[i].root;
        }
    }
    if (reader->template_count == TILED_TILESETS_MAX) {
        tiled_fail(reader, EDDY_E_LIMIT, "expected at most %d templates", TILED_TILESETS_MAX);
        return NULL;
    }
    tiled_template *grown = tiled_grow(reader, reader->templates, reader->template_count, sizeof *grown);
    json_t *root = grown ? tiled_parse(reader, path, "template", ".tj") : NULL;
    reader->templates = grown ? grown : reader->templates;
    if (root) {
        reader->templates[reader->template_count++] = (tiled_template){.path = path, .root = root};
    }
    return root;
}

/** The object in a template file, which must be a whole one. */
static bool template_object(tiled_reader *reader, const char *path, const json_t *root, const json_t **out) {
    *out = json_object_get(root, "object");
    if (!json_is_object(*out)) {
        return tiled_fail(reader, EDDY_E_FORMAT,
                          "template %s: expected an \"object\", found %s; save it from Tiled again", path,
                          tiled_json_kind(*out));
    }
    if (json_object_get(*out, "template")) {
        return tiled_fail(reader, EDDY_E_FORMAT, "template %s: its object is made from a template again; detach it",
                          path);
    }
    return true;
}

/** A template's gid counts in the template's own numbering: says what it is in the map's. */
static bool template_gid(tiled_reader *reader, const char *path, const json_t *root, uint32_t *gid) {
    const json_t *tileset = json_object_get(root, "tileset");
    const char *text = NULL, *source = NULL;
    uint32_t first_there = 1, first_here = 0, flips = *gid & ~TILED_GID_MASK, number = *gid & TILED_GID_MASK;
    if (!tiled_get_u32(reader, tileset, "firstgid", TILED_GID_MASK, &first_there) ||
        !tiled_get_text(reader, tileset, "source", &text)) {
        return false;
    }
    if (!text || number < first_there) {
        return tiled_fail(reader, EDDY_E_FORMAT, "template %s: gid %u has no tile set with a source there", path,
                          number);
    }
    if (reader->in_tileset) {
        tiled_warn(reader, "template %s: a tile among the collision shapes of a tile; passed over", path);
        *gid = 0;
        return true;
    }
    if (!(source = tiled_path(reader, path, text)) || !tiled_find_source(reader, source, &first_here)) {
        return false;
    }
    uint32_t tile = number - first_there;
    if (tile > TILED_GID_MASK - first_here) {
        return tiled_fail(reader, EDDY_E_LIMIT, "template %s: gid %u is out of range", path, number);
    }
    *gid = flips | (first_here + tile);
    return true;
}

/* ---- shapes ---- */

static bool read_points(tiled_reader *reader, const json_t *owner, const char *key, tiled_object *out) {
    const json_t *list = NULL;
    if (!tiled_get_array(reader, owner, key, &list)) {
        return false;
    }
    size_t count = json_array_size(list);
    eddy_vec2 *points = tiled_take(reader, count, sizeof *points);
    for (size_t i = 0; points && i < count; i++) {
        const json_t *point = json_array_get(list, i);
        double x = 0, y = 0;
        if (!tiled_get_number(reader, point, "x", &x) || !tiled_get_number(reader, point, "y", &y)) {
            return false;
        }
        if (fabs(x) > 1e9 || fabs(y) > 1e9) {
            return tiled_fail(reader, EDDY_E_LIMIT, "\"%s\"[%zu]: (%g, %g) is too far away", key, i, x, y);
        }
        points[i] = (eddy_vec2){(float)x, (float)y};
    }
    out->points = points;
    out->point_count = (uint32_t)count;
    return points != NULL;
}

static bool read_text(tiled_reader *reader, const json_t *text, tiled_object *out) {
    out->text = (tiled_text){.text = "", .font = "sans-serif", .size_px = 16, .color = 0xff000000u};
    return tiled_get_text(reader, text, "text", &out->text.text) &&
           tiled_get_text(reader, text, "fontfamily", &out->text.font) &&
           tiled_get_number(reader, text, "pixelsize", &out->text.size_px) &&
           tiled_get_color(reader, text, "color", &out->text.color) &&
           tiled_get_bool(reader, text, "wrap", &out->text.wrap);
}

static bool read_shape(tiled_reader *reader, pair from, tiled_object *out) {
    static const struct {
        const char *key;
        tiled_shape shape;
    } marks[] = {{"point", TILED_POINT}, {"ellipse", TILED_ELLIPSE}, {"capsule", TILED_CAPSULE}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        bool is = false;
        if (!tiled_get_bool(reader, pick(from, marks[i].key), marks[i].key, &is)) {
            return false;
        }
        out->shape = is ? marks[i].shape : out->shape;
    }
    const json_t *polygon = pick(from, "polygon"), *polyline = pick(from, "polyline");
    const json_t *text = json_object_get(pick(from, "text"), "text");
    if (json_object_get(polygon, "polygon")) {
        out->shape = TILED_POLYGON;
        return read_points(reader, polygon, "polygon", out);
    }
    if (json_object_get(polyline, "polyline")) {
        out->shape = TILED_POLYLINE;
        return read_points(reader, polyline, "polyline", out);
    }
    if (text) {
        out->shape = TILED_TEXT;
        return read_text(reader, text, out);
    }
    out->shape = out->gid ? TILED_TILE : out->shape;
    return true;
}

/* ---- objects ---- */

/** The three layers of properties: tile < template < instance. */
static bool read_object_properties(tiled_reader *reader, pair from, tiled_object *out) {
    tiled_properties base = {0}, own = {0}, tile = {0};
    const tiled_tileset *tileset = tiled_map_tileset(reader->map, out->gid);
    const tiled_tile *described =
        tileset ? tiled_tileset_tile(tileset, (out->gid & TILED_GID_MASK) - tileset->first_gid) : NULL;
    if (described) {
        tile = described->properties;
        out->type_name = out->type_name[0] ? out->type_name : described->type_name;
    }
    const char *outer = reader->file;
    reader->file = from.base ? out->template_path : outer;
    bool good = !from.base || tiled_read_properties(reader, from.base, &base);
    reader->file = outer;
    return good && tiled_read_properties(reader, from.own, &own) && tiled_merge_properties(reader, tile, base, &base) &&
           tiled_merge_properties(reader, base, own, &out->properties);
}

static bool read_place(tiled_reader *reader, pair from, tiled_object *out) {
    struct {
        const char *key;
        double *to;
    } rows[] = {
        {"x", &out->x}, {"y", &out->y}, {"width", &out->width}, {"height", &out->height}, {"rotation", &out->rotation}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!tiled_get_number(reader, pick(from, rows[i].key), rows[i].key, rows[i].to)) {
            return false;
        }
        if (!(fabs(*rows[i].to) <= 1e9)) {
            return tiled_fail(reader, EDDY_E_LIMIT, "\"%s\": %g is out of range", rows[i].key, *rows[i].to);
        }
    }
    return true;
}

static bool read_object(tiled_reader *reader, const json_t *own, tiled_object *out) {
    pair from = {.own = own};
    const char *text = NULL;
    const json_t *root = NULL;
    out->visible = true;
    out->name = out->type_name = "";
    if (!tiled_get_u32(reader, own, "id", INT32_MAX, &out->id)) {
        return false;
    }
    size_t mark = tiled_enter(reader, "object %u", out->id);
    if (!tiled_get_text(reader, own, "template", &text)) {
        return false;
    }
    if (text && (!(out->template_path = tiled_path(reader, reader->file, text)) ||
                 !(root = template_root(reader, out->template_path)) ||
                 !template_object(reader, out->template_path, root, &from.base))) {
        return false;
    }
    const json_t *with_gid = pick(from, "gid");
    /* Signed gids happen: Tiled's own CSV export writes them so. */
    int32_t negative = 0;
    bool is_negative = json_number_value(json_object_get(with_gid, "gid")) < 0;
    bool good = is_negative ? tiled_get_i32(reader, with_gid, "gid", &negative)
                            : tiled_get_u32(reader, with_gid, "gid", UINT32_MAX, &out->gid);
    out->gid = is_negative ? (uint32_t)negative : out->gid;
    good = good && (with_gid == own || !out->gid || template_gid(reader, out->template_path, root, &out->gid)) &&
           tiled_get_text(reader, pick(from, "name"), "name", &out->name) &&
           (!from.base || tiled_get_type(reader, from.base, &out->type_name)) &&
           tiled_get_type(reader, own, &out->type_name) && read_place(reader, from, out) &&
           tiled_get_bool(reader, pick(from, "visible"), "visible", &out->visible) && read_shape(reader, from, out) &&
           read_object_properties(reader, from, out);
    if (good) {
        tiled_leave(reader, mark);
    }
    return good;
}

bool tiled_read_objects(tiled_reader *reader, const json_t *owner, const tiled_object **out, uint32_t *count) {
    const json_t *list = NULL;
    if (!tiled_get_array(reader, owner, "objects", &list)) {
        return false;
    }
    size_t found = json_array_size(list);
    tiled_object *objects = tiled_take(reader, found, sizeof *objects);
    for (size_t i = 0; objects && i < found; i++) {
        const json_t *each = json_array_get(list, i);
        if (!json_is_object(each)) {
            return tiled_fail(reader, EDDY_E_FORMAT, "objects[%zu]: expected an object, found %s", i,
                              tiled_json_kind(each));
        }
        if (!read_object(reader, each, &objects[i])) {
            return false;
        }
    }
    *out = objects;
    *count = (uint32_t)found;
    return objects != NULL;
}

/* ---- places ---- */

/** Cosine and sine of an angle in degrees, exact at quarter turns. */
static void turn_of(double degrees, double *cosine, double *sine) {
    double turned = fmod(degrees, 360.0);
    turned += turned < 0 ? 360.0 : 0.0;
    bool quarter = fmod(turned, 90.0) == 0.0;
    double radians = turned * 3.14159265358979323846 / 180.0;
    static const double cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    unsigned quarters = (unsigned)(turned / 90.0) & 3u;
    *cosine = quarter ? cosines[quarters] : cos(radians);
    *sine = quarter ? sines[quarters] : sin(radians);
}

eddy_vec2 tiled_object_corner(const tiled_map *map, const tiled_object *object) {
    double across = 0, down = 0; /* where in its box the origin lies, 0..1 */
    if (object->shape == TILED_TILE) {
        const tiled_tileset *tileset = tiled_map_tileset(map, object->gid);
        const char *alignment = tileset ? tileset->alignment : "unspecified";
        if (strcmp(alignment, "unspecified") == 0) {
            alignment = strcmp(map->orientation, "isometric") == 0 ? "bottom" : "bottomleft";
        }
        across = strstr(alignment, "left") ? 0 : strstr(alignment, "right") ? 1 : 0.5;
        down = strstr(alignment, "top") ? 0 : strstr(alignment, "bottom") ? 1 : 0.5;
    }
    double cosine = 1, sine = 0, x = -across * object->width, y = -down * object->height;
    turn_of(object->rotation, &cosine, &sine);
    return (eddy_vec2){(float)(object->x + x * cosine - y * sine), (float)(object->y + x * sine + y * cosine)};
}
