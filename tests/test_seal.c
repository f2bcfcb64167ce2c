/* Sealing: runs of frames as packed columns come back to the bit, whatever is in them, and damage is seen. */
#include "rewind/column.h"
#include "rewind/seal_head.h"
#include "rewind_stage.h"
#include "suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a run that is kept whole beside ---- */

typedef struct tape {
    const eddy_schema *schema;
    uint32_t first_frame, count;
    eddy_view *views;
    uint64_t *hashes;
    uint32_t *branches;
} tape;

static tape tape_begin(const eddy_schema *schema, uint32_t first_frame, uint32_t count) {
    return (tape){.schema = schema,
                  .first_frame = first_frame,
                  .count = count,
                  .views = calloc(count, sizeof(eddy_view)),
                  .hashes = calloc(count, sizeof(uint64_t)),
                  .branches = calloc(count, sizeof(uint32_t))};
}

/* Keeps a copy of a frame. */
static void tape_put(tape *into, uint32_t t, const eddy_view *view) {
    eddy_entity *entities = calloc(view->count + 1, sizeof *entities);
    for (uint32_t i = 0; i < view->count; i++) {
        size_t size = into->schema->types[view->entities[i].type].size;
        entities[i] = view->entities[i];
        entities[i].data = memcpy(malloc(size), view->entities[i].data, size);
    }
    into->views[t] = (eddy_view){.entities = entities, .count = view->count};
    into->hashes[t] = eddy_view_hash(into->schema, view);
}

static void tape_free(tape *of) {
    for (uint32_t t = 0; t < of->count; t++) {
        for (uint32_t i = 0; i < of->views[t].count; i++) {
            free((void *)(uintptr_t)of->views[t].entities[i].data);
        }
        free((void *)(uintptr_t)of->views[t].entities);
    }
    free(of->views);
    free(of->hashes);
    free(of->branches);
}

static eddy_result tape_read(void *user, uint32_t index, seal_frame *out, eddy_error *error) {
    const tape *from = user;
    (void)error;
    *out = (seal_frame){.branch = from->branches[index], .hash = from->hashes[index], .view = from->views[index]};
    return EDDY_OK;
}

static seal_desc desc_of(tape *from) {
    return (seal_desc){
        .schema = from->schema,
        .level = 9,
        .source = {.first_frame = from->first_frame, .frame_count = from->count, .read = tape_read, .user = from}};
}

static sealed_bytes pack(tape *from, const eddy_hooks *hooks) {
    seal_desc desc = desc_of(from);
    desc.hooks = *hooks;
    sealed_bytes sealed;
    eddy_error error = {0};
    ck_assert_msg(seal_pack(&desc, &sealed, &error) == EDDY_OK, "pack: %s", error.text);
    return sealed;
}

static void expect_view(const tape *from, uint32_t t, const eddy_view *found, uint64_t seed) {
    const eddy_view *expected = &from->views[t];
    ck_assert_msg(found->count == expected->count, "seed %" PRIu64 ", frame %u: expected %u entities, found %u", seed,
                  t, expected->count, found->count);
    for (uint32_t i = 0; i < expected->count; i++) {
        const eddy_entity *a = &expected->entities[i], *b = &found->entities[i];
        ck_assert_msg(a->id == b->id && a->type == b->type, "seed %" PRIu64 ", frame %u: entity %u is another", seed, t,
                      a->id);
        const eddy_type *type = &from->schema->types[a->type];
        for (uint32_t f = 0; f < type->field_count; f++) {
            const eddy_field *field = &type->fields[f];
            size_t bytes = (size_t)field->count * eddy_kind_bytes(field->kind);
            ck_assert_msg(
                memcmp((const uint8_t *)a->data + field->offset, (const uint8_t *)b->data + field->offset, bytes) == 0,
                "seed %" PRIu64 ", frame %u, entity %u: field %s is another", seed, t, a->id, field->name);
        }
    }
}

