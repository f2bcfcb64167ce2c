/* The drawing: pure rules first, then whole pictures by the software renderer, with no display and no SDL_Init. */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/draw.h"
#include "engine/draw_parts.h"
#include "world/build.h"

#define ART EDDY_SOURCE_DIR "/levels/art"

static const char *const key_names[16] = {"Left", "Right", "Up", "Down", "Z", "X", "Shift", "K", "L", "R"};

/* ---- a small level with one of everything ---- */

#define MAP_W 60
#define MAP_H 26

static void build_things(world_build *build) {
    eddy_id lever =
        world_build_add(build, WORLD_LEVER, &(world_lever){.x = 500, .y = 620, .mode = LEVER_TIMED, .hold = 90}, false);
    eddy_id wheel = world_build_add(
        build, WORLD_WHEEL,
        &(world_wheel){.x = 900, .y = 400, .radius = 120, .pans = 2, .period = 600, .direction = -1}, false);
    world_build_add(build, WORLD_PAN, &(world_pan){.half_w = 40, .half_h = 8, .wheel = wheel, .index = 0, .period = 1},
                    false);
    world_build_add(build, WORLD_PAN, &(world_pan){.half_w = 40, .half_h = 8, .wheel = wheel, .index = 1, .period = 1},
                    false);
    world_build_add(
        build, WORLD_PAN,
        &(world_pan){.half_w = 40, .half_h = 8, .from_x = 300, .from_y = 500, .to_x = 500, .to_y = 500, .period = 240},
        true);
    world_build_add(build, WORLD_GATE, &(world_gate){.x = 700, .y = 592, .half_w = 16, .half_h = 48, .lever = lever},
                    false);
    world_build_add(build, WORLD_KETTLE, &(world_kettle){.x = 600, .y = 626, .facing = -1}, false);
    world_build_add(build, WORLD_WICK, &(world_wick){.x = 420, .y = 580}, false);
    world_build_add(build, WORLD_NETTLE, &(world_nettle){.x = 1000, .y = 624, .half_w = 48, .half_h = 16}, false);
    world_build_add(build, WORLD_EXIT, &(world_exit){.x = 1200, .y = 592, .half_w = 24, .half_h = 48}, false);
    world_build_add(
        build, WORLD_EMITTER,
        &(world_emitter){
            .x = 640, .y = 300, .half_w = 600, .half_h = 300, .count = 40, .seed = 3, .kind = PARTICLE_SNOW},
        false);
    world_build_add(build, WORLD_SCENERY,
                    &(world_scenery){.x = 300, .y = 640, .scale = 1, .depth = -0.4f, .kind = "house"}, false);
    world_build_add(build, WORLD_SCENERY,
                    &(world_scenery){.x = 350, .y = 640, .scale = 1, .depth = 0.6f, .flip = 1, .kind = "fern"}, false);
    world_build_add(build, WORLD_SCENERY, &(world_scenery){.x = 390, .y = 640, .scale = 1, .kind = "no such thing"},
                    false);
    world_build_add(build, WORLD_HINT,
                    &(world_hint){.x = 200, .y = 600, .half_w = 200, .half_h = 100, .text = "{left} {right} to walk"},
                    false);
}

static world *make_world(void) {
    static uint8_t solid[MAP_W * MAP_H];
    eddy_error error = {0};
    world_build *build = NULL;
    world *made = NULL;
    world_build_desc desc = {.level = {.seed = 7,
                                       .width_tiles = MAP_W,
                                       .height_tiles = MAP_H,
                                       .wicks_needed = 1,
                                       .sky = 0x5a4a80,
                                       .title = "Test"}};
    for (int i = 0; i < MAP_W * MAP_H; i++) {
        solid[i] =
            i / MAP_W >= 20 && !(i / MAP_W == 22 && i % MAP_W > 4 && i % MAP_W < 9); /* a floor with a cave in it */
    }
    ck_assert_msg(world_build_begin(&desc, &build, &error) == EDDY_OK, "%s", error.text);
    world_build_tiles(build, solid);
    world_build_moth(build, 200, 620);
    build_things(build);
    ck_assert_msg(world_build_finish(build, &made, &error) == EDDY_OK, "%s", error.text);
    for (int i = 0; i < 30; i++) {
        world_step(made, (world_input){BUTTON_RIGHT, 0xffff});
    }
    return made;
}

