/* Sky and hills. The sky is painted for the level's air; the hills are drawings, each mixed with as much of that air as
 * lies before it. */
#include "draw_parts.h"

#include <math.h>

#define SKY_DEFAULT 0x6b5c94u
#define STRIP_SCALE_MAX 1.5f
#define SKY_SHRINK 4

typedef struct strip_row {
    const char *file;
    float parallax;
    float y;    /**< logical px of its top when the camera is in the middle of the level */
    float haze; /**< how much air lies before it */
    float mist; /**< how much more at its foot */
} strip_row;

static const strip_row strip_rows[DRAW_STRIPS] = {
    {"strip_peaks", 0.06f, 268, 0.58f, 0.34f},
    {"strip_forest", 0.14f, 352, 0.34f, 0.40f},
    {"strip_town", 0.26f, 376, 0.12f, 0.40f},
    {"strip_trees", 0.42f, 452, 0.02f, 0.30f},
};

/* Levels name dark airs and light ones; what is painted needs one that can be darkened. */
static paint_rgb lift_tint(uint32_t sky) {
    paint_rgb tint = paint_from(sky ? sky : SKY_DEFAULT);
    float most = fmaxf(tint.r, fmaxf(tint.g, tint.b));
    return most < 0.62f ? paint_scale(paint_mix(tint, (paint_rgb){0.1f, 0.1f, 0.1f}, 0.1f), 0.62f / fmaxf(most, 0.08f))
                        : tint;
}

draw_air draw_air_of(uint32_t sky) {
    paint_rgb tint = lift_tint(sky);
    draw_air air;
    air.top = paint_mix(paint_scale(tint, 0.46f), paint_from(0x20204e), 0.45f);
    air.middle = paint_mix(tint, paint_from(0x8a66a0), 0.36f);
    air.horizon = paint_mix(paint_mix(tint, paint_from(0xffb076), 0.80f), paint_from(0xffdca6), 0.22f);
    air.haze = paint_mix(paint_mix(tint, air.horizon, 0.34f), paint_from(0x9a90c0), 0.25f);
    air.ambient = paint_mix(paint_mix(tint, paint_from(0x9a98dc), 0.6f), (paint_rgb){1, 1, 1}, 0.52f);
    return air;
}

eddy_result draw_backdrop_load(engine_draw *draw, eddy_error *error) {
    draw_backdrop *backdrop = &draw->backdrop;
    backdrop->strip_scale = fminf(draw->raster_scale, STRIP_SCALE_MAX);
    for (int i = 0; i < DRAW_STRIPS; i++) {
        eddy_result result =
            draw_art_surface(draw->art_dir, strip_rows[i].file, backdrop->strip_scale, &backdrop->strip_art[i], error);
        if (result != EDDY_OK) {
            draw_backdrop_free(backdrop);
            return result;
        }
        paint_wash(backdrop->strip_art[i], backdrop->strip_scale, 900u + (uint32_t)i, 1.0f, 0.35f);
    }
    return EDDY_OK;
}

static void free_textures(draw_backdrop *backdrop) {
    if (backdrop->sky_texture) {
        SDL_DestroyTexture(backdrop->sky_texture);
    }
    backdrop->sky_texture = NULL;
    for (int i = 0; i < DRAW_STRIPS; i++) {
        if (backdrop->strips[i]) {
            SDL_DestroyTexture(backdrop->strips[i]);
        }
        backdrop->strips[i] = NULL;
    }
}

void draw_backdrop_free(draw_backdrop *backdrop) {
    free_textures(backdrop);
    for (int i = 0; i < DRAW_STRIPS; i++) {
        SDL_FreeSurface(backdrop->strip_art[i]);
    }
    *backdrop = (draw_backdrop){0};
}

/* ---- painting the sky; coordinates in logical px ---- */

static paint_rgb sky_wash(const draw_air *air, float x, float y) {
    float bend = (paint_fbm(x * 0.0035f, y * 0.009f, 3, 11) - 0.5f) * 0.22f;
    float t = y / ENGINE_VIEW_H + bend;
    paint_rgb color = paint_mix(air->top, air->middle, paint_step(-0.05f, 0.46f, t));
    return paint_mix(color, air->horizon, paint_step(0.30f, 0.66f, t));
}

/* Long flat clouds: dark above, lit from the horizon below. */
static paint_rgb sky_clouds(const draw_air *air, paint_rgb color, float x, float y) {
    float bed = paint_fbm(x * 0.0042f + 3, y * 0.021f, 4, 23);
    float low = y / ENGINE_VIEW_H;
    float cover = paint_step(0.53f, 0.66f, bed) * (0.25f + 0.55f * paint_step(0.08f, 0.5f, low));
    float lit = paint_step(0.56f, 0.72f, bed - 0.05f * paint_noise(x * 0.01f, y * 0.05f, 29));
    paint_rgb shade = paint_mix(air->middle, air->top, 0.35f);
    paint_rgb light = paint_mix(air->horizon, paint_from(0xffcdb0), 0.4f);
    return paint_mix(color, paint_mix(light, shade, lit), cover * 0.62f);
}

