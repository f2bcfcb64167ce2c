/* Frames as bytes: what is written, that it comes back to the bit, and that foreign bytes do no harm. */
#include "rewind/block.h"
#include "rewind_stage.h"
#include "suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a listener that keeps what it hears ---- */

#define TAPE_FRAMES 400
#define TAPE_NEWBORNS 4096

typedef struct tape_frame {
    block_bytes block;
    bool is_base;
    uint32_t group;                        /* index of its base's frame */
    uint32_t newborn_first, newborn_count; /* born on this frame */
    stage_copy copy;
} tape_frame;

typedef struct tape {
    tape_frame frames[TAPE_FRAMES];
    uint32_t count;
    block_bytes newborns[TAPE_NEWBORNS];
    uint32_t newborn_count;
    eddy_timeline *timeline;
} tape;

static block_bytes keep(block_bytes bytes) {
    uint8_t *copy = malloc(bytes.size); /* exactly as long, so that a read behind it is seen */
    if (bytes.size > 0) {
        memcpy(copy, bytes.bytes, bytes.size);
    }
    return (block_bytes){.bytes = copy, .size = bytes.size};
}

static void hear_constants(void *user, const eddy_view *constants, block_bytes block) {
    (void)user;
    (void)constants;
    (void)block;
}

static void hear_frame(void *user, const recorded_frame *recorded) {
    tape *into = user;
    tape_frame *frame = &into->frames[into->count];
    *frame = (tape_frame){.block = keep(recorded->block),
                          .is_base = recorded->is_base,
                          .newborn_first = into->newborn_count,
                          .newborn_count = recorded->newborn_count};
    frame->group = recorded->is_base ? into->count : into->frames[into->count - 1].group;
    for (uint32_t i = 0; i < recorded->newborn_count && into->newborn_count < TAPE_NEWBORNS; i++) {
        into->newborns[into->newborn_count++] = keep(recorded->newborns[i]);
    }
    into->count++;
}

static tape *tape_begin(eddy_timeline_desc desc) {
    tape *made = calloc(1, sizeof *made);
    made->timeline = stage_timeline(desc);
    timeline_observe(made->timeline, &(timeline_observer){hear_constants, hear_frame, made});
    return made;
}

static tape_frame *tape_append(tape *into, const eddy_view *view) {
    stage_append(into->timeline, view);
    into->frames[into->count - 1].copy = stage_copy_of(view);
    return &into->frames[into->count - 1];
}

static void tape_end(tape *into) {
    for (uint32_t i = 0; i < into->count; i++) {
        free((void *)(uintptr_t)into->frames[i].block.bytes);
        stage_copy_free(&into->frames[i].copy);
    }
    for (uint32_t i = 0; i < into->newborn_count; i++) {
        free((void *)(uintptr_t)into->newborns[i].bytes);
    }
    eddy_timeline_destroy(into->timeline);
    free(into);
}

/* Decodes a frame of a tape from its two blocks; `later`: the side array holds births of later frames too. */
static void expect_decoded(const tape *from, uint32_t index, bool later, bool onto) {
    const tape_frame *frame = &from->frames[index], *base = &from->frames[frame->group];
    frame_buffer base_buffer = {0}, buffer = {0};
    eddy_error error = {0};
    uint32_t last = index;
    while (later && last + 1 < from->count && from->frames[last + 1].group == frame->group) {
        last++;
    }
    uint32_t newborn_end = from->frames[last].newborn_first + from->frames[last].newborn_count;
    ck_assert_msg(block_decode_base(&stage_schema, base->block, &base_buffer, &error) == EDDY_OK, "%s", error.text);
    eddy_view view = frame_buffer_view(&base_buffer), base_view = view;
    if (!frame->is_base) {
        eddy_result result = (onto ? block_decode_diff_onto : block_decode_diff)(
            &stage_schema, &base_view, from->newborns + base->newborn_first, newborn_end - base->newborn_first,
            frame->block, &buffer, &error);
        ck_assert_msg(result == EDDY_OK, "frame %u: %s", index, error.text);
        view = frame_buffer_view(&buffer);
    }
    const char *difference = stage_difference(&frame->copy.view, &view);
    ck_assert_msg(!difference, "frame %u: %s", index, difference);
    frame_buffer_free(&buffer);
    frame_buffer_free(&base_buffer);
}

