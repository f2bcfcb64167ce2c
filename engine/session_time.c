/* The rules of time that bind world and recorder (R1-R13): what one real tick does. */
#include "session_parts.h"

#include <string.h>

static const int ladder[] = {ENGINE_LADDER};
enum { LADDER_START = 3, LADDER_TOP = sizeof ladder / sizeof ladder[0] - 1 };

int engine_session_speed(const engine_session *session) {
    return session->rewinding ? ladder[session->rung] : world_stopped(session->world) ? 0 : 1;
}

eddy_result session_show(engine_session *session, uint32_t frame, eddy_error *error) {
    eddy_view view;
    eddy_result result = eddy_timeline_read(session->frames, frame, &view, error);
    if (result == EDDY_OK)
        result = world_take(session->world, &view, error);
    if (result == EDDY_OK) {
        session->shown = frame;
        session->detached = true;
    }
    return result;
}

void session_record_tick(engine_session *session, uint16_t held, int speed, eddy_tick_mode mode) {
    eddy_journal journal = {.frame = session->shown, .buttons = held, .speed = (int16_t)speed, .mode = (uint16_t)mode};
    eddy_timeline_frame(session->frames, session->shown, &journal.branch, NULL, NULL);
    const eddy_view immune = world_immune(session->world);
    session->tick_entities[0] = (eddy_entity){EDDY_JOURNAL_ID, WORLD_JOURNAL, &journal};
    uint32_t count = 1;
    for (uint32_t i = 0; i < immune.count && count < session->tick_entity_capacity; i++)
        session->tick_entities[count++] = immune.entities[i];
    const eddy_view view = {session->tick_entities, count};
    eddy_error error;
    if (eddy_timeline_append(session->ticks, &view, &error) != EDDY_OK && !session->trouble_reported) {
        session->trouble_reported = true;
        eddy_log(&session->hooks, "tick %llu is not in the journal: %s", (unsigned long long)session->tick, error.text);
    }
}

/** The frame `speed` frames from the shown one, held at both ends of what is kept. */
static uint32_t frame_after(const engine_session *session, int speed) {
    const eddy_kept kept = eddy_timeline_kept(session->frames);
    int64_t frame = (int64_t)session->shown + speed;
    if (frame < kept.first_frame)
        return kept.first_frame;
    return frame > kept.last_frame ? kept.last_frame : (uint32_t)frame;
}

/** One tick of rewinding: what is recorded goes by, what is immune lives on. */
static void rewind_tick(engine_session *session, uint16_t held, int speed) {
    session->detached = true;
    const uint32_t frame = frame_after(session, speed);
    eddy_error error;
    if (frame != session->shown && session_show(session, frame, &error) != EDDY_OK)
        eddy_log(&session->hooks, "frame %u cannot be shown: %s", frame, error.text);
    world_step_immune(session->world);
    session_record_tick(session, held, speed, EDDY_TICK_REWIND);
}

/** Records the step just made, or undoes it: the world and its recording never part. */
static bool record_step(engine_session *session) {
    const eddy_view view = world_view(session->world);
    eddy_error error;
    if (eddy_timeline_append(session->frames, &view, &error) == EDDY_OK) {
        session->shown = eddy_timeline_kept(session->frames).last_frame;
        session->detached = false;
        return true;
    }
    if (!session->trouble_reported) {
        session->trouble_reported = true;
        eddy_log(&session->hooks, "frame %u cannot be recorded, the world waits: %s", session->shown + 1, error.text);
    }
    session_show(session, session->shown, NULL);
    return false;
}

/** One tick of play: a step, or standing still once an outcome has been played out. `fresh`: buttons that may count as
 * pressed. */
