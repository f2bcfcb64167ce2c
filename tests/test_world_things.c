/* Who else is there: kettles, levers, gates, wicks, the exit. */
#include "suite.h"
#include "world_stage.h"

#include "world/collide.h"

#include <math.h>

static const world_pan *the_pan(const world *w) {
    return stage_first(w, WORLD_PAN);
}

/* ---- kettles ---- */

START_TEST(kettle_turns_at_walls_and_ledges) {
    static const char *const rows[] = {
        "..............", "@.............", "##............", "#..k....#.....",
        "#########.....", "..............", "..............", NULL,
    };
    static const char *const shelf[] = {
        "..............", "@...k.........", "#..######.....", "..............", NULL,
    };
    const char *const *levels[] = {rows, shelf};
    static const float least[] = {1 * 32 + KETTLE_HALF_W, 3 * 32 + KETTLE_HALF_W},
                       most[] = {8 * 32 - KETTLE_HALF_W, 9 * 32 - KETTLE_HALF_W};
    for (size_t i = 0; i < 2; i++) {
        world *w = stage_world(levels[i]);
        float lowest = 1e9f, highest = 0;
        for (uint32_t frame = 0; frame < 900; frame++) {
            stage_run(w, 1, 0);
            const world_kettle *kettle = stage_first(w, WORLD_KETTLE);
            ck_assert_ptr_nonnull(kettle);
            lowest = fminf(lowest, kettle->x);
            highest = fmaxf(highest, kettle->x);
        }
        ck_assert_msg(lowest >= least[i] && lowest < least[i] + 4, "level %zu: lowest %g", i, (double)lowest);
        ck_assert_msg(highest <= most[i] && highest > most[i] - 4, "level %zu: highest %g", i, (double)highest);
        world_destroy(w);
    }
}
END_TEST

/* Moth falls on a kettle's head from 3 tiles up. */
static world *over_a_kettle(void) {
    static const char *const rows[] = {
        "........", "....@...", "........", "........", "...K....", "########", NULL,
    };
    world_build *build = stage_begin(rows, 0);
    world_build_moth(build, 112, 44);
    return stage_finish(build);
}

START_TEST(stomp_kills_and_bounces_higher_with_jump_held) {
    float highest[2] = {1e9f, 1e9f};
    for (int held = 0; held <= 1; held++) {
        world *w = over_a_kettle();
        uint16_t buttons = held ? BUTTON_JUMP : 0;
        stage_run(w, 1, buttons);
        while (((const world_kettle *)stage_first(w, WORLD_KETTLE))->state == KETTLE_WALK)
            stage_run(w, 1, buttons);
        ck_assert_int_eq(world_game_of(w)->outcome, WORLD_GOING_ON);
        ck_assert_float_lt(world_moth_of(w)->vy, 0);
        ck_assert_uint_eq(stage_sounds(w, "stomp"), 1);
        for (uint32_t i = 0; i < 40; i++) {
            stage_run(w, 1, buttons);
            highest[held] = fminf(highest[held], world_moth_of(w)->y);
        }
        stage_run(w, 20, 0);
        ck_assert_uint_eq(stage_count(w, WORLD_KETTLE), 0); /* flattened, then gone */
        ck_assert_uint_eq(stage_sounds(w, "kettle_walk"), 0);
        world_destroy(w);
    }
    ck_assert_float_lt(highest[1], highest[0] - 20);
}
END_TEST

START_TEST(kettle_kills_from_the_side) {
    static const char *const rows[] = {"..........", "..........", ".@...K....", "##########", NULL};
    world *w = stage_world(rows);
    stage_run(w, 120, 0);
    ck_assert_int_eq(world_game_of(w)->outcome, WORLD_DIED);
    world_destroy(w);
}
END_TEST

START_TEST(kettle_falls_and_is_gone_below_the_map) {
    static const char *const pit[] = {"......", "......", "......", "@.....", "#.....", "#.....", NULL};
    world_build *build = stage_begin(pit, 0);
    world_kettle kettle = {.x = 120, .y = 40 - KETTLE_HALF_H, .facing = 1};
    world_build_add(build, WORLD_KETTLE, &kettle, false);
    world *w = stage_finish(build);
    stage_run(w, 90, 0);
    ck_assert_uint_eq(stage_count(w, WORLD_KETTLE), 0);
    ck_assert_int_eq(world_game_of(w)->outcome, WORLD_GOING_ON);
    world_destroy(w);
}
END_TEST

START_TEST(kettle_rides_a_pan) {
    world_build *build = stage_begin(stage_hall, 0);
    world_build_moth(build, 800, 9 * 32 - MOTH_HALF_H);
    world_pan pan = {.half_w = 80, .half_h = 6, .from_x = 200, .from_y = 160, .to_x = 500, .to_y = 100, .period = 300};
    eddy_id pan_id = world_build_add(build, WORLD_PAN, &pan, false);
    world_build_add(build, WORLD_KETTLE, &(world_kettle){.x = 200, .y = 154 - KETTLE_HALF_H}, false);
    world *w = stage_finish(build);
    for (uint32_t i = 0; i < 900; i++) {
        stage_run(w, 1, 0);
        const world_kettle *rider = stage_first(w, WORLD_KETTLE);
        ck_assert_msg(rider->support == pan_id, "frame %u: fell off", (unsigned)i + 1);
        ck_assert_float_eq(rider->y, the_pan(w)->y - 6 - KETTLE_HALF_H);
    }
    world_destroy(w);
}
END_TEST

