/* Below the voices: the queues of a live device, on a clock that the test turns by hand; no device; the face of both.
 */
#include "audio/device.h"
#include "audio_files.h"
#include "audio_stage.h"
#include "suite.h"

#include <AL/alc.h>
#include <AL/alext.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SLOTS 3
#define PERIOD 1024 /* samples a device takes at a time */
#define LOOK 800.0

/* A live device whose time passes in `turn`. What a look queues says which look it was: the heard value is the heard
 * time in looks. */
typedef struct live_bench {
    audio_device *device;
    uint32_t looks;
    double due; /* samples the device has yet to take */
    float out[2 * PERIOD];
    double heard; /* the last value heard */
    uint32_t log_lines;
    device_fake fake;
    eddy_hooks hooks;
} live_bench;

static void count_line(void *user, const char *line) {
    (void)line;
    ((live_bench *)user)->log_lines++;
}

static void bench_open_fake(live_bench *bench, device_fake fake) {
    *bench = (live_bench){.fake = fake, .hooks = {.log = count_line, .user = bench}};
    const device_desc desc = {.kind = EDDY_AUDIO_PLAYBACK,
                              .slots = SLOTS,
                              .rate_num = 60,
                              .rate_den = 1,
                              .hooks = &bench->hooks,
                              .fake = &bench->fake};
    eddy_error error = {0};
    eddy_result result = device_create(&desc, &bench->device, &error);
    ck_assert_msg(result == EDDY_OK, "%s", error.text);
}

static void bench_open(live_bench *bench) {
    bench_open_fake(bench, (device_fake){.opens = true, .connected = true});
}

/* One look: `signs[slot]` times the ramp into each slot, silence where it is 0. Returns what was ordered. */
static device_order bench_look(live_bench *bench, const float signs[SLOTS]) {
    static float block[2 * 4096];
    device_order order = device_begin(bench->device);
    for (uint32_t slot = 0; order.count > 0 && slot < SLOTS; slot++) {
        for (uint32_t k = 0; k < order.count; k++)
            block[2 * k] = block[2 * k + 1] =
                signs[slot] * ((float)bench->looks + (float)k / (float)order.count) / 8192;
        device_queue(bench->device, slot, signs[slot] != 0.0f ? block : NULL);
    }
    device_end(bench->device);
    bench->looks++;
    return order;
}

/* The device takes what it is due, whole periods; what is heard now is as far behind the last one as it is due more. */
static void bench_turn(live_bench *bench, double samples) {
    for (bench->due += samples; bench->due >= PERIOD; bench->due -= PERIOD) {
        memset(bench->out, 0, sizeof bench->out);
        device_render(bench->device, bench->out, PERIOD, NULL); /* fails while the device is lost: silence */
        bench->heard = bench->out[2 * PERIOD - 1] * 8192.0;
    }
}

static double bench_lag_seconds(const live_bench *bench) {
    return (bench->looks - (bench->heard + bench->due / LOOK)) / 60.0;
}

static const float first_only[SLOTS] = {1, 0, 0};

/* Clocks that are right, 3 % slow and 3 % fast; a minute of looks. */
START_TEST(what_is_heard_stays_near_the_picture) {
    static const double clocks[] = {1.0, 0.97, 1.03, 0.999};
    live_bench bench;
    bench_open(&bench);
    uint32_t least = UINT32_MAX, most = 0;
    double lag_most = 0.0;
    for (int i = 0; i < 3600; i++) {
        device_order order = bench_look(&bench, first_only);
        least = order.count < least ? order.count : least;
        most = order.count > most ? order.count : most;
        bench_turn(&bench, LOOK * clocks[_i]);
        double lag_seconds = bench_lag_seconds(&bench);
        if (i > 10)
            lag_most = lag_seconds > lag_most ? lag_seconds : lag_most;
    }
    ck_assert_msg(lag_most <= 0.050, "clock %g: heard %.1f ms late", clocks[_i], 1000 * lag_most);
    ck_assert_uint_eq(device_underruns(bench.device), 0);
    ck_assert_uint_ge(least, 768);
    ck_assert_uint_le(most, 832);
    device_destroy(bench.device);
}
END_TEST