static engine_picture picture_of(const world *shown) {
    engine_picture picture = {
        .world = shown, .alpha = 1, .rate = 60, .ticks = 100, .last_frame = 600, .shown_frame = 600};
    memcpy(picture.key_names, key_names, sizeof key_names);
    return picture;
}

/* ---- pure rules ---- */

/* Check writes a mark for every assertion; millions of them go by if instead. */
#define QUICK_ASSERT(condition, ...)                                                                                   \
    if (!(condition))                                                                                                  \
    ck_abort_msg(__VA_ARGS__)

START_TEST(bar_ends_are_exact_and_nothing_goes_back) {
    static const uint32_t lengths[] = {1, 2, 60, 3600, 216001};
    uint32_t frames = lengths[_i];
    for (uint32_t width = 1; width <= 2000; width++) {
        QUICK_ASSERT(draw_bar_x(0, frames, width) == 0, "first frame, width %u", width);
        QUICK_ASSERT(draw_bar_frame(0, frames, width) == 0, "left end, width %u", width);
        QUICK_ASSERT(draw_bar_x(frames - 1, frames, width) == (frames > 1 ? width - 1 : 0), "last frame, width %u",
                     width);
        QUICK_ASSERT(draw_bar_frame((int64_t)width - 1, frames, width) == (width > 1 ? frames - 1 : 0),
                     "right end, width %u", width);
        uint32_t before = 0;
        for (uint32_t x = 0; x < width; x++) {
            uint32_t frame = draw_bar_frame(x, frames, width);
            QUICK_ASSERT(frame >= before && frame < frames, "frame %u after %u at x %u of %u", frame, before, x, width);
            before = frame;
        }
        before = 0;
        for (uint32_t frame = 0; frame < frames; frame += 1 + frames / 700) {
            uint32_t x = draw_bar_x(frame, frames, width);
            QUICK_ASSERT(x >= before && x < width, "x %u after %u at frame %u, width %u", x, before, frame, width);
            before = x;
        }
    }
}
END_TEST

START_TEST(bar_finds_its_frames_and_positions_again) {
    for (uint32_t width = 2; width <= 2000; width += 7) {
        for (uint32_t frame = 0; frame < width; frame++) { /* as many frames as px: each has its own px */
            uint32_t found = draw_bar_frame(draw_bar_x(frame, width, width), width, width);
            QUICK_ASSERT(found == frame, "frame %u came back as %u, width %u", frame, found, width);
        }
        for (uint32_t x = 0; x < width; x++) { /* more frames than px: each px has its own frame */
            uint32_t found = draw_bar_x(draw_bar_frame(x, 216001, width), 216001, width);
            QUICK_ASSERT(found == x, "x %u came back as %u, width %u", x, found, width);
        }
    }
}
END_TEST

START_TEST(bar_beyond_its_ends_is_the_nearest_end) {
    ck_assert_uint_eq(draw_bar_frame(-100, 3600, 1000), 0);
    ck_assert_uint_eq(draw_bar_frame(INT64_MIN, 3600, 1000), 0);
    ck_assert_uint_eq(draw_bar_frame(5000, 3600, 1000), 3599);
    ck_assert_uint_eq(draw_bar_frame(INT64_MAX, UINT32_MAX, UINT32_MAX), UINT32_MAX - 1);
    ck_assert_uint_eq(draw_bar_x(9999, 3600, 1000), 999);
    ck_assert_uint_eq(draw_bar_x(0, 0, 0), 0);
}
END_TEST

/* The pieces of a hint, keys in square brackets, "/" for a line's end. */
static void check_hint(const char *text, const char *const names[16], const char *expected) {
    char found[512] = "";
    draw_piece piece;
    int guard = 0;
    while (draw_hint_next(&text, names, &piece)) {
        size_t at = strlen(found);
        snprintf(found + at, sizeof found - at, piece.line_end ? "/" : piece.key ? "[%s]" : "%s|", piece.text);
        ck_assert_int_lt(guard++, 200);
    }
    ck_assert_str_eq(found, expected);
}

