/* Sealing: runs of frames as packed columns come back to the bit, whatever is in them, and damage is seen. */
#include "rewind/column.h"
#include "rewind/seal_head.h"
#include "rewind/seal_zstd.h"
#include "rewind_stage.h"
#include "suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Check notes every assertion that holds too: inside loops that is most of the time a test takes. */
#define EXPECT(good, ...)                                                                                              \
    do {                                                                                                               \
        if (!(good)) {                                                                                                 \
            ck_abort_msg(__VA_ARGS__);                                                                                 \
        }                                                                                                              \
    } while (0)

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

static size_t tape_room(const tape *from, const eddy_entity *entity) {
    return (from->schema->types[entity->type].size + 7u) / 8 * 8;
}

/* Keeps a copy of a frame: entities, and behind them their structs. */
static void tape_put(tape *into, uint32_t t, const eddy_view *view) {
    size_t bytes = view->count * sizeof(eddy_entity);
    for (uint32_t i = 0; i < view->count; i++) {
        bytes += tape_room(into, &view->entities[i]);
    }
    eddy_entity *entities = calloc(1, bytes + 1);
    uint8_t *state = (uint8_t *)(entities + view->count);
    for (uint32_t i = 0; i < view->count; i++) {
        entities[i] = view->entities[i];
        entities[i].data = memcpy(state, view->entities[i].data, into->schema->types[view->entities[i].type].size);
        state += tape_room(into, &view->entities[i]);
    }
    into->views[t] = (eddy_view){.entities = entities, .count = view->count};
    into->hashes[t] = eddy_view_hash(into->schema, view);
}

