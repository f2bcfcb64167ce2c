/* What bars and what carries: collision at any speed, pans and their riders. */
#include "suite.h"
#include "world_stage.h"

#include "world/collide.h"

#include <math.h>

/* ---- collision ---- */

START_TEST(nothing_tunnels_at_any_speed) {
    static const char *const room[] = {
        "########################################", "#......................................#",
        "#......................................#", "#......................................#",
        "#......................................#", "#.............@........................#",
        "########################################", "........................................",
        "........................................", NULL,
    };
    static const float speeds[] = {100, 1000, 1919, 1920, 7777, 30000, 100000};
    world *w = stage_world(room);
    stage_settle(w);
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        for (uint32_t k = 0; k < 64; k++) {
            float angle = (float)k * 0.09817477f, vx = speeds[i] * cosf(angle), vy = speeds[i] * sinf(angle);
            box b = moth_box(world_moth_of(w));
            for (uint32_t n = 0; n < 4; n++)
                collide_move(w, &b, units_from_speed(vx), units_from_speed(vy));
            ck_assert_msg(b.left >= UNITS_TILE && b.right <= 39 * UNITS_TILE && b.top >= UNITS_TILE &&
                              b.bottom <= 6 * UNITS_TILE && collide_free(w, b),
                          "speed %g, angle %g: left the room", (double)speeds[i], (double)angle);
        }
    }
    world_destroy(w);
}
END_TEST

/* The same through the rules: a frame with a monstrous speed is taken, then stepped. */
START_TEST(a_taken_frame_of_any_speed_stays_inside) {
    static const char *const room[] = {
        "####################", "#..................#", "#.........@........#",
        "####################", "....................", NULL,
    };
    static const float speeds[][2] = {{100000, 0}, {-100000, 0}, {0, 100000}, {0, -100000}, {99999, 99999}};
    world *w = stage_world(room);
    stage_copy start = stage_copy_of(world_view(w));
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        world_moth *moth = stage_copy_state(&start, world_game_of(w)->moth);
        moth->vx = speeds[i][0];
        moth->vy = speeds[i][1];
        stage_take(w, &start);
        stage_run(w, 5, BUTTON_RIGHT);
        ck_assert_int_eq(world_game_of(w)->outcome, WORLD_GOING_ON);
        ck_assert(collide_free(w, moth_box(world_moth_of(w))));
        ck_assert_float_gt(world_moth_of(w)->x, 32);
        ck_assert_float_lt(world_moth_of(w)->x, 19 * 32);
    }
    stage_copy_free(&start);
    world_destroy(w);
}
END_TEST

START_TEST(thin_gates_and_pans_hold_too) {
    static const char *const room[] = {
        "..@.......", "..........", "..........", "..........", "..........", "..........", "##########", NULL,
    };
    for (int pan = 0; pan <= 1; pan++) {
        world_build *build = stage_begin(room, 0);
        if (pan)
            world_build_add(build, WORLD_PAN, &(world_pan){.half_w = 64, .half_h = 1, .from_x = 80, .from_y = 120},
                            false);
        else
            world_build_add(build, WORLD_GATE, &(world_gate){.x = 80, .y = 120, .half_w = 64, .half_h = 1}, false);
        world *w = stage_finish(build);
        box b = moth_box(world_moth_of(w));
        collide_hits hits = collide_move(w, &b, 0, units_from_speed(100000));
        ck_assert(hits.feet);
        ck_assert_uint_ne(hits.support, 0);
        ck_assert_int_eq(b.bottom, UNITS_OF_PX(119));
        world_destroy(w);
    }
}
END_TEST

START_TEST(a_fast_slanting_fall_does_not_miss_a_narrow_pan) {
    static const char *const sky[] = {
        "@...........................",
        "............................",
        "............................",
        "............................",
        "............................",
        "............................",
        NULL,
    };
    /* 45 degrees down, 1,667 px a frame: the feet meet the pan's top in its middle */
    for (float x = 150; x < 300; x += 7) {
        world_build *build = stage_begin(sky, 0);
        world_build_add(build, WORLD_PAN, &(world_pan){.half_w = 12, .half_h = 1, .from_x = x, .from_y = x + 1}, false);
        world *w = stage_finish(build);
        box b = {UNITS_OF_PX(90), UNITS_OF_PX(60), UNITS_OF_PX(110), UNITS_OF_PX(100)}; /* feet at (100, 100) */
        collide_hits hits = collide_move(w, &b, UNITS_OF_PX(700), UNITS_OF_PX(700));
        ck_assert_msg(hits.feet && b.bottom == units_from_px(x), "pan at %g: missed", (double)x);
        world_destroy(w);
    }
}
END_TEST

