/* The parts of the verb `bench`: scenes that are played over and over, schemes that record them, and what came out.
 *
 * A scene gives the same frames each time it is played, so nothing but their digests is kept of it: every scheme, and
 * every pass of a scheme, plays it anew. Clocks run only inside a scheme; the frame is in memory before they start. */
#ifndef EDDY_TOOLS_BENCH_H
#define EDDY_TOOLS_BENCH_H

#include <stdio.h>

#include "bench_slots.h"
#include "bench_times.h"
#include "rewind/rewind.h"

/* ---- scenes ---- */

/** What the command line asks for. */
typedef struct bench_options {
    const char *trace_path; /**< NULL: none */
    double minutes;         /**< of play */
    bool has_minutes;       /**< else a trace is as long as it is */
    uint64_t budget_bytes;  /**< of Eddy's timelines; 0: BENCH_BUDGET_BYTES */
    bool json;
    const char *plot_path; /**< NULL: none */
} bench_options;

#define BENCH_MINUTES_MAX 600
#define BENCH_BUDGET_BYTES ((size_t)768 << 20) /**< what a bench run may take; nothing is reserved ahead */

/** How much Eddy's sealed form may be of xor-zstd1's, by the motion of a scene. */
typedef enum bench_motion { BENCH_MOTION_SMOOTH, BENCH_MOTION_NOISE, BENCH_MOTION_GAME, BENCH_MOTION_ANY } bench_motion;

typedef struct bench_scene bench_scene;
typedef struct bench_source bench_source;

/** A scene on the list. */
struct bench_scene {
    const char *name, *sentence;
    bool by_default;
    bench_motion motion;
    const void *parameters; /**< of `open` */
    /** Makes `out` ready to be rewound. The errors are those of the files it reads. */
    eddy_result (*open)(const bench_scene *scene, const bench_options *options, bench_source *out, eddy_error *error);
};

/** The scenes, in the order they are listed. */
const bench_scene *bench_scenes(uint32_t *count);
/** NULL: no such scene. */
const bench_scene *bench_scene_find(const char *name);
/** The scene that plays a recording; on no list. */
extern const bench_scene bench_scene_trace;

/** A scene that can be played. Zeroed, then opened; `close` when it is not NULL. */
struct bench_source {
    const bench_scene *scene;
    const eddy_schema *schema;
    uint32_t rate_num, rate_den; /**< frames a second */
    uint32_t frames;             /**< how many there are */
    eddy_view constants;         /**< from a rewind to the next */
    /** The next frame is the first again. To be called before the first `next`. */
    eddy_result (*rewind)(bench_source *source, eddy_error *error);
    /** The next frame; valid until the next call. Asked for at most `frames` times. */
    eddy_result (*next)(bench_source *source, eddy_view *out, eddy_error *error);
    void (*close)(bench_source *source);
    void *state;
};

double bench_source_rate(const bench_source *source);
/** How many frames `minutes` take, at least 1. */
uint32_t bench_source_frames(const bench_source *source, double minutes);

/* bench_motion.c, bench_level.c, bench_trace.c: the kinds of scenes */
typedef struct bench_motion_desc bench_motion_desc;
extern const bench_motion_desc bench_motion_smooth, bench_motion_noise, bench_motion_quiet, bench_motion_plain,
    bench_motion_loft, bench_motion_constants;
eddy_result bench_motion_open(const bench_scene *scene, const bench_options *options, bench_source *out,
                              eddy_error *error);
/** `parameters`: the level's name. */
eddy_result bench_level_open(const bench_scene *scene, const bench_options *options, bench_source *out,
                             eddy_error *error);
eddy_result bench_trace_open(const bench_scene *scene, const bench_options *options, bench_source *out,
                             eddy_error *error);

/* ---- what a scene is, found by playing it ---- */

/** The truth that every scheme is held against, and what the baselines see. */
typedef struct bench_survey {
    uint32_t entities_max; /**< alive at once, constants included */
    size_t state_bytes;    /**< their structs, where there were most */
    bench_slots slots;     /**< laid out for the whole scene */
    uint32_t image_frames; /**< how many frames the baselines record: all, or a few of very large ones */
    double words_changed;  /**< 32-bit words of the image, mean a frame */
    uint64_t *view_digests, *image_digests; /**< of each frame, as Eddy and as the baselines see it */
} bench_survey;

