/* Handles: an entity named from outside the recorded world. The branch is the epoch: ids are given anew on every
 * branch, so an id alone could come to mean something born after the future it was taken in had been cut. */
#include "timeline.h"

eddy_result eddy_timeline_handle(eddy_timeline *timeline, eddy_id id, uint32_t frame, eddy_handle *out,
                                 eddy_error *error) {
    *out = (eddy_handle){0};
    eddy_view view;
    eddy_result result = eddy_timeline_read(timeline, frame, &view, error);
    if (result != EDDY_OK) {
        return result;
    }
    if (!eddy_view_find(&view, id)) {
        return eddy_fail(error, EDDY_E_ENTITY, "entity %u is not in frame %u", id, frame);
    }
    *out = (eddy_handle){.id = id, .branch = line_branch_of(&timeline->line, frame), .frame = frame};
    return EDDY_OK;
}

/* The last frame that the line on which a handle was taken has in common with the present one. False: it cannot be told
 * any more. `is_on_line`: the frame of the handle itself is. */
static bool common_frame(const eddy_timeline *timeline, const eddy_handle *handle, uint32_t *common, bool *is_on_line) {
    const frame_line *line = &timeline->line;
    uint32_t last;
    if (line_last_frame_of(line, handle->branch, &last)) {
        *is_on_line = handle->frame <= last;
        *common = *is_on_line ? handle->frame : last;
        return true;
    }
    *is_on_line = false;
    if (handle->branch < timeline->switched_branch) {
        return false; /* the line was left for another that is older than what both have in common */
    }
    /* Later branches were cut from this line, the earliest of those that are left at the lowest frame. */
    for (uint32_t i = 0; i < line->branch_count; i++) {
        if (line->branches[i].branch > handle->branch) {
            *common = line->branches[i].first_frame - 1;
            *common = *common < handle->frame ? *common : handle->frame;
            return line->branches[i].first_frame > line_kept(line).first_frame;
        }
    }
    return false;
}

bool eddy_timeline_resolve(eddy_timeline *timeline, eddy_handle *handle, uint32_t frame, eddy_entity *out) {
    eddy_view view;
    uint32_t common;
    bool is_same;
    if (handle->id == 0 || line_kept(&timeline->line).count == 0 ||
        !common_frame(timeline, handle, &common, &is_same)) {
        return false;
    }
    if (!is_same) {
        is_same = eddy_timeline_read(timeline, common, &view, NULL) == EDDY_OK && eddy_view_find(&view, handle->id);
    }
    if (!is_same || eddy_timeline_read(timeline, frame, &view, NULL) != EDDY_OK) {
        return false;
    }
    const eddy_entity *entity = eddy_view_find(&view, handle->id);
    if (!entity) {
        return false;
    }
    *out = *entity;
    handle->branch = line_branch_of(&timeline->line, frame);
    handle->frame = frame;
    return true;
}