START_TEST(hint_names_the_bound_key) {
    static const char *const nothing[16] = {0};
    check_hint("", key_names, "");
    check_hint("   ", key_names, "");
    check_hint("{jump} leaps", key_names, "[Z]leaps|");
    check_hint("press {left} or {right}, then {rewind}.", key_names, "press|[Left]or|[Right],|then|[Shift].|");
    check_hint("{jump}{use}", key_names, "[Z][X]");
    check_hint("a\nb", key_names, "a|/b|");
    check_hint("{jump} leaps", nothing, "[jump]leaps|");      /* nothing bound: the button's own name */
    check_hint("{dance} {jump", key_names, "{dance}|{jump|"); /* no such button, no end: letters like any other */
    check_hint("{} }{", key_names, "{}|}|{|");
}
END_TEST

START_TEST(hint_keeps_letters_whole) {
    char text[200];
    draw_piece piece;
    for (int i = 0; i < 99; i++) {
        memcpy(text + 2 * i, "\xc3\xa4", 2);
    }
    text[198] = 0;
    const char *at = text;
    size_t total = 0;
    while (draw_hint_next(&at, key_names, &piece)) {
        size_t length = strlen(piece.text);
        ck_assert_uint_gt(length, 0);
        ck_assert_uint_eq(length % 2, 0);
        total += length;
    }
    ck_assert_uint_eq(total, 198);
}
END_TEST

START_TEST(between_two_frames_and_across_a_jump) {
    static const struct {
        eddy_vec2 before, now;
        float alpha;
        eddy_vec2 shown;
    } rows[] = {
        {{0, 0}, {10, 20}, 0, {0, 0}},
        {{0, 0}, {10, 20}, 0.5f, {5, 10}},
        {{0, 0}, {10, 20}, 1, {10, 20}},
        {{0, 0}, {DRAW_JUMP_PX, 0}, 0.5f, {DRAW_JUMP_PX / 2, 0}},
        {{0, 0}, {DRAW_JUMP_PX + 1, 0}, 0.5f, {DRAW_JUMP_PX + 1, 0}},
        {{0, 0}, {0, -DRAW_JUMP_PX - 1}, 0, {0, -DRAW_JUMP_PX - 1}},
        {{NAN, 0}, {4, 5}, 0.5f, {4, 5}},
    };
    eddy_vec2 shown = draw_between(rows[_i].before, rows[_i].now, rows[_i].alpha);
    ck_assert_float_eq(shown.x, rows[_i].shown.x);
    ck_assert_float_eq(shown.y, rows[_i].shown.y);
}
END_TEST

START_TEST(newborn_and_changed_types_have_no_before) {
    world_kettle kettle = {.x = 5};
    eddy_entity entity = {.id = 9, .type = WORLD_KETTLE, .data = &kettle};
    eddy_view view = {&entity, 1};
    engine_picture picture = {.before = &view};
    ck_assert_ptr_eq(draw_before(&picture, 9, WORLD_KETTLE), &kettle);
    ck_assert_ptr_null(draw_before(&picture, 8, WORLD_KETTLE));
    ck_assert_ptr_null(draw_before(&picture, 9, WORLD_MOTH));
    picture.before = NULL;
    ck_assert_ptr_null(draw_before(&picture, 9, WORLD_KETTLE));
}
END_TEST

