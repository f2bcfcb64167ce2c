/* Sound files good, odd and bad: what is played of them, and what is said. */
#include "audio/asset.h"
#include "audio_files.h"
#include "audio_stage.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROOM ((size_t)16 << 20)

static uint32_t log_lines;
static char log_last[512];
static void count_line(void *user, const char *line) {
    (void)user;
    log_lines++;
    strncpy(log_last, line, sizeof log_last - 1);
}

static eddy_result load(const char *path, audio_asset *out, eddy_error *error) {
    static const eddy_hooks hooks = {.log = count_line};
    const asset_terms terms = {.cache_bytes_left = ROOM, .stream_seconds = 1000, .hooks = &hooks};
    log_lines = 0;
    return asset_load(path, &terms, out, error);
}

/* ---- WAV ---- */

/* A head of 16-bit mono at 8 kHz up to the data chunk, and its four samples. */
#define RIFF "RIFF\xff\0\0\0WAVE"
#define FMT "fmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
#define FMT18 "fmt \x12\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0\0\0"
#define FMT_U8 "fmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0"
#define FMT_24 "fmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\xc0\x5d\0\0\3\0\x18\0"
#define FMT_NONE "fmt \x10\0\0\0\1\0\0\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
#define FMT_RATE0 "fmt \x10\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0\2\0\x10\0"
#define FOUR "\0\x40\0\xc0\0\x20\0\xe0"
#define BYTES(text) (text), sizeof(text) - 1

static const float four[4] = {0.5f, -0.5f, 0.25f, -0.25f};

static const struct wav_case {
    const char *name;
    const char *bytes;
    size_t size;
    eddy_result result;
    int64_t frames;
    uint32_t lines;
} wav_cases[] = {
    {"plain", BYTES(RIFF FMT "data\x08\0\0\0" FOUR), EDDY_OK, 4, 0},
    {"fmt of 18 bytes", BYTES(RIFF FMT18 "data\x08\0\0\0" FOUR), EDDY_OK, 4, 0},
    {"junk before fmt", BYTES(RIFF "JUNK\4\0\0\0abcd" FMT "data\x08\0\0\0" FOUR), EDDY_OK, 4, 0},
    {"odd list, padded",
     BYTES(RIFF FMT "LIST\5\0\0\0INFOx\0"
                    "data\x08\0\0\0" FOUR),
     EDDY_OK, 4, 0},
    {"a tail", BYTES(RIFF FMT "data\x08\0\0\0" FOUR "TAGxxxx"), EDDY_OK, 4, 0},
    {"24 bits", BYTES(RIFF FMT_24 "data\x06\0\0\0\0\0\x40\0\0\xc0"), EDDY_OK, 2, 0},
    {"data of size 0 is a sound without length", BYTES(RIFF FMT "data\0\0\0\0" FOUR), EDDY_OK, 0, 0},
    {"data past the end", BYTES(RIFF FMT "data\xe8\3\0\0" FOUR), EDDY_OK, 4, 1},
    {"no data", BYTES(RIFF FMT), EDDY_E_FORMAT, 0, 0},
    {"no channels", BYTES(RIFF FMT_NONE "data\x08\0\0\0" FOUR), EDDY_E_FORMAT, 0, 0},
    {"no rate", BYTES(RIFF FMT_RATE0 "data\x08\0\0\0" FOUR), EDDY_E_FORMAT, 0, 0},
    {"a huge chunk", BYTES(RIFF "JUNK\xff\xff\xff\x7f" FMT), EDDY_E_FORMAT, 0, 0},
    {"empty", "", 0, EDDY_E_FORMAT, 0, 0},
    {"text", BYTES("this is no sound at all, it is a sentence"), EDDY_E_FORMAT, 0, 0},
};

