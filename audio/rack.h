/* OpenAL sources with queued buffers, all in step: one a slot, and one that is always running and keeps the time.
 * Positions and depths are our own counts; OpenAL plays forward stereo at pitch 1 and mixes. Every call needs the
 * context to be current. Private to audio/. */
#ifndef EDDY_AUDIO_RACK_H
#define EDDY_AUDIO_RACK_H

#include "device.h"

typedef struct audio_rack audio_rack;

/** How many samples a look is worth. */
typedef struct rack_pace {
    double frame; /**< samples of a look at the nominal rate */
    uint32_t count_min, count_max;
} rack_pace;
rack_pace rack_pace_of(uint32_t rate_num, uint32_t rate_den);

/** `live`: a device takes samples on its own clock, and the count of each look follows the depth of the queues.
 * Otherwise each look is rendered before the next. NULL: OpenAL refused. */
audio_rack *rack_create(uint32_t slots, rack_pace pace, bool live, bool floats);
void rack_destroy(audio_rack *rack);

device_order rack_begin(audio_rack *rack);
void rack_queue(audio_rack *rack, uint32_t slot, const float *samples);
void rack_end(audio_rack *rack);

/** Silent at once; then the queues start anew at the next look after the pause. */
void rack_pause(audio_rack *rack, bool paused);
uint32_t rack_underruns(const audio_rack *rack);

#endif
