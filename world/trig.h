/* Our own sine: the C library's may differ from machine to machine in the last bit. Private to world/. */
#ifndef EDDY_WORLD_TRIG_H
#define EDDY_WORLD_TRIG_H

#include <stdint.h>

/** sin(2 pi t) for |t| < 2^30 turns. Odd polynomial on a quarter turn; error below 1e-6. */
static inline float trig_sin_turns(float t) {
    t -= (float)(int32_t)t; /* -1 < t < 1 */
    t = t > 0.5f ? t - 1 : t < -0.5f ? t + 1 : t;
    t = t > 0.25f ? 0.5f - t : t < -0.25f ? -0.5f - t : t;
    float s = t * t;
    return t *
           (6.28318530f + s * (-41.3417022f + s * (81.6052492f + s * (-76.7058598f + s * (42.0586940f - s * 14.0f)))));
}

static inline float trig_cos_turns(float t) {
    return trig_sin_turns(t + 0.25f);
}

#endif
