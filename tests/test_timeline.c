/* The recorder's promises, one case a rule: every frame back to the bit, two blocks a frame, births and deaths,
 * branches, constants, the cache, the budget, and memory that fails. */
#include "rewind/block.h"
#include "rewind/limits.h"
#include "rewind_stage.h"
#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- making timelines ---- */

/* The intervals of a game, whatever the build. */
static const eddy_timeline_desc usual = {.base_interval = 120, .heap_frames = 1440, .cache_frames = 24};

/* Records `count` frames of a stage world, with a copy of each. */
static stage_copy *record(eddy_timeline *timeline, stage_world *world, uint32_t count) {
    stage_copy *copies = calloc(count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        stage_world_step(world);
        eddy_view view = stage_world_view(world);
        stage_append(timeline, &view);
        copies[i] = stage_copy_of(&view);
        copies[i].branch = eddy_timeline_kept(timeline).branch;
    }
    return copies;
}

static void free_copies(stage_copy *copies, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        stage_copy_free(&copies[i]);
    }
    free(copies);
}

/* One mover: enough for most rules. */
typedef struct solo {
    stage_mover mover;
    eddy_entity entity;
    eddy_view view;
} solo;

static void solo_begin(solo *made) {
    *made = (solo){.mover = {.x = 100}, .entity = {.id = 1, .type = STAGE_MOVER}};
    made->entity.data = &made->mover;
    made->view = (eddy_view){&made->entity, 1};
}

static void solo_append(solo *from, eddy_timeline *timeline) {
    from->mover.timer++;
    stage_append(timeline, &from->view);
}

static uint32_t timer_at(eddy_timeline *timeline, uint32_t frame) {
    eddy_view view = stage_read(timeline, frame);
    ck_assert_uint_eq(view.count, 1);
    return ((const stage_mover *)view.entities[0].data)->timer;
}

static eddy_statistics statistics_of(const eddy_timeline *timeline) {
    eddy_statistics statistics;
    eddy_timeline_statistics(timeline, &statistics);
    return statistics;
}

static uint64_t hash_at(eddy_timeline *timeline, uint32_t frame) {
    uint64_t hash = 0;
    ck_assert_int_eq(eddy_timeline_frame(timeline, frame, NULL, &hash, NULL), EDDY_OK);
    return hash;
}

/* ---- creating ---- */

START_TEST(what_cannot_work_is_refused_at_creation) {
    static const struct {
        eddy_timeline_desc desc;
        eddy_result result;
        const char *expected;
    } cases[] = {
        {{.base_interval = 7, .heap_frames = 1440},
         EDDY_E_ARGUMENT,
         "multiple of the base interval 7, found 1440; try 1442"},
        {{.base_interval = 7, .heap_frames = 6}, EDDY_E_ARGUMENT, "try 7"},
        {{.base_interval = UINT32_MAX, .heap_frames = UINT32_MAX}, EDDY_E_ARGUMENT, "base_interval"},
        {{.cache_frames = 1}, EDDY_E_ARGUMENT, "cache_frames: expected 2"},
        {{.cache_frames = 1000000}, EDDY_E_ARGUMENT, "cache_frames"},
        {{.budget_bytes = 3000000, .heap_bytes_max = 1 << 20}, EDDY_E_BUDGET, "3145728"},
        {{.budget_bytes = 100}, EDDY_E_BUDGET, "budget_bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        eddy_timeline_desc desc = cases[i].desc;
        eddy_timeline *timeline = NULL;
        eddy_error error = {0};
        desc.schema = &stage_schema;
        eddy_result result = eddy_timeline_create(&desc, &timeline, &error);
        ck_assert_msg(result == cases[i].result && error.code == result, "case %zu: %s", i, error.text);
        ck_assert_msg(strstr(error.text, cases[i].expected), "case %zu: expected \"%s\" in: %s", i, cases[i].expected,
                      error.text);
        ck_assert_ptr_null(timeline);
    }
    /* The number that was said to do, does. */
    eddy_timeline_destroy(stage_timeline((eddy_timeline_desc){.budget_bytes = 3145728, .heap_bytes_max = 1 << 20}));
    const eddy_schema nothing = {0};
    eddy_timeline *timeline;
    ck_assert_int_eq(eddy_timeline_create(&(eddy_timeline_desc){.schema = &nothing}, &timeline, NULL), EDDY_E_SCHEMA);
}
END_TEST

START_TEST(an_empty_timeline_says_so) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    eddy_error error = {0};
    eddy_view view;
    ck_assert_uint_eq(eddy_timeline_kept(timeline).count, 0);
    ck_assert_int_eq(eddy_timeline_read(timeline, 0, &view, &error), EDDY_E_FRAME);
    ck_assert_ptr_nonnull(strstr(error.text, "no frame has been recorded"));
    ck_assert_int_eq(eddy_timeline_resume(timeline, 0, NULL), EDDY_E_FRAME);
    ck_assert_int_eq(eddy_timeline_frame(timeline, 0, NULL, NULL, NULL), EDDY_E_FRAME);
    ck_assert_int_eq(eddy_timeline_constants_at(timeline, 0, &view, NULL), EDDY_E_FRAME);
    ck_assert_uint_eq(statistics_of(timeline).frames, 0);
    eddy_timeline_destroy(timeline);
    eddy_timeline_destroy(NULL);
}
END_TEST

