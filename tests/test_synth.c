/* The synth: its language, its circle, its files, and the sounds it made for Kettlewick. */
#include "suite.h"
#include "synth.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vorbis/vorbisfile.h>

static synth_sound *parsed(const char *text) {
    eddy_error error;
    synth_sound *sound;
    ck_assert_msg(!synth_parse("t", text, &sound, &error), "%s", error.text);
    return sound;
}

static synth_audio rendered(const char *text) {
    eddy_error error;
    synth_audio audio;
    synth_sound *sound = parsed(text);
    ck_assert_msg(!synth_render(sound, &audio, &error), "%s", error.text);
    synth_sound_destroy(sound);
    return audio;
}

static synth_measurement measured(const synth_audio *audio) {
    synth_measurement out;
    ck_assert_int_eq(synth_measure(audio, &out, NULL), EDDY_OK);
    return out;
}

#define SINE "instrument i\n partial 1 1\n"
#define SWELL SINE " swell\n"

/* ---- language ---- */

static const struct {
    const char *text, *where, *says;
} wrong[] = {
    {"legnth 1 s", "t:1:", "unknown key"},
    {"# a\n\nlength 1 parsec", "t:3:", "samples"},
    {"length 0.00001 s", "t:1:", "1 sample"},
    {"length 301 s", "t:1:", "300"},
    {"length 0.3333 beats\ntempo 61", "t:1:", "whole number of samples"},
    {"loop now", "t:1:", "nothing may follow"},
    {"tempo", "t:1:", "BEATS_PER_MINUTE"},
    {"tempo fast", "t:1:", "BEATS_PER_MINUTE"},
    {"tempo 1e9", "t:1:", "10 .. 400"},
    {"tempo nan", "t:1:", "BEATS_PER_MINUTE"},
    {"instrument i", "t:1:", "length must stand before"},
    {"length 1 s\ninstrument a-b", "t:2:", "letters"},
    {"length 1 s\ninstrument i\n pluck 3", "t:3:", "unknown key"},
    {"length 1 s\ninstrument i\n partial 1", "t:3:", "RATIO GAIN"},
    {"length 1 s\ninstrument i\n filter notch 400 1", "t:3:", "low|high|band"},
    {"length 1 s\ninstrument i\n filter low 5 1", "t:3:", "10 .. 20000"},
    {"length 1 s\nonce\ninstrument i\n drone", "t:4:", "needs a loop"},
    {"length 1 s\nphrase a\n h4", "t:3:", "expected a note"},
    {"length 1 s\nphrase a\n c4:0", "t:3:", "expected a note"},
    {"length 1 s\nphrase a\n c4:1/0", "t:3:", "expected a note"},
    {"length 1 s\nphrase a\n c4!x", "t:3:", "expected a note"},
    {"length 1 s\nphrase a\n c4+", "t:3:", "expected a note"},
    {"length 1 s\nphrase a\n 99999hz", "t:3:", "expected a note"},
    {"length 1 s\nphrase a\n c4 |", "t:3:", "needs a meter"},
    {"meter 3\nlength 1 s\nphrase a\n c4:1 c4\n |", "t:5:", "bar"},
    {"length 1 s\nphrase a\nphrase a", "t:3:", "there already"},
    {"length 1 s\npart p none", "t:2:", "no instrument"},
    {"length 1 s\n" SINE "part p i\n play a", "t:5:", "no phrase"},
    {"length 9 s\n" SINE "phrase a\n c4\npart p i\n play a*0", "t:7:", "REPEATS"},
    {"length 1 s\n" SINE "part p i\n notes c4 d4", "t:5:", "after the end"},
    {"length 1 s\n" SINE "part p i\n scatter many c4", "t:5:", "scatter COUNT"},
    {"length 1 s\n" SINE, "t:4:", "no part plays"},
    {"", "t:1:", "no part plays"},
};