START_TEST(wav_files_play_what_they_hold) {
    const struct wav_case *c = &wav_cases[_i];
    const char *path = files_path("case.wav");
    file_write(path, c->bytes, c->size);
    audio_asset asset;
    eddy_error error = {0};
    eddy_result result = load(path, &asset, &error);
    ck_assert_msg(result == c->result, "%s: %s (%s)", c->name, eddy_result_name(result), error.text);
    ck_assert_msg(log_lines == c->lines, "%s: %u lines, the last: %s", c->name, log_lines, log_last);
    if (result != EDDY_OK) {
        ck_assert_ptr_nonnull(strstr(error.text, path));
        return;
    }
    ck_assert_msg(asset.frames == c->frames, "%s: %lld frames", c->name, (long long)asset.frames);
    for (int64_t i = 0; i < asset.frames; i++)
        ck_assert_msg(asset.samples[i] == four[i], "%s: sample %lld is %g", c->name, (long long)i, asset.samples[i]);
    asset_unload(&asset);
}
END_TEST

START_TEST(eight_bits_are_unsigned) {
    file_write(files_path("u8.wav"), BYTES(RIFF FMT_U8 "data\3\0\0\0\x80\xc0\x40"));
    audio_asset asset;
    ck_assert_int_eq(load(files_path("u8.wav"), &asset, NULL), EDDY_OK);
    ck_assert_int_eq(asset.frames, 3);
    ck_assert(asset.samples[0] == 0.0f && asset.samples[1] == 0.5f && asset.samples[2] == -0.5f);
    asset_unload(&asset);
}
END_TEST

START_TEST(samples_that_are_no_number_become_silence) {
    const float samples[6] = {NAN, 0.5f, INFINITY, -INFINITY, 2.0f, -0.25f};
    const float expected[6] = {0, 0.5f, 0, 0, 2.0f, -0.25f};
    file_write_wav(files_path("nan.wav"), 48000, 2, 3, samples);
    audio_asset asset;
    ck_assert_int_eq(load(files_path("nan.wav"), &asset, NULL), EDDY_OK);
    ck_assert_mem_eq(asset.samples, expected, sizeof expected);
    ck_assert_uint_eq(log_lines, 1);
    asset_unload(&asset);
}
END_TEST

START_TEST(more_than_two_channels_become_their_mean) {
    const float samples[12] = {1, 0, 0, 0, 0, 0, 0.6f, 0.6f, 0.6f, 0.6f, 0.6f, 0.6f};
    file_write_wav(files_path("six.wav"), 48000, 6, 2, samples);
    audio_asset asset;
    ck_assert_int_eq(load(files_path("six.wav"), &asset, NULL), EDDY_OK);
    ck_assert_uint_eq(asset.channels, 1);
    ck_assert_float_eq_tol(asset.samples[0], 1.0f / 6, 1e-6f);
    ck_assert_float_eq_tol(asset.samples[1], 0.6f, 1e-6f);
    asset_unload(&asset);
}
END_TEST

/* ---- Ogg Vorbis ---- */

#define OGG_FRAMES 60000

/* One second and a bit of stereo noise; its bytes for free(). */
static uint8_t *ogg_bytes(size_t *size) {
    float *noise = material_noise(OGG_FRAMES, 2, 0.5f, 77);
    file_write_ogg(files_path("whole.ogg"), 44100, 2, OGG_FRAMES, noise, 5);
    free(noise);
    return file_read(files_path("whole.ogg"), size);
}

static eddy_result load_bytes(const uint8_t *bytes, size_t size, audio_asset *asset, eddy_error *error) {
    file_write(files_path("case.ogg"), bytes, size);
    return load(files_path("case.ogg"), asset, error);
}

START_TEST(a_whole_ogg_has_its_length) {
    size_t size;
    uint8_t *bytes = ogg_bytes(&size);
    audio_asset asset;
    ck_assert_int_eq(load_bytes(bytes, size, &asset, NULL), EDDY_OK);
    ck_assert_int_eq(asset.frames, OGG_FRAMES);
    ck_assert(asset.facts.regular && asset.facts.start == 0);
    ck_assert_uint_eq(log_lines, 0);
    asset_unload(&asset);
    free(bytes);
}
END_TEST