START_TEST(a_frame_may_be_empty) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    for (uint32_t i = 0; i < 20; i++) {
        stage_append(timeline, &(eddy_view){0});
    }
    for (uint32_t i = 0; i < 20; i++) {
        ck_assert_uint_eq(stage_read(timeline, i).count, 0);
        ck_assert_uint_eq(hash_at(timeline, i), 0);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- every frame, any order ---- */

START_TEST(scrubbing_backward_forward_and_at_random_is_exact) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, (uint64_t)_i);
    const uint32_t count = 400;
    stage_copy *copies = record(timeline, world, count);
    for (uint32_t i = count; i-- > 0;) {
        stage_expect_frame(timeline, i, &copies[i], (uint64_t)_i);
    }
    for (uint32_t i = 0; i < count; i++) {
        stage_expect_frame(timeline, i, &copies[i], (uint64_t)_i);
    }
    for (uint32_t i = 0; i < 2 * count; i++) {
        uint32_t frame = stage_below(&world->random, count);
        stage_expect_frame(timeline, frame, &copies[frame], (uint64_t)_i);
    }
    free_copies(copies, count);
    free(world);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_frame_read_a_thousand_times_equals_once) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 3);
    stage_copy *copies = record(timeline, world, 100);
    for (uint32_t i = 0; i < 1000; i++) {
        stage_expect_frame(timeline, 57, &copies[57], 3);
        stage_read(timeline, i % 100);
    }
    free_copies(copies, 100);
    free(world);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(values_are_stored_not_differences) {
    /* A sum whose every step rounds: an error in one frame would be in all later ones. */
    const uint32_t count = stage_long(STAGE_IS_TINY ? 20000 : 150000, 1000000);
    stage_memory memory = {.fail_in = -1};
    eddy_timeline *timeline =
        stage_timeline((eddy_timeline_desc){.budget_bytes = 400000000, .hooks = stage_hooks(&memory)});
    float *xs = malloc(count * sizeof *xs);
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < count; i++) {
        stage_append(timeline, &one.view);
        xs[i] = one.mover.x;
        one.mover.x += 0.1f;
    }
    for (uint32_t i = count; i-- > 0; i -= i > 997 ? 997 : i) {
        eddy_view view = stage_read(timeline, i);
        const stage_mover *mover = view.entities[0].data;
        ck_assert_msg(memcmp(&mover->x, &xs[i], sizeof(float)) == 0, "frame %u: %.9g, expected %.9g", i,
                      (double)mover->x, (double)xs[i]);
    }
    free(xs);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(any_frame_costs_two_blocks_at_most_and_a_cached_one_none) {
    eddy_timeline *timeline = stage_timeline(usual);
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 8);
    free_copies(record(timeline, world, 1000), 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t before = statistics_of(timeline).blocks_decoded;
        uint32_t frame = stage_below(&world->random, 1000);
        stage_read(timeline, frame);
        ck_assert_uint_le(statistics_of(timeline).blocks_decoded - before, 2);
        before = statistics_of(timeline).blocks_decoded;
        stage_read(timeline, frame);
        ck_assert_uint_eq(statistics_of(timeline).blocks_decoded, before);
    }
    free(world);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(stepping_back_starts_at_the_frame_before) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 10; i++) {
        one.mover.timer = i;
        stage_append(timeline, &one.view);
    }
    ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, 9);
    ck_assert_uint_eq(timer_at(timeline, 8), 8);
    ck_assert_uint_eq(timer_at(timeline, 9), 9);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(beyond_either_end_is_an_error_that_names_what_is_kept) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 30; i++) {
        solo_append(&one, timeline);
    }
    static const uint32_t outside[] = {30, 31, 1000, UINT32_MAX, (uint32_t)-8};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        eddy_error error = {0};
        eddy_view view;
        ck_assert_int_eq(eddy_timeline_read(timeline, outside[i], &view, &error), EDDY_E_FRAME);
        ck_assert_msg(strstr(error.text, "expected 0 to 29"), "%s", error.text);
        ck_assert_int_eq(eddy_timeline_resume(timeline, outside[i], &error), EDDY_E_FRAME);
    }
    ck_assert_uint_eq(timer_at(timeline, 0), 1);
    ck_assert_uint_eq(timer_at(timeline, 29), 30);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- births and deaths ---- */

/* Appends frames in which entity 2 is alive from `born` to before `died`, beside entity 1. */
static void append_life(eddy_timeline *timeline, uint32_t from, uint32_t to, uint32_t born, uint32_t died) {
    for (uint32_t frame = from; frame < to; frame++) {
        stage_mover first = {.timer = frame}, second = {.timer = 1000 + frame};
        eddy_entity entities[] = {{1, STAGE_MOVER, &first}, {2, STAGE_MOVER, &second}};
        stage_append(timeline, &(eddy_view){entities, frame >= born && frame < died ? 2 : 1});
    }
}

static void expect_life(eddy_timeline *timeline, uint32_t frame, bool alive) {
    eddy_view view = stage_read(timeline, frame);
    const eddy_entity *found = eddy_view_find(&view, 2);
    ck_assert_msg((found != NULL) == alive, "frame %u: expected %s", frame, alive ? "alive" : "absent");
    ck_assert_uint_eq(view.count, alive ? 2 : 1);
    ck_assert_uint_eq(((const stage_mover *)view.entities[0].data)->timer, frame);
    if (alive) {
        ck_assert_uint_eq(((const stage_mover *)found->data)->timer, 1000 + frame);
    }
}