START_TEST(an_error_names_file_line_and_what_was_expected) {
    eddy_error error = {0};
    synth_sound *sound;
    ck_assert_int_ne(synth_parse("t", wrong[_i].text, &sound, &error), EDDY_OK);
    ck_assert_ptr_null(sound);
    ck_assert_msg(!strncmp(error.text, wrong[_i].where, strlen(wrong[_i].where)), "row %d: %s", _i, error.text);
    ck_assert_msg(strstr(error.text, wrong[_i].says), "row %d: %s", _i, error.text);
}
END_TEST

START_TEST(a_missing_description_is_an_io_error) {
    synth_sound *sound;
    ck_assert_int_eq(synth_parse_file("/nowhere/x.txt", &sound, NULL), EDDY_E_IO);
    ck_assert_ptr_null(sound);
}
END_TEST

START_TEST(limits_are_errors) {
    char text[40000] = "length 1 s\nphrase a\n";
    for (int i = 0; i < 257; i++)
        strcat(text, "c4\n");
    synth_sound *sound;
    eddy_error error;
    ck_assert_int_eq(synth_parse("t", text, &sound, &error), EDDY_E_LIMIT);
    strcpy(text, "length 1 s\n");
    for (int i = 0; i < 17; i++)
        strcat(text, "instrument i\n");
    ck_assert_int_eq(synth_parse("t", text, &sound, &error), EDDY_E_LIMIT);
    strcpy(text, "length 1 s\n" SINE "part p i\n");
    for (int i = 0; i < 9; i++)
        strcat(text, "scatter 1000 c4\n");
    ck_assert_int_eq(synth_parse("t", text, &sound, &error), EDDY_E_LIMIT);
}
END_TEST

START_TEST(pitches_beats_and_velocities) {
    synth_sound *s = parsed("tempo 120\nlength 9 s\n" SINE "part p i\n notes a4 c4+e4:2!0.5 r:1/2 f#3 bb5 440hz:1\n");
    ck_assert_uint_eq(s->event_count, 6);
    ck_assert_double_eq_tol(s->events[0].hz, 440, 1e-9);
    ck_assert_double_eq_tol(s->events[1].hz, 261.6255653, 1e-6);
    ck_assert_double_eq_tol(s->events[2].hz, 329.6275569, 1e-6);
    ck_assert_double_eq_tol(s->events[3].hz, 184.9972114, 1e-6);
    ck_assert_double_eq_tol(s->events[4].hz, 932.3275230, 1e-6);
    ck_assert_double_eq_tol(s->events[1].start_s, 0.5, 1e-12);
    ck_assert_double_eq_tol(s->events[2].length_s, 1, 1e-12);
    ck_assert_double_eq_tol(s->events[3].start_s, 1.75, 1e-12);
    ck_assert_double_eq_tol(s->events[4].start_s, 2.0, 1e-12);
    ck_assert_double_eq(s->events[0].velocity, 1);
    ck_assert_double_eq(s->events[5].velocity, 0.5);
    synth_sound_destroy(s);
}
END_TEST

START_TEST(a_phrase_backward_is_its_mirror_in_time) {
    synth_sound *s = parsed("length 16 s\n" SINE "phrase a\n c4:1 d4:3 r:1 e4:2\npart p i\n play a a~\n");
    ck_assert_uint_eq(s->event_count, 6);
    for (uint32_t i = 0; i < 3; i++) {
        const synth_event *there = s->events + i, *back = s->events + 3 + i;
        ck_assert_double_eq_tol(there->hz, back->hz, 1e-9);
        ck_assert_double_eq_tol(14 - there->start_s - there->length_s, back->start_s, 1e-9);
    }
    synth_sound_destroy(s);
}
END_TEST

START_TEST(phrases_move_and_repeat) {
    synth_sound *s = parsed("length 16 s\n" SINE "phrase a\n a4:2\npart p i\n play a+12*2 a~-12\n at 9\n play a\n");
    static const double hz[] = {880, 880, 220, 440}, start[] = {0, 2, 4, 9};
    ck_assert_uint_eq(s->event_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(s->events[i].hz, hz[i], 1e-9);
        ck_assert_double_eq_tol(s->events[i].start_s, start[i], 1e-12);
    }
    synth_sound_destroy(s);
}
END_TEST

