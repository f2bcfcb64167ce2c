/* Every type of entity in Kettlewick: the structs that live in the world are the structs that are recorded, and the
 * table beside each says so. The order of WORLD_TYPES numbers the types in recordings of one build.
 *
 * Units: px (WORLD_TILE to a tile, y grows downward), px/s, frames. `x, y` is the middle of an entity's box, `half_w,
 * half_h` half its size. A `..._since` is the frame (world_game.frame) on which something began: it changes rarely,
 * where a counter would change every frame. Every counter that decides the future is a field. */
#ifndef EDDY_WORLD_ENTITIES_H
#define EDDY_WORLD_ENTITIES_H

#include "audio/sound.h"
#include "rewind/rewind.h"

#define WORLD_TILE 32 /**< px of a tile */

#define WORLD_PX_MAX 65536.0f     /**< a place is inside +- this, on both axes */
#define WORLD_SPEED_MAX 131072.0f /**< px/s */
#define WORLD_TILES_MAX 2000      /**< of a level, in each direction */

/* What rows of places, sizes and speeds have in common. Moving things keep to steps of 1/256 px and 15/64 px/s, which
 * floats of this range hold exactly: a frame's motion adds up without rounding. */
#define WORLD_PX_ .unit = "px", .min = -WORLD_PX_MAX, .max = WORLD_PX_MAX
#define WORLD_HALF_ .unit = "px", .min = 0, .max = WORLD_PX_MAX
#define WORLD_SPEED_ .unit = "px/s", .min = -WORLD_SPEED_MAX, .max = WORLD_SPEED_MAX

#define WORLD_ENUM_VALUE_(NAME, text) NAME,
#define WORLD_ENUM_NAME_(NAME, text) text,
/** Defines an enum with a count and a table of its names. */
#define WORLD_ENUM(type, LIST, COUNT)                                                                                  \
    typedef enum type { LIST(WORLD_ENUM_VALUE_) COUNT } type;                                                          \
    __attribute__((unused)) static const char *const type##_names[] = {LIST(WORLD_ENUM_NAME_)}

#define WORLD_OUTCOMES(X) X(WORLD_GOING_ON, "going on") X(WORLD_DIED, "died") X(WORLD_WON, "won")
WORLD_ENUM(world_outcome, WORLD_OUTCOMES, WORLD_OUTCOME_COUNT);

#define WORLD_MOTH_STATES(X)                                                                                           \
    X(MOTH_IDLE, "idle")                                                                                               \
    X(MOTH_RUN, "run") X(MOTH_RISE, "rise") X(MOTH_FALL, "fall") X(MOTH_DYING, "dying") X(MOTH_LEAVING, "leaving")
WORLD_ENUM(world_moth_state, WORLD_MOTH_STATES, MOTH_STATE_COUNT);

#define WORLD_KETTLE_STATES(X) X(KETTLE_WALK, "walk") X(KETTLE_STOMPED, "stomped")
WORLD_ENUM(world_kettle_state, WORLD_KETTLE_STATES, KETTLE_STATE_COUNT);

#define WORLD_LEVER_MODES(X) X(LEVER_TOGGLE, "toggle") X(LEVER_TIMED, "timed")
WORLD_ENUM(world_lever_mode, WORLD_LEVER_MODES, LEVER_MODE_COUNT);

#define WORLD_PARTICLE_KINDS(X)                                                                                        \
    X(PARTICLE_DUST, "dust")                                                                                           \
    X(PARTICLE_EMBERS, "embers")                                                                                       \
    X(PARTICLE_SNOW, "snow") X(PARTICLE_SPARKS, "sparks") X(PARTICLE_STEAM, "steam") X(PARTICLE_SCRAPS, "scraps")
WORLD_ENUM(world_particle_kind, WORLD_PARTICLE_KINDS, PARTICLE_KIND_COUNT);

