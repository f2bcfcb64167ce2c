/* Sealed heaps inside a timeline: the same bits, decided by the frames alone, whatever a thread does or fails to do. */
#include "rewind/timeline.h"
#include "rewind_stage.h"
#include "suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const eddy_timeline_desc small = {.base_interval = 10, .heap_frames = 40, .cache_frames = 3};

static eddy_statistics statistics_of(const eddy_timeline *timeline) {
    eddy_statistics statistics;
    eddy_timeline_statistics(timeline, &statistics);
    return statistics;
}

/* Records `count` more frames of a world, with a copy of each. */
static void record(eddy_timeline *timeline, stage_world *world, stage_copy *copies, uint32_t first, uint32_t count) {
    for (uint32_t frame = first; frame < first + count; frame++) {
        stage_world_step(world);
        eddy_view view = stage_world_view(world);
        stage_append(timeline, &view);
        copies[frame] = stage_copy_of(&view);
        copies[frame].branch = eddy_timeline_kept(timeline).branch;
    }
}

static void free_copies(stage_copy *copies, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        stage_copy_free(&copies[i]);
    }
    free(copies);
}

/* A timeline of `count` recorded frames, and what it should hold. */
typedef struct sealed_stage {
    eddy_timeline *timeline;
    stage_world *world;
    stage_copy *copies;
    uint32_t count;
} sealed_stage;

static sealed_stage stage_begin(eddy_timeline_desc desc, uint64_t seed, uint32_t count) {
    sealed_stage stage = {.timeline = stage_timeline(desc),
                          .world = malloc(sizeof(stage_world)),
                          .copies = calloc(count, sizeof(stage_copy)),
                          .count = count};
    stage_world_begin(stage.world, seed);
    record(stage.timeline, stage.world, stage.copies, 0, count);
    return stage;
}

static void stage_end(sealed_stage *stage) {
    free_copies(stage->copies, stage->count);
    free(stage->world);
    eddy_timeline_destroy(stage->timeline);
}

/* ---- the same bits ---- */

START_TEST(every_frame_of_a_sealed_line_comes_back_backward_forward_and_at_random) {
    eddy_timeline_desc desc = small;
    desc.sealing = _i ? EDDY_SEALING_INLINE : EDDY_SEALING_WORKER;
    sealed_stage stage = stage_begin(desc, 7, 333);
    ck_assert_int_eq(eddy_timeline_seal(stage.timeline, NULL), EDDY_OK);
    ck_assert_uint_eq(statistics_of(stage.timeline).sealed_frames, 333);
    for (uint32_t frame = 333; frame-- > 0;) {
        stage_expect_frame(stage.timeline, frame, &stage.copies[frame], 7);
    }
    for (uint32_t frame = 0; frame < 333; frame++) {
        stage_expect_frame(stage.timeline, frame, &stage.copies[frame], 7);
    }
    for (uint32_t i = 0; i < 500; i++) {
        uint32_t frame = stage_below(&stage.world->random, 333);
        stage_expect_frame(stage.timeline, frame, &stage.copies[frame], 7);
    }
    stage_end(&stage);
}
END_TEST

START_TEST(recording_goes_on_after_everything_was_sealed) {
    sealed_stage stage = stage_begin(small, 8, 25);
    stage.copies = realloc(stage.copies, 120 * sizeof *stage.copies);
    ck_assert_int_eq(eddy_timeline_seal(stage.timeline, NULL), EDDY_OK);
    record(stage.timeline, stage.world, stage.copies, 25, 95);
    stage.count = 120;
    ck_assert_int_eq(eddy_timeline_seal(stage.timeline, NULL), EDDY_OK);
    ck_assert_uint_eq(statistics_of(stage.timeline).heaps, 3); /* both halves of the first window are one now */
    for (uint32_t frame = 0; frame < 120; frame++) {
        stage_expect_frame(stage.timeline, frame, &stage.copies[frame], 8);
    }
    stage_end(&stage);
}
END_TEST