START_TEST(scattered_notes_lie_one_in_each_slice) {
    synth_sound *s = parsed("seed 4\nlength 10 s\n" SINE "part p i\n scatter 20 c4:0.1 d4\n");
    ck_assert_uint_eq(s->event_count, 20);
    uint32_t low = 0;
    for (uint32_t i = 0; i < 20; i++) {
        ck_assert_uint_eq((uint32_t)(s->events[i].start_s / 0.5), i);
        low += s->events[i].hz < 270;
    }
    ck_assert(low > 0 && low < 20);
    synth_sound_destroy(s);
}
END_TEST

/* ---- rendering ---- */

START_TEST(the_same_text_gives_the_same_samples) {
    const char *text =
        "stereo\nloop\nlength 0.5 s\nreverb 0.3 0.3 0.5\ninstrument i\n noise 1\n partial 1 1\n"
        " unison 3 9 1\n drift 5 30\n filter band 900 2\npart p i\n loose 0.01 0.2\n scatter 9 c4:0.2 e4\n";
    synth_audio a = rendered(text), b = rendered(text);
    for (uint32_t c = 0; c < 2; c++)
        ck_assert_mem_eq(a.samples[c], b.samples[c], a.count * sizeof(float));
    synth_audio_destroy(&a);
    synth_audio_destroy(&b);
}
END_TEST

/** The tail of a note, and of the room it sounds in. */
START_TEST(a_loops_tail_is_heard_at_its_start) {
    static const char *const notes[] = {"length 1 s\n" SINE
                                        " envelope 0.01 0 1 0.4\npart p i\n at 0.9\n notes c4:0.1\n",
                                        "length 1 s\nreverb 2 0.8\n" SWELL "part p i\n at 0.6\n notes c4:0.2\n"};
    char text[400];
    snprintf(text, sizeof text, "loop\n%s", notes[_i]);
    synth_audio loop = rendered(text);
    snprintf(text, sizeof text, "once\n%s", notes[_i]);
    synth_audio once = rendered(text);
    ck_assert(measured(&loop).first_rms_db > -50);
    ck_assert(measured(&once).first_rms_db < -90);
    ck_assert(measured(&loop).seam_ratio <= 1);
    synth_audio_destroy(&loop);
    synth_audio_destroy(&once);
}
END_TEST

/** A drone of odd frequencies, lengths that no frequency divides. */
START_TEST(a_drone_closes) {
    static const char *const moves[] = {"",
                                        " vibrato 4.7 40\n",
                                        " drift 3 90\n",
                                        " sway 2 0.9\n",
                                        " tremolo 6.1 1\n",
                                        " noise 4\n filter low 200 0.7\n filter low 200 0.7\n wander 2 0.5\n"};
    char text[400];
    snprintf(
        text, sizeof text,
        "stereo\nloop\nlength 31337 samples\ninstrument i\n partial 1 1\n partial 2.71 0.4\n unison 3 9 1\n drone\n"
        "%spart p i\n notes 443.21hz\n",
        moves[_i]);
    synth_audio audio = rendered(text);
    synth_measurement m = measured(&audio);
    ck_assert_uint_eq(m.count, 31337);
    ck_assert_msg(m.seam_ratio <= 1, "%s: seam %g of %g", moves[_i], m.seam, m.step_p999);
    /* Closed in slope too: the seam goes on as the line through its neighbours says. */
    for (uint32_t c = 0; c < 2 && _i < 5; c++) {
        const float *x = audio.samples[c];
        double bend = fabs((double)x[1] - 2.0 * x[0] + x[audio.count - 1]);
        double most = 0;
        for (size_t i = 1; i + 1 < audio.count; i++)
            most = fmax(most, fabs((double)x[i + 1] - 2.0 * x[i] + x[i - 1]));
        ck_assert_msg(bend <= most, "%s: bend %g of %g", moves[_i], bend, most);
    }
    synth_audio_destroy(&audio);
}
END_TEST

