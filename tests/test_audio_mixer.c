/* What a listener hears of a scene: births, ends, rewinds, stops, jumps, loudness, the choice of voices. */
#include "audio_files.h"
#include "audio_stage.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define SECOND 48000
#define FADE 240
/* What a fade over 5 ms adds to the material's own steps, for full scale. */
#define FADE_STEP (1.0f / FADE + 1e-5f)

/* Whole periods: the largest step of a sine of `periods` in `frames` at full level. */
static float sine_step(uint32_t periods, uint32_t frames, float level) {
    return level * 2.0f * (float)sin(3.14159265358979 * periods / frames) * 1.001f + 1e-6f;
}

static audio_stage *stage_with(const char *key, uint32_t channels, size_t frames, const float *samples) {
    audio_stage *stage = stage_open(0);
    stage_add_wav(stage, key, EDDY_SOUND_RATE, channels, frames, samples);
    return stage;
}

START_TEST(a_sound_is_heard_from_its_birth_sample_for_sample) {
    float *noise = material_noise(SECOND, 2, 0.9f, 1);
    audio_stage *stage = stage_with("noise", 2, SECOND, noise);
    stage_tick(stage, 1);
    stage_sound(stage, "noise");
    stage_look(stage, false);
    stage_ticks(stage, 60, 1);
    ck_assert(stage_peak(stage, 0, 2 * STAGE_FRAME) == 0.0f);
    ck_assert_mem_eq(stage_frame(stage, 2), noise, SECOND * 2 * sizeof(float));
    stage_close(stage);
    free(noise);
}
END_TEST

/* Frame `there` of the output against frame `back`, mirrored. */
static void assert_mirror(const audio_stage *stage, size_t there, size_t back, const char *what) {
    const float *forward = stage_frame(stage, there), *backward = stage_frame(stage, back);
    for (int k = 0; k < STAGE_FRAME; k++)
        for (int ear = 0; ear < 2; ear++)
            ck_assert_msg(forward[2 * k + ear] == backward[2 * (STAGE_FRAME - 1 - k) + ear],
                          "%s: frame %zu sample %d ear %d: %.9g there, %.9g back", what, there, k, ear,
                          forward[2 * k + ear], backward[2 * (STAGE_FRAME - 1 - k) + ear]);
}