START_TEST(level_0_keeps_heaps_live) {
    eddy_timeline_desc desc = small;
    desc.sealing = EDDY_SEALING_OFF;
    sealed_stage stage = stage_begin(desc, 9, 200);
    ck_assert_int_eq(eddy_timeline_seal(stage.timeline, NULL), EDDY_OK);
    ck_assert_uint_eq(statistics_of(stage.timeline).sealed_heaps, 0);
    stage_end(&stage);
}
END_TEST

START_TEST(a_budget_too_small_to_seal_in_keeps_heaps_live) {
    eddy_timeline_desc desc = {.budget_bytes = STAGE_IS_TINY ? 3000 : 600000, .base_interval = 10, .heap_frames = 40};
    eddy_timeline *timeline = stage_timeline(desc);
    stage_dot dot = {1};
    eddy_entity entity = {1, STAGE_DOT, &dot};
    for (uint32_t frame = 0; frame < 100; frame++) {
        stage_append(timeline, &(eddy_view){&entity, 1});
    }
    eddy_error error;
    ck_assert_int_eq(eddy_timeline_seal(timeline, &error), EDDY_E_BUDGET);
    ck_assert_msg(strstr(error.text, "3 MB"), "%s", error.text);
    ck_assert_uint_eq(statistics_of(timeline).sealed_heaps, 0);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- the frames alone decide ---- */

/* The same play on two timelines, of which one has no thread and the other is read all the time. */
START_TEST(what_is_kept_depends_on_the_frames_alone) {
    eddy_timeline_desc desc = small;
    desc.budget_bytes = 3000000;
    eddy_timeline *busy = stage_timeline(desc);
    desc.sealing = EDDY_SEALING_INLINE;
    eddy_timeline *quiet = stage_timeline(desc);
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 10 + (uint64_t)_i);
    enum { NOISE = 40 };
    stage_mover noise[NOISE] = {{0}}; /* fills the budget */
    uint32_t sealed = 0;
    for (uint32_t i = 0; i < stage_long(1500, 10000) || statistics_of(quiet).frames_forgotten < 100; i++) {
        ck_assert_msg(i < 40000, "nothing was forgotten");
        eddy_kept kept = eddy_timeline_kept(quiet);
        if (kept.count > 100 && stage_below(&world->random, 60) == 0) {
            uint32_t frame = kept.last_frame - stage_below(&world->random, 100);
            eddy_timeline_resume(busy, frame, NULL);
            eddy_timeline_resume(quiet, frame, NULL);
        }
        stage_world_step(world);
        eddy_entity entities[STAGE_ENTITIES_MAX + NOISE];
        memcpy(entities, world->entities, world->count * sizeof *entities);
        for (uint32_t k = 0; k < NOISE; k++) {
            noise[k].timer = (uint32_t)stage_draw(&world->random);
            noise[k].x = (float)stage_below(&world->random, 1u << 24);
            noise[k].y = (float)stage_below(&world->random, 1u << 24);
            entities[world->count + k] = (eddy_entity){EDDY_ID_IMMUNE + k, STAGE_MOVER, &noise[k]};
        }
        eddy_view view = {entities, world->count + NOISE};
        stage_append(busy, &view);
        stage_append(quiet, &view);
        kept = eddy_timeline_kept(busy);
        eddy_kept other = eddy_timeline_kept(quiet);
        ck_assert_msg(kept.first_frame == other.first_frame && kept.last_frame == other.last_frame,
                      "append %u: frames %u to %u and %u to %u", i, kept.first_frame, kept.last_frame,
                      other.first_frame, other.last_frame);
        ck_assert_uint_eq(statistics_of(busy).heap_bytes, statistics_of(quiet).heap_bytes);
        ck_assert_uint_eq(statistics_of(busy).sealed_bytes, statistics_of(quiet).sealed_bytes);
        sealed += statistics_of(quiet).sealed_heaps > 0;
        stage_read(busy, kept.first_frame + stage_below(&world->random, kept.count));
    }
    ck_assert_msg(sealed > 500, "only %u of the frames had sealed ones before them", sealed);
    free(world);
    eddy_timeline_destroy(busy);
    eddy_timeline_destroy(quiet);
}
END_TEST

