/* The world of Kettlewick: entities, rules and levels. Deterministic: no clock, no file and no allocation in a step, no
 * libm but sqrtf. The same level, seed and inputs give the same bytes with any compiler and optimisation.
 *
 * A step takes one set of buttons and makes the next frame. The world hands itself to the recorder as a view, and takes
 * a recorded view back: validated first, then at once, without running a rule or making a sound. */
#ifndef EDDY_WORLD_H
#define EDDY_WORLD_H

#include "entities.h"

enum {
#define WORLD_BUTTON(NAME, text, bit) BUTTON_##NAME = 1 << (bit),
#include "buttons.inl"
#undef WORLD_BUTTON
};

/** The bit of a button by its script name, or 0. */
uint16_t world_button(const char *name);
/** All script names with blanks between, for messages. */
const char *world_button_names(void);

/* ---- sounds a level may make ---- */

#define WORLD_CATALOG_MAX 64

/** What levels/sounds.json says of one sound. */
typedef struct world_sound_def {
    char key[EDDY_SOUND_KEY_BYTES];
    char file[64];     /**< below the sound folder */
    double length;     /**< samples at 48 kHz */
    float gain, range; /**< range 0: heard everywhere ("here") */
    uint8_t category, repeat, priority;
} world_sound_def;

typedef struct world_catalog {
    world_sound_def sounds[WORLD_CATALOG_MAX];
    uint32_t count;
} world_catalog;

/** Reads sounds.json. E_IO, E_FORMAT, E_LIMIT name the file and the key; `out` is unchanged then. */
eddy_result world_catalog_load(const char *path, world_catalog *out, eddy_error *error);
/** NULL: not there. */
const world_sound_def *world_catalog_find(const world_catalog *catalog, const char *key);

/* ---- the world ---- */

#define WORLD_RATE 60     /**< steps a second */
#define WORLD_VIEW_W 1280 /**< px of the level that the camera shows */
#define WORLD_VIEW_H 720

typedef struct world world;

/** What a player does in one step. */
typedef struct world_input {
    uint16_t held;  /**< BUTTON_ bits */
    uint16_t fresh; /**< buttons that may count as pressed; ~0 but for the step that leaves a rewind, where those
                     * already held are left out */
} world_input;

/** All types, the journal last. For recorder, file and tools. */
const eddy_schema *world_schema(void);

/** Loads a Tiled JSON map: the world is then at frame 0. `seed` 0: the level's own. E_IO, E_FORMAT, E_LIMIT, E_MEMORY
 * name the file, the layer or object, what was expected and found. */
eddy_result world_load(const char *map_path, const world_catalog *catalog, uint32_t seed, world **out,
                       eddy_error *error);
void world_destroy(world *world);

/** One step: the next frame. Steps immune entities too. Does nothing while world_stopped. */
void world_step(world *world, world_input input);
/** One tick of what a rewind does not touch: immune entities read the shown frame and change only themselves. */
void world_step_immune(world *world);

/** What is recorded by frame / once / by tick. Valid until the world changes. No allocation. */
eddy_view world_view(const world *world);
eddy_view world_constants(const world *world);
eddy_view world_immune(const world *world);

/** Becomes a recorded frame (its rewindable entities; immune ones and constants stay). Validates references between
 * entities too (support, lever, wheel, emitter). E_ENTITY, E_VALUE, E_LIMIT: nothing changed. Runs no rule, makes no
 * event; rebuilds what is derived. */
eddy_result world_take(world *world, const eddy_view *view, eddy_error *error);
/** Likewise for immune entities: a restart, or a replay by tick. */
eddy_result world_take_immune(world *world, const eddy_view *view, eddy_error *error);

/** The one game entity; always there. */
const world_game *world_game_of(const world *world);
/** The player; always there. */
const world_moth *world_moth_of(const world *world);
const world_level *world_level_of(const world *world);
/** The clock stands: dead, or won, and the outcome has been played out. */
bool world_stopped(const world *world);

/** Is this tile solid? Beside the map: always. Above it: never. Below it: as the lowest row of the column, so a pit has
 * no bottom and the ground goes on. */
bool world_solid_at(const world *world, int32_t tile_x, int32_t tile_y);

/* ---- particles: closed form, nothing recorded ---- */

typedef struct world_particle {
    float x, y;   /**< px */
    float size;   /**< px across */
    float turn;   /**< turns, 0..1 */
    float alpha;  /**< 0..1 */
    float warmth; /**< 0..1: along the kind's colour ramp */
} world_particle;

/** The particles of a burst or an emitter at `frame` (fractions allowed: interpolated drawing). Writes up to
 * `capacity`, returns how many. A pure function of its arguments. */
uint32_t world_burst_particles(const world_burst *burst, double frame, world_particle *out, uint32_t capacity);
uint32_t world_emitter_particles(const world_emitter *emitter, double frame, world_particle *out, uint32_t capacity);

#endif
