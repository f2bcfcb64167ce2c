#include "device.h"

#include "rack.h"

#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A lost device is looked for again after this many looks, this many times; one that held for long pays them back. */
#define REOPEN_LOOKS 60
#define REOPEN_TRIES 5
#define STEADY_LOOKS 3600

struct audio_device {
    device_desc desc;
    eddy_audio_device kind;
    ALCdevice *device;
    ALCcontext *context;
    ALCcontext *outer;                     /* the caller's own, put back after each call */
    PFNALCGETTHREADCONTEXTPROC thread_get; /* NULL: the library knows one context a process only */
    PFNALCSETTHREADCONTEXTPROC thread_set;
    audio_rack *rack;
    bool paused, floats;
    uint32_t underruns; /* of racks that are gone */
    uint32_t lost_looks, steady_looks, reopen_tries;
    LPALCLOOPBACKOPENDEVICESOFT loopback_open;
    LPALCISRENDERFORMATSUPPORTEDSOFT loopback_supports;
    LPALCRENDERSAMPLESSOFT loopback_render;
};

/* ---- the library's configuration ---- */

/* What a person's configuration of the library could change in a loopback's bytes, pinned. */
static const char pinned[] = "[general]\ndither=false\noutput-limiter=false\nresampler=linear\nvolume-adjust=0\n"
                             "stereo-encoding=panpot\nhrtf=false\n";

/* The library reads its configuration once a process, at the first open, and the file named by ALSOFT_CONF last. A pipe
 * stands in for the file: nothing is written anywhere, and a playback device opened first keeps the person's own. */
typedef struct pinned_environment {
    char *before;
    int pipe;
} pinned_environment;

static pinned_environment pin_environment(void) {
    pinned_environment saved = {.pipe = -1};
    const char *before = getenv("ALSOFT_CONF");
    saved.before = before ? strdup(before) : NULL;
    int ends[2];
    if (pipe(ends) != 0)
        return saved;
    bool written = write(ends[1], pinned, sizeof pinned - 1) == (ssize_t)sizeof pinned - 1;
    close(ends[1]);
    saved.pipe = ends[0];
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    if (written)
        setenv("ALSOFT_CONF", name, 1);
    return saved;
}

static void unpin_environment(pinned_environment saved) {
    if (saved.pipe >= 0)
        close(saved.pipe);
    if (saved.before)
        setenv("ALSOFT_CONF", saved.before, 1);
    else
        unsetenv("ALSOFT_CONF");
    free(saved.before);
}

/* ---- is there anything to play on? ---- */

static bool exists(const char *folder, const char *name) {
    char path[512];
    struct stat found;
    return folder && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && stat(path, &found) == 0;
}

static bool has_pcm(void) {
    FILE *file = fopen("/proc/asound/pcm", "r");
    int first = file ? fgetc(file) : EOF;
    if (file)
        fclose(file);
    return first != EOF;
}

/* Without a device ALSA would write nine lines to the terminal before it gives up: ask the system first. */
static bool hardware_likely(void) {
    char run[64];
    snprintf(run, sizeof run, "/run/user/%lu", (unsigned long)getuid());
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    return getenv("ALSOFT_DRIVERS") || getenv("PULSE_SERVER") || has_pcm() || exists(runtime, "pulse/native") ||
           exists(runtime, "pipewire-0") || exists(run, "pulse/native") || exists(run, "pipewire-0") ||
           exists("/dev", "dsp") || exists("/dev", "audio");
}

/* ---- opening and closing ---- */

/* POSIX lets an object pointer be read as a function pointer; C wants to be told so byte by byte. */
static void find_function(const char *name, void *out) {
    void *found = alcGetProcAddress(NULL, name);
    memcpy(out, &found, sizeof found);
}

static void find_thread_context(audio_device *device) {
    if (!alcIsExtensionPresent(NULL, "ALC_EXT_thread_local_context"))
        return;
    find_function("alcGetThreadContext", &device->thread_get);
    find_function("alcSetThreadContext", &device->thread_set);
}

/* Our context for the length of a call: a program may have one of its own, in this thread or in another. */
static void enter(audio_device *device) {
    if (device->thread_set) {
        device->outer = device->thread_get();
        device->thread_set(device->context);
    } else {
        device->outer = alcGetCurrentContext();
        alcMakeContextCurrent(device->context);
    }
}

