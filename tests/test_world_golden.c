/* The same level, seed and buttons give the same bytes, with any compiler and optimisation; and a step allocates
 * nothing. The numbers below change only with the rules: then run this, look at what changed, and pin the new ones. */
#include "suite.h"
#include "world_stage.h"

#include <stdio.h>

static const struct {
    uint32_t seed;
    bool immune;
    uint64_t hash; /* of all frames of the run */
} goldens[] = {
    {1, false, 0x1c4171c1432a833d},
    {2, false, 0x9e8d6a9131e11c07},
    {3, true, 0x25eaccf3cae61380},
};

START_TEST(two_thousand_steps_have_the_hash_they_always_had) {
    world *w = stage_everything(goldens[_i].seed, goldens[_i].immune);
    stage_copy start = stage_copy_of(world_view(w));
    uint64_t hash = 0;
    for (uint32_t frame = 1; frame <= 2000; frame++) {
        if (world_stopped(w))
            stage_take(w, &start); /* as a player would: back, and on */
        stage_run(w, 1, stage_random_buttons(goldens[_i].seed, frame));
        hash = hash * 31 + stage_hash(w) + 7 * stage_immune_hash(w);
    }
    ck_assert_msg(hash == goldens[_i].hash, "seed %u: found 0x%016llx, expected 0x%016llx", goldens[_i].seed,
                  (unsigned long long)hash, (unsigned long long)goldens[_i].hash);
    stage_copy_free(&start);
    world_destroy(w);
}
END_TEST

/* ---- allocation: the linker sends every call of the world's through these ---- */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static uint32_t allocations;
static uint32_t fail_at; /* the allocation that fails, counted from 1; 0: none */

static bool allocation_fails(void) {
    return ++allocations == fail_at;
}

void *__wrap_malloc(size_t bytes) {
    return allocation_fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
    return allocation_fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
    return allocation_fails() ? NULL : __real_realloc(memory, bytes);
}

START_TEST(steps_views_and_taking_allocate_nothing) {
    world *w = stage_everything(3, true);
    stage_copy start = stage_copy_of(world_view(w));
    ck_assert_uint_gt(allocations, 0); /* the wrap is in place */
    allocations = 0;
    uint32_t taken = 0;
    for (uint32_t frame = 1; frame <= 1000; frame++) {
        stage_run(w, 1, stage_random_buttons(3, frame));
        world_step_immune(w);
        if (world_stopped(w))
            world_take(w, &start.view, NULL);
        eddy_view now = world_view(w), immune = world_immune(w);
        taken += !world_take(w, &now, NULL) && !world_take_immune(w, &immune, NULL);
    }
    ck_assert_uint_eq(allocations, 0); /* Check's own asserts allocate: none above */
    ck_assert_uint_eq(taken, 1000);
    stage_copy_free(&start);
    world_destroy(w);
}
END_TEST

START_TEST(every_allocation_of_a_build_may_fail) {
    static const char *const rows[] = {"....*.k.", "@.......", "####^^##", NULL};
    world_build *build = stage_begin(rows, 0);
    world_build_cancel(build);
    uint32_t failed = 0;
    for (uint32_t n = 1;; n++) {
        world_level level = {.width_tiles = 40, .height_tiles = 3};
        uint8_t solid[3 * 40] = {0};
        world *made = NULL;
        eddy_error error = {0};
        allocations = 0;
        fail_at = n;
        eddy_result result = world_build_begin(&(world_build_desc){.level = level}, &build, &error);
        if (!result) {
            for (uint32_t i = 0; i < 40; i++)
                solid[80 + i] = i % 2;
            world_build_tiles(build, solid);
            world_build_moth(build, 16, 44);
            for (uint32_t i = 0; i < 400; i++)
                world_build_add(build, WORLD_KETTLE, &(world_kettle){.x = 100, .y = 20}, false);
            result = world_build_finish(build, &made, &error);
        }
        fail_at = 0;
        if (!result) {
            ck_assert_uint_lt(allocations, n);
            world_destroy(made);
            break;
        }
        ck_assert_int_eq(result, EDDY_E_MEMORY);
        ck_assert_ptr_null(made);
        failed++;
    }
    ck_assert_uint_ge(failed, 5);
}
END_TEST