static tape *random_tape(uint64_t seed, uint32_t frames) {
    tape *made = tape_begin((eddy_timeline_desc){.base_interval = 30, .heap_frames = 90});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, seed);
    for (uint32_t i = 0; i < frames; i++) {
        stage_world_step(world);
        eddy_view view = stage_world_view(world);
        tape_append(made, &view);
    }
    free(world);
    return made;
}

START_TEST(any_frame_decodes_from_two_blocks) {
    tape *made = random_tape((uint64_t)_i + 1, 120);
    for (uint32_t i = 0; i < made->count; i++) {
        for (unsigned way = 0; way < 4; way++) {
            expect_decoded(made, i, way & 1, way & 2);
        }
    }
    tape_end(made);
}
END_TEST

/* ---- every kind, every odd value ---- */

/* Sets one element of one field of stage_every to some bits. */
static void set_element(stage_every *every, const eddy_field *field, uint32_t element, uint64_t bits) {
    uint32_t bytes = eddy_kind_bytes(field->kind);
    memcpy((uint8_t *)every + field->offset + element * bytes, &bits, bytes);
}

/* As a newborn, in a diff and in a base. */
static void expect_round_trip(const stage_every *every) {
    tape *made = tape_begin((eddy_timeline_desc){.base_interval = 2, .heap_frames = 4});
    stage_every plain = *(const stage_every *)stage_schema.types[STAGE_EVERY].defaults;
    eddy_entity entities[2] = {{1, STAGE_EVERY, &plain}, {2, STAGE_EVERY, every}};
    tape_append(made, &(eddy_view){entities, 1});
    entities[0].data = every;
    tape_append(made, &(eddy_view){entities, 2});
    tape_append(made, &(eddy_view){entities, 2});
    entities[0].data = &plain;
    tape_append(made, &(eddy_view){entities, 1});
    for (uint32_t i = 0; i < made->count; i++) {
        expect_decoded(made, i, false, i & 1);
        stage_expect_frame(made->timeline, i, &made->frames[i].copy, 0);
    }
    tape_end(made);
}

START_TEST(every_kind_comes_back_to_the_bit) {
    static const uint64_t bits[] = {0,
                                    1,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000, /* -0.0f */
                                    0xffffffff,
                                    0x7f800000, /* infinity */
                                    0x7fc00000, /* a quiet NaN */
                                    0x7f800001, /* a signalling NaN with a payload */
                                    0xffedcba9,
                                    0x00000001, /* the smallest denormal */
                                    0x007fffff,
                                    0x8000000000000000, /* -0.0 */
                                    0x7ff0000000000000,
                                    0x7ff0000000000001,
                                    0xfff8123456789abc,
                                    0x000fffffffffffff,
                                    0x7fffffffffffffff,
                                    UINT64_MAX};
    const eddy_type *type = &stage_schema.types[STAGE_EVERY];
    const eddy_field *field = &type->fields[_i];
    if (field->kind == EDDY_STR) {
        return;
    }
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        for (uint32_t element = 0; element < field->count; element++) {
            stage_every every = *(const stage_every *)type->defaults;
            set_element(&every, field, element, field->kind == EDDY_BOOL ? bits[i] & 1 : bits[i]);
            expect_round_trip(&every);
        }
    }
}
END_TEST

START_TEST(strings_of_every_length_come_back) {
    for (uint32_t length = 0; length <= sizeof((stage_every *)0)->name; length++) {
        stage_every every = {0};
        memset(every.name, 0xe9, length);
        expect_round_trip(&every);
    }
}
END_TEST

START_TEST(nothing_and_everything_at_once_come_back) {
    stage_every zero = {0}, full;
    memset(&full, 0xff, sizeof full);
    full.flags[0] = full.flags[1] = true;
    expect_round_trip(&zero);
    expect_round_trip(&full);
}
END_TEST

/* ---- the bytes themselves ---- */

static void expect_bytes(block_bytes found, const char *expected_hex) {
    char hex[400] = "";
    for (size_t i = 0; i < found.size && i < 100; i++) {
        snprintf(hex + 3 * i, sizeof hex - 3 * i, "%02x ", found.bytes[i]);
    }
    ck_assert_str_eq(hex, expected_hex);
}

