#include "rewind_stage.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the schema ---- */

#define STAGE_EVERY_FIELDS(F, S)                                                                                       \
    F(S, real, F64, 1)                                                                                                 \
    F(S, big, U64, 1)                                                                                                  \
    F(S, big_signed, I64, 1)                                                                                           \
    F(S, single, F32, 3)                                                                                               \
    F(S, at, VEC2, 1)                                                                                                  \
    F(S, whole, U32, 1)                                                                                                \
    F(S, whole_signed, I32, 1)                                                                                         \
    F(S, target, ID, 1)                                                                                                \
    F(S, half, U16, 2)                                                                                                 \
    F(S, half_signed, I16, 2)                                                                                          \
    F(S, byte, U8, 1)                                                                                                  \
    F(S, byte_signed, I8, 1)                                                                                           \
    F(S, flags, BOOL, 2)                                                                                               \
    F(S, name, STR, 12)
EDDY_FIELDS(stage_every, STAGE_EVERY_FIELDS);

static const char *const mover_states[] = {"still", "walk", "fall"};
#define STAGE_MOVER_FIELDS(F, S)                                                                                       \
    F(S, x, F32, 1, .unit = "px", .integrates = "vx")                                                                  \
    F(S, y, F32, 1, .unit = "px", .integrates = "vy")                                                                  \
    F(S, vx, F32, 1, .unit = "px/s", .min = -1000, .max = 1000)                                                        \
    F(S, vy, F32, 1, .unit = "px/s")                                                                                   \
    F(S, timer, U32, 1, .unit = "frames")                                                                              \
    F(S, state, U16, 1, .names = mover_states, .name_count = 3)                                                        \
    F(S, spare, U16, 1)
EDDY_FIELDS(stage_mover, STAGE_MOVER_FIELDS);

#define STAGE_BLOB_FIELDS(F, S) F(S, bytes, U8, 4096)
EDDY_FIELDS(stage_blob, STAGE_BLOB_FIELDS);

#define STAGE_DOT_FIELDS(F, S) F(S, level, U8, 1)
EDDY_FIELDS(stage_dot, STAGE_DOT_FIELDS);

static const stage_every every_default = {.real = 1.5, .whole = 7, .name = "moth", .flags = {true, false}};
static const stage_mover mover_default = {.x = 100, .y = -0.0f};
static const eddy_type stage_types[] = {
    EDDY_TYPE(stage_every, &every_default),
    EDDY_TYPE(stage_mover, &mover_default),
    EDDY_TYPE(stage_blob, NULL),
    EDDY_TYPE(stage_dot, NULL),
};
const eddy_schema stage_schema = {.types = stage_types, .type_count = STAGE_TYPE_COUNT};

const eddy_field *stage_field(stage_type type, const char *name) {
    for (uint32_t i = 0; i < stage_types[type].field_count; i++) {
        if (strcmp(stage_types[type].fields[i].name, name) == 0) {
            return &stage_types[type].fields[i];
        }
    }
    return NULL;
}

uint32_t stage_long(uint32_t usual, uint32_t often) {
    return getenv("EDDY_LONG") ? often : usual;
}

/* ---- random numbers ---- */