/* ---- reading costs little ---- */

START_TEST(a_step_back_across_heaps_opens_each_once) {
    eddy_timeline_desc desc = small;
    desc.sealing = _i ? EDDY_SEALING_INLINE : EDDY_SEALING_WORKER;
    sealed_stage stage = stage_begin(desc, 11, 400);
    ck_assert_int_eq(eddy_timeline_seal(stage.timeline, NULL), EDDY_OK);
    for (uint32_t frame = 400; frame-- > 0;) {
        stage_read(stage.timeline, frame);
    }
    eddy_statistics statistics = statistics_of(stage.timeline);
    ck_assert_uint_eq(statistics.heaps_opened + statistics.heaps_prefetched, 10);
    ck_assert_uint_eq(statistics.heaps_prefetched, _i ? 0 : 9);
    stage_end(&stage);
}
END_TEST

START_TEST(trimming_gives_back_what_was_decoded) {
    sealed_stage stage = stage_begin(small, 12, 200);
    ck_assert_int_eq(eddy_timeline_seal(stage.timeline, NULL), EDDY_OK);
    eddy_timeline_trim(stage.timeline);
    size_t rest = statistics_of(stage.timeline).spare_bytes;
    stage_read(stage.timeline, 20);
    ck_assert_uint_gt(statistics_of(stage.timeline).spare_bytes, rest);
    eddy_timeline_trim(stage.timeline);
    ck_assert_uint_eq(statistics_of(stage.timeline).spare_bytes, rest);
    stage_expect_frame(stage.timeline, 20, &stage.copies[20], 12);
    stage_end(&stage);
}
END_TEST

/* ---- one value over time ---- */

typedef struct history_ear {
    const stage_copy *copies;
    const eddy_history *asked;
    uint32_t next; /* frame that has not been compared yet */
    uint32_t calls;
    const uint8_t *value; /* in a copy: what was told last; NULL: not there */
    uint32_t bytes;
} history_ear;

/* The value in a frame by the copies. */
static const uint8_t *expected_value(const history_ear *ear, uint32_t frame) {
    const eddy_entity *entity = eddy_view_find(&ear->copies[frame].view, ear->asked->id);
    if (!entity || entity->type != ear->asked->type) {
        return NULL;
    }
    const eddy_field *field = &stage_schema.types[entity->type].fields[ear->asked->field];
    return (const uint8_t *)entity->data + field->offset + ear->asked->element * ear->bytes;
}

static bool same_value(const history_ear *ear, const uint8_t *a, const uint8_t *b) {
    return !a == !b && (!a || memcmp(a, b, ear->bytes) == 0);
}

/* Up to `frame` nothing was told, so nothing may have changed. */
static void expect_no_change(history_ear *ear, uint32_t frame) {
    for (; ear->next < frame; ear->next++) {
        ck_assert_msg(same_value(ear, expected_value(ear, ear->next), ear->value),
                      "entity %u, field %u: a change in frame %u was not told", ear->asked->id, ear->asked->field,
                      ear->next);
    }
}

static void hear(void *user, uint32_t frame, const void *value) {
    history_ear *ear = user;
    expect_no_change(ear, frame);
    const uint8_t *expected = expected_value(ear, frame);
    ck_assert_msg(same_value(ear, expected, value), "entity %u, field %u, frame %u: another value", ear->asked->id,
                  ear->asked->field, frame);
    ck_assert_msg(ear->calls == 0 || !same_value(ear, expected, ear->value), "frame %u: told twice", frame);
    ear->value = expected;
    ear->next = frame + 1;
    ear->calls++;
}