START_TEST(born_after_the_base_is_unseen_before_its_birth) {
    eddy_timeline *timeline = stage_timeline(usual);
    append_life(timeline, 0, 240, 136, 200);
    expect_life(timeline, 137, true);
    expect_life(timeline, 120, false);
    expect_life(timeline, 135, false);
    expect_life(timeline, 136, true);
    expect_life(timeline, 199, true);
    expect_life(timeline, 200, false);
    expect_life(timeline, 239, false);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_newborn_is_written_once_a_group) {
    eddy_timeline *timeline = stage_timeline(usual);
    append_life(timeline, 0, 120, 10, UINT32_MAX);
    eddy_statistics statistics = statistics_of(timeline);
    ck_assert_uint_gt(statistics.newborn_bytes, 0);
    ck_assert_uint_lt(statistics.newborn_bytes, 20);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(destroyed_is_present_before_and_absent_after) {
    eddy_timeline *timeline = stage_timeline(usual);
    append_life(timeline, 0, 250, 0, 130);
    expect_life(timeline, 131, false);
    expect_life(timeline, 129, true);
    expect_life(timeline, 130, false);
    expect_life(timeline, 249, false);
    expect_life(timeline, 0, true);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(created_and_destroyed_within_a_group) {
    eddy_timeline *timeline = stage_timeline(usual);
    append_life(timeline, 0, 41, 10, 20);
    expect_life(timeline, 15, true);
    expect_life(timeline, 25, false);
    expect_life(timeline, 15, true);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(what_died_dies_again_after_a_rewind) {
    eddy_timeline *timeline = stage_timeline(usual);
    append_life(timeline, 0, 50, 10, 30);
    for (uint32_t round = 0; round < 3; round++) {
        ck_assert_int_eq(eddy_timeline_resume(timeline, 25, NULL), EDDY_OK);
        expect_life(timeline, 25, true);
        append_life(timeline, 26, 50, 10, 32 + round);
        expect_life(timeline, 31 + round, true);
        expect_life(timeline, 32 + round, false);
        expect_life(timeline, 26, true);
        expect_life(timeline, 9, false);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(references_by_id_hold_across_death_and_rewind) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    stage_every pointing = {.target = UINT32_MAX};
    uint8_t target = 7;
    eddy_entity entities[] = {{5, STAGE_EVERY, &pointing}, {UINT32_MAX, STAGE_DOT, &target}};
    for (uint32_t i = 0; i < 20; i++) {
        pointing.whole = i;
        stage_append(timeline, &(eddy_view){entities, i < 12 ? 2 : 1});
    }
    eddy_view view = stage_read(timeline, 19);
    ck_assert_ptr_null(eddy_view_find(&view, ((const stage_every *)view.entities[0].data)->target));
    view = stage_read(timeline, 11);
    const eddy_entity *found = eddy_view_find(&view, ((const stage_every *)view.entities[0].data)->target);
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(*(const uint8_t *)found->data, 7);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- branches ---- */

typedef struct heard {
    recorded_frame frames[300];
    uint32_t count, constants;
} heard;

static void hear_frame(void *user, const recorded_frame *recorded) {
    heard *into = user;
    into->frames[into->count++ % 300] = *recorded;
}

static void hear_constants(void *user, const eddy_view *constants, block_bytes block) {
    heard *into = user;
    frame_buffer buffer = {0};
    ck_assert_int_eq(block_decode_base(&stage_schema, block, &buffer, NULL), EDDY_OK);
    eddy_view decoded = frame_buffer_view(&buffer);
    ck_assert_ptr_null(stage_difference(constants, &decoded));
    frame_buffer_free(&buffer);
    into->constants++;
}

START_TEST(branches_are_numbered_once_and_know_their_parents) {
    static heard log;
    eddy_timeline *timeline = stage_timeline(usual);
    timeline_observe(timeline, &(timeline_observer){hear_constants, hear_frame, &log});
    solo one;
    solo_begin(&one);
    static const struct {
        int64_t resume; /* -1: restart, -2: go on */
        uint32_t frame, branch, parent;
        bool begins, is_base;
    } steps[] = {
        {-2, 0, 0, UINT32_MAX, true, true}, {-2, 1, 0, UINT32_MAX, false, false}, {-2, 2, 0, UINT32_MAX, false, false},
        {1, 2, 1, 0, true, true},           {-2, 3, 1, 0, false, false},          {3, 4, 1, 0, false, false},
        {0, 1, 2, 0, true, true},           {-2, 2, 2, 0, false, false},          {1, 2, 3, 2, true, true},
        {-1, 0, 4, UINT32_MAX, true, true}, {-2, 1, 4, UINT32_MAX, false, false}, {0, 1, 5, 4, true, true},
    };
    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (steps[i].resume == -1) {
            eddy_timeline_restart(timeline);
        } else if (steps[i].resume >= 0) {
            ck_assert_int_eq(eddy_timeline_resume(timeline, (uint32_t)steps[i].resume, NULL), EDDY_OK);
        }
        solo_append(&one, timeline);
        const recorded_frame *recorded = &log.frames[i];
        ck_assert_msg(recorded->frame == steps[i].frame && recorded->branch == steps[i].branch &&
                          recorded->parent == steps[i].parent && recorded->begins_branch == steps[i].begins &&
                          recorded->is_base == steps[i].is_base,
                      "step %u: frame %u, branch %u, parent %u, begins %d, base %d", i, recorded->frame,
                      recorded->branch, recorded->parent, recorded->begins_branch, recorded->is_base);
        ck_assert_uint_eq(recorded->hash, eddy_view_hash(&stage_schema, &one.view));
    }
    ck_assert_uint_eq(statistics_of(timeline).branches_made, 6);
    timeline_observe(timeline, NULL);
    solo_append(&one, timeline);
    ck_assert_uint_eq(log.count, sizeof steps / sizeof steps[0]);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(nothing_is_cut_before_the_first_new_frame) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 40; i++) {
        solo_append(&one, timeline);
    }
    ck_assert_int_eq(eddy_timeline_resume(timeline, 10, NULL), EDDY_OK);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, 39);
    ck_assert_uint_eq(timer_at(timeline, 39), 40);
    ck_assert_int_eq(eddy_timeline_resume(timeline, 39, NULL), EDDY_OK);
    solo_append(&one, timeline);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, 40);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).branch, 0);
    ck_assert_uint_eq(statistics_of(timeline).branches_made, 1);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(pressing_rewind_and_releasing_at_once_changes_no_byte) {
    eddy_timeline *plain = stage_timeline((eddy_timeline_desc){0}), *touched = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 100; i++) {
        solo_append(&one, plain);
        stage_append(touched, &one.view);
        stage_read(touched, i / 2);
        ck_assert_int_eq(eddy_timeline_resume(touched, i, NULL), EDDY_OK);
        eddy_statistics a = statistics_of(plain), b = statistics_of(touched);
        ck_assert_uint_eq(a.base_bytes + a.diff_bytes, b.base_bytes + b.diff_bytes);
        ck_assert_uint_eq(hash_at(plain, i), hash_at(touched, i));
    }
    eddy_timeline_destroy(plain);
    eddy_timeline_destroy(touched);
}
END_TEST

