/* eddy info: what a recording holds, without the game. */
#include <inttypes.h>

#include "damage.h"
#include "json.h"
#include "tool.h"

#define INFO_NOTES_LISTED_MAX 20 /**< in text */

/** What a walk over every stored frame finds. */
typedef struct info_walk {
    uint32_t entities; /**< most at once, constants left out */
    uint64_t sounds;   /**< sound entities that ever were, by branch and id */
    uint64_t unreadable;
} info_walk;

/** Counts the sounds of a frame that the frame before did not have. */
static void count_sounds(const eddy_view *view, uint32_t sound_type, eddy_id *newest, info_walk *walk) {
    for (uint32_t i = 0; i < view->count; i++)
        if (view->entities[i].type == sound_type && view->entities[i].id > *newest) {
            *newest = view->entities[i].id; /* ids grow along a line */
            walk->sounds++;
        }
}

/** The largest sound id alive where a branch forks off, so that an ancestor's sounds are not counted again. */
static eddy_id newest_before(eddy_reader *reader, const eddy_branch_info *branch, uint32_t sound_type) {
    eddy_view view;
    eddy_id newest = 0;
    if (branch->parent == UINT32_MAX || branch->first_frame == 0 ||
        eddy_reader_read(reader, EDDY_AXIS_WORLD, branch->parent, branch->first_frame - 1, &view, NULL) != EDDY_OK)
        return 0;
    for (uint32_t i = 0; i < view.count; i++)
        if (view.entities[i].type == sound_type)
            newest = view.entities[i].id;
    return newest;
}

static info_walk walk_frames(eddy_reader *reader) {
    const eddy_session_info *info = eddy_reader_info(reader);
    const uint32_t sound_type = eddy_schema_find(info->schema, "sound");
    info_walk walk = {0};
    for (uint32_t b = 0; b < info->axis[EDDY_AXIS_WORLD].branch_count; b++) {
        const eddy_branch_info *branch = &info->axis[EDDY_AXIS_WORLD].branches[b];
        eddy_id newest = newest_before(reader, branch, sound_type);
        for (uint64_t frame = branch->first_frame; frame <= branch->last_frame; frame++) {
            eddy_view view;
            if (eddy_reader_read(reader, EDDY_AXIS_WORLD, branch->branch, (uint32_t)frame, &view, NULL) != EDDY_OK) {
                walk.unreadable++;
                continue;
            }
            if (view.count > walk.entities)
                walk.entities = view.count;
            count_sounds(&view, sound_type, &newest, &walk);
        }
    }
    return walk;
}

/** A whole rate is a whole number. */
static json_t *rate_json(const eddy_session_info *info) {
    if (info->rate_num % info->rate_den == 0)
        return json_integer(info->rate_num / info->rate_den);
    return json_real((double)info->rate_num / info->rate_den);
}

static double bytes_per_minute(const eddy_session_info *info) {
    const uint64_t frames = info->axis[EDDY_AXIS_WORLD].frames;
    const double seconds = (double)frames * info->rate_den / info->rate_num;
    return frames ? (double)info->file_bytes / seconds * 60 : 0;
}

static json_t *types_json(const eddy_schema *schema) {
    json_t *types = json_array();
    for (uint32_t i = 0; i < schema->type_count; i++) {
        const eddy_type *type = &schema->types[i];
        json_t *fields = json_array();
        for (uint32_t j = 0; j < type->field_count; j++) {
            const eddy_field *field = &type->fields[j];
            json_t *row = json_pack("{s:s, s:s, s:I}", "name", field->name, "kind", eddy_kind_name(field->kind),
                                    "count", (json_int_t)field->count);
            if (field->unit && field->unit[0])
                json_object_set_new(row, "unit", json_string(field->unit));
            json_array_append_new(fields, row);
        }
        json_array_append_new(
            types, json_pack("{s:s, s:I, s:o}", "name", type->name, "size", (json_int_t)type->size, "fields", fields));
    }
    return types;
}

static json_t *branches_json(const eddy_session_info *info) {
    json_t *list = json_array();
    for (uint32_t b = 0; b < info->axis[EDDY_AXIS_WORLD].branch_count; b++) {
        const eddy_branch_info *branch = &info->axis[EDDY_AXIS_WORLD].branches[b];
        json_t *row = json_pack("{s:I, s:I, s:I}", "branch", (json_int_t)branch->branch, "first_frame",
                                (json_int_t)branch->first_frame, "last_frame", (json_int_t)branch->last_frame);
        json_object_set_new(row, "parent", branch->parent == UINT32_MAX ? json_null() : json_integer(branch->parent));
        json_array_append_new(list, row);
    }
    return list;
}

/** [{"tick", "text"}], in the order of the file. */
static json_t *notes_json(const eddy_reader *reader) {
    json_t *list = json_array();
    uint64_t tick;
    const char *text;
    for (uint32_t i = 0; eddy_reader_note(reader, i, &tick, &text, NULL) == EDDY_OK; i++)
        json_array_append_new(list, json_pack("{s:I, s:o}", "tick", (json_int_t)tick, "text", tool_json_text(text)));
    return list;
}