static paint_rgb sky_moon(paint_rgb color, float x, float y) {
    float dx = x - 930, dy = y - 156;
    float far = sqrtf(dx * dx + dy * dy);
    paint_rgb pale = paint_from(0xfff0d4);
    if (far > 480) {
        return color;
    }
    color = paint_mix(color, pale, 0.36f * expf(-far * far / (160.0f * 160.0f)));
    if (far > 56) {
        return color;
    }
    float edge = 50 + 1.4f * paint_noise(x * 0.09f, y * 0.09f, 31);
    float seas = paint_step(0.50f, 0.62f, paint_fbm(x * 0.035f, y * 0.035f, 3, 37)) * 0.10f;
    return paint_mix(color, paint_scale(pale, 1 - seas), 0.93f * (1 - paint_step(edge - 1.2f, edge + 1.2f, far)));
}

static paint_rgb sky_stars(paint_rgb color, float x, float y) {
    const float cell = 34;
    int32_t ix = (int32_t)floorf(x / cell), iy = (int32_t)floorf(y / cell);
    if (y > 320 || paint_random(ix, iy, 41) < 0.62f) {
        return color;
    }
    float sx = ((float)ix + 0.15f + 0.7f * paint_random(ix, iy, 43)) * cell;
    float sy = ((float)iy + 0.15f + 0.7f * paint_random(ix, iy, 47)) * cell;
    float size = 0.5f + 0.9f * paint_random(ix, iy, 53);
    float far = sqrtf((x - sx) * (x - sx) + (y - sy) * (y - sy));
    float glow = (1 - paint_step(size * 0.4f, size + 0.8f, far)) * (1 - paint_step(60, 300, y));
    return paint_mix(color, paint_from(0xfff4dc), glow * 0.85f);
}

/* What changes slowly is painted small and stretched. */
static SDL_Surface *paint_sky_small(const draw_air *air) {
    SDL_Surface *surface = paint_surface(ENGINE_VIEW_W / SKY_SHRINK, ENGINE_VIEW_H / SKY_SHRINK);
    for (int py = 0; surface && py < surface->h; py++) {
        for (int px = 0; px < surface->w; px++) {
            float x = ((float)px + 0.5f) * SKY_SHRINK, y = ((float)py + 0.5f) * SKY_SHRINK;
            paint_put(surface, px, py, sky_clouds(air, sky_wash(air, x, y), x, y), 1);
        }
    }
    return surface;
}

static SDL_Surface *paint_sky(const draw_air *air) {
    SDL_Surface *small = paint_sky_small(air), *surface = paint_surface(ENGINE_VIEW_W, ENGINE_VIEW_H);
    if (!small || !surface || SDL_SoftStretchLinear(small, NULL, surface, NULL) != 0) {
        SDL_FreeSurface(small);
        SDL_FreeSurface(surface);
        return NULL;
    }
    SDL_FreeSurface(small);
    for (int py = 0; py < surface->h; py++) {
        uint32_t *pixel = (uint32_t *)(void *)((uint8_t *)surface->pixels + (size_t)py * (size_t)surface->pitch);
        for (int px = 0; px < surface->w; px++) {
            float x = (float)px, y = (float)py;
            paint_rgb color = sky_moon(sky_stars(paint_from(pixel[px]), x, y), x, y);
            float mark = paint_mark(x * 0.6f, y * 1.2f) * 0.022f + (paint_random(px, py, 61) - 0.5f) * 0.016f;
            paint_put(surface, px, py, paint_scale(color, 1 + mark), 1);
        }
    }
    return surface;
}

/* A strip with the air before it; its lowest part fades, so that what is filled below shows no edge. */
static SDL_Surface *paint_strip(const draw_backdrop *backdrop, const draw_air *air, int index, uint32_t *foot) {
    const strip_row *row = &strip_rows[index];
    SDL_Surface *surface = SDL_ConvertSurfaceFormat(backdrop->strip_art[index], SDL_PIXELFORMAT_ARGB8888, 0);
    paint_rgb sum = {0, 0, 0};
    for (int y = 0; surface && y < surface->h; y++) {
        float low = (float)y / (float)surface->h;
        float air_before = row->haze + row->mist * paint_step(0.15f, 0.95f, low);
        uint32_t *pixel = (uint32_t *)(void *)((uint8_t *)surface->pixels + (size_t)y * (size_t)surface->pitch);
        for (int x = 0; x < surface->w; x++) {
            paint_rgb color = paint_mix(paint_from(pixel[x]), air->haze, air_before);
            float alpha = (float)(pixel[x] >> 24) / 255.0f * (1 - paint_step(0.72f, 0.99f, low));
            paint_put(surface, x, y, color, alpha);
            if (y == surface->h - 1) {
                sum = (paint_rgb){sum.r + color.r, sum.g + color.g, sum.b + color.b};
            }
        }
    }
    *foot = surface ? paint_to(paint_scale(sum, 1.0f / (float)surface->w)) : 0;
    return surface;
}

