/* eddy import: a trace becomes a recording. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "output.h"
#include "tool.h"
#include "trace.h"

/* Only the file matters: what the timeline keeps beside it is let go as soon as it can be. */
#define IMPORT_HEAP_BYTES ((size_t)16 << 20)
/* A limit, of which little is ever used: a frame's structs may take a sixteenth of it. */
#define IMPORT_BUDGET_BYTES (TRACE_FRAME_BYTES_MAX * 17)

typedef struct import_options {
    const char *schema, *frames, *output;
    bool json, help;
} import_options;

/** What a run holds, and what it has seen. */
typedef struct import_run {
    const import_options *options;
    trace_schema schema;
    trace_frames *source;
    tool_output *output;
    eddy_writer *writer;
    eddy_timeline *timeline;
    uint64_t frames;
    uint32_t entities_max;
} import_run;

static const char help[] =
    "usage: eddy import --schema S.json --frames F.bin -o F.eddy [--json]\n"
    "Makes a recording of a trace, which any program can write (tools/README.md).\n"
    "  --schema S.json  what types and fields there are; - is stdin\n"
    "  --frames F.bin   the frames; - is stdin\n"
    "  -o F.eddy        the recording; takes its place when it is whole\n"
    "  --json           says what was done as one JSON object\n"
    "exit status: 0 done, 1 the trace is refused or a file could not be used, 2 usage, 130 interrupted\n";