/* ---- levers and gates ---- */

static const char *const corridor[] = {
    "##############", "#............#", "#............#", "#.@..........#", "##############", NULL,
};

/* A lever beside Moth, a gate two tiles high at x = 300. */
static world *behind_a_gate(world_lever_mode mode, uint32_t hold) {
    world_build *build = stage_begin(corridor, 0);
    world_lever lever = {.x = 100, .y = 128 - LEVER_HALF_H, .mode = (uint16_t)mode, .hold = hold};
    eddy_id lever_id = world_build_add(build, WORLD_LEVER, &lever, false);
    world_build_add(build, WORLD_GATE, &(world_gate){.x = 300, .y = 80, .half_w = 6, .half_h = 48, .lever = lever_id},
                    false);
    world *w = stage_finish(build);
    stage_settle(w);
    return w;
}

static const world_gate *the_gate(const world *w) {
    return stage_first(w, WORLD_GATE);
}

START_TEST(closed_gate_stops_moth_open_gate_does_not) {
    world *w = behind_a_gate(LEVER_TOGGLE, 0);
    stage_run(w, 90, BUTTON_RIGHT);
    ck_assert_float_eq(world_moth_of(w)->x, 300 - 6 - MOTH_HALF_W);
    stage_run(w, 60, BUTTON_LEFT);
    stage_run(w, 24, BUTTON_RIGHT);
    stage_run(w, 1, BUTTON_USE); /* too far away */
    ck_assert_uint_eq(((const world_lever *)stage_first(w, WORLD_LEVER))->on, 0);
    world_destroy(w);

    w = behind_a_gate(LEVER_TOGGLE, 0);
    stage_run(w, 1, BUTTON_USE);
    ck_assert_uint_eq(stage_sounds(w, "lever"), 1);
    stage_run(w, 31, BUTTON_USE); /* held: one pull */
    ck_assert_float_lt(the_gate(w)->open, 1);
    stage_run(w, 1, 0);
    ck_assert_float_eq(the_gate(w)->open, 1);
    ck_assert_uint_eq(stage_sounds(w, "gate"), 1);
    stage_run(w, 60, BUTTON_RIGHT);
    ck_assert_float_gt(world_moth_of(w)->x, 340);
    world_destroy(w);
}
END_TEST

START_TEST(gate_without_a_lever_stays_shut) {
    world_build *build = stage_begin(corridor, 0);
    world_build_add(build, WORLD_GATE, &(world_gate){.x = 300, .y = 80, .half_w = 6, .half_h = 48}, false);
    world *w = stage_finish(build);
    stage_run(w, 100, BUTTON_RIGHT);
    ck_assert_float_eq(the_gate(w)->open, 0);
    ck_assert_float_eq(world_moth_of(w)->x, 300 - 6 - MOTH_HALF_W);
    world_destroy(w);
}
END_TEST

START_TEST(second_pull_closes_the_gate) {
    world *w = behind_a_gate(LEVER_TOGGLE, 0);
    stage_run(w, 40, BUTTON_USE);
    stage_run(w, 1, 0);
    stage_run(w, 40, BUTTON_USE);
    ck_assert_float_eq(the_gate(w)->open, 0);
    world_destroy(w);
}
END_TEST

START_TEST(timed_lever_holds_as_long_as_it_says) {
    world *w = behind_a_gate(LEVER_TIMED, 90);
    stage_run(w, 1, BUTTON_USE);
    uint32_t on = 0;
    for (uint32_t i = 0; i < 200; i++) {
        on += ((const world_lever *)stage_first(w, WORLD_LEVER))->on;
        stage_run(w, 1, 0);
    }
    ck_assert_uint_eq(on, 90);
    ck_assert_float_eq(the_gate(w)->open, 0);
    world_destroy(w);
}
END_TEST

START_TEST(gate_waits_for_who_stands_in_it) {
    world *w = behind_a_gate(LEVER_TIMED, 60);
    stage_run(w, 1, BUTTON_USE);
    while (world_moth_of(w)->x < 296)
        stage_run(w, 1, BUTTON_RIGHT);
    for (uint32_t i = 0; i < 200; i++) {
        stage_run(w, 1, 0);
        ck_assert(!box_touches(gate_box(the_gate(w)), moth_box(world_moth_of(w))));
    }
    ck_assert_float_gt(the_gate(w)->open, 0);
    ck_assert_int_eq(world_game_of(w)->outcome, WORLD_GOING_ON);
    stage_run(w, 60, BUTTON_RIGHT);
    ck_assert_float_eq(the_gate(w)->open, 0);
    world_destroy(w);
}
END_TEST