/** The level itself: the one entity of its type, with the lowest id. */
typedef struct world_game {
    uint32_t frame;           /**< steps since the level was loaded */
    uint32_t next_id;         /**< id of the next newborn */
    uint32_t draws;           /**< random numbers drawn so far; the seed is in world_level */
    float camera_x, camera_y; /**< px, middle of the picture; the listener of the sound */
    eddy_id moth;
    uint32_t outcome_since;
    uint16_t wicks_taken;
    uint8_t outcome; /**< world_outcome */
    uint8_t stopped; /**< bool: the outcome has been played out and the world's clock stands */
} world_game;
#define WORLD_GAME_FIELDS(F, S)                                                                                        \
    F(S, frame, U32, 1, .unit = "frames")                                                                              \
    F(S, next_id, U32, 1)                                                                                              \
    F(S, draws, U32, 1)                                                                                                \
    F(S, camera_x, F32, 1, WORLD_PX_)                                                                                  \
    F(S, camera_y, F32, 1, WORLD_PX_)                                                                                  \
    F(S, moth, ID, 1)                                                                                                  \
    F(S, outcome_since, U32, 1, .unit = "frames")                                                                      \
    F(S, wicks_taken, U16, 1)                                                                                          \
    F(S, outcome, U8, 1, .names = world_outcome_names, .name_count = WORLD_OUTCOME_COUNT)                              \
    F(S, stopped, U8, 1, .max = 1)

/** What a level file fixes: constant. */
typedef struct world_level {
    uint32_t seed;
    uint32_t width_tiles, height_tiles;
    uint32_t wicks_total, wicks_needed; /**< the exit opens when wicks_needed are taken */
    uint32_t sky;                       /**< 0xRRGGBB tint of the level's air */
    char title[48];
} world_level;
#define WORLD_LEVEL_FIELDS(F, S)                                                                                       \
    F(S, seed, U32, 1)                                                                                                 \
    F(S, width_tiles, U32, 1, .unit = "tiles")                                                                         \
    F(S, height_tiles, U32, 1, .unit = "tiles")                                                                        \
    F(S, wicks_total, U32, 1)                                                                                          \
    F(S, wicks_needed, U32, 1)                                                                                         \
    F(S, sky, U32, 1)                                                                                                  \
    F(S, title, STR, 48)

/** The player. */
typedef struct world_moth {
    float x, y, vx, vy;
    float lift_vx, lift_vy; /**< momentum kept for `lift_frames` after leaving a pan */
    eddy_id support;        /**< the pan or gate stood on, or 0 */
    uint32_t state_since;
    uint32_t held;     /**< buttons held in the step that made this frame: an edge is a press against these */
    uint8_t state;     /**< world_moth_state */
    int8_t facing;     /**< -1 or 1 */
    uint8_t on_ground; /**< bool */
    uint8_t coyote;    /**< frames in which a jump still counts as from the ground */
    uint8_t buffer;    /**< frames in which a press still waits for the ground */
    uint8_t hold;      /**< frames in which holding jump still carries upward */
    uint8_t lift_frames;
    uint8_t land_frames; /**< since landing, up to 12: squash */
} world_moth;
#define WORLD_MOTH_FIELDS(F, S)                                                                                        \
    F(S, x, F32, 1, WORLD_PX_, .integrates = "vx")                                                                     \
    F(S, y, F32, 1, WORLD_PX_, .integrates = "vy")                                                                     \
    F(S, vx, F32, 1, WORLD_SPEED_)                                                                                     \
    F(S, vy, F32, 1, WORLD_SPEED_)                                                                                     \
    F(S, lift_vx, F32, 1, WORLD_SPEED_)                                                                                \
    F(S, lift_vy, F32, 1, WORLD_SPEED_)                                                                                \
    F(S, support, ID, 1)                                                                                               \
    F(S, state_since, U32, 1, .unit = "frames")                                                                        \
    F(S, held, U32, 1)                                                                                                 \
    F(S, state, U8, 1, .names = world_moth_state_names, .name_count = MOTH_STATE_COUNT)                                \
    F(S, facing, I8, 1, .min = -1, .max = 1)                                                                           \
    F(S, on_ground, U8, 1, .max = 1)                                                                                   \
    F(S, coyote, U8, 1, .unit = "frames")                                                                              \
    F(S, buffer, U8, 1, .unit = "frames")                                                                              \
    F(S, hold, U8, 1, .unit = "frames")                                                                                \
    F(S, lift_frames, U8, 1, .unit = "frames")                                                                         \
    F(S, land_frames, U8, 1, .unit = "frames")