START_TEST(time_runs_between_frames_in_both_directions_but_not_across_a_jump) {
    world *made = make_world(); /* at frame 30 */
    static const struct {
        uint32_t before;
        double shown;
    } rows[] = {{29, 29.25}, {34, 33.0}, {14, 18.0}, {13, 30.0}, {200, 30.0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        world_game game = *world_game_of(made);
        game.frame = rows[i].before;
        eddy_entity entity = {.id = 1, .type = WORLD_GAME, .data = &game};
        eddy_view view = {&entity, 1};
        engine_picture picture = {.world = made, .before = &view, .alpha = 0.25f};
        ck_assert_double_eq(draw_time_of(&picture), rows[i].shown);
    }
    world_destroy(made);
}
END_TEST

/* ---- art ---- */

START_TEST(missing_art_is_named) {
    eddy_error error = {0};
    world *made = make_world();
    engine_picture picture = picture_of(made);
    ck_assert_int_eq(engine_draw_png("no-such-folder", &picture, "unused.png", &error), EDDY_E_IO);
    ck_assert_int_eq(error.code, EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "no-such-folder/moth_cloak.svg"));
    ck_assert_int_ne(access("unused.png", F_OK), 0);
    world_destroy(made);
}
END_TEST

START_TEST(broken_art_is_named) {
    static const char *const bodies[] = {"", "this is no drawing", "<svg width=\"0\" height=\"9\"></svg>",
                                         "<svg width=\"1e9\" height=\"9\"></svg>"};
    SDL_Surface *surface = NULL;
    eddy_error error = {0};
    mkdir("draw-broken", 0755);
    FILE *file = fopen("draw-broken/bad.svg", "w");
    ck_assert_ptr_nonnull(file);
    fputs(bodies[_i], file);
    fclose(file);
    ck_assert_int_eq(draw_art_surface("draw-broken", "bad", 1, &surface, &error), EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "draw-broken/bad.svg"));
}
END_TEST

START_TEST(kinds_of_scenery_are_files_of_the_folder) {
    ck_assert_int_eq(draw_art_of_kind("tree"), ART_TREE);
    ck_assert_int_eq(draw_art_of_kind("lantern"), ART_LANTERN);
    ck_assert_int_eq(draw_art_of_kind("moth_cloak"), ART_COUNT); /* art, but no scenery */
    ck_assert_int_eq(draw_art_of_kind(""), ART_COUNT);
}
END_TEST

/* ---- pictures ---- */

static size_t read_file(const char *path, uint8_t *out, size_t room) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is not there", path);
    size_t bytes = fread(out, 1, room, file);
    fclose(file);
    return bytes;
}

START_TEST(same_picture_same_bytes_without_a_display) {
    static uint8_t first[8 << 20], second[8 << 20];
    eddy_error error = {0};
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    world *made = make_world();
    engine_picture picture = picture_of(made);
    ck_assert_uint_eq(SDL_WasInit(0), 0);
    ck_assert_msg(engine_draw_png(ART, &picture, "draw-a.png", &error) == EDDY_OK, "%s", error.text);
    ck_assert_msg(engine_draw_png(ART, &picture, "draw-b.png", &error) == EDDY_OK, "%s", error.text);
    size_t bytes = read_file("draw-a.png", first, sizeof first);
    ck_assert_uint_gt(bytes, 100000);
    ck_assert_uint_eq(read_file("draw-b.png", second, sizeof second), bytes);
    ck_assert_mem_eq(first, second, bytes);
    ck_assert_mem_eq(first, "\x89PNG", 4);
    ck_assert_uint_eq(first[18] * 256u + first[19], ENGINE_VIEW_W);
    ck_assert_uint_eq(first[22] * 256u + first[23], ENGINE_VIEW_H);
    world_destroy(made);
}
END_TEST

START_TEST(a_picture_that_cannot_be_written_is_named) {
    eddy_error error = {0};
    SDL_Surface *surface = paint_surface(4, 4);
    ck_assert_int_eq(engine_draw_save(surface, "no-such-folder/a.png", &error), EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "no-such-folder/a.png"));
    mkdir("draw-folder.png", 0755);
    ck_assert_int_eq(engine_draw_save(surface, "draw-folder.png", &error), EDDY_E_IO);
    SDL_FreeSurface(surface);
}
END_TEST

typedef struct canvas {
    SDL_Surface *surface;
    SDL_Renderer *renderer;
    engine_draw *draw;
} canvas;