uint64_t stage_draw(stage_random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t stage_below(stage_random *random, uint32_t below) {
    return (uint32_t)(stage_draw(random) >> 32) % below;
}

/* ---- a world ---- */

void stage_world_begin(stage_world *world, uint64_t seed) {
    memset(world, 0, sizeof *world);
    world->random.state = seed;
    world->next_id = 1;
    world->free_count = STAGE_ENTITIES_MAX;
    for (uint32_t i = 0; i < STAGE_ENTITIES_MAX; i++) {
        world->free_states[i] = (uint8_t)i;
    }
}

eddy_view stage_world_view(const stage_world *world) {
    return (eddy_view){.entities = world->entities, .count = world->count};
}

void *stage_world_find(stage_world *world, eddy_id id) {
    eddy_view view = stage_world_view(world);
    const eddy_entity *entity = eddy_view_find(&view, id);
    return entity ? (void *)(uintptr_t)entity->data : NULL;
}

void *stage_world_add(stage_world *world, eddy_id id, stage_type type) {
    if (world->count == STAGE_ENTITIES_MAX || stage_world_find(world, id)) {
        return NULL;
    }
    uint32_t place = world->count;
    while (place > 0 && world->entities[place - 1].id > id) {
        world->entities[place] = world->entities[place - 1];
        place--;
    }
    void *state = world->states[world->free_states[--world->free_count]];
    const eddy_type *of = &stage_types[type];
    if (of->defaults) {
        memcpy(state, of->defaults, of->size);
    } else {
        memset(state, 0, of->size);
    }
    world->entities[place] = (eddy_entity){.id = id, .type = (uint16_t)type, .data = state};
    world->count++;
    return state;
}

void stage_world_remove(stage_world *world, uint32_t index) {
    const uint8_t *state = world->entities[index].data;
    world->free_states[world->free_count++] = (uint8_t)((size_t)(state - world->states[0]) / sizeof world->states[0]);
    world->count--;
    memmove(world->entities + index, world->entities + index + 1, (world->count - index) * sizeof *world->entities);
}

void stage_world_take(stage_world *world, const eddy_view *view) {
    while (world->count > 0) {
        stage_world_remove(world, world->count - 1);
    }
    for (uint32_t i = 0; i < view->count; i++) {
        const eddy_entity *entity = &view->entities[i];
        memcpy(stage_world_add(world, entity->id, (stage_type)entity->type), entity->data,
               stage_types[entity->type].size);
    }
}

/* A value of any bits that the field allows. */
static void scramble_element(stage_random *random, const eddy_field *field, uint8_t *value) {
    static const uint64_t odd[] = {
        0,           1,           0x80000000u, 0x7fc00001u,         0xffc12345u,         0x00000001u,
        0x7f800000u, 0x7fffffffu, UINT64_MAX,  0x8000000000000000u, 0x7ff0000000000001u, 0xfff8deadbeef0000u,
        1u};
    uint64_t bits = stage_below(random, 2) ? stage_draw(random) : odd[stage_below(random, sizeof odd / sizeof odd[0])];
    uint32_t bytes = eddy_kind_bytes(field->kind);
    if (field->kind == EDDY_BOOL) {
        bits &= 1;
    } else if (field->name_count > 0) {
        bits %= field->name_count;
    } else if (field->min != field->max) {
        float inside = (float)(bits % 2001) - 1000;
        memcpy(&bits, &inside, sizeof inside);
    }
    memcpy(value, &bits, bytes < 8 ? bytes : 8);
}

static void scramble_str(stage_random *random, const eddy_field *field, uint8_t *value) {
    uint32_t length = stage_below(random, field->count + 1);
    memset(value, 0, field->count);
    for (uint32_t i = 0; i < length; i++) {
        value[i] = (uint8_t)(1 + stage_below(random, 255));
    }
}

static void scramble(stage_random *random, const eddy_entity *entity) {
    const eddy_type *type = &stage_types[entity->type];
    const eddy_field *field = &type->fields[stage_below(random, type->field_count)];
    uint8_t *value = (uint8_t *)(uintptr_t)entity->data + field->offset;
    if (field->kind == EDDY_STR) {
        scramble_str(random, field, value);
    } else {
        scramble_element(random, field, value + stage_below(random, field->count) * eddy_kind_bytes(field->kind));
    }
}

/* Blobs are few: they are most of a frame's bytes. */
static stage_type draw_type(stage_world *world) {
    stage_type type = (stage_type)stage_below(&world->random, STAGE_TYPE_COUNT);
    uint32_t blobs = 0;
    for (uint32_t i = 0; i < world->count; i++) {
        blobs += world->entities[i].type == STAGE_BLOB;
    }
    return type == STAGE_BLOB && blobs >= STAGE_BLOBS_MAX ? STAGE_MOVER : type;
}

void stage_world_step(stage_world *world) {
    stage_random *random = &world->random;
    for (uint32_t i = 0; i < world->count; i++) {
        if (world->entities[i].type == STAGE_MOVER) {
            stage_mover *mover = (void *)(uintptr_t)world->entities[i].data;
            mover->x += mover->vx / 60;
            mover->timer++;
        }
        for (uint32_t times = stage_below(random, 8) == 0 ? 1 + stage_below(random, 4) : 0; times > 0; times--) {
            scramble(random, &world->entities[i]);
        }
    }
    for (uint32_t births = stage_below(random, 4) == 0 ? 1 + stage_below(random, 3) : 0; births > 0; births--) {
        bool again = world->next_id > 1 && stage_below(random, 3) == 0;
        eddy_id id = again ? 1 + stage_below(random, world->next_id - 1) : world->next_id++;
        stage_world_add(world, id, draw_type(world));
    }
    if (world->count > 0 && stage_below(random, 5) == 0) {
        stage_world_remove(world, stage_below(random, world->count));
    }
    if (world->count > 0 && stage_below(random, 12) == 0) {
        uint32_t index = stage_below(random, world->count);
        eddy_id id = world->entities[index].id;
        stage_world_remove(world, index);
        stage_world_add(world, id, draw_type(world));
    }
    if (stage_below(random, 100) == 0) {
        while (world->count > 0) {
            stage_world_remove(world, 0);
        }
    }
}

/* ---- full copies ---- */

stage_copy stage_copy_of(const eddy_view *view) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        bytes += (stage_types[view->entities[i].type].size + 7u) / 8 * 8;
    }
    eddy_entity *entities = calloc(1, view->count * sizeof *entities + bytes + 1);
    uint8_t *state = (uint8_t *)(entities + view->count);
    for (uint32_t i = 0; i < view->count; i++) {
        uint32_t size = stage_types[view->entities[i].type].size;
        entities[i] = view->entities[i];
        entities[i].data = memcpy(state, view->entities[i].data, size);
        state += (size + 7) / 8 * 8;
    }
    return (stage_copy){.view = {.entities = entities, .count = view->count},
                        .hash = eddy_view_hash(&stage_schema, view),
                        .memory = entities};
}

