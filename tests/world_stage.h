/* Small worlds for the tests of rules: a level drawn in characters, and hands to play it. */
#ifndef EDDY_TESTS_WORLD_STAGE_H
#define EDDY_TESTS_WORLD_STAGE_H

#include "world/build.h"

/** What the characters of a level stand for, each one tile:
 *   #  wall      @  Moth, feet on the tile's floor      k  kettle, walking right     K  kettle, walking left
 *   ^  nettles   *  wick      E  exit, two tiles high (its foot)      anything else: air */
world_build *stage_begin(const char *const *rows, uint32_t wicks_needed);
/** Adds to what stage_begin made; NULL on success stays out of the way of the tests, a failure fails the test. */
world *stage_finish(world_build *build);
/** Both at once. */
world *stage_world(const char *const *rows);

/** A catalog with every sound that a rule can make, 1.000 s each; loops loop. "song" is a loop for music. */
const world_catalog *stage_catalog(void);

/** `frames` steps with these buttons held. */
void stage_run(world *w, uint32_t frames, uint16_t held);
/** Steps with no buttons until Moth stands; fails the test after 120. */
void stage_settle(world *w);

uint64_t stage_hash(const world *w);
uint64_t stage_immune_hash(const world *w);

/** The first entity of a type in the rewindable world, or NULL; and how many there are. */
const void *stage_first(const world *w, world_type type);
uint32_t stage_count(const world *w, world_type type);
/** How many sounds of an asset there are. */
uint32_t stage_sounds(const world *w, const char *asset);

/** A copy of a view that owns its bytes. */
typedef struct stage_copy {
    eddy_view view;
    eddy_entity *entities;
    uint8_t *states;
} stage_copy;
stage_copy stage_copy_of(eddy_view view);
void stage_copy_free(stage_copy *copy);
/** The state of an entity in a copy, to change it. */
void *stage_copy_state(stage_copy *copy, eddy_id id);
/** Takes a copy; a refusal fails the test with its text. */
void stage_take(world *w, const stage_copy *copy);

/** Fails the test when two views differ: prints `what`, the frame, and the first entity and field that differ. */
void stage_same(const char *what, uint32_t frame, eddy_view expected, eddy_view found);

/** Buttons of a player who means no good: runs of random buttons, by seed and frame. */
uint16_t stage_random_buttons(uint32_t seed, uint32_t frame);

/** A flat floor of 30 tiles, nine rows of air over it. */
extern const char *const stage_hall[];
/** A level with one of everything that moves, and room to fall off. Immune pans too when asked for. */
world *stage_everything(uint32_t seed, bool immune);

#endif
