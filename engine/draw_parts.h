/* What the files of the drawing share. Private: included by engine/draw*.c and their tests only.
 *
 * Three spaces: device px (of the renderer's output), logical px (ENGINE_VIEW_W x ENGINE_VIEW_H, letterboxed), and
 * world px (logical px moved by the camera). Everything is handed over in logical px plus `draw->origin`; draw_batch.c
 * turns it into device px. */
#ifndef EDDY_ENGINE_DRAW_PARTS_H
#define EDDY_ENGINE_DRAW_PARTS_H

#include "draw.h"
#include "draw_paint.h"

/* Of what lies over the world, 0xRRGGBB. */
#define DRAW_INK 0x14101fu
#define DRAW_PAPER 0xf4e8cfu
#define DRAW_COPPER 0xe09a5au
#define DRAW_GOLD 0xffd48au

/* ---- sprites ---- */

/** A rectangle of a texture, and how large and where it is put. */
typedef struct draw_sprite {
    SDL_Texture *texture;
    float u0, v0, u1, v1; /**< parts of the texture */
    float w, h;           /**< logical px */
    float ax, ay;         /**< anchor, parts of w and h */
} draw_sprite;

typedef enum draw_art {
#define DRAW_ART(NAME, file, ax, ay) ART_##NAME,
#define DRAW_MADE(NAME, width, height) ART_##NAME,
#include "draw_art.inl"
    ART_COUNT
} draw_art;

#define DRAW_PAGES_MAX 8

typedef struct draw_atlas {
    SDL_Texture *pages[DRAW_PAGES_MAX];
    int page_count;
    draw_sprite art[ART_COUNT];
    draw_sprite haze[ART_COUNT]; /**< white shapes of the scenery: laid over it, they put air before it */
} draw_atlas;

/** Rasters all art for `scale`. E_IO names the file. On an error nothing is left behind. */
eddy_result draw_atlas_load(draw_atlas *atlas, SDL_Renderer *renderer, const char *art_dir, float scale,
                            eddy_error *error);
void draw_atlas_free(draw_atlas *atlas);
/** The art that a level calls `kind`, or ART_COUNT. */
draw_art draw_art_of_kind(const char *kind);
/** One drawing as an ARGB8888 surface, `scale` px per px of the file. The caller frees it. E_IO, E_MEMORY. */
eddy_result draw_art_surface(const char *art_dir, const char *file, float scale, SDL_Surface **out, eddy_error *error);
/** A texture of a surface, blended, filtered. Frees the surface. NULL: no memory. */
SDL_Texture *draw_texture_from(SDL_Renderer *renderer, SDL_Surface *surface);

/* ---- batch ---- */

#define DRAW_BATCH_QUADS 1024

typedef struct draw_batch {
    SDL_Vertex vertices[4 * DRAW_BATCH_QUADS];
    int indices[6 * DRAW_BATCH_QUADS];
    int quads;
    SDL_Texture *texture; /**< of what is waiting */
    SDL_BlendMode blend;
} draw_batch;

/** An affine place: (x, y) -> (xx * x + xy * y + x0, yx * x + yy * y + y0). */
typedef struct draw_place {
    float xx, xy, x0;
    float yx, yy, y0;
} draw_place;

/* ---- the air of a level ---- */

/** Colours that follow from the level's sky. */
typedef struct draw_air {
    paint_rgb top, middle, horizon, haze, ambient;
} draw_air;
draw_air draw_air_of(uint32_t sky);

/* ---- parts of the drawing, each in its own file ---- */

#define DRAW_STRIPS 4

typedef struct draw_backdrop {
    uint32_t sky; /**< the colour it was painted for */
    bool painted;
    SDL_Texture *sky_texture;
    SDL_Surface *strip_art[DRAW_STRIPS]; /**< as drawn; the air of the level is mixed in for the texture */
    float strip_scale;                   /**< px of a strip per logical px */
    SDL_Texture *strips[DRAW_STRIPS];
    uint32_t strip_foot[DRAW_STRIPS]; /**< 0xRRGGBB: what lies below a strip */
} draw_backdrop;

#define DRAW_CHUNK_TILES 8
#define DRAW_CHUNKS_MAX 128

typedef struct draw_chunk {
    int32_t x, y;         /**< in chunks */
    uint64_t used;        /**< picture number, to let the oldest go */
    SDL_Texture *texture; /**< NULL: all air */
    SDL_Texture *wall;    /**< what is seen behind the air of caves; NULL: the sky */
    bool valid;
} draw_chunk;