/* Opens a sealed run and compares every frame, in an order that jumps. */
static void expect_run(const tape *from, sealed_bytes sealed, const eddy_hooks *hooks, uint64_t seed) {
    opened_run *run;
    eddy_error error = {0};
    ck_assert_msg(sealed_open(from->schema, sealed, hooks, &run, &error) == EDDY_OK, "open: %s", error.text);
    frame_buffer buffer = {.hooks = *hooks};
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t t = (uint32_t)((uint64_t)i * 7919 % from->count);
        t = from->count % 7919 == 0 ? i : t;
        ck_assert_msg(opened_read(run, from->first_frame + t, &buffer, &error) == EDDY_OK, "read: %s", error.text);
        eddy_view view = frame_buffer_view(&buffer);
        expect_view(from, t, &view, seed);
        ck_assert_uint_eq(sealed_branch_of(sealed, from->first_frame + t), from->branches[t]);
    }
    ck_assert_uint_eq(sealed_last_frame(sealed), from->first_frame + from->count - 1);
    ck_assert_int_eq(opened_read(run, from->first_frame + from->count, &buffer, &error), EDDY_E_FRAME);
    frame_buffer_free(&buffer);
    opened_close(run);
}

static void expect_round_trip(tape *from, uint64_t seed) {
    stage_memory memory = {.fail_in = -1};
    eddy_hooks hooks = stage_hooks(&memory);
    sealed_bytes sealed = pack(from, &hooks);
    expect_run(from, sealed, &hooks, seed);
    memory_release(&hooks, sealed.bytes, sealed.size);
    ck_assert_msg(memory.live_count == 0 && memory.live_bytes == 0, "%lld pieces of memory were not given back",
                  (long long)memory.live_count);
}

/* A stage world that goes on for some frames, with a new branch now and then. */
static tape random_tape(uint64_t seed, uint32_t count) {
    static stage_world world;
    tape made = tape_begin(&stage_schema, (uint32_t)(seed * 1440), count);
    stage_world_begin(&world, seed);
    for (uint32_t t = 0; t < count; t++) {
        stage_world_step(&world);
        eddy_view view = stage_world_view(&world);
        tape_put(&made, t, &view);
        made.branches[t] = t / 37;
    }
    return made;
}

/* ---- everything comes back ---- */

START_TEST(any_world_comes_back) {
    uint32_t seeds = stage_long(12, 200);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        tape random = random_tape(seed, 1 + (uint32_t)(seed * 41 % 240));
        expect_round_trip(&random, seed);
        tape_free(&random);
    }
}
END_TEST

START_TEST(same_frames_give_same_bytes) {
    tape random = random_tape(3, 120);
    eddy_hooks none = {0};
    sealed_bytes a = pack(&random, &none), b = pack(&random, &none);
    ck_assert_uint_eq(a.size, b.size);
    ck_assert_mem_eq(a.bytes, b.bytes, a.size);
    memory_release(&none, a.bytes, a.size);
    memory_release(&none, b.bytes, b.size);
    tape_free(&random);
}
END_TEST

typedef struct bare {
    double b;
    uint64_t c;
    float a, spare;
    int32_t d, e;
    eddy_vec2 at, speed;
} bare;
#define BARE_FIELDS(F, S)                                                                                              \
    F(S, b, F64, 1)                                                                                                    \
    F(S, c, U64, 1)                                                                                                    \
    F(S, a, F32, 1)                                                                                                    \
    F(S, spare, F32, 1) F(S, d, I32, 1) F(S, e, I32, 1) F(S, at, VEC2, 1) F(S, speed, VEC2, 1)
EDDY_FIELDS(bare, BARE_FIELDS);
static const eddy_type bare_types[] = {EDDY_TYPE(bare, NULL)};
static const eddy_schema bare_schema = {.types = bare_types, .type_count = 1};

/* A tape of one entity that `step` moves. */
static tape bare_tape(uint32_t count, void (*step)(bare *state, uint32_t t)) {
    tape made = tape_begin(&bare_schema, 0, count);
    bare state = {0};
    for (uint32_t t = 0; t < count; t++) {
        step(&state, t);
        eddy_entity entity = {.id = 9, .data = &state};
        tape_put(&made, t, &(eddy_view){.entities = &entity, .count = 1});
    }
    return made;
}

