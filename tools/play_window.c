/* eddy play: the game in a window, from level to level. */
#include <stdio.h>
#include <string.h>

#include "engine/window.h"
#include "play.h"
#include "tool.h"

/** What opening the next level needs. */
typedef struct window_levels {
    play_options *options;
    uint32_t first; /**< number of the level that the run began with */
    tool_wav *wav;
    bool opened; /**< a level, once: the WAV holds something */
} window_levels;

/** "a.eddy" -> "a.2.eddy" for the second level of a run. */
static eddy_result record_path_of(const char *path, uint32_t session_number, char out[TOOL_PATH_BYTES],
                                  eddy_error *error) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (session_number == 1)
        return engine_path_print(out, TOOL_PATH_BYTES, error, "%s", path);
    if (dot)
        return engine_path_print(out, TOOL_PATH_BYTES, error, "%.*s.%u%s", (int)(dot - path), path, session_number,
                                 dot);
    return engine_path_print(out, TOOL_PATH_BYTES, error, "%s.%u", path, session_number);
}

static eddy_result open_level(void *user, uint32_t index, engine_session **out, eddy_error *error) {
    window_levels *levels = user;
    play_options *options = levels->options;
    char record_path[TOOL_PATH_BYTES] = "";
    if (index != levels->first) {
        if (!tool_level_next(&options->places, index - 1, &options->level))
            return eddy_fail(error, EDDY_E_ARGUMENT, "there is no level %u", index);
        options->from_path[0] = '\0';
    }
    if (options->record_path) {
        eddy_result result = record_path_of(options->record_path, index - levels->first + 1, record_path, error);
        if (result != EDDY_OK)
            return result;
    }
    eddy_result result = play_open_session(options, &options->level, options->record_path ? record_path : NULL,
                                           EDDY_AUDIO_PLAYBACK, levels->wav, out, error);
    levels->opened |= result == EDDY_OK;
    return result;
}

static uint32_t count_levels(const play_options *options) {
    tool_level next;
    uint32_t count = 1;
    while (options->level.number && tool_level_next(&options->places, options->level.number + count - 1, &next))
        count++;
    return count;
}

static eddy_result run(window_levels *levels, engine_window_end *end, eddy_error *error) {
    play_options *options = levels->options;
    engine_window_shot shots[PLAY_SHOTS_MAX];
    for (uint32_t i = 0; i < options->shot_count; i++)
        shots[i] = (engine_window_shot){options->shots[i].tick, options->shots[i].path};
    const engine_window_desc desc = {.art_dir = options->places.art,
                                     .open_level = open_level,
                                     .user = levels,
                                     .first_level = levels->first,
                                     .level_count = options->has_script ? 1 : count_levels(options),
                                     .script = options->has_script ? &options->script : NULL,
                                     .ticks_max = options->frames,
                                     .shots = shots,
                                     .shot_count = options->shot_count,
                                     .interrupted = &tool_interrupted,
                                     .hooks = {.log = tool_log}};
    return engine_window_run(&desc, end, error);
}

int play_window(play_options *options) {
    eddy_error error = {0};
    engine_window_end end = {0};
    window_levels levels = {.options = options, .first = options->level.number};
    if (options->wav_path && tool_wav_begin(options->wav_path, &levels.wav, &error) != EDDY_OK)
        return tool_failed(&error);
    int status = run(&levels, &end, &error) == EDDY_OK ? TOOL_DONE : tool_failed(&error);
    if (tool_wav_end(levels.wav, levels.opened, &error) != EDDY_OK)
        status = tool_failed(&error);
    if (end.interrupted)
        return TOOL_INTERRUPTED;
    if (status == TOOL_DONE && options->expect_exit && !end.won) {
        fputs("eddy: the exit was not reached\n", stderr);
        return TOOL_FAILED;
    }
    return status;
}