/** A chunk that is being painted, a few rows a picture. */
typedef struct draw_job {
    bool active;
    int32_t x, y;
    struct draw_earth *map; /**< NULL: no memory */
    SDL_Surface *surface;   /**< NULL: all air */
    int row;                /**< the next to paint */
} draw_job;

typedef struct draw_ground {
    uint64_t key;       /**< of the level's solids */
    const world *world; /**< only compared, never followed */
    draw_chunk chunks[DRAW_CHUNKS_MAX];
    draw_job ahead; /**< beyond the edge of the picture */
} draw_ground;

#define DRAW_LIGHTS_MAX 160

typedef struct draw_lamp {
    float x, y, radius; /**< world px */
    float power;        /**< 0..1 */
    uint32_t color;
} draw_lamp;

typedef struct draw_light {
    SDL_Texture *target; /**< NULL: the renderer has none; then glows only */
    SDL_Texture *vignette;
    draw_lamp lamps[DRAW_LIGHTS_MAX];
    int lamp_count;
} draw_light;

typedef enum draw_face { FACE_SANS, FACE_BOLD, FACE_SERIF, FACE_MONO, FACE_COUNT } draw_face;

#define DRAW_FONTS_MAX 24
#define DRAW_WORDS_MAX 128
#define DRAW_WORD_BYTES 160

typedef struct draw_word {
    char text[DRAW_WORD_BYTES];
    draw_face face;
    int size_px;
    uint64_t used;
    draw_sprite sprite; /**< texture NULL: empty slot */
} draw_word;

typedef struct draw_text_cache {
    bool begun; /**< SDL_ttf was started */
    bool ready; /**< and a font was not missing so far */
    struct {
        draw_face face;
        int size_px; /**< device px */
        void *font;  /**< TTF_Font, or NULL: not found */
    } fonts[DRAW_FONTS_MAX];
    int font_count;
    draw_word words[DRAW_WORDS_MAX];
} draw_text_cache;

/** The constants of the level being shown, sorted by type; filled anew for each picture. */
typedef struct draw_level {
    const world_level *level;
    const world_scenery **scenery; /**< by depth, the farthest first */
    const world_nettle **nettles;
    const world_exit **exits;
    const world_emitter **emitters;
    const world_hint **hints;
    uint32_t scenery_count, nettle_count, exit_count, emitter_count, hint_count;
    uint32_t scenery_room, nettle_room, exit_room, emitter_room, hint_room;
    uint64_t key; /**< hash of the solids and the level */
} draw_level;

struct engine_draw {
    SDL_Renderer *renderer;
    char *art_dir;
    bool software;
    float raster_scale; /**< art px per logical px */

    draw_batch batch;
    draw_atlas atlas;
    draw_backdrop backdrop;
    draw_ground ground;
    draw_light light;
    draw_text_cache text;
    draw_level level;
    world_particle *particles;

    /* of the picture being drawn */
    uint64_t pictures;
    const engine_picture *picture;
    draw_air air;
    double time;              /**< frames of the world, with fractions */
    float camera_x, camera_y; /**< world px, middle */
    float scale;              /**< device px per logical px */
    float left, top;          /**< device px of the letterbox */
    float origin_x, origin_y; /**< device px added to everything */
};

/* draw_batch.c */
SDL_Color draw_color(uint32_t rgb, float alpha);
void draw_flush(engine_draw *draw);
void draw_blend(engine_draw *draw, SDL_BlendMode blend);
/** Logical px from now on; `shift` moves everything, in logical px, rounded to whole device px. */
void draw_origin(engine_draw *draw, float shift_x, float shift_y);
/** World px from now on, for things `parallax` times as fast as the walls. */
void draw_origin_world(engine_draw *draw, float parallax);
void draw_fill(engine_draw *draw, float x, float y, float w, float h, SDL_Color color);
void draw_fill_fade(engine_draw *draw, float x, float y, float w, float h, SDL_Color upper, SDL_Color lower);
/** `sprite` NULL: plain colour. */
void draw_box(engine_draw *draw, const draw_sprite *sprite, float x, float y, float w, float h, SDL_Color color);
/** A sprite whose outer `border` px keep their size. */
void draw_nine(engine_draw *draw, const draw_sprite *sprite, float border, float x, float y, float w, float h,
               SDL_Color color);
void draw_line(engine_draw *draw, float x0, float y0, float x1, float y1, float width, SDL_Color color);
draw_place draw_place_at(float x, float y, float turn, float scale_x, float scale_y);
/** `inner` seen from inside `outer`. */
draw_place draw_place_in(draw_place outer, draw_place inner);
/** A sprite with its anchor at the place's origin. */
void draw_put(engine_draw *draw, const draw_sprite *sprite, draw_place place, SDL_Color color);
/** Is this world box, grown by `margin`, in the picture? */
bool draw_sees(const engine_draw *draw, float x, float y, float half_w, float half_h, float margin);