/** A walking kettle: turns at walls and ledges, kills by touch, dies by a stomp. */
typedef struct world_kettle {
    float x, y, vx, vy;
    uint32_t state_since;
    eddy_id support;
    uint8_t state;     /**< world_kettle_state */
    uint8_t on_ground; /**< bool */
    int16_t facing;    /**< -1 or 1 */
} world_kettle;
#define WORLD_KETTLE_FIELDS(F, S)                                                                                      \
    F(S, x, F32, 1, WORLD_PX_, .integrates = "vx")                                                                     \
    F(S, y, F32, 1, WORLD_PX_, .integrates = "vy")                                                                     \
    F(S, vx, F32, 1, WORLD_SPEED_)                                                                                     \
    F(S, vy, F32, 1, WORLD_SPEED_)                                                                                     \
    F(S, state_since, U32, 1, .unit = "frames")                                                                        \
    F(S, support, ID, 1)                                                                                               \
    F(S, state, U8, 1, .names = world_kettle_state_names, .name_count = KETTLE_STATE_COUNT)                            \
    F(S, on_ground, U8, 1, .max = 1)                                                                                   \
    F(S, facing, I16, 1, .min = -1, .max = 1)

/** A lift that carries what stands on it: along a line, or as the `index`th of `wheel`. Solid from above only. */
typedef struct world_pan {
    float x, y;
    float half_w, half_h;
    float from_x, from_y, to_x, to_y; /**< the line's ends, px; unused on a wheel */
    uint32_t period;                  /**< frames there and back; 0: it stays at `from` */
    uint32_t progress;                /**< frames moved until `since`, its starting phase included */
    uint32_t since;                   /**< when it last started or stopped (an immune one: world_clock.tick) */
    uint32_t moving;                  /**< bool: frames since `since` add to progress; unused on a wheel */
    eddy_id wheel;                    /**< or 0 */
    uint32_t index;                   /**< on the wheel */
    eddy_id lever;                    /**< moves only while this one is on; 0: always */
} world_pan;
#define WORLD_PAN_FIELDS(F, S)                                                                                         \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, half_w, F32, 1, WORLD_HALF_)                                                                                  \
    F(S, half_h, F32, 1, WORLD_HALF_)                                                                                  \
    F(S, from_x, F32, 1, WORLD_PX_)                                                                                    \
    F(S, from_y, F32, 1, WORLD_PX_)                                                                                    \
    F(S, to_x, F32, 1, WORLD_PX_)                                                                                      \
    F(S, to_y, F32, 1, WORLD_PX_)                                                                                      \
    F(S, period, U32, 1, .unit = "frames")                                                                             \
    F(S, progress, U32, 1, .unit = "frames")                                                                           \
    F(S, since, U32, 1, .unit = "frames")                                                                              \
    F(S, moving, U32, 1, .max = 1)                                                                                     \
    F(S, wheel, ID, 1)                                                                                                 \
    F(S, index, U32, 1)                                                                                                \
    F(S, lever, ID, 1)

/** A mill wheel: turns its pans. */
typedef struct world_wheel {
    float x, y, radius;
    uint32_t pans;     /**< how many hang on it, evenly */
    uint32_t period;   /**< frames a turn */
    uint32_t progress; /**< frames turned so far */
    int32_t direction; /**< 1 clockwise, -1 the other way */
    eddy_id lever;     /**< turns only while this one is on; 0: always */
} world_wheel;
#define WORLD_WHEEL_FIELDS(F, S)                                                                                       \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, radius, F32, 1, WORLD_HALF_)                                                                                  \
    F(S, pans, U32, 1, .max = 64)                                                                                      \
    F(S, period, U32, 1, .unit = "frames")                                                                             \
    F(S, progress, U32, 1, .unit = "frames")                                                                           \
    F(S, direction, I32, 1, .min = -1, .max = 1)                                                                       \
    F(S, lever, ID, 1)

