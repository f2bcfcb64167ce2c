/* Sounds as entities, and particles as functions. */
#include "suite.h"
#include "world_stage.h"

#include "world/inside.h"
#include "world/trig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const plain[] = {
    "....................", "....................", "....................", "....................",
    "....................", "..@.................", "####################", NULL,
};

static const eddy_sound *sound_of(const world *w, const char *asset) {
    eddy_view view = world_view(w);
    for (uint32_t i = 0; i < view.count; i++)
        if (view.entities[i].type == WORLD_SOUND &&
            strcmp(((const eddy_sound *)view.entities[i].data)->asset, asset) == 0)
            return view.entities[i].data;
    return NULL;
}

/* ---- sounds ---- */

START_TEST(music_begins_at_frame_0_and_moves_800_samples_a_frame) {
    world *w = stage_world(plain);
    for (uint32_t frame = 0; frame < 100; frame++) {
        const eddy_sound *song = sound_of(w, "song");
        ck_assert_ptr_nonnull(song);
        ck_assert_uint_eq(world_game_of(w)->frame, frame);
        ck_assert_double_eq(song->position, 800.0 * frame);
        ck_assert_uint_eq(song->place, EDDY_SOUND_HERE);
        ck_assert_uint_eq(song->category, EDDY_CATEGORY_MUSIC);
        stage_run(w, 1, 0);
    }
    world_destroy(w);
}
END_TEST

START_TEST(a_sound_of_one_second_lives_66_frames) {
    world *w = stage_world(plain);
    stage_settle(w);
    stage_run(w, 1, BUTTON_JUMP);
    const eddy_sound *jump = sound_of(w, "jump");
    ck_assert_ptr_nonnull(jump);
    ck_assert_double_eq(jump->position, 0);
    ck_assert_double_eq(jump->length, 48000);
    uint32_t frames = 0;
    while (stage_sounds(w, "jump") > 0) {
        frames++;
        stage_run(w, 1, 0);
    }
    ck_assert_uint_eq(frames, 66);
    world_destroy(w);
}
END_TEST

START_TEST(a_sound_is_as_old_after_a_rewind_as_it_was) {
    world *w = stage_world(plain);
    stage_settle(w);
    stage_run(w, 1, BUTTON_JUMP);
    stage_run(w, 20, 0);
    stage_copy young = stage_copy_of(world_view(w));
    stage_run(w, 60, 0);
    ck_assert_uint_eq(stage_sounds(w, "jump"), 0);
    stage_take(w, &young);
    ck_assert_double_eq(sound_of(w, "jump")->position, 20 * 800);
    stage_run(w, 45, 0);
    ck_assert_uint_eq(stage_sounds(w, "jump"), 1);
    stage_run(w, 1, 0);
    ck_assert_uint_eq(stage_sounds(w, "jump"), 0);
    stage_copy_free(&young);
    world_destroy(w);
}
END_TEST

START_TEST(loops_follow_what_makes_them) {
    static const char *const rows[] = {"..............", "@.............", "##............",
                                       "#...k.........", "##############", NULL};
    world *w = stage_world(rows);
    for (uint32_t frame = 0; frame < 300; frame++) {
        const eddy_sound *walk = sound_of(w, "kettle_walk");
        const world_kettle *kettle = stage_first(w, WORLD_KETTLE);
        ck_assert_msg(walk && walk->x == kettle->x && walk->y == kettle->y, "frame %u", (unsigned)frame);
        ck_assert_uint_eq(walk->repeat, EDDY_SOUND_LOOP);
        ck_assert_uint_eq(walk->place, EDDY_SOUND_AT);
        stage_run(w, 1, 0);
    }
    world_destroy(w);
}
END_TEST

START_TEST(loops_live_within_earshot_only) {
    /* a kettle 4,000 px away */
    static char sky[161], ground[161];
    memset(sky, '.', 160);
    memset(ground, '#', 160);
    static char walk[161];
    memcpy(walk, sky, sizeof walk);
    walk[2] = '@';
    walk[130] = '#';
    walk[133] = 'k';
    walk[138] = '#';
    const char *const rows[] = {sky, sky, sky, walk, ground, NULL};
    world *w = stage_world(rows);
    stage_run(w, 200, 0);
    ck_assert_uint_eq(stage_sounds(w, "kettle_walk"), 0);
    stage_run(w, 600, BUTTON_RIGHT);
    ck_assert_uint_eq(stage_sounds(w, "kettle_walk"), 1);
    stage_run(w, 600, BUTTON_LEFT);
    ck_assert_uint_eq(stage_sounds(w, "kettle_walk"), 0);
    world_destroy(w);
}
END_TEST

