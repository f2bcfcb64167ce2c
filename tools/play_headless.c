/* eddy play --headless: the ticks of a script, as fast as they go. */
#include <inttypes.h>
#include <stdio.h>

#include "output.h"
#include "play.h"
#include "still.h"
#include "tool.h"

static eddy_result take_shots(play_options *options, engine_session *session, uint64_t tick, eddy_error *error) {
    for (uint32_t i = 0; i < options->shot_count; i++) {
        if (options->shots[i].tick != tick)
            continue;
        eddy_result result = tool_still_png(session, options->places.art, options->shots[i].path, error);
        if (result != EDDY_OK)
            return result;
        options->shots[i].taken = true;
    }
    return EDDY_OK;
}

/** Runs the ticks; `reached` tells whether the exit was. */
static eddy_result run_ticks(play_options *options, engine_session *session, bool *reached, eddy_error *error) {
    eddy_result result = take_shots(options, session, 0, error);
    for (uint64_t tick = 0; tick < options->frames && result == EDDY_OK && !tool_interrupted; tick++) {
        engine_session_tick(session, engine_script_held(&options->script, tick));
        *reached |= world_game_of(engine_session_world(session))->outcome == WORLD_WON;
        result = take_shots(options, session, tick + 1, error);
    }
    return result;
}

static void print_summary(const engine_session *session, bool reached, const char *wav_path) {
    const engine_session_state state = engine_session_state_of(session);
    FILE *out = wav_path && wav_path[0] == '-' && !wav_path[1] ? stderr : stdout; /* stdout is the WAV */
    fprintf(out,
            "%s: %" PRIu64 " ticks, frame %" PRIu32 " of branch %" PRIu32 ", hash %016" PRIx64
            ", immune hash %016" PRIx64 ", %s\n",
            engine_session_title(session), state.tick, state.frame, state.branch, state.hash, state.immune_hash,
            reached      ? "exit reached"
            : state.dead ? "dead"
                         : "exit not reached");
}

/** Runs an open session and finishes it; the exit status. */
static int run_session(play_options *options, engine_session *session, bool *reached) {
    eddy_error error = {0};
    int status = run_ticks(options, session, reached, &error) == EDDY_OK ? TOOL_DONE : tool_failed(&error);
    if (status == TOOL_DONE)
        print_summary(session, *reached, options->wav_path);
    if (engine_session_close(session, &error) != EDDY_OK)
        status = tool_failed(&error);
    return status;
}

int play_headless(play_options *options) {
    eddy_error error = {0};
    tool_wav *wav = NULL;
    if (options->wav_path && options->no_audio)
        fprintf(stderr, "eddy: --no-audio: the WAV will be silent\n");
    if (options->wav_path && tool_wav_begin(options->wav_path, &wav, &error) != EDDY_OK)
        return tool_failed(&error);
    engine_session *session;
    bool reached = false;
    int status = TOOL_FAILED;
    if (play_open_session(options, &options->level, options->record_path, EDDY_AUDIO_NONE, wav, &session, &error) ==
        EDDY_OK)
        status = run_session(options, session, &reached);
    else
        tool_failed(&error);
    if (tool_wav_end(wav, status == TOOL_DONE, &error) != EDDY_OK)
        status = tool_failed(&error);
    if (tool_interrupted)
        return TOOL_INTERRUPTED;
    if (status == TOOL_DONE && options->expect_exit && !reached) {
        fprintf(stderr, "eddy: %s: the exit was not reached in %" PRIu64 " ticks\n", options->level.name,
                options->frames);
        return TOOL_FAILED;
    }
    return status;
}