typedef struct world_wick {
    float x, y;
    uint32_t taken_since;
    uint32_t taken; /**< bool */
} world_wick;
#define WORLD_WICK_FIELDS(F, S)                                                                                        \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, taken_since, U32, 1, .unit = "frames")                                                                        \
    F(S, taken, U32, 1, .max = 1)

/** Pulled with `use` nearby. */
typedef struct world_lever {
    float x, y;
    uint32_t pulled_since; /**< frame of the last pull */
    uint32_t hold;         /**< frames a timed one stays on */
    uint16_t mode;         /**< world_lever_mode */
    uint16_t on;           /**< bool */
} world_lever;
#define WORLD_LEVER_FIELDS(F, S)                                                                                       \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, pulled_since, U32, 1, .unit = "frames")                                                                       \
    F(S, hold, U32, 1, .unit = "frames")                                                                               \
    F(S, mode, U16, 1, .names = world_lever_mode_names, .name_count = LEVER_MODE_COUNT)                                \
    F(S, on, U16, 1, .max = 1)

/** A solid door that slides up by its own height while its lever is on. */
typedef struct world_gate {
    float x, y; /**< where it is closed */
    float half_w, half_h;
    float open; /**< 0 closed .. 1 open */
    eddy_id lever;
} world_gate;
#define WORLD_GATE_FIELDS(F, S)                                                                                        \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, half_w, F32, 1, WORLD_HALF_)                                                                                  \
    F(S, half_h, F32, 1, WORLD_HALF_)                                                                                  \
    F(S, open, F32, 1, .min = 0, .max = 1)                                                                             \
    F(S, lever, ID, 1)

/** A puff that happened: its particles are closed form in (frame - born); removed when its life is over. */
typedef struct world_burst {
    float x, y;
    float vx, vy; /**< of what made it, px/s */
    uint32_t born;
    uint32_t seed;
    uint16_t kind; /**< world_particle_kind */
    uint16_t count;
    uint32_t life; /**< frames */
} world_burst;
#define WORLD_BURST_FIELDS(F, S)                                                                                       \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, vx, F32, 1, WORLD_SPEED_)                                                                                     \
    F(S, vy, F32, 1, WORLD_SPEED_)                                                                                     \
    F(S, born, U32, 1, .unit = "frames")                                                                               \
    F(S, seed, U32, 1)                                                                                                 \
    F(S, kind, U16, 1, .names = world_particle_kind_names, .name_count = PARTICLE_KIND_COUNT)                          \
    F(S, count, U16, 1)                                                                                                \
    F(S, life, U32, 1, .unit = "frames")

/** The clock of the immune entities, itself one of them; there when the level has any. */
typedef struct world_clock {
    uint32_t tick;    /**< real ticks since the level was loaded, those of rewinding included */
    uint32_t next_id; /**< id of the next immune newborn */
} world_clock;
#define WORLD_CLOCK_FIELDS(F, S) F(S, tick, U32, 1, .unit = "ticks") F(S, next_id, U32, 1)

/** Constant: particles for ever (snow, embers), closed form in world_game.frame. */
typedef struct world_emitter {
    float x, y, half_w, half_h; /**< the box they fill */
    uint32_t count;
    uint32_t seed;
    uint32_t kind; /**< world_particle_kind */
} world_emitter;
#define WORLD_EMITTER_FIELDS(F, S)                                                                                     \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, half_w, F32, 1, WORLD_HALF_)                                                                                  \
    F(S, half_h, F32, 1, WORLD_HALF_)                                                                                  \
    F(S, count, U32, 1)                                                                                                \
    F(S, seed, U32, 1)                                                                                                 \
    F(S, kind, U32, 1, .names = world_particle_kind_names, .name_count = PARTICLE_KIND_COUNT)

/** Constant: a box of solid tiles. The collision grid is derived from these. */
typedef struct world_solid {
    float x, y, half_w, half_h;
} world_solid;
/** Constant: a bed of nettles; touching it is death. */
typedef struct world_nettle {
    float x, y, half_w, half_h;
} world_nettle;
/** Constant: the lamp to reach. */
typedef struct world_exit {
    float x, y, half_w, half_h;
} world_exit;
#define WORLD_BOX_FIELDS(F, S)                                                                                         \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, half_w, F32, 1, WORLD_HALF_)                                                                                  \
    F(S, half_h, F32, 1, WORLD_HALF_)