/* ---- what a level may not be ---- */

static world_build *begin(uint32_t width, uint32_t height, eddy_result *result) {
    world_build *build = NULL;
    world_build_desc desc = {.level = {.width_tiles = width, .height_tiles = height}};
    *result = world_build_begin(&desc, &build, NULL);
    return build;
}

START_TEST(levels_have_limits) {
    static const uint32_t sizes[][3] = {{0, 5, 0}, {5, 0, 0}, {2001, 5, 0}, {5, 2001, 0}, {2000, 1, 1}, {1, 2000, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        eddy_result result;
        world_build *build = begin(sizes[i][0], sizes[i][1], &result);
        ck_assert_int_eq(result, sizes[i][2] ? EDDY_OK : EDDY_E_LIMIT);
        world_build_cancel(build);
    }
}
END_TEST

START_TEST(what_is_added_is_checked) {
    static const world_kettle kettle = {.x = 50, .y = 50}, nowhere = {.x = (float)1e9};
    static const world_pan loose = {.half_w = 10, .half_h = 5, .wheel = 900};
    static const world_gate gate = {.half_w = 5, .half_h = 5, .lever = 77};
    static const eddy_sound sound = {.pitch = 1};
    static const world_game game = {.frame = 1};
    static const struct {
        world_type type;
        const void *state;
        bool immune, moth;
        eddy_result result;
    } rows[] = {
        {WORLD_KETTLE, &kettle, false, true, EDDY_OK},
        {WORLD_KETTLE, &kettle, false, false, EDDY_E_ENTITY}, /* no moth */
        {WORLD_KETTLE, &kettle, true, true, EDDY_E_ENTITY},   /* no immune kettles */
        {WORLD_KETTLE, &nowhere, false, true, EDDY_E_VALUE},
        {WORLD_PAN, &loose, false, true, EDDY_E_ENTITY},
        {WORLD_GATE, &gate, false, true, EDDY_E_ENTITY},
        {WORLD_SOUND, &sound, false, true, EDDY_E_ENTITY},
        {WORLD_GAME, &game, false, true, EDDY_E_ENTITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eddy_result result;
        world_build *build = begin(10, 10, &result);
        world_build_add(build, rows[i].type, rows[i].state, rows[i].immune);
        if (rows[i].moth)
            world_build_moth(build, 100, 100);
        world *made = NULL;
        eddy_error error = {0};
        result = world_build_finish(build, &made, &error);
        ck_assert_msg(result == rows[i].result, "row %zu: %s (%s)", i, eddy_result_name(result), error.text);
        world_destroy(made);
    }
}
END_TEST

START_TEST(schema_is_whole) {
    eddy_error error = {0};
    ck_assert_msg(eddy_schema_check(world_schema(), &error) == EDDY_OK, "%s", error.text);
    ck_assert_uint_eq(eddy_schema_find(world_schema(), "journal"), WORLD_JOURNAL);
    ck_assert_uint_eq(eddy_schema_find(world_schema(), "moth"), WORLD_MOTH);
    ck_assert_uint_eq(world_button("jump"), BUTTON_JUMP);
    ck_assert_uint_eq(world_button("fly"), 0);
}
END_TEST

static void make(Suite *suite) {
    TCase *golden = suite_case(suite, "golden", 20);
    tcase_add_loop_test(golden, two_thousand_steps_have_the_hash_they_always_had, 0,
                        (int)(sizeof goldens / sizeof goldens[0]));
    TCase *memory = suite_case(suite, "memory", 20);
    tcase_add_test(memory, steps_views_and_taking_allocate_nothing);
    tcase_add_test(memory, every_allocation_of_a_build_may_fail);
    TCase *build = suite_case(suite, "build", 10);
    tcase_add_test(build, levels_have_limits);
    tcase_add_test(build, what_is_added_is_checked);
    tcase_add_test(build, schema_is_whole);
}

int main(void) {
    return suite_run("world: golden", make);
}
