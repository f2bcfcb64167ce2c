/* How Moth moves: running, the graces of a jump, walls and falls. Numbers are those of world/README.md. */
#include "suite.h"
#include "world_stage.h"

#include <math.h>

static const char *const plain[] = {
    "....................",
    "....................",
    "....................",
    "....................",
    "....................",
    "....................",
    "....................",
    "..@.................",
    "####################",
    "####################",
    NULL,
};

/* A cliff: the ground ends after the sixth tile. */
static const char *const cliff[] = {
    "......................", "......................", "......................", "....@.................",
    "######................", "######................", "......................", "......................",
    "......................", "......................", "......................", "......................",
    "......................", "......................", "######################", NULL,
};

START_TEST(runs_at_360_px_a_second) {
    world *w = stage_world(plain);
    stage_settle(w);
    stage_run(w, 6, BUTTON_RIGHT);
    ck_assert_float_eq(world_moth_of(w)->vx, 360);
    float x = world_moth_of(w)->x;
    stage_run(w, 10, BUTTON_RIGHT);
    ck_assert_float_eq(world_moth_of(w)->x, x + 60);
    ck_assert_int_eq(world_moth_of(w)->state, MOTH_RUN);
    stage_run(w, 8, 0);
    ck_assert_float_eq(world_moth_of(w)->vx, 0);
    ck_assert_int_eq(world_moth_of(w)->state, MOTH_IDLE);
    world_destroy(w);
}
END_TEST

START_TEST(left_and_right_together_stand_still) {
    world *w = stage_world(plain);
    stage_settle(w);
    float x = world_moth_of(w)->x;
    stage_run(w, 30, BUTTON_LEFT | BUTTON_RIGHT);
    ck_assert_float_eq(world_moth_of(w)->x, x);
    world_destroy(w);
}
END_TEST

/* Holds `held` for `frames` from the ground, then nothing; returns how many px the feet rose. */
static float jump_height(uint32_t frames) {
    world *w = stage_world(plain);
    stage_settle(w);
    float ground = world_moth_of(w)->y, highest = ground;
    for (uint32_t i = 0; i < 90; i++) {
        stage_run(w, 1, i < frames ? BUTTON_JUMP : 0);
        highest = fminf(highest, world_moth_of(w)->y);
    }
    ck_assert_float_eq(world_moth_of(w)->y, ground);
    world_destroy(w);
    return ground - highest;
}

START_TEST(full_jump_rises_112_px) {
    float height = jump_height(60);
    ck_assert_float_ge(height, 108);
    ck_assert_float_le(height, 116);
}
END_TEST

START_TEST(jump_rises_with_the_frames_it_is_held) {
    float before = jump_height(1);
    ck_assert_float_ge(before, 24);
    ck_assert_float_le(before, 40);
    for (uint32_t frames = 2; frames <= 12; frames++) {
        float height = jump_height(frames);
        ck_assert_float_gt(height, before);
        before = height;
    }
    ck_assert_float_gt(jump_height(40), before); /* the apex still counts, the hold is over */
    ck_assert_float_eq(jump_height(40), jump_height(80));
}
END_TEST

START_TEST(apex_has_half_gravity_while_held) {
    for (int held = 0; held <= 1; held++) {
        world *w = stage_world(plain);
        stage_settle(w);
        uint32_t slow = 0;
        for (uint32_t i = 0; i < 60; i++) {
            stage_run(w, 1, i < 14 || held ? BUTTON_JUMP : 0);
            const world_moth *moth = world_moth_of(w);
            slow += !moth->on_ground && moth->vy > -160 && moth->vy < 160;
        }
        ck_assert_msg(held ? slow >= 9 : slow <= 6, "held %d: %u slow frames", held, (unsigned)slow);
        world_destroy(w);
    }
}
END_TEST

START_TEST(one_press_is_one_jump) {
    world *w = stage_world(plain);
    stage_settle(w);
    stage_run(w, 120, BUTTON_JUMP); /* held through the landing */
    ck_assert(world_moth_of(w)->on_ground);
    ck_assert_uint_eq(stage_sounds(w, "jump"), 0); /* 120 frames later the only one is over */
    world_destroy(w);
}
END_TEST

/* Runs off the cliff and presses jump `late` steps after the first step that ended in the air. */
static bool jumps_late(uint32_t late) {
    world *w = stage_world(cliff);
    stage_settle(w);
    while (world_moth_of(w)->on_ground)
        stage_run(w, 1, BUTTON_RIGHT);
    stage_run(w, late - 1, BUTTON_RIGHT);
    stage_run(w, 1, BUTTON_RIGHT | BUTTON_JUMP);
    bool rises = world_moth_of(w)->vy < 0;
    world_destroy(w);
    return rises;
}

