/* What a picture shows: everything the drawing needs, handed over once a picture. Plain data, borrowed for the call. */
#ifndef EDDY_ENGINE_PICTURE_H
#define EDDY_ENGINE_PICTURE_H

#include "world/world.h"

#define ENGINE_VIEW_W WORLD_VIEW_W /**< px of the logical picture; a window scales it */
#define ENGINE_VIEW_H WORLD_VIEW_H

/** The ladder of speeds: the rungs of a rewind, each frames a tick. */
#define ENGINE_LADDER -8, -4, -2, -1, 0, 1, 2, 4, 8

/** Where one moving entity really was, newest first. */
typedef struct engine_trail {
    eddy_id id;
    uint16_t type;           /**< world_type */
    const eddy_vec2 *points; /**< px */
    uint32_t point_count;
} engine_trail;

/** The numbers of the debug line. */
typedef struct engine_debug {
    bool shown;
    uint32_t frame;
    bool is_base;
    size_t frame_bytes; /**< of the newest recorded frame */
    double megabytes_per_minute;
    size_t owned_bytes, budget_bytes;
    uint32_t live_sounds, voices;
    double fps;
} engine_debug;

typedef struct engine_picture {
    const world *world;      /**< the state that is shown, or moved towards */
    const eddy_view *before; /**< the rewindable entities one shown frame earlier; NULL: do not interpolate */
    float alpha;             /**< 0 `before` .. 1 `world` */

    /* time */
    uint32_t first_frame, last_frame, shown_frame;
    bool forgotten; /**< first_frame is not the level's beginning */
    bool rewinding;
    int speed;      /**< rung while rewinding: -8..8 */
    double rate;    /**< frames a second */
    uint64_t ticks; /**< real ticks: moves what is outside the world (prompts, glow) */

    const engine_trail *trails;
    uint32_t trail_count;

    /* over the world */
    bool paused;
    float fade;        /**< 0 clear .. 1 black: entering and leaving a level */
    const char *title; /**< of the level, shown while title_alpha > 0 */
    float title_alpha;
    const char *toast;         /**< one line for a moment ("start of memory"); NULL: none */
    const char *key_names[16]; /**< bound key by button bit, for prompts and hints */
    bool reduced_motion;
    engine_debug debug;
} engine_picture;

#endif