START_TEST(without_a_catalog_the_same_things_happen_in_silence) {
    world_build *builds[2];
    world *worlds[2];
    for (int i = 0; i < 2; i++) {
        world_level level = {.seed = 7, .width_tiles = 20, .height_tiles = 7, .title = "stage"};
        world_build_desc desc = {
            .level = level, .catalog = i ? stage_catalog() : NULL, .music = "nothing of that name"};
        eddy_error error = {0};
        ck_assert(world_build_begin(&desc, &builds[i], &error) == EDDY_OK);
        uint8_t solid[7 * 20] = {0};
        memset(solid + 6 * 20, 1, 20);
        world_build_tiles(builds[i], solid);
        world_build_moth(builds[i], 80, 172);
        worlds[i] = stage_finish(builds[i]);
    }
    for (uint32_t frame = 1; frame < 400; frame++) {
        for (int i = 0; i < 2; i++)
            stage_run(worlds[i], 1, stage_random_buttons(5, frame));
        const world_moth *a = world_moth_of(worlds[0]), *b = world_moth_of(worlds[1]);
        ck_assert_msg(memcmp(a, b, sizeof *a) == 0, "frame %u", (unsigned)frame);
    }
    ck_assert_uint_eq(stage_count(worlds[0], WORLD_SOUND), 0);
    ck_assert_uint_gt(stage_count(worlds[1], WORLD_SOUND), 0);
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}
END_TEST

START_TEST(the_oldest_sound_gives_way_when_64_are_alive) {
    world *w = stage_world(plain);
    stage_settle(w);
    for (uint32_t n = 0; n < 200; n++)
        sounds_play(w, CUE_WICK, 100, 100, 1);
    ck_assert_uint_eq(stage_count(w, WORLD_SOUND), 64);
    ck_assert_uint_eq(stage_sounds(w, "song"), 1); /* loops stay */
    eddy_view view = world_view(w);
    eddy_id last = view.entities[view.count - 1].id, oldest = 0;
    for (uint32_t i = 0; i < view.count && !oldest; i++)
        if (view.entities[i].type == WORLD_SOUND && ((const eddy_sound *)view.entities[i].data)->asset[0] == 'w')
            oldest = view.entities[i].id;
    ck_assert_uint_eq(last - oldest, 62); /* the 63 newest */
    world_destroy(w);
}
END_TEST

/* ---- the camera, which listens ---- */

START_TEST(camera_stays_inside_the_level_and_comes_to_rest) {
    world *w = stage_everything(1, false);
    for (uint32_t frame = 1; frame < 500; frame++) {
        stage_run(w, 1, stage_random_buttons(2, frame));
        const world_game *game = world_game_of(w);
        ck_assert(game->camera_x >= 640 && game->camera_x <= 72 * 32 - 640);
        ck_assert_float_eq(game->camera_y, 15 * 16); /* a level lower than the view: its middle */
    }
    world_destroy(w);
    w = stage_world(plain);
    ck_assert_float_eq(world_game_of(w)->camera_x, 320);
    world_destroy(w);
    static char rows_text[40][121];
    static const char *rows[41];
    for (int i = 0; i < 40; i++) {
        memset(rows_text[i], i == 39 ? '#' : '.', 120);
        rows[i] = rows_text[i];
    }
    rows_text[38][60] = '@';
    w = stage_world(rows);
    stage_run(w, 60, BUTTON_LEFT);
    stage_run(w, 200, 0);
    float x = world_game_of(w)->camera_x, y = world_game_of(w)->camera_y;
    ck_assert_float_eq(x, world_moth_of(w)->x - 110); /* looks ahead */
    stage_run(w, 100, 0);
    ck_assert(world_game_of(w)->camera_x == x && world_game_of(w)->camera_y == y);
    world_destroy(w);
}
END_TEST

/* ---- particles ---- */

START_TEST(bursts_are_closed_form_and_over_with_their_life) {
    world_particle a[64], b[64];
    for (uint32_t kind = 0; kind < PARTICLE_KIND_COUNT; kind++) {
        world_burst burst = {
            .x = 10, .y = 20, .vx = 100, .born = 50, .seed = 9, .kind = (uint16_t)kind, .count = 40, .life = 30};
        ck_assert_uint_eq(world_burst_particles(&burst, 49, a, 64), 0);
        ck_assert_uint_eq(world_burst_particles(&burst, 80, a, 64), 0);
        for (uint32_t half = 100; half < 160; half++) {
            double frame = half / 2.0;
            ck_assert_uint_eq(world_burst_particles(&burst, frame, a, 64), 40);
            world_burst_particles(&burst, 80 - frame + 50, b, 64); /* any order of asking */
            ck_assert_uint_eq(world_burst_particles(&burst, frame, b, 7), 7);
            ck_assert_mem_eq(a, b, 7 * sizeof a[0]);
            for (uint32_t i = 0; i < 40; i++)
                ck_assert(isfinite(a[i].x) && isfinite(a[i].y) && a[i].size >= 0 && a[i].turn >= 0 && a[i].turn <= 1 &&
                          a[i].alpha >= 0 && a[i].alpha <= 1 && a[i].warmth >= 0 && a[i].warmth <= 1);
        }
    }
}
END_TEST