static void print_json(const char *path, const eddy_reader *reader, const info_walk *walk) {
    const eddy_session_info *info = eddy_reader_info(reader);
    json_t *object = json_pack("{s:i, s:o, s:o, s:o, s:I}", "schema_version", TOOL_SCHEMA_VERSION, "file",
                               tool_json_text(path), "title", tool_json_text(info->title), "program",
                               tool_json_text(info->program), "format_version", (json_int_t)info->version);
    json_object_set_new(object, "frames", json_integer((json_int_t)info->axis[EDDY_AXIS_WORLD].frames));
    json_object_set_new(object, "ticks", json_integer((json_int_t)tool_ticks_held(info)));
    json_object_set_new(object, "first_frame", json_integer(info->axis[EDDY_AXIS_WORLD].first_frame));
    json_object_set_new(object, "last_frame", json_integer(info->axis[EDDY_AXIS_WORLD].last_frame));
    json_object_set_new(object, "rate", rate_json(info));
    json_object_set_new(object, "branches", json_integer(info->axis[EDDY_AXIS_WORLD].branch_count));
    json_object_set_new(object, "branch_list", branches_json(info));
    json_object_set_new(object, "entities", json_integer(walk->entities));
    json_object_set_new(object, "types", types_json(info->schema));
    json_object_set_new(object, "bytes", json_integer((json_int_t)info->file_bytes));
    json_object_set_new(object, "bytes_per_minute", json_real(bytes_per_minute(info)));
    json_object_set_new(object, "clean", json_boolean(info->clean));
    json_object_set_new(object, "markers", json_integer(0));
    json_object_set_new(object, "notes", notes_json(reader));
    json_object_set_new(object, "sounds", json_integer((json_int_t)walk->sounds));
    tool_damage_json(reader, object);
    tool_json_line(stdout, object);
}

static void print_notes(const eddy_reader *reader) {
    const uint32_t count = eddy_reader_info(reader)->note_count;
    printf("  notes    %" PRIu32 "\n", count);
    for (uint32_t i = 0; i < count && i < INFO_NOTES_LISTED_MAX; i++) {
        uint64_t tick;
        const char *text;
        if (eddy_reader_note(reader, i, &tick, &text, NULL) == EDDY_OK)
            printf("    tick %" PRIu64 ": %s\n", tick, text);
    }
    if (count > INFO_NOTES_LISTED_MAX)
        printf("    and %" PRIu32 " more: see --json\n", count - INFO_NOTES_LISTED_MAX);
}

static void print_text(const char *path, const eddy_reader *reader, const info_walk *walk) {
    const eddy_session_info *info = eddy_reader_info(reader);
    const uint64_t frames = info->axis[EDDY_AXIS_WORLD].frames;
    const double seconds = (double)frames * info->rate_den / info->rate_num;
    printf("%s: %s, made by %s, format %" PRIu32 "\n", path, info->title, info->program, info->version);
    printf("  frames   %" PRIu64 " (%d:%06.3f) on %" PRIu32 " branch%s; the last line has %" PRIu32 " to %" PRIu32 "\n",
           frames, (int)(seconds / 60), seconds - 60.0 * (int)(seconds / 60), info->axis[EDDY_AXIS_WORLD].branch_count,
           info->axis[EDDY_AXIS_WORLD].branch_count == 1 ? "" : "es", info->axis[EDDY_AXIS_WORLD].first_frame,
           info->axis[EDDY_AXIS_WORLD].last_frame);
    printf("  ticks    %" PRIu64 "\n", tool_ticks_held(info));
    printf("  entities %" PRIu32 " at most at once, of %" PRIu32 " types; %" PRIu64 " sounds\n", walk->entities,
           info->schema->type_count, walk->sounds);
    printf("  bytes    %" PRIu64 ", %.3f MB a minute\n", info->file_bytes, bytes_per_minute(info) / 1e6);
    print_notes(reader);
    printf("  state    %s\n", tool_damage_state(info, info->damage_count > 0));
    tool_damage_print(reader, stdout);
}

static const char help[] = "usage: eddy info FILE [--json]\n"
                           "Says what a recording holds.\n"
                           "exit status: 0 closed and whole, 3 something is missing, 1 cannot be opened, 2 usage\n";

int tool_info(int argc, char **argv) {
    tool_file_options options;
    int status = tool_file_parse(argc, argv, help, 1, &options);
    if (status != TOOL_DONE || options.help)
        return status;
    eddy_error error;
    eddy_reader *reader;
    if (eddy_reader_open(options.paths[0], &reader, &error) != EDDY_OK)
        return tool_failed(&error);
    const eddy_session_info *info = eddy_reader_info(reader);
    const info_walk walk = walk_frames(reader);
    if (options.json)
        print_json(options.paths[0], reader, &walk);
    else
        print_text(options.paths[0], reader, &walk);
    status = info->clean && info->damage_count == 0 && walk.unreadable == 0 ? TOOL_DONE : TOOL_LOST;
    eddy_reader_close(reader);
    return status;
}