static void step_odd_numbers(bare *state, uint32_t t) {
    static const uint32_t singles[] = {0x80000000u, 0u,          1u,          0x7fc00001u, 0xffc12345u,
                                       0x7f800000u, 0xff800000u, 0x7f800001u, 0x007fffffu, 0x7f7fffffu};
    static const uint64_t doubles[] = {0,
                                       0x8000000000000000u,
                                       1,
                                       0x7ff0000000000001u,
                                       0xfff8deadbeef0000u,
                                       0x7ff0000000000000u,
                                       0xfff0000000000000u,
                                       0x7fefffffffffffffu,
                                       0x000fffffffffffffu};
    memcpy(&state->a, &singles[t % 10], 4);
    memcpy(&state->b, &doubles[t % 9], 8);
    memcpy(&state->at.x, &singles[t * t % 10], 4);
    memcpy(&state->speed.y, &singles[t * 3 % 7], 4);
    state->c = doubles[t * 5 % 9] * (t % 3 ? t : UINT64_MAX);
    state->d = t % 2 ? INT32_MIN : INT32_MAX;
    state->e = (int32_t)(t * 0x9e3779b9u);
}

START_TEST(odd_numbers_come_back_to_the_bit) {
    tape odd = bare_tape(200, step_odd_numbers);
    expect_round_trip(&odd, 0);
    tape_free(&odd);
}
END_TEST

/* ---- predictors ---- */

static const lane_class classes[] = {LANE_UNSIGNED, LANE_SIGNED, LANE_F32, LANE_F64};
#define COLUMN_FRAMES 300

static void expect_predictor_inverts(int id, lane_class class, uint64_t mask, uint64_t seed) {
    static column_memo memo;
    stage_random random = {.state = seed};
    uint64_t values[COLUMN_FRAMES], other[COLUMN_FRAMES], residuals[COLUMN_FRAMES] = {0}, back[COLUMN_FRAMES];
    for (uint32_t t = 0; t < COLUMN_FRAMES; t++) {
        bool stays = t > 0 && stage_below(&random, 3) > 0;
        values[t] = stays ? values[t - 1] : stage_draw(&random) & mask;
        other[t] = stays ? other[t - 1] : stage_below(&random, 5);
    }
    for (int way = 0; way < 8; way++) {
        column_walk walk = {.class = class, .mask = mask, .count = COLUMN_FRAMES, .mover = other, .memo = &memo};
        walk.mover_class = class;
        walk.pace = (column_pace){.factor = 60, .divides = way & 1, .late = way & 2};
        walk.gate = way & 4 ? other : NULL;
        walk.key_own = way & 1;
        walk.key = way & 2 ? other : NULL;
        walk.target = way & 1 ? MEMO_VALUE : MEMO_DELTA;
        walk.fit[0] = 1.5;
        walk.fit[1] = -0.5;
        walk.add = walk.step = (uint64_t)way * 3;
        memset(&memo, 0, sizeof memo);
        column_predictors[id].encode(&walk, values, residuals);
        memset(&memo, 0, sizeof memo);
        back[0] = values[0];
        column_predictors[id].decode(&walk, back, residuals);
        for (uint32_t t = 0; t < COLUMN_FRAMES; t++) {
            ck_assert_msg(back[t] == values[t], "%s, class %d, way %d, frame %u: expected %" PRIx64 ", found %" PRIx64,
                          column_predictors[id].name, (int)class, way, t, values[t], back[t]);
        }
    }
}

START_TEST(a_predictor_inverts_on_any_bits) {
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        for (uint32_t bytes = 1; bytes <= 8; bytes *= 2) {
            bool fits = classes[i] == LANE_F32 ? bytes == 4 : classes[i] != LANE_F64 || bytes == 8;
            if (fits) {
                expect_predictor_inverts(_i, classes[i], UINT64_MAX >> (64 - 8 * bytes), 77 + bytes);
            }
        }
    }
}
END_TEST