static void paint_backdrop(engine_draw *draw) {
    draw_backdrop *backdrop = &draw->backdrop;
    uint32_t sky = draw->level.level->sky;
    if (backdrop->painted && backdrop->sky == sky) {
        return;
    }
    free_textures(backdrop);
    backdrop->sky_texture = draw_texture_from(draw->renderer, paint_sky(&draw->air));
    if (backdrop->sky_texture) {
        SDL_SetTextureBlendMode(backdrop->sky_texture, SDL_BLENDMODE_NONE);
    }
    for (int i = 0; i < DRAW_STRIPS; i++) {
        SDL_Surface *strip = paint_strip(backdrop, &draw->air, i, &backdrop->strip_foot[i]);
        backdrop->strips[i] = draw_texture_from(draw->renderer, strip);
    }
    backdrop->sky = sky;
    backdrop->painted = true;
}

/* One row of hills, repeated across the picture. */
static void show_strip(engine_draw *draw, int index) {
    const draw_backdrop *backdrop = &draw->backdrop;
    const strip_row *row = &strip_rows[index];
    float middle_y = (float)draw->level.level->height_tiles * WORLD_TILE * 0.5f;
    float w = (float)backdrop->strip_art[index]->w / backdrop->strip_scale;
    float h = (float)backdrop->strip_art[index]->h / backdrop->strip_scale;
    float y = row->y - (draw->camera_y - middle_y) * row->parallax * 0.6f;
    float x = -draw->camera_x * row->parallax;
    x -= ceilf(x / w) * w; /* -w < x <= 0 */
    draw_sprite strip = {backdrop->strips[index], 0, 0, 1, 1, w, h, 0, 0};
    draw_origin(draw, 0, y);
    draw_fill(draw, 0, h * 0.72f, ENGINE_VIEW_W, ENGINE_VIEW_H * 2, draw_color(backdrop->strip_foot[index], 1));
    for (int i = 0; strip.texture && i < 64 && x < ENGINE_VIEW_W; i++, x += w) {
        draw_origin(draw, x, y);
        draw_box(draw, &strip, 0, 0, w, h, draw_color(0xffffff, 1));
    }
}

/* Slow banks of mist between the hills. */
static void show_mist(engine_draw *draw, float y, float parallax, float alpha, uint32_t seed) {
    draw_origin(draw, 0, 0);
    SDL_Color color = draw_color(paint_to(paint_mix(draw->air.haze, draw->air.horizon, 0.25f)), alpha);
    const float span = ENGINE_VIEW_W + 900.0f;
    for (int i = 0; i < 4; i++) {
        float w = 520 + 260 * paint_random(i, 1, seed), h = 70 + 50 * paint_random(i, 2, seed);
        float x =
            span * ((float)i + paint_random(i, 3, seed)) / 4 - draw->camera_x * parallax + (float)draw->time * 0.10f;
        x -= floorf(x / span) * span;
        draw_box(draw, &draw->atlas.art[ART_GLOW], x - 800, y + 40 * paint_random(i, 4, seed), w, h, color);
    }
}

void draw_sky(engine_draw *draw) {
    paint_backdrop(draw);
    draw_origin(draw, 0, 0);
    draw_sprite sky = {draw->backdrop.sky_texture, 0, 0, 1, 1, ENGINE_VIEW_W, ENGINE_VIEW_H, 0, 0};
    draw_blend(draw, SDL_BLENDMODE_NONE);
    if (sky.texture) {
        draw_box(draw, &sky, 0, 0, ENGINE_VIEW_W, ENGINE_VIEW_H, draw_color(0xffffff, 1));
    } else {
        draw_fill(draw, 0, 0, ENGINE_VIEW_W, ENGINE_VIEW_H, draw_color(paint_to(draw->air.middle), 1));
    }
    draw_blend(draw, SDL_BLENDMODE_BLEND);
    for (int i = 0; i < DRAW_STRIPS; i++) {
        show_strip(draw, i);
        if (i == 1 || i == 2) {
            show_mist(draw, i == 1 ? 470 : 560, strip_rows[i].parallax * 1.2f, 0.30f, 200u + (uint32_t)i);
        }
    }
}
