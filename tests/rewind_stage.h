/* A small world of random entities for the recorder's tests, full copies of frames, and memory that can fail. */
#ifndef EDDY_TESTS_REWIND_STAGE_H
#define EDDY_TESTS_REWIND_STAGE_H

#include "rewind/rewind.h"

#include <stdatomic.h>

/** One of every kind, arrays among them. */
typedef struct stage_every {
    double real;
    uint64_t big;
    int64_t big_signed;
    float single[3];
    eddy_vec2 at;
    uint32_t whole;
    int32_t whole_signed;
    eddy_id target;
    uint16_t half[2];
    int16_t half_signed[2];
    uint8_t byte;
    int8_t byte_signed;
    bool flags[2];
    char name[12];
} stage_every;

/** What most entities of a game are: a few floats that move. */
typedef struct stage_mover {
    float x, y, vx, vy;
    uint32_t timer;
    uint16_t state, spare;
} stage_mover;

/** A field of 4,096 bytes. */
typedef struct stage_blob {
    uint8_t bytes[4096];
} stage_blob;

/** The smallest struct there is. */
typedef struct stage_dot {
    uint8_t level;
} stage_dot;

typedef enum stage_type { STAGE_EVERY, STAGE_MOVER, STAGE_BLOB, STAGE_DOT, STAGE_TYPE_COUNT } stage_type;
extern const eddy_schema stage_schema;
/** Its fields of stage_every, by name. */
const eddy_field *stage_field(stage_type type, const char *name);

#ifdef EDDY_TINY
#define STAGE_IS_TINY true
#else
#define STAGE_IS_TINY false
#endif
/* A sanitizer's own memory counts as the program's. */
#if defined(__has_feature)
#define STAGE_HAS_(feature) __has_feature(feature)
#else
#define STAGE_HAS_(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || STAGE_HAS_(address_sanitizer) ||                  \
    STAGE_HAS_(thread_sanitizer)
#define STAGE_IS_SANITIZED 1
#else
#define STAGE_IS_SANITIZED 0
#endif
/** `often` in the long tier (EDDY_LONG is set), else `usual`. */
uint32_t stage_long(uint32_t usual, uint32_t often);

/* ---- random numbers ---- */

typedef struct stage_random {
    uint64_t state;
} stage_random;
uint64_t stage_draw(stage_random *random);
/** 0 .. below-1 */
uint32_t stage_below(stage_random *random, uint32_t below);

/* ---- a world ---- */

#define STAGE_ENTITIES_MAX 64
#define STAGE_BLOBS_MAX 4

/** Entities by ascending id, each with a struct of its own. */
typedef struct stage_world {
    stage_random random;
    uint32_t count;
    eddy_entity entities[STAGE_ENTITIES_MAX];
    _Alignas(8) uint8_t states[STAGE_ENTITIES_MAX][sizeof(stage_blob)];
    uint8_t free_states[STAGE_ENTITIES_MAX];
    uint32_t free_count;
    eddy_id next_id;
} stage_world;

void stage_world_begin(stage_world *world, uint64_t seed);
eddy_view stage_world_view(const stage_world *world);
/** Moves things, and now and then lets some be born, die, change their type under the same id, or come back under an id
 * that was used before. */
void stage_world_step(stage_world *world);
/** Makes the world what a view says. */
void stage_world_take(stage_world *world, const eddy_view *view);
/** The struct of a new default-constructed entity; ids may come in any order. NULL: full, or the id is taken. */
void *stage_world_add(stage_world *world, eddy_id id, stage_type type);
void stage_world_remove(stage_world *world, uint32_t index);
/** The struct of an entity, or NULL. */
void *stage_world_find(stage_world *world, eddy_id id);

/* ---- full copies ---- */

typedef struct stage_copy {
    eddy_view view;
    uint64_t hash;
    uint32_t branch;
    void *memory;
} stage_copy;
stage_copy stage_copy_of(const eddy_view *view);
void stage_copy_free(stage_copy *copy);
/** NULL when two views are the same to the bit, otherwise a text that names the first difference. */
const char *stage_difference(const eddy_view *expected, const eddy_view *found);

/* ---- memory that can fail ---- */

typedef struct stage_memory {
    atomic_llong fail_in; /**< so many reserves succeed; negative: all do */
    atomic_bool fail_on;  /**< all later ones fail too */
    atomic_ullong failed, reserves;
    atomic_size_t live_bytes, peak_bytes;
    atomic_llong live_count;
} stage_memory;
eddy_hooks stage_hooks(stage_memory *memory);

/* ---- shorthand ---- */

/** Creates a timeline or fails the test. */
eddy_timeline *stage_timeline(eddy_timeline_desc desc);
/** Appends or fails the test. */
void stage_append(eddy_timeline *timeline, const eddy_view *view);
/** Reads or fails the test. */
eddy_view stage_read(eddy_timeline *timeline, uint32_t frame);
/** Fails the test, naming frame and field, unless a kept frame is what it should be. */
void stage_expect_frame(eddy_timeline *timeline, uint32_t frame, const stage_copy *expected, uint64_t seed);

#endif
