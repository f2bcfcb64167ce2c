/* eddy convert: a recording in another form. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "damage.h"
#include "json.h"
#include "output.h"
#include "tool.h"
#include "trace.h"

#define LOST_LISTED_MAX 20
#define PATH_BYTES 1100

typedef struct convert_options {
    const char *to, *recording, *folder;
    bool json, help;
} convert_options;

/** What a run holds, and what it has seen. */
typedef struct convert_run {
    const convert_options *options;
    eddy_reader *reader;
    tool_output *schema, *frames;
    bool made_folder;
    uint64_t written, lost, bytes;
    uint32_t entities_max;
    uint32_t constants; /**< in the epoch of the last frame */
} convert_run;

static const char help[] =
    "usage: eddy convert --to trace F.eddy -o DIR [--json]\n"
    "Writes the last line of a recording as a trace: DIR/schema.json and DIR/frames.bin (tools/README.md).\n"
    "  --to trace  what to write\n"
    "  -o DIR      the folder, made when it is not there; each file takes its place when both are whole\n"
    "  --json      says what was done as one JSON object\n"
    "exit status: 0 done, 3 done, but frames are lost or may be, 1 failed, 2 usage, 130 interrupted\n";

static int parse(int argc, char **argv, convert_options *out) {
    static const struct option options[] = {{"to", required_argument, NULL, 't'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    *out = (convert_options){0};
    optind = 1;
    for (int id; (id = getopt_long(argc, argv, "o:h", options, NULL)) != -1;) {
        if (id == 't')
            out->to = optarg;
        else if (id == 'o')
            out->folder = optarg;
        else if (id == 'j')
            out->json = true;
        else if (id == 'h')
            out->help = true;
        else
            return tool_usage(argv[0], "an option is not understood, or lacks its value");
    }
    if (out->help) {
        fputs(help, stdout);
        return TOOL_DONE;
    }
    if (!out->to || strcmp(out->to, "trace") != 0)
        return tool_usage(argv[0], "--to: expected one of: trace; found %s", out->to ? out->to : "nothing");
    if (argc - optind != 1)
        return tool_usage(argv[0], "expected 1 file, found %d", argc - optind);
    out->recording = argv[optind];
    if (!out->folder)
        return tool_usage(argv[0], "expected -o DIR, the folder to write to");
    if (strcmp(out->folder, "-") == 0)
        return tool_usage(argv[0], "a trace is two files and cannot go to stdout; name a folder");
    return TOOL_DONE;
}

/* ---- the folder and its files ---- */

static eddy_result make_folder(convert_run *run, eddy_error *error) {
    const char *folder = run->options->folder;
    struct stat status;
    if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
        return EDDY_OK;
    run->made_folder = mkdir(folder, 0777) == 0;
    if (run->made_folder)
        return EDDY_OK;
    return eddy_fail(error, EDDY_E_IO, "%.200s: cannot be made a folder: %s; name a folder, or one that can be made",
                     folder, strerror(errno));
}

static eddy_result begin_file(const convert_run *run, const char *name, tool_output **out, eddy_error *error) {
    char path[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", run->options->folder, name) >= (int)sizeof path)
        return eddy_fail(error, EDDY_E_IO, "%.60s...: the name is too long; choose a shorter one",
                         run->options->folder);
    const eddy_result result = tool_output_check(path, run->options->recording, error);
    return result == EDDY_OK ? tool_output_begin(path, out, error) : result;
}

/** Both files take their places, or neither is there. */
static eddy_result end(convert_run *run, eddy_result result, eddy_error *error) {
    bool keep = result == EDDY_OK && !tool_interrupted;
    const eddy_result frames = tool_output_end(run->frames, keep, error);
    keep = keep && frames == EDDY_OK;
    const eddy_result schema = tool_output_end(run->schema, keep, frames == EDDY_OK ? error : NULL);
    if ((!keep || schema != EDDY_OK) && run->made_folder)
        rmdir(run->options->folder);
    if (result == EDDY_OK)
        result = frames == EDDY_OK ? schema : frames;
    return result;
}

/* ---- the trace ---- */

static void put(void *user, const void *bytes, size_t size) {
    convert_run *run = user;
    tool_output_add(run->frames, bytes, size);
    run->bytes += size;
}

static eddy_result write_schema(convert_run *run, eddy_error *error) {
    const eddy_session_info *info = eddy_reader_info(run->reader);
    json_t *document;
    eddy_error cause;
    const eddy_result result =
        trace_schema_json(info->schema, (trace_rate){info->rate_num, info->rate_den}, &document, &cause);
    if (result != EDDY_OK)
        return eddy_fail(error, result, "%.120s: %.270s", run->options->recording, cause.text);
    char *text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    if (!text)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for its schema.json", run->options->recording);
    tool_output_add(run->schema, text, strlen(text));
    tool_output_add(run->schema, "\n", 1);
    free(text);
    return EDDY_OK;
}

/** Writes a frame, or counts it as lost and says so. E_MEMORY, or what the output meets. */
static eddy_result write_frame(convert_run *run, uint32_t branch, uint32_t frame, eddy_error *error) {
    eddy_view view;
    const eddy_result result = eddy_reader_read(run->reader, EDDY_AXIS_WORLD, branch, frame, &view, error);
    if (result == EDDY_E_MEMORY)
        return result;
    if (result != EDDY_OK) {
        if (result != EDDY_E_FRAME && run->lost < LOST_LISTED_MAX) /* what the index lacks is listed at the end */
            fprintf(stderr, "eddy: %s\n", error->text);
        run->lost++;
        return EDDY_OK;
    }
    trace_frame_write(eddy_reader_info(run->reader)->schema, &view, put, run);
    run->entities_max = view.count > run->entities_max ? view.count : run->entities_max;
    run->written++;
    return tool_output_status(run->frames, error);
}

/** The last line from its beginning; what was lost before the first frame that can be read counts too. */
static eddy_result write_frames(convert_run *run, eddy_error *error) {
    const eddy_session_info *info = eddy_reader_info(run->reader);
    const uint32_t branch = info->axis[EDDY_AXIS_WORLD].last_branch;
    const uint32_t first = info->axis[EDDY_AXIS_WORLD].first_frame, last = info->axis[EDDY_AXIS_WORLD].last_frame;
    if (branch == UINT32_MAX)
        return EDDY_OK;
    run->lost = first;
    eddy_result result = EDDY_OK;
    for (uint64_t frame = first; frame <= last && result == EDDY_OK && !tool_interrupted; frame++) {
        trace_progress("convert", frame - first, (uint64_t)last - first + 1);
        result = write_frame(run, branch, (uint32_t)frame, error);
    }
    trace_progress_end();
    eddy_view constants;
    if (result == EDDY_OK &&
        eddy_reader_constants(run->reader, EDDY_AXIS_WORLD, branch, last, &constants, NULL) == EDDY_OK)
        run->constants = constants.count;
    return result;
}

static eddy_result convert(convert_run *run, eddy_error *error) {
    eddy_result result = eddy_reader_open(run->options->recording, &run->reader, error);
    if (result == EDDY_OK)
        result = make_folder(run, error);
    if (result == EDDY_OK)
        result = begin_file(run, "schema.json", &run->schema, error);
    if (result == EDDY_OK)
        result = begin_file(run, "frames.bin", &run->frames, error);
    if (result == EDDY_OK)
        result = write_schema(run, error);
    return result == EDDY_OK ? write_frames(run, error) : result;
}

/* ---- the report ---- */

static void report_json(const convert_run *run) {
    const eddy_session_info *info = eddy_reader_info(run->reader);
    json_t *object = json_pack(
        "{s:i, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:b, s:I}", "schema_version", TOOL_SCHEMA_VERSION,
        "file", tool_json_text(run->options->recording), "directory", tool_json_text(run->options->folder), "to",
        run->options->to, "frames", (json_int_t)run->written, "lost_frames", (json_int_t)run->lost, "entities",
        (json_int_t)run->entities_max, "constants", (json_int_t)run->constants, "types",
        (json_int_t)info->schema->type_count, "bytes", (json_int_t)run->bytes, "rate",
        trace_rate_json((trace_rate){info->rate_num, info->rate_den}), "clean", info->clean, "branch",
        info->axis[EDDY_AXIS_WORLD].frames ? (json_int_t)info->axis[EDDY_AXIS_WORLD].last_branch : -1);
    tool_damage_json(run->reader, object);
    tool_json_line(stdout, object);
}

static int report(const convert_run *run) {
    const eddy_session_info *info = eddy_reader_info(run->reader);
    const bool is_lost = run->lost > 0 || info->damage_count > 0 || !info->clean;
    if (run->options->json)
        report_json(run);
    else
        printf("%s: %" PRIu64 " frames, at most %" PRIu32 " entities at once, %" PRIu64 " bytes\n",
               run->options->folder, run->written, run->entities_max, run->bytes);
    if (run->constants > 0)
        fprintf(stderr, "eddy: %s: %" PRIu32 " constant entities are not in the trace, for they are in no frame\n",
                run->options->recording, run->constants);
    if (is_lost) {
        fprintf(stderr, "eddy: %s: %s; %" PRIu64 " frames of the last line are lost and left out\n",
                run->options->recording, tool_damage_state(info, run->lost > 0 || info->damage_count > 0), run->lost);
        if (info->axis[EDDY_AXIS_WORLD].frames > 0 && info->axis[EDDY_AXIS_WORLD].first_frame > 0)
            fprintf(stderr, "  lost     frames 0 to %" PRIu32 "\n", info->axis[EDDY_AXIS_WORLD].first_frame - 1);
        tool_damage_print(run->reader, stderr);
    }
    return is_lost ? TOOL_LOST : TOOL_DONE;
}

int tool_convert(int argc, char **argv) {
    convert_options options;
    int status = parse(argc, argv, &options);
    if (status != TOOL_DONE || options.help)
        return status;
    tool_catch_interrupts();
    convert_run run = {.options = &options};
    eddy_error error;
    const eddy_result result = end(&run, convert(&run, &error), &error);
    if (tool_interrupted)
        status = TOOL_INTERRUPTED;
    else
        status = result == EDDY_OK ? report(&run) : tool_failed(&error);
    eddy_reader_close(run.reader);
    return status;
}