START_TEST(the_history_of_a_value_tells_every_change_once) {
    sealed_stage stage = stage_begin(small, 13, 260); /* six sealed heaps and a live one */
    for (uint32_t i = 0; i < 300; i++) {
        uint16_t type = (uint16_t)stage_below(&stage.world->random, STAGE_TYPE_COUNT);
        const eddy_type *of = &stage_schema.types[type];
        uint32_t field = stage_below(&stage.world->random, of->field_count);
        bool is_str = of->fields[field].kind == EDDY_STR;
        uint32_t first = stage_below(&stage.world->random, 260);
        history_ear ear = {.copies = stage.copies, .next = first};
        ear.bytes = is_str ? of->fields[field].count : eddy_kind_bytes(of->fields[field].kind);
        eddy_history asked = {.id = 1 + stage_below(&stage.world->random, 60),
                              .type = type,
                              .field = field,
                              .element = is_str ? 0 : stage_below(&stage.world->random, of->fields[field].count),
                              .first_frame = first,
                              .last_frame = first + stage_below(&stage.world->random, 260 - first),
                              .each = hear,
                              .user = &ear};
        ear.asked = &asked;
        eddy_error error;
        ck_assert_msg(eddy_timeline_history(stage.timeline, &asked, &error) == EDDY_OK, "%s", error.text);
        expect_no_change(&ear, asked.last_frame + 1);
        ck_assert_uint_ge(ear.calls, 1);
    }
    stage_end(&stage);
}
END_TEST

START_TEST(a_history_of_nothing_is_refused) {
    sealed_stage stage = stage_begin(small, 14, 50);
    const eddy_history asked[] = {
        {.id = 1, .type = STAGE_DOT, .first_frame = 0, .last_frame = 50},
        {.id = 1, .type = STAGE_DOT, .first_frame = 9, .last_frame = 3},
        {.id = 1, .type = STAGE_TYPE_COUNT, .last_frame = 3},
        {.id = 1, .type = STAGE_DOT, .field = 1, .last_frame = 3},
        {.id = 1, .type = STAGE_DOT, .element = 1, .last_frame = 3},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ck_assert_int_eq(eddy_timeline_history(stage.timeline, &asked[i], NULL),
                         i == 0 ? EDDY_E_FRAME : EDDY_E_ARGUMENT);
    }
    stage_end(&stage);
}
END_TEST

/* ---- when memory fails ---- */

/* Memory for the thread that made it only: whatever the worker asks for fails. */
typedef struct one_thread {
    pthread_t owner;
    atomic_uint refused, lines;
} one_thread;

static void *reserve_for_owner(void *user, size_t bytes) {
    one_thread *memory = user;
    if (!pthread_equal(memory->owner, pthread_self())) {
        memory->refused++;
        return NULL;
    }
    return calloc(1, bytes);
}

static void release_any(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    free(memory);
}

static void count_line(void *user, const char *line) {
    one_thread *memory = user;
    ck_assert_msg(strstr(line, "unsealed"), "%s", line);
    memory->lines++;
}

START_TEST(without_memory_in_the_worker_the_live_heap_stays) {
    one_thread memory = {.owner = pthread_self()};
    eddy_timeline_desc desc = small;
    desc.hooks = (eddy_hooks){.log = count_line, .reserve = reserve_for_owner, .release = release_any, .user = &memory};
    sealed_stage stage = stage_begin(desc, 15, 300);
    eddy_statistics statistics = statistics_of(stage.timeline);
    ck_assert_uint_eq(statistics.frames, 300);
    /* What the worker did not come to was done here, with memory. */
    ck_assert_uint_le(memory.lines, 1); /* said once */
    ck_assert_uint_ge(memory.refused, memory.lines);
    ck_assert(statistics.sealed_heaps == 7 || memory.lines == 1);
    for (uint32_t frame = 0; frame < 300; frame++) {
        stage_expect_frame(stage.timeline, frame, &stage.copies[frame], 15);
    }
    stage_end(&stage);
}
END_TEST

static void ignore_line(void *user, const char *line) {
    (void)user, (void)line;
}

