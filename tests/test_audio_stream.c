/* Long Vorbis: the same samples as if it were decoded whole, in both directions, in bounded memory. */
#include "audio/stream.h"
#include "audio_files.h"
#include "audio_stage.h"
#include "suite.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* A stage on which the same file is under "music", streamed or decoded at load. */
static audio_stage *stage_of(const char *path, bool streamed) {
    audio_stage *stage =
        stage_open_desc((eddy_audio_desc){.device = EDDY_AUDIO_LOOPBACK, .stream_seconds = streamed ? 0.01 : 1000.0});
    eddy_error error = {0};
    eddy_result result = eddy_audio_add(stage->audio, "music", path, &error);
    ck_assert_msg(result == EDDY_OK, "%s", error.text);
    return stage;
}

static const char *music(uint32_t rate, uint32_t channels, size_t frames) {
    float *noise = material_noise(frames, channels, 0.4f, 31);
    const char *path = files_path("music.ogg");
    file_write_ogg(path, rate, channels, frames, noise, 3);
    free(noise);
    return path;
}

static const struct stream_case {
    uint32_t rate, channels;
    float pitch;
} stream_cases[] = {{48000, 2, 1}, {44100, 2, 1}, {22050, 1, 0.8f}, {48000, 1, 1.5f}};

START_TEST(streamed_is_cached_in_every_way_of_playing) {
    const struct stream_case *c = &stream_cases[_i];
    const char *path = music(c->rate, c->channels, 60000);
    audio_stage *stages[2] = {stage_of(path, true), stage_of(path, false)};
    static const double rates[] = {1, -1, 8, -8, 0.5, -0.5, 0, 4, -2};
    for (int s = 0; s < 2; s++) {
        eddy_sound *sound = stage_sound(stages[s], "music");
        sound->repeat = EDDY_SOUND_LOOP;
        sound->pitch = c->pitch;
        stage_look(stages[s], false);
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
            stage_ticks(stages[s], 12, rates[i]);
        sound->position = 47777;
        stage_look(stages[s], true);
        stage_ticks(stages[s], 5, -1);
    }
    eddy_audio_statistics statistics;
    eddy_audio_statistics_get(stages[0]->audio, &statistics);
    ck_assert_uint_eq(statistics.streams, 1);
    ck_assert_uint_eq(statistics.cache_bytes, 0);
    eddy_audio_statistics_get(stages[1]->audio, &statistics);
    ck_assert_uint_eq(statistics.streams, 0);
    for (size_t i = 0; i < stages[0]->frames * 2; i++)
        ck_assert_msg(stages[0]->heard[i] == stages[1]->heard[i], "sample %zu: streamed %.9g, cached %.9g", i / 2,
                      stages[0]->heard[i], stages[1]->heard[i]);
    ck_assert(stage_peak(stages[0], 0, stages[0]->frames) > 0.1f);
    stage_close(stages[0]);
    stage_close(stages[1]);
}
END_TEST

START_TEST(a_stream_rewound_mirrors_itself) {
    audio_stage *stage = stage_of(music(48000, 2, 50000), true);
    stage_sound(stage, "music")->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    stage_ticks(stage, 70, 1); /* past the seam */
    stage_ticks(stage, 70, -1);
    for (size_t i = 0; i < 70; i++) {
        const float *there = stage_frame(stage, 1 + i), *back = stage_frame(stage, 140 - i);
        for (int k = 0; k < STAGE_FRAME; k++)
            for (int ear = 0; ear < 2; ear++)
                ck_assert_msg(there[2 * k + ear] == back[2 * (STAGE_FRAME - 1 - k) + ear], "frame %zu sample %d ear %d",
                              i, k, ear);
    }
    stage_close(stage);
}
END_TEST

START_TEST(a_whole_period_loop_has_no_seam) {
    float *sine = material_sine(48000, 2, 200, 0.5f);
    file_write_ogg(files_path("music.ogg"), 48000, 2, 48000, sine, 3);
    audio_stage *stage = stage_of(files_path("music.ogg"), true);
    stage_sound(stage, "music")->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    stage_ticks(stage, 70, 1);
    stage_ticks(stage, 20, -1);
    float own = 0.5f * 2.0f * sinf(3.14159265f * 203 / 48000);
    float codec = 0.01f; /* its own error at the ends of a file */
    ck_assert_float_le(stage_step_max(stage, STAGE_FRAME, stage->frames), own + codec);
    stage_close(stage);
    free(sine);
}
END_TEST

/* What one look costs: a block now and then, never a crowd; memory is what it was at first. */
START_TEST(a_long_way_back_costs_a_block_at_a_time) {
    vorbis_facts facts;
    eddy_error error = {0};
    const char *path = music(44100, 2, 441000);
    ck_assert_int_eq(vorbis_measure(path, &facts, &error), EDDY_OK);
    ck_assert(facts.regular && facts.frames == 441000);
    audio_stream *stream = NULL;
    ck_assert_int_eq(stream_open(path, &facts, &stream, &error), EDDY_OK);
    size_t bytes = stream_bytes(stream);
    ck_assert_uint_le(bytes, 200000);
    static float out[2 * 8000];
    const int64_t step = _i ? 735 : 5880; /* -1x and -8x */
    uint64_t most = 0;
    for (int64_t at = 441000 - step; at >= 0; at -= step) {
        uint64_t before = stream_blocks_decoded(stream);
        stream_read(stream, at, (uint32_t)step, out);
        uint64_t now = stream_blocks_decoded(stream) - before;
        most = now > most ? now : most;
    }
#ifndef EDDY_TINY
    ck_assert_uint_le(most, 2); /* the first look may need two */
    ck_assert_uint_le(stream_blocks_decoded(stream), 41);
#endif
    ck_assert_uint_eq(stream_bytes(stream), bytes);
    ck_assert(!stream_damaged(stream));
    stream_close(stream);
}
END_TEST