START_TEST(lever_stops_and_starts_a_pan_where_it_is) {
    world_build *build = stage_begin(corridor, 0);
    eddy_id lever = world_build_add(build, WORLD_LEVER, &(world_lever){.x = 100, .y = 108}, false);
    world_pan pan = {.half_w = 32,
                     .half_h = 5,
                     .from_x = 250,
                     .from_y = 60,
                     .to_x = 400,
                     .to_y = 60,
                     .period = 100,
                     .progress = 10,
                     .lever = lever};
    world_build_add(build, WORLD_PAN, &pan, false);
    world *w = stage_finish(build);
    stage_settle(w);
    float still = the_pan(w)->x;
    stage_run(w, 40, 0);
    ck_assert_float_eq(the_pan(w)->x, still);
    stage_run(w, 1, BUTTON_USE);
    stage_run(w, 25, 0);
    float moved = the_pan(w)->x;
    ck_assert_float_gt(moved, still + 10);
    stage_run(w, 1, BUTTON_USE); /* this step still moves it */
    float stopped = the_pan(w)->x;
    stage_run(w, 40, 0);
    ck_assert_float_eq(the_pan(w)->x, stopped);
    stage_run(w, 1, BUTTON_USE);
    stage_run(w, 74, 0);
    ck_assert_float_eq(the_pan(w)->x, still); /* 100 frames of moving in all */
    world_destroy(w);
}
END_TEST

/* ---- wicks and exit ---- */

START_TEST(exit_opens_with_the_wicks_that_are_needed) {
    static const char *const rows[] = {
        "..............", "..............", "..@..*..*...E.", "##############", NULL,
    };
    for (uint32_t needed = 0; needed <= 3; needed++) {
        world *w = stage_finish(stage_begin(rows, needed));
        ck_assert_uint_eq(world_level_of(w)->wicks_total, 2);
        stage_run(w, 150, BUTTON_RIGHT);
        ck_assert_uint_eq(world_game_of(w)->wicks_taken, 2);
        ck_assert_int_eq(world_game_of(w)->outcome, needed <= 2 ? WORLD_WON : WORLD_GOING_ON);
        world_destroy(w);
    }
}
END_TEST

START_TEST(winning_leaves_for_60_frames_then_the_clock_stands) {
    static const char *const rows[] = {"..........", "..........", ".@....E...", "##########", NULL};
    world *w = stage_world(rows);
    while (world_game_of(w)->outcome == WORLD_GOING_ON)
        stage_run(w, 1, BUTTON_RIGHT);
    ck_assert_int_eq(world_moth_of(w)->state, MOTH_LEAVING);
    ck_assert_uint_eq(stage_sounds(w, "exit"), 1);
    stage_run(w, 59, BUTTON_LEFT);
    ck_assert(!world_stopped(w));
    ck_assert_float_eq(world_moth_of(w)->x, 6.5f * 32);
    stage_run(w, 1, 0);
    ck_assert(world_stopped(w));
    ck_assert_int_eq(world_game_of(w)->outcome, WORLD_WON);
    world_destroy(w);
}
END_TEST

START_TEST(wick_is_taken_once) {
    static const char *const rows[] = {"..........", "..........", "..@.*.....", "##########", NULL};
    world *w = stage_finish(stage_begin(rows, 9));
    stage_run(w, 30, BUTTON_RIGHT);
    stage_run(w, 30, BUTTON_LEFT);
    ck_assert_uint_eq(world_game_of(w)->wicks_taken, 1);
    ck_assert_uint_eq(stage_sounds(w, "wick"), 1);
    const world_wick *wick = stage_first(w, WORLD_WICK);
    ck_assert(wick->taken && wick->taken_since > 0 && wick->taken_since < 30);
    world_destroy(w);
}
END_TEST

static void make(Suite *suite) {
    TCase *kettle = suite_case(suite, "kettle", 10);
    tcase_add_test(kettle, kettle_turns_at_walls_and_ledges);
    tcase_add_test(kettle, stomp_kills_and_bounces_higher_with_jump_held);
    tcase_add_test(kettle, kettle_kills_from_the_side);
    tcase_add_test(kettle, kettle_falls_and_is_gone_below_the_map);
    tcase_add_test(kettle, kettle_rides_a_pan);
    TCase *lever = suite_case(suite, "lever and gate", 10);
    tcase_add_test(lever, closed_gate_stops_moth_open_gate_does_not);
    tcase_add_test(lever, gate_without_a_lever_stays_shut);
    tcase_add_test(lever, second_pull_closes_the_gate);
    tcase_add_test(lever, timed_lever_holds_as_long_as_it_says);
    tcase_add_test(lever, gate_waits_for_who_stands_in_it);
    tcase_add_test(lever, lever_stops_and_starts_a_pan_where_it_is);
    TCase *exit_case = suite_case(suite, "wick and exit", 10);
    tcase_add_test(exit_case, exit_opens_with_the_wicks_that_are_needed);
    tcase_add_test(exit_case, winning_leaves_for_60_frames_then_the_clock_stands);
    tcase_add_test(exit_case, wick_is_taken_once);
}

int main(void) {
    return suite_run("world: things", make);
}