static void leave(audio_device *device) {
    if (device->thread_set)
        device->thread_set(device->outer);
    else
        alcMakeContextCurrent(device->outer);
}

static void close_al(audio_device *device) {
    if (device->context) {
        enter(device);
        device->underruns += device->rack ? rack_underruns(device->rack) : 0;
        rack_destroy(device->rack);
        leave(device);
        alcDestroyContext(device->context);
    }
    if (device->device)
        alcCloseDevice(device->device);
    device->rack = NULL;
    device->context = NULL;
    device->device = NULL;
}

/* The context and the sources of an open device. */
static eddy_result start_al(audio_device *device, const ALCint *attributes, bool live, eddy_error *error) {
    device->context = alcCreateContext(device->device, attributes);
    if (!device->context)
        return eddy_fail(error, EDDY_E_DEVICE, "sound: OpenAL made no context (error 0x%x)",
                         (unsigned)alcGetError(device->device));
    find_thread_context(device);
    enter(device);
    device->floats = alIsExtensionPresent("AL_EXT_float32") == AL_TRUE;
    rack_pace pace = rack_pace_of(device->desc.rate_num, device->desc.rate_den);
    eddy_result result = EDDY_OK;
    if (!device->floats && !live)
        result = eddy_fail(error, EDDY_E_DEVICE, "sound: the loopback needs AL_EXT_float32; use OpenAL Soft");
    else if (!(device->rack = rack_create(device->desc.slots, pace, live, device->floats)))
        result = eddy_fail(error, EDDY_E_DEVICE, "sound: OpenAL gave no %u sources; ask for fewer voices",
                           device->desc.slots + 1);
    leave(device);
    return result;
}

static eddy_result open_pinned(audio_device *device, eddy_error *error) {
    if (!alcIsExtensionPresent(NULL, "ALC_SOFT_loopback"))
        return eddy_fail(error, EDDY_E_DEVICE, "sound: no ALC_SOFT_loopback in this OpenAL; use OpenAL Soft");
    find_function("alcLoopbackOpenDeviceSOFT", &device->loopback_open);
    find_function("alcIsRenderFormatSupportedSOFT", &device->loopback_supports);
    find_function("alcRenderSamplesSOFT", &device->loopback_render);
    device->device = device->loopback_open(NULL);
    if (!device->device || !device->loopback_supports(device->device, EDDY_SOUND_RATE, ALC_STEREO_SOFT, ALC_FLOAT_SOFT))
        return eddy_fail(error, EDDY_E_DEVICE, "sound: OpenAL's loopback refuses 48 kHz stereo floats");
    const ALCint attributes[] = {ALC_FREQUENCY,
                                 EDDY_SOUND_RATE,
                                 ALC_FORMAT_CHANNELS_SOFT,
                                 ALC_STEREO_SOFT,
                                 ALC_FORMAT_TYPE_SOFT,
                                 ALC_FLOAT_SOFT,
                                 ALC_HRTF_SOFT,
                                 ALC_FALSE,
                                 ALC_OUTPUT_LIMITER_SOFT,
                                 ALC_FALSE,
                                 ALC_MONO_SOURCES,
                                 0,
                                 ALC_STEREO_SOURCES,
                                 (ALCint)device->desc.slots + 1,
                                 0};
    return start_al(device, attributes, device->kind == EDDY_AUDIO_PLAYBACK, error);
}

static eddy_result open_loopback(audio_device *device, eddy_error *error) {
    pinned_environment saved = pin_environment();
    eddy_result result = open_pinned(device, error);
    unpin_environment(saved);
    return result;
}

static eddy_result open_playback(audio_device *device, eddy_error *error) {
    const device_fake *fake = device->desc.fake;
    if (fake && fake->opens)
        return open_loopback(device, error);
    if (fake || !hardware_likely())
        return eddy_fail(error, EDDY_E_DEVICE, "sound: no output device");
    device->device = alcOpenDevice(NULL);
    if (!device->device)
        return eddy_fail(error, EDDY_E_DEVICE, "sound: the default output device does not open");
    const ALCint attributes[] = {
        ALC_FREQUENCY, EDDY_SOUND_RATE, ALC_MONO_SOURCES, 0, ALC_STEREO_SOURCES, (ALCint)device->desc.slots + 1, 0};
    return start_al(device, attributes, true, error);
}