START_TEST(coyote_lasts_6_frames) {
    for (uint32_t late = 1; late <= 9; late++)
        ck_assert_msg(jumps_late(late) == (late <= 6), "%u frames late", (unsigned)late);
}
END_TEST

START_TEST(coyote_gives_no_second_jump) {
    world *w = stage_world(plain);
    stage_settle(w);
    stage_run(w, 1, BUTTON_JUMP);
    stage_run(w, 1, 0);
    float vy = world_moth_of(w)->vy;
    stage_run(w, 1, BUTTON_JUMP);
    ck_assert_float_gt(world_moth_of(w)->vy, vy);
    world_destroy(w);
}
END_TEST

START_TEST(buffer_waits_6_frames) {
    /* when does an untouched fall land? */
    world *w = stage_world(cliff);
    stage_settle(w);
    stage_copy start = stage_copy_of(world_view(w));
    uint32_t landing = 0;
    while (world_moth_of(w)->on_ground)
        stage_run(w, 1, BUTTON_RIGHT), landing++;
    while (!world_moth_of(w)->on_ground)
        stage_run(w, 1, BUTTON_RIGHT), landing++;
    for (uint32_t early = 1; early <= 9; early++) {
        stage_take(w, &start);
        /* press on the step that is `early` before the first step that starts on the ground */
        stage_run(w, landing - early, BUTTON_RIGHT);
        stage_run(w, 1, BUTTON_RIGHT | BUTTON_JUMP);
        stage_run(w, early, BUTTON_RIGHT | BUTTON_JUMP);
        ck_assert_msg((world_moth_of(w)->vy < 0) == (early <= 6), "%u frames early", (unsigned)early);
    }
    stage_copy_free(&start);
    world_destroy(w);
}
END_TEST

/* Corner correction: a block whose right edge hangs `overlap` px over Moth's left side. */
static bool slips(float overlap) {
    static const char *const rows[] = {
        "..........", "..........", "..........", "####......", "####......",
        "..........", "....@.....", "##########", NULL,
    };
    world_build *build = stage_begin(rows, 0);
    world_build_moth(build, 4 * WORLD_TILE + MOTH_HALF_W - overlap, 7 * WORLD_TILE - MOTH_HALF_H);
    world *w = stage_finish(build);
    stage_settle(w);
    stage_run(w, 14, BUTTON_JUMP);
    bool through = world_moth_of(w)->y < 5 * WORLD_TILE;
    if (through)
        ck_assert_float_ge(world_moth_of(w)->x, 4 * WORLD_TILE + MOTH_HALF_W);
    world_destroy(w);
    return through;
}

START_TEST(corner_within_16_px_is_slipped_by) {
    for (int px = 0; px <= 19; px++)
        ck_assert_msg(slips((float)px) == (px <= 16), "%d px under the corner", px);
}
END_TEST

START_TEST(fall_is_at_most_640_and_800_with_down) {
    static const char *const shaft[] = {
        ".@.", "...", "...", "...", "...", "...", "...", "...", "...", "...", "...", "...", "...", "...", "...",
        "...", "...", "...", "...", "...", "...", "...", "...", "...", "...", "...", "...", "###", NULL,
    };
    world *w = stage_world(shaft);
    stage_run(w, 25, 0);
    ck_assert_float_eq_tol(world_moth_of(w)->vy, 640, 0.5);
    stage_run(w, 10, BUTTON_DOWN);
    ck_assert_float_eq_tol(world_moth_of(w)->vy, 800, 0.5);
    stage_run(w, 10, 0);
    ck_assert_float_eq_tol(world_moth_of(w)->vy, 640, 0.5);
    world_destroy(w);
}
END_TEST

START_TEST(hard_landing_sounds_and_raises_dust) {
    world *w = stage_world(plain);
    stage_settle(w);
    stage_run(w, 40, BUTTON_JUMP);
    while (!world_moth_of(w)->on_ground)
        stage_run(w, 1, 0);
    ck_assert_uint_eq(stage_sounds(w, "land"), 1);
    ck_assert_uint_eq(stage_count(w, WORLD_BURST), 1);
    ck_assert_uint_eq(world_moth_of(w)->land_frames, 0);
    stage_run(w, 60, 0);
    ck_assert_uint_eq(stage_count(w, WORLD_BURST), 0);
    world_destroy(w);
}
END_TEST

START_TEST(footsteps_go_by_distance) {
    world *w = stage_world(plain);
    stage_settle(w);
    float x = world_moth_of(w)->x;
    uint32_t draws = world_game_of(w)->draws;
    stage_run(w, 60, BUTTON_RIGHT);
    uint32_t steps = world_game_of(w)->draws - draws;
    float strides = (world_moth_of(w)->x - x) / 52;
    ck_assert_msg(fabsf((float)steps - strides) <= 1, "%u steps in %g strides", (unsigned)steps, (double)strides);
    stage_run(w, 60, 0);
    draws = world_game_of(w)->draws;
    stage_run(w, 60, 0);
    ck_assert_uint_eq(world_game_of(w)->draws, draws);
    world_destroy(w);
}
END_TEST