static void tape_free(tape *of) {
    for (uint32_t t = 0; t < of->count; t++) {
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
    EXPECT(found->count == expected->count, "seed %" PRIu64 ", frame %u: expected %u entities, found %u", seed, t,
           expected->count, found->count);
    for (uint32_t i = 0; i < expected->count; i++) {
        const eddy_entity *a = &expected->entities[i], *b = &found->entities[i];
        EXPECT(a->id == b->id && a->type == b->type, "seed %" PRIu64 ", frame %u: entity %u is another", seed, t,
               a->id);
        const eddy_type *type = &from->schema->types[a->type];
        for (uint32_t f = 0; f < type->field_count; f++) {
            const eddy_field *field = &type->fields[f];
            size_t bytes = (size_t)field->count * eddy_kind_bytes(field->kind);
            EXPECT(memcmp((const uint8_t *)a->data + field->offset, (const uint8_t *)b->data + field->offset, bytes) ==
                       0,
                   "seed %" PRIu64 ", frame %u, entity %u: field %s is another", seed, t, a->id, field->name);
        }
    }
}

/* Opens a sealed run and compares every frame, in an order that jumps. */
static void expect_run(const tape *from, sealed_bytes sealed, const eddy_hooks *hooks, uint64_t seed) {
    opened_run *run;
    eddy_error error = {0};
    EXPECT(sealed_open(from->schema, sealed, hooks, &run, &error) == EDDY_OK, "open: %s", error.text);
    frame_buffer buffer = {.hooks = *hooks};
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t t = (uint32_t)((uint64_t)i * 7919 % from->count);
        t = from->count % 7919 == 0 ? i : t;
        EXPECT(opened_read(run, from->first_frame + t, &buffer, &error) == EDDY_OK, "read: %s", error.text);
        eddy_view view = frame_buffer_view(&buffer);
        expect_view(from, t, &view, seed);
        EXPECT(sealed_branch_of(sealed, from->first_frame + t) == from->branches[t], "frame %u: another branch", t);
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

/* A source that keeps no view longer than it has promised. */
typedef struct passing {
    tape *from;
    stage_copy last[2];
} passing;

static eddy_result read_passing(void *user, uint32_t index, seal_frame *out, eddy_error *error) {
    passing *at = user;
    eddy_result result = tape_read(at->from, index, out, error);
    stage_copy_free(&at->last[index % 2]);
    at->last[index % 2] = stage_copy_of(&out->view);
    out->view = at->last[index % 2].view;
    return result;
}

START_TEST(same_frames_give_same_bytes) {
    tape random = random_tape(3, 120);
    passing source = {.from = &random};
    eddy_hooks none = {0};
    sealed_bytes a = pack(&random, &none), b;
    seal_desc desc = desc_of(&random);
    desc.source.read = read_passing;
    desc.source.user = &source;
    ck_assert_int_eq(seal_pack(&desc, &b, NULL), EDDY_OK);
    ck_assert_uint_eq(a.size, b.size);
    ck_assert_mem_eq(a.bytes, b.bytes, a.size);
    memory_release(&none, a.bytes, a.size);
    memory_release(&none, b.bytes, b.size);
    stage_copy_free(&source.last[0]);
    stage_copy_free(&source.last[1]);
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

/* The ends of what a kind holds, and beside them. */
static uint64_t extreme_of(uint32_t bytes, uint32_t which) {
    uint64_t all = UINT64_MAX >> (64 - 8 * bytes), top = all ^ (all >> 1);
    const uint64_t ends[] = {0, all, top, top - 1, 1, top + 1, all - 1};
    return ends[which % (sizeof ends / sizeof ends[0])];
}

static void fill_with_extremes(stage_every *every, uint32_t t) {
    for (uint32_t f = 0; f < stage_schema.types[STAGE_EVERY].field_count; f++) {
        const eddy_field *field = &stage_schema.types[STAGE_EVERY].fields[f];
        uint8_t *at = (uint8_t *)every + field->offset;
        if (field->kind == EDDY_STR) {
            memset(at, 0, field->count);
            memset(at, 0xff, t * 5 % (field->count + 1));
            continue;
        }
        uint32_t bytes = field->kind == EDDY_VEC2 ? 4 : eddy_kind_bytes(field->kind);
        for (uint32_t i = 0; i < field->count * eddy_kind_bytes(field->kind) / bytes; i++) {
            uint64_t value = extreme_of(bytes, t * (f + 1) + i);
            value = field->kind == EDDY_BOOL ? value & 1 : value;
            memcpy(at + i * bytes, &value, bytes);
        }
    }
}

START_TEST(the_ends_of_every_kind_come_back) {
    tape ends = tape_begin(&stage_schema, UINT32_MAX - 300, 150);
    for (uint32_t t = 0; t < ends.count; t++) {
        stage_every every = {0};
        fill_with_extremes(&every, t);
        eddy_entity entity = {.id = UINT32_MAX, .type = STAGE_EVERY, .data = &every};
        tape_put(&ends, t, &(eddy_view){.entities = &entity, .count = 1});
    }
    expect_round_trip(&ends, 0);
    tape_free(&ends);
}
END_TEST

/* A name that is typed and erased again, letter by letter. */
START_TEST(strings_change_in_place) {
    tape typed = tape_begin(&stage_schema, 0, 300);
    for (uint32_t t = 0; t < typed.count; t++) {
        stage_every every = {.name = ""};
        uint32_t length = t / 10 % 24;
        memcpy(every.name, "lantern moth", length <= 12 ? length : 24 - length);
        eddy_entity entity = {.id = 1, .type = STAGE_EVERY, .data = &every};
        tape_put(&typed, t, &(eddy_view){.entities = &entity, .count = 1});
    }
    eddy_hooks none = {0};
    sealed_bytes sealed = pack(&typed, &none);
    ck_assert_uint_eq(sealed_changes(sealed, STAGE_EVERY, 13), 29);
    memory_release(&none, sealed.bytes, sealed.size);
    expect_round_trip(&typed, 0);
    tape_free(&typed);
}
END_TEST

/* ---- predictors ---- */

static const lane_class classes[] = {LANE_UNSIGNED, LANE_SIGNED, LANE_F32, LANE_F64};
#define COLUMN_FRAMES 300u

typedef enum row_kind { ROW_RANDOM, ROW_CONSTANT, ROW_RAMP, ROW_SINE, ROW_ODD, ROW_KINDS } row_kind;
static const char *const row_names[ROW_KINDS] = {"random bits", "a constant", "a ramp", "a sine", "odd numbers"};

/* A number as a value of a class. */
static uint64_t value_of_number(lane_class class, uint64_t mask, double number) {
    uint64_t bits = 0;
    float narrow = (float)number;
    if (class == LANE_F32) {
        memcpy(&bits, &narrow, sizeof narrow);
    } else if (class == LANE_F64) {
        memcpy(&bits, &number, sizeof number);
    } else {
        bits = (uint64_t)(int64_t)number & mask;
    }
    return lane_order(class, bits);
}

/* NaNs that signal or not, infinities, denormals, both zeros; of whole numbers the ends. */
static uint64_t odd_value(lane_class class, uint32_t bytes, uint32_t which) {
    static const uint32_t singles[] = {0x7fc00001u, 0x7f800001u, 0xffc12345u, 0xff812345u, 0x7f800000u,
                                       0xff800000u, 0x80000000u, 0,           1,           0x807fffffu};
    if (class == LANE_F32) {
        return lane_order(class, singles[which % 10]);
    }
    if (class == LANE_F64) { /* the same ones */
        uint64_t single = singles[which % 10];
        uint64_t exponent = (single >> 23 & 255) == 255 ? (uint64_t)0x7ff << 52 : 0;
        return lane_order(class, single >> 31 << 63 | exponent | (single & 0x7fffff) << 29);
    }
    return extreme_of(bytes, which);
}

static void fill_row(uint64_t *row, row_kind kind, lane_class class, uint32_t bytes, stage_random *random) {
    uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
    for (uint32_t t = 0; t < COLUMN_FRAMES; t++) {
        bool stays = t > 0 && stage_below(random, 3) > 0;
        switch (kind) {
        case ROW_RANDOM:
            row[t] = stays ? row[t - 1] : stage_draw(random) & mask;
            break;
        case ROW_ODD:
            row[t] = stays ? row[t - 1] : odd_value(class, bytes, stage_below(random, 70));
            break;
        case ROW_RAMP:
            row[t] = value_of_number(class, mask, 0.75 * t - 100);
            break;
        case ROW_SINE:
            row[t] = value_of_number(class, mask, 90 * sin(t * 0.07));
            break;
        default:
            row[t] = value_of_number(class, mask, 77);
        }
    }
}

/* One predictor on one row, beside another one. */
typedef struct column_case {
    int id;
    lane_class class;
    uint32_t bytes, count;
    row_kind kind;
    uint64_t values[COLUMN_FRAMES], other[COLUMN_FRAMES];
} column_case;

/* The ways in which a walk may be set up. */
#define COLUMN_WAYS 16u
static column_walk walk_of(const column_case *of, uint32_t way, column_memo *memo) {
    column_walk walk = {.class = of->class, .count = of->count, .mover = of->other, .memo = memo};
    walk.mask = UINT64_MAX >> (64 - 8 * of->bytes);
    walk.mover_class = of->class;
    walk.pace = (column_pace){.factor = way & 8 ? (double)NAN : 60, .divides = way & 1, .late = way & 2};
    walk.gate = way & 4 ? of->other : NULL;
    walk.key_own = way & 1;
    walk.key = way & 2 ? of->other : NULL;
    walk.target = way & 1 ? MEMO_VALUE : MEMO_DELTA;
    walk.fit[0] = way & 8 ? (double)INFINITY : 1.5;
    walk.fit[1] = -0.5;
    walk.add = walk.step = way * 3 & walk.mask;
    return walk;
}

static void expect_inverse(const column_case *of, uint32_t way) {
    static column_memo memo;
    uint64_t residuals[COLUMN_FRAMES] = {0}, back[COLUMN_FRAMES];
    column_walk walk = walk_of(of, way, &memo);
    memset(&memo, 0, sizeof memo);
    column_predictors[of->id].encode(&walk, of->values, residuals);
    memset(&memo, 0, sizeof memo);
    back[0] = of->values[0];
    column_predictors[of->id].decode(&walk, back, residuals);
    for (uint32_t t = 0; t < of->count; t++) {
        EXPECT(back[t] == of->values[t] && residuals[t] <= walk.mask,
               "%s, class %d of %u bytes, %s, way %u, frame %u of %u: expected %" PRIx64 ", found %" PRIx64,
               column_predictors[of->id].name, (int)of->class, of->bytes, row_names[of->kind], way, t, of->count,
               of->values[t], back[t]);
    }
}

START_TEST(a_predictor_inverts_on_any_row) {
    static column_case at;
    stage_random random = {.state = 78};
    at.id = _i;
    for (uint32_t i = 0; i < 4 * 4 * ROW_KINDS * ROW_KINDS; i++) {
        at.class = classes[i % 4];
        at.bytes = 1u << i / 4 % 4;
        at.kind = (row_kind)(i / 16 % ROW_KINDS);
        if (at.class == LANE_F32 ? at.bytes != 4 : at.class == LANE_F64 && at.bytes != 8) {
            continue;
        }
        fill_row(at.values, at.kind, at.class, at.bytes, &random);
        fill_row(at.other, (row_kind)(i / 16 / ROW_KINDS), at.class, at.bytes, &random);
        for (uint32_t way = 0; way < COLUMN_WAYS; way++) {
            at.count = way == 0 ? 1 + i % 5 : COLUMN_FRAMES;
            expect_inverse(&at, way);
        }
    }
}
END_TEST

/* Two columns of any length side by side give what each gives alone. */
START_TEST(pairs_decode_as_one_by_one) {
    static column_case at[2];
    static uint64_t residuals[2][COLUMN_FRAMES], back[2][COLUMN_FRAMES];
    stage_random random = {.state = 79};
    for (uint32_t i = 0; i < 600; i++) {
        column_decoding pair[2];
        for (int n = 0; n < 2; n++) {
            at[n] = (column_case){.id = _i, .class = LANE_F32, .bytes = 4};
            at[n].count = 1 + stage_below(&random, i % 2 ? COLUMN_FRAMES : 6);
            fill_row(at[n].values, (row_kind)stage_below(&random, ROW_KINDS), LANE_F32, 4, &random);
            fill_row(at[n].other, (row_kind)stage_below(&random, ROW_KINDS), LANE_F32, 4, &random);
            column_walk walk = walk_of(&at[n], stage_below(&random, COLUMN_WAYS), NULL);
            pair[n] =
                (column_decoding){.id = (predictor_id)_i, .walk = walk, .values = back[n], .residuals = residuals[n]};
        }
        if (!column_can_pair(&pair[0], &pair[1])) {
            ck_assert(_i != PREDICT_FIT && _i != PREDICT_AFFINE && _i != PREDICT_MOVE);
            return;
        }
        for (int n = 0; n < 2; n++) {
            column_predictors[_i].encode(&pair[n].walk, at[n].values, residuals[n]);
            back[n][0] = at[n].values[0];
        }
        column_decode_pair(&pair[0], &pair[1]);
        for (int n = 0; n < 2; n++) {
            EXPECT(memcmp(back[n], at[n].values, at[n].count * sizeof back[n][0]) == 0,
                   "%s, pair %u of %u and %u frames: column %d is another", column_predictors[_i].name, i, at[0].count,
                   at[1].count, n);
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
static void step_wave(bare *state, uint32_t t) {
    state->b = 100 + 50 * sin(t * 0.05);
}
/* Numbers without a rule, and what adds them up in the four ways in which games do. */
static void step_speed(bare *state, uint32_t t) {
    state->spare = (float)((int32_t)(t * 2654435761u) >> 20) * 0.37f;
}
static void step_times(bare *state, uint32_t t) {
    step_speed(state, t);
    state->a += state->spare * (1 / 60.0f);
}
static void step_times_late(bare *state, uint32_t t) {
    state->a += state->spare * (1 / 60.0f);
    step_speed(state, t);
}
static void step_over(bare *state, uint32_t t) {
    step_speed(state, t);
    state->a += state->spare / 60.0f;
}
static void step_over_late(bare *state, uint32_t t) {
    state->a += state->spare / 60.0f;
    step_speed(state, t);
}
static void step_count(bare *state, uint32_t t) {
    state->e = (int32_t)(t * 2654435761u) >> 12;
}
static void step_adding(bare *state, uint32_t t) {
    step_count(state, t);
    state->d += state->e;
}

static const struct {
    const char *name;
    void (*step)(bare *state, uint32_t t), (*beside)(bare *state, uint32_t t);
    size_t most; /* bytes above the run that it stands beside */
} rules[] = {
    {"a countdown that reloads by another field", step_countdown, step_still, 60},
    {"a place that adds up a decaying speed", step_mover, step_still, 170},
    {"a wave", step_wave, step_still, 1100},
    {"x = x + v * dt", step_times, step_speed, 40},
    {"x = x + v * dt, v of the frame before", step_times_late, step_speed, 40},
    {"x = x + v / 60", step_over, step_speed, 40},
    {"x = x + v / 60, v of the frame before", step_over_late, step_speed, 40},
    {"a whole number that adds up another", step_adding, step_count, 40},
};

START_TEST(a_rule_is_found) {
    eddy_hooks none = {0};
    tape beside = bare_tape(1000, rules[_i].beside), moving = bare_tape(1000, rules[_i].step);
    sealed_bytes a = pack(&beside, &none), b = pack(&moving, &none);
    ck_assert_msg(b.size <= a.size + rules[_i].most, "%s: expected at most %zu bytes more than %zu, found %zu",
                  rules[_i].name, rules[_i].most, a.size, b.size);
    memory_release(&none, a.bytes, a.size);
    memory_release(&none, b.bytes, b.size);
    expect_round_trip(&moving, 0);
    tape_free(&beside);
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
        EXPECT(of->has_last && same_value(of->field, of->last, value_at(of, of->next)),
               "%s: the change at frame %u was not told", of->field->name, of->next);
    }
    const void *now = value_at(of, frame);
    EXPECT(!of->has_last || !same_value(of->field, of->last, now), "%s: nothing changed at frame %u", of->field->name,
           frame);
    of->last = now;
    EXPECT(same_value(of->field, value, of->last), "%s: another value at frame %u", of->field->name, frame);
    of->has_last = true;
    of->next = frame + 1;
}

/* Asks for any element of an entity over any frames. */
static void expect_history(const tape *from, sealed_bytes sealed, const eddy_hooks *hooks, uint16_t type,
                           uint32_t field, stage_random *random) {
    const eddy_field *of = &from->schema->types[type].fields[field];
    seal_query query = {.id = 1 + stage_below(random, 12), .type = type, .field = field, .each = hear};
    query.element = stage_below(random, of->kind == EDDY_STR ? 1 : of->count);
    query.first = from->first_frame + stage_below(random, from->count);
    query.last = query.first + stage_below(random, from->first_frame + from->count - query.first);
    heard state = {.from = from, .query = &query, .field = of, .next = query.first};
    query.user = &state;
    eddy_error error = {0};
    ck_assert_msg(sealed_history(from->schema, sealed, hooks, &query, &error) == EDDY_OK, "%s", error.text);
    for (; state.next <= query.last; state.next++) {
        ck_assert_msg(state.has_last && same_value(of, state.last, value_at(&state, state.next)),
                      "entity %u, %s[%u]: the change at frame %u was not told", query.id, of->name, query.element,
                      state.next);
    }
}

START_TEST(the_history_of_a_value_is_told_whole) {
    stage_memory memory = {.fail_in = -1};
    eddy_hooks hooks = stage_hooks(&memory);
    tape random = random_tape(11, 90);
    sealed_bytes sealed = pack(&random, &hooks);
    stage_random draw = {.state = 12};
    for (uint16_t type = 0; type < STAGE_TYPE_COUNT; type++) {
        for (uint32_t field = 0; field < stage_schema.types[type].field_count; field++) {
            for (int times = 0; times < 20; times++) {
                expect_history(&random, sealed, &hooks, type, field, &draw);
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

/* Its last frame has the highest place there is in a column. */
START_TEST(as_many_frames_as_there_may_be) {
    tape night = tape_begin(&stage_schema, 3, 65535);
    stage_dot dots[2] = {{0}};
    eddy_entity entities[2] = {{.id = 1, .type = STAGE_DOT, .data = &dots[0]},
                               {.id = 2, .type = STAGE_DOT, .data = &dots[1]}};
    for (uint32_t t = 0; t < night.count; t++) {
        dots[0].level = (uint8_t)(t / 9001 + (t == 65534));
        dots[1].level = (uint8_t)(t * t >> 5);
        tape_put(&night, t, &(eddy_view){.entities = entities, .count = t == 7 ? 1 : 2});
    }
    expect_round_trip(&night, 0);
    tape_free(&night);
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

/* Bytes of a run in which 500 entities stand still. */
static size_t quiet_bytes(uint32_t frames) {
    static stage_mover movers[500];
    eddy_entity entities[500];
    eddy_hooks none = {0};
    tape quiet = tape_begin(&stage_schema, 0, frames);
    for (uint32_t i = 0; i < 500; i++) {
        movers[i] = (stage_mover){.x = (float)(i % 7)};
        entities[i] = (eddy_entity){.id = i + 1, .type = STAGE_MOVER, .data = &movers[i]};
    }
    for (uint32_t t = 0; t < frames; t++) {
        tape_put(&quiet, t, &(eddy_view){.entities = entities, .count = 500});
    }
    sealed_bytes sealed = pack(&quiet, &none);
    memory_release(&none, sealed.bytes, sealed.size);
    tape_free(&quiet);
    return sealed.size;
}

START_TEST(what_never_changes_is_nearly_free) {
    size_t few = quiet_bytes(60), many = quiet_bytes(600);
    ck_assert_msg(many < few + 64, "500 entities that stand still: %zu bytes for 60 frames, %zu for 600", few, many);
    ck_assert_msg(few < 400, "500 entities that stand still: found %zu bytes", few);
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

/* Memory for what the small runs here need: a lie about a size finds none. */
static void *reserve_modest(void *user, size_t bytes) {
    return bytes > (8u << 20) ? NULL : stage_hooks(user).reserve(user, bytes);
}

static eddy_hooks modest_hooks(stage_memory *memory) {
    eddy_hooks hooks = stage_hooks(memory);
    hooks.reserve = reserve_modest;
    return hooks;
}

/* Opens bytes whose checksum was mended: they may say what they like, but every frame that comes passes the check. */
static bool open_liar(const eddy_schema *schema, sealed_bytes sealed, const eddy_hooks *hooks) {
    uint64_t sum = seal_checksum(sealed.bytes + 8, sealed.size - 8);
    memcpy(sealed.bytes, &sum, sizeof sum);
    opened_run *run = NULL;
    eddy_result result = sealed_open(schema, sealed, hooks, &run, NULL);
    EXPECT(result == EDDY_OK || result == EDDY_E_DAMAGED || result == EDDY_E_MEMORY, "%s", eddy_result_name(result));
    if (result != EDDY_OK) {
        return false;
    }
    seal_head head;
    memcpy(&head, sealed.bytes, sizeof head);
    frame_buffer buffer = {.hooks = *hooks};
    for (uint32_t t = 0; t < head.frame_count; t += 1 + head.frame_count / 24) {
        result = opened_read(run, head.first_frame + t, &buffer, NULL);
        EXPECT(result == EDDY_OK || result == EDDY_E_MEMORY, "%s", eddy_result_name(result));
        eddy_view view = frame_buffer_view(&buffer);
        eddy_error error = {0};
        EXPECT(eddy_view_check(schema, &view, &error) == EDDY_OK, "%s", error.text);
        sealed_branch_of(sealed, head.first_frame + t);
    }
    seal_query query = {.id = 1, .first = head.first_frame, .each = drop};
    query.last = head.first_frame + head.frame_count - 1;
    for (query.type = 0; query.type < schema->type_count; query.type++) {
        query.field = head.frame_count % schema->types[query.type].field_count;
        sealed_history(schema, sealed, hooks, &query, NULL);
        sealed_changes(sealed, query.type, query.field);
    }
    frame_buffer_free(&buffer);
    opened_close(run);
    return true;
}

START_TEST(bytes_that_lie_do_no_harm) {
    stage_memory memory = {.fail_in = -1};
    eddy_hooks hooks = modest_hooks(&memory);
    tape random = random_tape(22, 24);
    sealed_bytes sealed = pack(&random, &hooks);
    stage_random draw = {.state = 8};
    uint32_t opened = 0, times = stage_long(3000, 60000);
    for (uint32_t i = 0; i < times; i++) {
        size_t at = 8 + stage_below(&draw, (uint32_t)sealed.size - 8);
        at = i < sealed.size - 8 ? 8 + i : at;
        uint8_t before = sealed.bytes[at];
        sealed.bytes[at] ^= (uint8_t)(1 + stage_below(&draw, 255));
        opened += open_liar(&stage_schema, sealed, &hooks);
        sealed.bytes[at] = before;
    }
    ck_assert_msg(opened > 0 && opened < times, "%u of %u opened", opened, times);
    ck_assert(open_liar(&stage_schema, sealed, &hooks));
    for (size_t size = 8; size < sealed.size; size += 1 + size / 64) {
        uint8_t *cut = memcpy(malloc(size), sealed.bytes, size);
        ck_assert(!open_liar(&stage_schema, (sealed_bytes){.bytes = cut, .size = size}, &hooks));
        free(cut);
    }
    memory_release(&hooks, sealed.bytes, sealed.size);
    ck_assert_int_eq(memory.live_count, 0);
    tape_free(&random);
}
END_TEST

/* A sealed run taken apart, to be put together again with lies inside what zstd packs. */
#define PARTS_NUMBERS 512
#define PARTS_BLOCKS 32
typedef struct seal_parts {
    eddy_hooks hooks;
    seal_packer *packer;
    const uint8_t *front; /* head and branches */
    size_t front_bytes;
    uint64_t numbers[PARTS_NUMBERS]; /* of the directory; blocks, then two for each block, and so on */
    uint32_t number_count, block_count;
    bytes_writer raw[PARTS_BLOCKS], packed[PARTS_BLOCKS];
} seal_parts;

static void pack_part(seal_parts *parts, uint32_t block) {
    const bytes_writer *raw = &parts->raw[block];
    parts->packed[block].size = 0;
    EXPECT(seal_packer_pack(parts->packer, raw->bytes, raw->size, NULL, 0, &parts->packed[block]),
           "block %u was not packed", block);
    parts->numbers[1 + 2 * block] = raw->size;
    parts->numbers[2 + 2 * block] = parts->packed[block].size;
}

static void take_apart(seal_parts *parts, sealed_bytes sealed, const eddy_hooks *hooks) {
    seal_head head;
    ck_assert(seal_head_read(sealed, &head));
    *parts = (seal_parts){.hooks = *hooks, .front = sealed.bytes};
    parts->packer = seal_packer_create(1, &parts->hooks);
    parts->front_bytes = SEAL_HEAD_BYTES + head.branch_pieces * sizeof(seal_branch_piece);
    bytes_reader reader = bytes_reader_of(sealed.bytes + parts->front_bytes, head.blocks_at - parts->front_bytes);
    while (bytes_left(&reader) > 0) {
        ck_assert_uint_lt(parts->number_count, PARTS_NUMBERS);
        parts->numbers[parts->number_count++] = bytes_varint(&reader);
    }
    parts->block_count = (uint32_t)parts->numbers[0];
    ck_assert_uint_le(parts->block_count, PARTS_BLOCKS);
    seal_unpacker *unpacker = seal_unpacker_create(&parts->hooks);
    const uint8_t *at = sealed.bytes + head.blocks_at;
    for (uint32_t i = 0; i < parts->block_count; i++) {
        bytes_writer *raw = &parts->raw[i];
        size_t size = parts->numbers[1 + 2 * i], packed = parts->numbers[2 + 2 * i];
        raw->hooks = parts->packed[i].hooks = &parts->hooks;
        ck_assert(seal_unpacker_unpack(unpacker, at, packed, bytes_room(raw, size), size));
        raw->size = size;
        at += packed;
        pack_part(parts, i);
    }
    seal_unpacker_destroy(unpacker);
}

static void parts_free(seal_parts *parts) {
    for (uint32_t i = 0; i < parts->block_count; i++) {
        bytes_writer_free(&parts->raw[i]);
        bytes_writer_free(&parts->packed[i]);
    }
    seal_packer_destroy(parts->packer);
}

/* Puts it together as it is now and opens it. */
static bool open_parts(const eddy_schema *schema, const seal_parts *parts) {
    bytes_writer out = {.hooks = &parts->hooks};
    seal_head head;
    memcpy(&head, parts->front, sizeof head);
    bytes_write(&out, parts->front, parts->front_bytes);
    for (uint32_t i = 0; i < parts->number_count; i++) {
        bytes_write_varint(&out, parts->numbers[i]);
    }
    head.blocks_at = (uint32_t)out.size;
    memcpy(out.bytes, &head, sizeof head);
    for (uint32_t i = 0; i < parts->block_count; i++) {
        bytes_write(&out, parts->packed[i].bytes, parts->packed[i].size);
    }
    uint8_t *exact = memcpy(malloc(out.size), out.bytes, out.size); /* so that a sanitizer sees its end */
    bool opens = open_liar(schema, (sealed_bytes){.bytes = exact, .size = out.size}, &parts->hooks);
    free(exact);
    bytes_writer_free(&out);
    return opens;
}

/* A number in place of another: near it, at an end, or such that a sum or a cast of it is small again. */
static uint64_t lie_about(uint64_t number, uint32_t which) {
    const uint64_t lies[] = {UINT64_MAX,
                             0,
                             1,
                             number - 1,
                             number + 1,
                             0 - number,
                             UINT32_MAX,
                             number / 2,
                             2 * number,
                             number | (uint64_t)1 << 32,
                             65535,
                             1u << 31,
                             (uint64_t)1 << 63};
    return lies[which % (sizeof lies / sizeof lies[0])];
}
#define LIES 13u

/* Opens `parts` with one lie in it, then takes it back. */
typedef void (*lie_fn)(const eddy_schema *schema, seal_parts *parts, stage_random *random, uint32_t round);

/* First every number of the directory with every lie, then two or three at once. */
static void lie_in_directory(const eddy_schema *schema, seal_parts *parts, stage_random *random, uint32_t round) {
    uint64_t before[PARTS_NUMBERS];
    memcpy(before, parts->numbers, sizeof before);
    if (round < parts->number_count * LIES) {
        uint64_t *number = &parts->numbers[round / LIES];
        *number = lie_about(*number, round % LIES);
    }
    for (uint32_t i = 0; round >= parts->number_count * LIES && i < 2 + round % 2; i++) {
        uint64_t *number = &parts->numbers[stage_below(random, parts->number_count)];
        *number = lie_about(*number, stage_below(random, LIES));
    }
    open_parts(schema, parts);
    memcpy(parts->numbers, before, sizeof before);
}

/* Other bytes in a block, or an early end. */
static void lie_in_block(const eddy_schema *schema, seal_parts *parts, stage_random *random, uint32_t round) {
    uint32_t block = stage_below(random, parts->block_count), flips = stage_below(random, 4);
    bytes_writer *raw = &parts->raw[block];
    size_t size = raw->size, places[3];
    uint8_t masks[3];
    for (uint32_t i = 0; i < flips; i++) {
        places[i] = stage_below(random, (uint32_t)size);
        masks[i] = (uint8_t)(stage_below(random, 2) ? 1u << stage_below(random, 8) : stage_draw(random));
        raw->bytes[places[i]] ^= masks[i];
    }
    raw->size = flips == 0 ? round % size : size;
    pack_part(parts, block);
    open_parts(schema, parts);
    raw->size = size;
    for (uint32_t i = 0; i < flips; i++) {
        raw->bytes[places[i]] ^= masks[i];
    }
    pack_part(parts, block);
}

/* Fields without a rule, the second one larger than the first: each gets a block of its own. */
static void step_noise(bare *state, uint32_t t) {
    static stage_random random;
    random.state = t;
    state->c = stage_draw(&random);
    memcpy(&state->b, &state->c, sizeof state->b);
    state->c = t % 2 ? stage_draw(&random) : state->c;
    state->b = t % 3 == 0 ? state->b : 1;
    state->d = (int32_t)stage_draw(&random);
}

/* On a run of random worlds, on some that have models, and on one of several blocks. */
static void expect_no_harm(lie_fn lie, uint32_t rounds) {
    static seal_parts parts;
    tape tapes[] = {random_tape(26, 40), bare_tape(150, step_countdown), bare_tape(150, step_over_late),
                    bare_tape(600, step_noise)};
    for (size_t i = 0; i < sizeof tapes / sizeof tapes[0]; i++) {
        stage_memory memory = {.fail_in = -1};
        eddy_hooks hooks = modest_hooks(&memory);
        stage_random random = {.state = 27 + i};
        sealed_bytes sealed = pack(&tapes[i], &hooks);
        take_apart(&parts, sealed, &hooks);
        ck_assert(open_parts(tapes[i].schema, &parts));
        for (uint32_t round = 0; round < rounds; round++) {
            lie(tapes[i].schema, &parts, &random, round);
        }
        ck_assert(open_parts(tapes[i].schema, &parts));
        parts_free(&parts);
        memory_release(&hooks, sealed.bytes, sealed.size);
        ck_assert_int_eq(memory.live_count, 0);
        tape_free(&tapes[i]);
    }
}

/* Lies that only do harm together: numbers of the directory behind the blocks, by place. */
enum { LIE_STORE, LIE_COLUMNS, LIE_SECTIONS, LIE_ENTRIES };
#define LIE_ENTRY_NUMBERS 7u /* of a section that needs no other field */

/* Three sections of one column each: 1 - 1 + 1 columns have room for one. */
static void lie_in_a_sum(seal_parts *parts) {
    uint64_t *behind = parts->numbers + 1 + 2 * parts->block_count;
    uint64_t *second = behind + LIE_ENTRIES + LIE_ENTRY_NUMBERS;
    behind[LIE_SECTIONS] = 3;
    behind[LIE_COLUMNS] = 1;
    second[3] = second[5] = UINT64_MAX; /* columns and bytes */
}

static void lie_in_no_lives(seal_parts *parts) {
    uint64_t *behind = parts->numbers + 1 + 2 * parts->block_count;
    behind[LIE_SECTIONS] = 0;
    memset(parts->raw[0].bytes, 0, parts->raw[0].size);
    pack_part(parts, 0);
}

START_TEST(lies_do_no_harm_together) {
    static void (*const lies[])(seal_parts * parts) = {lie_in_a_sum, lie_in_no_lives};
    static seal_parts parts;
    stage_memory memory = {.fail_in = -1};
    eddy_hooks hooks = modest_hooks(&memory);
    tape noise = bare_tape(600, step_noise);
    sealed_bytes sealed = pack(&noise, &hooks);
    take_apart(&parts, sealed, &hooks);
    ck_assert_uint_eq(parts.block_count, 4); /* the core, b, c and d */
    lies[_i](&parts);
    ck_assert(!open_parts(&bare_schema, &parts));
    parts_free(&parts);
    memory_release(&hooks, sealed.bytes, sealed.size);
    tape_free(&noise);
}
END_TEST

START_TEST(a_directory_that_lies_does_no_harm) {
    expect_no_harm(lie_in_directory, stage_long(2500, 40000));
}
END_TEST

START_TEST(blocks_that_lie_do_no_harm) {
    expect_no_harm(lie_in_block, stage_long(1000, 40000));
}
END_TEST

/* E_MEMORY if memory was refused since it was last looked at, else OK. Returns whether all is well. */
static bool expect_result(eddy_result result, stage_memory *memory, uint64_t *refused, const char *what, int64_t n) {
    uint64_t before = *refused;
    *refused = memory->failed;
    ck_assert_msg(result == (*refused > before ? EDDY_E_MEMORY : EDDY_OK), "%s, reserve %lld: found %s", what,
                  (long long)n, eddy_result_name(result));
    return result == EDDY_OK;
}

/* Packs, opens, reads and asks with only so many reserves. Returns how many were refused. */
static uint64_t use_with_little_memory(tape *from, int64_t fail_in) {
    stage_memory memory = {.fail_in = fail_in};
    uint64_t refused = 0;
    seal_desc desc = desc_of(from);
    desc.hooks = stage_hooks(&memory);
    sealed_bytes sealed;
    opened_run *run = NULL;
    if (expect_result(seal_pack(&desc, &sealed, NULL), &memory, &refused, "pack", fail_in)) {
        eddy_result result = sealed_open(from->schema, sealed, &desc.hooks, &run, NULL);
        frame_buffer buffer = {.hooks = desc.hooks};
        if (expect_result(result, &memory, &refused, "open", fail_in)) {
            result = opened_read(run, from->first_frame + from->count - 1, &buffer, NULL);
            bool is_read = expect_result(result, &memory, &refused, "read", fail_in);
            ck_assert_uint_eq(buffer.count, is_read ? from->views[from->count - 1].count : 0);
            opened_close(run);
        }
        frame_buffer_free(&buffer);
        seal_query query = {.id = 1, .type = STAGE_MOVER, .first = from->first_frame, .each = drop};
        query.last = from->first_frame + 30;
        result = sealed_history(from->schema, sealed, &desc.hooks, &query, NULL);
        expect_result(result, &memory, &refused, "history", fail_in);
    }
    memory_release(&desc.hooks, sealed.bytes, sealed.size);
    ck_assert_msg(memory.live_count == 0 && memory.live_bytes == 0, "reserve %lld: %lld pieces were not given back",
                  (long long)fail_in, (long long)memory.live_count);
    return refused;
}

START_TEST(without_memory_nothing_leaks) {
    tape random = random_tape(23, 40);
    uint64_t injected = 0, refused;
    for (int64_t fail_in = 0; (refused = use_with_little_memory(&random, fail_in)) > 0; fail_in++) {
        injected += refused;
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
    tcase_add_test(back, the_ends_of_every_kind_come_back);
    tcase_add_test(back, strings_change_in_place);
    TCase *predictors = suite_case(suite, "predictors", 30);
    tcase_add_loop_test(predictors, a_predictor_inverts_on_any_row, 0, PREDICT_COUNT);
    tcase_add_loop_test(predictors, pairs_decode_as_one_by_one, 0, PREDICT_COUNT);
    tcase_add_test(predictors, neighbours_stay_neighbours);
    tcase_add_loop_test(predictors, a_rule_is_found, 0, (int)(sizeof rules / sizeof rules[0]));
    TCase *history = suite_case(suite, "one value over time", 30);
    tcase_add_test(history, the_history_of_a_value_is_told_whole);
    tcase_add_test(history, the_directory_counts_changes);
    TCase *extremes = suite_case(suite, "extremes", 60);
    tcase_add_test(extremes, runs_of_one_frame_and_frames_of_nothing);
    tcase_add_test(extremes, no_frames_or_too_many_are_refused);
    tcase_add_test(extremes, as_many_entities_as_there_may_be);
    tcase_add_test(extremes, as_many_frames_as_there_may_be);
    tcase_add_loop_test(extremes, a_memory_image, 0, 2);
    tcase_add_test(extremes, what_never_changes_is_nearly_free);
    TCase *wrong = suite_case(suite, "what goes wrong", 120);
    tcase_add_test(wrong, a_flipped_byte_is_seen);
    tcase_add_test(wrong, bytes_that_lie_do_no_harm);
    tcase_add_loop_test(wrong, lies_do_no_harm_together, 0, 2);
    tcase_add_test(wrong, a_directory_that_lies_does_no_harm);
    tcase_add_test(wrong, blocks_that_lie_do_no_harm);
    tcase_add_test(wrong, without_memory_nothing_leaks);
    tcase_add_test(wrong, it_stops_when_told);
    tcase_add_test(wrong, a_frame_that_does_not_come_back_is_seen);
}

int main(void) {
    return suite_run("seal", make);
}