START_TEST(blocks_are_what_the_map_says) {
    stage_mover mover = *(const stage_mover *)stage_schema.types[STAGE_MOVER].defaults;
    stage_mover other = mover;
    stage_every every = *(const stage_every *)stage_schema.types[STAGE_EVERY].defaults;
    uint8_t dot = 9;
    eddy_entity entities[] = {
        {3, STAGE_MOVER, &mover}, {5, STAGE_MOVER, &other}, {300, STAGE_DOT, &dot}, {301, STAGE_EVERY, &every}};
    tape *made = tape_begin((eddy_timeline_desc){.base_interval = 120, .heap_frames = 1440});
    /* 4 entities; +3 mover; +2 mover; +295 dot with cells: cell 0 = 9; +1 every. An all-default entity: 2 bytes. */
    expect_bytes(tape_append(made, &(eddy_view){entities, 4})->block, "04 02 02 01 02 a6 02 07 02 09 00 00 ");
    /* none gone, none alive, no change */
    expect_bytes(tape_append(made, &(eddy_view){entities, 4})->block, "00 00 ");
    /* entity 1: cells 0 and 4 as bits 10001, with the form bit below: 22; x = 1.0f, timer = 200 */
    other.x = 1;
    other.timer = 200;
    expect_bytes(tape_append(made, &(eddy_view){entities, 4})->block, "00 00 01 22 00 00 80 3f c8 01 ");
    /* back to the base: nothing to say */
    other = mover;
    expect_bytes(tape_append(made, &(eddy_view){entities, 4})->block, "00 00 ");
    /* entity 3: a far cell alone goes as a run: one, 13 cells on (1a), of one; i16 -3 is 5 */
    every.half_signed[1] = -3;
    expect_bytes(tape_append(made, &(eddy_view){entities, 4})->block, "00 00 03 03 1a 05 ");
    /* the second is gone: 1 stays, 1 gone */
    every.half_signed[1] = 0;
    entities[1] = entities[2];
    entities[2] = entities[3];
    expect_bytes(tape_append(made, &(eddy_view){entities, 3})->block, "01 01 01 00 ");
    /* a newborn: its entry is id 302, dot with cells; the diff says it is alive */
    entities[3] = (eddy_entity){302, STAGE_DOT, &dot};
    tape_frame *born = tape_append(made, &(eddy_view){entities, 4});
    ck_assert_uint_eq(born->newborn_count, 1);
    expect_bytes(made->newborns[born->newborn_first], "ae 02 07 02 09 ");
    expect_bytes(born->block, "01 01 01 01 00 01 ");
    for (uint32_t i = 0; i < made->count; i++) {
        expect_decoded(made, i, false, false);
    }
    tape_end(made);
}
END_TEST

START_TEST(an_id_that_returns_is_told_from_its_old_self_by_type) {
    stage_mover mover = {.x = 5};
    uint8_t dot = 1;
    eddy_entity as_mover = {7, STAGE_MOVER, &mover}, as_dot = {7, STAGE_DOT, &dot};
    const struct {
        const eddy_entity *entity; /* NULL: away */
        uint32_t newborns;
    } frames[] = {{&as_mover, 0}, {NULL, 0}, {&as_mover, 0}, {&as_dot, 1}, {&as_mover, 0},
                  {&as_dot, 0},   {NULL, 0}, {&as_dot, 0},   {NULL, 0}};
    tape *made = tape_begin((eddy_timeline_desc){.base_interval = 120, .heap_frames = 1440});
    for (uint32_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        mover.x += 1;
        tape_append(made, &(eddy_view){frames[i].entity, frames[i].entity != NULL});
        ck_assert_msg(made->frames[i].newborn_count == frames[i].newborns, "frame %u: %u newborns", i,
                      made->frames[i].newborn_count);
    }
    for (uint32_t i = 0; i < made->count; i++) {
        expect_decoded(made, i, true, false);
    }
    tape_end(made);
}
END_TEST

START_TEST(newborns_may_come_in_any_order_of_ids) {
    static stage_mover movers[200];
    tape *made = tape_begin((eddy_timeline_desc){.base_interval = 300, .heap_frames = 300});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 1);
    stage_random random = {.state = 8};
    for (uint32_t i = 0; i < 200; i++) {
        stage_mover *mover = stage_world_add(world, 1 + stage_below(&random, 1000), STAGE_MOVER);
        if (mover) {
            *mover = movers[i];
            mover->timer = i;
        }
        if (world->count > 20) {
            stage_world_remove(world, stage_below(&random, world->count));
        }
        eddy_view view = stage_world_view(world);
        tape_append(made, &view);
    }
    for (uint32_t i = 0; i < made->count; i++) {
        expect_decoded(made, i, true, true);
    }
    free(world);
    tape_end(made);
}
END_TEST

