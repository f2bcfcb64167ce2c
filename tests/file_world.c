#include "file_world.h"

#include "rewind/field.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const mood_names[] = {"calm", "curious", "cross"};

#define DRIFTER_FIELDS(F, S)                                                                                           \
    F(S, position, VEC2, 1, .unit = "px")                                                                              \
    F(S, vx, F32, 1, .unit = "px/s")                                                                                   \
    F(S, vy, F32, 1, .unit = "px/s", .integrates = "vx")                                                               \
    F(S, wound, U64, 1)                                                                                                \
    F(S, steps, U32, 1, .unit = "frames")                                                                              \
    F(S, follows, ID, 1)                                                                                               \
    F(S, height, I16, 1, .min = -500, .max = 500)                                                                      \
    F(S, mood, U8, 1, .names = mood_names, .name_count = 3)                                                            \
    F(S, awake, BOOL, 1)                                                                                               \
    F(S, name, STR, 12)
EDDY_FIELDS(drifter, DRIFTER_FIELDS);

#define SPARK_FIELDS(F, S) F(S, x, F32, 3) F(S, left, U32, 1)
EDDY_FIELDS(spark, SPARK_FIELDS);

#define STONE_FIELDS(F, S) F(S, weight, F64, 1, .unit = "kg") F(S, tiles, U32, 4)
EDDY_FIELDS(stone, STONE_FIELDS);

static const drifter drifter_default = {.vx = 1.5f, .height = -3, .mood = 1, .awake = true, .name = "drifter"};

const eddy_schema *file_world_schema(void) {
    static eddy_type types[] = {[FILE_TYPE_DRIFTER] = EDDY_TYPE(drifter, &drifter_default),
                                [FILE_TYPE_SPARK] = EDDY_TYPE(spark, NULL),
                                [FILE_TYPE_STONE] = EDDY_TYPE(stone, NULL),
                                [FILE_TYPE_JOURNAL] = {0}};
    static const eddy_schema schema = {.types = types, .type_count = sizeof types / sizeof types[0]};
    if (!types[FILE_TYPE_JOURNAL].name) {             /* once: a timeline's worker reads it */
        types[FILE_TYPE_JOURNAL] = eddy_journal_type; /* defined elsewhere: no constant expression */
    }
    return &schema;
}

uint32_t file_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

void file_world_begin(file_world *world, uint32_t seed, uint32_t drifters) {
    memset(world, 0, sizeof *world);
    world->random = seed;
    world->next_id = 1;
    assert(drifters <= FILE_WORLD_ENTITIES_MAX);
    for (uint32_t i = 0; i < drifters; i++) {
        struct file_entity *entity = &world->entities[world->count++];
        entity->id = world->next_id++;
        entity->type = FILE_TYPE_DRIFTER;
        entity->state.drifter = drifter_default;
        entity->state.drifter.follows = i;
        memset(entity->state.drifter.name, 0, sizeof entity->state.drifter.name);
        snprintf(entity->state.drifter.name, sizeof entity->state.drifter.name, "d%u", i);
    }
}

static void drifter_step(drifter *self, uint32_t *random) {
    self->steps++;
    self->position.x += self->vx / 60;
    if (file_random(random) % 8 == 0) {
        self->vx = -self->vx;
        self->vy += 0.25f;
    }
    if (file_random(random) % 16 == 0) {
        self->mood = (uint8_t)(file_random(random) % 3);
        self->awake = !self->awake;
        self->wound += (uint64_t)file_random(random) << 24;
        self->height = (int16_t)(self->steps % 400);
    }
}

static void spark_born(file_world *world) {
    if (world->count == FILE_WORLD_ENTITIES_MAX)
        return;
    struct file_entity *entity = &world->entities[world->count++];
    memset(entity, 0, sizeof *entity);
    entity->id = world->next_id++;
    entity->type = FILE_TYPE_SPARK;
    entity->state.spark.x[0] = (float)(file_random(&world->random) % 100);
    entity->state.spark.left = 1 + file_random(&world->random) % 90;
}

void file_world_step(file_world *world) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < world->count; i++) {
        struct file_entity *entity = &world->entities[i];
        bool lives = true;
        if (entity->type == FILE_TYPE_DRIFTER) {
            drifter_step(&entity->state.drifter, &world->random);
        } else {
            entity->state.spark.x[1] += 0.5f;
            lives = --entity->state.spark.left > 0;
        }
        if (lives)
            world->entities[kept++] = *entity;
    }
    world->count = kept;
    if (file_random(&world->random) % 5 == 0)
        spark_born(world);
}

const eddy_view *file_world_look(const file_world *world, file_world_view *look) {
    for (uint32_t i = 0; i < world->count; i++)
        look->entities[i] = (eddy_entity){
            .id = world->entities[i].id, .type = (uint16_t)world->entities[i].type, .data = &world->entities[i].state};
    look->view = (eddy_view){.entities = look->entities, .count = world->count};
    return &look->view;
}