/* The same, looks coming up to 8 ms early or late. */
START_TEST(uneven_looks_do_not_tear_it) {
    live_bench bench;
    bench_open(&bench);
    uint32_t seed = 99;
    double early = 0.0;
    for (int i = 0; i < 1800; i++) {
        bench_look(&bench, first_only);
        seed = seed * 1664525u + 1013904223u;
        double jitter = ((double)(seed >> 8) / 8388608.0 - 1.0) * 200.0;
        bench_turn(&bench, LOOK + jitter - early);
        early = jitter;
    }
    ck_assert_uint_eq(device_underruns(bench.device), 0);
    device_destroy(bench.device);
}
END_TEST

START_TEST(a_voice_that_joins_is_in_step) {
    static const float opposed[SLOTS] = {1, -1, 0};
    live_bench bench;
    bench_open(&bench);
    for (int i = 0; i < 40; i++) {
        bench_look(&bench, first_only);
        bench_turn(&bench, LOOK);
    }
    ck_assert_double_gt(bench.heard, 30);
    for (int i = 0; i < 40; i++) {
        bench_look(&bench, opposed);
        bench_turn(&bench, LOOK);
        for (int k = 0; i > 6 && k < 2 * PERIOD; k++)
            ck_assert_msg(fabsf(bench.out[k]) < 1e-6f, "look %d sample %d: %g", i, k, bench.out[k]);
    }
    /* One that pauses and returns is in step again, soon or after it was stopped. */
    for (int gap = 1; gap < 14; gap += 3) {
        for (int i = 0; i < gap; i++) {
            bench_look(&bench, first_only);
            bench_turn(&bench, LOOK);
        }
        for (int i = 0; i < 12; i++) {
            bench_look(&bench, opposed);
            bench_turn(&bench, LOOK);
        }
        for (int k = 0; k < 2 * PERIOD; k++)
            ck_assert_msg(fabsf(bench.out[k]) < 1e-6f, "gap %d sample %d: %g", gap, k, bench.out[k]);
    }
    device_destroy(bench.device);
}
END_TEST

/* No look for a while: silence, then on from the present; nothing is heard twice. */
START_TEST(an_underrun_is_recovered_and_repeats_nothing) {
    live_bench bench;
    bench_open(&bench);
    for (int i = 0; i < 30; i++) {
        bench_look(&bench, first_only);
        bench_turn(&bench, LOOK);
    }
    double before = bench.heard;
    for (int i = 0; i < 10; i++) {
        bench.looks++; /* the game went on */
        bench_turn(&bench, LOOK);
    }
    ck_assert(bench.out[0] == 0.0f);
    bool told = false;
    for (int i = 0; i < 30; i++) {
        told = bench_look(&bench, first_only).from_start || told;
        bench_turn(&bench, LOOK);
        ck_assert_msg(bench.heard == 0.0 || bench.heard >= before, "%g after %g", bench.heard, before);
        before = bench.heard > before ? bench.heard : before;
    }
    ck_assert(told);
    ck_assert_uint_eq(device_underruns(bench.device), 1);
    ck_assert_double_le(bench_lag_seconds(&bench), 0.050);
    device_destroy(bench.device);
}
END_TEST

/* Five looks late, then five at once. */
START_TEST(a_burst_of_looks_is_worked_off) {
    live_bench bench;
    bench_open(&bench);
    for (int i = 0; i < 120; i++) {
        bench_look(&bench, first_only);
        bench_turn(&bench, LOOK);
    }
    bench_turn(&bench, 5 * LOOK);
    for (int i = 0; i < 5; i++)
        bench_look(&bench, first_only);
    for (int i = 0; i < 60; i++) {
        bench_look(&bench, first_only);
        bench_turn(&bench, LOOK);
    }
    ck_assert_double_le(bench_lag_seconds(&bench), 0.050);
    device_destroy(bench.device);
}
END_TEST