START_TEST(a_start_that_is_not_zero_loses_nothing) {
    float *noise = material_noise(OGG_FRAMES, 2, 0.5f, 77);
    audio_asset whole, loose;
    file_write_ogg(files_path("whole.ogg"), 44100, 2, OGG_FRAMES, noise, 5);
    file_write_ogg_loose(files_path("loose.ogg"), 44100, 2, OGG_FRAMES, noise);
    ck_assert_int_eq(load(files_path("whole.ogg"), &whole, NULL), EDDY_OK);
    ck_assert_int_eq(load(files_path("loose.ogg"), &loose, NULL), EDDY_OK);
    ck_assert_uint_eq(log_lines, 1);
    ck_assert_int_gt(loose.facts.start, 0);
    ck_assert_int_eq(loose.frames, OGG_FRAMES - loose.facts.start);
    ck_assert_mem_eq(loose.samples, whole.samples + 2 * loose.facts.start, loose.bytes);
    asset_unload(&whole);
    asset_unload(&loose);
    free(noise);
}
END_TEST

/* Cut out of a longer recording: all positions are large. With a hole (1) it still gets no silence in front. */
START_TEST(positions_that_begin_late_lose_nothing) {
    size_t size, length;
    uint8_t *bytes = ogg_bytes(&size);
    audio_asset whole, moved;
    ck_assert_int_eq(load_bytes(bytes, size, &whole, NULL), EDDY_OK);
    const uint32_t pages = ogg_page_total(bytes, size);
    for (uint32_t i = 0; i < pages; i++) {
        uint8_t *page = bytes + ogg_page_find(bytes, size, i, &length);
        if (ogg_page_granule(page) > 0)
            ogg_page_set_granule(page, length, ogg_page_granule(page) + 1000000);
    }
    if (_i) {
        size_t at = ogg_page_find(bytes, size, pages / 2, &length);
        memset(bytes + at + length / 2, 0x55, 100);
    }
    ck_assert_int_eq(load_bytes(bytes, size, &moved, NULL), EDDY_OK);
    ck_assert(!moved.facts.regular);
    ck_assert_uint_eq(log_lines, 1);
    ck_assert_int_eq(moved.frames, whole.frames);
    size_t tail = (size_t)whole.frames * 2 - 8000;
    ck_assert_mem_eq(moved.samples, whole.samples, 8000 * sizeof(float));
    ck_assert_mem_eq(moved.samples + tail, whole.samples + tail, 8000 * sizeof(float));
    if (!_i)
        ck_assert_mem_eq(moved.samples, whole.samples, whole.bytes);
    asset_unload(&whole);
    asset_unload(&moved);
    free(bytes);
}
END_TEST

/* A page damaged in the middle: what lies after the hole is where it was. */
START_TEST(a_hole_is_filled_with_silence) {
    size_t size, length;
    uint8_t *bytes = ogg_bytes(&size);
    audio_asset whole, holed;
    ck_assert_int_eq(load_bytes(bytes, size, &whole, NULL), EDDY_OK);
    size_t at = ogg_page_find(bytes, size, ogg_page_total(bytes, size) / 2, &length);
    memset(bytes + at + length / 2, 0x55, 100);
    ck_assert_int_eq(load_bytes(bytes, size, &holed, NULL), EDDY_OK);
    ck_assert_int_eq(holed.frames, whole.frames);
    ck_assert_uint_eq(log_lines, 1);
    ck_assert_ptr_nonnull(strstr(log_last, "silence"));
    ck_assert_mem_eq(holed.samples, whole.samples, 8000 * sizeof(float));
    size_t tail = (size_t)whole.frames * 2 - 8000, silent = 0;
    ck_assert_mem_eq(holed.samples + tail, whole.samples + tail, 8000 * sizeof(float));
    for (size_t i = 0; i < (size_t)holed.frames * 2; i++)
        silent += holed.samples[i] == 0.0f;
    ck_assert_uint_gt(silent, 2000);
    asset_unload(&whole);
    asset_unload(&holed);
    free(bytes);
}
END_TEST

