/* The voice function: positions, directions, speeds, gains, edges. */
#include "audio/sound.h"
#include "audio/voice.h"
#include "audio_files.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define COUNT 800

static voice_scratch scratch;

typedef struct tape {
    const float *samples;
    uint32_t channels;
} tape;

static void tape_read(void *user, int64_t first, uint32_t count, float *out) {
    const tape *source = user;
    memcpy(out, source->samples + (size_t)first * source->channels, (size_t)count * source->channels * sizeof *out);
}

static voice_material material_of(tape *source, uint32_t rate, int64_t frames) {
    return (voice_material){
        .channels = source->channels, .rate = rate, .frames = frames, .read = tape_read, .user = source};
}

static voice_sweep sweep_of(double from, double to) {
    return (voice_sweep){.from = from, .to = to, .gain_from = {1, 1}, .gain_to = {1, 1}};
}

START_TEST(plain_play_is_the_material_itself) {
    float *noise = material_noise(4000, 2, 0.9f, 1);
    tape source = {noise, 2};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, 4000);
    voice_sweep sweep = sweep_of(1600, 2400);
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    ck_assert_mem_eq(out, noise + 2 * 1600, sizeof out);
    free(noise);
}
END_TEST

/* From, to, source rate, channels, loop. */
static const struct mirror_case {
    double from, to;
    uint32_t rate, channels;
    bool loop;
} mirror_cases[] = {
    {0, 800, 48000, 2, false},        {800, 1600, 48000, 1, false},      {800, 1600, 44100, 2, false},
    {123.25, 923.25, 8000, 2, true},  {0, 1200, 48000, 2, false},        {10.7, 250.9, 48000, 2, false},
    {0, 1600, 48000, 2, true},        {0, 3200, 44100, 1, true},         {5000.5, 11400.5, 96000, 2, true},
    {-900, 100, 48000, 2, true},      {3900, 4700, 48000, 2, false},     {-4000.3, 2400.1, 192000, 2, true},
    {7e9, 7e9 + 800, 48000, 2, true}, {3333.3, 3333.7, 44100, 2, false},
};

START_TEST(a_way_back_mirrors_the_way_there) {
    const struct mirror_case *c = &mirror_cases[_i];
    float *noise = material_noise(4000, c->channels, 0.9f, 7);
    tape source = {noise, c->channels};
    voice_material material = material_of(&source, c->rate, 4000);
    if (_i % 2)
        material.samples = noise;
    voice_sweep there = {c->from, c->to, {0.25f, 1.0f}, {0.75f, 0.125f}, c->loop, false};
    voice_sweep back = {c->to, c->from, {0.75f, 0.125f}, {0.25f, 1.0f}, c->loop, false};
    float forward[2 * COUNT], backward[2 * COUNT];
    voice_render(&material, &there, COUNT, &scratch, forward);
    voice_render(&material, &back, COUNT, &scratch, backward);
    for (int k = 0; k < COUNT; k++)
        for (int ear = 0; ear < 2; ear++)
            ck_assert_msg(forward[2 * k + ear] == backward[2 * (COUNT - 1 - k) + ear],
                          "case %d sample %d ear %d: %.9g there, %.9g back", _i, k, ear, forward[2 * k + ear],
                          backward[2 * (COUNT - 1 - k) + ear]);
    free(noise);
}
END_TEST

/* Material in memory and material that is read give the same bytes. */
START_TEST(where_the_material_lies_does_not_matter) {
    const struct mirror_case *c = &mirror_cases[_i];
    float *noise = material_noise(4000, c->channels, 0.9f, 7);
    tape source = {noise, c->channels};
    voice_material material = material_of(&source, c->rate, 4000);
    voice_sweep sweep = {c->from, c->to, {0.25f, 1.0f}, {0.75f, 0.125f}, c->loop, _i % 2 == 0};
    float read[2 * COUNT], direct[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, read);
    material.samples = noise;
    voice_render(&material, &sweep, COUNT, &scratch, direct);
    ck_assert_mem_eq(read, direct, sizeof read);
    free(noise);
}
END_TEST

