/* eddy play: the options, and which way to play. */
#include "play.h"

#include <SDL.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char help[] =
    "usage: eddy play [LEVEL] [options]\n"
    "Plays LEVEL: a number, a name or a map file; default 1. Hold Shift (or J) to rewind.\n\n"
    "  --headless            no window: run the ticks as fast as they go\n"
    "  --input F.inp         buttons from a script (- is stdin): lines `COUNT buttons`, as `12 right+jump`\n"
    "  --frames N            run exactly N ticks (a headless run else ends with its script)\n"
    "  --seed N              another seed than the level's own\n"
    "  --record F.eddy       record the session; it grows under its own name, over what was there; the next\n"
    "                        level of a run is F.2.eddy\n"
    "  --wav F.wav           write what is heard: 48 kHz stereo s16, 800 samples a tick; - is stdout\n"
    "  --shot N:F.png        a picture of what is shown after N ticks; may be given again\n"
    "  --no-audio            no sound device; a WAV is then silent\n"
    "  --expect-exit         fail (1) unless the exit was reached\n"
    "  --budget BYTES        memory for the recorder, as 40MB or 16MiB; default 40000000\n"
    "  --from F.eddy@FRAME   take over at a recorded frame\n"
    "  --level-dir D         maps and levels.json from another folder\n\n"
    "exit status: 0 done, 1 failed, 2 usage, 130 interrupted\n";

enum option_id {
    OPT_HEADLESS = 256,
    OPT_INPUT,
    OPT_FRAMES,
    OPT_SEED,
    OPT_RECORD,
    OPT_WAV,
    OPT_SHOT,
    OPT_NO_AUDIO,
    OPT_EXPECT_EXIT,
    OPT_BUDGET,
    OPT_FROM,
    OPT_LEVEL_DIR,
    OPT_HELP
};

static const struct option long_options[] = {{"headless", no_argument, NULL, OPT_HEADLESS},
                                             {"input", required_argument, NULL, OPT_INPUT},
                                             {"frames", required_argument, NULL, OPT_FRAMES},
                                             {"seed", required_argument, NULL, OPT_SEED},
                                             {"record", required_argument, NULL, OPT_RECORD},
                                             {"wav", required_argument, NULL, OPT_WAV},
                                             {"shot", required_argument, NULL, OPT_SHOT},
                                             {"no-audio", no_argument, NULL, OPT_NO_AUDIO},
                                             {"expect-exit", no_argument, NULL, OPT_EXPECT_EXIT},
                                             {"budget", required_argument, NULL, OPT_BUDGET},
                                             {"from", required_argument, NULL, OPT_FROM},
                                             {"level-dir", required_argument, NULL, OPT_LEVEL_DIR},
                                             {"help", no_argument, NULL, OPT_HELP},
                                             {NULL, 0, NULL, 0}};

/** What is on the line before it is looked up. */
typedef struct play_words {
    const char *level, *level_dir, *script_path;
    bool help;
} play_words;

#define PLAY_OUTPUTS_MAX (PLAY_SHOTS_MAX + 2)

/** "600:a.png". */
static int parse_shot(play_options *options, char *text) {
    char *colon = strchr(text, ':');
    if (options->shot_count == PLAY_SHOTS_MAX)
        return tool_usage("play", "at most %d pictures in one run", PLAY_SHOTS_MAX);
    play_shot *shot = &options->shots[options->shot_count];
    if (colon)
        *colon = '\0';
    if (!colon || !colon[1] || !tool_number(text, 0, ENGINE_SCRIPT_TICKS_MAX, &shot->tick))
        return tool_usage("play", "--shot expects TICK:FILE.png, as 600:a.png; found \"%s\"", text);
    shot->path = colon + 1;
    options->shot_count++;
    return TOOL_DONE;
}

/** "F.eddy@900". */
static int parse_from(play_options *options, const char *text) {
    const char *at = strrchr(text, '@');
    uint64_t frame;
    if (!at || at == text || !tool_number(at + 1, 0, UINT32_MAX, &frame) ||
        (size_t)(at - text) >= sizeof options->from_path)
        return tool_usage("play", "--from expects FILE@FRAME, as a.eddy@900; found \"%s\"", text);
    snprintf(options->from_path, sizeof options->from_path, "%.*s", (int)(at - text), text);
    options->from_frame = (uint32_t)frame;
    return TOOL_DONE;
}

