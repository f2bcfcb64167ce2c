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
} window_levels;

/** "a.eddy" -> "a.2.eddy" for the second level of a run. */
static void record_path_of(const char *path, uint32_t session_number, char *out, size_t out_bytes) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (session_number == 1)
        snprintf(out, out_bytes, "%s", path);
    else if (dot)
        snprintf(out, out_bytes, "%.*s.%u%s", (int)(dot - path), path, session_number, dot);
    else
        snprintf(out, out_bytes, "%s.%u", path, session_number);
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
    if (options->record_path)
        record_path_of(options->record_path, index - levels->first + 1, record_path, sizeof record_path);
    return play_open_session(options, &options->level, options->record_path ? record_path : NULL, EDDY_AUDIO_PLAYBACK,
                             levels->wav, out, error);
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
    if (tool_wav_end(levels.wav, status == TOOL_DONE, &error) != EDDY_OK)
        status = tool_failed(&error);
    if (end.interrupted)
        return TOOL_INTERRUPTED;
    if (status == TOOL_DONE && options->expect_exit && !end.won) {
        fputs("eddy: the exit was not reached\n", stderr);
        return TOOL_FAILED;
    }
    return status;
}