/** Correlation of a channel with itself backward. */
static double mirror_likeness(const synth_audio *audio) {
    double cross = 0, power = 0;
    for (size_t i = 0; i < audio->count; i++) {
        cross += (double)audio->samples[0][i] * audio->samples[0][audio->count - 1 - i];
        power += (double)audio->samples[0][i] * audio->samples[0][i];
    }
    return cross / power;
}

START_TEST(a_swell_in_a_mirrored_room_is_the_same_from_both_sides) {
    char text[400];
    const char *form =
        "loop\nlength 2 s\nhighpass 5\nreverb 0.8 0.6 %d\n" SWELL "part p i\n at 0.75\n notes 440hz:0.5\n";
    snprintf(text, sizeof text, form, 1);
    synth_audio both = rendered(text);
    snprintf(text, sizeof text, form, 0);
    synth_audio plain = rendered(text);
    /* The wave itself is odd about the middle of the note (whole periods of a sine), so likeness is -1. */
    ck_assert_double_lt(mirror_likeness(&both), -0.99);
    ck_assert_double_gt(fabs(mirror_likeness(&plain)), 0);
    ck_assert_double_gt(mirror_likeness(&plain), -0.99);
    synth_audio_destroy(&both);
    synth_audio_destroy(&plain);
}
END_TEST

START_TEST(level_is_as_asked_and_never_over_the_cap) {
    synth_audio audio = rendered("loop\nlength 2 s\nloudness -20\n" SINE " drone\npart p i\n notes 997hz\n");
    ck_assert_double_eq_tol(measured(&audio).loudness_lufs, -20, 0.1);
    /* BS.1770: a 997 Hz sine measures its RMS level, within the filter's gain there. */
    ck_assert_double_eq_tol(measured(&audio).rms_db, -20, 0.15);
    synth_audio_destroy(&audio);
    audio = rendered("loop\nlength 2 s\nloudness -6\n" SWELL "part p i\n notes 440hz:0.1\n");
    ck_assert_double_eq_tol(measured(&audio).peak_db, SYNTH_PEAK_CAP_DB, 0.01);
    synth_audio_destroy(&audio);
    audio = rendered("once\nlength 1 s\npeak -12\n" SWELL "part p i\n notes 440hz:0.9\n");
    ck_assert_double_eq_tol(measured(&audio).peak_db, -12, 0.01);
    synth_audio_destroy(&audio);
}
END_TEST

/** Peaks far over the cap: bent down smoothly, and the same way from both sides. */
START_TEST(the_limiter_bends_peaks_and_keeps_symmetry) {
    const char *form =
        "loop\nlength 2 s\nhighpass 5\n%s" SINE " drone\n gain -20\ninstrument bump\n partial 1 1\n swell\n"
        "part p i\n notes 400hz\npart q bump\n at 0.8\n notes 400hz:0.4\n";
    char text[400];
    snprintf(text, sizeof text, form, "loudness -8\n");
    synth_audio loud = rendered(text);
    snprintf(text, sizeof text, form, "loudness -30\n");
    synth_audio soft = rendered(text);
    ck_assert_double_lt(measured(&loud).peak_db, SYNTH_PEAK_CAP_DB + 0.001);
    ck_assert_double_gt(measured(&loud).peak_db, SYNTH_PEAK_CAP_DB - 1);
    static double gains[2000]; /* one a millisecond, against the same sound unlimited */
    for (size_t k = 0; k < 2000; k++)
        for (size_t i = 48 * k; i < 48 * k + 48; i++)
            if (fabsf(soft.samples[0][i]) > 1e-4f)
                gains[k] = (double)loud.samples[0][i] / (double)soft.samples[0][i];
    ck_assert_double_lt(gains[1000], 0.8 * gains[100]);
    for (size_t k = 0; k + 1 < 2000; k++) {
        ck_assert_msg(fabs(gains[k + 1] / gains[k] - 1) < 0.03, "at %zu ms: %g to %g", k, gains[k], gains[k + 1]);
        ck_assert_msg(fabs(gains[1999 - k] / gains[k] - 1) < 0.03, "at %zu ms: not symmetric", k);
    }
    synth_audio_destroy(&loud);
    synth_audio_destroy(&soft);
}
END_TEST