/* ---- sizes ---- */

START_TEST(a_frame_may_hold_65535_entities) {
    uint8_t *dots = calloc(EDDY_ENTITIES_MAX, 1);
    eddy_entity *entities = calloc(EDDY_ENTITIES_MAX + 1, sizeof *entities);
    for (uint32_t i = 0; i <= EDDY_ENTITIES_MAX; i++) {
        entities[i] = (eddy_entity){EDDY_ID_IMMUNE | (i * 3 + 1), STAGE_DOT, &dots[i % EDDY_ENTITIES_MAX]};
    }
    tape *made = tape_begin((eddy_timeline_desc){.base_interval = 120, .heap_frames = 1440});
    tape_append(made, &(eddy_view){0});
    tape_append(made, &(eddy_view){entities, EDDY_ENTITIES_MAX - 1000}); /* newborns, all of them */
    memset(dots, 7, EDDY_ENTITIES_MAX);
    tape_append(made, &(eddy_view){entities + 1000, EDDY_ENTITIES_MAX - 1000});
    tape_append(made, &(eddy_view){entities, EDDY_ENTITIES_MAX});
    eddy_error error;
    ck_assert_int_eq(eddy_timeline_append(made->timeline, &(eddy_view){entities, EDDY_ENTITIES_MAX + 1}, &error),
                     EDDY_E_LIMIT);
    ck_assert_msg(strstr(error.text, "65535") && strstr(error.text, "65536"), "%s", error.text);
    memset(dots, 0, EDDY_ENTITIES_MAX);
    tape_append(made, &(eddy_view){0});
    for (uint32_t i = 0; i < made->count; i++) {
        /* newborns of a tape are bounded: read through the timeline */
        stage_expect_frame(made->timeline, i, &made->frames[i].copy, 0);
    }
    free(dots);
    free(entities);
    tape_end(made);
}
END_TEST

START_TEST(a_field_of_4096_elements_comes_back) {
    static stage_blob blob;
    eddy_entity entity = {1, STAGE_BLOB, &blob};
    tape *made = tape_begin((eddy_timeline_desc){.base_interval = 120, .heap_frames = 1440});
    tape_append(made, &(eddy_view){&entity, 1});
    blob.bytes[4095] = 1;
    /* entity 0: one run, 4095 cells on, of one */
    expect_bytes(tape_append(made, &(eddy_view){&entity, 1})->block, "00 00 00 03 fe 3f 01 ");
    memset(blob.bytes, 0xaa, sizeof blob.bytes);
    /* one run, from the beginning, of 4094 + 2 */
    ck_assert_uint_eq(tape_append(made, &(eddy_view){&entity, 1})->block.size, 3 + 1 + 1 + 2 + 4096);
    for (uint32_t i = 0; i < 4096; i += 2) {
        blob.bytes[i] = 0;
    }
    tape_append(made, &(eddy_view){&entity, 1});
    for (uint32_t i = 0; i < made->count; i++) {
        expect_decoded(made, i, true, false);
    }
    tape_end(made);
}
END_TEST

/* ---- foreign bytes ---- */

static block_bytes from_hex(const char *hex, uint8_t *into) {
    size_t size = 0;
    unsigned byte;
    for (int used; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used) {
        into[size++] = (uint8_t)byte;
    }
    return (block_bytes){.bytes = into, .size = size};
}