START_TEST(outside_the_map) {
    static const char *const rows[] = {"@..", ".##", NULL};
    world *w = stage_world(rows);
    ck_assert(world_solid_at(w, -1, 0) && world_solid_at(w, 3, 0) && world_solid_at(w, -1, -50));
    ck_assert(!world_solid_at(w, 1, -1));
    ck_assert(world_solid_at(w, 1, 2) && world_solid_at(w, 2, 99) && !world_solid_at(w, 0, 2));
    world_destroy(w);
}
END_TEST

START_TEST(solids_cover_the_drawn_tiles_exactly) {
    static const char *const rows[] = {"@.#.##", "###..#", ".#####", "##.#.#", NULL};
    world *w = stage_world(rows);
    for (int32_t y = 0; y < 4; y++)
        for (int32_t x = 0; x < 6; x++)
            ck_assert_msg(world_solid_at(w, x, y) == (rows[y][x] == '#'), "tile %d, %d", x, y);
    world_destroy(w);
}
END_TEST

/* ---- pans ---- */

/* Moth on a pan that goes from (200, 160) to (to_x, to_y). */
static world *riding(float to_x, float to_y, uint32_t period, bool immune) {
    world_build *build = stage_begin(stage_hall, 0);
    world_build_moth(build, 190, 160 - 6 - MOTH_HALF_H);
    world_pan pan = {
        .half_w = 48, .half_h = 6, .from_x = 200, .from_y = 160, .to_x = to_x, .to_y = to_y, .period = period};
    world_build_add(build, WORLD_PAN, &pan, immune);
    world *w = stage_finish(build);
    stage_run(w, 1, 0);
    return w;
}

static const world_pan *the_pan(const world *w) {
    eddy_view immune = world_immune(w);
    for (uint32_t i = 0; i < immune.count; i++)
        if (immune.entities[i].type == WORLD_PAN)
            return immune.entities[i].data;
    return stage_first(w, WORLD_PAN);
}

START_TEST(riders_never_drift) {
    static const struct {
        float to_x, to_y;
        uint32_t period;
    } ways[] = {{701.3f, 160, 167}, {200, 77.7f, 91}, {733.1f, 41.9f, 333}, {222, 250, 61}};
    for (size_t i = 0; i < 2 * sizeof ways / sizeof ways[0]; i++) {
        size_t way = i / 2;
        bool immune = i % 2;
        world *w = riding(ways[way].to_x, ways[way].to_y, ways[way].period, immune);
        float dx = world_moth_of(w)->x - the_pan(w)->x, dy = world_moth_of(w)->y - the_pan(w)->y;
        for (uint32_t frame = 0; frame < 20 * ways[way].period; frame++) {
            stage_run(w, 1, 0);
            const world_moth *moth = world_moth_of(w);
            ck_assert_msg(moth->x - the_pan(w)->x == dx && moth->y - the_pan(w)->y == dy && moth->support != 0,
                          "way %zu, frame %u: offset (%g, %g), expected (%g, %g)", way, (unsigned)frame,
                          (double)(moth->x - the_pan(w)->x), (double)(moth->y - the_pan(w)->y), (double)dx, (double)dy);
        }
        world_destroy(w);
    }
}
END_TEST

START_TEST(pan_returns_to_where_it_was_each_period) {
    world *w = riding(611.7f, 99.1f, 123, false);
    float x = the_pan(w)->x, y = the_pan(w)->y;
    for (uint32_t turn = 0; turn < 50; turn++) {
        stage_run(w, 123, 0);
        ck_assert_float_eq(the_pan(w)->x, x);
        ck_assert_float_eq(the_pan(w)->y, y);
    }
    world_destroy(w);
}
END_TEST