START_TEST(backward_samples_sit_at_the_named_positions) {
    float *noise = material_noise(4000, 1, 0.9f, 3);
    tape source = {noise, 1};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, 4000);
    voice_sweep sweep = sweep_of(1600, 800);
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    for (int k = 0; k < COUNT; k++)
        ck_assert(out[2 * k] == noise[1600 - (k + 1)] && out[2 * k + 1] == out[2 * k]);
    free(noise);
}
END_TEST

START_TEST(once_is_silent_before_its_start_and_from_its_length_on) {
    float ones[100];
    for (int i = 0; i < 100; i++)
        ones[i] = 1.0f;
    tape source = {ones, 1};
    static const double steps[] = {1.0, 0.5, -1.0, -0.25};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, 100);
    double step = steps[_i];
    double from = step > 0 ? -50 : -50 - step * COUNT;
    voice_sweep sweep = sweep_of(from, from + step * COUNT);
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    for (int k = 0; k < COUNT; k++) {
        double at = step > 0 ? from + step * k : from + step * (k + 1);
        if (at < 0 || at >= 100)
            ck_assert_msg(out[2 * k] == 0.0f, "at %g: %g", at, out[2 * k]);
        else if (at == floor(at))
            ck_assert_msg(out[2 * k] == 1.0f, "at %g: %g", at, out[2 * k]);
    }
}
END_TEST

START_TEST(loops_wrap_both_ways) {
    float *noise = material_noise(333, 2, 0.9f, 5);
    tape source = {noise, 2};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, 333);
    static const double starts[] = {0, -1, -700, 332, 333, 1e6};
    voice_sweep sweep = sweep_of(starts[_i], starts[_i] + COUNT);
    sweep.loop = true;
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    for (int k = 0; k < COUNT; k++) {
        int64_t at = (((int64_t)starts[_i] + k) % 333 + 333) % 333;
        ck_assert_mem_eq(out + 2 * k, noise + 2 * at, 2 * sizeof(float));
    }
    free(noise);
}
END_TEST

START_TEST(gains_go_in_a_straight_line) {
    float ones[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++)
        ones[i] = 1.0f;
    tape source = {ones, 2};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, COUNT);
    voice_sweep sweep = {0, COUNT, {0, 1}, {1, 0.5f}, false, false};
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    for (int k = 0; k < COUNT; k++) {
        ck_assert_float_eq_tol(out[2 * k], (float)k / COUNT, 1e-6f);
        ck_assert_float_eq_tol(out[2 * k + 1], 1.0f - 0.5f * (float)k / COUNT, 1e-6f);
    }
}
END_TEST

/* The mean over a step keeps the sum: a frame at n times the speed adds up to all that it passed over. */
START_TEST(above_one_everything_is_passed_over) {
    static const double speeds[] = {2, 4, 8, 1.37, 3.99};
    const double speed = speeds[_i];
    float *noise = material_noise(16000, 1, 0.9f, 11);
    tape source = {noise, 1};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, 16000);
    double there[2] = {3200, 3200 + speed * COUNT};
    for (int back = 0; back < 2; back++) {
        voice_sweep sweep = sweep_of(there[back], there[!back]);
        float out[2 * COUNT];
        voice_render(&material, &sweep, COUNT, &scratch, out);
        double sum = 0, expected = 0;
        for (int k = 0; k < COUNT; k++)
            sum += out[2 * k] * speed;
        for (int64_t i = 3200; i < 3200 + (int64_t)(speed * COUNT); i++)
            expected += noise[i];
        ck_assert_msg(fabs(sum - expected) < 0.05, "speed %g: %g of %g", speed, sum, expected);
    }
    free(noise);
}
END_TEST

START_TEST(above_one_high_tones_do_not_fold) {
    float *tone = malloc(16000 * sizeof *tone);
    for (int i = 0; i < 16000; i++)
        tone[i] = (i & 1) ? -1.0f : 1.0f;
    tape source = {tone, 1};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, 16000);
    voice_sweep sweep = sweep_of(0, 8 * COUNT);
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    for (int k = 0; k < 2 * COUNT; k++)
        ck_assert_float_eq_tol(out[k], 0.0f, 1e-6f);
    free(tone);
}
END_TEST