static canvas open_canvas(int w, int h, float scale) {
    eddy_error error = {0};
    canvas made = {.surface = SDL_CreateRGBSurfaceWithFormat(0, w, h, 32, SDL_PIXELFORMAT_RGB888)};
    made.renderer = SDL_CreateSoftwareRenderer(made.surface);
    ck_assert_ptr_nonnull(made.renderer);
    ck_assert_msg(engine_draw_create(made.renderer, ART, scale, &made.draw, &error) == EDDY_OK, "%s", error.text);
    return made;
}

static void close_canvas(canvas *made) {
    engine_draw_destroy(made->draw);
    SDL_DestroyRenderer(made->renderer);
    SDL_FreeSurface(made->surface);
}

static uint32_t pixel_at(const canvas *made, int x, int y) {
    const uint8_t *row = (const uint8_t *)made->surface->pixels + (size_t)y * (size_t)made->surface->pitch;
    uint32_t pixel;
    memcpy(&pixel, row + 4 * x, 4);
    return pixel & 0xffffffu;
}

/* A number for what is to be seen. */
static uint64_t show(canvas *made, const engine_picture *picture) {
    uint64_t sum = 14695981039346656037u;
    engine_draw_picture(made->draw, picture);
    SDL_RenderFlush(made->renderer);
    for (int y = 0; y < made->surface->h; y++) {
        for (int x = 0; x < made->surface->w; x++) {
            sum = (sum ^ pixel_at(made, x, y)) * 1099511628211u;
        }
    }
    return sum;
}

START_TEST(any_size_of_window) {
    static const struct { int w, h; } sizes[] = {{1, 1}, {320, 200}, {200, 700}, {1500, 200}};
    world *made = make_world();
    engine_picture picture = picture_of(made);
    canvas it = open_canvas(sizes[_i].w, sizes[_i].h, 0.5f);
    show(&it, &picture);
    if (sizes[_i].w > 2 * sizes[_i].h) { /* the picture in the middle, the rest dark */
        ck_assert_uint_eq(pixel_at(&it, 0, sizes[_i].h / 2), 0x0b0814);
        ck_assert_uint_ne(pixel_at(&it, sizes[_i].w / 2, sizes[_i].h / 2), 0x0b0814);
    } else if (sizes[_i].h > sizes[_i].w) {
        ck_assert_uint_eq(pixel_at(&it, sizes[_i].w / 2, 0), 0x0b0814);
    }
    close_canvas(&it);
    world_destroy(made);
}
END_TEST

START_TEST(what_differs_is_seen) {
    world *made = make_world();
    engine_picture plain = picture_of(made), other = plain;
    canvas it = open_canvas(640, 360, 0.5f);
    uint64_t first = show(&it, &plain);
    ck_assert_msg(show(&it, &plain) == first, "the same picture twice differs");
    eddy_vec2 points[60];
    for (int i = 0; i < 60; i++) {
        points[i] = (eddy_vec2){300 - (float)i * 4, 600};
    }
    engine_trail trail = {.id = world_game_of(made)->moth, .type = WORLD_MOTH, .points = points, .point_count = 60};
    uint64_t seen[9];
    for (int speed = -2; speed <= 2; speed++) {
        other = plain;
        other.rewinding = true;
        other.speed = speed * 4;
        other.shown_frame = 300;
        other.trails = &trail;
        other.trail_count = 1;
        seen[speed + 2] = show(&it, &other);
    }
    other = plain, other.paused = true, seen[5] = show(&it, &other);
    other = plain, other.fade = 0.5f, seen[6] = show(&it, &other);
    other = plain, other.debug.shown = true, seen[7] = show(&it, &other);
    other = plain, other.title = "Title", other.title_alpha = 1, seen[8] = show(&it, &other);
    for (int i = 0; i < 9; i++) {
        ck_assert_msg(seen[i] != first, "variant %d looks like plain play", i);
        for (int j = 0; j < i; j++) {
            ck_assert_msg(seen[i] != seen[j], "variants %d and %d look the same", i, j);
        }
    }
    close_canvas(&it);
    world_destroy(made);
}
END_TEST

