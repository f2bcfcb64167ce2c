/* A session's ears: the audio layer looks at the shown world once a tick. */
#include "path.h"
#include "session_parts.h"

#include <string.h>

static void load_assets(engine_session *session, eddy_audio *audio, const char *sound_dir) {
    for (uint32_t i = 0; i < session->catalog.count; i++) {
        const world_sound_def *def = &session->catalog.sounds[i];
        char path[ENGINE_PATH_BYTES];
        eddy_error error;
        if (engine_path_print(path, sizeof path, &error, "%s/%s", sound_dir, def->file) != EDDY_OK ||
            eddy_audio_add(audio, def->key, path, &error) != EDDY_OK)
            eddy_log(&session->hooks, "sound \"%s\" will be silent: %s", def->key, error.text);
    }
}

eddy_result session_sound_open(engine_session *session, const engine_session_desc *desc, eddy_error *error) {
    eddy_audio_desc audio = {.device = desc->device, .rate_num = ENGINE_RATE, .rate_den = 1, .hooks = session->hooks};
    eddy_result result = eddy_audio_create(&audio, &session->audio, error);
    if (result != EDDY_OK)
        return result;
    if (desc->sound_dir && eddy_audio_device_used(session->audio) != EDDY_AUDIO_NONE)
        load_assets(session, session->audio, desc->sound_dir);
    if (!desc->capture)
        return EDDY_OK;
    audio.device = EDDY_AUDIO_LOOPBACK;
    result = eddy_audio_create(&audio, &session->loopback, error);
    if (result == EDDY_OK && desc->sound_dir)
        load_assets(session, session->loopback, desc->sound_dir);
    return result;
}

static void scene_add(session_sounds *scene, eddy_view view) {
    for (uint32_t i = 0; i < view.count && scene->count < SESSION_SOUNDS_MAX; i++)
        if (view.entities[i].type == WORLD_SOUND)
            scene->sounds[scene->count++] = (eddy_audio_sound){view.entities[i].id, view.entities[i].data};
}

/** Gathers the shown sounds; `*scene` borrows them. */
static void scene_fill(engine_session *session, eddy_audio_scene *scene) {
    session->scene.count = 0;
    scene_add(&session->scene, world_view(session->world));
    scene_add(&session->scene, world_immune(session->world)); /* immune ids are the larger ones: still ascending */
    const world_game *game = world_game_of(session->world);
    *scene = (eddy_audio_scene){.sounds = session->scene.sounds,
                                .count = session->scene.count,
                                .listener_x = game->camera_x,
                                .listener_y = game->camera_y,
                                .jumped = session->jumped};
    session->jumped = false;
}

/** One tick of sound through the loopback; silence, and a line for people, if that fails. */
static void capture_tick(engine_session *session) {
    eddy_error error;
    if (eddy_audio_render(session->loopback, session->samples, ENGINE_TICK_SAMPLES, &error) == EDDY_OK)
        return;
    memset(session->samples, 0, sizeof session->samples);
    eddy_log(&session->hooks, "tick %llu could not be rendered: %s", (unsigned long long)session->tick, error.text);
}

void session_sound_begin(engine_session *session) {
    eddy_audio_scene scene;
    scene_fill(session, &scene);
    eddy_audio_look(session->audio, &scene);
    if (session->loopback) {
        eddy_audio_look(session->loopback, &scene);
        capture_tick(session); /* one render a look; nothing has been swept, so this is silence */
    }
}

void session_sound_look(engine_session *session) {
    eddy_audio_scene scene;
    scene_fill(session, &scene);
    eddy_audio_look(session->audio, &scene);
    if (session->loopback) {
        eddy_audio_look(session->loopback, &scene);
        capture_tick(session);
    }
    if (session->samples_sink)
        session->samples_sink(session->samples_user, session->samples);
}

void session_sound_remember(engine_session *session) {
    const eddy_view view = world_view(session->world);
    session->heard_count = 0;
    for (uint32_t i = 0; i < view.count && session->heard_count < SESSION_SOUNDS_MAX; i++) {
        if (view.entities[i].type != WORLD_SOUND)
            continue;
        const eddy_sound *sound = view.entities[i].data;
        session_heard *heard = &session->heard[session->heard_count++];
        heard->id = view.entities[i].id;
        memcpy(heard->asset, sound->asset, sizeof heard->asset);
    }
}

static void event_add(engine_session *session, const char *asset, bool began) {
    if (session->event_count == SESSION_EVENTS_MAX) {
        session->event_count--;
        memmove(session->events, session->events + 1, session->event_count * sizeof session->events[0]);
    }
    engine_sound_event *event = &session->events[session->event_count++];
    memcpy(event->asset, asset, sizeof event->asset);
    event->frame = session->shown;
    event->began = began;
}

void session_sound_compare(engine_session *session) {
    const eddy_view view = world_view(session->world);
    uint32_t old = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.entities[i].type != WORLD_SOUND)
            continue;
        const eddy_sound *sound = view.entities[i].data;
        while (old < session->heard_count && session->heard[old].id < view.entities[i].id)
            event_add(session, session->heard[old++].asset, false);
        if (old < session->heard_count && session->heard[old].id == view.entities[i].id)
            old++;
        else
            event_add(session, sound->asset, true);
    }
    while (old < session->heard_count)
        event_add(session, session->heard[old++].asset, false);
}

uint32_t engine_session_events(const engine_session *session, const engine_sound_event **out) {
    *out = session->events;
    return session->event_count;
}

void engine_session_clear_events(engine_session *session) {
    session->event_count = 0;
}
