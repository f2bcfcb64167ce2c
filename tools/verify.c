/* eddy verify: reads every byte and frame of a recording and says whether it is what was recorded. */
#include <inttypes.h>

#include "damage.h"
#include "json.h"
#include "tool.h"

#define VERIFY_LISTED_MAX 20 /**< bad frames named one by one */

typedef struct verify_findings {
    bool json;
    json_t *list;
    uint64_t count;
} verify_findings;

static void bad_frame(void *user, eddy_axis axis, uint32_t branch, uint32_t frame, const eddy_error *error) {
    verify_findings *findings = user;
    if (findings->count++ >= VERIFY_LISTED_MAX)
        return;
    const char *name = tool_axis_unit(axis);
    if (findings->json)
        json_array_append_new(findings->list,
                              json_pack("{s:s, s:I, s:I, s:o}", "axis", name, "branch", (json_int_t)branch, "frame",
                                        (json_int_t)frame, "error", tool_json_text(error->text)));
    else
        printf("  %s %" PRIu32 " of branch %" PRIu32 ": %s\n", name, frame, branch, error->text);
}

static void print_json(const char *path, const eddy_reader *reader, const char *state, verify_findings *findings) {
    const eddy_session_info *info = eddy_reader_info(reader);
    json_t *object = json_pack("{s:i, s:o, s:s, s:b}", "schema_version", TOOL_SCHEMA_VERSION, "file",
                               tool_json_text(path), "state", state, "clean", info->clean);
    json_object_set_new(object, "frames", json_integer((json_int_t)info->axis[EDDY_AXIS_WORLD].frames));
    json_object_set_new(object, "ticks", json_integer((json_int_t)tool_ticks_held(info)));
    json_object_set_new(object, "bad_frames", json_integer((json_int_t)findings->count));
    json_object_set(object, "bad", findings->list);
    tool_damage_json(reader, object);
    tool_json_line(stdout, object);
}

static const char help[] = "usage: eddy verify FILE [--json]\n"
                           "Checks every record and decodes and rehashes every frame.\n"
                           "exit status: 0 closed and whole, 3 whole but not closed, 1 damaged, 2 usage\n";

int tool_verify(int argc, char **argv) {
    tool_file_options options;
    int status = tool_file_parse(argc, argv, help, 1, &options);
    if (status != TOOL_DONE || options.help)
        return status;
    eddy_error error;
    eddy_reader *reader;
    if (eddy_reader_open(options.paths[0], &reader, &error) != EDDY_OK)
        return tool_failed(&error);
    const eddy_session_info *info = eddy_reader_info(reader);
    verify_findings findings = {.json = options.json, .list = json_array()};
    const uint64_t bad = eddy_reader_verify(reader, bad_frame, &findings);
    const bool damaged = bad > 0 || info->damage_count > 0;
    const char *state = tool_damage_state(info, damaged);
    if (options.json) {
        print_json(options.paths[0], reader, state, &findings);
    } else {
        printf("%s: %s: %" PRIu64 " frames, %" PRIu64 " ticks, %" PRIu64 " bytes\n", options.paths[0], state,
               info->axis[EDDY_AXIS_WORLD].frames, tool_ticks_held(info), info->file_bytes);
        tool_damage_print(reader, stdout);
    }
    status = damaged ? TOOL_FAILED : info->clean ? TOOL_DONE : TOOL_LOST;
    json_decref(findings.list);
    eddy_reader_close(reader);
    return status;
}
