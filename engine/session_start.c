/* Taking over at a recorded frame: the recording's line up to it becomes this session's past. */
#include "session_parts.h"

#include <string.h>

/** Constants are compared by hash: a map that has changed since still loads, and the player is told. */
static void compare_constants(engine_session *session, eddy_reader *reader, const char *path, uint32_t branch) {
    eddy_view recorded;
    if (eddy_reader_constants(reader, EDDY_AXIS_WORLD, branch, 0, &recorded, NULL) != EDDY_OK)
        return;
    const eddy_view loaded = world_constants(session->world);
    if (eddy_view_hash(eddy_reader_info(reader)->schema, &recorded) != eddy_view_hash(world_schema(), &loaded))
        eddy_log(&session->hooks, "%s: the map has changed since it was recorded", path);
}

/** Immune entities as they were on the last tick that showed the frame. */
static void take_over_immune(engine_session *session, eddy_reader *reader, uint32_t holder, uint32_t frame) {
    const eddy_session_info *info = eddy_reader_info(reader);
    if (info->axis[EDDY_AXIS_TICKS].frames == 0)
        return;
    for (int64_t tick = info->axis[EDDY_AXIS_TICKS].last_frame; tick >= info->axis[EDDY_AXIS_TICKS].first_frame;
         tick--) {
        eddy_view view;
        if (eddy_reader_read(reader, EDDY_AXIS_TICKS, info->axis[EDDY_AXIS_TICKS].last_branch, (uint32_t)tick, &view,
                             NULL) != EDDY_OK ||
            view.count == 0 || view.entities[0].id != EDDY_JOURNAL_ID)
            continue;
        const eddy_journal *journal = view.entities[0].data;
        if (journal->branch != holder || journal->frame != frame)
            continue;
        const eddy_view immune = {view.entities + 1, view.count - 1};
        eddy_error error;
        if (world_take_immune(session->world, &immune, &error) != EDDY_OK)
            eddy_log(&session->hooks, "immune entities begin again: %s", error.text);
        return;
    }
}

static eddy_result take_over_check(const engine_session *session, const eddy_session_info *info, const char *path,
                                   uint32_t frame, eddy_error *error) {
    if (strcmp(info->title, session->title) != 0)
        return eddy_fail(error, EDDY_E_ARGUMENT, "%s: is a recording of %s, not of %s; play that level", path,
                         info->title, session->title);
    if (info->axis[EDDY_AXIS_WORLD].frames == 0 || frame > info->axis[EDDY_AXIS_WORLD].last_frame)
        return eddy_fail(error, EDDY_E_FRAME, "%s: frame %u is not on its last line, which has frames 0 to %u", path,
                         frame, info->axis[EDDY_AXIS_WORLD].last_frame);
    const char *difference = eddy_schema_difference(info->schema, world_schema());
    if (difference)
        return eddy_fail(error, EDDY_E_SCHEMA, "%s: its entities are not this program's (%s); it was made by %s", path,
                         difference, info->program);
    return EDDY_OK;
}

/** The way to a frame is its past: every frame before it must be there. */
static eddy_result take_over_check_way(const eddy_reader *reader, const char *path, uint32_t frame, eddy_error *error) {
    const uint32_t branch = eddy_reader_info(reader)->axis[EDDY_AXIS_WORLD].last_branch;
    for (uint64_t i = 0; i <= frame; i++) {
        if (eddy_reader_frame(reader, EDDY_AXIS_WORLD, branch, (uint32_t)i, NULL, NULL, NULL) == EDDY_OK)
            continue;
        return i == 0 ? eddy_fail(error, EDDY_E_FRAME,
                                  "%s: its first frame is lost to damage, so no frame of it can be "
                                  "played on from",
                                  path)
                      : eddy_fail(error, EDDY_E_FRAME,
                                  "%s: the way to frame %u goes through frame %u, which is lost to "
                                  "damage; the latest to go on from is %u",
                                  path, frame, (uint32_t)i, (uint32_t)i - 1);
    }
    return EDDY_OK;
}

eddy_result session_take_over(engine_session *session, eddy_reader *reader, const char *path, uint32_t frame,
                              eddy_error *error) {
    const uint32_t branch = eddy_reader_info(reader)->axis[EDDY_AXIS_WORLD].last_branch;
    compare_constants(session, reader, path, branch);
    for (uint32_t i = 0; i <= frame; i++) {
        eddy_view view;
        eddy_result result = eddy_reader_read(reader, EDDY_AXIS_WORLD, branch, i, &view, error);
        if (result == EDDY_OK)
            result = eddy_timeline_append(session->frames, &view, error);
        if (result != EDDY_OK)
            return result;
    }
    uint32_t holder = branch;
    eddy_reader_frame(reader, EDDY_AXIS_WORLD, branch, frame, &holder, NULL, NULL);
    take_over_immune(session, reader, holder, frame);
    eddy_result result = session_show(session, frame, error);
    session->detached = false;
    return result;
}

eddy_result session_take_over_open(const engine_session *session, const char *path, uint32_t frame, eddy_reader **out,
                                   eddy_error *error) {
    eddy_result result = eddy_reader_open(path, out, error);
    if (result == EDDY_OK)
        result = take_over_check(session, eddy_reader_info(*out), path, frame, error);
    if (result == EDDY_OK)
        result = take_over_check_way(*out, path, frame, error);
    if (result != EDDY_OK) {
        eddy_reader_close(*out);
        *out = NULL;
    }
    return result;
}