static int parse(int argc, char **argv, import_options *out) {
    static const struct option options[] = {
        {"schema", required_argument, NULL, 's'}, {"frames", required_argument, NULL, 'f'},
        {"output", required_argument, NULL, 'o'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    *out = (import_options){0};
    optind = 1;
    for (int id; (id = getopt_long(argc, argv, "o:h", options, NULL)) != -1;) {
        if (id == 's')
            out->schema = optarg;
        else if (id == 'f')
            out->frames = optarg;
        else if (id == 'o')
            out->output = optarg;
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
    if (optind < argc)
        return tool_usage(argv[0], "expected only options, found \"%s\"", argv[optind]);
    if (!out->schema || !out->frames || !out->output)
        return tool_usage(argv[0], "expected --schema, --frames and -o, found no %s",
                          !out->schema   ? "--schema"
                          : !out->frames ? "--frames"
                                         : "-o");
    if (strcmp(out->output, "-") == 0)
        return tool_usage(argv[0], "a recording cannot go to stdout; name a file");
    if (strcmp(out->schema, "-") == 0 && strcmp(out->frames, "-") == 0)
        return tool_usage(argv[0], "--schema and --frames cannot both be stdin; name a file for one");
    return TOOL_DONE;
}

/** The name of an input's file, for comparing. */
static const char *input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}

static eddy_result begin(import_run *run, eddy_error *error) {
    const import_options *options = run->options;
    eddy_result result = tool_output_check(options->output, input_name(options->schema), error);
    if (result == EDDY_OK)
        result = tool_output_check(options->output, input_name(options->frames), error);
    if (result == EDDY_OK)
        result = trace_schema_load(options->schema, &run->schema, error);
    if (result == EDDY_OK)
        result = trace_frames_open(options->frames, &run->schema.schema, &run->source, error);
    if (result == EDDY_OK)
        result = tool_output_begin(options->output, &run->output, error);
    return result;
}

static eddy_result begin_recording(import_run *run, eddy_error *error) {
    eddy_result result = eddy_writer_create(&(eddy_writer_desc){.path = tool_output_beside(run->output),
                                                                .schema = &run->schema.schema,
                                                                .rate_num = run->schema.rate.num,
                                                                .rate_den = run->schema.rate.den,
                                                                .title = "trace",
                                                                .program = "eddy " EDDY_VERSION},
                                            &run->writer, error);
    if (result == EDDY_OK)
        result = eddy_timeline_create(&(eddy_timeline_desc){.schema = &run->schema.schema,
                                                            .budget_bytes = IMPORT_BUDGET_BYTES,
                                                            .heap_bytes_max = IMPORT_HEAP_BYTES,
                                                            .sealing = EDDY_SEALING_OFF},
                                      &run->timeline, error);
    return result == EDDY_OK ? eddy_writer_attach(run->writer, EDDY_AXIS_WORLD, run->timeline, error) : result;
}

/** The next frame of the trace becomes one of the recording. */
static eddy_result import_frame(import_run *run, bool *is_end, eddy_error *error) {
    eddy_view view;
    eddy_error cause;
    eddy_result result = trace_frames_read(run->source, &view, is_end, error);
    if (result != EDDY_OK || *is_end)
        return result;
    if (eddy_timeline_append(run->timeline, &view, &cause) != EDDY_OK)
        return trace_frames_refuse(run->source, &cause, error);
    result = eddy_writer_status(run->writer, error);
    if (result != EDDY_OK)
        return result;
    run->entities_max = view.count > run->entities_max ? view.count : run->entities_max;
    run->frames++;
    return eddy_timeline_forget(run->timeline, eddy_timeline_kept(run->timeline).last_frame, error);
}

static eddy_result import_frames(import_run *run, eddy_error *error) {
    bool is_end = false;
    eddy_result result = EDDY_OK;
    while (result == EDDY_OK && !is_end && !tool_interrupted) {
        trace_progress("import", run->frames, 0);
        result = import_frame(run, &is_end, error);
    }
    trace_progress_end();
    return result;
}

/** Closes everything; the recording takes its place if all went well. */
static eddy_result end(import_run *run, eddy_result result, eddy_error *error) {
    const eddy_result closed = eddy_writer_close(run->writer, result == EDDY_OK ? error : NULL);
    result = result == EDDY_OK ? closed : result;
    if (result != EDDY_OK && run->output)
        tool_output_rename_error(run->output, error);
    const bool keep = result == EDDY_OK && !tool_interrupted;
    const eddy_result placed = tool_output_end(run->output, keep, keep ? error : NULL);
    eddy_timeline_destroy(run->timeline);
    return result == EDDY_OK ? placed : result;
}

static void report(const import_run *run) {
    const import_options *options = run->options;
    struct stat status = {0};
    stat(options->output, &status);
    const uint64_t bytes_read = trace_frames_bytes(run->source), bytes = (uint64_t)status.st_size;
    if (!options->json) {
        printf("%s: %" PRIu64 " frames, at most %" PRIu32 " entities at once; %" PRIu64 " bytes of %" PRIu64 "\n",
               options->output, run->frames, run->entities_max, bytes, bytes_read);
        return;
    }
    json_t *object =
        json_pack("{s:i, s:o, s:I, s:I, s:I, s:o, s:I, s:I}", "schema_version", TOOL_SCHEMA_VERSION, "file",
                  tool_json_text(options->output), "frames", (json_int_t)run->frames, "entities",
                  (json_int_t)run->entities_max, "types", (json_int_t)run->schema.schema.type_count, "rate",
                  trace_rate_json(run->schema.rate), "bytes_read", (json_int_t)bytes_read, "bytes", (json_int_t)bytes);
    tool_json_line(stdout, object);
}

int tool_import(int argc, char **argv) {
    import_options options;
    int status = parse(argc, argv, &options);
    if (status != TOOL_DONE || options.help)
        return status;
    tool_catch_interrupts();
    import_run run = {.options = &options};
    eddy_error error;
    eddy_result result = begin(&run, &error);
    if (result == EDDY_OK)
        result = begin_recording(&run, &error);
    if (result == EDDY_OK)
        result = import_frames(&run, &error);
    result = end(&run, result, &error);
    if (tool_interrupted)
        status = TOOL_INTERRUPTED;
    else if (result != EDDY_OK)
        status = tool_failed(&error);
    else
        report(&run);
    trace_frames_close(run.source);
    trace_schema_free(&run.schema);
    return status;
}
