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
        session_log(session, "%s: the map has changed since it was recorded", path);
}

static bool same_types(const eddy_schema *a, const eddy_schema *b) {
    if (a->type_count != b->type_count)
        return false;
    for (uint32_t i = 0; i < a->type_count; i++) {
        if (strcmp(a->types[i].name, b->types[i].name) != 0 || a->types[i].field_count != b->types[i].field_count)
            return false;
        for (uint32_t j = 0; j < a->types[i].field_count; j++) {
            const eddy_field *f = &a->types[i].fields[j], *g = &b->types[i].fields[j];
            if (strcmp(f->name, g->name) != 0 || f->kind != g->kind || f->count != g->count)
                return false;
        }
    }
    return true;
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
            session_log(session, "immune entities begin again: %s", error.text);
        return;
    }
}

static eddy_result take_over_frames(engine_session *session, eddy_reader *reader, const char *path, uint32_t frame,
                                    eddy_error *error) {
    const eddy_session_info *info = eddy_reader_info(reader);
    const uint32_t branch = info->axis[EDDY_AXIS_WORLD].last_branch;
    if (info->axis[EDDY_AXIS_WORLD].frames == 0 || frame > info->axis[EDDY_AXIS_WORLD].last_frame)
        return eddy_fail(error, EDDY_E_FRAME, "%s: frame %u is not on its last line, which has frames 0 to %u", path,
                         frame, info->axis[EDDY_AXIS_WORLD].last_frame);
    if (!same_types(info->schema, world_schema()))
        return eddy_fail(error, EDDY_E_SCHEMA, "%s: its entities are not this program's; it was made by %s", path,
                         info->program);
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

eddy_result session_take_over(engine_session *session, const char *path, uint32_t frame, eddy_error *error) {
    eddy_reader *reader;
    eddy_result result = eddy_reader_open(path, &reader, error);
    if (result != EDDY_OK)
        return result;
    result = take_over_frames(session, reader, path, frame, error);
    eddy_reader_close(reader);
    return result;
}
