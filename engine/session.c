#include "path.h"
#include "session_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/** "levels/first-lamp.tmj" -> "first-lamp". */
static void title_from_path(const char *path, char *out, size_t out_bytes) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, out_bytes, "%.*s", length, name);
}

static eddy_result session_load_level(engine_session *session, const engine_session_desc *desc, eddy_error *error) {
    char path[ENGINE_PATH_BYTES];
    eddy_result result = engine_path_print(path, sizeof path, error, "%s/sounds.json", desc->level_dir);
    if (result == EDDY_OK)
        result = world_catalog_load(path, &session->catalog, error);
    if (result == EDDY_OK)
        result = world_load(desc->map_path, &session->catalog, desc->seed, &session->world, error);
    if (result != EDDY_OK)
        return result;
    const eddy_view view = world_view(session->world), immune = world_immune(session->world);
    result = engine_snapshot_take(&session->beginning, world_schema(), &view, error);
    if (result == EDDY_OK)
        result = engine_snapshot_take(&session->beginning_immune, world_schema(), &immune, error);
    return result;
}

/** The ticks' share of a budget: a tick is a journal entry and the few immune entities, so an eighth, or what a
 * timeline needs at least. */
static size_t ticks_budget(size_t budget_bytes) {
    const size_t least = 200000;
    if (budget_bytes / 8 >= least)
        return budget_bytes / 8;
    return budget_bytes / 2 < least ? budget_bytes / 2 : least;
}

static eddy_result session_create_timelines(engine_session *session, eddy_error *error) {
    eddy_timeline_desc desc = {.schema = world_schema(), .hooks = session->hooks};
    desc.budget_bytes = ticks_budget(session->budget_bytes);
    eddy_error cause;
    eddy_result result = eddy_timeline_create(&desc, &session->ticks, &cause);
    if (result == EDDY_OK) {
        desc.budget_bytes = session->budget_bytes - desc.budget_bytes;
        result = eddy_timeline_create(&desc, &session->frames, &cause);
    }
    return result == EDDY_OK ? EDDY_OK
                             : eddy_fail(error, result, "a budget of %zu bytes for two timelines, frames and ticks: %s",
                                         session->budget_bytes, cause.text);
}

static eddy_result session_create_writer(engine_session *session, const char *path, eddy_error *error) {
    eddy_writer_desc desc = {.path = path,
                             .schema = world_schema(),
                             .rate_num = ENGINE_RATE,
                             .rate_den = 1,
                             .title = session->title,
                             .program = "eddy " EDDY_VERSION,
                             .hooks = session->hooks};
    eddy_result result = eddy_writer_create(&desc, &session->writer, error);
    if (result == EDDY_OK)
        result = eddy_writer_attach(session->writer, EDDY_AXIS_WORLD, session->frames, error);
    if (result == EDDY_OK)
        result = eddy_writer_attach(session->writer, EDDY_AXIS_TICKS, session->ticks, error);
    return result;
}

/** Frame 0, or the frames up to the one taken over, and tick 0. */
static eddy_result session_record_beginning(engine_session *session, const engine_session_desc *desc, eddy_reader *from,
                                            eddy_error *error) {
    const eddy_view constants = world_constants(session->world), view = world_view(session->world);
    eddy_result result = eddy_timeline_constants(session->frames, &constants, error);
    if (result == EDDY_OK)
        result = from ? session_take_over(session, from, desc->from_path, desc->from_frame, error)
                      : eddy_timeline_append(session->frames, &view, error);
    if (result != EDDY_OK)
        return result;
    session->tick_entity_capacity = world_immune(session->world).count + 1;
    session->tick_entities = calloc(session->tick_entity_capacity, sizeof *session->tick_entities);
    if (!session->tick_entities)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for the tick journal");
    session_record_tick(session, 0, 0, EDDY_TICK_RESTART);
    return EDDY_OK;
}