START_TEST(neighbours_stay_neighbours) {
    const float ascending[] = {-INFINITY, -1e30f, -1, -1e-45f, -0.0f, 0.0f, 1e-45f, 1, 1e30f, INFINITY};
    uint64_t last = 0;
    for (size_t i = 0; i < sizeof ascending / sizeof ascending[0]; i++) {
        uint32_t bits;
        memcpy(&bits, &ascending[i], sizeof bits);
        uint64_t number = lane_order(LANE_F32, bits);
        ck_assert_uint_eq(lane_unorder(LANE_F32, number), bits);
        ck_assert_msg(i == 0 || number > last, "number %zu is not above the one before", i);
        last = number;
    }
    for (uint64_t residual = 0; residual < 256; residual++) {
        ck_assert_uint_eq(residual_unfold(residual_fold(residual, 255), 255), residual);
    }
}
END_TEST

/* What a run that follows a rule costs at most, beside one that stands still. */
static void step_still(bare *state, uint32_t t) {
    (void)t;
    state->d = 5;
}
static void step_countdown(bare *state, uint32_t t) {
    static const int32_t lengths[] = {7, 3, 11, 5};
    if (t == 0 || --state->d == 0) {
        state->e = t == 0 ? 0 : (state->e + 1) % 4;
        state->d = lengths[state->e];
    }
}
static void step_mover(bare *state, uint32_t t) {
    state->speed.x = t % 100 == 0 ? 30.0f + (float)(t * 7 % 13) : state->speed.x * 0.98f;
    state->at.x += state->speed.x * (1 / 60.0f);
}
static void step_adding(bare *state, uint32_t t) {
    state->e = (int32_t)(t * 2654435761u) >> 12;
    state->d += state->e;
}
static void step_wave(bare *state, uint32_t t) {
    state->b = 100 + 50 * sin(t * 0.05);
}

static const struct {
    const char *name;
    void (*step)(bare *state, uint32_t t);
    size_t most; /* bytes above a run that stands still */
} rules[] = {
    {"a countdown that reloads by another field", step_countdown, 150},
    {"a place that adds up a decaying speed", step_mover, 1800},
    {"a whole number that adds up another", step_adding, 2700},
    {"a wave", step_wave, 2000},
};

START_TEST(a_rule_is_found) {
    eddy_hooks none = {0};
    tape still = bare_tape(1000, step_still), moving = bare_tape(1000, rules[_i].step);
    sealed_bytes a = pack(&still, &none), b = pack(&moving, &none);
    ck_assert_msg(b.size <= a.size + rules[_i].most, "%s: expected at most %zu bytes more, found %zu", rules[_i].name,
                  rules[_i].most, b.size - a.size);
    memory_release(&none, a.bytes, a.size);
    memory_release(&none, b.bytes, b.size);
    expect_round_trip(&moving, 0);
    tape_free(&still);
    tape_free(&moving);
}
END_TEST

/* ---- one value over time ---- */

typedef struct heard {
    const tape *from;
    const seal_query *query;
    const eddy_field *field;
    uint32_t next; /* the first frame that nothing was said about */
    const void *last;
    bool has_last;
} heard;

static const void *value_at(const heard *of, uint32_t frame) {
    const eddy_entity *entity = eddy_view_find(&of->from->views[frame - of->from->first_frame], of->query->id);
    uint32_t bytes = of->field->kind == EDDY_STR ? 0 : eddy_kind_bytes(of->field->kind);
    return entity && entity->type == of->query->type
               ? (const uint8_t *)entity->data + of->field->offset + of->query->element * bytes
               : NULL;
}

static bool same_value(const eddy_field *field, const void *a, const void *b) {
    size_t bytes = field->kind == EDDY_STR ? field->count : eddy_kind_bytes(field->kind);
    return (!a && !b) || (a && b && memcmp(a, b, bytes) == 0);
}

static void hear(void *user, uint32_t frame, const void *value) {
    heard *of = user;
    for (; of->next < frame; of->next++) {
        ck_assert_msg(of->has_last && same_value(of->field, of->last, value_at(of, of->next)),
                      "%s: the change at frame %u was not told", of->field->name, of->next);
    }
    of->last = value_at(of, frame);
    ck_assert_msg(same_value(of->field, value, of->last), "%s: another value at frame %u", of->field->name, frame);
    of->has_last = true;
    of->next = frame + 1;
}