/* Every `fail_in`-th reserve of a run fails. No frame is lost by it: a refused append is repeated. */
static uint64_t run_with_failures(int64_t fail_in) {
    stage_memory memory = {.fail_in = -1};
    eddy_timeline_desc desc = small;
    desc.sealing = EDDY_SEALING_INLINE;
    desc.hooks = stage_hooks(&memory);
    desc.hooks.log = ignore_line;
    eddy_timeline *timeline = stage_timeline(desc);
    stage_world *world = malloc(sizeof *world);
    stage_copy *copies = calloc(130, sizeof *copies);
    stage_world_begin(world, 16);
    for (uint32_t frame = 0; frame < 130; frame++) {
        stage_world_step(world);
        eddy_view view = stage_world_view(world);
        memory.fail_in = memory.fail_in < 0 ? fail_in : (long long)memory.fail_in;
        eddy_result result = eddy_timeline_append(timeline, &view, NULL);
        if (result != EDDY_OK) {
            ck_assert_int_eq(result, EDDY_E_MEMORY);
            ck_assert_uint_eq(eddy_timeline_kept(timeline).count, frame);
            memory.fail_in = -1;
            stage_append(timeline, &view);
        }
        copies[frame] = stage_copy_of(&view);
        eddy_view back;
        result = eddy_timeline_read(timeline, stage_below(&world->random, frame + 1), &back, NULL);
        ck_assert(result == EDDY_OK || result == EDDY_E_MEMORY);
    }
    memory.fail_in = -1;
    for (uint32_t frame = 0; frame < 130; frame++) {
        stage_expect_frame(timeline, frame, &copies[frame], (uint64_t)fail_in);
    }
    uint64_t failed = memory.failed;
    free_copies(copies, 130);
    free(world);
    eddy_timeline_destroy(timeline);
    ck_assert_int_eq(memory.live_count, 0);
    return failed;
}

START_TEST(failing_memory_loses_no_frame) {
    uint64_t failed = 0;
    for (int64_t fail_in = 0; fail_in < (int64_t)stage_long(60, 400); fail_in++) {
        failed += run_with_failures(fail_in);
    }
    ck_assert_msg(failed > 200, "only %llu reserves failed", (unsigned long long)failed);
}
END_TEST

/* ---- the game's thread asks for nothing ---- */

/* Counts what the thread that made it asks for. */
typedef struct owner_count {
    pthread_t owner;
    uint32_t chunks, others;
} owner_count;

static void *reserve_counting(void *user, size_t bytes) {
    owner_count *count = user;
    if (pthread_equal(count->owner, pthread_self())) {
        bool is_chunk = bytes <= 16384 && bytes % LIMIT_PAGE_BYTES == 0; /* a block larger than one has its own */
        count->chunks += is_chunk;
        count->others += !is_chunk;
    }
    return calloc(1, bytes);
}

/* (In the tiny build a table that grows looks like a chunk.)
 * After warm-up a frame asks for no memory on the game's thread, but that now and then a chunk of a pool is full; only
 * a heap's first frame, and the base frames, whose chunk holds several, ask for more. */
