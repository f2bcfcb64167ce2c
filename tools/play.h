/* The parts of the verb `play`: its options and the three ways to play. */
#ifndef EDDY_TOOLS_PLAY_H
#define EDDY_TOOLS_PLAY_H

#include <stdio.h>

#include "engine/script.h"
#include "engine/session.h"
#include "levels.h"
#include "output.h"

#define PLAY_SHOTS_MAX 64

/** A picture asked for: of what is shown after `tick` ticks. */
typedef struct play_shot {
    uint64_t tick;
    const char *path;
} play_shot;

typedef struct play_options {
    tool_places places;
    tool_level level;
    engine_script script;
    bool has_script, has_frames;
    uint64_t frames; /**< ticks to run */
    uint32_t seed;
    uint64_t budget_bytes;
    const char *record_path, *wav_path;
    char from_path[TOOL_PATH_BYTES]; /**< "": the level's beginning */
    uint32_t from_frame;
    play_shot shots[PLAY_SHOTS_MAX];
    uint32_t shot_count;
    bool headless, no_audio, expect_exit;
} play_options;

/** A session for one level of these options; `wav` (or NULL) gets its sound. A WAV that fails is told once. */
eddy_result play_open_session(const play_options *options, const tool_level *level, const char *record_path,
                              eddy_audio_device device, tool_wav *wav, engine_session **out, eddy_error *error);

/** Where people are told how it went: stdout, unless that is the WAV. */
FILE *play_told(const play_options *options);

/** Runs the ticks without a window; returns an exit status. */
int play_headless(play_options *options);
/** Without a display: a recorded tour, a WAV and a contact sheet. */
int play_tour(play_options *options);
/** The game. */
int play_window(play_options *options);

#endif