/* Speeds there and back: minus one is the mirror of one, minus eight of eight. */
START_TEST(rewinding_mirrors_playing) {
    static const double speeds[] = {1, 2, 4, 8, 0.5};
    float *noise = material_noise(4 * SECOND, 2, 0.9f, 2);
    audio_stage *stage = stage_with("noise", 2, 4 * SECOND, noise);
    eddy_sound *sound = stage_sound(stage, "noise");
    sound->repeat = _i & 1 ? EDDY_SOUND_LOOP : EDDY_SOUND_ONCE;
    stage_look(stage, false);
    stage_ticks(stage, 25, speeds[_i]);
    stage_ticks(stage, 25, -speeds[_i]);
    for (size_t i = 0; i < 25; i++)
        assert_mirror(stage, 1 + i, 50 - i, "noise");
    ck_assert(stage_peak(stage, STAGE_FRAME, 2 * STAGE_FRAME) > 0.1f);
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(ramps_are_mirrored_too) {
    float *noise = material_noise(4 * SECOND, 1, 0.9f, 2);
    audio_stage *stage = stage_with("noise", 1, 4 * SECOND, noise);
    eddy_sound *sound = stage_sound(stage, "noise");
    sound->place = EDDY_SOUND_AT;
    sound->range = 100;
    stage_look(stage, false);
    for (int i = 1; i <= 20; i++) {
        sound->x = (float)(4 * i) - 40;
        stage_tick(stage, 1);
    }
    for (int i = 19; i >= 0; i--) {
        sound->x = i == 0 ? 0 : (float)(4 * i) - 40;
        stage_tick(stage, -1);
    }
    for (size_t i = 1; i < 20; i++)
        assert_mirror(stage, 1 + i, 40 - i, "moving noise");
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(no_step_at_flips_and_none_at_stops) {
    static const double speeds[] = {1, 2, 4, 8};
    const double speed = speeds[_i];
    float *sine = material_sine(SECOND, 2, 300, 0.8f);
    audio_stage *stage = stage_with("sine", 2, SECOND, sine);
    eddy_sound *sound = stage_sound(stage, "sine");
    sound->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    static const double script[] = {1, 1, -1, -1, 1, -1, 1, 0, 0, 0, 1, 1, 0, -1, -1, 0, 0, 1};
    for (size_t i = 0; i < sizeof script / sizeof script[0]; i++)
        stage_ticks(stage, 3, script[i] * speed);
    float own = sine_step((uint32_t)(303 * speed), SECOND, 0.8f);
    float step = stage_step_max(stage, 0, stage->frames);
    ck_assert_msg(step <= own + 0.8f * FADE_STEP, "speed %g: step %g, the material's own is %g", speed, step, own);
    stage_close(stage);
    free(sine);
}
END_TEST

START_TEST(a_flip_is_not_faded) {
    float *ones = malloc(SECOND * sizeof *ones);
    for (int i = 0; i < SECOND; i++)
        ones[i] = 0.8f;
    audio_stage *stage = stage_with("dc", 1, SECOND, ones);
    stage_sound(stage, "dc")->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    stage_ticks(stage, 10, 1);
    stage_ticks(stage, 5, -1);
    stage_ticks(stage, 5, 4);
    for (size_t i = 2 * STAGE_FRAME; i < 2 * stage->frames; i++)
        ck_assert_float_eq(stage->heard[i], 0.8f);
    stage_close(stage);
    free(ones);
}
END_TEST

START_TEST(standing_still_is_silent_after_five_milliseconds) {
    float *noise = material_noise(SECOND, 2, 0.9f, 3);
    audio_stage *stage = stage_with("noise", 2, SECOND, noise);
    stage_sound(stage, "noise")->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    stage_ticks(stage, 10, 1);
    stage_ticks(stage, 10, 0);
    size_t stop = 11 * STAGE_FRAME;
    ck_assert(stage_peak(stage, stop, stop + FADE - 1) > 0.0f);
    ck_assert(stage_peak(stage, stop + FADE, stage->frames) == 0.0f);
    ck_assert(stage_heard_gain(stage, 1) == 0.0f);
    /* The decay is the last value in a straight line. */
    for (int k = 0; k < FADE; k++)
        ck_assert_float_eq_tol(stage->heard[2 * (stop + (size_t)k)],
                               stage->heard[2 * stop - 2] * (float)(FADE - 1 - k) / FADE, 1e-6f);
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(going_on_in_mid_material_rises_and_keeps_its_place) {
    float *noise = material_noise(SECOND, 2, 0.9f, 4);
    audio_stage *stage = stage_with("noise", 2, SECOND, noise);
    stage_sound(stage, "noise");
    stage_look(stage, false);
    stage_ticks(stage, 10, 1);
    stage_ticks(stage, 3, 0);
    stage_ticks(stage, 2, 1);
    const float *again = stage_frame(stage, 14);
    for (int k = 0; k < STAGE_FRAME; k++) {
        float share = k < FADE ? (float)k / FADE : 1.0f;
        ck_assert_float_eq_tol(again[2 * k], noise[2 * (8000 + k)] * share, 1e-6f);
    }
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(a_sound_that_is_gone_decays) {
    float *sine = material_sine(SECOND, 1, 300, 0.8f);
    audio_stage *stage = stage_with("sine", 1, SECOND, sine);
    eddy_sound *sound = stage_sound(stage, "sine");
    stage_look(stage, false);
    for (int i = 0; i < 7; i++) {
        sound->pitch = 1.0f + 0.013f * (float)i; /* ends anywhere in a period */
        stage_tick(stage, 1);
    }
    stage_remove(stage, sound);
    stage_ticks(stage, 2, 1);
    ck_assert(stage_peak(stage, 8 * STAGE_FRAME + FADE, stage->frames) == 0.0f);
    ck_assert(stage_step_max(stage, 0, stage->frames) <= sine_step(330, SECOND, 0.8f) + 0.8f * FADE_STEP);
    ck_assert(stage_heard_gain(stage, 1) == -1.0f);
    stage_close(stage);
    free(sine);
}
END_TEST

/* The end of a sound as it was made, forward and backward, without a fade. */
START_TEST(ends_of_the_material_are_not_faded) {
    float dc[2000];
    for (int i = 0; i < 2000; i++)
        dc[i] = 0.5f;
    audio_stage *stage = stage_with("dc", 1, 2000, dc);
    stage_sound(stage, "dc");
    stage_look(stage, false);
    stage_ticks(stage, 4, 1);
    stage_ticks(stage, 4, -1);
    for (size_t i = 0; i < 3200; i++) {
        float expected = i < 2000 ? 0.5f : 0.0f;
        ck_assert_float_eq(stage->heard[2 * (STAGE_FRAME + i)], expected);
        ck_assert_float_eq(stage->heard[2 * (STAGE_FRAME + 6400 - 1 - i)], expected);
    }
    stage_close(stage);
}
END_TEST

START_TEST(an_end_on_a_frame_is_silent_from_there_on) {
    float dc[1600];
    for (int i = 0; i < 1600; i++)
        dc[i] = 0.5f;
    audio_stage *stage = stage_with("dc", 1, 1600, dc);
    stage_sound(stage, "dc");
    stage_look(stage, false);
    stage_ticks(stage, 4, 1);
    ck_assert(stage_peak(stage, 3 * STAGE_FRAME, stage->frames) == 0.0f);
    stage_close(stage);
}
END_TEST

START_TEST(jumps_sweep_nothing_and_click_nothing) {
    float *sine = material_sine(SECOND, 2, 300, 0.8f);
    audio_stage *stage = stage_with("sine", 2, SECOND, sine);
    eddy_sound *sound = stage_sound(stage, "sine");
    stage_look(stage, false);
    stage_ticks(stage, 5, 1);
    sound->position = 30010;
    stage_look(stage, true);
    stage_ticks(stage, 2, 1);
    ck_assert(stage_peak(stage, 6 * STAGE_FRAME + FADE, 7 * STAGE_FRAME) == 0.0f);
    const float *after = stage_frame(stage, 7);
    for (int k = FADE; k < STAGE_FRAME; k++)
        ck_assert_float_eq(after[2 * k], sine[2 * (30010 + k)]);
    ck_assert(stage_step_max(stage, 0, stage->frames) <= sine_step(303, SECOND, 0.8f) + 0.8f * FADE_STEP);
    stage_close(stage);
    free(sine);
}
END_TEST

START_TEST(positions_beyond_belief_are_jumps) {
    static const double places[] = {1e12, -1e12, (double)NAN, (double)INFINITY};
    float *sine = material_sine(SECOND, 1, 300, 0.8f);
    audio_stage *stage = stage_with("sine", 1, SECOND, sine);
    eddy_sound *sound = stage_sound(stage, "sine");
    sound->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    stage_ticks(stage, 5, 1);
    sound->position = places[_i];
    stage_look(stage, false);
    ck_assert(stage_peak(stage, 6 * STAGE_FRAME + FADE, 7 * STAGE_FRAME) == 0.0f);
    stage_close(stage);
    free(sine);
}
END_TEST

START_TEST(the_seam_of_a_loop_has_no_step) {
    static const double rates[] = {1, -1, 2, -8, 0.37};
    float *sine = material_sine(4410, 2, 30, 0.8f);
    audio_stage *stage = stage_open(0);
    stage_add_wav(stage, "sine", _i & 1 ? 44100 : 48000, 2, 4410, sine);
    eddy_sound *sound = stage_sound(stage, "sine");
    sound->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    stage_ticks(stage, 30, rates[_i]);
    float own = sine_step((uint32_t)ceil(33 * fmax(fabs(rates[_i]), 1)), 4410, 0.8f);
    float step = stage_step_max(stage, STAGE_FRAME + FADE + 1, stage->frames);
    ck_assert_msg(step <= own, "rate %g: step %g, the material's own is %g", rates[_i], step, own);
    stage_close(stage);
    free(sine);
}
END_TEST

START_TEST(an_asset_may_change_under_an_id) {
    float *sine = material_sine(SECOND, 1, 300, 0.8f), *noise = material_noise(SECOND, 1, 0.5f, 9);
    audio_stage *stage = stage_with("sine", 1, SECOND, sine);
    stage_add_wav(stage, "noise", EDDY_SOUND_RATE, 1, SECOND, noise);
    eddy_sound *sound = stage_sound(stage, "sine");
    stage_look(stage, false);
    stage_ticks(stage, 3, 1);
    memset(sound->asset, 0, sizeof sound->asset);
    strcpy(sound->asset, "noise");
    sound->position = 0;
    stage_look(stage, false);
    stage_tick(stage, 1);
    ck_assert(stage_peak(stage, 4 * STAGE_FRAME + FADE, 5 * STAGE_FRAME) == 0.0f);
    for (int k = 0; k < STAGE_FRAME; k++)
        ck_assert_float_eq(stage_frame(stage, 5)[2 * k], noise[k]);
    stage_close(stage);
    free(sine);
    free(noise);
}
END_TEST

/* ---- loudness ---- */

/* Where a sound of range 100 is, and what both ears get. */
static const struct pan_case {
    float dx, dy, left, right;
} pan_cases[] = {
    {0, 0, 0.5f, 0.5f},
    {0, 50, 0.25f, 0.25f},
    {50, 0, 0.1f, 0.5f},
    {-50, 0, 0.5f, 0.1f},
    {75, 0, 0.05f, 0.25f},
    {25, 0, 0.2625f, 0.5625f},
    {100, 0, 0, 0},
    {-100, 0, 0, 0},
    {1000, 1000, 0, 0},
    {0, 99, 0.005f, 0.005f},
    {-25, 0, 0.5625f, 0.2625f},
};

START_TEST(a_place_pans_and_falls_off_in_straight_lines) {
    const struct pan_case *c = &pan_cases[_i];
    float *ones = malloc(SECOND * 2 * sizeof *ones);
    for (int i = 0; i < 2 * SECOND; i++)
        ones[i] = i & 1 ? 0.5f : 1.5f;
    audio_stage *stage = stage_with("dc", 2, SECOND, ones);
    eddy_sound *sound = stage_sound(stage, "dc");
    sound->place = EDDY_SOUND_AT;
    sound->range = 100;
    stage->listener_x = -3000;
    stage->listener_y = 70;
    sound->x = stage->listener_x + c->dx;
    sound->y = stage->listener_y + c->dy;
    stage_look(stage, false);
    stage_ticks(stage, 2, 1);
    const float *heard = stage_frame(stage, 2);
    ck_assert_float_eq_tol(heard[0], c->left, 1e-5f);
    ck_assert_float_eq_tol(heard[1], c->right, 1e-5f);
    stage_close(stage);
    free(ones);
}
END_TEST

START_TEST(here_is_as_made_in_both_ears) {
    float *noise = material_noise(SECOND, 1, 0.9f, 5);
    audio_stage *stage = stage_with("noise", 1, SECOND, noise);
    stage_sound(stage, "noise");
    stage->listener_x = 1e6f;
    stage_look(stage, false);
    stage_tick(stage, 1);
    for (int k = 0; k < STAGE_FRAME; k++)
        ck_assert(stage_frame(stage, 1)[2 * k] == noise[k] && stage_frame(stage, 1)[2 * k + 1] == noise[k]);
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(volumes_of_categories_ramp_over_a_frame) {
    float *ones = malloc(SECOND * sizeof *ones);
    for (int i = 0; i < SECOND; i++)
        ones[i] = 1.0f;
    audio_stage *stage = stage_with("dc", 1, SECOND, ones);
    stage_sound(stage, "dc")->category = EDDY_CATEGORY_MUSIC;
    stage_look(stage, false);
    stage_tick(stage, 1);
    eddy_audio_volume(stage->audio, EDDY_CATEGORY_EFFECT, 0.0f);
    eddy_audio_volume(stage->audio, EDDY_CATEGORY_MUSIC, 0.25f);
    stage_ticks(stage, 2, 1);
    for (int k = 0; k < STAGE_FRAME; k++) {
        ck_assert_float_eq_tol(stage_frame(stage, 2)[2 * k], 1.0f - 0.75f * (float)k / STAGE_FRAME, 1e-5f);
        ck_assert_float_eq(stage_frame(stage, 3)[2 * k], 0.25f);
    }
    ck_assert_float_eq(stage_heard_gain(stage, 1), 0.25f);
    eddy_audio_volume(stage->audio, EDDY_CATEGORY_MUSIC, NAN);
    stage_ticks(stage, 2, 1);
    ck_assert(stage_peak(stage, 5 * STAGE_FRAME, stage->frames) == 0.0f);
    stage_close(stage);
    free(ones);
}
END_TEST

START_TEST(gains_that_make_no_sense_are_silence) {
    static const float gains[] = {-1.0f, NAN, 0.0f};
    float *noise = material_noise(SECOND, 1, 0.9f, 5);
    audio_stage *stage = stage_with("noise", 1, SECOND, noise);
    stage_sound(stage, "noise")->gain = gains[_i];
    stage_look(stage, false);
    stage_ticks(stage, 3, 1);
    ck_assert(stage_peak(stage, 0, stage->frames) == 0.0f);
    stage_close(stage);
    free(noise);
}
END_TEST

/* ---- who is heard ---- */

START_TEST(priority_then_gain_decide_who_is_heard) {
    float *ones = malloc(SECOND * sizeof *ones);
    for (int i = 0; i < SECOND; i++)
        ones[i] = 0.125f;
    audio_stage *stage = stage_open(2);
    stage_add_wav(stage, "dc", EDDY_SOUND_RATE, 1, SECOND, ones);
    static const struct {
        float gain;
        uint8_t priority;
        bool heard;
    } sounds[] = {{0.9f, 0, false}, {0.2f, 5, true}, {1.0f, 0, true}, {0.1f, 0, false}, {1.0f, 0, false}};
    for (int i = 0; i < 5; i++) {
        eddy_sound *sound = stage_sound(stage, "dc");
        sound->gain = sounds[i].gain;
        sound->priority = sounds[i].priority;
    }
    stage_look(stage, false);
    stage_ticks(stage, 2, 1);
    for (int i = 0; i < 5; i++)
        ck_assert_float_eq(stage_heard_gain(stage, (eddy_id)i + 1), sounds[i].heard ? sounds[i].gain : 0.0f);
    ck_assert_float_eq_tol(stage_frame(stage, 2)[0], 0.125f * 1.2f, 1e-6f);
    stage_close(stage);
    free(ones);
}
END_TEST

START_TEST(losers_go_on_silently_and_come_back_at_the_right_sample) {
    float *noise = material_noise(SECOND, 1, 0.5f, 21), *sine = material_sine(SECOND, 1, 100, 0.5f);
    audio_stage *stage = stage_open(1);
    stage_add_wav(stage, "noise", EDDY_SOUND_RATE, 1, SECOND, noise);
    stage_add_wav(stage, "sine", EDDY_SOUND_RATE, 1, SECOND, sine);
    stage_sound(stage, "noise");
    stage_look(stage, false);
    stage_ticks(stage, 3, 1);
    eddy_sound *loud = stage_sound(stage, "sine");
    loud->priority = 9;
    stage_tick(stage, 1); /* it appears one frame in */
    stage_ticks(stage, 3, 1);
    ck_assert_float_eq(stage_heard_gain(stage, 1), 0.0f);
    ck_assert_float_eq(stage_heard_gain(stage, 2), 1.0f);
    stage_remove(stage, loud);
    stage_ticks(stage, 2, 1);
    const float *back = stage_frame(stage, 8);
    for (int k = FADE; k < STAGE_FRAME; k++)
        ck_assert_float_eq(back[2 * k], noise[7 * 800 + k]);
    stage_close(stage);
    free(noise);
    free(sine);
}
END_TEST

START_TEST(three_hundred_sounds_are_no_trouble) {
    float *noise = material_noise(4000, 1, 0.01f, 6);
    const uint32_t voices = _i ? 300 : 64; /* OpenAL Soft gives 256 unless asked */
    audio_stage *stage = stage_open(voices);
    stage_add_wav(stage, "noise", EDDY_SOUND_RATE, 1, 4000, noise);
    for (int i = 0; i < 300; i++)
        stage_sound(stage, "noise")->repeat = i % 2 ? EDDY_SOUND_LOOP : EDDY_SOUND_ONCE;
    stage_look(stage, false);
    stage_ticks(stage, 6, 1);
    stage_ticks(stage, 3, -1);
    eddy_audio_statistics statistics;
    eddy_audio_statistics_get(stage->audio, &statistics);
    ck_assert_uint_eq(statistics.sounds, 300);
    ck_assert_uint_eq(statistics.voices, voices);
    ck_assert_uint_eq(eddy_audio_voices(stage->audio, NULL, 0), 300);
    ck_assert(stage_peak(stage, 0, stage->frames) > 0.0f);
    ck_assert_uint_eq(stage->log_lines, 0);
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(ten_thousand_one_shots_leave_nothing_behind) {
    float *noise = material_noise(1000, 1, 0.5f, 6);
    audio_stage *stage = stage_open(0);
    stage_add_wav(stage, "noise", EDDY_SOUND_RATE, 1, 1000, noise);
    eddy_sound *sound = stage_sound(stage, "noise");
    eddy_audio_sound seen[5];
    eddy_sound copies[5];
    for (eddy_id id = 1; id <= 10000; id += 5) {
        for (uint32_t i = 0; i < 5; i++) {
            copies[i] = *sound;
            seen[i] = (eddy_audio_sound){.id = id + i, .sound = &copies[i]};
        }
        float out[2 * STAGE_FRAME];
        eddy_audio_scene scene = {.sounds = seen, .count = 5};
        eddy_audio_look(stage->audio, &scene);
        ck_assert_int_eq(eddy_audio_render(stage->audio, out, STAGE_FRAME, NULL), EDDY_OK);
    }
    stage_look(stage, false);
    stage_tick(stage, 1);
    ck_assert_float_eq(stage_frame(stage, 1)[2 * 400], noise[400]);
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(every_sound_in_the_scene_is_reported) {
    float *noise = material_noise(4000, 1, 0.5f, 6);
    audio_stage *stage = stage_with("noise", 1, 4000, noise);
    stage_sound(stage, "noise")->gain = 0.5f;
    stage_sound(stage, "nobody added this");
    stage_look(stage, false);
    stage_ticks(stage, 2, 1);
    eddy_audio_voice voices[4];
    ck_assert_uint_eq(eddy_audio_voices(stage->audio, voices, 4), 2);
    ck_assert_uint_eq(voices[0].id, 1);
    ck_assert_str_eq(voices[0].asset, "noise");
    ck_assert_double_eq(voices[0].position, 1600);
    ck_assert_float_eq(voices[0].heard_gain, 0.5f);
    ck_assert_uint_eq(voices[1].id, 2);
    ck_assert_float_eq(voices[1].heard_gain, 0.0f);
    ck_assert_uint_eq(stage->log_lines, 1);
    stage_ticks(stage, 5, 1);
    ck_assert_float_eq(stage_heard_gain(stage, 1), 0.0f); /* over */
    stage_close(stage);
    free(noise);
}
END_TEST

/* ---- the same again ---- */

static uint64_t run_hash(void) {
    float *noise = material_noise(9000, 2, 0.2f, 6), *sine = material_sine(8000, 1, 40, 0.2f);
    audio_stage *stage = stage_open(8);
    stage_add_wav(stage, "noise", 44100, 2, 9000, noise);
    stage_add_wav(stage, "sine", EDDY_SOUND_RATE, 1, 8000, sine);
    static const double rates[] = {1, 1, 0.5, -1, 2, -8, 0, 1};
    for (int i = 0; i < 80; i++) {
        if (i % 5 == 0) {
            eddy_sound *sound = stage_sound(stage, i % 2 ? "noise" : "sine");
            sound->place = i % 3 ? EDDY_SOUND_AT : EDDY_SOUND_HERE;
            sound->range = 500;
            sound->x = (float)(i * 7 % 300);
            sound->pitch = 0.7f + 0.05f * (float)(i % 9);
        }
        stage->listener_x = (float)(i * 3);
        stage_tick(stage, rates[i / 10]);
    }
    uint64_t hash = 1469598103934665603u;
    const uint8_t *bytes = (const uint8_t *)stage->heard;
    for (size_t i = 0; i < stage->frames * 2 * sizeof(float); i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    stage_close(stage);
    free(noise);
    free(sine);
    return hash;
}

START_TEST(two_runs_give_the_same_bytes) {
    ck_assert_uint_eq(run_hash(), run_hash());
}
END_TEST

static void make(Suite *suite) {
    TCase *time = suite_case(suite, "time", 20), *loud = suite_case(suite, "loudness", 20),
          *who = suite_case(suite, "voices", 20);
    tcase_add_unchecked_fixture(time, files_setup, files_teardown);
    tcase_add_test(time, a_sound_is_heard_from_its_birth_sample_for_sample);
    tcase_add_loop_test(time, rewinding_mirrors_playing, 0, 5);
    tcase_add_test(time, ramps_are_mirrored_too);
    tcase_add_loop_test(time, no_step_at_flips_and_none_at_stops, 0, 4);
    tcase_add_test(time, a_flip_is_not_faded);
    tcase_add_test(time, standing_still_is_silent_after_five_milliseconds);
    tcase_add_test(time, going_on_in_mid_material_rises_and_keeps_its_place);
    tcase_add_test(time, a_sound_that_is_gone_decays);
    tcase_add_test(time, ends_of_the_material_are_not_faded);
    tcase_add_test(time, an_end_on_a_frame_is_silent_from_there_on);
    tcase_add_test(time, jumps_sweep_nothing_and_click_nothing);
    tcase_add_loop_test(time, positions_beyond_belief_are_jumps, 0, 4);
    tcase_add_loop_test(time, the_seam_of_a_loop_has_no_step, 0, 5);
    tcase_add_test(time, an_asset_may_change_under_an_id);
    tcase_add_unchecked_fixture(loud, files_setup, files_teardown);
    tcase_add_loop_test(loud, a_place_pans_and_falls_off_in_straight_lines, 0, sizeof pan_cases / sizeof pan_cases[0]);
    tcase_add_test(loud, here_is_as_made_in_both_ears);
    tcase_add_test(loud, volumes_of_categories_ramp_over_a_frame);
    tcase_add_loop_test(loud, gains_that_make_no_sense_are_silence, 0, 3);
    tcase_add_unchecked_fixture(who, files_setup, files_teardown);
    tcase_add_test(who, priority_then_gain_decide_who_is_heard);
    tcase_add_test(who, losers_go_on_silently_and_come_back_at_the_right_sample);
    tcase_add_loop_test(who, three_hundred_sounds_are_no_trouble, 0, 2);
    tcase_add_test(who, ten_thousand_one_shots_leave_nothing_behind);
    tcase_add_test(who, every_sound_in_the_scene_is_reported);
    tcase_add_test(who, two_runs_give_the_same_bytes);
}

int main(void) {
    return suite_run("audio_mixer", make);
}
