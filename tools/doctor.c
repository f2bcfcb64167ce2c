/* eddy doctor: what is installed, which devices there are, and what is missing. */
#define AL_ALEXT_PROTOTYPES
#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <SDL.h>
#include <SDL_image.h>
#include <SDL_ttf.h>
#include <fcntl.h>
#include <lz4.h>
#include <sndfile.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vorbis/codec.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "audio/audio.h"
#include "json.h"
#include "levels.h"
#include "tool.h"
#include "world/world.h"

static const char help[] = "usage: eddy doctor [--json]\n"
                           "Says which libraries, displays, sound devices and files there are. Plays nothing.\n\n"
                           "exit status: 0 nothing needed is missing, 1 something is, 2 usage\n";

/** How much a row matters. */
typedef enum doctor_state {
    DOCTOR_FOUND,
    DOCTOR_ABSENT,  /**< one can play without it */
    DOCTOR_MISSING, /**< needed */
} doctor_state;

static const char *const state_names[] = {"found", "absent", "missing"};

/** Rows go into one array; text and JSON are two ways to print it. */
typedef struct doctor {
    json_t *rows;
    bool missing;
} doctor;

static void doctor_add(doctor *doc, const char *group, const char *name, doctor_state state, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void doctor_add(doctor *doc, const char *group, const char *name, doctor_state state, const char *format, ...) {
    char value[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    doc->missing = doc->missing || state == DOCTOR_MISSING;
    json_array_append_new(doc->rows, json_pack("{s:s, s:s, s:s, s:o}", "group", group, "name", name, "state",
                                               state_names[state], "value", tool_json_text(value)));
}

/* ---- libraries, as linked ---- */

static void add_libraries(doctor *doc) {
    SDL_version sdl;
    SDL_GetVersion(&sdl);
    const SDL_version *image = IMG_Linked_Version(), *ttf = TTF_Linked_Version();
    const unsigned xxh = XXH_versionNumber();
    doctor_add(doc, "libraries", "SDL2", DOCTOR_FOUND, "%d.%d.%d", sdl.major, sdl.minor, sdl.patch);
    doctor_add(doc, "libraries", "SDL2_image", DOCTOR_FOUND, "%d.%d.%d", image->major, image->minor, image->patch);
    doctor_add(doc, "libraries", "SDL2_ttf", DOCTOR_FOUND, "%d.%d.%d", ttf->major, ttf->minor, ttf->patch);
    doctor_add(doc, "libraries", "vorbis", DOCTOR_FOUND, "%s", vorbis_version_string());
    doctor_add(doc, "libraries", "sndfile", DOCTOR_FOUND, "%s", sf_version_string());
    doctor_add(doc, "libraries", "zstd", DOCTOR_FOUND, "%s", ZSTD_versionString());
    doctor_add(doc, "libraries", "LZ4", DOCTOR_FOUND, "%s", LZ4_versionString());
    doctor_add(doc, "libraries", "xxHash", DOCTOR_FOUND, "%u.%u.%u", xxh / 10000, xxh / 100 % 100, xxh % 100);
    doctor_add(doc, "libraries", "zlib", DOCTOR_FOUND, "%s", zlibVersion());
    doctor_add(doc, "libraries", "jansson", DOCTOR_FOUND, "%s", jansson_version_str());
}

/* ---- display ---- */

/** ALSA, Wayland and others complain on stderr when there is nothing to find; that is what we say ourselves. */
static int stderr_hush(void) {
    fflush(stderr);
    const int kept = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    return kept;
}

static void stderr_restore(int kept) {
    if (kept >= 0) {
        dup2(kept, STDERR_FILENO);
        close(kept);
    }
}

static void list_add(char *list, size_t list_bytes, const char *name) {
    const size_t used = strlen(list);
    snprintf(list + used, list_bytes - used, "%s%s", used ? " " : "", name);
}

static void add_display(doctor *doc) {
    char drivers[256] = "", renderers[256] = "";
    for (int i = 0; i < SDL_GetNumVideoDrivers(); i++)
        list_add(drivers, sizeof drivers, SDL_GetVideoDriver(i));
    for (int i = 0; i < SDL_GetNumRenderDrivers(); i++) {
        SDL_RendererInfo info;
        if (SDL_GetRenderDriverInfo(i, &info) == 0)
            list_add(renderers, sizeof renderers, info.name);
    }
    doctor_add(doc, "display", "video drivers", DOCTOR_FOUND, "%s", drivers);
    doctor_add(doc, "display", "renderers", DOCTOR_FOUND, "%s", renderers);
    SDL_DisplayMode mode;
    const int kept = stderr_hush();
    const bool opened = SDL_InitSubSystem(SDL_INIT_VIDEO) == 0;
    stderr_restore(kept);
    if (!opened) {
        doctor_add(doc, "display", "display", DOCTOR_ABSENT, "%s; `eddy play` will show a tour without one",
                   SDL_GetError());
        return;
    }
    const char *driver = SDL_GetCurrentVideoDriver();
    if (strcmp(driver, "dummy") == 0 || strcmp(driver, "offscreen") == 0)
        doctor_add(doc, "display", "display", DOCTOR_ABSENT, "only the %s driver works here", driver);
    else if (SDL_GetDesktopDisplayMode(0, &mode) == 0)
        doctor_add(doc, "display", "display", DOCTOR_FOUND, "%s, %d x %d, %d Hz", driver, mode.w, mode.h,
                   mode.refresh_rate);
    else
        doctor_add(doc, "display", "display", DOCTOR_ABSENT, "%s: %s", driver, SDL_GetError());
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

static void add_gamepads(doctor *doc) {
    if (SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) != 0) {
        doctor_add(doc, "display", "gamepads", DOCTOR_ABSENT, "%s", SDL_GetError());
        return;
    }
    char names[512] = "";
    for (int i = 0; i < SDL_NumJoysticks(); i++) {
        const char *name = SDL_IsGameController(i) ? SDL_GameControllerNameForIndex(i) : NULL;
        if (name)
            list_add(names, sizeof names, name);
    }
    doctor_add(doc, "display", "gamepads", names[0] ? DOCTOR_FOUND : DOCTOR_ABSENT, "%s",
               names[0] ? names : "none plugged in");
    SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER);
}

/* ---- sound ---- */

/** Keeps the last line of the sound layer's log: why there is no output. */
static void keep_line(void *user, const char *line) {
    snprintf(user, 256, "%s", line);
}

/** Tries what the game would do, and lists what else OpenAL names. */
static void add_playback(doctor *doc) {
    char why[256] = "";
    const eddy_audio_desc desc = {.device = EDDY_AUDIO_PLAYBACK, .hooks = {.log = keep_line, .user = why}};
    eddy_audio *audio = NULL;
    eddy_error error = {.text = ""};
    const int kept = stderr_hush();
    const bool made = eddy_audio_create(&desc, &audio, &error) == EDDY_OK;
    const bool heard = made && eddy_audio_device_used(audio) == EDDY_AUDIO_PLAYBACK;
    const char *devices = heard ? alcGetString(NULL, ALC_ALL_DEVICES_SPECIFIER) : NULL;
    eddy_audio_destroy(audio);
    stderr_restore(kept);
    doctor_add(doc, "sound", "output", heard ? DOCTOR_FOUND : DOCTOR_ABSENT, "%s",
               heard    ? "the game will be heard"
               : why[0] ? why
                        : error.text);
    for (; devices && *devices; devices += strlen(devices) + 1)
        doctor_add(doc, "sound", "device", DOCTOR_FOUND, "%s", devices);
}

/** The loopback device needs no hardware; it also tells OpenAL Soft's version. */
static void add_loopback(doctor *doc) {
    const bool there = alcIsExtensionPresent(NULL, "ALC_SOFT_loopback");
    doctor_add(doc, "sound", "ALC_SOFT_loopback", there ? DOCTOR_FOUND : DOCTOR_MISSING, "%s",
               there ? "WAV export works" : "needed for WAV export; install OpenAL Soft");
    ALCdevice *device = there ? alcLoopbackOpenDeviceSOFT(NULL) : NULL;
    static const ALCint format[] = {ALC_FORMAT_CHANNELS_SOFT,
                                    ALC_STEREO_SOFT,
                                    ALC_FORMAT_TYPE_SOFT,
                                    ALC_FLOAT_SOFT,
                                    ALC_FREQUENCY,
                                    EDDY_SOUND_RATE,
                                    0};
    ALCcontext *context = device ? alcCreateContext(device, format) : NULL;
    if (context && alcMakeContextCurrent(context))
        doctor_add(doc, "sound", "OpenAL", DOCTOR_FOUND, "%s", alGetString(AL_VERSION));
    else
        doctor_add(doc, "sound", "OpenAL", DOCTOR_FOUND, "version unknown");
    alcMakeContextCurrent(NULL);
    if (context)
        alcDestroyContext(context);
    if (device)
        alcCloseDevice(device);
}

/* ---- files ---- */

static void add_readable(doctor *doc, const char *name, const char *path, const char *remedy) {
    const bool there = access(path, R_OK) == 0;
    doctor_add(doc, "files", name, there ? DOCTOR_FOUND : DOCTOR_MISSING, "%s%s%s", path, there ? "" : ": ",
               there ? "" : remedy);
}

static void add_levels(doctor *doc, const tool_places *places) {
    tool_level level;
    eddy_error error;
    uint32_t count = 0;
    eddy_result result = tool_level_find(places, "1", &level, &error);
    for (bool more = result == EDDY_OK; more; more = tool_level_next(places, level.number, &level)) {
        add_readable(doc, level.name, level.path, "the map is gone");
        count++;
    }
    if (count > 0)
        doctor_add(doc, "files", "levels", DOCTOR_FOUND, "%u in %s", count, places->levels);
    else
        doctor_add(doc, "files", "levels", DOCTOR_MISSING, "%s", error.text);
}

static void add_sounds(doctor *doc, const tool_places *places) {
    char path[TOOL_PATH_BYTES + sizeof(((world_sound_def *)NULL)->file)];
    snprintf(path, sizeof path, "%s/sounds.json", places->catalog);
    world_catalog *catalog = calloc(1, sizeof *catalog);
    eddy_error error = {.text = "out of memory"};
    if (!catalog || world_catalog_load(path, catalog, &error) != EDDY_OK) {
        doctor_add(doc, "files", "sounds", DOCTOR_MISSING, "%s", error.text);
        free(catalog);
        return;
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < catalog->count; i++) {
        snprintf(path, sizeof path, "%s/%s", places->sounds, catalog->sounds[i].file);
        if (access(path, R_OK) == 0)
            found++;
        else
            add_readable(doc, catalog->sounds[i].key, path, "not built; run ./eddy once");
    }
    doctor_add(doc, "files", "sounds", found == catalog->count ? DOCTOR_FOUND : DOCTOR_MISSING, "%u of %u in %s", found,
               catalog->count, places->sounds);
    free(catalog);
}

static void add_writable(doctor *doc, const char *name, const char *path) {
    const bool writable = access(path, W_OK) == 0;
    doctor_add(doc, "files", name, writable ? DOCTOR_FOUND : DOCTOR_ABSENT, "%s%s", path,
               writable ? "" : ": not writable; recordings need another folder");
}

static void add_files(doctor *doc) {
    tool_places places;
    eddy_error error;
    if (tool_places_find(NULL, &places, &error) != EDDY_OK) {
        doctor_add(doc, "files", "levels", DOCTOR_MISSING, "%s", error.text);
        return;
    }
    add_levels(doc, &places);
    add_readable(doc, "art", places.art, "the drawings are gone");
    add_sounds(doc, &places);
    add_writable(doc, "this folder", ".");
    const char *temporary = getenv("TMPDIR");
    add_writable(doc, "temporary files", temporary && *temporary ? temporary : "/tmp");
}

/* ---- printing ---- */

static void print_text(const doctor *doc) {
    const char *group = "";
    size_t index;
    json_t *row;
    json_array_foreach(doc->rows, index, row) {
        const char *row_group, *name, *state, *value;
        if (json_unpack(row, "{s:s, s:s, s:s, s:s}", "group", &row_group, "name", &name, "state", &state, "value",
                        &value))
            continue;
        if (strcmp(group, row_group) != 0)
            printf("%s\n", row_group);
        group = row_group;
        printf("  %-7s  %-18s %s\n", state, name, value);
    }
    printf("%s\n", doc->missing ? "something needed is missing" : "all that is needed is there");
}

static void print_json(const doctor *doc) {
    json_t *root = json_pack("{s:i, s:s, s:b, s:O}", "schema_version", TOOL_SCHEMA_VERSION, "program",
                             "eddy " EDDY_VERSION, "ok", !doc->missing, "checks", doc->rows);
    json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
}

int tool_doctor(int argc, char **argv) {
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return TOOL_DONE;
        } else {
            return tool_usage("doctor", "unknown word \"%s\"", argv[i]);
        }
    }
    doctor doc = {.rows = json_array()};
    add_libraries(&doc);
    add_loopback(&doc);
    add_playback(&doc);
    add_display(&doc);
    add_gamepads(&doc);
    add_files(&doc);
    (json ? print_json : print_text)(&doc);
    json_decref(doc.rows);
    return doc.missing ? TOOL_FAILED : TOOL_DONE;
}
