#include "draw_paint.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

paint_rgb paint_from(uint32_t rgb) {
    return (paint_rgb){(float)(rgb >> 16 & 255u) / 255.0f, (float)(rgb >> 8 & 255u) / 255.0f,
                       (float)(rgb & 255u) / 255.0f};
}

uint32_t paint_to(paint_rgb color) {
    uint32_t r = (uint32_t)(paint_clamp(color.r, 0, 1) * 255.0f + 0.5f);
    uint32_t g = (uint32_t)(paint_clamp(color.g, 0, 1) * 255.0f + 0.5f);
    uint32_t b = (uint32_t)(paint_clamp(color.b, 0, 1) * 255.0f + 0.5f);
    return r << 16 | g << 8 | b;
}

paint_rgb paint_mix(paint_rgb a, paint_rgb b, float amount) {
    return (paint_rgb){a.r + (b.r - a.r) * amount, a.g + (b.g - a.g) * amount, a.b + (b.b - a.b) * amount};
}

paint_rgb paint_scale(paint_rgb color, float factor) {
    return (paint_rgb){color.r * factor, color.g * factor, color.b * factor};
}

float paint_clamp(float value, float low, float high) {
    return value < low ? low : value > high ? high : value;
}

float paint_step(float low, float high, float value) {
    float t = paint_clamp((value - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

/* floorf without a call: painting asks for it millions of times. `value` fits an int. */
static int32_t whole(float value) {
    int32_t cut = (int32_t)value;
    return cut - (value < (float)cut);
}

/* 32 mixed bits of a lattice point. */
static uint32_t paint_hash(int32_t x, int32_t y, uint32_t seed) {
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ seed * 0xcb1ab31fu;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    return h ^ h >> 15;
}

float paint_random(int32_t x, int32_t y, uint32_t seed) {
    return (float)(paint_hash(x, y, seed) >> 8) * (1.0f / 16777216.0f);
}

float paint_noise(float x, float y, uint32_t seed) {
    int32_t ix = whole(x), iy = whole(y);
    float fx = x - (float)ix, fy = y - (float)iy;
    fx = fx * fx * (3 - 2 * fx);
    fy = fy * fy * (3 - 2 * fy);
    float a = paint_random(ix, iy, seed), b = paint_random(ix + 1, iy, seed);
    float c = paint_random(ix, iy + 1, seed), d = paint_random(ix + 1, iy + 1, seed);
    float upper = a + (b - a) * fx, lower = c + (d - c) * fx;
    return upper + (lower - upper) * fy;
}

float paint_fbm(float x, float y, int octaves, uint32_t seed) {
    float sum = 0, weight = 0.5f, total = 0;
    for (int i = 0; i < octaves; i++) {
        sum += weight * paint_noise(x, y, seed + (uint32_t)i * 101u);
        total += weight;
        weight *= 0.5f;
        x = x * 2.03f + 17.1f;
        y = y * 2.03f + 9.7f;
    }
    return sum / total;
}

float paint_strokes(float x, float y, uint32_t seed) {
    /* Three brushes, each along its own direction; slow masks decide which was last. */
    float first = paint_noise((x * 0.94f + y * 0.34f) * 0.035f, (y * 0.94f - x * 0.34f) * 0.40f, seed + 1);
    float second = paint_noise((x * 0.82f - y * 0.57f) * 0.040f, (y * 0.82f + x * 0.57f) * 0.34f, seed + 2);
    float third = paint_noise((y * 0.98f + x * 0.17f) * 0.045f, (x * 0.98f - y * 0.17f) * 0.30f, seed + 3);
    float mask = paint_noise(x * 0.017f, y * 0.017f, seed + 4);
    float upper = paint_step(0.44f, 0.54f, mask), lower = paint_step(0.62f, 0.74f, mask);
    float mark = first + (second - first) * upper;
    return (mark + (third - mark) * lower) * 2 - 1;
}

#define MARKS 256

/* Filled once; the values never depend on who asks first. */
static float marks[MARKS * MARKS];
static bool marks_ready;

static void fill_marks(void) {
    for (int y = 0; y < MARKS; y++) {
        for (int x = 0; x < MARKS; x++) {
            float grain = paint_noise((float)x * 0.9f, (float)y * 0.9f, 7) - 0.5f;
            marks[y * MARKS + x] = paint_clamp((paint_strokes((float)x, (float)y, 5) + grain) * 0.8f, -1, 1);
        }
    }
    marks_ready = true;
}

static int mirrored(float at) {
    int i = whole(at) & (2 * MARKS - 1);
    return i < MARKS ? i : 2 * MARKS - 1 - i;
}

float paint_mark(float x, float y) {
    if (!marks_ready) {
        fill_marks();
    }
    return marks[mirrored(y) * MARKS + mirrored(x)];
}

SDL_Surface *paint_surface(int width_px, int height_px) {
    return SDL_CreateRGBSurfaceWithFormat(0, width_px, height_px, 32, SDL_PIXELFORMAT_ARGB8888);
}

static uint32_t *paint_pixel(SDL_Surface *surface, int x, int y) {
    return (uint32_t *)(void *)((uint8_t *)surface->pixels + (size_t)y * (size_t)surface->pitch) + x;
}

void paint_put(SDL_Surface *surface, int x, int y, paint_rgb color, float alpha) {
    uint32_t a = (uint32_t)(paint_clamp(alpha, 0, 1) * 255.0f + 0.5f);
    *paint_pixel(surface, x, y) = a << 24 | paint_to(color);
}

/* Lays a colour over one pixel; outside the surface nothing happens. */
static void paint_over(SDL_Surface *surface, int x, int y, paint_rgb color, float alpha) {
    if (x < 0 || y < 0 || x >= surface->w || y >= surface->h || alpha <= 0) {
        return;
    }
    uint32_t *pixel = paint_pixel(surface, x, y);
    float under = (float)(*pixel >> 24) / 255.0f;
    alpha = paint_clamp(alpha, 0, 1);
    float out = alpha + under * (1 - alpha);
    paint_put(surface, x, y, paint_mix(paint_from(*pixel), color, alpha / out), out);
}

void paint_draw_blade(SDL_Surface *surface, const paint_blade *blade) {
    float height = blade->y - blade->tip_y;
    int steps = (int)fabsf(height) + 1;
    for (int i = 0; i <= steps; i++) {
        float t = (float)i / (float)steps;
        float y = blade->y + (blade->tip_y - blade->y) * t;
        float x = blade->x + (blade->tip_x - blade->x) * t * t + blade->bend * 4 * t * (1 - t);
        float half = blade->width * 0.5f * (1 - t * t) + 0.25f;
        paint_rgb color = paint_mix(blade->base, blade->tip, t);
        for (int px = (int)floorf(x - half); px <= (int)ceilf(x + half); px++) {
            float cover = half + 0.5f - fabsf((float)px - x);
            paint_over(surface, px, (int)floorf(y), color, paint_clamp(cover, 0, 1) * blade->alpha);
        }
    }
}

/* Box blur of the alpha channel into `out`, both passes; the edges outside count as empty. */
static void blur_alpha(SDL_Surface *surface, int radius, float *across, float *out) {
    int w = surface->w, h = surface->h;
    float weight = 1.0f / (float)(2 * radius + 1);
    for (int y = 0; y < h; y++) {
        float sum = 0;
        for (int x = -radius; x < w; x++) {
            sum += x + radius < w ? (float)(*paint_pixel(surface, x + radius, y) >> 24) : 0;
            sum -= x - radius - 1 >= 0 ? (float)(*paint_pixel(surface, x - radius - 1, y) >> 24) : 0;
            if (x >= 0) {
                across[y * w + x] = sum * weight * (1.0f / 255.0f);
            }
        }
    }
    for (int x = 0; x < w; x++) {
        float sum = 0;
        for (int y = -radius; y < h; y++) {
            sum += y + radius < h ? across[(y + radius) * w + x] : 0;
            sum -= y - radius - 1 >= 0 ? across[(y - radius - 1) * w + x] : 0;
            if (y >= 0) {
                out[y * w + x] = sum * weight;
            }
        }
    }
}

void paint_wash(SDL_Surface *surface, float scale, uint32_t seed, float grain, float edge) {
    size_t count = (size_t)surface->w * (size_t)surface->h;
    float *soft = malloc(2 * count * sizeof *soft);
    if (!soft) {
        return; /* unwashed art is still art */
    }
    blur_alpha(surface, (int)(2.5f * scale) + 1, soft + count, soft);
    float to_logical = 1.0f / scale, shift = (float)(seed * 37u % 509u);
    for (int y = 0; y < surface->h; y++) {
        for (int x = 0; x < surface->w; x++) {
            uint32_t *pixel = paint_pixel(surface, x, y);
            uint32_t alpha = *pixel >> 24;
            if (!alpha) {
                continue;
            }
            float lx = (float)x * to_logical, ly = (float)y * to_logical;
            float mark = paint_mark(lx + shift, ly - shift) * 0.12f;
            float pool = (1 - soft[(size_t)y * (size_t)surface->w + (size_t)x]) * edge * 0.45f;
            float factor = 1 + mark * grain - pool;
            *pixel = alpha << 24 | paint_to(paint_scale(paint_from(*pixel), factor));
        }
    }
    free(soft);
}
