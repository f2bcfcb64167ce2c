#include "audio_stage.h"

#include "audio_files.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stage_log(void *user, const char *line) {
    audio_stage *stage = user;
    stage->log_lines++;
    strncpy(stage->log_last, line, sizeof stage->log_last - 1);
}

audio_stage *stage_open_desc(eddy_audio_desc desc) {
    audio_stage *made = calloc(1, sizeof *made);
    ck_assert_ptr_nonnull(made);
    desc.hooks = (eddy_hooks){.log = stage_log, .user = made};
    eddy_error error = {0};
    eddy_result result = eddy_audio_create(&desc, &made->audio, &error);
    ck_assert_msg(result == EDDY_OK, "%s", error.text);
    return made;
}

audio_stage *stage_open(uint32_t voices_max) {
    return stage_open_desc((eddy_audio_desc){.device = EDDY_AUDIO_LOOPBACK, .voices_max = voices_max});
}

void stage_close(audio_stage *stage) {
    eddy_audio_destroy(stage->audio);
    free(stage->heard);
    free(stage);
}

void stage_add_wav(audio_stage *stage, const char *key, uint32_t rate, uint32_t channels, size_t frames,
                   const float *samples) {
    char name[64];
    snprintf(name, sizeof name, "%s.wav", key);
    file_write_wav(files_path(name), rate, channels, frames, samples);
    eddy_error error = {0};
    eddy_result result = eddy_audio_add(stage->audio, key, files_path(name), &error);
    ck_assert_msg(result == EDDY_OK, "%s", error.text);
}

eddy_sound *stage_sound(audio_stage *stage, const char *key) {
    ck_assert_uint_lt(stage->count, STAGE_SOUNDS_MAX);
    eddy_sound *sound = &stage->sounds[stage->count];
    *sound = (eddy_sound){.gain = 1, .pitch = 1, .length = eddy_audio_length(stage->audio, key)};
    strncpy(sound->asset, key, sizeof sound->asset - 1);
    stage->present[stage->count++] = true;
    return sound;
}

void stage_remove(audio_stage *stage, const eddy_sound *sound) {
    stage->present[sound - stage->sounds] = false;
}

void stage_look(audio_stage *stage, bool jumped) {
    static eddy_audio_sound seen[STAGE_SOUNDS_MAX];
    eddy_audio_scene scene = {
        .sounds = seen, .listener_x = stage->listener_x, .listener_y = stage->listener_y, .jumped = jumped};
    for (uint32_t i = 0; i < stage->count; i++)
        if (stage->present[i])
            seen[scene.count++] = (eddy_audio_sound){.id = i + 1, .sound = &stage->sounds[i]};
    eddy_audio_look(stage->audio, &scene);
    if (eddy_audio_device_used(stage->audio) != EDDY_AUDIO_LOOPBACK)
        return;
    stage->heard = realloc(stage->heard, (stage->frames + STAGE_FRAME) * 2 * sizeof(float));
    ck_assert_ptr_nonnull(stage->heard);
    eddy_error error = {0};
    eddy_result result = eddy_audio_render(stage->audio, stage->heard + 2 * stage->frames, STAGE_FRAME, &error);
    ck_assert_msg(result == EDDY_OK, "%s", error.text);
    stage->frames += STAGE_FRAME;
}

void stage_tick(audio_stage *stage, double rate) {
    for (uint32_t i = 0; i < stage->count; i++)
        if (stage->present[i])
            stage->sounds[i].position += STAGE_FRAME * (double)stage->sounds[i].pitch * rate;
    stage_look(stage, false);
}

void stage_ticks(audio_stage *stage, uint32_t count, double rate) {
    for (uint32_t i = 0; i < count; i++)
        stage_tick(stage, rate);
}

const float *stage_frame(const audio_stage *stage, size_t tick) {
    ck_assert_uint_le((tick + 1) * STAGE_FRAME, stage->frames);
    return stage->heard + 2 * tick * STAGE_FRAME;
}

float stage_step_max(const audio_stage *stage, size_t from, size_t to) {
    float largest = 0.0f;
    for (size_t i = from > 0 ? from : 1; i < to && i < stage->frames; i++)
        for (int ear = 0; ear < 2; ear++)
            largest = fmaxf(largest, fabsf(stage->heard[2 * i + ear] - stage->heard[2 * i - 2 + ear]));
    return largest;
}

float stage_peak(const audio_stage *stage, size_t from, size_t to) {
    float peak = 0.0f;
    for (size_t i = 2 * from; i < 2 * to && i < 2 * stage->frames; i++)
        peak = fmaxf(peak, fabsf(stage->heard[i]));
    return peak;
}

float stage_heard_gain(const audio_stage *stage, eddy_id id) {
    static eddy_audio_voice voices[STAGE_SOUNDS_MAX];
    uint32_t count = eddy_audio_voices(stage->audio, voices, STAGE_SOUNDS_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (voices[i].id == id)
            return voices[i].heard_gain;
    return -1.0f;
}