/* What is done to the last page's position, and how many frames are played then. */
static const struct granule_case {
    int64_t granule;
    int64_t frames_min, frames_max;
} granule_cases[] = {
    {0, OGG_FRAMES - 2048, OGG_FRAMES + 2048},
    {-1, OGG_FRAMES - 9000, OGG_FRAMES + 2048},
    {1LL << 60, OGG_FRAMES, OGG_FRAMES + 2048},
    {OGG_FRAMES - 100, OGG_FRAMES - 100, OGG_FRAMES - 100},
};

START_TEST(a_length_that_lies_is_not_believed) {
    const struct granule_case *c = &granule_cases[_i];
    size_t size, length;
    uint8_t *bytes = ogg_bytes(&size);
    uint8_t *page = bytes + ogg_page_find(bytes, size, ogg_page_total(bytes, size) - 1, &length);
    ogg_page_set_granule(page, length, c->granule);
    audio_asset asset;
    eddy_error error = {0};
    eddy_result result = load_bytes(bytes, size, &asset, &error);
    ck_assert_msg(result == EDDY_OK, "%s", error.text);
    ck_assert_msg(asset.frames >= c->frames_min && asset.frames <= c->frames_max, "granule %lld: %lld frames",
                  (long long)c->granule, (long long)asset.frames);
    asset_unload(&asset);
    free(bytes);
}
END_TEST

START_TEST(a_cut_file_plays_what_is_there) {
    size_t size, length;
    uint8_t *bytes = ogg_bytes(&size);
    uint32_t pages = ogg_page_total(bytes, size);
    audio_asset asset;
    ck_assert_int_eq(load_bytes(bytes, ogg_page_find(bytes, size, pages - 1, &length), &asset, NULL), EDDY_OK);
    ck_assert(asset.frames > OGG_FRAMES / 2 && asset.frames < OGG_FRAMES);
    asset_unload(&asset);
    ck_assert_int_eq(load_bytes(bytes, size * 2 / 3, &asset, NULL), EDDY_OK);
    ck_assert(asset.frames > 1000 && asset.frames < OGG_FRAMES);
    asset_unload(&asset);
    free(bytes);
}
END_TEST

START_TEST(a_file_without_sound_says_so) {
    size_t size, length;
    uint8_t *bytes = ogg_bytes(&size);
    uint32_t heads = 0;
    while (ogg_page_granule(bytes + ogg_page_find(bytes, size, heads, &length)) == 0)
        heads++;
    size_t cuts[] = {ogg_page_find(bytes, size, heads, &length), ogg_page_find(bytes, size, 1, &length), 100, 4};
    for (int i = 0; i < 4; i++) {
        audio_asset asset;
        eddy_error error = {0};
        ck_assert_int_eq(load_bytes(bytes, cuts[i], &asset, &error), EDDY_E_FORMAT);
        ck_assert_ptr_nonnull(strstr(error.text, "case.ogg"));
    }
    free(bytes);
}
END_TEST

/* Two files in a row: of one format they play one after the other, unless the second only repeats the first's number;
 * of two formats they are refused. */
START_TEST(chains_of_one_format_play_and_others_are_refused) {
    float *noise = material_noise(30000, 2, 0.5f, 8);
    static const struct {
        uint32_t rate, channels;
        int serial;
        int64_t frames; /* 0: refused */
    } second[] = {{44100, 2, 9, 60000}, {44100, 2, 5, 30000}, {22050, 2, 9, 0}, {44100, 1, 9, 0}};
    file_write_ogg(files_path("first.ogg"), 44100, 2, 30000, noise, 5);
    file_write_ogg(files_path("second.ogg"), second[_i].rate, second[_i].channels, 30000, noise, second[_i].serial);
    size_t first_size, second_size;
    uint8_t *bytes = file_read(files_path("first.ogg"), &first_size);
    uint8_t *more = file_read(files_path("second.ogg"), &second_size);
    bytes = realloc(bytes, first_size + second_size);
    memcpy(bytes + first_size, more, second_size);
    audio_asset asset;
    eddy_error error = {0};
    eddy_result result = load_bytes(bytes, first_size + second_size, &asset, &error);
    ck_assert_msg(result == (second[_i].frames ? EDDY_OK : EDDY_E_FORMAT), "%s", error.text);
    if (result == EDDY_OK) {
        ck_assert_int_eq(asset.frames, second[_i].frames);
        asset_unload(&asset);
    } else {
        ck_assert_ptr_nonnull(strstr(error.text, "link 1"));
    }
    free(bytes);
    free(more);
    free(noise);
}
END_TEST