START_TEST(a_pause_is_silent_and_ends) {
    live_bench bench;
    bench_open(&bench);
    for (int i = 0; i < 30; i++) {
        bench_look(&bench, first_only);
        bench_turn(&bench, LOOK);
    }
    device_pause(bench.device, true);
    device_pause(bench.device, true);
    bench_turn(&bench, 4 * LOOK);
    ck_assert(bench.out[2 * PERIOD - 1] == 0.0f);
    ck_assert_uint_eq(bench_look(&bench, first_only).count, 0);
    bench_turn(&bench, 20 * LOOK);
    device_pause(bench.device, false);
    ck_assert(bench_look(&bench, first_only).from_start);
    for (int i = 0; i < 20; i++) {
        bench_look(&bench, first_only);
        bench_turn(&bench, LOOK);
    }
    ck_assert_double_gt(bench.heard, 40);
    ck_assert_uint_eq(device_underruns(bench.device), 0);
    device_destroy(bench.device);
}
END_TEST

START_TEST(two_devices_are_independent) {
    live_bench one, two;
    bench_open(&one);
    bench_open(&two);
    for (int i = 0; i < 20; i++) {
        bench_look(&one, first_only);
        bench_turn(&one, LOOK);
    }
    bench_look(&two, first_only);
    bench_turn(&two, 2 * LOOK);
    ck_assert_double_gt(one.heard, 10);
    ck_assert_double_lt(two.heard, 1);
    device_destroy(one.device);
    bench_turn(&two, LOOK);
    device_destroy(two.device);
}
END_TEST

static void bench_run(live_bench *bench, int looks) {
    for (int i = 0; i < looks; i++) {
        bench_look(bench, first_only);
        bench_turn(bench, LOOK);
    }
}

START_TEST(a_lost_device_is_opened_again) {
    live_bench bench;
    bench_open(&bench);
    bench_run(&bench, 30);
    bench.fake.connected = false;
    bench_run(&bench, 10);
    ck_assert(bench.out[0] == 0.0f);
    ck_assert_uint_eq(bench.log_lines, 1);
    bench.fake.connected = true;
    bench_run(&bench, 90);
    ck_assert_double_le(bench_lag_seconds(&bench), 0.050);
    ck_assert_int_eq(device_kind(bench.device), EDDY_AUDIO_PLAYBACK);
    device_destroy(bench.device);
}
END_TEST

/* One that never comes back, and one that opens and is lost again at once. */
START_TEST(a_device_that_stays_lost_is_given_up) {
    live_bench bench;
    bench_open(&bench);
    bench_run(&bench, 30);
    bench.fake.connected = false;
    bench.fake.opens = _i;
    bench_run(&bench, 1000);
    ck_assert_int_eq(device_kind(bench.device), EDDY_AUDIO_NONE);
    ck_assert_uint_le(bench.log_lines, 8);
    uint32_t lines = bench.log_lines;
    bench.fake.opens = bench.fake.connected = true;
    bench_run(&bench, 1000);
    ck_assert_uint_eq(bench.log_lines, lines);
    device_destroy(bench.device);
}
END_TEST

START_TEST(no_device_at_the_start_is_one_line) {
    live_bench bench;
    bench_open_fake(&bench, (device_fake){.opens = false});
    bench_run(&bench, 100);
    device_pause(bench.device, true);
    ck_assert_int_eq(device_kind(bench.device), EDDY_AUDIO_NONE);
    ck_assert_uint_eq(bench.log_lines, 1);
    device_destroy(bench.device);
}
END_TEST

/* ---- the face ---- */