START_TEST(a_turned_loop_is_the_same_circle) {
    const char *form = "loop\nlength 0.5 s\n%s" SWELL "part p i\n at 0.1\n notes 440hz:0.2\n";
    char text[300];
    snprintf(text, sizeof text, form, "");
    synth_audio plain = rendered(text);
    snprintf(text, sizeof text, form, "turn 0.1\n");
    synth_audio turned = rendered(text);
    for (size_t i = 0; i < plain.count; i++)
        ck_assert_float_eq(turned.samples[0][i], plain.samples[0][(i + 4800) % plain.count]);
    synth_audio_destroy(&plain);
    synth_audio_destroy(&turned);
}
END_TEST

/* ---- files ---- */

/** A loop or a note of noise and tones, `count` samples. */
static synth_audio material(size_t count, bool loop, uint32_t channels) {
    synth_audio audio;
    ck_assert_int_eq(synth_audio_create(channels, loop, count, &audio, NULL), EDDY_OK);
    double periods = ceil((double)count / 113);
    for (uint32_t c = 0; c < channels; c++)
        for (size_t i = 0; i < count; i++)
            audio.samples[c][i] = (float)(0.2 * sin(6.283185307179586 * (periods + c) * (double)i / (double)count) +
                                          0.02 * synth_noise(c, i));
    return audio;
}

static const char *const made_path = "synth_made.ogg";

static const size_t counts[] = {1, 2, 63, 64, 65, 575, 576, 577, 1024, 4095, 4800, 14400, 31337, 96000};

START_TEST(a_file_has_exactly_the_samples_it_was_given) {
    for (uint32_t loop = 0; loop < 2; loop++)
        for (uint32_t channels = 1; channels <= 2; channels++) {
            eddy_error error;
            synth_audio in = material(counts[_i], loop, channels), out;
            ck_assert_msg(!synth_encode(&in, made_path, 0.45, 7, &error), "%s", error.text);
            ck_assert_msg(!synth_decode(made_path, &out, &error), "%s", error.text);
            ck_assert_uint_eq(out.count, counts[_i]);
            ck_assert_uint_eq(out.channels, channels);
            synth_audio_destroy(&in);
            synth_audio_destroy(&out);
        }
}
END_TEST

START_TEST(a_loops_edges_are_coded_as_well_as_its_middle) {
    eddy_error error;
    synth_audio in = material(counts[_i], true, 1), out;
    ck_assert_msg(!synth_encode(&in, made_path, 0.45, 7, &error), "%s", error.text);
    ck_assert_msg(!synth_decode(made_path, &out, &error), "%s", error.text);
    double all = 0, edge = 0;
    for (size_t i = 0; i < in.count; i++) {
        double off = (double)out.samples[0][i] - in.samples[0][i];
        all += off * off / (double)in.count;
        if (i < 64 || i >= in.count - 64)
            edge += off * off / 128;
    }
    ck_assert_msg(edge < 4 * all, "%zu samples: error at the edges %g, over all %g", in.count, edge, all);
    synth_measurement m = measured(&out);
    ck_assert_msg(m.seam_ratio <= 1, "%zu samples: seam %g of %g", in.count, m.seam, m.step_p999);
    synth_audio_destroy(&in);
    synth_audio_destroy(&out);
}
END_TEST

static size_t file_bytes(const char *path, unsigned char *out, size_t capacity) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t bytes = fread(out, 1, capacity, file);
    fclose(file);
    return bytes;
}

