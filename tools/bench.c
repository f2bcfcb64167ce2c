/* eddy bench: what recording costs, beside what others would do, in one run. */
#include "bench.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_codec.h"
#include "output.h"
#include "tool.h"

#define SCENES_MAX 32u

static const char help[] =
    "usage: eddy bench [SCENE...] [options]\n"
    "Plays scenes, records every frame with Eddy and with what others do, and compares memory, time and every frame\n"
    "that comes back. Without SCENE: smooth noise quiet; \"all\" is every one.\n\n"
    "  --trace F.eddy    the last line of a recording is a scene too\n"
    "  --minutes N       of play, as 0.5; default 1 (of a recording: all of it)\n"
    "  --budget BYTES    of Eddy's timelines, as 40MB; default 768MiB\n"
    "  --json            one object instead of tables\n"
    "  --plot F.svg      bars of bytes a minute\n"
    "  --list            the scenes\n\n"
    "exit status: 0 done, 1 failed or a frame came back other than it was, 2 usage, 130 interrupted\n";

enum option_id { OPT_TRACE = 256, OPT_MINUTES, OPT_BUDGET, OPT_JSON, OPT_PLOT, OPT_LIST, OPT_HELP };
static const struct option long_options[] = {
    {"trace", required_argument, NULL, OPT_TRACE},   {"minutes", required_argument, NULL, OPT_MINUTES},
    {"budget", required_argument, NULL, OPT_BUDGET}, {"json", no_argument, NULL, OPT_JSON},
    {"plot", required_argument, NULL, OPT_PLOT},     {"list", no_argument, NULL, OPT_LIST},
    {"help", no_argument, NULL, OPT_HELP},           {NULL, 0, NULL, 0}};

/** The line, read. */
typedef struct bench_line {
    bench_options options;
    const bench_scene *scenes[SCENES_MAX];
    uint32_t scene_count;
    bool list, help;
} bench_line;

/* ---- the line ---- */

static int parse_minutes(bench_options *options, const char *text) {
    char *end;
    const double minutes = strtod(text, &end);
    if (end == text || *end || !isfinite(minutes) || minutes <= 0 || minutes > BENCH_MINUTES_MAX)
        return tool_usage("bench", "--minutes expects a number above 0, at most %d, as 0.5; found \"%s\"",
                          BENCH_MINUTES_MAX, text);
    options->minutes = minutes;
    options->has_minutes = true;
    return TOOL_DONE;
}

static int parse_option(bench_line *line, int id, const char *value) {
    switch (id) {
    case OPT_TRACE:
        line->options.trace_path = value;
        return TOOL_DONE;
    case OPT_MINUTES:
        return parse_minutes(&line->options, value);
    case OPT_BUDGET:
        return tool_bytes(value, &line->options.budget_bytes) && line->options.budget_bytes
                   ? TOOL_DONE
                   : tool_usage("bench", "--budget expects bytes, as 40000000, 40MB or 16MiB; found \"%s\"", value);
    case OPT_JSON:
        line->options.json = true;
        return TOOL_DONE;
    case OPT_PLOT:
        line->options.plot_path = value;
        return TOOL_DONE;
    case OPT_LIST:
        line->list = true;
        return TOOL_DONE;
    case OPT_HELP:
        line->help = true;
        return TOOL_DONE;
    default:
        fputs("Try `eddy bench --help`.\n", stderr);
        return TOOL_USAGE;
    }
}

/** Each scene once, however often it is named. */
static void add_scene(bench_line *line, const bench_scene *scene) {
    for (uint32_t i = 0; i < line->scene_count; i++)
        if (line->scenes[i] == scene)
            return;
    if (line->scene_count < SCENES_MAX)
        line->scenes[line->scene_count++] = scene;
}

/** Every scene, or those that a run without names plays. */
static void add_scenes(bench_line *line, bool all) {
    uint32_t count;
    const bench_scene *scenes = bench_scenes(&count);
    for (uint32_t i = 0; i < count; i++)
        if (all || scenes[i].by_default)
            add_scene(line, &scenes[i]);
}