/* Runs the same scene without a device and with a loopback: what voices report is the same. */
START_TEST(without_a_device_everything_is_still_followed) {
    float *noise = material_noise(4000, 1, 0.5f, 1), *music = material_noise(200000, 1, 0.2f, 2);
    file_write_wav(files_path("noise.wav"), 48000, 1, 4000, noise);
    file_write_ogg(files_path("music.ogg"), 44100, 1, 200000, music, 1);
    audio_stage *stages[2];
    for (int s = 0; s < 2; s++) {
        stages[s] = stage_open_desc((eddy_audio_desc){.device = s ? EDDY_AUDIO_LOOPBACK : EDDY_AUDIO_NONE});
        ck_assert_int_eq(eddy_audio_add(stages[s]->audio, "noise", files_path("noise.wav"), NULL), EDDY_OK);
        ck_assert_int_eq(eddy_audio_add(stages[s]->audio, "music", files_path("music.ogg"), NULL), EDDY_OK);
        stage_sound(stages[s], "music")->repeat = EDDY_SOUND_LOOP;
        stage_look(stages[s], false);
    }
    static const double rates[] = {1, 1, -1, 0, 1, 8, -8, 1};
    for (int i = 0; i < 24; i++) {
        eddy_audio_voice voices[2][8];
        uint32_t counts[2];
        for (int s = 0; s < 2; s++) {
            if (i % 6 == 2)
                stage_sound(stages[s], "noise")->place = EDDY_SOUND_AT;
            stages[s]->sounds[stages[s]->count - 1].range = 300;
            stages[s]->listener_x = (float)i * 5;
            stage_tick(stages[s], rates[i / 3]);
            counts[s] = eddy_audio_voices(stages[s]->audio, voices[s], 8);
        }
        ck_assert_uint_eq(counts[0], counts[1]);
        ck_assert_mem_eq(voices[0], voices[1], counts[0] * sizeof voices[0][0]);
    }
    eddy_audio_statistics statistics;
    eddy_audio_statistics_get(stages[0]->audio, &statistics);
    ck_assert_uint_eq(statistics.cache_bytes, 0);
    ck_assert_uint_eq(statistics.streams, 0);
    ck_assert_double_eq(eddy_audio_length(stages[0]->audio, "noise"), 4000);
    ck_assert_double_eq(eddy_audio_length(stages[0]->audio, "music"), eddy_audio_length(stages[1]->audio, "music"));
    float out[2 * STAGE_FRAME];
    ck_assert_int_eq(eddy_audio_render(stages[0]->audio, out, STAGE_FRAME, NULL), EDDY_E_ARGUMENT);
    ck_assert_int_eq(eddy_audio_render(stages[1]->audio, out, STAGE_FRAME - 1, NULL), EDDY_E_ARGUMENT);
    eddy_audio_pause(stages[0]->audio, true);
    stage_close(stages[0]);
    stage_close(stages[1]);
    free(noise);
    free(music);
}
END_TEST

/* A program that plays something of its own with OpenAL keeps its context, and so do two of ours. */
START_TEST(a_context_of_the_program_is_left_alone) {
    LPALCLOOPBACKOPENDEVICESOFT open;
    void *found = alcGetProcAddress(NULL, "alcLoopbackOpenDeviceSOFT");
    memcpy(&open, &found, sizeof found);
    ALCdevice *device = open(NULL);
    const ALCint attributes[] = {ALC_FREQUENCY,  48000, ALC_FORMAT_CHANNELS_SOFT, ALC_STEREO_SOFT, ALC_FORMAT_TYPE_SOFT,
                                 ALC_FLOAT_SOFT, 0};
    ALCcontext *context = alcCreateContext(device, attributes);
    alcMakeContextCurrent(context);
    audio_stage *one = stage_open(0), *two = stage_open(3);
    ck_assert_ptr_eq(alcGetCurrentContext(), context);
    stage_ticks(one, 2, 1);
    stage_ticks(two, 2, 1);
    ck_assert_ptr_eq(alcGetCurrentContext(), context);
    stage_close(one);
    ck_assert_ptr_eq(alcGetCurrentContext(), context);
    stage_close(two);
    ck_assert_ptr_eq(alcGetCurrentContext(), context);
    alcMakeContextCurrent(NULL);
    alcDestroyContext(context);
    alcCloseDevice(device);
}
END_TEST