START_TEST(the_same_samples_give_the_same_bytes) {
    static unsigned char one[1 << 20], two[1 << 20];
    synth_audio in = material(96000, true, 2);
    ck_assert_int_eq(synth_encode(&in, made_path, 0.45, 7, NULL), EDDY_OK);
    size_t bytes = file_bytes(made_path, one, sizeof one);
    ck_assert_int_eq(synth_encode(&in, made_path, 0.45, 7, NULL), EDDY_OK);
    ck_assert_uint_eq(file_bytes(made_path, two, sizeof two), bytes);
    ck_assert_mem_eq(one, two, bytes);
    synth_audio_destroy(&in);
}
END_TEST

START_TEST(a_file_that_is_no_vorbis_is_refused) {
    synth_audio out;
    eddy_error error;
    FILE *file = fopen("synth_bad.ogg", "wb");
    fputs("OggS, but no more", file);
    fclose(file);
    ck_assert_int_eq(synth_decode("synth_bad.ogg", &out, &error), EDDY_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "synth_bad.ogg"));
    ck_assert_int_eq(synth_decode("synth_none.ogg", &out, &error), EDDY_E_IO);
    synth_audio in = material(100, false, 1);
    ck_assert_int_eq(synth_encode(&in, "/nowhere/x.ogg", 0.45, 7, &error), EDDY_E_IO);
    synth_audio_destroy(&in);
    remove("synth_bad.ogg");
}
END_TEST

/** Playing backward means seeking; a stream cut out of packets must lead to the right samples everywhere. */
START_TEST(seeking_anywhere_gives_the_samples_of_a_straight_read) {
    synth_audio in = material(200000, true, 2), out;
    ck_assert_int_eq(synth_encode(&in, made_path, 0.45, 7, NULL), EDDY_OK);
    ck_assert_int_eq(synth_decode(made_path, &out, NULL), EDDY_OK);
    OggVorbis_File file;
    ck_assert_int_eq(ov_fopen(made_path, &file), 0);
    ck_assert_int_eq(ov_pcm_tell(&file), 0);
    for (uint32_t i = 0; i < 200; i++) {
        size_t at = i < 2 ? i * 199999 : (size_t)(synth_chance(9, i) * 200000);
        float **samples;
        ck_assert_int_eq(ov_pcm_seek(&file, (ogg_int64_t)at), 0);
        ck_assert_int_eq(ov_pcm_tell(&file), (ogg_int64_t)at);
        long got = ov_read_float(&file, &samples, 256, NULL);
        ck_assert_int_gt(got, 0);
        for (uint32_t c = 0; c < 2; c++)
            ck_assert_mem_eq(samples[c], out.samples[c] + at, (size_t)got * sizeof(float));
    }
    ov_clear(&file);
    synth_audio_destroy(&in);
    synth_audio_destroy(&out);
}
END_TEST

/* ---- rules ---- */

START_TEST(each_rule_can_be_broken) {
    const synth_measurement good = {.count = 100, .channels = 1, .peak_db = -6, .rms_db = -20, .seam_ratio = 1};
    eddy_error error;
    ck_assert_int_eq(synth_judge("x", &good, 100, 1, true, &error), EDDY_OK);
    ck_assert_int_eq(synth_judge("x", &good, 100, 1, false, &error), EDDY_OK);
    ck_assert_int_eq(synth_judge("x", &good, 101, 1, true, &error), EDDY_E_VALUE);
    ck_assert_int_eq(synth_judge("x", &good, 100, 2, true, &error), EDDY_E_VALUE);
    synth_measurement bad = good;
    bad.peak_db = -2.9;
    ck_assert_int_eq(synth_judge("x", &bad, 100, 1, true, &error), EDDY_E_VALUE);
    bad = good, bad.dc = 0.002;
    ck_assert_int_eq(synth_judge("x", &bad, 100, 1, true, &error), EDDY_E_VALUE);
    bad = good, bad.seam_ratio = 1.01;
    ck_assert_int_eq(synth_judge("x", &bad, 100, 1, true, &error), EDDY_E_VALUE);
    ck_assert_int_eq(synth_judge("x", &bad, 100, 1, false, &error), EDDY_OK);
    bad = good, bad.edge = 0.003;
    ck_assert_int_eq(synth_judge("x", &bad, 100, 1, false, &error), EDDY_E_VALUE);
    ck_assert_int_eq(synth_judge("x", &bad, 100, 1, true, &error), EDDY_OK);
    bad = good, bad.rms_db = NAN;
    ck_assert_int_eq(synth_judge("x", &bad, 100, 1, true, &error), EDDY_E_VALUE);
    ck_assert_ptr_nonnull(strstr(error.text, "x: "));
}
END_TEST

