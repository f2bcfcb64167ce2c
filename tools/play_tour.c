/* eddy play without a display: a tour of the level is played headless and left as files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/sheet.h"
#include "play.h"
#include "still.h"
#include "tool.h"

#define TOUR_COLUMNS 3
#define TOUR_ROWS 4
#define TOUR_CELL_WIDTH 480 /* px */

/** Where a tour's files go. */
typedef struct tour_files {
    char recording[TOOL_PATH_BYTES], wav[TOOL_PATH_BYTES], sheet[TOOL_PATH_BYTES];
} tour_files;

/** Where a file goes: to the path asked for, or into the tour's folder. */
static eddy_result tour_path(char out[TOOL_PATH_BYTES], const char *asked, const char *folder, const char *name,
                             const char *end, eddy_error *error) {
    return asked ? engine_path_print(out, TOOL_PATH_BYTES, error, "%s", asked)
                 : engine_path_print(out, TOOL_PATH_BYTES, error, "%s/%s%s", folder, name, end);
}

/** "eddy-tour/first-lamp.eddy" and the like, here or in the temporary folder. */
static eddy_result tour_files_make(const play_options *options, tour_files *files, eddy_error *error) {
    const char *name = options->level.name;
    const char *folders[] = {"eddy-tour", "/tmp/eddy-tour"};
    const char *insides[] = {"eddy-tour/.", "/tmp/eddy-tour/."}; /* a file of that name has none */
    for (int i = 0; i < 2; i++) {
        if ((mkdir(folders[i], 0777) != 0 && errno != EEXIST) || access(insides[i], W_OK) != 0)
            continue;
        eddy_result result = tour_path(files->recording, options->record_path, folders[i], name, ".eddy", error);
        if (result == EDDY_OK)
            result = tour_path(files->wav, options->wav_path, folders[i], name, ".wav", error);
        return result == EDDY_OK ? tour_path(files->sheet, NULL, folders[i], name, ".png", error) : result;
    }
    return eddy_fail(error, EDDY_E_IO,
                     "neither eddy-tour nor /tmp/eddy-tour can be written: %s; go to a folder you may "
                     "write to, or run `eddy play --headless`",
                     strerror(errno));
}

/** The tour's buttons: the level's solution. */
static eddy_result tour_script(play_options *options, eddy_error *error) {
    char path[TOOL_PATH_BYTES];
    eddy_result result =
        engine_path_print(path, sizeof path, error, "%s/%s.inp", options->places.levels, options->level.name);
    return result == EDDY_OK ? engine_script_load(path, &options->script, error) : result;
}

/* A tour plays the solution and twice takes some of it back: at -1, then faster. What was taken back is played again.
 */
#define TOUR_REWINDS 2
#define TOUR_SLOW_TICKS 60 /* at -1 */
#define TOUR_FAST_TICKS 45 /* at -2 */
#define TOUR_REWIND_TICKS (TOUR_SLOW_TICKS + TOUR_FAST_TICKS)
#define TOUR_REWIND_FRAMES (TOUR_SLOW_TICKS + 2 * TOUR_FAST_TICKS)

/** A tour on its way: pictures are taken evenly over all its ticks. */
typedef struct tour_walk {
    engine_session *session;
    engine_sheet *sheet;
    uint64_t ticks, ticks_all, pictures;
} tour_walk;

static void tour_tick(tour_walk *tour, uint16_t held) {
    engine_session_tick(tour->session, held);
    tour->ticks++;
    if (tour->ticks * TOUR_COLUMNS * TOUR_ROWS < (tour->pictures + 1) * tour->ticks_all)
        return;
    engine_picture picture;
    tool_still_picture(tour->session, &picture);
    engine_sheet_add(tour->sheet, &picture);
    tour->pictures++;
}

static void tour_rewind(tour_walk *tour) {
    for (int i = 0; i < TOUR_REWIND_TICKS && !tool_interrupted; i++)
        tour_tick(tour, i == TOUR_SLOW_TICKS ? BUTTON_REWIND | BUTTON_FASTER : BUTTON_REWIND);
}

static void tour_run(engine_session *session, const engine_script *script, engine_sheet *sheet) {
    tour_walk tour = {.session = session,
                      .sheet = sheet,
                      .ticks_all = script->ticks + TOUR_REWINDS * (TOUR_REWIND_TICKS + TOUR_REWIND_FRAMES)};
    uint64_t rewinds = 0;
    for (uint64_t at = 0; at < script->ticks && !tool_interrupted; at++) {
        if (rewinds < TOUR_REWINDS && at >= (rewinds + 1) * script->ticks / (TOUR_REWINDS + 1)) {
            rewinds++;
            tour_rewind(&tour);
            at = engine_session_state_of(session).frame; /* a solution's ticks are its frames */
        }
        tour_tick(&tour, engine_script_held(script, at));
    }
}

static eddy_result tour_play(play_options *options, const tour_files *files, tool_wav *wav, engine_sheet *sheet,
                             eddy_error *error) {
    engine_session *session;
    eddy_result result =
        play_open_session(options, &options->level, files->recording, EDDY_AUDIO_NONE, wav, &session, error);
    if (result != EDDY_OK)
        return result;
    tour_run(session, &options->script, sheet);
    result = engine_session_close(session, error);
    return result == EDDY_OK ? engine_sheet_save(sheet, files->sheet, error) : result;
}

static void tour_tell(const play_options *options, const tour_files *files) {
    fprintf(play_told(options),
            "There is no display here, so this is a tour of %s instead:\n"
            "  the recording, every frame of it   %s\n"
            "  what was heard, the rewinds too    %s\n"
            "  pictures of it                     %s\n"
            "Look into the recording:             eddy info %s\n"
            "compare two of its frames:           eddy diff %s@60 %s@120\n"
            "go on from one, on a display:        eddy play --from %s@300\n",
            options->level.title, files->recording, files->wav, files->sheet, files->recording, files->recording,
            files->recording, files->recording);
}

int play_tour(play_options *options) {
    eddy_error error = {0};
    tour_files files;
    tool_wav *wav = NULL;
    engine_sheet *sheet = NULL;
    eddy_result result = tour_files_make(options, &files, &error);
    if (result == EDDY_OK)
        result = tour_script(options, &error);
    if (result == EDDY_OK)
        result = engine_sheet_create(options->places.art, TOUR_COLUMNS, TOUR_ROWS, TOUR_CELL_WIDTH, &sheet, &error);
    if (result == EDDY_OK)
        result = tool_wav_begin(files.wav, &wav, &error);
    if (result == EDDY_OK)
        result = tour_play(options, &files, wav, sheet, &error);
    eddy_error wav_error = {0};
    if (tool_wav_end(wav, result == EDDY_OK, &wav_error) != EDDY_OK) {
        result = wav_error.code;
        error = wav_error;
    }
    engine_sheet_destroy(sheet);
    if (result != EDDY_OK)
        return tool_failed(&error);
    if (tool_interrupted)
        return TOOL_INTERRUPTED;
    tour_tell(options, &files);
    return TOOL_DONE;
}