START_TEST(a_second_rewind_reaches_what_was_played_after_the_first) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.base_interval = 12, .heap_frames = 144});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 11);
    stage_copy *before = record(timeline, world, 600);
    ck_assert_int_eq(eddy_timeline_resume(timeline, 299, NULL), EDDY_OK);
    stage_world_take(world, &before[299].view);
    stage_copy *after = record(timeline, world, 150);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, 449);
    for (uint32_t frame = 450; frame-- > 0;) {
        stage_expect_frame(timeline, frame, frame < 300 ? &before[frame] : &after[frame - 300], 11);
    }
    free_copies(before, 600);
    free_copies(after, 150);
    free(world);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(frames_of_a_cut_future_are_not_shown_again) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 10; i++) {
        solo_append(&one, timeline);
    }
    for (uint32_t round = 1; round < 20; round++) {
        for (uint32_t i = 0; i < 10; i++) {
            timer_at(timeline, i); /* now cached */
        }
        ck_assert_int_eq(eddy_timeline_resume(timeline, 4, NULL), EDDY_OK);
        one.mover.timer = 100 * round;
        for (uint32_t i = 5; i < 10; i++) {
            solo_append(&one, timeline);
        }
        for (uint32_t i = 9; i >= 5; i--) {
            ck_assert_uint_eq(timer_at(timeline, i), 100 * round + i - 4);
        }
        ck_assert_uint_eq(timer_at(timeline, 4), 5);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(restart_is_frame_0_of_a_new_root) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 50; i++) {
        solo_append(&one, timeline);
    }
    eddy_timeline_restart(timeline);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).count, 50);
    ck_assert_uint_eq(timer_at(timeline, 30), 31);
    solo_begin(&one);
    solo_append(&one, timeline);
    eddy_kept kept = eddy_timeline_kept(timeline);
    ck_assert_uint_eq(kept.count, 1);
    ck_assert_uint_eq(kept.last_frame, 0);
    ck_assert_uint_eq(kept.branch, 1);
    ck_assert_int_eq(eddy_timeline_resume(timeline, 1, NULL), EDDY_E_FRAME);
    ck_assert_uint_eq(timer_at(timeline, 0), 1);
    /* A restart that is taken back. */
    eddy_timeline_restart(timeline);
    ck_assert_int_eq(eddy_timeline_resume(timeline, 0, NULL), EDDY_OK);
    solo_append(&one, timeline);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, 1);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).branch, 1);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(bases_stay_at_multiples_of_the_interval) {
    static heard log;
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.base_interval = 12, .heap_frames = 48});
    timeline_observe(timeline, &(timeline_observer){hear_constants, hear_frame, &log});
    solo one;
    solo_begin(&one);
    stage_random random = {.state = 5};
    for (uint32_t i = 0; i < 2000; i++) {
        if (stage_below(&random, 20) == 0 && i > 0) {
            eddy_kept kept = eddy_timeline_kept(timeline);
            uint32_t back = stage_below(&random, 15);
            eddy_timeline_resume(timeline, kept.last_frame < back ? 0 : kept.last_frame - back, NULL);
        }
        solo_append(&one, timeline);
        const recorded_frame *recorded = &log.frames[i % 300];
        ck_assert_msg(recorded->is_base == (recorded->begins_branch || recorded->frame % 12 == 0), "frame %u",
                      recorded->frame);
        ck_assert_int_eq(statistics_of(timeline).last_frame_is_base, recorded->is_base);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(back_to_the_start_forward_to_the_head_and_on) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 21);
    stage_copy *copies = record(timeline, world, 200);
    uint64_t head = hash_at(timeline, 199);
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(eddy_timeline_resume(timeline, 0, NULL), EDDY_OK);
        for (uint32_t i = 0; i < 200; i++) {
            stage_expect_frame(timeline, i, &copies[i], 21);
        }
        ck_assert_int_eq(eddy_timeline_resume(timeline, 199, NULL), EDDY_OK);
        ck_assert_uint_eq(hash_at(timeline, 199), head);
    }
    free_copies(record(timeline, world, 5), 5);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, 204);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).branch, 0);
    free_copies(copies, 200);
    free(world);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(ten_thousand_short_rewinds_leak_nothing) {
    stage_memory memory = {.fail_in = -1};
    eddy_timeline_desc desc = usual;
    desc.hooks = stage_hooks(&memory);
    eddy_timeline *timeline = stage_timeline(desc);
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 100; i++) {
        solo_append(&one, timeline);
    }
    size_t owned = 0;
    for (uint32_t round = 0; round < 10000; round++) {
        uint32_t back = 1 + round % 30;
        uint32_t last = eddy_timeline_kept(timeline).last_frame;
        ck_assert_int_eq(eddy_timeline_resume(timeline, last - back, NULL), EDDY_OK);
        for (uint32_t i = 0; i < back; i++) {
            solo_append(&one, timeline);
        }
        ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, last);
        if (round == 100) {
            owned = memory.live_bytes;
        }
    }
    ck_assert_uint_eq(memory.live_bytes, statistics_of(timeline).owned_bytes);
    ck_assert_msg(memory.live_bytes <= owned + 3 * 65536, "%zu bytes, were %zu", memory.live_bytes, owned);
    ck_assert_uint_eq(timer_at(timeline, 99), one.mover.timer);
    eddy_timeline_destroy(timeline);
    ck_assert_int_eq(memory.live_count, 0);
}
END_TEST

START_TEST(short_rewinds_that_go_forward_cost_no_more_than_their_frames) {
    eddy_timeline *timeline = stage_timeline(usual);
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 10; i++) {
        solo_append(&one, timeline);
    }
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t last = eddy_timeline_kept(timeline).last_frame;
        ck_assert_int_eq(eddy_timeline_resume(timeline, last - 3, NULL), EDDY_OK);
        for (uint32_t i = 0; i < 6; i++) {
            solo_append(&one, timeline);
        }
    }
    eddy_statistics statistics = statistics_of(timeline);
    ck_assert_uint_eq(statistics.frames, 10 + 2000 * 3);
    /* A branch has a base, and a table that reaches to the next multiple of the interval. */
    ck_assert_msg(statistics.heap_bytes < statistics.frames * 1000, "%zu bytes for %u frames", statistics.heap_bytes,
                  statistics.frames);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- refused frames ---- */

START_TEST(a_refused_frame_changes_nothing) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 40; i++) {
        solo_append(&one, timeline);
    }
    uint8_t dot = 0;
    const stage_mover bad = {.state = 3};
    const eddy_entity bad_value[] = {{1, STAGE_MOVER, &bad}},
                      bad_order[] = {{2, STAGE_DOT, &dot}, {1, STAGE_DOT, &dot}},
                      bad_newborn[] = {{1, STAGE_MOVER, &one.mover}, {9, STAGE_MOVER, &bad}},
                      bad_type[] = {{2, 77, &dot}};
    const struct {
        eddy_view view;
        eddy_result result;
    } refused[] = {{{bad_value, 1}, EDDY_E_VALUE},
                   {{bad_order, 2}, EDDY_E_ENTITY},
                   {{bad_newborn, 2}, EDDY_E_VALUE},
                   {{bad_type, 1}, EDDY_E_ENTITY},
                   {{bad_order, EDDY_ENTITIES_MAX + 1}, EDDY_E_LIMIT}};
    for (uint32_t at = 0; at < 40; at += 13) {
        ck_assert_int_eq(eddy_timeline_resume(timeline, at, NULL), EDDY_OK);
        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
            eddy_statistics before = statistics_of(timeline);
            eddy_error error = {0};
            ck_assert_int_eq(eddy_timeline_append(timeline, &refused[i].view, &error), refused[i].result);
            eddy_statistics after = statistics_of(timeline);
            ck_assert_uint_eq(after.base_bytes + after.diff_bytes + after.newborn_bytes,
                              before.base_bytes + before.diff_bytes + before.newborn_bytes);
            ck_assert_uint_eq(after.branches_made, 1);
            for (uint32_t frame = 0; frame < 40; frame++) {
                ck_assert_uint_eq(timer_at(timeline, frame), frame + 1);
            }
        }
    }
    ck_assert_int_eq(eddy_timeline_resume(timeline, 39, NULL), EDDY_OK);
    solo_append(&one, timeline);
    ck_assert_uint_eq(timer_at(timeline, 40), 41);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).branch, 0);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- constants ---- */

static void hand_over_constants(eddy_timeline *timeline, uint8_t *levels, uint32_t count) {
    eddy_entity *entities = calloc(count, sizeof *entities);
    for (uint32_t i = 0; i < count; i++) {
        entities[i] = (eddy_entity){100000 + i, STAGE_DOT, &levels[i]};
    }
    eddy_error error = {0};
    ck_assert_msg(eddy_timeline_constants(timeline, &(eddy_view){entities, count}, &error) == EDDY_OK, "%s",
                  error.text);
    free(entities);
}