static void expect_history(const tape *from, sealed_bytes sealed, const eddy_hooks *hooks, uint16_t type,
                           uint32_t field, eddy_id id) {
    const eddy_field *of = &from->schema->types[type].fields[field];
    uint32_t elements = of->kind == EDDY_STR ? 1 : of->count;
    seal_query query = {.id = id, .type = type, .field = field, .element = id % elements, .each = hear};
    query.first = from->first_frame + id % 5;
    query.last = from->first_frame + from->count - 1 - id % 3;
    heard state = {.from = from, .query = &query, .field = of, .next = query.first};
    query.user = &state;
    eddy_error error = {0};
    ck_assert_msg(sealed_history(from->schema, sealed, hooks, &query, &error) == EDDY_OK, "%s", error.text);
    for (; state.next <= query.last; state.next++) {
        ck_assert(state.has_last && same_value(of, state.last, value_at(&state, state.next)));
    }
}

START_TEST(the_history_of_a_value_is_told_whole) {
    stage_memory memory = {.fail_in = -1};
    eddy_hooks hooks = stage_hooks(&memory);
    tape random = random_tape(11, 90);
    sealed_bytes sealed = pack(&random, &hooks);
    for (uint16_t type = 0; type < STAGE_TYPE_COUNT; type++) {
        for (uint32_t field = 0; field < stage_schema.types[type].field_count; field++) {
            for (eddy_id id = 1; id <= 9; id++) {
                expect_history(&random, sealed, &hooks, type, field, id);
            }
        }
    }
    memory_release(&hooks, sealed.bytes, sealed.size);
    ck_assert_int_eq(memory.live_count, 0);
    tape_free(&random);
}
END_TEST

static uint64_t count_changes(const tape *from, uint16_t type, const eddy_field *field) {
    uint64_t changes = 0;
    uint32_t bytes = field->kind == EDDY_STR    ? field->count
                     : field->kind == EDDY_VEC2 ? 4
                                                : eddy_kind_bytes(field->kind);
    uint32_t lanes = field->count * eddy_kind_bytes(field->kind) / bytes;
    for (uint32_t t = 1; t < from->count; t++) {
        for (uint32_t i = 0; i < from->views[t].count; i++) {
            const eddy_entity *now = &from->views[t].entities[i];
            const eddy_entity *before = eddy_view_find(&from->views[t - 1], now->id);
            if (now->type != type || !before || before->type != type) {
                continue;
            }
            for (uint32_t lane = 0; lane < lanes; lane++) {
                uint32_t at = field->offset + lane * bytes;
                changes += memcmp((const uint8_t *)now->data + at, (const uint8_t *)before->data + at, bytes) != 0;
            }
        }
    }
    return changes;
}

START_TEST(the_directory_counts_changes) {
    eddy_hooks none = {0};
    tape random = random_tape(12, 100);
    sealed_bytes sealed = pack(&random, &none);
    for (uint16_t type = 0; type < STAGE_TYPE_COUNT; type++) {
        for (uint32_t field = 0; field < stage_schema.types[type].field_count; field++) {
            ck_assert_uint_eq(sealed_changes(sealed, type, field),
                              count_changes(&random, type, &stage_schema.types[type].fields[field]));
        }
    }
    memory_release(&none, sealed.bytes, sealed.size);
    tape_free(&random);
}
END_TEST

/* ---- extremes ---- */

START_TEST(runs_of_one_frame_and_frames_of_nothing) {
    for (uint32_t count = 1; count <= 3; count++) {
        tape empty = tape_begin(&stage_schema, 7, count);
        for (uint32_t t = 0; t < count; t++) {
            tape_put(&empty, t, &(eddy_view){0});
        }
        expect_round_trip(&empty, count);
        tape_free(&empty);
    }
    tape one = random_tape(5, 1);
    expect_round_trip(&one, 5);
    tape_free(&one);
}
END_TEST

START_TEST(no_frames_or_too_many_are_refused) {
    tape none = tape_begin(&stage_schema, 0, 1);
    seal_desc desc = desc_of(&none);
    sealed_bytes sealed;
    desc.source.frame_count = 0;
    ck_assert_int_eq(seal_pack(&desc, &sealed, NULL), EDDY_E_LIMIT);
    desc.source.frame_count = 65536;
    ck_assert_int_eq(seal_pack(&desc, &sealed, NULL), EDDY_E_LIMIT);
    tape_free(&none);
}
END_TEST