/** Constant: something only to look at; `kind` names a drawing of the art folder. */
typedef struct world_scenery {
    float x, y; /**< the middle of its bottom edge */
    float scale;
    float depth;   /**< 0 with the walls; < 0 behind (parallax), > 0 before */
    uint32_t flip; /**< bool */
    char kind[20];
} world_scenery;
#define WORLD_SCENERY_FIELDS(F, S)                                                                                     \
    F(S, x, F32, 1, WORLD_PX_)                                                                                         \
    F(S, y, F32, 1, WORLD_PX_)                                                                                         \
    F(S, scale, F32, 1)                                                                                                \
    F(S, depth, F32, 1)                                                                                                \
    F(S, flip, U32, 1, .max = 1)                                                                                       \
    F(S, kind, STR, 20)

/** Constant: words shown while Moth is inside the box. `{jump}` and the like stand for the bound key. */
typedef struct world_hint {
    float x, y, half_w, half_h;
    char text[96];
} world_hint;
#define WORLD_HINT_FIELDS(F, S) WORLD_BOX_FIELDS(F, S) F(S, text, STR, 96)

/** All types: X(NUMBER, name, struct, rows). In this order: what rewinds (some of it may be immune), the clock of the
 * immune, the constants from LEVEL on. "journal" is of the tick axis. */
#define WORLD_TYPES(X)                                                                                                 \
    X(GAME, game, world_game, WORLD_GAME_FIELDS)                                                                       \
    X(MOTH, moth, world_moth, WORLD_MOTH_FIELDS)                                                                       \
    X(KETTLE, kettle, world_kettle, WORLD_KETTLE_FIELDS)                                                               \
    X(PAN, pan, world_pan, WORLD_PAN_FIELDS)                                                                           \
    X(WHEEL, wheel, world_wheel, WORLD_WHEEL_FIELDS)                                                                   \
    X(WICK, wick, world_wick, WORLD_WICK_FIELDS)                                                                       \
    X(LEVER, lever, world_lever, WORLD_LEVER_FIELDS)                                                                   \
    X(GATE, gate, world_gate, WORLD_GATE_FIELDS)                                                                       \
    X(BURST, burst, world_burst, WORLD_BURST_FIELDS)                                                                   \
    X(SOUND, sound, eddy_sound, EDDY_SOUND_FIELDS)                                                                     \
    X(CLOCK, clock, world_clock, WORLD_CLOCK_FIELDS)                                                                   \
    X(LEVEL, level, world_level, WORLD_LEVEL_FIELDS)                                                                   \
    X(SOLID, solid, world_solid, WORLD_BOX_FIELDS)                                                                     \
    X(NETTLE, nettle, world_nettle, WORLD_BOX_FIELDS)                                                                  \
    X(EXIT, exit, world_exit, WORLD_BOX_FIELDS)                                                                        \
    X(EMITTER, emitter, world_emitter, WORLD_EMITTER_FIELDS)                                                           \
    X(SCENERY, scenery, world_scenery, WORLD_SCENERY_FIELDS)                                                           \
    X(HINT, hint, world_hint, WORLD_HINT_FIELDS)

typedef enum world_type {
#define WORLD_TYPE_NUMBER_(NUMBER, name, S, ROWS) WORLD_##NUMBER,
    WORLD_TYPES(WORLD_TYPE_NUMBER_)
#undef WORLD_TYPE_NUMBER_
        WORLD_JOURNAL, /**< eddy_journal, on the tick axis only */
    WORLD_TYPE_COUNT
} world_type;

/* Half sizes of the boxes that are the same for every entity of a type, px. */
#define MOTH_HALF_W 10.0f
#define MOTH_HALF_H 20.0f
#define KETTLE_HALF_W 16.0f
#define KETTLE_HALF_H 14.0f
#define WICK_HALF 10.0f
#define LEVER_HALF_W 16.0f
#define LEVER_HALF_H 20.0f

#endif