START_TEST(constants_cost_nothing_a_frame) {
    eddy_timeline *without = stage_timeline(usual), *with = stage_timeline(usual);
    const uint32_t count = 100000;
    uint8_t *levels = malloc(count);
    memset(levels, 3, count);
    hand_over_constants(with, levels, count);
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 300; i++) {
        solo_append(&one, without);
        stage_append(with, &one.view);
    }
    eddy_statistics a = statistics_of(without), b = statistics_of(with);
    ck_assert_uint_eq(a.heap_bytes, b.heap_bytes);
    ck_assert_uint_eq(a.base_bytes + a.diff_bytes + a.newborn_bytes, b.base_bytes + b.diff_bytes + b.newborn_bytes);
    eddy_view view;
    ck_assert_int_eq(eddy_timeline_constants_at(with, 150, &view, NULL), EDDY_OK);
    ck_assert_uint_eq(view.count, count);
    ck_assert_uint_eq(*(const uint8_t *)view.entities[count - 1].data, 3);
    free(levels);
    eddy_timeline_destroy(without);
    eddy_timeline_destroy(with);
}
END_TEST

static uint32_t constant_at(eddy_timeline *timeline, uint32_t frame) {
    eddy_view view;
    ck_assert_int_eq(eddy_timeline_constants_at(timeline, frame, &view, NULL), EDDY_OK);
    return view.count > 0 ? *(const uint8_t *)view.entities[0].data : 0;
}

START_TEST(frames_keep_the_constants_of_their_epoch) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    uint8_t level = 0;
    for (uint32_t i = 0; i < 30; i++) {
        if (i % 10 == 5) { /* hot reloads at 5, 15, 25; one that no frame saw before each */
            level++;
            hand_over_constants(timeline, &(uint8_t){200}, 1);
            hand_over_constants(timeline, &level, 1);
        }
        solo_append(&one, timeline);
    }
    for (uint32_t i = 0; i < 30; i++) {
        ck_assert_uint_eq(constant_at(timeline, i), (i + 5) / 10);
    }
    /* After a rewind the present constants hold, and those of the cut future go. */
    ck_assert_int_eq(eddy_timeline_resume(timeline, 7, NULL), EDDY_OK);
    ck_assert_uint_eq(constant_at(timeline, 29), 3);
    solo_append(&one, timeline);
    solo_append(&one, timeline);
    static const uint32_t expected[] = {0, 0, 0, 0, 0, 1, 1, 1, 3, 3};
    for (uint32_t i = 0; i < 10; i++) {
        ck_assert_uint_eq(constant_at(timeline, i), expected[i]);
    }
    eddy_timeline_restart(timeline);
    solo_append(&one, timeline);
    ck_assert_uint_eq(constant_at(timeline, 0), 3);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(refused_constants_change_nothing) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    hand_over_constants(timeline, &(uint8_t){4}, 1);
    const stage_mover bad = {.state = 9};
    const eddy_entity entity = {1, STAGE_MOVER, &bad};
    ck_assert_int_eq(eddy_timeline_constants(timeline, &(eddy_view){&entity, 1}, NULL), EDDY_E_VALUE);
    eddy_error error;
    ck_assert_int_eq(eddy_timeline_constants(timeline, &(eddy_view){&entity, UINT32_MAX}, &error), EDDY_E_LIMIT);
    solo_append(&one, timeline);
    ck_assert_uint_eq(constant_at(timeline, 0), 4);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(the_observer_hears_constants_as_a_base_block) {
    static heard log;
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    timeline_observe(timeline, &(timeline_observer){hear_constants, hear_frame, &log});
    hand_over_constants(timeline, (uint8_t[]){1, 0, 255}, 3);
    hand_over_constants(timeline, NULL, 0);
    ck_assert_uint_eq(log.constants, 2);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- the cache ---- */

START_TEST(a_view_stays_good_for_the_promised_number_of_reads) {
    for (uint32_t cache_frames = 2; cache_frames < 12; cache_frames += 3) {
        eddy_timeline *timeline =
            stage_timeline((eddy_timeline_desc){.base_interval = 5, .heap_frames = 10, .cache_frames = cache_frames});
        stage_world *world = malloc(sizeof *world);
        stage_world_begin(world, cache_frames);
        stage_copy *copies = record(timeline, world, 200);
        for (uint32_t i = 0; i < 300; i++) {
            uint32_t frame = stage_below(&world->random, 200);
            eddy_view view = stage_read(timeline, frame);
            for (uint32_t j = 0; j < cache_frames - 1; j++) {
                stage_read(timeline, stage_below(&world->random, 200));
            }
            const char *difference = stage_difference(&copies[frame].view, &view);
            ck_assert_msg(!difference, "cache of %u, frame %u: %s", cache_frames, frame, difference);
        }
        free_copies(copies, 200);
        free(world);
        eddy_timeline_destroy(timeline);
    }
}
END_TEST

START_TEST(a_trail_costs_few_decodes_a_picture) {
    eddy_timeline *timeline = stage_timeline(usual);
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 1000; i++) {
        solo_append(&one, timeline);
    }
    uint64_t before = 0;
    for (uint32_t shown = 900; shown > 300; shown--) {
        if (shown == 880) {
            before = statistics_of(timeline).blocks_decoded;
        }
        timer_at(timeline, shown);
        /* the last two seconds, one position every six frames, always on the same frames */
        for (uint32_t frame = shown - shown % 6; frame > shown - 120; frame -= 6) {
            ck_assert_uint_eq(timer_at(timeline, frame), frame + 1);
        }
    }
    uint64_t decoded = statistics_of(timeline).blocks_decoded - before;
    ck_assert_msg(decoded <= 2 * 580, "%" PRIu64 " blocks for 580 pictures of 21 frames", decoded);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(reading_does_not_touch_the_present) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){0});
    solo one;
    solo_begin(&one);
    for (uint32_t i = 0; i < 50; i++) {
        solo_append(&one, timeline);
        timer_at(timeline, i / 3);
        ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, i);
    }
    /* Handing back a frame that was read records it like any other. */
    eddy_view view = stage_read(timeline, 10);
    stage_append(timeline, &view);
    ck_assert_uint_eq(timer_at(timeline, 50), 11);
    ck_assert_uint_eq(hash_at(timeline, 50), hash_at(timeline, 10));
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- memory ---- */