START_TEST(the_seam_is_measured_against_the_materials_steps) {
    synth_audio audio = material(9600, true, 1);
    ck_assert(measured(&audio).seam_ratio <= 1);
    audio.samples[0][0] += 0.3f;
    synth_measurement m = measured(&audio);
    ck_assert(m.seam_ratio > 2);
    ck_assert_double_eq_tol(m.seam, fabs((double)audio.samples[0][0] - audio.samples[0][9599]), 1e-9);
    synth_audio_destroy(&audio);
}
END_TEST

/* ---- Kettlewick's sounds ---- */

static const world_catalog *sounds_json(void) {
    static world_catalog catalog;
    eddy_error error;
    ck_assert_msg(!world_catalog_load(EDDY_SOURCE_DIR "/levels/sounds.json", &catalog, &error), "%s", error.text);
    return &catalog;
}

START_TEST(sounds_json_agrees_with_the_descriptions) {
    const world_catalog *catalog = sounds_json();
    ck_assert_uint_ge(catalog->count, 16);
    for (uint32_t i = 0; i < catalog->count; i++) {
        const world_sound_def *def = catalog->sounds + i;
        char path[512];
        eddy_error error;
        synth_sound *sound;
        snprintf(path, sizeof path, "%s/levels/sounds/%s.txt", EDDY_SOURCE_DIR, def->key);
        ck_assert_msg(!synth_parse_file(path, &sound, &error), "%s", error.text);
        ck_assert_msg(def->length == (double)sound->count, "%s: length is %zu", def->key, sound->count);
        ck_assert_msg((def->repeat == EDDY_SOUND_LOOP) == sound->loop, "%s: loops or not", def->key);
        ck_assert_msg(def->gain > 0 && def->gain <= 1, "%s: gain %g", def->key, (double)def->gain);
        bool everywhere = def->category == EDDY_CATEGORY_MUSIC || def->category == EDDY_CATEGORY_AMBIENCE;
        ck_assert_msg(!everywhere || def->range == 0, "%s: heard everywhere, so it has no range", def->key);
        synth_sound_destroy(sound);
    }
}
END_TEST

START_TEST(the_built_files_keep_the_rules) {
    eddy_error error;
    ck_assert_msg(!synth_check(EDDY_SOURCE_DIR "/levels/sounds.json", EDDY_BINARY_DIR "/sounds", &error), "%s",
                  error.text);
}
END_TEST

START_TEST(music_sounds_from_its_first_samples_and_never_falls_silent) {
    const world_catalog *catalog = sounds_json();
    uint32_t tunes = 0;
    for (uint32_t i = 0; i < catalog->count; i++) {
        const world_sound_def *def = catalog->sounds + i;
        if (def->category != EDDY_CATEGORY_MUSIC)
            continue;
        char path[512];
        synth_audio audio;
        eddy_error error;
        snprintf(path, sizeof path, "%s/sounds/%s", EDDY_BINARY_DIR, def->file);
        ck_assert_msg(!synth_decode(path, &audio, &error), "%s", error.text);
        synth_measurement m = measured(&audio);
        ck_assert_msg(m.first_rms_db > -35, "%s begins at %g dBFS", def->key, m.first_rms_db);
        ck_assert_msg(m.least_rms_db > -40, "%s falls to %g dBFS", def->key, m.least_rms_db);
        ck_assert_msg(m.loudness_lufs > -20 && m.loudness_lufs < -14, "%s: %g LUFS", def->key, m.loudness_lufs);
        synth_audio_destroy(&audio);
        tunes++;
    }
    ck_assert_uint_ge(tunes, 2);
}
END_TEST