START_TEST(standing_still_is_silence) {
    float *noise = material_noise(4000, 2, 0.9f, 13);
    tape source = {noise, 2};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, 4000);
    voice_sweep sweep = sweep_of(1000, 1000);
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    for (int k = 0; k < 2 * COUNT; k++)
        ck_assert(out[k] == 0.0f);
    free(noise);
}
END_TEST

START_TEST(mixdown_is_the_mean_of_both_channels) {
    float *noise = material_noise(COUNT, 2, 0.9f, 17);
    tape source = {noise, 2};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, COUNT);
    voice_sweep sweep = {0, COUNT, {1, 0.2f}, {1, 0.2f}, false, true};
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    for (int k = 0; k < COUNT; k++) {
        float mono = 0.5f * (noise[2 * k] + noise[2 * k + 1]);
        ck_assert(out[2 * k] == mono && out[2 * k + 1] == mono * 0.2f);
    }
    free(noise);
}
END_TEST

/* 441 Hz from 44.1 kHz, 22.05 kHz and 8 kHz, as it would have been at 48 kHz. */
START_TEST(other_rates_keep_pitch_and_shape) {
    static const struct {
        uint32_t rate;
        float error;
    } cases[] = {{44100, 2e-4f}, {22050, 1e-3f}, {8000, 2e-2f}, {96000, 4e-2f}};
    const uint32_t rate = cases[_i].rate;
    float *sine = material_sine(rate, 1, 441, 0.8f);
    tape source = {sine, 1};
    voice_material material = material_of(&source, rate, rate);
    voice_sweep sweep = sweep_of(4800, 4800 + COUNT);
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    for (int k = 0; k < COUNT; k++) {
        double at = (4800.0 + k) * 441 / EDDY_SOUND_RATE;
        ck_assert_float_eq_tol(out[2 * k], 0.8f * (float)sin(6.283185307179586 * at), cases[_i].error);
    }
    free(sine);
}
END_TEST

START_TEST(tiny_loops_do_not_spin) {
    static const int64_t lengths[] = {0, 1, 2};
    float samples[2] = {0.5f, 0.25f};
    tape source = {samples, 1};
    voice_material material = material_of(&source, EDDY_SOUND_RATE, lengths[_i]);
    voice_sweep sweep = sweep_of(6400, 0);
    sweep.loop = true;
    float out[2 * COUNT];
    voice_render(&material, &sweep, COUNT, &scratch, out);
    float expected = lengths[_i] == 0 ? 0.0f : lengths[_i] == 1 ? 0.5f : 0.375f;
    for (int k = 0; k < 2 * COUNT; k++)
        ck_assert_float_eq_tol(out[k], expected, 1e-6f);
}
END_TEST

static void make(Suite *suite) {
    TCase *one = suite_case(suite, "voice", 10);
    tcase_add_test(one, plain_play_is_the_material_itself);
    tcase_add_loop_test(one, a_way_back_mirrors_the_way_there, 0, sizeof mirror_cases / sizeof mirror_cases[0]);
    tcase_add_loop_test(one, where_the_material_lies_does_not_matter, 0, sizeof mirror_cases / sizeof mirror_cases[0]);
    tcase_add_test(one, backward_samples_sit_at_the_named_positions);
    tcase_add_loop_test(one, once_is_silent_before_its_start_and_from_its_length_on, 0, 4);
    tcase_add_loop_test(one, loops_wrap_both_ways, 0, 6);
    tcase_add_test(one, gains_go_in_a_straight_line);
    tcase_add_loop_test(one, above_one_everything_is_passed_over, 0, 5);
    tcase_add_test(one, above_one_high_tones_do_not_fold);
    tcase_add_test(one, standing_still_is_silence);
    tcase_add_test(one, mixdown_is_the_mean_of_both_channels);
    tcase_add_loop_test(one, other_rates_keep_pitch_and_shape, 0, 4);
    tcase_add_loop_test(one, tiny_loops_do_not_spin, 0, 3);
}

int main(void) {
    return suite_run("audio_voice", make);
}