eddy_result device_create(const device_desc *desc, audio_device **out, eddy_error *error) {
    audio_device *device = calloc(1, sizeof *device);
    if (!device)
        return eddy_fail(error, EDDY_E_MEMORY, "sound: no memory for a device");
    device->desc = *desc;
    device->kind = desc->kind;
    eddy_result result = EDDY_OK;
    if (desc->kind == EDDY_AUDIO_LOOPBACK) {
        result = open_loopback(device, error);
    } else if (desc->kind == EDDY_AUDIO_PLAYBACK) {
        eddy_error why;
        if (open_playback(device, &why) != EDDY_OK) {
            close_al(device);
            device->kind = EDDY_AUDIO_NONE;
            eddy_log(desc->hooks, "%s; going on without sound", why.text);
        }
    }
    if (result != EDDY_OK) {
        device_destroy(device);
        return result;
    }
    *out = device;
    return EDDY_OK;
}

void device_destroy(audio_device *device) {
    if (!device)
        return;
    close_al(device);
    free(device);
}

eddy_audio_device device_kind(const audio_device *device) {
    return device->kind;
}

/* ---- a look ---- */

static bool connected(audio_device *device) {
    if (device->desc.fake)
        return device->desc.fake->connected;
    ALCint is = ALC_TRUE;
    if (alcIsExtensionPresent(device->device, "ALC_EXT_disconnect"))
        alcGetIntegerv(device->device, ALC_CONNECTED, 1, &is);
    return is != ALC_FALSE;
}

/* Unplugged, or the sound server is gone: the default device is tried again, a few times, then never more. */
static void look_after_playback(audio_device *device) {
    if (device->device && connected(device)) {
        if (++device->steady_looks == STEADY_LOOKS)
            device->reopen_tries = 0;
        return;
    }
    if (device->device) {
        eddy_log(device->desc.hooks, "sound: the output device is lost; looking for another");
        close_al(device);
        device->lost_looks = 0;
    }
    if (++device->lost_looks < REOPEN_LOOKS)
        return;
    device->lost_looks = device->steady_looks = 0;
    eddy_error why = {.text = "sound: no output device stays"};
    if (++device->reopen_tries <= REOPEN_TRIES && open_playback(device, &why) == EDDY_OK) {
        enter(device);
        rack_pause(device->rack, device->paused);
        leave(device);
        return;
    }
    close_al(device);
    if (device->reopen_tries >= REOPEN_TRIES) {
        device->kind = EDDY_AUDIO_NONE;
        eddy_log(device->desc.hooks, "%s; going on without sound", why.text);
    }
}

device_order device_begin(audio_device *device) {
    if (device->kind == EDDY_AUDIO_PLAYBACK)
        look_after_playback(device);
    if (!device->rack)
        return (device_order){0};
    enter(device);
    device_order order = rack_begin(device->rack);
    leave(device);
    return order;
}

void device_queue(audio_device *device, uint32_t slot, const float *samples) {
    assert(device->rack);
    enter(device);
    rack_queue(device->rack, slot, samples);
    leave(device);
}

void device_end(audio_device *device) {
    if (!device->rack)
        return;
    enter(device);
    rack_end(device->rack);
    leave(device);
}

eddy_result device_render(audio_device *device, float *out, size_t count, eddy_error *error) {
    if (!device->loopback_render || !device->device)
        return eddy_fail(error, EDDY_E_DEVICE, "sound: no device to render");
    device->loopback_render(device->device, out, (ALCsizei)count);
    ALCenum code = alcGetError(device->device);
    if (code != ALC_NO_ERROR)
        return eddy_fail(error, EDDY_E_DEVICE, "sound: OpenAL did not render (error 0x%x)", (unsigned)code);
    return EDDY_OK;
}

void device_pause(audio_device *device, bool paused) {
    device->paused = paused;
    if (!device->rack)
        return;
    enter(device);
    rack_pause(device->rack, paused);
    leave(device);
}

uint32_t device_underruns(const audio_device *device) {
    return device->underruns + (device->rack ? rack_underruns(device->rack) : 0);
}