START_TEST(a_wrong_sounds_json_is_told) {
    static const char *const rows[][2] = {
        {"{", "line 1"},
        {"{}", "expected an object"},
        {"{\"sounds\":{\"jump\":{\"file\":\"jump.ogg\"}}}", "length"},
        {"{\"sounds\":{\"jump\":{\"file\":\"jump.ogg\",\"category\":\"effect\",\"repeat\":\"once\",\"length\":5}}}",
         "expected 5 samples"},
        {"{\"sounds\":{\"x\":{\"file\":\"none.ogg\",\"category\":\"effect\",\"repeat\":\"once\",\"length\":5}}}",
         "none.ogg"}};
    FILE *file = fopen("synth_rows.json", "w");
    fputs(rows[_i][0], file);
    fclose(file);
    eddy_error error;
    ck_assert_int_ne(synth_check("synth_rows.json", EDDY_BINARY_DIR "/sounds", &error), EDDY_OK);
    ck_assert_msg(strstr(error.text, rows[_i][1]), "%s", error.text);
    remove("synth_rows.json");
}
END_TEST

static void make(Suite *suite) {
    TCase *language = suite_case(suite, "language", 10);
    tcase_add_loop_test(language, an_error_names_file_line_and_what_was_expected, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(language, a_missing_description_is_an_io_error);
    tcase_add_test(language, limits_are_errors);
    tcase_add_test(language, pitches_beats_and_velocities);
    tcase_add_test(language, a_phrase_backward_is_its_mirror_in_time);
    tcase_add_test(language, phrases_move_and_repeat);
    tcase_add_test(language, scattered_notes_lie_one_in_each_slice);
    TCase *rendering = suite_case(suite, "rendering", 20);
    tcase_add_test(rendering, the_same_text_gives_the_same_samples);
    tcase_add_loop_test(rendering, a_loops_tail_is_heard_at_its_start, 0, 2);
    tcase_add_loop_test(rendering, a_drone_closes, 0, 6);
    tcase_add_test(rendering, a_swell_in_a_mirrored_room_is_the_same_from_both_sides);
    tcase_add_test(rendering, level_is_as_asked_and_never_over_the_cap);
    tcase_add_test(rendering, the_limiter_bends_peaks_and_keeps_symmetry);
    tcase_add_test(rendering, a_turned_loop_is_the_same_circle);
    TCase *files = suite_case(suite, "files", 20);
    int count_count = (int)(sizeof counts / sizeof *counts);
    tcase_add_loop_test(files, a_file_has_exactly_the_samples_it_was_given, 0, count_count);
    tcase_add_loop_test(files, a_loops_edges_are_coded_as_well_as_its_middle, 9, count_count);
    tcase_add_test(files, the_same_samples_give_the_same_bytes);
    tcase_add_test(files, seeking_anywhere_gives_the_samples_of_a_straight_read);
    tcase_add_test(files, a_file_that_is_no_vorbis_is_refused);
    TCase *rules = suite_case(suite, "rules", 10);
    tcase_add_test(rules, each_rule_can_be_broken);
    tcase_add_test(rules, the_seam_is_measured_against_the_materials_steps);
    TCase *sounds = suite_case(suite, "sounds", 30);
    tcase_add_test(sounds, sounds_json_agrees_with_the_descriptions);
    tcase_add_test(sounds, the_built_files_keep_the_rules);
    tcase_add_test(sounds, music_sounds_from_its_first_samples_and_never_falls_silent);
    tcase_add_loop_test(sounds, a_wrong_sounds_json_is_told, 0, 5);
}

int main(void) {
    return suite_run("synth", make);
}
