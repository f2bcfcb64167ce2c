/* The rules of time that bind world and recorder, on the real levels without a window. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/session.h"
#include "suite.h"

#define LEVEL EDDY_SOURCE_DIR "/levels/first-lamp.tmj"
#define TICKS_MAX 4096

static engine_session *open_session(const char *record, bool capture, void (*samples)(void *, const float *), void *user) {
    const engine_session_desc desc = {.map_path = LEVEL,
                                      .level_dir = EDDY_SOURCE_DIR "/levels",
                                      .sound_dir = EDDY_BINARY_DIR "/sounds",
                                      .record_path = record,
                                      .capture = capture,
                                      .samples = samples,
                                      .samples_user = user};
    engine_session *session;
    eddy_error error;
    ck_assert_msg(engine_session_create(&desc, &session, &error) == EDDY_OK, "%s", error.text);
    return session;
}

static void ticks(engine_session *session, uint32_t n, uint16_t held) {
    for (uint32_t i = 0; i < n; i++)
        engine_session_tick(session, held);
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static uint16_t random_buttons(uint32_t *state) {
    static const uint16_t choices[] = {0,           BUTTON_RIGHT, BUTTON_RIGHT, BUTTON_RIGHT | BUTTON_JUMP, BUTTON_LEFT,
                                       BUTTON_JUMP, BUTTON_USE,   BUTTON_DOWN,  BUTTON_LEFT | BUTTON_JUMP};
    return choices[next_random(state) % (sizeof choices / sizeof choices[0])];
}

START_TEST(begins_at_frame_tick_and_branch_zero) {
    engine_session *session = open_session(NULL, false, NULL, NULL);
    const engine_session_state state = engine_session_state_of(session);
    ck_assert_uint_eq(state.tick, 0);
    ck_assert_uint_eq(state.frame, 0);
    ck_assert_uint_eq(state.branch, 0);
    ck_assert_uint_ne(state.hash, 0);
    ck_assert_int_eq(engine_session_close(session, NULL), EDDY_OK);
}
END_TEST

START_TEST(the_pressing_tick_of_rewind_already_shows_minus_one) { /* R3 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    ticks(session, 100, 0);
    engine_session_tick(session, BUTTON_REWIND);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 99);
    ck_assert_int_eq(engine_session_state_of(session).speed, -1);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(each_press_moves_one_rung_of_the_ladder) { /* R2 */
    static const int down[] = {-1, -2, -4, -8, -8}, up[] = {-4, -2, -1, 0, 1, 2, 4, 8, 8};
    engine_session *session = open_session(NULL, false, NULL, NULL);
    ticks(session, 300, 0);
    engine_session_tick(session, BUTTON_REWIND);
    for (size_t i = 0; i < sizeof down / sizeof down[0]; i++) {
        ck_assert_int_eq(engine_session_state_of(session).speed, down[i]);
        ticks(session, 2, BUTTON_REWIND | BUTTON_FASTER); /* held on: one press */
        engine_session_tick(session, BUTTON_REWIND);
    }
    for (size_t i = 0; i < sizeof up / sizeof up[0]; i++) {
        engine_session_tick(session, BUTTON_REWIND | BUTTON_SLOWER);
        ck_assert_int_eq(engine_session_state_of(session).speed, up[i]);
        engine_session_tick(session, BUTTON_REWIND);
    }
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(forward_inside_a_rewind_reaches_the_newest_frame_and_holds) { /* R4 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    ticks(session, 200, BUTTON_RIGHT);
    const uint64_t head = engine_session_state_of(session).hash;
    engine_session_rewind(session, 50, -2);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 100);
    engine_session_rewind(session, 100, 4);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 200);
    ck_assert_uint_eq(engine_session_state_of(session).hash, head);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(the_beginning_of_history_holds_at_any_speed) { /* R11, row 22 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    const uint64_t first = engine_session_state_of(session).hash;
    ticks(session, 100, BUTTON_RIGHT);
    engine_session_rewind(session, 600, -8);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 0);
    ck_assert_uint_eq(engine_session_state_of(session).hash, first);
    engine_session_tick(session, BUTTON_RIGHT);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 1);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(only_a_recording_step_cuts_the_future) { /* R5 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    ticks(session, 100, BUTTON_RIGHT);
    engine_session_rewind(session, 40, -1);
    ck_assert_uint_eq(engine_session_state_of(session).last_frame, 100);
    engine_session_tick(session, 0);
    const engine_session_state state = engine_session_state_of(session);
    ck_assert_uint_eq(state.frame, 61);
    ck_assert_uint_eq(state.last_frame, 61);
    ck_assert_uint_eq(state.branch, 1);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(releasing_at_zero_displacement_changes_nothing) { /* R5 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    ticks(session, 100, BUTTON_RIGHT);
    engine_session_rewind(session, 30, 0);
    engine_session_tick(session, BUTTON_RIGHT);
    ck_assert_uint_eq(engine_session_state_of(session).branch, 0);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 101);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_second_rewind_goes_back_through_what_followed_the_first) { /* row 5 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    static uint64_t hash[400];
    ticks(session, 300, BUTTON_RIGHT);
    engine_session_rewind(session, 150, -1);
    for (int i = 0; i < 100; i++) {
        engine_session_tick(session, BUTTON_LEFT);
        hash[engine_session_state_of(session).frame] = engine_session_state_of(session).hash;
    }
    for (uint32_t frame = 249; frame > 150; frame--) {
        engine_session_rewind(session, 1, -1);
        ck_assert_uint_eq(engine_session_state_of(session).frame, frame);
        ck_assert_uint_eq(engine_session_state_of(session).hash, hash[frame]);
    }
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_thousand_seeks_equal_one) { /* P1, C4 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    uint32_t random = 5;
    for (int i = 0; i < 30; i++)
        ticks(session, 10, random_buttons(&random));
    ck_assert_int_eq(engine_session_seek(session, 0, 137, NULL), EDDY_OK);
    const uint64_t once = engine_session_state_of(session).hash;
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(engine_session_seek(session, 0, next_random(&random) % 300, NULL), EDDY_OK);
        ck_assert_int_eq(engine_session_seek(session, 0, 137, NULL), EDDY_OK);
    }
    ck_assert_uint_eq(engine_session_state_of(session).hash, once);
    const eddy_view view = world_view(engine_session_world(session));
    ck_assert_uint_eq(eddy_view_hash(world_schema(), &view), once);
    ck_assert_uint_eq(engine_session_state_of(session).tick, 300);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_seek_out_of_range_names_the_range) {
    engine_session *session = open_session(NULL, false, NULL, NULL);
    eddy_error error;
    ticks(session, 50, 0);
    ck_assert_int_eq(engine_session_seek(session, 0, 51, &error), EDDY_E_FRAME);
    ck_assert_ptr_nonnull(strstr(error.text, "0 to 50"));
    ck_assert_int_eq(engine_session_seek(session, 7, 10, &error), EDDY_E_FRAME);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 50);
    engine_session_close(session, NULL);
}
END_TEST

/** What the first visit of a (branch, frame) found. */
typedef struct seen {
    uint32_t branch, frame;
    uint64_t hash;
} seen;

static void check_seen(seen *table, uint32_t *count, const engine_session_state *state, int step, uint32_t seed) {
    for (uint32_t i = 0; i < *count; i++)
        if (table[i].branch == state->branch && table[i].frame == state->frame) {
            ck_assert_msg(table[i].hash == state->hash, "seed %u, step %d: branch %u frame %u changed its hash", seed, step,
                          state->branch, state->frame);
            return;
        }
    ck_assert_uint_lt(*count, 20000);
    table[(*count)++] = (seen){state->branch, state->frame, state->hash};
}

/** What is shown is what is recorded, whatever was done. */
static void check_shown(const engine_session *session, int step, uint32_t seed) {
    const engine_session_state state = engine_session_state_of(session);
    const eddy_view view = world_view(engine_session_world(session));
    ck_assert_msg(eddy_view_hash(world_schema(), &view) == state.hash, "seed %u, step %d: frame %u is not as recorded", seed,
                  step, state.frame);
}

START_TEST(every_branch_and_frame_keeps_the_hash_it_had_first) {
    const uint32_t seed = (uint32_t)_i + 1;
    static seen table[20000];
    uint32_t count = 0, random = seed;
    engine_session *session = open_session(NULL, false, NULL, NULL);
    for (int step = 0; step < 1000; step++) {
        const uint32_t choice = next_random(&random) % 10;
        engine_session_state state = engine_session_state_of(session);
        if (choice < 6) {
            const uint16_t held = random_buttons(&random);
            for (uint32_t n = next_random(&random) % 12; n > 0; n--) {
                engine_session_tick(session, held);
                state = engine_session_state_of(session);
                check_seen(table, &count, &state, step, seed);
            }
        } else if (choice < 8) {
            engine_session_rewind(session, next_random(&random) % 30, (int)(next_random(&random) % 17) - 8);
        } else {
            const uint32_t frame = state.first_frame + next_random(&random) % (state.last_frame - state.first_frame + 1);
            ck_assert_int_eq(engine_session_seek(session, state.line, frame, NULL), EDDY_OK);
        }
        state = engine_session_state_of(session);
        check_seen(table, &count, &state, step, seed);
        check_shown(session, step, seed);
    }
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(rewinding_and_replaying_the_same_buttons_gives_the_same_hashes) { /* lockstep; rows 8-10, 26 */
    static uint16_t held[600];
    static uint64_t hash[601];
    uint32_t random = 77u + (uint32_t)_i;
    for (int i = 0; i < 600; i++)
        held[i] = i % 7 && i ? held[i - 1] : random_buttons(&random);
    engine_session *session = open_session(NULL, false, NULL, NULL);
    hash[0] = engine_session_state_of(session).hash;
    for (int i = 0; i < 600; i++) {
        engine_session_tick(session, held[i]);
        hash[engine_session_state_of(session).frame] = engine_session_state_of(session).hash;
    }
    uint32_t end = engine_session_state_of(session).frame;
    for (int turn = 0; turn < 8; turn++) {
        engine_session_rewind(session, 1 + next_random(&random) % 90, -(int)(1u << (next_random(&random) % 4)));
        for (uint32_t frame = engine_session_state_of(session).frame; frame < end; frame++) {
            engine_session_tick(session, held[frame]);
            ck_assert_msg(engine_session_state_of(session).hash == hash[frame + 1], "turn %d: frame %u differs", turn,
                          frame + 1);
        }
    }
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_button_held_through_a_rewind_is_no_press_when_it_ends) { /* row 10 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    ticks(session, 60, 0);
    ticks(session, 10, BUTTON_REWIND);
    ticks(session, 10, BUTTON_REWIND | BUTTON_JUMP);
    ticks(session, 3, BUTTON_JUMP);
    ck_assert_int_ne(world_moth_of(engine_session_world(session))->state, MOTH_RISE);
    engine_session_tick(session, 0);
    ticks(session, 2, BUTTON_JUMP); /* a real press works */
    ck_assert_int_eq(world_moth_of(engine_session_world(session))->state, MOTH_RISE);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(recorded_buttons_do_not_stick) { /* row 8 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    ticks(session, 60, BUTTON_RIGHT);
    engine_session_rewind(session, 20, -1);
    ticks(session, 30, 0);
    ck_assert_float_eq(world_moth_of(engine_session_world(session))->vx, 0);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_restart_begins_a_root_branch_and_ticks_go_on) { /* R10, rows 7 and 16 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    const uint64_t first = engine_session_state_of(session).hash;
    ticks(session, 100, BUTTON_RIGHT);
    engine_session_tick(session, BUTTON_RESTART);
    const engine_session_state state = engine_session_state_of(session);
    ck_assert_uint_eq(state.frame, 0);
    ck_assert_uint_eq(state.hash, first);
    ck_assert_uint_eq(state.branch, 1);
    ck_assert_uint_eq(state.tick, 101);
    ticks(session, 20, BUTTON_RIGHT);
    engine_session_rewind(session, 100, -8);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 0);
    ck_assert_uint_eq(engine_session_state_of(session).branch, 1);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_restore_makes_no_event) { /* P3, rows 14 and 18 */
    engine_session *session = open_session(NULL, false, NULL, NULL);
    const engine_sound_event *events;
    ticks(session, 30, BUTTON_RIGHT);
    ticks(session, 60, BUTTON_RIGHT | BUTTON_JUMP);
    ck_assert_uint_gt(engine_session_events(session, &events), 0); /* a jump was heard */
    engine_session_clear_events(session);
    engine_session_rewind(session, 80, -1);
    engine_session_rewind(session, 40, 2);
    ck_assert_int_eq(engine_session_seek(session, 0, 20, NULL), EDDY_OK);
    ck_assert_uint_eq(engine_session_events(session, &events), 0);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_budget_bounds_history_and_present_play_goes_on) { /* P6, R12 */
    engine_session_desc desc = {
        .map_path = LEVEL, .level_dir = EDDY_SOURCE_DIR "/levels", .budget_bytes = 2u << 20};
    engine_session *session;
    eddy_error error;
    ck_assert_msg(engine_session_create(&desc, &session, &error) == EDDY_OK, "%s", error.text);
    uint32_t random = 3;
    for (int i = 0; i < 4000; i++)
        ticks(session, 5, random_buttons(&random) & (uint16_t)~BUTTON_USE);
    eddy_statistics statistics;
    engine_session_statistics(session, &statistics);
    ck_assert_uint_lt(statistics.owned_bytes, 3u << 20);
    const engine_session_state state = engine_session_state_of(session);
    engine_session_rewind(session, 20, -1);
    ck_assert_uint_eq(engine_session_state_of(session).frame, state.frame - 20);
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_recording_reopens_exactly) { /* P7 */
    const char *path = "session_reopens.eddy";
    static uint64_t hash[500];
    engine_session *session = open_session(path, false, NULL, NULL);
    uint32_t random = 11;
    ticks(session, 200, BUTTON_RIGHT);
    engine_session_rewind(session, 60, -1);
    for (int i = 0; i < 20; i++)
        ticks(session, 10, random_buttons(&random));
    const engine_session_state state = engine_session_state_of(session);
    for (uint32_t frame = state.first_frame; frame <= state.last_frame; frame++) {
        ck_assert_int_eq(engine_session_seek(session, state.line, frame, NULL), EDDY_OK);
        hash[frame] = engine_session_state_of(session).hash;
    }
    ck_assert_int_eq(engine_session_close(session, NULL), EDDY_OK);

    eddy_reader *reader;
    eddy_error error;
    ck_assert_msg(eddy_reader_open(path, &reader, &error) == EDDY_OK, "%s", error.text);
    const eddy_session_info *info = eddy_reader_info(reader);
    ck_assert(info->clean);
    ck_assert_uint_eq(info->axis[EDDY_AXIS_TICKS].last_frame, state.tick);
    ck_assert_uint_eq(info->axis[EDDY_AXIS_WORLD].last_frame, state.last_frame);
    ck_assert_uint_eq(eddy_reader_verify(reader, NULL, NULL), 0);
    for (uint32_t frame = 0; frame <= state.last_frame; frame++) {
        uint64_t there = 0;
        eddy_reader_frame(reader, EDDY_AXIS_WORLD, state.line, frame, NULL, &there, NULL);
        ck_assert_msg(there == hash[frame], "frame %u is not as played", frame);
    }
    eddy_reader_close(reader);
    unlink(path);
}
END_TEST

START_TEST(a_session_takes_over_at_a_recorded_frame) {
    const char *path = "session_from.eddy";
    engine_session *session = open_session(path, false, NULL, NULL);
    ticks(session, 300, BUTTON_RIGHT);
    ck_assert_int_eq(engine_session_seek(session, 0, 250, NULL), EDDY_OK);
    const uint64_t there = engine_session_state_of(session).hash;
    ck_assert_int_eq(engine_session_seek(session, 0, 260, NULL), EDDY_OK);
    const uint64_t later = engine_session_state_of(session).hash;
    engine_session_close(session, NULL);

    const engine_session_desc desc = {
        .map_path = LEVEL, .level_dir = EDDY_SOURCE_DIR "/levels", .from_path = path, .from_frame = 250};
    eddy_error error;
    ck_assert_msg(engine_session_create(&desc, &session, &error) == EDDY_OK, "%s", error.text);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 250);
    ck_assert_uint_eq(engine_session_state_of(session).hash, there);
    ticks(session, 10, BUTTON_RIGHT);
    ck_assert_uint_eq(engine_session_state_of(session).hash, later); /* it goes on as it did */
    engine_session_rewind(session, 1000, -8);
    ck_assert_uint_eq(engine_session_state_of(session).frame, 0); /* its past is there */
    engine_session_close(session, NULL);
    unlink(path);
}
END_TEST

/* ---- what is heard ---- */

typedef struct heard {
    float samples[2 * ENGINE_TICK_SAMPLES * 700];
    uint32_t ticks;
} heard;

static void hear(void *user, const float *samples) {
    heard *out = user;
    memcpy(out->samples + 2 * ENGINE_TICK_SAMPLES * out->ticks++, samples, 2 * ENGINE_TICK_SAMPLES * sizeof *samples);
}

START_TEST(a_rewind_is_heard_as_the_mirror_of_play) { /* P4 */
    static heard out;
    engine_session *session = open_session(NULL, true, hear, &out);
    ticks(session, 100, 0);
    ticks(session, 60, BUTTON_RIGHT);
    ticks(session, 140, 0);
    engine_session_rewind(session, 300, -1);
    ck_assert_uint_eq(out.ticks, 600);
    const int half = ENGINE_TICK_SAMPLES * 300;
    for (int channel = 0; channel < 2; channel++) {
        double xy = 0, xx = 0, yy = 0;
        for (int i = 0; i < half; i++) {
            const double x = out.samples[2 * i + channel], y = out.samples[2 * (2 * half - 1 - i) + channel];
            xy += x * y;
            xx += x * x;
            yy += y * y;
        }
        ck_assert_double_gt(xx / half, 1e-6); /* there is music */
        ck_assert_double_gt(xy / sqrt(xx * yy), 0.99);
    }
    engine_session_close(session, NULL);
}
END_TEST

START_TEST(a_frozen_rewind_is_silent) { /* R2: 0x; M4 */
    static heard out;
    engine_session *session = open_session(NULL, true, hear, &out);
    ticks(session, 100, 0);
    engine_session_rewind(session, 50, -1);
    engine_session_rewind(session, 60, 0);
    for (int i = 2 * ENGINE_TICK_SAMPLES * 152; i < 2 * ENGINE_TICK_SAMPLES * 210; i++)
        ck_assert_msg(out.samples[i] == 0, "sample %d is %g", i / 2, (double)out.samples[i]);
    engine_session_close(session, NULL);
}
END_TEST

static float largest_step(const float *samples, uint32_t from_tick, uint32_t to_tick) {
    float largest = 0;
    for (uint32_t i = 2 * ENGINE_TICK_SAMPLES * from_tick + 2; i < 2 * ENGINE_TICK_SAMPLES * to_tick; i++) {
        const float step = fabsf(samples[i] - samples[i - 2]);
        largest = step > largest ? step : largest;
    }
    return largest;
}

START_TEST(a_flip_makes_no_click) {
    static heard out;
    engine_session *session = open_session(NULL, true, hear, &out);
    ticks(session, 200, 0);
    const float own = largest_step(out.samples, 0, 200);
    for (int i = 0; i < 10; i++) {
        engine_session_rewind(session, 7, -1);
        engine_session_rewind(session, 5, 1);
    }
    ck_assert_float_le(largest_step(out.samples, 199, 320), own * 1.01f + 1e-4f);
    engine_session_close(session, NULL);
}
END_TEST

static void make(Suite *suite) {
    TCase *time = suite_case(suite, "time", 60);
    tcase_add_test(time, begins_at_frame_tick_and_branch_zero);
    tcase_add_test(time, the_pressing_tick_of_rewind_already_shows_minus_one);
    tcase_add_test(time, each_press_moves_one_rung_of_the_ladder);
    tcase_add_test(time, forward_inside_a_rewind_reaches_the_newest_frame_and_holds);
    tcase_add_test(time, the_beginning_of_history_holds_at_any_speed);
    tcase_add_test(time, only_a_recording_step_cuts_the_future);
    tcase_add_test(time, releasing_at_zero_displacement_changes_nothing);
    tcase_add_test(time, a_second_rewind_goes_back_through_what_followed_the_first);
    tcase_add_test(time, a_thousand_seeks_equal_one);
    tcase_add_test(time, a_seek_out_of_range_names_the_range);
    tcase_add_test(time, a_restart_begins_a_root_branch_and_ticks_go_on);
    tcase_add_test(time, a_restore_makes_no_event);
    tcase_add_loop_test(time, every_branch_and_frame_keeps_the_hash_it_had_first, 0, 3);
    tcase_add_loop_test(time, rewinding_and_replaying_the_same_buttons_gives_the_same_hashes, 0, 4);
    TCase *buttons = suite_case(suite, "buttons", 20);
    tcase_add_test(buttons, a_button_held_through_a_rewind_is_no_press_when_it_ends);
    tcase_add_test(buttons, recorded_buttons_do_not_stick);
    TCase *kept = suite_case(suite, "kept", 60);
    tcase_add_test(kept, a_budget_bounds_history_and_present_play_goes_on);
    tcase_add_test(kept, a_recording_reopens_exactly);
    tcase_add_test(kept, a_session_takes_over_at_a_recorded_frame);
    TCase *sound = suite_case(suite, "sound", 60);
    tcase_add_test(sound, a_rewind_is_heard_as_the_mirror_of_play);
    tcase_add_test(sound, a_frozen_rewind_is_silent);
    tcase_add_test(sound, a_flip_makes_no_click);
}

int main(void) {
    return suite_run("session", make);
}