START_TEST(pages_doubled_or_swapped_never_make_it_longer) {
    size_t size, length, next_length;
    uint8_t *bytes = ogg_bytes(&size);
    uint32_t middle = ogg_page_total(bytes, size) / 2;
    size_t at = ogg_page_find(bytes, size, middle, &length);
    size_t next = ogg_page_find(bytes, size, middle + 1, &next_length);
    uint8_t *changed = malloc(size + length);
    memcpy(changed, bytes, at);
    size_t out = at;
    if (_i == 0) { /* doubled */
        memcpy(changed + out, bytes + at, length);
        memcpy(changed + out + length, bytes + at, size - at);
        out = size + length;
    } else { /* swapped */
        memcpy(changed + out, bytes + next, next_length);
        memcpy(changed + out + next_length, bytes + at, length);
        memcpy(changed + next + next_length, bytes + next + next_length, size - next - next_length);
        out = size;
    }
    audio_asset asset;
    ck_assert_int_eq(load_bytes(changed, out, &asset, NULL), EDDY_OK);
    ck_assert(!asset.facts.regular);
    ck_assert(asset.frames <= OGG_FRAMES && asset.frames > OGG_FRAMES / 2);
    asset_unload(&asset);
    free(bytes);
    free(changed);
}
END_TEST

START_TEST(junk_behind_the_last_page_is_accepted) {
    size_t size;
    uint8_t *bytes = ogg_bytes(&size);
    bytes = realloc(bytes, size + 128);
    memset(bytes + size, 'T', 128);
    audio_asset asset;
    ck_assert_int_eq(load_bytes(bytes, size + 128, &asset, NULL), EDDY_OK);
    ck_assert(asset.frames == OGG_FRAMES && asset.facts.regular);
    asset_unload(&asset);
    free(bytes);
}
END_TEST

/* Bytes changed at random: an error or a sound, never a crash or a hang. */
START_TEST(damage_anywhere_is_survived) {
    size_t size;
    float *noise = material_noise(12000, 2, 0.5f, 78);
    file_write_ogg(files_path("small.ogg"), 44100, 2, 12000, noise, 5);
    file_write_wav(files_path("small.wav"), 44100, 2, 500, noise);
    uint8_t *bytes = file_read(files_path(_i ? "small.ogg" : "small.wav"), &size);
    uint8_t *damaged = malloc(size);
    size_t head = 44, length;
    for (uint32_t i = 0; _i && ogg_page_granule(bytes + (head = ogg_page_find(bytes, size, i, &length))) == 0;)
        i++;
    uint32_t seed = 12345u + (uint32_t)_i, played = 0;
    for (int round = 0; round < (_i ? 40 : 150); round++) {
        memcpy(damaged, bytes, size);
        for (int i = 0; i <= round % 5; i++) {
            seed = seed * 1664525u + 1013904223u;
            /* Heads with their checksums made right again are not tried: a crafted one stops libvorbis 1.3.7. */
            size_t where = round % 4 ? head + (seed >> 8) % (size - head) : (seed >> 8) % head;
            damaged[where] ^= (uint8_t)(seed >> 24 | 1);
        }
        if (_i && round % 4)
            ogg_pages_repair(damaged, size);
        audio_asset asset;
        if (load_bytes(damaged, round % 7 ? size : size * (size_t)(round % 50) / 50, &asset, NULL) != EDDY_OK)
            continue;
        played++;
        for (int64_t i = 0; i < asset.frames * asset.channels; i++)
            ck_assert(isfinite(asset.samples[i]));
        asset_unload(&asset);
    }
    ck_assert_uint_gt(played, 5);
    free(damaged);
    free(bytes);
    free(noise);
}
END_TEST

