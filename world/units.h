/* Numbers that add up: inside a step, places are whole 1/256 px and speeds whole 1/256 px a frame (15/64 px/s at 60
 * Hz). A float holds both exactly in the ranges of entities.h, so the recorded px and px/s convert without loss,
 * carrying is exact to the bit, and no compiler can round differently. Private to world/. */
#ifndef EDDY_WORLD_UNITS_H
#define EDDY_WORLD_UNITS_H

#include "entities.h"

#define UNITS_PX 256 /**< units in a px */
#define UNITS_TILE (WORLD_TILE * UNITS_PX)

/* For constants in the source: px, px/s and px/s2 in units, units a frame, units a frame a frame; rounded to the
 * nearest. */
#define UNITS_OF_PX(px) ((int32_t)((px)*UNITS_PX))
#define UNITS_OF_SPEED(px_s) ((int32_t)((px_s)*64.0 / 15.0 + ((px_s) < 0 ? -0.5 : 0.5)))
#define UNITS_OF_ACCEL(px_s2) ((int32_t)((px_s2)*64.0 / 900.0 + 0.5))

static inline int32_t units_clamp(int32_t value, int32_t least, int32_t most) {
    return value < least ? least : value > most ? most : value;
}

static inline int32_t units_round(double value) {
    return (int32_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/** The nearest unit of a place; the range is that of a checked field. */
static inline int32_t units_from_px(float px) {
    return units_round((double)px * UNITS_PX);
}

static inline float units_to_px(int32_t units) {
    const int32_t most = (int32_t)WORLD_PX_MAX * UNITS_PX;
    return (float)units_clamp(units, -most, most) / UNITS_PX;
}

static inline int32_t units_from_speed(float px_s) {
    return units_round((double)px_s * 64.0 / 15.0);
}

static inline float units_to_speed(int32_t units) {
    const int32_t most = (int32_t)((double)WORLD_SPEED_MAX * 64.0 / 15.0);
    return (float)units_clamp(units, -most, most) * (15.0f / 64.0f);
}

/** `value` moved by at most `step` towards `target`. */
static inline int32_t units_approach(int32_t value, int32_t target, int32_t step) {
    return value < target ? (target - value < step ? target : value + step)
                          : (value - target < step ? target : value - step);
}

/** Division that rounds down, for tiles left of and above the map. */
static inline int32_t units_floor_div(int32_t value, int32_t divisor) {
    int32_t quotient = value / divisor;
    return quotient - (value % divisor < 0);
}

/** A box from its first unit to before its last. */
typedef struct box {
    int32_t left, top, right, bottom;
} box;

static inline box box_of(float x, float y, float half_w, float half_h) {
    int32_t cx = units_from_px(x), cy = units_from_px(y), hw = units_from_px(half_w), hh = units_from_px(half_h);
    return (box){cx - hw, cy - hh, cx + hw, cy + hh};
}

static inline box box_moved(box b, int32_t dx, int32_t dy) {
    return (box){b.left + dx, b.top + dy, b.right + dx, b.bottom + dy};
}

static inline box box_grown(box b, int32_t by) {
    return (box){b.left - by, b.top - by, b.right + by, b.bottom + by};
}

static inline bool box_over(box a, box b) { /* one above the other */
    return a.left < b.right && b.left < a.right;
}

static inline bool box_beside(box a, box b) {
    return a.top < b.bottom && b.top < a.bottom;
}

static inline bool box_touches(box a, box b) {
    return box_over(a, b) && box_beside(a, b);
}

#endif