static const struct {
    const char *hex, *expected; /* NULL: sound */
} bad_bases[] = {
    {"00", NULL},
    {"01 02 02", NULL},
    {"", "a whole number"},
    {"80", "a whole number"},
    {"ff ff ff ff ff ff ff ff ff ff 01", "a whole number"},
    {"02 00 02", "a count of entities"},
    {"ff ff ff ff 0f 00 02", "a count of entities"},
    {"01 00 02 00", "the end of the block"},
    {"01 00 08", "a known type"},
    {"01 ff ff ff ff 0f 02", "an id of 32 bits"},
    {"02 fe ff ff ff 0f 02 00 02", "an id of 32 bits"},
    {"01 00 03 00", "at least one changed cell"},
    {"01 00 03 01 00 00 00 00", "a number of runs of changed cells"},
    {"01 00 03 ff ff 03 00 00", "a number of runs of changed cells"},
    {"01 00 07 04 00", "a cell of the type"},
    {"01 00 07 03 02 00", "a cell of the type"},
    {"01 00 07 03 fe ff ff ff 1f 00", "a cell of the type"},
    {"01 00 07 03 01 00 05 05", "a cell of the type"},
    {"01 00 07 03 01 ff ff ff ff ff ff ff ff ff 01 05", "a cell of the type"},
    {"01 00 03 03 09 00 05", "a whole number"},
    {"01 00 03 02 00 00 80", "more bytes"},
    {"01 00 03 08 00 00 7a 45", "a value in the field's range"},
    {"01 00 03 40 03", "one of the named values"},
    {"01 00 03 40 80 80 04", "a number that fits its kind"},
    {"01 00 01 03 22 02", "0 or 1 in a bool"},
    {"01 00 01 03 24 0d 61 61 61 61 61 61 61 61 61 61 61 61 61", "a str that fits its field"},
    {"01 00 01 03 24 02 61 00", "a str without zeros"},
};

START_TEST(a_damaged_base_is_refused_with_what_was_expected) {
    uint8_t bytes[100];
    frame_buffer buffer = {0};
    eddy_error error = {0};
    eddy_result result = block_decode_base(&stage_schema, from_hex(bad_bases[_i].hex, bytes), &buffer, &error);
    const char *expected = bad_bases[_i].expected;
    ck_assert_msg(result == (expected ? EDDY_E_DAMAGED : EDDY_OK), "%s: %s", bad_bases[_i].hex, error.text);
    ck_assert_msg(!expected || strstr(error.text, expected), "%s: expected \"%s\" in: %s", bad_bases[_i].hex, expected,
                  error.text);
    ck_assert_uint_eq(expected ? buffer.count : 0, 0);
    frame_buffer_free(&buffer);
}
END_TEST

/* Against a base of movers 1, 2, 3 and the side array: mover 10, mover 2 (again), a cut entry, dot 9. */
static const struct {
    const char *hex, *expected;
} bad_diffs[] = {
    {"00 00", NULL},
    {"00 01 00 01", NULL},
    {"01 00 03 01 00 01", NULL},
    {"01 01 01 01 00 02", NULL},
    {"01 00 03 02 00 02 01 01", NULL}, /* 2, 9 and 10: born in another order */
    {"", "a whole number"},
    {"00", "a whole number"},
    {"05 00", "a count of runs"},
    {"01 00 04 00", "runs within what they cover"},
    {"01 01 00 00", "runs within what they cover"},
    {"02 00 01 00 01 00", "runs within what they cover"},
    {"01 ff ff ff ff ff ff ff ff ff 01 01 00", "runs within what they cover"},
    {"00 01 03 02", "runs within what they cover"},
    {"00 01 01 01", "an id that is in the frame once"},
    {"00 01 02 01", "a newborn entry"},
    {"00 00 03 02 00 00 00 00", "an entity of the frame"},
    {"00 00 00 02 00 00 00 00 02 02 00 00 00 00", "an entity of the frame"},
    {"00 00 ff ff ff ff ff ff ff ff ff 01 02", "an entity of the frame"},
    {"00 00 00", "a whole number"},
    {"00 00 00 02 00 00", "more bytes"},
};

START_TEST(a_damaged_diff_is_refused_with_what_was_expected) {
    static const stage_mover movers[3];
    const eddy_entity entities[] = {
        {1, STAGE_MOVER, &movers[0]}, {2, STAGE_MOVER, &movers[1]}, {3, STAGE_MOVER, &movers[2]}};
    const eddy_view base = {entities, 3};
    uint8_t entries[4][8], bytes[100];
    const block_bytes newborns[] = {from_hex("0a 02", entries[0]), from_hex("02 02", entries[1]),
                                    from_hex("0b", entries[2]), from_hex("09 07 02 01", entries[3])};
    for (int onto = 0; onto < 2; onto++) {
        frame_buffer buffer = {0};
        eddy_error error = {0};
        eddy_result result = (onto ? block_decode_diff_onto : block_decode_diff)(
            &stage_schema, &base, newborns, 4, from_hex(bad_diffs[_i].hex, bytes), &buffer, &error);
        const char *expected = bad_diffs[_i].expected;
        ck_assert_msg(result == (expected ? EDDY_E_DAMAGED : EDDY_OK), "%s: %s", bad_diffs[_i].hex, error.text);
        ck_assert_msg(!expected || strstr(error.text, expected), "%s: expected \"%s\" in: %s", bad_diffs[_i].hex,
                      expected, error.text);
        frame_buffer_free(&buffer);
    }
}
END_TEST