START_TEST(as_many_entities_as_there_may_be) {
    tape crowd = tape_begin(&stage_schema, 0, 3);
    eddy_entity *entities = calloc(EDDY_ENTITIES_MAX, sizeof *entities);
    stage_dot *dots = calloc(EDDY_ENTITIES_MAX, sizeof *dots);
    for (uint32_t t = 0; t < 3; t++) {
        for (uint32_t i = 0; i < EDDY_ENTITIES_MAX; i++) {
            dots[i].level = (uint8_t)(i * i + (i % 3 == 0 ? t : 0));
            entities[i] = (eddy_entity){.id = i * 3 + 1 + (t == 2 && i > 60000), .type = STAGE_DOT, .data = &dots[i]};
        }
        tape_put(&crowd, t, &(eddy_view){.entities = entities, .count = EDDY_ENTITIES_MAX});
    }
    expect_round_trip(&crowd, 0);
    free(entities);
    free(dots);
    tape_free(&crowd);
}
END_TEST

/* A memory image: few bytes of it change, or all. */
START_TEST(a_memory_image) {
    static stage_blob image;
    stage_random random = {.state = 4};
    uint32_t frames = _i == 0 ? 120 : 12, often = _i == 0 ? 20 : 4096;
    tape images = tape_begin(&stage_schema, 0, frames);
    for (uint32_t t = 0; t < frames; t++) {
        for (uint32_t i = 0; i < often; i++) {
            image.bytes[stage_below(&random, 4096)] = (uint8_t)stage_draw(&random);
        }
        eddy_entity entity = {.id = 1, .type = STAGE_BLOB, .data = &image};
        tape_put(&images, t, &(eddy_view){.entities = &entity, .count = 1});
    }
    expect_round_trip(&images, 4);
    tape_free(&images);
}
END_TEST

START_TEST(what_never_changes_is_nearly_free) {
    static stage_mover movers[2000];
    eddy_entity entities[2000];
    eddy_hooks none = {0};
    tape quiet = tape_begin(&stage_schema, 0, 200);
    for (uint32_t t = 0; t < 200; t++) {
        for (uint32_t i = 0; i < 2000; i++) {
            movers[i].x = 100;
            entities[i] = (eddy_entity){.id = i + 1, .type = STAGE_MOVER, .data = &movers[i]};
        }
        tape_put(&quiet, t, &(eddy_view){.entities = entities, .count = 2000});
    }
    sealed_bytes sealed = pack(&quiet, &none);
    ck_assert_msg(sealed.size < 400, "2,000 entities that stand still: found %zu bytes", sealed.size);
    memory_release(&none, sealed.bytes, sealed.size);
    tape_free(&quiet);
}
END_TEST

/* ---- what goes wrong ---- */

START_TEST(a_flipped_byte_is_seen) {
    eddy_hooks none = {0};
    tape random = random_tape(21, 24);
    sealed_bytes sealed = pack(&random, &none);
    for (size_t i = 0; i < sealed.size; i++) {
        opened_run *run = NULL;
        eddy_error error = {0};
        sealed.bytes[i] ^= (uint8_t)(1u << i % 8);
        ck_assert_msg(sealed_open(&stage_schema, sealed, &none, &run, &error) == EDDY_E_DAMAGED, "byte %zu", i);
        ck_assert(error.text[0] != '\0');
        sealed.bytes[i] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t size = 0; size < sealed.size; size += 1 + size / 16) {
        opened_run *run = NULL;
        sealed_bytes cut = {.bytes = sealed.bytes, .size = size};
        ck_assert_int_eq(sealed_open(&stage_schema, cut, &none, &run, NULL), EDDY_E_DAMAGED);
    }
    memory_release(&none, sealed.bytes, sealed.size);
    tape_free(&random);
}
END_TEST

static void drop(void *user, uint32_t frame, const void *value) {
    (void)user;
    (void)frame;
    (void)value;
}

