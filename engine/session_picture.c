/* What a picture needs of time: where we are, and where moving things really were. */
#include "session_parts.h"

#include <math.h>
#include <string.h>

#define TRAIL_SECONDS 2
#define TRAIL_STEP_PX 2.0f /**< what moved less is not moving */

/** Offset of the field `x` (followed by `y`) of a type that leaves a trail, or UINT32_MAX. */
static uint32_t trail_offset(uint16_t type) {
    switch (type) {
    case WORLD_MOTH:
        return offsetof(world_moth, x);
    case WORLD_KETTLE:
        return offsetof(world_kettle, x);
    case WORLD_PAN:
        return offsetof(world_pan, x);
    default:
        return UINT32_MAX;
    }
}

static eddy_vec2 entity_place(const eddy_entity *entity, uint32_t offset) {
    eddy_vec2 place;
    memcpy(&place, (const uint8_t *)entity->data + offset, sizeof place);
    return place;
}

/** The trails' heads: everything in the shown frame that can move. */
static uint32_t trails_begin(engine_session *session) {
    const eddy_view view = world_view(session->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count && count < SESSION_TRAILS_MAX; i++) {
        const eddy_entity *entity = &view.entities[i];
        const uint32_t offset = trail_offset(entity->type);
        if (offset == UINT32_MAX)
            continue;
        session->trail_points[count][0] = entity_place(entity, offset);
        session->trails[count] = (engine_trail){entity->id, entity->type, session->trail_points[count], 1};
        count++;
    }
    return count;
}

/** Adds one recorded frame to every trail that has not ended. */
static void trails_add(engine_session *session, uint32_t count, uint32_t point, const eddy_view *view) {
    for (uint32_t i = 0; i < count; i++) {
        engine_trail *trail = &session->trails[i];
        const eddy_entity *entity = trail->point_count == point ? eddy_view_find(view, trail->id) : NULL;
        if (!entity || entity->type != trail->type)
            continue;
        session->trail_points[i][point] = entity_place(entity, trail_offset(entity->type));
        trail->point_count++;
    }
}

static bool trail_moves(const engine_trail *trail) {
    for (uint32_t i = 1; i < trail->point_count; i++)
        if (fabsf(trail->points[i].x - trail->points[0].x) > TRAIL_STEP_PX ||
            fabsf(trail->points[i].y - trail->points[0].y) > TRAIL_STEP_PX)
            return true;
    return false;
}

/** Trails lie behind the movement that is seen: later frames while time runs backward, earlier ones otherwise. */
static uint32_t trails_fill(engine_session *session) {
    const eddy_kept kept = eddy_timeline_kept(session->frames);
    const int step = TRAIL_SECONDS * ENGINE_RATE / SESSION_TRAIL_POINTS;
    const int direction = engine_session_speed(session) < 0 ? step : -step;
    const uint32_t count = trails_begin(session);
    for (uint32_t point = 1; point < SESSION_TRAIL_POINTS; point++) {
        const int64_t frame = (int64_t)session->shown + (int64_t)direction * point;
        eddy_view view;
        if (frame < kept.first_frame || frame > kept.last_frame ||
            eddy_timeline_read(session->frames, (uint32_t)frame, &view, NULL) != EDDY_OK)
            break;
        trails_add(session, count, point, &view);
    }
    uint32_t moving = 0;
    for (uint32_t i = 0; i < count; i++)
        if (trail_moves(&session->trails[i]))
            session->trails[moving++] = session->trails[i];
    return moving;
}

static void debug_fill(const engine_session *session, engine_debug *debug) {
    eddy_statistics frames, ticks;
    eddy_timeline_statistics(session->frames, &frames);
    eddy_timeline_statistics(session->ticks, &ticks);
    eddy_audio_statistics sound;
    eddy_audio_statistics_get(session->audio, &sound);
    debug->frame = session->shown;
    debug->is_base = frames.last_frame_is_base;
    debug->frame_bytes = frames.last_frame_bytes;
    if (frames.frames > 0)
        debug->megabytes_per_minute = (double)(frames.base_bytes + frames.diff_bytes + frames.newborn_bytes) /
                                      frames.frames * ENGINE_RATE * 60 / 1e6;
    debug->owned_bytes = frames.owned_bytes + ticks.owned_bytes;
    debug->budget_bytes = session->budget_bytes;
    debug->live_sounds = session->scene.count;
    debug->voices = sound.voices;
}

void engine_session_picture(engine_session *session, engine_picture *picture) {
    const eddy_kept kept = eddy_timeline_kept(session->frames);
    picture->world = session->world;
    picture->first_frame = kept.first_frame;
    picture->last_frame = kept.last_frame;
    picture->shown_frame = session->shown;
    picture->forgotten = kept.first_frame > 0;
    picture->rewinding = session->rewinding;
    picture->speed = engine_session_speed(session);
    picture->rate = ENGINE_RATE;
    picture->ticks = session->tick;
    picture->trails = session->trails;
    picture->trail_count = session->rewinding ? trails_fill(session) : 0;
    debug_fill(session, &picture->debug);
}
