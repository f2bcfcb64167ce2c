/* eddy diff: the first frame in which two recordings differ, or how two frames do. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/path.h"
#include "json.h"
#include "tool.h"

enum diff_status { DIFF_SAME = 0, DIFF_DIFFERENT = 1, DIFF_TROUBLE = 2 };

#define DIFF_LISTED_MAX 200 /**< differing fields named one by one */

/** One side: a file, and perhaps one frame of its last line. */
typedef struct diff_side {
    char path[ENGINE_PATH_BYTES];
    bool has_frame;
    uint32_t frame;
    eddy_reader *reader;
    const eddy_session_info *info;
} diff_side;

/** Where the sides first differ, and in what. */
typedef struct diff_findings {
    const eddy_schema *schema;
    bool json;
    json_t *list;
    uint32_t count;
} diff_findings;

/* ---- opening ---- */

/** False after a message. */
static bool side_parse(const char *text, diff_side *side) {
    const char *at = strrchr(text, '@');
    uint64_t frame = 0;
    side->has_frame = at && at != text && tool_number(at + 1, 0, UINT32_MAX, &frame);
    side->frame = (uint32_t)frame;
    const int length = side->has_frame ? (int)(at - text) : (int)strlen(text);
    eddy_error error;
    const bool fits = engine_path_print(side->path, sizeof side->path, &error, "%.*s", length, text) == EDDY_OK;
    if (!fits)
        tool_failed(&error);
    return fits;
}

static bool side_open(diff_side *side) {
    eddy_error error;
    if (eddy_reader_open(side->path, &side->reader, &error) != EDDY_OK) {
        tool_failed(&error);
        return false;
    }
    side->info = eddy_reader_info(side->reader);
    return true;
}

/* ---- fields ---- */

static bool add_difference(void *user, const eddy_difference *difference) {
    diff_findings *findings = user;
    if (findings->count++ >= DIFF_LISTED_MAX)
        return false;
    const char *type = findings->schema->types[difference->type].name;
    char a[128] = "absent", b[128] = "absent";
    const eddy_field *field = difference->field;
    if (field) {
        eddy_value_print(field, difference->old_value, a, sizeof a);
        eddy_value_print(field, difference->new_value, b, sizeof b);
    } else {
        snprintf(difference->old_value ? a : b, sizeof a, "present");
    }
    if (findings->json) {
        json_array_append_new(
            findings->list, json_pack("{s:I, s:s, s:s?, s:I, s:o, s:o}", "id", (json_int_t)difference->id, "type", type,
                                      "field", field ? field->name : NULL, "element", (json_int_t)difference->element,
                                      "a", tool_json_text(a), "b", tool_json_text(b)));
    } else if (!field) {
        printf("  %s#%" PRIu32 ": %s | %s\n", type, difference->id, a, b);
    } else if (field->count > 1 && field->kind != EDDY_STR) {
        printf("  %s#%" PRIu32 ".%s[%" PRIu32 "]: %s | %s\n", type, difference->id, field->name, difference->element, a,
               b);
    } else {
        printf("  %s#%" PRIu32 ".%s: %s | %s\n", type, difference->id, field->name, a, b);
    }
    return true;
}

/** Compares one frame of each side field by field. A reader's view lasts until its next read, so each side has a reader
 * of its own even when both are one file. */
static int compare_frames(diff_side *a, diff_side *b, eddy_axis axis, uint32_t branch_a, uint32_t frame_a,
                          uint32_t branch_b, uint32_t frame_b, diff_findings *findings) {
    eddy_view view_a, view_b;
    eddy_error error;
    if (eddy_reader_read(a->reader, axis, branch_a, frame_a, &view_a, &error) != EDDY_OK ||
        eddy_reader_read(b->reader, axis, branch_b, frame_b, &view_b, &error) != EDDY_OK) {
        tool_failed(&error);
        return DIFF_TROUBLE;
    }
    findings->schema = a->info->schema;
    eddy_view_diff(a->info->schema, &view_a, &view_b, add_difference, findings);
    return findings->count ? DIFF_DIFFERENT : DIFF_SAME;
}

/* ---- whole recordings ---- */

/** What the first difference is, in words; empty: none. */
typedef struct diff_place {
    char text[200];
    bool in_frame; /**< a frame both sides hold */
    eddy_axis axis;
    uint32_t branch, frame;
} diff_place;

static const eddy_branch_info *find_branch(const eddy_session_info *info, eddy_axis axis, uint32_t branch) {
    for (uint32_t i = 0; i < info->axis[axis].branch_count; i++)
        if (info->axis[axis].branches[i].branch == branch)
            return &info->axis[axis].branches[i];
    return NULL;
}