/* ---- through the public face ---- */

static void assert_silent(audio_stage *stage, const char *key) {
    stage_sound(stage, key);
    stage_look(stage, false);
    stage_ticks(stage, 3, 1);
    ck_assert(stage_peak(stage, 0, stage->frames) == 0.0f);
}

START_TEST(missing_and_bad_files_are_errors_and_silence) {
    audio_stage *stage = stage_open(0);
    eddy_error error = {0};
    ck_assert_int_eq(eddy_audio_add(stage->audio, "gone", files_path("gone.wav"), &error), EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "gone.wav"));
    file_write(files_path("bad.ogg"), "OggS and no more", 16);
    ck_assert_int_eq(eddy_audio_add(stage->audio, "bad", files_path("bad.ogg"), &error), EDDY_E_FORMAT);
    ck_assert_int_eq(eddy_audio_add(stage->audio, "folder", files_path(""), &error), EDDY_E_IO);
    ck_assert_double_eq(eddy_audio_length(stage->audio, "bad"), 0);
    ck_assert_double_eq(eddy_audio_length(stage->audio, "never heard of"), 0);
    assert_silent(stage, "gone");
    assert_silent(stage, "bad");
    ck_assert_uint_eq(stage->log_lines, 0); /* the errors said it */
    stage_close(stage);
}
END_TEST

START_TEST(keys_have_limits) {
    audio_stage *stage = stage_open(0);
    eddy_error error = {0};
    const float one[1] = {1};
    file_write_wav(files_path("one.wav"), 48000, 1, 1, one);
    ck_assert_int_eq(eddy_audio_add(stage->audio, "", files_path("one.wav"), &error), EDDY_E_ARGUMENT);
    ck_assert_int_eq(eddy_audio_add(stage->audio, "twenty-eight bytes is too much", files_path("one.wav"), &error),
                     EDDY_E_ARGUMENT);
    ck_assert_int_eq(eddy_audio_add(stage->audio, "twenty-seven bytes are fine", files_path("one.wav"), &error),
                     EDDY_OK);
    ck_assert_double_eq(eddy_audio_length(stage->audio, "twenty-seven bytes are fine"), 1);
    stage_close(stage);
}
END_TEST

START_TEST(the_cache_has_a_limit_in_bytes) {
    float *noise = material_noise(30000, 1, 0.5f, 8);
    audio_stage *stage = stage_open_desc((eddy_audio_desc){.device = EDDY_AUDIO_LOOPBACK, .cache_bytes = 200000});
    stage_add_wav(stage, "fits", 48000, 1, 30000, noise);
    eddy_audio_statistics statistics;
    eddy_audio_statistics_get(stage->audio, &statistics);
    ck_assert_uint_eq(statistics.cache_bytes, 120000);
    eddy_error error = {0};
    ck_assert_int_eq(eddy_audio_add(stage->audio, "does not", files_path("fits.wav"), &error), EDDY_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.text, "80000 bytes"));
    /* Vorbis that does not fit is streamed. */
    file_write_ogg(files_path("streams.ogg"), 48000, 1, 30000, noise, 1);
    ck_assert_int_eq(eddy_audio_add(stage->audio, "streams", files_path("streams.ogg"), &error), EDDY_OK);
    eddy_audio_statistics_get(stage->audio, &statistics);
    ck_assert_uint_eq(statistics.cache_bytes, 120000);
    /* A key that is added again takes its old bytes back first. */
    ck_assert_int_eq(eddy_audio_add(stage->audio, "fits", files_path("fits.wav"), &error), EDDY_OK);
    eddy_audio_statistics_get(stage->audio, &statistics);
    ck_assert_uint_eq(statistics.cache_bytes, 120000);
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(an_asset_added_late_joins_at_the_right_sample) {
    float *noise = material_noise(48000, 1, 0.5f, 8);
    audio_stage *stage = stage_open(0);
    stage_sound(stage, "late");
    stage_look(stage, false);
    stage_ticks(stage, 5, 1);
    ck_assert_uint_eq(stage->log_lines, 1);
    stage_add_wav(stage, "late", 48000, 1, 48000, noise);
    stage_ticks(stage, 2, 1);
    for (int k = 240; k < STAGE_FRAME; k++)
        ck_assert_float_eq(stage_frame(stage, 7)[2 * k], noise[6 * 800 + k] * (k < 240 ? (float)k / 240 : 1));
    stage_add_wav(stage, "late", 48000, 1, 40000, noise); /* replaced while it plays */
    stage_ticks(stage, 3, 1);
    ck_assert_double_eq(eddy_audio_length(stage->audio, "late"), 40000);
    ck_assert_float_eq(stage_frame(stage, 10)[2 * 500], noise[9 * 800 + 500]);
    stage_close(stage);
    free(noise);
}
END_TEST