/* What decodes must pass the checks that a recorded view passes. */
static void expect_sound(const frame_buffer *buffer, uint32_t frame, const char *what) {
    eddy_view view = frame_buffer_view(buffer);
    eddy_error error = {0};
    ck_assert_msg(eddy_view_check(&stage_schema, &view, &error) == EDDY_OK, "frame %u, %s: %s", frame, what,
                  error.text);
}

/* Decodes frame `index` of a tape with one of its parts replaced by `bytes`. */
static void decode_damaged(const tape *from, uint32_t index, block_bytes bytes, unsigned part, frame_buffer *base,
                           frame_buffer *buffer) {
    const tape_frame *frame = &from->frames[index], *group = &from->frames[frame->group];
    uint32_t newborn_count = frame->newborn_first + frame->newborn_count - group->newborn_first;
    block_bytes newborns[TAPE_NEWBORNS];
    memcpy(newborns, from->newborns + group->newborn_first, newborn_count * sizeof *newborns);
    if (part == 2 && newborn_count > 0) {
        newborns[index % newborn_count] = bytes;
    }
    if (block_decode_base(&stage_schema, part == 0 ? bytes : group->block, base, NULL) == EDDY_OK) {
        expect_sound(base, index, "base");
        eddy_view view = frame_buffer_view(base);
        for (int onto = 0; onto < 2; onto++) {
            eddy_result result = (onto ? block_decode_diff_onto : block_decode_diff)(
                &stage_schema, &view, newborns, newborn_count, part == 1 ? bytes : frame->block, buffer, NULL);
            if (result == EDDY_OK) {
                expect_sound(buffer, index, "diff");
            }
        }
    }
}

START_TEST(broken_blocks_are_refused_or_hold_a_sound_frame) {
    tape *made = random_tape(77, 60);
    stage_random random = {.state = (uint64_t)_i};
    frame_buffer base = {0}, buffer = {0};
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t index = stage_below(&random, made->count);
        const tape_frame *frame = &made->frames[index], *group = &made->frames[frame->group];
        unsigned part = frame->is_base ? 0 : stage_below(&random, 3);
        uint32_t newborn_count = frame->newborn_first + frame->newborn_count - group->newborn_first;
        block_bytes whole = part == 0 ? group->block : frame->block;
        if (part == 2 && newborn_count > 0) {
            whole = made->newborns[group->newborn_first + index % newborn_count];
        }
        if (whole.size > 600) {
            continue; /* blobs: slow, and no different */
        }
        block_bytes broken = keep(whole);
        uint8_t *bytes = (uint8_t *)(uintptr_t)broken.bytes;
        for (uint32_t times = 1 + stage_below(&random, 3); times > 0; times--) {
            bytes[stage_below(&random, (uint32_t)whole.size)] ^= (uint8_t)(1u << stage_below(&random, 8));
        }
        if (stage_below(&random, 4) == 0) {
            broken.size = stage_below(&random, (uint32_t)whole.size);
            block_bytes shorter = keep(broken);
            free(bytes);
            broken = shorter;
        }
        decode_damaged(made, index, broken, part, &base, &buffer);
        free((void *)(uintptr_t)broken.bytes);
    }
    frame_buffer_free(&base);
    frame_buffer_free(&buffer);
    tape_end(made);
}
END_TEST