static int parse_option(play_options *options, play_words *words, int id, char *value) {
    uint64_t number;
    switch (id) {
    case OPT_HEADLESS:
        options->headless = true;
        return TOOL_DONE;
    case OPT_INPUT:
        words->script_path = value;
        return TOOL_DONE;
    case OPT_FRAMES:
        options->has_frames = true;
        return tool_number(value, 0, ENGINE_SCRIPT_TICKS_MAX, &options->frames)
                   ? TOOL_DONE
                   : tool_usage("play", "--frames expects a number of ticks up to %u; found \"%s\"",
                                ENGINE_SCRIPT_TICKS_MAX, value);
    case OPT_SEED:
        if (!tool_number(value, 0, UINT32_MAX, &number))
            return tool_usage("play", "--seed expects a number from 0 to %u; found \"%s\"", UINT32_MAX, value);
        options->seed = (uint32_t)number;
        return TOOL_DONE;
    case OPT_RECORD:
        if (strcmp(value, "-") == 0)
            return tool_usage("play", "--record grows a file under its own name; it cannot go to stdout");
        options->record_path = value;
        return TOOL_DONE;
    case OPT_WAV:
        options->wav_path = value;
        return TOOL_DONE;
    case OPT_SHOT:
        return parse_shot(options, value);
    case OPT_NO_AUDIO:
        options->no_audio = true;
        return TOOL_DONE;
    case OPT_EXPECT_EXIT:
        options->expect_exit = true;
        return TOOL_DONE;
    case OPT_BUDGET:
        return tool_bytes(value, &options->budget_bytes)
                   ? TOOL_DONE
                   : tool_usage("play", "--budget expects bytes, as 40000000, 40MB or 16MiB; found \"%s\"", value);
    case OPT_FROM:
        return parse_from(options, value);
    case OPT_LEVEL_DIR:
        words->level_dir = value;
        return TOOL_DONE;
    case OPT_HELP:
        words->help = true;
        return TOOL_DONE;
    default:
        fputs("Try `eddy play --help`.\n", stderr);
        return TOOL_USAGE;
    }
}

