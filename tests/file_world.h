/* A small world for the tests of the session file: things that move, count, change their state, are born and die. It is
 * plain data, so a copy is a snapshot. */
#ifndef EDDY_TESTS_FILE_WORLD_H
#define EDDY_TESTS_FILE_WORLD_H

#include "rewind/rewind.h"

#define FILE_WORLD_ENTITIES_MAX 24u

typedef enum file_type { FILE_TYPE_DRIFTER, FILE_TYPE_SPARK, FILE_TYPE_STONE, FILE_TYPE_JOURNAL } file_type;

typedef struct drifter {
    eddy_vec2 position;
    float vx, vy;
    uint64_t wound;
    uint32_t steps;
    eddy_id follows;
    int16_t height;
    uint8_t mood;
    bool awake;
    char name[12];
} drifter;

typedef struct spark {
    float x[3];
    uint32_t left;
} spark;

typedef struct stone {
    double weight;
    uint32_t tiles[4];
} stone;

/** The types above; the journal's is the last. */
const eddy_schema *file_world_schema(void);

typedef struct file_world {
    uint32_t random;
    uint32_t count;
    eddy_id next_id;
    struct file_entity {
        eddy_id id;
        file_type type;
        union {
            drifter drifter;
            spark spark;
        } state;
    } entities[FILE_WORLD_ENTITIES_MAX];
} file_world;

/** `drifters` things at rest; what happens next is decided by `seed`. */
void file_world_begin(file_world *world, uint32_t seed, uint32_t drifters);
void file_world_step(file_world *world);

/** A view that points into the world. */
typedef struct file_world_view {
    eddy_entity entities[FILE_WORLD_ENTITIES_MAX];
    eddy_view view;
} file_world_view;
const eddy_view *file_world_look(const file_world *world, file_world_view *look);

/** The next number of a small generator. */
uint32_t file_random(uint32_t *state);

#endif