START_TEST(the_oldest_goes_whole_and_the_budget_holds) {
    stage_memory memory = {.fail_in = -1};
    const size_t budget = 600000;
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.budget_bytes = budget,
                                                                  .heap_bytes_max = 66000,
                                                                  .base_interval = 12,
                                                                  .heap_frames = 48,
                                                                  .hooks = stage_hooks(&memory)});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 2);
    eddy_entity entities[STAGE_ENTITIES_MAX + 1];
    stage_blob *noise = calloc(1, sizeof *noise);
    stage_copy *recent = calloc(48, sizeof *recent);
    uint32_t first = 0, frame = 0;
    size_t recorded = 0;
    for (; recorded < 10 * budget; frame++) {
        stage_world_step(world);
        for (uint32_t i = 0; i < sizeof noise->bytes; i += 8) {
            uint64_t bits = stage_draw(&world->random);
            memcpy(&noise->bytes[i], &bits, 8);
        }
        eddy_view view = {entities, world->count + 1};
        memcpy(entities, world->entities, world->count * sizeof *entities);
        entities[world->count] = (eddy_entity){EDDY_ID_IMMUNE, STAGE_BLOB, noise};
        stage_append(timeline, &view);
        recorded += statistics_of(timeline).last_frame_bytes;
        stage_copy_free(&recent[frame % 48]);
        recent[frame % 48] = stage_copy_of(&view);
        eddy_kept kept = eddy_timeline_kept(timeline);
        ck_assert_uint_eq(kept.last_frame, frame);
        ck_assert_msg(kept.first_frame % 12 == 0, "frame %u: first is %u", frame, kept.first_frame);
        ck_assert_uint_ge(kept.first_frame, first);
        first = kept.first_frame;
        ck_assert_msg(memory.live_bytes <= budget + 66000, "frame %u: %zu bytes", frame, memory.live_bytes);
        uint32_t back = stage_below(&world->random, kept.count < 48 ? kept.count : 48);
        stage_expect_frame(timeline, frame - back, &recent[(frame - back) % 48], 2);
    }
    eddy_statistics statistics = statistics_of(timeline);
    ck_assert_uint_gt(first, 0);
    ck_assert_uint_eq(statistics.frames_forgotten, first);
    ck_assert_uint_eq(statistics.owned_bytes, memory.live_bytes);
    ck_assert_msg(memory.peak_bytes <= budget + 2 * 66000, "peak %zu", memory.peak_bytes);
    free_copies(recent, 48);
    free(noise);
    free(world);
    eddy_timeline_destroy(timeline);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