START_TEST(pan_is_solid_from_above_only) {
    world_build *build = stage_begin(stage_hall, 0);
    world_build_moth(build, 200, 9 * 32 - MOTH_HALF_H);
    world_build_add(build, WORLD_PAN, &(world_pan){.half_w = 48, .half_h = 6, .from_x = 200, .from_y = 210}, false);
    world *w = stage_finish(build);
    stage_settle(w);
    stage_run(w, 60, BUTTON_JUMP);
    ck_assert_float_eq(world_moth_of(w)->y, 210 - 6 - MOTH_HALF_H); /* up through it, then stands on it */
    ck_assert_uint_ne(world_moth_of(w)->support, 0);
    world_destroy(w);
}
END_TEST

START_TEST(feet_inside_a_pan_are_not_on_it) {
    float floor = 9 * 32, apex = floor;
    for (int with_pan = 0; with_pan <= 1; with_pan++) {
        world_build *build = stage_begin(stage_hall, 0);
        world_build_moth(build, 200, floor - MOTH_HALF_H);
        if (with_pan) /* its top 3 px over the highest place of the feet */
            world_build_add(build, WORLD_PAN,
                            &(world_pan){.half_w = 48, .half_h = 6, .from_x = 200, .from_y = apex - 3 + 6}, false);
        world *w = stage_finish(build);
        stage_settle(w);
        for (uint32_t i = 0; i < 90; i++) {
            stage_run(w, 1, BUTTON_JUMP);
            apex = with_pan ? apex : fminf(apex, world_moth_of(w)->y + MOTH_HALF_H);
        }
        ck_assert_float_eq(world_moth_of(w)->y, floor - MOTH_HALF_H);
        world_destroy(w);
    }
}
END_TEST

START_TEST(landing_ends_the_speed_of_a_pan) {
    world_build *build = stage_begin(stage_hall, 0);
    world_build_moth(build, 230, 9 * 32 - 12 - MOTH_HALF_H);
    world_pan pan = {
        .half_w = 48, .half_h = 6, .from_x = 200, .from_y = 9 * 32 - 6, .to_x = 500, .to_y = 9 * 32 - 6, .period = 120};
    world_build_add(build, WORLD_PAN, &pan, false);
    world *w = stage_finish(build);
    stage_run(w, 25, 0);
    while (world_moth_of(w)->support || !world_moth_of(w)->on_ground)
        stage_run(w, 1, BUTTON_RIGHT); /* off its front edge, 12 px down */
    ck_assert_float_eq(world_moth_of(w)->lift_vx, 0);
    ck_assert_uint_eq(world_moth_of(w)->lift_frames, 0);
    world_destroy(w);
}
END_TEST

START_TEST(pan_gives_a_jump_its_speed) {
    world *w = riding(200, 20, 120, false);
    stage_run(w, 29, 0); /* in mid-rise, at its fastest */
    stage_run(w, 1, BUTTON_JUMP);
    ck_assert_float_lt(world_moth_of(w)->vy, -430);
    world_destroy(w);
    w = riding(600, 160, 240, false);
    stage_run(w, 59, 0);
    stage_run(w, 1, BUTTON_JUMP);
    ck_assert_float_gt(world_moth_of(w)->vx, 60);
    stage_run(w, 6, BUTTON_JUMP);
    ck_assert_float_gt(world_moth_of(w)->vx, 60); /* kept for a few frames */
    stage_run(w, 12, BUTTON_JUMP);
    ck_assert_float_eq(world_moth_of(w)->vx, 0);
    world_destroy(w);
}
END_TEST

START_TEST(pan_pushes_no_rider_into_a_wall) {
    static const char *const rows[] = {
        "..........####", "..........####", "..........####", "..........####",
        "..........####", "..........####", "##############", NULL,
    };
    world_build *build = stage_begin(rows, 0);
    world_build_moth(build, 230, 122 - MOTH_HALF_H);
    world_pan pan = {.half_w = 48, .half_h = 6, .from_x = 200, .from_y = 128, .to_x = 400, .to_y = 128, .period = 200};
    world_build_add(build, WORLD_PAN, &pan, false);
    world *w = stage_finish(build);
    for (uint32_t i = 0; i < 200; i++) {
        stage_run(w, 1, 0);
        ck_assert(collide_free(w, moth_box(world_moth_of(w))));
    }
    ck_assert_int_eq(world_game_of(w)->outcome, WORLD_GOING_ON);
    world_destroy(w);
}
END_TEST