/* Opens bytes whose checksum was mended: they may say what they like, but every frame that comes passes the check. */
static bool open_liar(sealed_bytes sealed, const eddy_hooks *hooks) {
    uint64_t sum = seal_checksum(sealed.bytes + 8, sealed.size - 8);
    memcpy(sealed.bytes, &sum, sizeof sum);
    opened_run *run = NULL;
    eddy_result result = sealed_open(&stage_schema, sealed, hooks, &run, NULL);
    ck_assert(result == EDDY_OK || result == EDDY_E_DAMAGED || result == EDDY_E_MEMORY);
    if (result != EDDY_OK) {
        return false;
    }
    seal_head head;
    memcpy(&head, sealed.bytes, sizeof head);
    frame_buffer buffer = {.hooks = *hooks};
    for (uint32_t t = 0; t < head.frame_count; t += 1 + head.frame_count / 24) {
        ck_assert_int_eq(opened_read(run, head.first_frame + t, &buffer, NULL), EDDY_OK);
        eddy_view view = frame_buffer_view(&buffer);
        eddy_error error = {0};
        ck_assert_msg(eddy_view_check(&stage_schema, &view, &error) == EDDY_OK, "%s", error.text);
        sealed_branch_of(sealed, head.first_frame + t);
    }
    seal_query query = {.id = 1, .type = STAGE_MOVER, .first = head.first_frame, .each = drop};
    query.last = head.first_frame + head.frame_count - 1;
    sealed_history(&stage_schema, sealed, hooks, &query, NULL);
    frame_buffer_free(&buffer);
    opened_close(run);
    return true;
}

START_TEST(bytes_that_lie_do_no_harm) {
    stage_memory memory = {.fail_in = -1};
    eddy_hooks hooks = stage_hooks(&memory);
    tape random = random_tape(22, 24);
    sealed_bytes sealed = pack(&random, &hooks);
    stage_random draw = {.state = 8};
    uint32_t opened = 0, times = stage_long(3000, 60000);
    for (uint32_t i = 0; i < times; i++) {
        size_t at = 8 + stage_below(&draw, (uint32_t)sealed.size - 8);
        at = i < sealed.size - 8 ? 8 + i : at;
        uint8_t before = sealed.bytes[at];
        sealed.bytes[at] ^= (uint8_t)(1 + stage_below(&draw, 255));
        opened += open_liar(sealed, &hooks);
        sealed.bytes[at] = before;
    }
    ck_assert_msg(opened > 0 && opened < times, "%u of %u opened", opened, times);
    ck_assert(open_liar(sealed, &hooks));
    memory_release(&hooks, sealed.bytes, sealed.size);
    ck_assert_int_eq(memory.live_count, 0);
    tape_free(&random);
}
END_TEST

START_TEST(without_memory_nothing_leaks) {
    tape random = random_tape(23, 40);
    uint64_t injected = 0;
    for (int64_t fail_in = 0;; fail_in++) {
        stage_memory memory = {.fail_in = fail_in};
        seal_desc desc = desc_of(&random);
        desc.hooks = stage_hooks(&memory);
        sealed_bytes sealed;
        opened_run *run = NULL;
        eddy_result result = seal_pack(&desc, &sealed, NULL);
        ck_assert_msg(result == (memory.failed ? EDDY_E_MEMORY : EDDY_OK), "reserve %lld: %s", (long long)fail_in,
                      eddy_result_name(result));
        if (result == EDDY_OK) {
            result = sealed_open(&stage_schema, sealed, &desc.hooks, &run, NULL);
            ck_assert_int_eq(result, memory.failed ? EDDY_E_MEMORY : EDDY_OK);
            frame_buffer buffer = {.hooks = desc.hooks};
            eddy_result read = run ? opened_read(run, random.first_frame + 9, &buffer, NULL) : EDDY_OK;
            ck_assert_int_eq(read == EDDY_OK || read == EDDY_E_MEMORY, true);
            frame_buffer_free(&buffer);
            opened_close(run);
            seal_query query = {.id = 1, .type = STAGE_MOVER, .first = random.first_frame, .each = drop};
            query.last = random.first_frame + 30;
            sealed_history(&stage_schema, sealed, &desc.hooks, &query, NULL);
            memory_release(&desc.hooks, sealed.bytes, sealed.size);
        }
        ck_assert_msg(memory.live_count == 0, "reserve %lld: %lld pieces were not given back", (long long)fail_in,
                      (long long)memory.live_count);
        injected += memory.failed;
        if (!memory.failed) {
            break;
        }
    }
    ck_assert_uint_gt(injected, 20);
    tape_free(&random);
}
END_TEST