static eddy_result session_start(engine_session *session, const engine_session_desc *desc, eddy_error *error) {
    session->hooks = desc->hooks;
    session->samples_sink = desc->samples;
    session->samples_user = desc->samples_user;
    session->budget_bytes = desc->budget_bytes ? desc->budget_bytes : ENGINE_BUDGET_BYTES;
    title_from_path(desc->map_path, session->title, sizeof session->title);
    eddy_reader *from = NULL; /* opened before the new recording, so that a failure leaves what was there */
    eddy_result result = session_load_level(session, desc, error);
    if (result == EDDY_OK && desc->from_path)
        result = session_take_over_open(session, desc->from_path, desc->from_frame, &from, error);
    if (result == EDDY_OK)
        result = session_create_timelines(session, error);
    if (result == EDDY_OK && desc->record_path)
        result = session_create_writer(session, desc->record_path, error);
    if (result == EDDY_OK)
        result = session_record_beginning(session, desc, from, error);
    eddy_reader_close(from);
    if (result == EDDY_OK)
        result = session_sound_open(session, desc, error);
    if (result == EDDY_OK)
        session_sound_begin(session);
    return result;
}

eddy_result engine_session_create(const engine_session_desc *desc, engine_session **out, eddy_error *error) {
    assert(desc->map_path && desc->level_dir);
    *out = NULL;
    engine_session *session = calloc(1, sizeof *session);
    if (!session)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for a session");
    eddy_result result = session_start(session, desc, error);
    if (result != EDDY_OK) {
        engine_session_close(session, NULL);
        return result;
    }
    *out = session;
    return EDDY_OK;
}

eddy_result engine_session_close(engine_session *session, eddy_error *error) {
    if (!session)
        return EDDY_OK;
    eddy_result result = eddy_writer_close(session->writer, error);
    eddy_audio_destroy(session->loopback);
    eddy_audio_destroy(session->audio);
    eddy_timeline_destroy(session->frames);
    eddy_timeline_destroy(session->ticks);
    world_destroy(session->world);
    engine_snapshot_free(&session->beginning);
    engine_snapshot_free(&session->beginning_immune);
    free(session->tick_entities);
    free(session);
    return result;
}

/* ---- looking ---- */

engine_session_state engine_session_state_of(const engine_session *session) {
    const eddy_kept kept = eddy_timeline_kept(session->frames);
    const world_game *game = world_game_of(session->world);
    const eddy_view immune = world_immune(session->world);
    engine_session_state state = {.tick = session->tick,
                                  .frame = session->shown,
                                  .line = kept.branch,
                                  .first_frame = kept.first_frame,
                                  .last_frame = kept.last_frame,
                                  .immune_hash = eddy_view_hash(world_schema(), &immune),
                                  .rewinding = session->rewinding,
                                  .dead = game->outcome == WORLD_DIED,
                                  .won = game->outcome == WORLD_WON,
                                  .stopped = world_stopped(session->world)};
    eddy_timeline_frame(session->frames, session->shown, &state.branch, &state.hash, NULL);
    state.speed = engine_session_speed(session);
    return state;
}

const world *engine_session_world(const engine_session *session) {
    return session->world;
}

eddy_audio *engine_session_audio(engine_session *session) {
    return session->audio;
}

const char *engine_session_title(const engine_session *session) {
    return session->title;
}

void engine_session_statistics(const engine_session *session, eddy_statistics *out) {
    eddy_timeline_statistics(session->frames, out);
}

void engine_session_flush(engine_session *session) {
    if (session->writer)
        eddy_writer_flush(session->writer, NULL); /* a failure is logged once and kept for close */
}

eddy_result engine_session_save(engine_session *session, const char *path, eddy_error *error) {
    if (!session->writer)
        return eddy_fail(error, EDDY_E_ARGUMENT, "%s: this session is not recorded, there is nothing to save", path);
    return eddy_writer_save(session->writer, path, error);
}

void engine_session_note(engine_session *session, const char *text) {
    if (session->writer)
        eddy_writer_note(session->writer, text, NULL);
}