START_TEST(memory_does_not_grow_with_time_spent_in_rewind) {
    audio_stage *stage = stage_of(music(44100, 2, 441000), true);
    eddy_sound *sound = stage_sound(stage, "music");
    sound->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    stage_ticks(stage, 5, -4);
    eddy_audio_statistics first, last;
    eddy_audio_statistics_get(stage->audio, &first);
    stage_ticks(stage, 100, -8);
    eddy_audio_statistics_get(stage->audio, &last);
    ck_assert_uint_eq(first.stream_bytes, last.stream_bytes);
    ck_assert_uint_eq(last.streams, 1);
    ck_assert(stage_peak(stage, stage->frames - STAGE_FRAME, stage->frames) > 0.0f);
    stage_remove(stage, sound);
    stage_tick(stage, 1);
    eddy_audio_statistics_get(stage->audio, &last);
    ck_assert_uint_eq(last.streams, 0);
    ck_assert_uint_eq(last.stream_bytes, 0);
    stage_close(stage);
}
END_TEST

START_TEST(two_sounds_of_one_file_have_a_stream_each) {
    audio_stage *stage = stage_of(music(48000, 1, 100000), true);
    stage_sound(stage, "music");
    stage_look(stage, false);
    stage_ticks(stage, 20, 1);
    stage_sound(stage, "music")->gain = 0.5f;
    stage_look(stage, false);
    stage_ticks(stage, 20, 1);
    eddy_audio_statistics statistics;
    eddy_audio_statistics_get(stage->audio, &statistics);
    ck_assert_uint_eq(statistics.streams, 2);
    stage_close(stage);
}
END_TEST

START_TEST(a_file_that_changed_is_silent_with_one_line) {
    audio_stage *stage = stage_of(music(48000, 2, 100000), true);
    float *noise = material_noise(20000, 1, 0.4f, 32);
    if (_i)
        unlink(files_path("music.ogg"));
    else
        file_write_ogg(files_path("music.ogg"), 44100, 1, 20000, noise, 3);
    stage_sound(stage, "music");
    stage_look(stage, false);
    stage_ticks(stage, 10, 1);
    ck_assert(stage_peak(stage, 0, stage->frames) == 0.0f);
    ck_assert_uint_eq(stage->log_lines, 1);
    stage_close(stage);
    free(noise);
}
END_TEST

/* Long, and a page of it is damaged: not streamed, since seeks would land elsewhere, but whole and in place. */
START_TEST(a_long_damaged_file_keeps_its_time) {
    const char *path = music(44100, 2, 220500);
    size_t size, length;
    uint8_t *bytes = file_read(path, &size);
    size_t at = ogg_page_find(bytes, size, ogg_page_total(bytes, size) / 2, &length);
    memset(bytes + at + length / 2, 0x55, 100);
    file_write(files_path("holed.ogg"), bytes, size);
    audio_stage *holed = stage_of(files_path("holed.ogg"), true), *whole = stage_of(path, true);
    ck_assert_uint_eq(holed->log_lines, 1);
    ck_assert_double_eq(eddy_audio_length(holed->audio, "music"), 240000);
    for (int s = 0; s < 2; s++) {
        audio_stage *stage = s ? whole : holed;
        stage_sound(stage, "music")->position = 239200;
        stage_look(stage, false);
        stage_ticks(stage, 10, -1);
    }
    for (size_t i = 0; i < holed->frames * 2; i++)
        ck_assert_float_eq(holed->heard[i], whole->heard[i]);
    stage_close(holed);
    stage_close(whole);
    free(bytes);
}
END_TEST

START_TEST(one_sample_loops_do_not_spin) {
    float one[1] = {0.5f};
    file_write_ogg(files_path("one.ogg"), 44100, 1, 1, one, 3);
    audio_stage *stage = stage_of(files_path("one.ogg"), _i);
    stage_sound(stage, "music")->repeat = EDDY_SOUND_LOOP;
    stage_look(stage, false);
    stage_ticks(stage, 20, -8);
    stage_close(stage);
}
END_TEST

static void make(Suite *suite) {
    TCase *one = suite_case(suite, "stream", 20);
    tcase_add_unchecked_fixture(one, files_setup, files_teardown);
    tcase_add_loop_test(one, streamed_is_cached_in_every_way_of_playing, 0,
                        sizeof stream_cases / sizeof stream_cases[0]);
    tcase_add_test(one, a_stream_rewound_mirrors_itself);
    tcase_add_test(one, a_whole_period_loop_has_no_seam);
    tcase_add_loop_test(one, a_long_way_back_costs_a_block_at_a_time, 0, 2);
    tcase_add_test(one, memory_does_not_grow_with_time_spent_in_rewind);
    tcase_add_test(one, two_sounds_of_one_file_have_a_stream_each);
    tcase_add_loop_test(one, a_file_that_changed_is_silent_with_one_line, 0, 2);
    tcase_add_test(one, a_long_damaged_file_keeps_its_time);
    tcase_add_loop_test(one, one_sample_loops_do_not_spin, 0, 2);
}

int main(void) {
    return suite_run("audio_stream", make);
}
