/* The scene that is a recording: the world of its last line, read from the file frame by frame. */
#include <inttypes.h>
#include <stdlib.h>

#include "bench.h"

typedef struct trace_play {
    eddy_reader *reader;
    const char *path;
    uint32_t branch, first_frame, next_frame;
} trace_play;

static eddy_result trace_rewind(bench_source *source, eddy_error *error) {
    trace_play *play = source->state;
    play->next_frame = play->first_frame;
    return eddy_reader_constants(play->reader, EDDY_AXIS_WORLD, play->branch, play->first_frame, &source->constants,
                                 error);
}

static eddy_result trace_next(bench_source *source, eddy_view *out, eddy_error *error) {
    trace_play *play = source->state;
    return eddy_reader_read(play->reader, EDDY_AXIS_WORLD, play->branch, play->next_frame++, out, error);
}

static void trace_close(bench_source *source) {
    trace_play *play = source->state;
    eddy_reader_close(play->reader);
    free(play);
    source->state = NULL;
}

/** A frame that is lost would leave a hole in the play. */
static eddy_result check_whole(const trace_play *play, uint32_t last_frame, eddy_error *error) {
    for (uint64_t frame = play->first_frame; frame <= last_frame; frame++)
        if (eddy_reader_frame(play->reader, EDDY_AXIS_WORLD, play->branch, (uint32_t)frame, NULL, NULL, NULL) !=
            EDDY_OK)
            return eddy_fail(error, EDDY_E_DAMAGED,
                             "%s: frame %" PRIu64 " of its last line is lost, so it cannot be played through; try "
                             "`eddy verify %s`, or another recording",
                             play->path, frame, play->path);
    return EDDY_OK;
}

static eddy_result open_line(const bench_options *options, trace_play *play, bench_source *out, eddy_error *error) {
    eddy_result result = eddy_reader_open(options->trace_path, &play->reader, error);
    if (result != EDDY_OK)
        return result;
    const eddy_session_info *info = eddy_reader_info(play->reader);
    if (info->axis[EDDY_AXIS_WORLD].frames == 0)
        return eddy_fail(error, EDDY_E_FRAME, "%s: holds no frame of a world; record one with `eddy play --record`",
                         options->trace_path);
    play->path = options->trace_path;
    play->branch = info->axis[EDDY_AXIS_WORLD].last_branch;
    play->first_frame = info->axis[EDDY_AXIS_WORLD].first_frame;
    out->schema = info->schema;
    out->rate_num = info->rate_num;
    out->rate_den = info->rate_den;
    const uint32_t there = info->axis[EDDY_AXIS_WORLD].last_frame - play->first_frame + 1;
    const uint32_t asked = bench_source_frames(out, options->minutes);
    out->frames = options->has_minutes && asked < there ? asked : there;
    return check_whole(play, play->first_frame + out->frames - 1, error);
}

eddy_result bench_trace_open(const bench_scene *scene, const bench_options *options, bench_source *out,
                             eddy_error *error) {
    (void)scene;
    trace_play *play = calloc(1, sizeof *play);
    if (!play)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for the recording", options->trace_path);
    out->state = play;
    out->close = trace_close;
    out->rewind = trace_rewind;
    out->next = trace_next;
    return open_line(options, play, out, error);
}
