#include "pan.h"

#include <math.h>

/* The far ear of a sound fully to a side, and both ears of one ahead. */
#define FAR_EAR 0.2f
#define AHEAD 0.5f

pan_gains pan_of(const eddy_sound *sound, float listener_x, float listener_y, float category_volume) {
    float level = sound->gain > 0.0f ? sound->gain * category_volume : 0.0f;
    if (sound->place == EDDY_SOUND_HERE)
        return (pan_gains){.level = level, .ear = {level, level}};
    float dx = sound->x - listener_x, dy = sound->y - listener_y;
    float distance = sqrtf(dx * dx + dy * dy);
    if (!(sound->range > 0.0f) || !(distance < sound->range))
        return (pan_gains){0};
    level *= 1.0f - distance / sound->range;
    float side = dx / (0.5f * sound->range);
    side = side < -1.0f ? -1.0f : side > 1.0f ? 1.0f : side;
    float near = AHEAD + (1.0f - AHEAD) * fabsf(side), far = AHEAD - (AHEAD - FAR_EAR) * fabsf(side);
    return (pan_gains){.level = level, .ear = {level * (side > 0.0f ? far : near), level * (side > 0.0f ? near : far)}};
}