START_TEST(buttons_held_when_a_rewind_ends_are_no_press) {
    world *w = stage_world(plain);
    stage_settle(w);
    world_step(w, (world_input){.held = BUTTON_JUMP, .fresh = (uint16_t)~BUTTON_JUMP});
    ck_assert(world_moth_of(w)->on_ground);
    stage_run(w, 3, BUTTON_JUMP);
    ck_assert(world_moth_of(w)->on_ground);
    stage_run(w, 1, 0);
    stage_run(w, 1, BUTTON_JUMP);
    ck_assert_float_lt(world_moth_of(w)->vy, 0);
    world_destroy(w);
}
END_TEST

/* ---- dying ---- */

static const char *const bed[] = {
    "..........", "..........", "..........", "..@.......", "####^^####", "##########", NULL,
};

START_TEST(death_is_a_state_of_45_frames_then_the_clock_stands) {
    world *w = stage_world(bed);
    stage_settle(w);
    while (world_game_of(w)->outcome == WORLD_GOING_ON)
        stage_run(w, 1, BUTTON_RIGHT);
    ck_assert_int_eq(world_game_of(w)->outcome, WORLD_DIED);
    ck_assert_int_eq(world_moth_of(w)->state, MOTH_DYING);
    ck_assert_uint_eq(stage_sounds(w, "die"), 1);
    uint32_t died = world_game_of(w)->frame;
    float y = world_moth_of(w)->y;
    stage_run(w, 10, BUTTON_RIGHT);
    ck_assert_float_lt(world_moth_of(w)->y, y); /* pops up */
    stage_run(w, 34, BUTTON_RIGHT);
    ck_assert(!world_stopped(w));
    ck_assert_float_gt(world_moth_of(w)->y, y); /* drops out */
    stage_run(w, 1, 0);
    ck_assert(world_stopped(w));
    ck_assert_uint_eq(world_game_of(w)->frame, died + 45);
    uint64_t hash = stage_hash(w);
    stage_run(w, 100, BUTTON_JUMP);
    ck_assert_uint_eq(stage_hash(w), hash);
    world_destroy(w);
}
END_TEST

START_TEST(falling_below_the_map_is_death) {
    static const char *const edge[] = {"......", ".@....", "###...", NULL};
    world *w = stage_world(edge);
    stage_settle(w);
    stage_run(w, 90, BUTTON_RIGHT);
    ck_assert_int_eq(world_game_of(w)->outcome, WORLD_DIED);
    world_destroy(w);
}
END_TEST

START_TEST(the_world_goes_on_while_moth_dies) {
    static const char *const rows[] = {
        ".............", ".............", ".@..k........", "#############", NULL,
    };
    world *w = stage_world(rows);
    while (world_game_of(w)->outcome == WORLD_GOING_ON)
        stage_run(w, 1, BUTTON_RIGHT);
    float x = ((const world_kettle *)stage_first(w, WORLD_KETTLE))->x;
    stage_run(w, 20, 0);
    ck_assert_float_ne(((const world_kettle *)stage_first(w, WORLD_KETTLE))->x, x);
    world_destroy(w);
}
END_TEST

static void make(Suite *suite) {
    TCase *run = suite_case(suite, "run", 10);
    tcase_add_test(run, runs_at_360_px_a_second);
    tcase_add_test(run, left_and_right_together_stand_still);
    tcase_add_test(run, footsteps_go_by_distance);
    TCase *jump = suite_case(suite, "jump", 10);
    tcase_add_test(jump, full_jump_rises_112_px);
    tcase_add_test(jump, jump_rises_with_the_frames_it_is_held);
    tcase_add_test(jump, apex_has_half_gravity_while_held);
    tcase_add_test(jump, one_press_is_one_jump);
    tcase_add_test(jump, coyote_lasts_6_frames);
    tcase_add_test(jump, coyote_gives_no_second_jump);
    tcase_add_test(jump, buffer_waits_6_frames);
    tcase_add_test(jump, corner_within_16_px_is_slipped_by);
    tcase_add_test(jump, buttons_held_when_a_rewind_ends_are_no_press);
    TCase *fall = suite_case(suite, "fall", 10);
    tcase_add_test(fall, fall_is_at_most_640_and_800_with_down);
    tcase_add_test(fall, hard_landing_sounds_and_raises_dust);
    TCase *death = suite_case(suite, "death", 10);
    tcase_add_test(death, death_is_a_state_of_45_frames_then_the_clock_stands);
    tcase_add_test(death, falling_below_the_map_is_death);
    tcase_add_test(death, the_world_goes_on_while_moth_dies);
}

int main(void) {
    return suite_run("world: moth", make);
}