static int unknown_scene(const char *name) {
    char names[400] = "";
    uint32_t count;
    const bench_scene *scenes = bench_scenes(&count);
    for (uint32_t i = 0; i < count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", scenes[i].name);
    return tool_usage("bench", "unknown scene \"%s\"; there are:%s all", name, names);
}

static int parse(int argc, char **argv, bench_line *line) {
    optind = 1;
    int id;
    while ((id = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        const int status = parse_option(line, id == 'h' ? OPT_HELP : id, optarg);
        if (status != TOOL_DONE || line->help)
            return status;
    }
    for (; optind < argc; optind++) {
        const bench_scene *scene = bench_scene_find(argv[optind]);
        if (!scene && strcmp(argv[optind], "all") != 0)
            return unknown_scene(argv[optind]);
        if (scene)
            add_scene(line, scene);
        else
            add_scenes(line, true);
    }
    if (line->scene_count == 0 && !line->options.trace_path)
        add_scenes(line, false);
    if (line->options.trace_path)
        add_scene(line, &bench_scene_trace);
    return TOOL_DONE;
}

static void print_list(void) {
    uint32_t count;
    const bench_scene *scenes = bench_scenes(&count);
    for (uint32_t i = 0; i < count; i++)
        printf("%-10s  %s%s\n", scenes[i].name, scenes[i].sentence, scenes[i].by_default ? " (default)" : "");
}

/* ---- a scene ---- */

/** More passes make the least of each time truer; long scenes have time enough to be seen at their best. */
static uint32_t passes_of(uint32_t frames) {
    return frames <= 6000 ? 5 : frames <= 20000 ? 3 : frames <= 80000 ? 2 : 1;
}

/** All schemes in turn, so that a disturbance is shared by all. `first`: the baselines too, where their images are so
 * large that one pass has to do. */
static eddy_result run_pass(bench_source *source, bench_survey *survey, size_t budget_bytes, bool first,
                            bench_report *report, eddy_error *error) {
    eddy_result result = EDDY_OK;
    for (uint32_t scheme = 0; scheme < BENCH_SCHEMES && result == EDDY_OK && !tool_interrupted; scheme++) {
        bench_result *row = &report->results[scheme];
        if (bench_codec_of(scheme) && !first && survey->image_frames < source->frames)
            continue;
        result = bench_codec_of(scheme) ? bench_baseline_run(source, survey, scheme, row, error)
                                        : bench_eddy_run(source, survey, budget_bytes, scheme, row, error);
    }
    if (result == EDDY_OK && !tool_interrupted)
        result = bench_eddy_sealing(source, budget_bytes, &report->results[BENCH_EDDY], error);
    return result;
}

static eddy_result run_scene(bench_source *source, size_t budget_bytes, bench_report *report, eddy_error *error) {
    bench_survey survey;
    eddy_result result = bench_survey_make(source, &survey, error);
    report->rate = bench_source_rate(source);
    report->frames = source->frames;
    report->minutes = source->frames / report->rate / 60;
    report->passes = passes_of(source->frames);
    report->entities = survey.entities_max;
    report->constants = source->constants.count;
    report->state_bytes = survey.state_bytes;
    report->words_changed = survey.words_changed;
    for (uint32_t i = 0; i < report->passes && result == EDDY_OK && !tool_interrupted; i++)
        result = run_pass(source, &survey, budget_bytes, i == 0, report, error);
    bench_survey_free(&survey);
    return result;
}

static eddy_result open_and_run(const bench_scene *scene, const bench_options *options, bench_report *report,
                                eddy_error *error) {
    bench_source source = {.scene = scene};
    *report = (bench_report){.scene = scene, .name = scene == &bench_scene_trace ? options->trace_path : scene->name};
    eddy_result result = scene->open(scene, options, &source, error);
    if (result == EDDY_OK)
        result = run_scene(&source, options->budget_bytes ? (size_t)options->budget_bytes : BENCH_BUDGET_BYTES, report,
                           error);
    if (source.close)
        source.close(&source);
    return result;
}

static void free_report(bench_report *report) {
    for (int i = 0; i < BENCH_SCHEMES; i++) {
        bench_result *row = &report->results[i];
        bench_times *const all[] = {&row->record, &row->back, &row->seek, &row->cached_seek, &row->open};
        for (size_t j = 0; j < sizeof all / sizeof all[0]; j++)
            bench_times_free(all[j]);
    }
}

/* ---- the verb ---- */

static bool has_mismatches(const bench_report *reports, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (int j = 0; j < BENCH_SCHEMES; j++)
            if (reports[i].results[j].mismatches)
                return true;
    return false;
}

/** All scenes; the exit status. */
static int run_line(const bench_line *line, bench_report *reports, uint32_t *count) {
    eddy_error error = {0};
    for (uint32_t i = 0; i < line->scene_count; i++) {
        const eddy_result result = open_and_run(line->scenes[i], &line->options, &reports[i], &error);
        *count = i + 1;
        if (tool_interrupted)
            return TOOL_INTERRUPTED;
        if (result != EDDY_OK)
            return tool_failed(&error);
        if (!line->options.json)
            bench_print(reports, i + 1, stdout);
    }
    if (line->options.json)
        bench_print_json(reports, *count, stdout);
    if (line->options.plot_path && bench_plot(line->options.plot_path, reports, *count, &error) != EDDY_OK)
        return tool_failed(&error);
    return has_mismatches(reports, *count) ? TOOL_FAILED : TOOL_DONE;
}

int tool_bench(int argc, char **argv) {
    bench_line line = {.options.minutes = 1};
    eddy_error error;
    int status = parse(argc, argv, &line);
    if (status != TOOL_DONE || line.help || line.list) {
        if (status == TOOL_DONE && line.help)
            fputs(help, stdout);
        else if (status == TOOL_DONE)
            print_list();
        return status;
    }
    if (line.options.plot_path && tool_output_check(line.options.plot_path, line.options.trace_path, &error) != EDDY_OK)
        return tool_failed(&error);
    tool_catch_interrupts();
    bench_report *reports = calloc(line.scene_count, sizeof *reports);
    uint32_t count = 0;
    status = reports ? run_line(&line, reports, &count) : TOOL_FAILED;
    for (uint32_t i = 0; i < count; i++)
        free_report(&reports[i]);
    free(reports);
    return status;
}