static void play_tick(engine_session *session, uint16_t held, uint16_t fresh) {
    if (world_stopped(session->world)) {
        world_step_immune(session->world);
        session_record_tick(session, held, 0, EDDY_TICK_STOPPED);
        return;
    }
    if (session->detached)
        eddy_timeline_resume(session->frames, session->shown, NULL);
    session_sound_remember(session);
    const uint8_t outcome = world_game_of(session->world)->outcome;
    world_step(session->world, (world_input){.held = held, .fresh = fresh});
    const bool recorded = record_step(session);
    if (recorded)
        session_sound_compare(session);
    session_record_tick(session, held, recorded ? 1 : 0, recorded ? EDDY_TICK_PLAY : EDDY_TICK_STOPPED);
    const uint8_t outcome_now = world_game_of(session->world)->outcome;
    if (outcome_now != outcome)
        engine_session_note(session, world_outcome_names[outcome_now]);
}

/** A new root branch at frame 0; immune entities begin again, ticks go on. */
static void restart_tick(engine_session *session, uint16_t held) {
    const eddy_view beginning = engine_snapshot_view(&session->beginning);
    const eddy_view immune = engine_snapshot_view(&session->beginning_immune);
    eddy_error error;
    eddy_result result = world_take(session->world, &beginning, &error);
    if (result == EDDY_OK)
        result = world_take_immune(session->world, &immune, &error);
    if (result == EDDY_OK) {
        eddy_timeline_restart(session->frames);
        session->jumped = true;
        if (!record_step(session))
            result = EDDY_E_MEMORY;
    } else {
        eddy_log(&session->hooks, "the level cannot begin again: %s", error.text);
    }
    session_record_tick(session, held, 0, result == EDDY_OK ? EDDY_TICK_RESTART : EDDY_TICK_STOPPED);
    if (result == EDDY_OK)
        engine_session_note(session, "restart");
}

/** Moves on the ladder; the tick that presses rewind shows its first rung. */
static void ladder_move(engine_session *session, uint16_t pressed) {
    if (!session->rewinding) {
        session->rewinding = true;
        session->rung = LADDER_START;
        return;
    }
    if ((pressed & BUTTON_FASTER) && session->rung > 0)
        session->rung--;
    if ((pressed & BUTTON_SLOWER) && session->rung < LADDER_TOP)
        session->rung++;
}

void engine_session_tick(engine_session *session, uint16_t held) {
    const uint16_t pressed = held & (uint16_t)~session->held_before;
    const bool left_rewind = session->rewinding && !(held & BUTTON_REWIND);
    session->tick++;
    if (pressed & BUTTON_RESTART) {
        session->rewinding = false;
        restart_tick(session, held);
    } else if (held & BUTTON_REWIND) {
        ladder_move(session, pressed);
        rewind_tick(session, held, ladder[session->rung]);
    } else {
        session->rewinding = false;
        /* A button already down when a rewind is let go was not pressed in the world that comes back. */
        play_tick(session, held, left_rewind ? (uint16_t)~session->held_before : UINT16_MAX);
    }
    session->held_before = held;
    session_sound_look(session);
}

void engine_session_rewind(engine_session *session, uint32_t n, int speed) {
    for (uint32_t i = 0; i < n; i++) {
        session->tick++;
        rewind_tick(session, BUTTON_REWIND, speed);
        session->held_before = BUTTON_REWIND;
        session_sound_look(session);
    }
}

eddy_result engine_session_seek(engine_session *session, uint32_t branch, uint32_t frame, eddy_error *error) {
    const eddy_kept line = eddy_timeline_kept(session->frames);
    const eddy_kept kept = eddy_timeline_kept_on(session->frames, branch);
    if (kept.count == 0)
        return eddy_fail(error, EDDY_E_FRAME,
                         "branch %u is not on the line in memory, which ends with branch %u; kept: "
                         "frames %u to %u",
                         branch, line.branch, line.first_frame, line.last_frame);
    if (frame < kept.first_frame || frame > kept.last_frame)
        return eddy_fail(error, EDDY_E_FRAME, "frame %u of branch %u is not kept; kept: frames %u to %u", frame, branch,
                         kept.first_frame, kept.last_frame);
    eddy_result result = session_show(session, frame, error);
    if (result == EDDY_OK) {
        session->rewinding = false;
        session->jumped = true;
    }
    return result;
}