/** Plays the scene twice. E_MEMORY, or what the scene says. */
eddy_result bench_survey_make(bench_source *source, bench_survey *out, eddy_error *error);
void bench_survey_free(bench_survey *survey);
/** Every id, type and byte of a view in one number; nothing of Eddy's is used for it. */
uint64_t bench_view_digest(const eddy_schema *schema, const eddy_view *view);
uint64_t bench_image_digest(const uint8_t *image, size_t bytes);

/** A scene played as images: this frame's and the one's before, by turns in two buffers. */
typedef struct bench_player {
    bench_source *source;
    bench_slots *slots;
    uint8_t *images[2];
    uint32_t frame; /**< of `now`; UINT32_MAX: none yet */
    eddy_view view; /**< of `now` */
    const uint8_t *now, *before;
} bench_player;

/** Begins at the scene's beginning. E_MEMORY, or what the scene says; to be ended all the same. */
eddy_result bench_player_begin(bench_player *player, bench_source *source, bench_slots *slots, eddy_error *error);
eddy_result bench_player_next(bench_player *player, eddy_error *error);
void bench_player_end(bench_player *player);

/* ---- schemes ---- */

/** In the order they are told. */
enum bench_scheme_index {
    BENCH_EDDY_LIVE,
    BENCH_EDDY,
    BENCH_WORD_DIFF16,
    BENCH_XOR_ZSTD1,
    BENCH_XOR_LZ4,
    BENCH_FULL_COPY,
    BENCH_FULL_ZSTD3,
    BENCH_MEMCMP,
    BENCH_SCHEMES
};
extern const char *const bench_scheme_names[BENCH_SCHEMES];

/** What a scheme costs. Times are microseconds; each frame's is the least of all passes. */
typedef struct bench_result {
    uint32_t frames;             /**< recorded */
    uint32_t frames_kept;        /**< and compared with the truth */
    double bytes_per_minute;     /**< of play */
    bench_times record, back;    /**< one frame each */
    bench_times seek;            /**< a random frame, cold */
    bench_times cached_seek;     /**< Eddy, sealed: in a heap that is open */
    bench_times open;            /**< Eddy, sealed: a cold read less a warm one of the same heap, heap by heap */
    double sealing_us;           /**< Eddy, sealed: processor time of sealing everything */
    double sealing_core_percent; /**< of one core, at the scene's rate */
    uint64_t mismatches;         /**< frames that did not come back as they were */
    bool stores, has_sealing;
} bench_result;

/** A scene with all its schemes. */
typedef struct bench_report {
    const bench_scene *scene;
    const char *name;
    double rate, minutes;
    uint32_t frames, passes;
    uint32_t entities, constants;
    size_t state_bytes;
    double words_changed;
    bench_result results[BENCH_SCHEMES];
} bench_report;

/** Records the scene once with a baseline, steps back to its first frame, seeks; adds to `result`. E_MEMORY, or what
 * the scene says. Ends early when interrupted. */
eddy_result bench_baseline_run(bench_source *source, bench_survey *survey, uint32_t scheme, bench_result *result,
                               eddy_error *error);
/** Likewise with Eddy, BENCH_EDDY_LIVE or BENCH_EDDY. */
eddy_result bench_eddy_run(bench_source *source, const bench_survey *survey, size_t budget_bytes, uint32_t scheme,
                           bench_result *result, eddy_error *error);
/** Processor time of recording everything with sealing less that without it; the least of all calls is kept in
 * `result`. */
eddy_result bench_eddy_sealing(bench_source *source, size_t budget_bytes, bench_result *result, eddy_error *error);

#define BENCH_SEEKS 500u /**< random frames asked for in one pass */
/** The frame of one seek among `count`. */
uint32_t bench_seek_frame(uint32_t seek, uint32_t count);

/* ---- telling ---- */

/** A table, and a line for each goal that the scene can judge. `reports` are all so far, this one the last. */
void bench_print(const bench_report *reports, uint32_t count, FILE *out);
/** Those lines. */
void bench_print_goals(const bench_report *reports, uint32_t count, FILE *out);
/** The object of --json, one line. */
void bench_print_json(const bench_report *reports, uint32_t count, FILE *out);
/** Bars of bytes a minute as SVG, written beside and renamed. E_IO. */
eddy_result bench_plot(const char *path, const bench_report *reports, uint32_t count, eddy_error *error);

#endif