START_TEST(ground_painted_ahead_is_the_ground_painted_at_once) {
    world *made = make_world();
    engine_picture picture = picture_of(made);
    canvas walked = open_canvas(640, 360, 0.5f);
    for (int i = 0; i < 60; i++) { /* long enough to paint what lies beyond the edge */
        show(&walked, &picture);
    }
    float from = world_game_of(made)->camera_x;
    for (int i = 0; i < 150; i++) {
        world_step(made, (world_input){BUTTON_RIGHT | (i % 40 > 20 ? BUTTON_JUMP : 0), 0xffff});
    }
    ck_assert_float_ne(world_game_of(made)->camera_x, from);
    uint64_t seen = show(&walked, &picture);
    canvas fresh = open_canvas(640, 360, 0.5f);
    ck_assert_uint_eq(show(&fresh, &picture), seen);
    close_canvas(&fresh);
    close_canvas(&walked);
    world_destroy(made);
}
END_TEST

START_TEST(reduced_motion_stands_still_outside_the_world) {
    world *made = make_world();
    engine_picture picture = picture_of(made);
    canvas it = open_canvas(640, 360, 0.5f);
    picture.rewinding = true;
    picture.speed = -1;
    uint64_t lines = show(&it, &picture);
    picture.ticks += 17;
    ck_assert_uint_ne(show(&it, &picture), lines);
    picture.reduced_motion = true;
    uint64_t still = show(&it, &picture);
    picture.ticks += 17;
    ck_assert_uint_eq(show(&it, &picture), still);
    close_canvas(&it);
    world_destroy(made);
}
END_TEST

START_TEST(rescaling_keeps_the_old_art_when_the_new_cannot_be_had) {
    world *made = make_world();
    engine_picture picture = picture_of(made);
    eddy_error error = {0};
    canvas it = open_canvas(640, 360, 0.5f);
    uint64_t first = show(&it, &picture);
    ck_assert_int_eq(engine_draw_rescale(it.draw, 1.0f, &error), EDDY_OK);
    show(&it, &picture);
    ck_assert_int_eq(engine_draw_rescale(it.draw, 0.5f, &error), EDDY_OK);
    ck_assert_uint_eq(show(&it, &picture), first);
    it.draw->art_dir[0] = '!';
    ck_assert_int_eq(engine_draw_rescale(it.draw, 1.0f, &error), EDDY_E_IO);
    ck_assert_uint_eq(show(&it, &picture), first);
    close_canvas(&it);
    world_destroy(made);
}
END_TEST

static void make(Suite *suite) {
    TCase *rules = suite_case(suite, "rules", 20);
    tcase_add_loop_test(rules, bar_ends_are_exact_and_nothing_goes_back, 0, 5);
    tcase_add_test(rules, bar_finds_its_frames_and_positions_again);
    tcase_add_test(rules, bar_beyond_its_ends_is_the_nearest_end);
    tcase_add_test(rules, hint_names_the_bound_key);
    tcase_add_test(rules, hint_keeps_letters_whole);
    tcase_add_loop_test(rules, between_two_frames_and_across_a_jump, 0, 7);
    tcase_add_test(rules, newborn_and_changed_types_have_no_before);
    tcase_add_test(rules, time_runs_between_frames_in_both_directions_but_not_across_a_jump);
    TCase *art = suite_case(suite, "art", 20);
    tcase_add_test(art, missing_art_is_named);
    tcase_add_loop_test(art, broken_art_is_named, 0, 4);
    tcase_add_test(art, kinds_of_scenery_are_files_of_the_folder);
    TCase *pictures = suite_case(suite, "pictures", 60);
    tcase_add_test(pictures, same_picture_same_bytes_without_a_display);
    tcase_add_test(pictures, a_picture_that_cannot_be_written_is_named);
    tcase_add_loop_test(pictures, any_size_of_window, 0, 4);
    tcase_add_test(pictures, what_differs_is_seen);
    tcase_add_test(pictures, ground_painted_ahead_is_the_ground_painted_at_once);
    tcase_add_test(pictures, reduced_motion_stands_still_outside_the_world);
    tcase_add_test(pictures, rescaling_keeps_the_old_art_when_the_new_cannot_be_had);
}

int main(void) {
    return suite_run("draw", make);
}