static void sleep_ms(long ms) {
    const struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

/* The library's own null output: a real thread and a real clock, no hardware. */
START_TEST(playback_runs_on_a_clock_of_its_own) {
    setenv("ALSOFT_DRIVERS", "null", 1);
    float *noise = material_noise(4800, 2, 0.1f, 1);
    audio_stage *stage = stage_open_desc((eddy_audio_desc){.device = EDDY_AUDIO_PLAYBACK, .voices_max = 8});
    ck_assert_int_eq(eddy_audio_device_used(stage->audio), EDDY_AUDIO_PLAYBACK);
    stage_add_wav(stage, "noise", 48000, 2, 4800, noise);
    for (int i = 0; i < 40; i++) {
        if (i % 4 == 0)
            stage_sound(stage, "noise")->repeat = i % 8 ? EDDY_SOUND_LOOP : EDDY_SOUND_ONCE;
        stage_tick(stage, i % 10 < 7 ? 1 : -1);
        if (i == 20)
            eddy_audio_pause(stage->audio, true);
        if (i == 24)
            eddy_audio_pause(stage->audio, false);
        sleep_ms(16);
    }
    eddy_audio_voice voices[16];
    ck_assert_uint_eq(eddy_audio_voices(stage->audio, voices, 16), 10);
    stage_close(stage);
    free(noise);
}
END_TEST

/* Whatever this machine has: a device, or one log line and not a byte from the libraries below; nor from a loopback
 * that is opened and closed. */
START_TEST(a_missing_device_is_one_line) {
    fflush(stderr);
    FILE *caught = fopen(files_path("stderr"), "w+");
    int before = dup(STDERR_FILENO);
    dup2(fileno(caught), STDERR_FILENO);
    audio_stage *stage = stage_open_desc((eddy_audio_desc){.device = EDDY_AUDIO_PLAYBACK});
    stage_ticks(stage, 3, 1);
    eddy_audio_device used = eddy_audio_device_used(stage->audio);
    uint32_t lines = stage->log_lines;
    stage_close(stage);
    stage = stage_open(0);
    stage_ticks(stage, 3, 1);
    stage_close(stage);
    dup2(before, STDERR_FILENO);
    close(before);
    fseek(caught, 0, SEEK_END);
    long bytes = ftell(caught);
    fclose(caught);
    if (used == EDDY_AUDIO_NONE) {
        ck_assert_uint_eq(lines, 1);
        ck_assert_int_eq(bytes, 0);
    } else {
        ck_assert_int_eq(used, EDDY_AUDIO_PLAYBACK);
    }
}
END_TEST

static void make(Suite *suite) {
    TCase *live = suite_case(suite, "live", 20), *face = suite_case(suite, "face", 20);
    tcase_add_loop_test(live, what_is_heard_stays_near_the_picture, 0, 4);
    tcase_add_test(live, uneven_looks_do_not_tear_it);
    tcase_add_test(live, a_voice_that_joins_is_in_step);
    tcase_add_test(live, an_underrun_is_recovered_and_repeats_nothing);
    tcase_add_test(live, a_burst_of_looks_is_worked_off);
    tcase_add_test(live, a_pause_is_silent_and_ends);
    tcase_add_test(live, two_devices_are_independent);
    tcase_add_test(live, a_lost_device_is_opened_again);
    tcase_add_loop_test(live, a_device_that_stays_lost_is_given_up, 0, 2);
    tcase_add_test(live, no_device_at_the_start_is_one_line);
    tcase_add_unchecked_fixture(face, files_setup, files_teardown);
    tcase_add_test(face, without_a_device_everything_is_still_followed);
    tcase_add_test(face, a_context_of_the_program_is_left_alone);
    tcase_add_test(face, playback_runs_on_a_clock_of_its_own);
    tcase_add_test(face, a_missing_device_is_one_line);
}

int main(void) {
    return suite_run("audio_device", make);
}