void stage_copy_free(stage_copy *copy) {
    free(copy->memory);
    *copy = (stage_copy){0};
}

static bool describe(void *user, const eddy_difference *difference) {
    char *text = user, old_text[64] = "nothing", new_text[64] = "nothing";
    if (difference->field) {
        eddy_value_print(difference->field, difference->old_value, old_text, sizeof old_text);
        eddy_value_print(difference->field, difference->new_value, new_text, sizeof new_text);
    }
    snprintf(text, 300, "entity %u (%s) %s[%u]: expected %s, found %s", difference->id,
             stage_types[difference->type].name, difference->field ? difference->field->name : "is in one only",
             difference->element, old_text, new_text);
    return false;
}

const char *stage_difference(const eddy_view *expected, const eddy_view *found) {
    static char text[300];
    return eddy_view_diff(&stage_schema, expected, found, describe, text) > 0 ? text : NULL;
}

/* ---- memory that can fail ---- */

static bool reserve_fails(stage_memory *memory) {
    long long left = atomic_load(&memory->fail_in);
    if (left == 0) {
        memory->failed++;
        memory->fail_in = memory->fail_on ? 0 : -1;
        return true;
    }
    memory->fail_in -= left > 0;
    return false;
}

static void *reserve(void *user, size_t bytes) {
    stage_memory *memory = user;
    memory->reserves++;
    if (reserve_fails(memory)) {
        return NULL;
    }
    size_t live = atomic_fetch_add(&memory->live_bytes, bytes) + bytes;
    memory->live_count++;
    size_t peak = atomic_load(&memory->peak_bytes);
    while (live > peak && !atomic_compare_exchange_weak(&memory->peak_bytes, &peak, live)) {
    }
    return calloc(1, bytes);
}

static void release(void *user, void *pointer, size_t bytes) {
    stage_memory *memory = user;
    memory->live_bytes -= bytes;
    memory->live_count--;
    free(pointer);
}

eddy_hooks stage_hooks(stage_memory *memory) {
    return (eddy_hooks){.reserve = reserve, .release = release, .user = memory};
}

/* ---- shorthand ---- */

eddy_timeline *stage_timeline(eddy_timeline_desc desc) {
    eddy_timeline *timeline = NULL;
    eddy_error error = {0};
    desc.schema = desc.schema ? desc.schema : &stage_schema;
    ck_assert_msg(eddy_timeline_create(&desc, &timeline, &error) == EDDY_OK, "create: %s", error.text);
    return timeline;
}

void stage_append(eddy_timeline *timeline, const eddy_view *view) {
    eddy_error error = {0};
    ck_assert_msg(eddy_timeline_append(timeline, view, &error) == EDDY_OK, "append: %s", error.text);
}

eddy_view stage_read(eddy_timeline *timeline, uint32_t frame) {
    eddy_error error = {0};
    eddy_view view = {0};
    ck_assert_msg(eddy_timeline_read(timeline, frame, &view, &error) == EDDY_OK, "read: %s", error.text);
    return view;
}

void stage_expect_frame(eddy_timeline *timeline, uint32_t frame, const stage_copy *expected, uint64_t seed) {
    eddy_view found = stage_read(timeline, frame);
    const char *difference = stage_difference(&expected->view, &found);
    ck_assert_msg(!difference, "seed %" PRIu64 ", frame %u: %s", seed, frame, difference);
    uint32_t branch = 0;
    uint64_t hash = 0;
    ck_assert_int_eq(eddy_timeline_frame(timeline, frame, &branch, &hash, NULL), EDDY_OK);
    ck_assert_msg(hash == expected->hash, "seed %" PRIu64 ", frame %u: the recorded hash is another", seed, frame);
    ck_assert_msg(branch == expected->branch, "seed %" PRIu64 ", frame %u: expected branch %u, found %u", seed, frame,
                  expected->branch, branch);
}