START_TEST(growing_worlds_stay_within_the_budget) {
    stage_memory memory = {.fail_in = -1};
    const size_t budget = 8000000;
    eddy_timeline *timeline =
        stage_timeline((eddy_timeline_desc){.budget_bytes = budget, .hooks = stage_hooks(&memory)});
    static stage_blob blobs[150];
    static eddy_entity entities[150];
    stage_random random = {.state = 1};
    uint32_t count = 0;
    eddy_error error = {0};
    eddy_result result = EDDY_OK;
    while (result == EDDY_OK && count < 150) {
        entities[count] = (eddy_entity){count + 1, STAGE_BLOB, &blobs[count]};
        count++;
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < 4096; j += 8) {
                uint64_t bits = stage_draw(&random);
                memcpy(&blobs[i].bytes[j], &bits, 8);
            }
        }
        result = eddy_timeline_append(timeline, &(eddy_view){entities, count}, &error);
        eddy_kept kept = eddy_timeline_kept(timeline);
        ck_assert_uint_ge(kept.count, 1);
        stage_read(timeline, kept.first_frame);
        ck_assert_msg(memory.live_bytes <= budget + budget / 4, "%u entities: %zu bytes", count, memory.live_bytes);
    }
    /* A world of a sixteenth of the budget is too large for it. */
    ck_assert_int_eq(result, EDDY_E_LIMIT);
    ck_assert_msg(strstr(error.text, "500000"), "%s", error.text);
    ck_assert_uint_eq(count, 500000 / 4096 + 1);
    eddy_kept kept = eddy_timeline_kept(timeline);
    eddy_view view = stage_read(timeline, kept.last_frame);
    ck_assert_uint_eq(view.count, count - 1);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_world_larger_than_the_budget_is_refused) {
    typedef struct huge {
        uint8_t bytes[1 << 20];
    } huge;
    const eddy_field field = {.name = "bytes", .kind = EDDY_U8, .count = 1 << 20};
    const eddy_type type = {.name = "huge", .size = sizeof(huge), .fields = &field, .field_count = 1};
    const eddy_schema schema = {.types = &type, .type_count = 1};
    stage_memory memory = {.fail_in = -1};
    eddy_timeline *timeline = stage_timeline(
        (eddy_timeline_desc){.schema = &schema, .budget_bytes = 64000000, .hooks = stage_hooks(&memory)});
    uint8_t *bytes = calloc(1, sizeof(huge));
    eddy_entity entities[86];
    for (uint32_t i = 0; i < 86; i++) {
        entities[i] = (eddy_entity){i + 1, 0, bytes};
    }
    eddy_error error = {0};
    ck_assert_int_eq(eddy_timeline_append(timeline, &(eddy_view){entities, 86}, &error), EDDY_E_LIMIT);
    ck_assert_msg(strstr(error.text, "budget"), "%s", error.text);
    stage_append(timeline, &(eddy_view){entities, 3});
    ck_assert_uint_eq(stage_read(timeline, 0).count, 3);
    ck_assert_uint_le(memory.peak_bytes, 64000000);
    free(bytes);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_heap_ends_early_at_a_base_when_it_is_full) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.budget_bytes = 40000000,
                                                                  .heap_bytes_max = 70000,
                                                                  .base_interval = 10,
                                                                  .heap_frames = 1000,
                                                                  .sealing = EDDY_SEALING_OFF});
    static heard log;
    timeline_observe(timeline, &(timeline_observer){hear_constants, hear_frame, &log});
    static stage_blob blob;
    eddy_entity entity = {1, STAGE_BLOB, &blob};
    stage_random random = {.state = 6};
    for (uint32_t i = 0; i < 200; i++) {
        memset(blob.bytes, (int)(1 + stage_below(&random, 255)), sizeof blob.bytes);
        stage_append(timeline, &(eddy_view){&entity, 1});
        /* ten diffs of 4,100 bytes are less than two full heaps: no base but the usual */
        ck_assert_int_eq(log.frames[i].is_base, i % 10 == 0);
    }
    eddy_statistics statistics = statistics_of(timeline);
    ck_assert_uint_ge(statistics.heaps, 200 * 4100 / (2 * 70000));
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(an_overfull_heap_is_ended_by_a_base_of_its_own) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.budget_bytes = 40000000,
                                                                  .heap_bytes_max = 70000,
                                                                  .base_interval = 1000,
                                                                  .heap_frames = 1000,
                                                                  .sealing = EDDY_SEALING_OFF});
    static stage_blob blob;
    eddy_entity entity = {1, STAGE_BLOB, &blob};
    for (uint32_t i = 0; i < 300; i++) {
        memset(blob.bytes, (int)(i % 255), sizeof blob.bytes);
        stage_append(timeline, &(eddy_view){&entity, 1});
        ck_assert_uint_le(statistics_of(timeline).heap_bytes / statistics_of(timeline).heaps, 2 * 70000 + 65536);
    }
    ck_assert_uint_ge(statistics_of(timeline).heaps, 6);
    for (uint32_t i = 0; i < 300; i++) {
        eddy_view view = stage_read(timeline, i);
        ck_assert_uint_eq(((const stage_blob *)view.entities[0].data)->bytes[17], i % 255);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(recording_asks_for_memory_only_by_the_chunk) {
    stage_memory memory = {.fail_in = -1};
    eddy_timeline_desc desc = usual;
    desc.hooks = stage_hooks(&memory);
    desc.sealing = EDDY_SEALING_OFF;
    eddy_timeline *timeline = stage_timeline(desc);
    stage_mover movers[40] = {0};
    eddy_entity entities[40];
    for (uint32_t i = 0; i < 40; i++) {
        entities[i] = (eddy_entity){i + 1, STAGE_MOVER, &movers[i]};
    }
    uint64_t reserves = 0;
    size_t bytes = 0;
    for (uint32_t frame = 0; frame < 7200; frame++) {
        if (frame == 1440) {
            reserves = memory.reserves;
            bytes = statistics_of(timeline).heap_bytes;
        }
        for (uint32_t i = 0; i < 12; i++) {
            movers[i * 3].x += 0.37f;
            movers[i * 3].timer++;
        }
        stage_append(timeline, &(eddy_view){entities, 40});
    }
    bytes = statistics_of(timeline).heap_bytes - bytes;
    ck_assert_msg((uint64_t)memory.reserves - reserves <= bytes / LIMIT_CHUNK_BYTES + 40,
                  "%" PRIu64 " reserves for %zu bytes", (uint64_t)memory.reserves - reserves, bytes);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(twelve_movers_cost_185_bytes_a_frame) {
    eddy_timeline_desc desc = usual;
    desc.sealing = EDDY_SEALING_OFF;
    eddy_timeline *timeline = stage_timeline(desc);
    stage_mover movers[60] = {0};
    eddy_entity entities[60];
    for (uint32_t i = 0; i < 60; i++) {
        movers[i] = (stage_mover){.x = 32.5f * (float)i, .y = 100.25f, .vx = 90, .state = 1};
        entities[i] = (eddy_entity){i + 1, STAGE_MOVER, &movers[i]};
    }
    for (uint32_t frame = 0; frame < 14400; frame++) {
        for (uint32_t i = 0; i < 12; i++) {
            stage_mover *mover = &movers[i * 5];
            mover->x += mover->vx / 60;
            mover->y += 0.01f * (float)i;
            mover->timer = frame - frame % 30; /* since when */
        }
        stage_append(timeline, &(eddy_view){entities, 60});
    }
    eddy_statistics statistics = statistics_of(timeline);
    size_t payload = (statistics.base_bytes + statistics.diff_bytes + statistics.newborn_bytes) / statistics.frames;
    size_t whole = statistics.heap_bytes / statistics.frames;
    ck_assert_msg(payload + 20 <= 185, "%zu bytes of payload a frame", payload);
    ck_assert_msg(whole <= 185 + 10, "%zu bytes of heap a frame", whole);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(the_bytes_in_the_statistics_are_those_of_the_kept_frames) {
    static heard log;
    eddy_timeline *timeline =
        stage_timeline((eddy_timeline_desc){.base_interval = 10, .heap_frames = 50, .sealing = EDDY_SEALING_OFF});
    timeline_observe(timeline, &(timeline_observer){hear_constants, hear_frame, &log});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 31);
    size_t bytes[600][3] = {{0}};
    for (uint32_t i = 0; i < 600; i++) {
        if (i > 0 && stage_below(&world->random, 30) == 0) {
            uint32_t last = eddy_timeline_kept(timeline).last_frame;
            uint32_t back = stage_below(&world->random, 30);
            eddy_timeline_resume(timeline, last < back ? 0 : last - back, NULL);
        }
        stage_world_step(world);
        eddy_view view = stage_world_view(world);
        stage_append(timeline, &view);
        const recorded_frame *recorded = &log.frames[i % 300];
        bytes[recorded->frame][0] = recorded->is_base ? recorded->block.size : 0;
        bytes[recorded->frame][1] = recorded->is_base ? 0 : recorded->block.size;
        bytes[recorded->frame][2] = 0;
        for (uint32_t j = 0; j < recorded->newborn_count; j++) {
            bytes[recorded->frame][2] += recorded->newborns[j].size;
        }
        size_t sum[3] = {0};
        for (uint32_t frame = 0; frame <= recorded->frame; frame++) {
            for (int kind = 0; kind < 3; kind++) {
                sum[kind] += bytes[frame][kind];
            }
        }
        eddy_statistics statistics = statistics_of(timeline);
        ck_assert_uint_eq(statistics.base_bytes, sum[0]);
        ck_assert_uint_eq(statistics.diff_bytes, sum[1]);
        ck_assert_uint_eq(statistics.newborn_bytes, sum[2]);
    }
    free(world);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- memory that fails ---- */

/* One frame with a failure at the N-th reserve: refused with E_MEMORY, or recorded. Then it is recorded. */
static void append_failing(eddy_timeline *timeline, stage_memory *memory, const eddy_view *view, int64_t fail_in) {
    eddy_kept before = eddy_timeline_kept(timeline);
    uint64_t failed = memory->failed;
    memory->fail_in = fail_in;
    eddy_result result = eddy_timeline_append(timeline, view, NULL);
    memory->fail_in = -1;
    ck_assert_int_eq(result, memory->failed > failed ? EDDY_E_MEMORY : EDDY_OK);
    if (result != EDDY_OK) {
        eddy_kept after = eddy_timeline_kept(timeline);
        ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
        stage_append(timeline, view);
    }
}

static uint64_t run_with_failures(int64_t fail_in) {
    stage_memory memory = {.fail_in = -1};
    static heard log;
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.base_interval = 6,
                                                                  .heap_frames = 12,
                                                                  .cache_frames = 3,
                                                                  .sealing = EDDY_SEALING_OFF,
                                                                  .hooks = stage_hooks(&memory)});
    timeline_observe(timeline, &(timeline_observer){hear_constants, hear_frame, &log});
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 40 + (uint64_t)fail_in);
    stage_copy copies[120] = {{{0}, 0, 0, NULL}};
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t count = eddy_timeline_kept(timeline).count;
        uint32_t frame = count;
        if (count > 110 || (count > 0 && i % 17 == 0)) {
            frame = stage_below(&world->random, count);
            ck_assert_int_eq(eddy_timeline_resume(timeline, frame++, NULL), EDDY_OK);
        }
        if (i % 23 == 0) {
            uint64_t failed = memory.failed;
            memory.fail_in = fail_in;
            eddy_entity constant = {1, STAGE_DOT, &(uint8_t){1}};
            eddy_result result = eddy_timeline_constants(timeline, &(eddy_view){&constant, 1}, NULL);
            memory.fail_in = -1;
            ck_assert_int_eq(result, memory.failed > failed ? EDDY_E_MEMORY : EDDY_OK);
        }
        stage_world_step(world);
        eddy_view view = stage_world_view(world);
        append_failing(timeline, &memory, &view, fail_in);
        stage_copy_free(&copies[frame]);
        copies[frame] = stage_copy_of(&view);
        ck_assert_int_eq(eddy_timeline_frame(timeline, frame, &copies[frame].branch, NULL, NULL), EDDY_OK);
        uint32_t wanted = stage_below(&world->random, frame + 1);
        uint64_t failed = memory.failed;
        memory.fail_in = fail_in;
        eddy_view found;
        eddy_result result = eddy_timeline_read(timeline, wanted, &found, NULL);
        memory.fail_in = -1;
        ck_assert_int_eq(result, memory.failed > failed ? EDDY_E_MEMORY : EDDY_OK);
        stage_expect_frame(timeline, wanted, &copies[wanted], (uint64_t)fail_in);
    }
    for (uint32_t i = 0; i < 120; i++) {
        stage_copy_free(&copies[i]);
    }
    free(world);
    eddy_timeline_destroy(timeline);
    ck_assert_int_eq(memory.live_count, 0);
    return memory.failed;
}