START_TEST(pan_passes_a_rider_under_a_ceiling) {
    static const char *const rows[] = {
        "..........", "##########", "..........", "..........", "..........",
        "..........", "..........", "##########", NULL,
    };
    world_build *build = stage_begin(rows, 0);
    world_build_moth(build, 100, 194 - MOTH_HALF_H);
    world_pan pan = {.half_w = 48, .half_h = 6, .from_x = 100, .from_y = 200, .to_x = 100, .to_y = 40, .period = 200};
    world_build_add(build, WORLD_PAN, &pan, false);
    world *w = stage_finish(build);
    for (uint32_t i = 0; i < 100; i++) {
        stage_run(w, 1, 0);
        ck_assert(collide_free(w, moth_box(world_moth_of(w))));
    }
    ck_assert_float_eq(world_moth_of(w)->y, 7 * 32 - MOTH_HALF_H);
    world_destroy(w);
}
END_TEST

START_TEST(pan_lifts_who_stands_in_its_way) {
    world_build *build = stage_begin(stage_hall, 0);
    world_build_moth(build, 200, 9 * 32 - MOTH_HALF_H);
    world_pan pan = {.half_w = 48, .half_h = 6, .from_x = 200, .from_y = 320, .to_x = 200, .to_y = 160, .period = 200};
    world_build_add(build, WORLD_PAN, &pan, false);
    world *w = stage_finish(build);
    stage_run(w, 100, 0);
    ck_assert_float_eq(world_moth_of(w)->y, 160 - 6 - MOTH_HALF_H);
    world_destroy(w);
}
END_TEST

START_TEST(wheel_turns_its_pans_evenly_and_for_ever) {
    world_build *build = stage_begin(stage_hall, 0);
    world_build_moth(build, 40, 9 * 32 - MOTH_HALF_H);
    world_wheel wheel = {.x = 500, .y = 140, .radius = 100, .pans = 4, .period = 600, .direction = -1};
    eddy_id wheel_id = world_build_add(build, WORLD_WHEEL, &wheel, false);
    eddy_id pans[4];
    for (uint32_t i = 0; i < 4; i++)
        pans[i] = world_build_add(build, WORLD_PAN,
                                  &(world_pan){.half_w = 30, .half_h = 5, .wheel = wheel_id, .index = i}, false);
    world *w = stage_finish(build);
    stage_copy start = stage_copy_of(world_view(w));
    stage_run(w, 600 * 7, 0);
    eddy_view now = world_view(w);
    for (uint32_t i = 0; i < 4; i++) {
        const world_pan *was = stage_copy_state(&start, pans[i]), *is = eddy_view_find(&now, pans[i])->data;
        ck_assert_float_eq(is->x, was->x);
        ck_assert_float_eq(is->y, was->y);
        float away = sqrtf((is->x - 500) * (is->x - 500) + (is->y - 140) * (is->y - 140));
        ck_assert_float_eq_tol(away, 100, 0.01);
    }
    stage_copy_free(&start);
    world_destroy(w);
}
END_TEST

static void make(Suite *suite) {
    TCase *collide = suite_case(suite, "collide", 20);
    tcase_add_test(collide, nothing_tunnels_at_any_speed);
    tcase_add_test(collide, a_taken_frame_of_any_speed_stays_inside);
    tcase_add_test(collide, thin_gates_and_pans_hold_too);
    tcase_add_test(collide, a_fast_slanting_fall_does_not_miss_a_narrow_pan);
    tcase_add_test(collide, outside_the_map);
    tcase_add_test(collide, solids_cover_the_drawn_tiles_exactly);
    TCase *pan = suite_case(suite, "pan", 20);
    tcase_add_test(pan, riders_never_drift);
    tcase_add_test(pan, pan_returns_to_where_it_was_each_period);
    tcase_add_test(pan, pan_is_solid_from_above_only);
    tcase_add_test(pan, feet_inside_a_pan_are_not_on_it);
    tcase_add_test(pan, landing_ends_the_speed_of_a_pan);
    tcase_add_test(pan, pan_gives_a_jump_its_speed);
    tcase_add_test(pan, pan_pushes_no_rider_into_a_wall);
    tcase_add_test(pan, pan_passes_a_rider_under_a_ceiling);
    tcase_add_test(pan, pan_lifts_who_stands_in_its_way);
    tcase_add_test(pan, wheel_turns_its_pans_evenly_and_for_ever);
}

int main(void) {
    return suite_run("world: collision and pans", make);
}
