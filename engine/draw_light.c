/* Light: the air is dim, lamps clear it. Lamps are added to a small target, which is laid over the picture by
 * multiplying; a halo of each is added on top. */
#include "draw_parts.h"

#include <math.h>

#define LIGHT_W 320
#define LIGHT_H 180
#define VIGNETTE_W 160
#define VIGNETTE_H 90

static SDL_Surface *paint_vignette(void) {
    SDL_Surface *surface = paint_surface(VIGNETTE_W, VIGNETTE_H);
    for (int y = 0; surface && y < VIGNETTE_H; y++) {
        for (int x = 0; x < VIGNETTE_W; x++) {
            float dx = ((float)x + 0.5f) / VIGNETTE_W * 2 - 1, dy = ((float)y + 0.5f) / VIGNETTE_H * 2 - 1;
            float far = sqrtf(dx * dx * 0.86f + dy * dy * 0.74f);
            float dim = 1 - 0.50f * paint_step(0.55f, 1.35f, far);
            paint_put(surface, x, y, (paint_rgb){dim, dim * 0.99f, 1 - (1 - dim) * 0.86f}, 1);
        }
    }
    return surface;
}

eddy_result draw_light_load(engine_draw *draw, eddy_error *error) {
    draw_light *light = &draw->light;
    light->vignette = draw_texture_from(draw->renderer, paint_vignette());
    if (!light->vignette) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory for the light: %s", SDL_GetError());
    }
    if (SDL_RenderTargetSupported(draw->renderer)) {
        light->target =
            SDL_CreateTexture(draw->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_TARGET, LIGHT_W, LIGHT_H);
    }
    if (light->target) {
        SDL_SetTextureScaleMode(light->target, SDL_ScaleModeLinear);
    }
    return EDDY_OK;
}

void draw_light_free(draw_light *light) {
    if (light->target) {
        SDL_DestroyTexture(light->target);
    }
    if (light->vignette) {
        SDL_DestroyTexture(light->vignette);
    }
    *light = (draw_light){0};
}

void draw_lamp_add(engine_draw *draw, draw_lamp lamp) {
    if (draw->light.lamp_count < DRAW_LIGHTS_MAX && lamp.power > 0 &&
        draw_sees(draw, lamp.x, lamp.y, lamp.radius, lamp.radius, 0)) {
        draw->light.lamps[draw->light.lamp_count++] = lamp;
    }
}

static void show_glows(engine_draw *draw, float size, float strength) {
    const draw_sprite *glow = &draw->atlas.art[ART_GLOW];
    draw_blend(draw, SDL_BLENDMODE_ADD);
    for (int i = 0; i < draw->light.lamp_count; i++) {
        const draw_lamp *lamp = &draw->light.lamps[i];
        float half = lamp->radius * size;
        draw_box(draw, glow, lamp->x - half, lamp->y - half, 2 * half, 2 * half,
                 draw_color(lamp->color, lamp->power * strength));
    }
}

/* The space of the small target: the picture shrunk onto it. */
static void enter_target(engine_draw *draw) {
    draw_flush(draw);
    SDL_SetRenderTarget(draw->renderer, draw->light.target);
    draw->scale = (float)LIGHT_W / ENGINE_VIEW_W;
    draw->left = draw->top = 0;
    draw_origin_world(draw, 1);
}

static void fill_target(engine_draw *draw) {
    uint32_t ambient = paint_to(draw->air.ambient);
    SDL_SetRenderDrawColor(draw->renderer, (uint8_t)(ambient >> 16), (uint8_t)(ambient >> 8), (uint8_t)ambient, 255);
    SDL_RenderClear(draw->renderer);
    show_glows(draw, 1.0f, 0.85f);
    draw_blend(draw, SDL_BLENDMODE_MOD);
    draw_origin(draw, 0, 0);
    draw_sprite vignette = {draw->light.vignette, 0, 0, 1, 1, ENGINE_VIEW_W, ENGINE_VIEW_H, 0, 0};
    draw_box(draw, &vignette, 0, 0, ENGINE_VIEW_W, ENGINE_VIEW_H, draw_color(draw_time_wash(draw->picture), 1));
    draw_flush(draw);
}

void draw_light_show(engine_draw *draw) {
    if (draw->light.target) {
        float scale = draw->scale, left = draw->left, top = draw->top;
        SDL_Rect clip;
        SDL_RenderGetClipRect(draw->renderer, &clip);
        SDL_Texture *outer = SDL_GetRenderTarget(draw->renderer);
        enter_target(draw);
        fill_target(draw);
        SDL_SetRenderTarget(draw->renderer, outer);
        SDL_RenderSetClipRect(draw->renderer, &clip);
        draw->scale = scale;
        draw->left = left;
        draw->top = top;
        draw_origin(draw, 0, 0);
        draw_sprite whole = {draw->light.target, 0, 0, 1, 1, ENGINE_VIEW_W, ENGINE_VIEW_H, 0, 0};
        draw_box(draw, &whole, 0, 0, ENGINE_VIEW_W, ENGINE_VIEW_H, draw_color(0xffffff, 1));
        draw_flush(draw);
    }
    draw_origin_world(draw, 1);
    show_glows(draw, 0.62f, 0.30f);
    draw_blend(draw, SDL_BLENDMODE_BLEND);
}
