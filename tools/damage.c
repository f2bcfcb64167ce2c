#include "damage.h"

#include <inttypes.h>

#include "json.h"
#include "tool.h"

#define LOST_LISTED_MAX 20

/** A run of frames that are not there. */
typedef struct lost_run {
    eddy_axis axis;
    uint32_t branch, first_frame, last_frame;
} lost_run;

typedef void (*lost_each)(void *user, const lost_run *run);

static bool is_held(const eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame) {
    return eddy_reader_frame(reader, axis, branch, frame, NULL, NULL, NULL) == EDDY_OK;
}

static void lost_in_branch(const eddy_reader *reader, eddy_axis axis, const eddy_branch_info *branch, lost_each each,
                           void *user) {
    const uint64_t end = (uint64_t)branch->last_frame + 1;
    for (uint64_t frame = branch->first_frame; frame < end; frame++) {
        if (is_held(reader, axis, branch->branch, (uint32_t)frame))
            continue;
        lost_run run = {axis, branch->branch, (uint32_t)frame, (uint32_t)frame};
        while (frame + 1 < end && !is_held(reader, axis, branch->branch, (uint32_t)frame + 1))
            run.last_frame = (uint32_t)++frame;
        each(user, &run);
    }
}

static void lost_walk(const eddy_reader *reader, lost_each each, void *user) {
    const eddy_session_info *info = eddy_reader_info(reader);
    for (int axis = 0; axis < EDDY_AXIS_COUNT; axis++)
        for (uint32_t i = 0; i < info->axis[axis].branch_count; i++)
            lost_in_branch(reader, (eddy_axis)axis, &info->axis[axis].branches[i], each, user);
}

/** Where lines go, and how many have. */
typedef struct lost_lines {
    FILE *out;
    uint32_t count;
} lost_lines;

static void print_run(void *user, const lost_run *run) {
    lost_lines *lines = user;
    if (lines->count++ >= LOST_LISTED_MAX)
        return;
    fprintf(lines->out, "  lost     %ss %" PRIu32 " to %" PRIu32 " of branch %" PRIu32 "\n", tool_axis_unit(run->axis),
            run->first_frame, run->last_frame, run->branch);
}

void tool_damage_print(const eddy_reader *reader, FILE *out) {
    const eddy_session_info *info = eddy_reader_info(reader);
    if (info->damage_count)
        fprintf(out, "  damage   in %" PRIu32 " place%s, %" PRIu64 " bytes are lost; first: %s\n", info->damage_count,
                info->damage_count == 1 ? "" : "s", info->lost_bytes, info->damage_text);
    lost_lines lines = {.out = out};
    lost_walk(reader, print_run, &lines);
    if (lines.count > LOST_LISTED_MAX)
        fprintf(out, "  lost     and %" PRIu32 " more runs: see --json\n", lines.count - LOST_LISTED_MAX);
}

static void append_run(void *user, const lost_run *run) {
    json_array_append_new(user, json_pack("{s:s, s:I, s:I, s:I}", "axis", tool_axis_unit(run->axis), "branch",
                                          (json_int_t)run->branch, "first_frame", (json_int_t)run->first_frame,
                                          "last_frame", (json_int_t)run->last_frame));
}

void tool_damage_json(const eddy_reader *reader, json_t *object) {
    const eddy_session_info *info = eddy_reader_info(reader);
    json_t *runs = json_array();
    lost_walk(reader, append_run, runs);
    json_object_set_new(object, "damage_count", json_integer(info->damage_count));
    json_object_set_new(object, "damage", tool_json_text(info->damage_text));
    json_object_set_new(object, "lost", runs);
    json_object_set_new(object, "lost_bytes", json_integer((json_int_t)info->lost_bytes));
}

const char *tool_damage_state(const eddy_session_info *info, bool damaged) {
    return damaged ? "damaged" : info->clean ? "closed and whole" : "whole, not closed";
}

uint64_t tool_ticks_held(const eddy_session_info *info) {
    const uint64_t held = info->axis[EDDY_AXIS_TICKS].frames;
    return held > 0 ? held - 1 : 0;
}