/* Is a particle inside the box of the test below, a sway's width around it, and drawable? */
static bool particle_fits(const world_particle *p) {
    return p->x > 50 && p->x < 950 && p->y >= 100 && p->y <= 500 && p->alpha >= 0 && p->alpha <= 1 && p->warmth >= 0 &&
           p->warmth <= 1 && p->turn >= 0 && p->turn < 1 && p->size > 0;
}

START_TEST(emitters_fill_their_box_for_ever) {
    world_particle *out = malloc(2000 * sizeof *out);
    for (uint32_t kind = 0; kind < PARTICLE_KIND_COUNT; kind++) {
        world_emitter emitter = {
            .x = 500, .y = 300, .half_w = 400, .half_h = 200, .count = 2000, .seed = 3, .kind = kind};
        const double frames[] = {0, 1, 59.5, 3600, 216000, 5e6};
        for (size_t n = 0; n < sizeof frames / sizeof frames[0]; n++) {
            ck_assert_uint_eq(world_emitter_particles(&emitter, frames[n], out, 2000), 2000);
            uint32_t quarters[4] = {0}, fit = 0;
            for (uint32_t i = 0; i < 2000; i++) {
                fit += particle_fits(&out[i]);
                quarters[(out[i].x > 500) + 2 * (out[i].y > 300)]++;
            }
            ck_assert_uint_eq(fit, 2000);
            for (int q = 0; q < 4; q++)
                ck_assert_msg(quarters[q] > 400, "kind %u, frame %g: quarter %d has %u", (unsigned)kind, frames[n], q,
                              (unsigned)quarters[q]);
        }
    }
    free(out);
}
END_TEST

START_TEST(particles_move_smoothly) {
    world_emitter emitter = {
        .x = 500, .y = 300, .half_w = 400, .half_h = 200, .count = 50, .seed = 3, .kind = PARTICLE_SNOW};
    world_particle a[50], b[50];
    for (double frame = 0; frame < 200; frame += 0.25) {
        world_emitter_particles(&emitter, frame, a, 50);
        world_emitter_particles(&emitter, frame + 0.25, b, 50);
        for (uint32_t i = 0; i < 50; i++)
            if (fabsf(b[i].x - a[i].x) < 400 && fabsf(b[i].y - a[i].y) < 200) /* not the turn from end to beginning */
                ck_assert(fabsf(b[i].x - a[i].x) < 1 && fabsf(b[i].y - a[i].y) < 1);
    }
}
END_TEST

START_TEST(own_sine_is_the_sine) {
    double worst_sin = 0, worst_cos = 0;
    for (int i = -40000; i <= 40000; i++) {
        float t = (float)i / 10000;
        worst_sin = fmax(worst_sin, fabs((double)trig_sin_turns(t) - sin(2 * 3.14159265358979 * (double)t)));
        worst_cos = fmax(worst_cos, fabs((double)trig_cos_turns(t) - cos(2 * 3.14159265358979 * (double)t)));
    }
    ck_assert_double_lt(worst_sin, 2e-6);
    ck_assert_double_lt(worst_cos, 3e-6);
}
END_TEST

START_TEST(random_numbers_are_even_and_free_of_neighbours) {
    uint32_t buckets[16] = {0}, same_bits = 0;
    for (uint32_t n = 0; n < 16000; n++) {
        uint32_t r = random_hash(7, n);
        buckets[r >> 28]++;
        same_bits += (uint32_t)__builtin_popcount(r ^ random_hash(7, n + 1));
    }
    for (int i = 0; i < 16; i++)
        ck_assert_msg(buckets[i] > 850 && buckets[i] < 1150, "bucket %d: %u", i, (unsigned)buckets[i]);
    ck_assert_float_eq_tol((float)same_bits / 16000, 16, 0.2);
    ck_assert_float_lt(random_unit(UINT32_MAX), 1);
}
END_TEST

static void make(Suite *suite) {
    TCase *sound = suite_case(suite, "sound", 10);
    tcase_add_test(sound, music_begins_at_frame_0_and_moves_800_samples_a_frame);
    tcase_add_test(sound, a_sound_of_one_second_lives_66_frames);
    tcase_add_test(sound, a_sound_is_as_old_after_a_rewind_as_it_was);
    tcase_add_test(sound, loops_follow_what_makes_them);
    tcase_add_test(sound, loops_live_within_earshot_only);
    tcase_add_test(sound, without_a_catalog_the_same_things_happen_in_silence);
    tcase_add_test(sound, the_oldest_sound_gives_way_when_64_are_alive);
    TCase *camera = suite_case(suite, "camera", 10);
    tcase_add_test(camera, camera_stays_inside_the_level_and_comes_to_rest);
    TCase *particles = suite_case(suite, "particles", 10);
    tcase_add_test(particles, bursts_are_closed_form_and_over_with_their_life);
    tcase_add_test(particles, emitters_fill_their_box_for_ever);
    tcase_add_test(particles, particles_move_smoothly);
    tcase_add_test(particles, own_sine_is_the_sine);
    tcase_add_test(particles, random_numbers_are_even_and_free_of_neighbours);
}

int main(void) {
    return suite_run("world: sound and particles", make);
}