/* draw_between.c: positions between two shown frames */
#define DRAW_JUMP_PX 96.0f
/** Between `before` and `now`; a jump of more than DRAW_JUMP_PX either way is shown at `now`. */
eddy_vec2 draw_between(eddy_vec2 before, eddy_vec2 now, float alpha);
/** The same entity one shown frame earlier, or NULL (newborn, other type, no interpolation). */
const void *draw_before(const engine_picture *picture, eddy_id id, uint16_t type);
/** The fractional frame that a picture shows. */
double draw_time_of(const engine_picture *picture);

/* draw_level.c */
bool draw_level_index(draw_level *level, const world *world);
void draw_level_free(draw_level *level);

/* draw_sky.c */
eddy_result draw_backdrop_load(engine_draw *draw, eddy_error *error);
void draw_backdrop_free(draw_backdrop *backdrop);
void draw_sky(engine_draw *draw);

/* draw_ground.c */
void draw_ground_free(draw_ground *ground);
/** First the back walls of caves, later the ground itself. */
void draw_ground_show(engine_draw *draw, bool walls);
/** Paints a little of what will soon be in sight. */
void draw_ground_ahead(engine_draw *draw);

/* draw_scenery.c */
void draw_scenery_far(engine_draw *draw);
void draw_scenery_near(engine_draw *draw);
void draw_scenery_before(engine_draw *draw);

/* draw_things.c, draw_mill.c, draw_moth.c */
void draw_things_behind(engine_draw *draw);
void draw_things(engine_draw *draw);
void draw_wheels(engine_draw *draw);
void draw_pans(engine_draw *draw, bool chains);
/** `ghost`: a trail's picture of it: no motion of its own, one colour. */
void draw_moth(engine_draw *draw, const world_moth *moth, eddy_vec2 at, SDL_Color color);
/** Where the lantern hangs. */
eddy_vec2 draw_moth_lantern(const engine_draw *draw, const world_moth *moth, eddy_vec2 at);
void draw_kettle(engine_draw *draw, const world_kettle *kettle, eddy_vec2 at, SDL_Color color);
/** Calls `each` for every rewindable, then immune entity of a type, with its interpolated place. */
typedef void draw_each_fn(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at);
void draw_each(engine_draw *draw, uint16_t type, draw_each_fn *each);

/* draw_light.c */
eddy_result draw_light_load(engine_draw *draw, eddy_error *error);
void draw_light_free(draw_light *light);
void draw_lamp_add(engine_draw *draw, draw_lamp lamp);
void draw_light_show(engine_draw *draw);

/* draw_particles.c */
#define DRAW_PARTICLES_MAX 20000
void draw_particles(engine_draw *draw);

/* draw_trails.c */
void draw_trails(engine_draw *draw);
/** The veil and the worn lines that lie over a rewind. */
void draw_time_tint(engine_draw *draw);
/** What all light is multiplied by while time runs otherwise: 0xRRGGBB. */
uint32_t draw_time_wash(const engine_picture *picture);

/* draw_text.c */
void draw_text_load(draw_text_cache *text);
void draw_text_free(draw_text_cache *text);
float draw_text_width(engine_draw *draw, draw_face face, float size, const char *text);
/** `align` 0: x is the left end, 0.5: the middle, 1: the right end. y is the middle of the line. */
void draw_text(engine_draw *draw, draw_face face, float size, float x, float y, float align, SDL_Color color,
               const char *text);

/* draw_hint.c: words with keys among them */
typedef struct draw_piece {
    bool key;
    bool line_end; /**< a break follows */
    char text[64];
} draw_piece;
/** Takes the next word or {button} from *text; false: none is left. Pure. `key_names` by button bit, NULLs allowed. */
bool draw_hint_next(const char **text, const char *const key_names[16], draw_piece *out);
/** A panel with the text, wrapped, its middle at (x, y). */
void draw_hint_panel(engine_draw *draw, float x, float y, float size, const char *text, float alpha);

/* draw_bar.c: the history bar and the ladder */
/** Px from the bar's left end at which `frame` of `frames` stands; a bar of `width` px has positions 0..width-1. */
uint32_t draw_bar_x(uint32_t frame, uint32_t frames, uint32_t width);
/** The frame at `x` px; outside the bar the nearest end. */
uint32_t draw_bar_frame(int64_t x, uint32_t frames, uint32_t width);
void draw_bar(engine_draw *draw);
void draw_ladder(engine_draw *draw);

/* draw_hud.c */
void draw_hud(engine_draw *draw);

#endif