/* A source that stops it in the middle. */
typedef struct stopping {
    tape *from;
    atomic_bool stop;
    uint32_t stop_at;
} stopping;

static eddy_result read_stopping(void *user, uint32_t index, seal_frame *out, eddy_error *error) {
    stopping *at = user;
    ck_assert_msg(index <= at->stop_at + 1, "frame %u was read after the stop", index);
    if (index == at->stop_at) {
        atomic_store(&at->stop, true);
    }
    return tape_read(at->from, index, out, error);
}

START_TEST(it_stops_when_told) {
    tape random = random_tape(24, 60);
    stopping source = {.from = &random, .stop_at = 20};
    stage_memory memory = {.fail_in = -1};
    seal_desc desc = desc_of(&random);
    desc.hooks = stage_hooks(&memory);
    desc.cancel = &source.stop;
    desc.source.read = read_stopping;
    desc.source.user = &source;
    for (source.stop_at = 0; source.stop_at < 60; source.stop_at += 59) {
        sealed_bytes sealed;
        atomic_store(&source.stop, false);
        ck_assert_int_eq(seal_pack(&desc, &sealed, NULL), EDDY_E_MEMORY);
        ck_assert_int_eq(memory.live_count, 0);
    }
    tape_free(&random);
}
END_TEST

START_TEST(a_frame_that_does_not_come_back_is_seen) {
    tape random = random_tape(25, 30);
    stage_memory memory = {.fail_in = -1};
    seal_desc desc = desc_of(&random);
    desc.hooks = stage_hooks(&memory);
    random.hashes[17]++; /* as if column or hash had gone wrong */
    sealed_bytes sealed;
    eddy_error error = {0};
    ck_assert_int_eq(seal_pack(&desc, &sealed, &error), EDDY_E_DAMAGED);
    char frame[32];
    snprintf(frame, sizeof frame, "frame %u", random.first_frame + 17);
    ck_assert_msg(strstr(error.text, frame) != NULL, "expected it to name %s: %s", frame, error.text);
    ck_assert_ptr_null(sealed.bytes);
    ck_assert_int_eq(memory.live_count, 0);
    tape_free(&random);
}
END_TEST

static void make(Suite *suite) {
    TCase *back = suite_case(suite, "everything comes back", 60);
    tcase_add_test(back, any_world_comes_back);
    tcase_add_test(back, same_frames_give_same_bytes);
    tcase_add_test(back, odd_numbers_come_back_to_the_bit);
    TCase *predictors = suite_case(suite, "predictors", 30);
    tcase_add_loop_test(predictors, a_predictor_inverts_on_any_bits, 0, PREDICT_COUNT);
    tcase_add_test(predictors, neighbours_stay_neighbours);
    tcase_add_loop_test(predictors, a_rule_is_found, 0, (int)(sizeof rules / sizeof rules[0]));
    TCase *history = suite_case(suite, "one value over time", 30);
    tcase_add_test(history, the_history_of_a_value_is_told_whole);
    tcase_add_test(history, the_directory_counts_changes);
    TCase *extremes = suite_case(suite, "extremes", 60);
    tcase_add_test(extremes, runs_of_one_frame_and_frames_of_nothing);
    tcase_add_test(extremes, no_frames_or_too_many_are_refused);
    tcase_add_test(extremes, as_many_entities_as_there_may_be);
    tcase_add_loop_test(extremes, a_memory_image, 0, 2);
    tcase_add_test(extremes, what_never_changes_is_nearly_free);
    TCase *wrong = suite_case(suite, "what goes wrong", 120);
    tcase_add_test(wrong, a_flipped_byte_is_seen);
    tcase_add_test(wrong, bytes_that_lie_do_no_harm);
    tcase_add_test(wrong, without_memory_nothing_leaks);
    tcase_add_test(wrong, it_stops_when_told);
    tcase_add_test(wrong, a_frame_that_does_not_come_back_is_seen);
}

int main(void) {
    return suite_run("seal", make);
}