static int parse_words(int argc, char **argv, play_options *options, play_words *words) {
    optind = 1;
    int id;
    while ((id = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        const int status = parse_option(options, words, id == 'h' ? OPT_HELP : id, optarg);
        if (status != TOOL_DONE || words->help)
            return status;
    }
    if (optind < argc)
        words->level = argv[optind++];
    if (optind < argc)
        return tool_usage("play", "one LEVEL at a time; found \"%s\" too", argv[optind]);
    return TOOL_DONE;
}

/** A recording names the level it is of. */
static eddy_result level_of_recording(play_options *options, eddy_error *error) {
    eddy_reader *reader;
    eddy_result result = eddy_reader_open(options->from_path, &reader, error);
    if (result != EDDY_OK)
        return result;
    result = tool_level_find(&options->places, eddy_reader_info(reader)->title, &options->level, error);
    eddy_reader_close(reader);
    return result;
}

static int look_up(play_options *options, const play_words *words) {
    eddy_error error;
    eddy_result result = tool_places_find(words->level_dir, &options->places, &error);
    if (result != EDDY_OK)
        return tool_failed(&error);
    if (words->level || !options->from_path[0])
        result = tool_level_find(&options->places, words->level ? words->level : "1", &options->level, &error);
    else
        result = level_of_recording(options, &error);
    if (result == EDDY_OK && words->script_path) {
        options->has_script = true;
        result = engine_script_load(words->script_path, &options->script, &error);
    }
    if (result == EDDY_E_ARGUMENT)
        return tool_usage("play", "%s", error.text);
    return result == EDDY_OK ? TOOL_DONE : tool_failed(&error);
}

/** Does the run end by itself? */
static bool run_has_end(const play_options *options) {
    return options->has_frames || options->has_script;
}

/** Every file that the run will write: no input, no device, each under a name of its own. Told before the run. */
static int check_outputs(const play_options *options, const char *script_path) {
    const char *outputs[PLAY_OUTPUTS_MAX];
    const char *inputs[] = {options->level.path, script_path, options->from_path[0] ? options->from_path : NULL};
    uint32_t count = 0;
    if (options->record_path)
        outputs[count++] = options->record_path;
    if (options->wav_path && strcmp(options->wav_path, "-") != 0)
        outputs[count++] = options->wav_path;
    for (uint32_t i = 0; i < options->shot_count; i++)
        outputs[count++] = options->shots[i].path;
    for (uint32_t i = 0; i < count; i++) {
        eddy_error error;
        for (size_t j = 0; j < sizeof inputs / sizeof inputs[0]; j++)
            if (tool_output_check(outputs[i], inputs[j], &error) != EDDY_OK)
                return tool_failed(&error);
        for (uint32_t j = 0; j < i; j++)
            if (tool_same_file(outputs[i], outputs[j]))
                return tool_usage("play", "two files are to be written under one name: %s, %s", outputs[j], outputs[i]);
    }
    return TOOL_DONE;
}

static int check_options(play_options *options) {
    if (options->headless && !run_has_end(options))
        return tool_usage("play", "a headless run needs --frames N or --input F.inp to know its end");
    if (!options->has_frames && options->has_script)
        options->frames = options->script.ticks;
    for (uint32_t i = 0; i < options->shot_count && run_has_end(options); i++)
        if (options->shots[i].tick > options->frames)
            return tool_usage("play", "--shot %llu:%s lies behind the run's %llu ticks",
                              (unsigned long long)options->shots[i].tick, options->shots[i].path,
                              (unsigned long long)options->frames);
    return TOOL_DONE;
}

/** Is there a display that SDL can open a window on? Where nothing hints at one SDL is not asked: it would complain. */
static bool has_display(void) {
    const char *chosen = getenv("SDL_VIDEODRIVER"); /* somebody wants the dummy or offscreen driver */
    if (!chosen && !getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY") && access("/dev/dri/card0", R_OK | W_OK) != 0)
        return false;
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
        return false;
    const char *driver = SDL_GetCurrentVideoDriver();
    const bool real =
        driver && strcmp(driver, "dummy") != 0 && strcmp(driver, "offscreen") != 0 && strcmp(driver, "evdev") != 0;
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    return real || (chosen && driver);
}

FILE *play_told(const play_options *options) {
    return options->wav_path && strcmp(options->wav_path, "-") == 0 ? stderr : stdout;
}

static void wav_samples(void *user, const float *samples) {
    tool_wav_add(user, samples, ENGINE_TICK_SAMPLES);
}

eddy_result play_open_session(const play_options *options, const tool_level *level, const char *record_path,
                              eddy_audio_device device, tool_wav *wav, engine_session **out, eddy_error *error) {
    const engine_session_desc desc = {.map_path = level->path,
                                      .level_dir = options->places.catalog,
                                      .sound_dir = options->places.sounds,
                                      .seed = options->seed,
                                      .budget_bytes = options->budget_bytes,
                                      .record_path = record_path,
                                      .from_path = options->from_path[0] ? options->from_path : NULL,
                                      .from_frame = options->from_frame,
                                      .device = options->no_audio ? EDDY_AUDIO_NONE : device,
                                      .capture = wav && !options->no_audio,
                                      .samples = wav ? wav_samples : NULL,
                                      .samples_user = wav,
                                      .hooks = {.log = tool_log}};
    return engine_session_create(&desc, out, error);
}

/** In a window; without a display headless if the run has an end, else as a tour. */
static int play_somewhere(play_options *options) {
    if (options->headless || (run_has_end(options) && options->frames == 0)) /* no tick: nothing for a window */
        return play_headless(options);
    if (has_display())
        return play_window(options);
    if (!run_has_end(options)) {
        if (options->shot_count || options->expect_exit || options->from_path[0])
            return tool_usage("play", "there is no display here; without one --shot, --expect-exit and --from need "
                                      "--frames N or --input F.inp");
        return play_tour(options);
    }
    fputs("eddy: there is no display here; running without a window\n", stderr);
    return play_headless(options);
}

int tool_play(int argc, char **argv) {
    play_options *options = calloc(1, sizeof *options);
    if (!options)
        return TOOL_FAILED;
    play_words words = {0};
    int status = parse_words(argc, argv, options, &words);
    if (status == TOOL_DONE && words.help) {
        fputs(help, stdout);
    } else if (status == TOOL_DONE) {
        status = look_up(options, &words);
        if (status == TOOL_DONE)
            status = check_options(options);
        if (status == TOOL_DONE)
            status = check_outputs(options, words.script_path);
        if (status == TOOL_DONE) {
            tool_catch_interrupts();
            status = play_somewhere(options);
        }
    }
    engine_script_free(&options->script);
    free(options);
    return status;
}
