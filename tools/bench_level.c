/* Scenes that are the game's own levels, played by their solutions through a session as `play --headless` does. */
#include <stdlib.h>

#include "bench.h"
#include "engine/script.h"
#include "engine/session.h"
#include "levels.h"
#include "tool.h"

#define LEVEL_IDLE_TICKS 120 /**< after the solution, before the level begins again */

/** A level being played. */
typedef struct level_play {
    tool_places places;
    tool_level level;
    engine_script script;
    engine_session *session; /**< NULL: before the first rewind */
    uint64_t tick;           /**< of this time through the script */
    bool begun;              /**< frame 0 has been given */
} level_play;

static eddy_result level_rewind(bench_source *source, eddy_error *error) {
    level_play *play = source->state;
    engine_session_close(play->session, NULL);
    play->session = NULL;
    play->begun = false;
    play->tick = 0;
    const engine_session_desc desc = {.map_path = play->level.path,
                                      .level_dir = play->places.catalog,
                                      .device = EDDY_AUDIO_NONE,
                                      .hooks.log = tool_log};
    const eddy_result result = engine_session_create(&desc, &play->session, error);
    if (result == EDDY_OK)
        source->constants = world_constants(engine_session_world(play->session));
    return result;
}

/** One tick. The level begins again when its clock stands, or a while after its solution has ended. */
static void level_tick(level_play *play) {
    uint16_t held = engine_script_held(&play->script, play->tick++);
    if (engine_session_state_of(play->session).stopped || play->tick > play->script.ticks + LEVEL_IDLE_TICKS) {
        engine_session_tick(play->session, 0); /* so that the button is pressed, not held */
        held = BUTTON_RESTART;
        play->tick = 0;
    }
    engine_session_tick(play->session, held);
}

/** The world's view after each tick that made a frame; ticks of rewinding make none. */
static eddy_result level_next(bench_source *source, eddy_view *out, eddy_error *error) {
    (void)error;
    level_play *play = source->state;
    if (play->begun)
        do
            level_tick(play);
        while (engine_session_state_of(play->session).rewinding && !tool_interrupted);
    play->begun = true;
    *out = world_view(engine_session_world(play->session));
    return EDDY_OK;
}

static void level_close(bench_source *source) {
    level_play *play = source->state;
    engine_session_close(play->session, NULL);
    engine_script_free(&play->script);
    free(play);
    source->state = NULL;
}

/** The level and its solution. */
static eddy_result level_load(level_play *play, const char *name, eddy_error *error) {
    char path[TOOL_PATH_BYTES];
    eddy_result result = tool_places_find(NULL, &play->places, error);
    if (result == EDDY_OK)
        result = tool_level_find(&play->places, name, &play->level, error);
    if (result == EDDY_OK)
        result = engine_path_print(path, sizeof path, error, "%s/%s.inp", play->places.levels, name);
    if (result == EDDY_OK)
        result = engine_script_load(path, &play->script, error);
    return result;
}

eddy_result bench_level_open(const bench_scene *scene, const bench_options *options, bench_source *out,
                             eddy_error *error) {
    level_play *play = calloc(1, sizeof *play);
    if (!play)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for the level", scene->name);
    out->state = play;
    out->close = level_close;
    out->rewind = level_rewind;
    out->next = level_next;
    out->schema = world_schema();
    out->rate_num = ENGINE_RATE;
    out->rate_den = 1;
    out->frames = bench_source_frames(out, options->minutes);
    return level_load(play, scene->parameters, error);
}