static bool compare_branch(const diff_side *a, const diff_side *b, eddy_axis axis, const eddy_branch_info *in_a,
                           const eddy_branch_info *in_b, diff_place *place) {
    const char *unit = tool_axis_unit(axis);
    if (in_a->first_frame != in_b->first_frame || in_a->parent != in_b->parent) {
        snprintf(place->text, sizeof place->text, "branch %" PRIu32 " begins at %s %" PRIu32 " | %" PRIu32,
                 in_a->branch, unit, in_a->first_frame, in_b->first_frame);
        return false;
    }
    const uint32_t last = in_a->last_frame < in_b->last_frame ? in_a->last_frame : in_b->last_frame;
    for (uint64_t frame = in_a->first_frame; frame <= last; frame++) {
        uint64_t hash_a = 0, hash_b = 0;
        const bool has_a =
            eddy_reader_frame(a->reader, axis, in_a->branch, (uint32_t)frame, NULL, &hash_a, NULL) == EDDY_OK;
        const bool has_b =
            eddy_reader_frame(b->reader, axis, in_a->branch, (uint32_t)frame, NULL, &hash_b, NULL) == EDDY_OK;
        if (has_a == has_b && hash_a == hash_b)
            continue;
        *place =
            (diff_place){.in_frame = has_a && has_b, .axis = axis, .branch = in_a->branch, .frame = (uint32_t)frame};
        snprintf(place->text, sizeof place->text, "%s %" PRIu32 " of branch %" PRIu32 " %s", unit, place->frame,
                 place->branch,
                 has_a && has_b ? "differs"
                 : has_a        ? "is only in the first"
                                : "is only in the second");
        return false;
    }
    if (in_a->last_frame == in_b->last_frame)
        return true;
    snprintf(place->text, sizeof place->text, "branch %" PRIu32 " ends at %s %" PRIu32 " | %" PRIu32, in_a->branch,
             unit, in_a->last_frame, in_b->last_frame);
    return false;
}

/** True when one axis is the same on both sides. */
static bool compare_axis(const diff_side *a, const diff_side *b, eddy_axis axis, diff_place *place) {
    for (uint32_t i = 0; i < a->info->axis[axis].branch_count; i++) {
        const eddy_branch_info *in_a = &a->info->axis[axis].branches[i];
        const eddy_branch_info *in_b = find_branch(b->info, axis, in_a->branch);
        if (!in_b) {
            snprintf(place->text, sizeof place->text, "branch %" PRIu32 " is only in the first", in_a->branch);
            return false;
        }
        if (!compare_branch(a, b, axis, in_a, in_b, place))
            return false;
    }
    if (a->info->axis[axis].branch_count == b->info->axis[axis].branch_count)
        return true;
    snprintf(place->text, sizeof place->text, "the second has %" PRIu32 " branches, the first %" PRIu32,
             b->info->axis[axis].branch_count, a->info->axis[axis].branch_count);
    return false;
}

static int compare_whole(diff_side *a, diff_side *b, diff_place *place, diff_findings *findings) {
    if (compare_axis(a, b, EDDY_AXIS_WORLD, place) && compare_axis(a, b, EDDY_AXIS_TICKS, place))
        return DIFF_SAME;
    if (!findings->json)
        printf("%s | %s: %s\n", a->path, b->path, place->text);
    if (place->in_frame && compare_frames(a, b, place->axis, place->branch, place->frame, place->branch, place->frame,
                                          findings) == DIFF_TROUBLE)
        return DIFF_TROUBLE;
    return DIFF_DIFFERENT;
}

/* ---- the verb ---- */

static int compare_sides(diff_side *a, diff_side *b, diff_findings *findings) {
    diff_place place = {0};
    const char *schemas = eddy_schema_difference(a->info->schema, b->info->schema);
    int status;
    if (schemas) {
        snprintf(place.text, sizeof place.text, "their entity types differ: %.100s", schemas);
        if (!findings->json)
            printf("%s | %s: %s\n", a->path, b->path, place.text);
        status = DIFF_DIFFERENT;
    } else if (a->has_frame) {
        status = compare_frames(a, b, EDDY_AXIS_WORLD, a->info->axis[EDDY_AXIS_WORLD].last_branch, a->frame,
                                b->info->axis[EDDY_AXIS_WORLD].last_branch, b->frame, findings);
    } else {
        status = compare_whole(a, b, &place, findings);
    }
    if (findings->count > DIFF_LISTED_MAX)
        fprintf(stderr, "eddy: only the first %d differing fields are listed\n", DIFF_LISTED_MAX);
    if (findings->json && status != DIFF_TROUBLE) {
        json_t *object = json_pack("{s:i, s:b, s:s}", "schema_version", TOOL_SCHEMA_VERSION, "same",
                                   status == DIFF_SAME, "place", place.text);
        if (place.in_frame) {
            json_object_set_new(object, "axis", json_string(tool_axis_unit(place.axis)));
            json_object_set_new(object, "branch", json_integer(place.branch));
            json_object_set_new(object, "frame", json_integer(place.frame));
        }
        json_object_set(object, "differences", findings->list);
        tool_json_line(stdout, object);
    }
    return status;
}

static const char help[] =
    "usage: eddy diff A B [--json]\n"
    "       eddy diff A@FRAME B@FRAME [--json]\n"
    "Names the first frame in which two recordings differ and its entities and fields, or compares\n"
    "two frames of their last lines (A and B may be one file).\n"
    "exit status: 0 same, 1 different, 2 trouble\n";

int tool_diff(int argc, char **argv) {
    tool_file_options options;
    const int parsed = tool_file_parse(argc, argv, help, 2, &options);
    if (parsed != TOOL_DONE || options.help)
        return parsed == TOOL_DONE ? DIFF_SAME : DIFF_TROUBLE;
    diff_side a = {0}, b = {0};
    if (!side_parse(options.paths[0], &a) || !side_parse(options.paths[1], &b))
        return DIFF_TROUBLE;
    if (a.has_frame != b.has_frame) {
        tool_usage("diff", "name a frame on both sides or on none, as A@120 A@180");
        return DIFF_TROUBLE;
    }
    diff_findings findings = {.json = options.json, .list = json_array()};
    int status = DIFF_TROUBLE;
    if (side_open(&a) && side_open(&b))
        status = compare_sides(&a, &b, &findings);
    eddy_reader_close(a.reader);
    eddy_reader_close(b.reader);
    json_decref(findings.list);
    return fflush(stdout) == 0 && !ferror(stdout) ? status : DIFF_TROUBLE; /* said by main */
}
