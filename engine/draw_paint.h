/* Painting into surfaces with the processor: noise, washes, blades of grass. Used once when art is made, never per
 * picture. Deterministic: the same arguments give the same pixels. Private to the drawing. */
#ifndef EDDY_ENGINE_DRAW_PAINT_H
#define EDDY_ENGINE_DRAW_PAINT_H

#include <SDL.h>
#include <stdint.h>

/** A colour, each part 0..1. */
typedef struct paint_rgb {
    float r, g, b;
} paint_rgb;

paint_rgb paint_from(uint32_t rgb);
uint32_t paint_to(paint_rgb color);
/** `amount` 0: a, 1: b. */
paint_rgb paint_mix(paint_rgb a, paint_rgb b, float amount);
paint_rgb paint_scale(paint_rgb color, float factor);
float paint_clamp(float value, float low, float high);
/** 0 below `low`, 1 above `high`, smooth between. */
float paint_step(float low, float high, float value);

/** The same as 0..1. */
float paint_random(int32_t x, int32_t y, uint32_t seed);
/** Value noise, 0..1, one lattice cell a unit. */
float paint_noise(float x, float y, uint32_t seed);
/** Sum of `octaves` of noise, 0..1. */
float paint_fbm(float x, float y, int octaves, uint32_t seed);
/** Marks of a flat brush that follows a slowly turning direction: -1..1, px in. */
float paint_strokes(float x, float y, uint32_t seed);

/** Brush marks with the grain of paper, -1..1, from a table: quick, for whole pictures. It repeats mirrored, so it has
 * no seam. The same table for ever: what is painted twice is the same twice. */
float paint_mark(float x, float y);

/** An ARGB8888 surface of cleared pixels, or NULL. The caller frees it. */
SDL_Surface *paint_surface(int width_px, int height_px);
/** Replaces one pixel; alpha 0..1. The pixel must lie inside. */
void paint_put(SDL_Surface *surface, int x, int y, paint_rgb color, float alpha);

/** A tapering stroke from a base to a tip, px of the surface; bends by `bend` px in the middle. */
typedef struct paint_blade {
    float x, y, tip_x, tip_y, bend;
    float width; /**< px at the base */
    paint_rgb base, tip;
    float alpha;
} paint_blade;
void paint_draw_blade(SDL_Surface *surface, const paint_blade *blade);

/** Turns flat colour into a wash: grain of the paper, brush marks, and pigment gathered at the edges.
 * `scale`: px per logical px. `grain`, `edge`: 0 none .. 1 strong. */
void paint_wash(SDL_Surface *surface, float scale, uint32_t seed, float grain, float edge);

#endif