START_TEST(a_frame_allocates_nothing_but_a_chunk_when_one_is_full) {
    owner_count count = {.owner = pthread_self()};
    eddy_timeline_desc desc = {.base_interval = 120, .heap_frames = 1440};
    desc.hooks = (eddy_hooks){.reserve = reserve_counting, .release = release_any, .user = &count};
    eddy_timeline *timeline = stage_timeline(desc);
    stage_mover movers[40] = {{0}};
    eddy_entity entities[40];
    for (uint32_t i = 0; i < 40; i++) {
        entities[i] = (eddy_entity){i + 1, STAGE_MOVER, &movers[i]};
    }
    uint32_t chunks = 0;
    for (uint32_t frame = 0; frame < 5 * 1440; frame++) {
        for (uint32_t i = 0; i < 12; i++) {
            movers[i * 3].x += 0.37f;
            movers[i * 3].timer++;
        }
        count.chunks = count.others = 0;
        stage_append(timeline, &(eddy_view){entities, 40});
        if (frame > 2 * 1440 && frame % 120 != 0) {
            ck_assert_msg(count.others == 0 && count.chunks <= (STAGE_IS_TINY ? 2 : 1),
                          "frame %u: %u chunks, %u others", frame, count.chunks, count.others);
            chunks += count.chunks;
        }
    }
    ck_assert_uint_gt(chunks, 0); /* it can count */
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- an hour ---- */

static size_t resident_bytes(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    ck_assert(file && fscanf(file, "%*u %lu", &pages) == 1);
    fclose(file);
    return pages * 4096;
}

/* An hour of a dozen movers in a budget that holds a part of it: always within the budget, resident too. */
START_TEST(an_hour_stays_within_its_budget) {
    const size_t budget = STAGE_IS_TINY ? 1500000 : 4000000;
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.budget_bytes = budget});
    stage_mover movers[40] = {0};
    eddy_entity entities[40];
    stage_random random = {.state = 3};
    for (uint32_t i = 0; i < 40; i++) {
        entities[i] = (eddy_entity){i + 1, STAGE_MOVER, &movers[i]};
    }
    size_t before = resident_bytes();
    uint32_t frames = stage_long(20000, 216000);
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (uint32_t i = 0; i < 12; i++) {
            movers[i * 3].vx = (float)stage_below(&random, 1000) * 0.1f;
            movers[i * 3].x = (float)(frame % 4096) + movers[i * 3].vx;
            movers[i * 3].timer++;
        }
        stage_append(timeline, &(eddy_view){entities, 40});
        if (frame % 500 == 0) {
            eddy_kept kept = eddy_timeline_kept(timeline);
            stage_read(timeline, kept.first_frame + stage_below(&random, kept.count));
            ck_assert_uint_le(statistics_of(timeline).owned_bytes, budget + budget / 8);
        }
    }
    ck_assert_uint_gt(statistics_of(timeline).frames_forgotten, 0);
#if !STAGE_IS_SANITIZED && !defined(EDDY_TINY) /* whose chunks are smaller than a page of the system */
    size_t grown = resident_bytes() - before;
    ck_assert_msg(grown <= budget + budget / 10, "resident grew by %zu", grown);
#else
    (void)before;
#endif
    eddy_timeline_destroy(timeline);
}
END_TEST

static void make(Suite *suite) {
    TCase *bits = suite_case(suite, "bits", 60);
    tcase_add_loop_test(bits, every_frame_of_a_sealed_line_comes_back_backward_forward_and_at_random, 0, 2);
    tcase_add_test(bits, recording_goes_on_after_everything_was_sealed);
    tcase_add_test(bits, level_0_keeps_heaps_live);
    tcase_add_test(bits, a_budget_too_small_to_seal_in_keeps_heaps_live);
    TCase *frames = suite_case(suite, "the frames alone decide", 300);
    tcase_add_loop_test(frames, what_is_kept_depends_on_the_frames_alone, 0, STAGE_IS_TINY ? 1 : 3);
    TCase *reading = suite_case(suite, "reading", 60);
    tcase_add_loop_test(reading, a_step_back_across_heaps_opens_each_once, 0, 2);
    tcase_add_test(reading, trimming_gives_back_what_was_decoded);
    TCase *history = suite_case(suite, "history", 60);
    tcase_add_test(history, the_history_of_a_value_tells_every_change_once);
    tcase_add_test(history, a_history_of_nothing_is_refused);
    TCase *memory = suite_case(suite, "failing memory", 300);
    tcase_add_test(memory, without_memory_in_the_worker_the_live_heap_stays);
    tcase_add_test(memory, failing_memory_loses_no_frame);
    tcase_add_test(memory, a_frame_allocates_nothing_but_a_chunk_when_one_is_full);
    TCase *hour = suite_case(suite, "an hour", 300);
    tcase_add_test(hour, an_hour_stays_within_its_budget);
}

int main(void) {
    return suite_run("timeline_seal", make);
}