START_TEST(every_cut_of_a_block_is_refused) {
    tape *made = random_tape(5, 40);
    frame_buffer base = {0}, buffer = {0};
    for (uint32_t index = 1; index < made->count; index++) {
        const tape_frame *frame = &made->frames[index];
        if (frame->is_base || frame->block.size > 600) {
            continue;
        }
        const tape_frame *group = &made->frames[frame->group];
        uint32_t newborn_count = frame->newborn_first + frame->newborn_count - group->newborn_first;
        ck_assert_int_eq(block_decode_base(&stage_schema, group->block, &base, NULL), EDDY_OK);
        eddy_view view = frame_buffer_view(&base);
        for (size_t size = 0; size < frame->block.size; size++) {
            /* A diff may end after any entity; cut inside one it must not decode to more than it says. */
            block_bytes cut = keep((block_bytes){frame->block.bytes, size});
            if (block_decode_diff(&stage_schema, &view, made->newborns + group->newborn_first, newborn_count, cut,
                                  &buffer, NULL) == EDDY_OK) {
                expect_sound(&buffer, index, "cut");
            } else {
                ck_assert_uint_eq(buffer.count, 0);
            }
            free((void *)(uintptr_t)cut.bytes);
        }
        for (size_t size = 0; group->block.size < 600 && size < group->block.size; size++) {
            block_bytes cut = keep((block_bytes){group->block.bytes, size});
            ck_assert_int_eq(block_decode_base(&stage_schema, cut, &buffer, NULL), EDDY_E_DAMAGED);
            free((void *)(uintptr_t)cut.bytes);
        }
    }
    frame_buffer_free(&base);
    frame_buffer_free(&buffer);
    tape_end(made);
}
END_TEST

START_TEST(decoding_without_memory_says_so) {
    tape *made = random_tape(9, 60);
    uint64_t failed = 0;
    for (int64_t fail_in = 0; fail_in < 8; fail_in++) {
        stage_memory memory = {.fail_in = fail_in};
        frame_buffer base = {.hooks = stage_hooks(&memory)}, buffer = {.hooks = stage_hooks(&memory)};
        for (uint32_t i = 0; i < 60; i++) {
            const tape_frame *frame = &made->frames[i], *group = &made->frames[frame->group];
            uint32_t newborn_count = frame->newborn_first + frame->newborn_count - group->newborn_first;
            uint64_t before = memory.failed;
            eddy_result result = block_decode_base(&stage_schema, group->block, &base, NULL);
            eddy_view view = frame_buffer_view(&base);
            if (result == EDDY_OK && !frame->is_base) {
                result = block_decode_diff(&stage_schema, &view, made->newborns + group->newborn_first, newborn_count,
                                           frame->block, &buffer, NULL);
            }
            ck_assert_int_eq(result, memory.failed > before ? EDDY_E_MEMORY : EDDY_OK);
        }
        failed += memory.failed;
        frame_buffer_free(&base);
        frame_buffer_free(&buffer);
        ck_assert_int_eq(memory.live_count, 0);
    }
    ck_assert_uint_gt(failed, 0);
    tape_end(made);
}
END_TEST

static void make(Suite *suite) {
    TCase *round = suite_case(suite, "round trips", 20);
    tcase_add_loop_test(round, any_frame_decodes_from_two_blocks, 0, 4);
    tcase_add_loop_test(round, every_kind_comes_back_to_the_bit, 0, (int)stage_schema.types[STAGE_EVERY].field_count);
    tcase_add_test(round, strings_of_every_length_come_back);
    tcase_add_test(round, nothing_and_everything_at_once_come_back);
    TCase *map = suite_case(suite, "bytes", 10);
    tcase_add_test(map, blocks_are_what_the_map_says);
    tcase_add_test(map, an_id_that_returns_is_told_from_its_old_self_by_type);
    tcase_add_test(map, newborns_may_come_in_any_order_of_ids);
    TCase *sizes = suite_case(suite, "sizes", 20);
    tcase_add_test(sizes, a_frame_may_hold_65535_entities);
    tcase_add_test(sizes, a_field_of_4096_elements_comes_back);
    TCase *foreign = suite_case(suite, "foreign bytes", 30);
    tcase_add_loop_test(foreign, a_damaged_base_is_refused_with_what_was_expected, 0,
                        sizeof bad_bases / sizeof bad_bases[0]);
    tcase_add_loop_test(foreign, a_damaged_diff_is_refused_with_what_was_expected, 0,
                        sizeof bad_diffs / sizeof bad_diffs[0]);
    tcase_add_loop_test(foreign, broken_blocks_are_refused_or_hold_a_sound_frame, 0, 3);
    tcase_add_test(foreign, every_cut_of_a_block_is_refused);
    tcase_add_test(foreign, decoding_without_memory_says_so);
}

int main(void) {
    return suite_run("block", make);
}
