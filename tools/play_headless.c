/* eddy play --headless: the ticks of a script, as fast as they go. */
#include <inttypes.h>
#include <stdio.h>

#include "output.h"
#include "play.h"
#include "still.h"
#include "tool.h"

/** Takes the pictures due now. One that cannot be written is told, and the run goes on. */
static bool take_shots(const play_options *options, engine_session *session, uint64_t tick) {
    bool whole = true;
    for (uint32_t i = 0; i < options->shot_count; i++) {
        eddy_error error;
        if (options->shots[i].tick != tick ||
            tool_still_png(session, options->places.art, options->shots[i].path, &error) == EDDY_OK)
            continue;
        tool_failed(&error);
        whole = false;
    }
    return whole;
}

/** Runs the ticks; `reached` tells whether the exit was. False: a picture is missing. */
static bool run_ticks(const play_options *options, engine_session *session, bool *reached) {
    bool whole = take_shots(options, session, 0);
    for (uint64_t tick = 0; tick < options->frames && !tool_interrupted; tick++) {
        engine_session_tick(session, engine_script_held(&options->script, tick));
        *reached |= world_game_of(engine_session_world(session))->outcome == WORLD_WON;
        whole = take_shots(options, session, tick + 1) && whole;
    }
    return whole;
}

static void print_summary(const play_options *options, const engine_session *session, bool reached) {
    const engine_session_state state = engine_session_state_of(session);
    fprintf(play_told(options),
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
    int status = run_ticks(options, session, reached) ? TOOL_DONE : TOOL_FAILED;
    print_summary(options, session, *reached);
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
    const bool opened = play_open_session(options, &options->level, options->record_path, EDDY_AUDIO_NONE, wav,
                                          &session, &error) == EDDY_OK;
    if (opened)
        status = run_session(options, session, &reached);
    else
        tool_failed(&error);
    if (tool_wav_end(wav, opened, &error) != EDDY_OK)
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