START_TEST(descriptions_that_cannot_be_are_refused) {
    static const eddy_audio_desc descs[] = {
        {.device = EDDY_AUDIO_LOOPBACK, .rate_num = 7001, .rate_den = 100},
        {.device = EDDY_AUDIO_LOOPBACK, .rate_num = 60},
        {.device = EDDY_AUDIO_LOOPBACK, .rate_num = 48000, .rate_den = 1},
        {.device = EDDY_AUDIO_LOOPBACK, .voices_max = 100000},
    };
    eddy_audio *audio = NULL;
    eddy_error error = {0};
    ck_assert_int_eq(eddy_audio_create(&descs[_i], &audio, &error), EDDY_E_ARGUMENT);
    ck_assert_ptr_null(audio);
    ck_assert_uint_gt(strlen(error.text), 20);
    eddy_audio_destroy(NULL);
}
END_TEST

static void make(Suite *suite) {
    TCase *wav = suite_case(suite, "wav", 10), *ogg = suite_case(suite, "ogg", 20),
          *face = suite_case(suite, "face", 10);
    tcase_add_unchecked_fixture(wav, files_setup, files_teardown);
    tcase_add_loop_test(wav, wav_files_play_what_they_hold, 0, sizeof wav_cases / sizeof wav_cases[0]);
    tcase_add_test(wav, eight_bits_are_unsigned);
    tcase_add_test(wav, samples_that_are_no_number_become_silence);
    tcase_add_test(wav, more_than_two_channels_become_their_mean);
    tcase_add_unchecked_fixture(ogg, files_setup, files_teardown);
    tcase_add_test(ogg, a_whole_ogg_has_its_length);
    tcase_add_test(ogg, a_start_that_is_not_zero_loses_nothing);
    tcase_add_loop_test(ogg, positions_that_begin_late_lose_nothing, 0, 2);
    tcase_add_test(ogg, a_hole_is_filled_with_silence);
    tcase_add_loop_test(ogg, a_length_that_lies_is_not_believed, 0, 4);
    tcase_add_test(ogg, a_cut_file_plays_what_is_there);
    tcase_add_test(ogg, a_file_without_sound_says_so);
    tcase_add_loop_test(ogg, chains_of_one_format_play_and_others_are_refused, 0, 4);
    tcase_add_loop_test(ogg, pages_doubled_or_swapped_never_make_it_longer, 0, 2);
    tcase_add_test(ogg, junk_behind_the_last_page_is_accepted);
    tcase_add_loop_test(ogg, damage_anywhere_is_survived, 0, 2);
    tcase_add_unchecked_fixture(face, files_setup, files_teardown);
    tcase_add_test(face, missing_and_bad_files_are_errors_and_silence);
    tcase_add_test(face, keys_have_limits);
    tcase_add_test(face, the_cache_has_a_limit_in_bytes);
    tcase_add_test(face, an_asset_added_late_joins_at_the_right_sample);
    tcase_add_loop_test(face, descriptions_that_cannot_be_are_refused, 0, 4);
}

int main(void) {
    return suite_run("audio_files", make);
}
