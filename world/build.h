/* How a world comes to be: private to world/, for the level loader and the tests.
 *
 *     world_build *build = world_build_begin(&(world_build_desc){.level = ..., .catalog = ...}, &error);
 *     world_build_tiles(build, solid);                                  // row-major, width * height bytes, 1 is solid
 *     world_build_moth(build, 96, 400);
 *     eddy_id lever = world_build_add(build, WORLD_LEVER, &(world_lever){...}, false);
 *     world_build_add(build, WORLD_GATE, &(world_gate){.lever = lever, ...}, false);
 *     result = world_build_finish(build, &world, &error);               // frees `build` either way
 *
 * The id that world_build_add returns is final: game is 1, moth is 2, all else is numbered in the order of the calls
 * (immune entities have a row of numbers of their own). References may point at what is added later: patch them with
 * world_build_edit. Nothing is checked before world_build_finish, which checks everything. */
#ifndef EDDY_WORLD_BUILD_H
#define EDDY_WORLD_BUILD_H

#include "world.h"

typedef struct world_build world_build;

/** What a level is before anything is in it. Copied: nothing is borrowed beyond world_build_begin. */
typedef struct world_build_desc {
    world_level level;            /**< wicks_total is counted by world_build_finish */
    uint32_t seed;                /**< 0: level.seed */
    const world_catalog *catalog; /**< copied; NULL: the level makes no sound */
    const char *music, *ambience; /**< catalog keys of what plays from frame 0; NULL or "": none */
} world_build_desc;

/** E_MEMORY; E_LIMIT: no tiles, or more than WORLD_TILES_MAX in a direction. */
eddy_result world_build_begin(const world_build_desc *desc, world_build **out, eddy_error *error);
/** Adds solids, the fewest simple boxes that cover `solid` (width_tiles * height_tiles bytes, not 0: solid). */
void world_build_tiles(world_build *build, const uint8_t *solid);
/** Where Moth stands at frame 0, px, the middle of its box; the last call counts. Without one there is no world. */
void world_build_moth(world_build *build, float x, float y);
/** Adds one entity, copied from the struct of its type: KETTLE PAN WHEEL WICK LEVER GATE, or a constant: SOLID NETTLE
 * EXIT EMITTER SCENERY HINT. `immune`: PAN and WHEEL only (a pan on a wheel is as immune as the wheel). What the world
 * keeps itself may stay zero: a pan's place and `since`, facing (1 then), states. Returns its final id, 0 when out of
 * memory or entities (then world_build_finish says so). */
eddy_id world_build_add(world_build *build, world_type type, const void *state, bool immune);
/** The copy of an added entity, to patch it; NULL: no such id. Valid until the next add. */
void *world_build_edit(world_build *build, eddy_id id);
/** Makes the world at frame 0 and frees `build`. E_VALUE and E_ENTITY name the id, the type and the field; E_LIMIT;
 * E_MEMORY. */
eddy_result world_build_finish(world_build *build, world **out, eddy_error *error);
/** Frees a build that is not finished. NULL is fine. */
void world_build_cancel(world_build *build);

#endif
