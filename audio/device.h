/* Where sound goes: OpenAL playback, OpenAL Soft's loopback, or nowhere. One source a slot, each fed forward stereo at
 * 48 kHz in blocks of one frame; all sources run in step. Private to audio/.
 *
 * A look is: device_begin -> device_queue for every slot -> device_end. */
#ifndef EDDY_AUDIO_DEVICE_H
#define EDDY_AUDIO_DEVICE_H

#include "audio.h"

typedef struct audio_device audio_device;

/** Stands in for hardware in tests: a playback device whose clock is device_render, any count a call. */
typedef struct device_fake {
    bool opens;     /**< a device can be opened */
    bool connected; /**< the open one is still there */
} device_fake;

typedef struct device_desc {
    eddy_audio_device kind;
    uint32_t slots;
    uint32_t rate_num, rate_den; /**< looks a second */
    const eddy_hooks *hooks;     /**< must outlive the device */
    const device_fake *fake;     /**< PLAYBACK only; NULL: the real thing */
} device_desc;

/** PLAYBACK without hardware becomes NONE, with one log line. E_DEVICE: no loopback; E_MEMORY. */
eddy_result device_create(const device_desc *desc, audio_device **out, eddy_error *error);
void device_destroy(audio_device *device);
eddy_audio_device device_kind(const audio_device *device);

/** What a look is asked for. */
typedef struct device_order {
    uint32_t count;  /**< samples to make; 0: nothing is heard now */
    bool from_start; /**< what sounded is cut off (the first look, an underrun, the end of a pause): fade in */
} device_order;
device_order device_begin(audio_device *device);
/** The block of a slot: `count` stereo frames, or NULL for silence. Copied. */
void device_queue(audio_device *device, uint32_t slot, const float *samples);
void device_end(audio_device *device);

/** LOOPBACK and fake devices: the next `count` stereo frames of the mix. E_DEVICE. */
eddy_result device_render(audio_device *device, float *out, size_t count, eddy_error *error);
void device_pause(audio_device *device, bool paused);
uint32_t device_underruns(const audio_device *device);

#endif