START_TEST(a_failed_reserve_is_reported_and_changes_nothing) {
    uint64_t failed = 0;
    for (int64_t fail_in = 0; fail_in < 12; fail_in++) {
        failed += run_with_failures(fail_in);
    }
    ck_assert_msg(failed > 100, "only %" PRIu64 " reserves failed", failed);
}
END_TEST

START_TEST(creation_without_memory_says_so) {
    uint64_t failed = 0;
    for (int64_t fail_in = 0; fail_in < 20; fail_in++) {
        stage_memory memory = {.fail_in = fail_in};
        eddy_timeline_desc desc = {.schema = &stage_schema, .hooks = stage_hooks(&memory)};
        eddy_timeline *timeline = NULL;
        eddy_result result = eddy_timeline_create(&desc, &timeline, NULL);
        ck_assert_int_eq(result, memory.failed > 0 ? EDDY_E_MEMORY : EDDY_OK);
        eddy_timeline_destroy(timeline);
        ck_assert_int_eq(memory.live_count, 0);
        failed += memory.failed;
    }
    ck_assert_uint_gt(failed, 3);
}
END_TEST

static void make(Suite *suite) {
    TCase *creating = suite_case(suite, "creating", 5);
    tcase_add_test(creating, what_cannot_work_is_refused_at_creation);
    tcase_add_test(creating, an_empty_timeline_says_so);
    tcase_add_test(creating, a_frame_may_be_empty);
    TCase *reading = suite_case(suite, "reading", 30);
    tcase_add_loop_test(reading, scrubbing_backward_forward_and_at_random_is_exact, 1, 4);
    tcase_add_test(reading, a_frame_read_a_thousand_times_equals_once);
    tcase_add_test(reading, values_are_stored_not_differences);
    tcase_add_test(reading, any_frame_costs_two_blocks_at_most_and_a_cached_one_none);
    tcase_add_test(reading, stepping_back_starts_at_the_frame_before);
    tcase_add_test(reading, beyond_either_end_is_an_error_that_names_what_is_kept);
    TCase *lives = suite_case(suite, "births and deaths", 5);
    tcase_add_test(lives, born_after_the_base_is_unseen_before_its_birth);
    tcase_add_test(lives, a_newborn_is_written_once_a_group);
    tcase_add_test(lives, destroyed_is_present_before_and_absent_after);
    tcase_add_test(lives, created_and_destroyed_within_a_group);
    tcase_add_test(lives, what_died_dies_again_after_a_rewind);
    tcase_add_test(lives, references_by_id_hold_across_death_and_rewind);
    TCase *branches = suite_case(suite, "branches", 20);
    tcase_add_test(branches, branches_are_numbered_once_and_know_their_parents);
    tcase_add_test(branches, nothing_is_cut_before_the_first_new_frame);
    tcase_add_test(branches, pressing_rewind_and_releasing_at_once_changes_no_byte);
    tcase_add_test(branches, a_second_rewind_reaches_what_was_played_after_the_first);
    tcase_add_test(branches, frames_of_a_cut_future_are_not_shown_again);
    tcase_add_test(branches, restart_is_frame_0_of_a_new_root);
    tcase_add_test(branches, bases_stay_at_multiples_of_the_interval);
    tcase_add_test(branches, back_to_the_start_forward_to_the_head_and_on);
    tcase_add_test(branches, ten_thousand_short_rewinds_leak_nothing);
    tcase_add_test(branches, short_rewinds_that_go_forward_cost_no_more_than_their_frames);
    tcase_add_test(branches, a_refused_frame_changes_nothing);
    TCase *constants = suite_case(suite, "constants", 10);
    tcase_add_test(constants, constants_cost_nothing_a_frame);
    tcase_add_test(constants, frames_keep_the_constants_of_their_epoch);
    tcase_add_test(constants, refused_constants_change_nothing);
    tcase_add_test(constants, the_observer_hears_constants_as_a_base_block);
    TCase *cache = suite_case(suite, "cache", 10);
    tcase_add_test(cache, a_view_stays_good_for_the_promised_number_of_reads);
    tcase_add_test(cache, a_trail_costs_few_decodes_a_picture);
    tcase_add_test(cache, reading_does_not_touch_the_present);
    TCase *memory = suite_case(suite, "memory", 30);
    tcase_add_test(memory, the_oldest_goes_whole_and_the_budget_holds);
    tcase_add_test(memory, growing_worlds_stay_within_the_budget);
    tcase_add_test(memory, a_world_larger_than_the_budget_is_refused);
    tcase_add_test(memory, a_heap_ends_early_at_a_base_when_it_is_full);
    tcase_add_test(memory, an_overfull_heap_is_ended_by_a_base_of_its_own);
    tcase_add_test(memory, recording_asks_for_memory_only_by_the_chunk);
    if (!STAGE_IS_TINY) { /* whose chunks are as small as their heads */
        tcase_add_test(memory, twelve_movers_cost_185_bytes_a_frame);
    }
    tcase_add_test(memory, the_bytes_in_the_statistics_are_those_of_the_kept_frames);
    TCase *failing = suite_case(suite, "failing memory", 30);
    tcase_add_test(failing, a_failed_reserve_is_reported_and_changes_nothing);
    tcase_add_test(failing, creation_without_memory_says_so);
}

int main(void) {
    return suite_run("timeline", make);
}
