/* One picture, from the far sky to the last word. */
#include "draw.h"
#include "draw_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RASTER_SCALE_MIN 0.5f
#define RASTER_SCALE_MAX 3.0f

static void unload(engine_draw *draw) {
    draw_ground_free(&draw->ground);
    draw_backdrop_free(&draw->backdrop);
    draw_light_free(&draw->light);
    draw_atlas_free(&draw->atlas);
}

static eddy_result load(engine_draw *draw, float scale, eddy_error *error) {
    draw->raster_scale = scale >= RASTER_SCALE_MIN ? fminf(scale, RASTER_SCALE_MAX) : RASTER_SCALE_MIN; /* NaN too */
    eddy_result result = draw_atlas_load(&draw->atlas, draw->renderer, draw->art_dir, draw->raster_scale, error);
    if (result == EDDY_OK) {
        result = draw_backdrop_load(draw, error);
    }
    if (result == EDDY_OK) {
        result = draw_light_load(draw, error);
    }
    return result;
}

eddy_result engine_draw_create(SDL_Renderer *renderer, const char *art_dir, float scale, engine_draw **out,
                               eddy_error *error) {
    *out = NULL;
    engine_draw *draw = calloc(1, sizeof *draw);
    if (draw) {
        draw->renderer = renderer;
        draw->art_dir = strdup(art_dir);
        draw->particles = malloc(DRAW_PARTICLES_MAX * sizeof *draw->particles);
    }
    if (!draw || !draw->art_dir || !draw->particles) {
        engine_draw_destroy(draw);
        return eddy_fail(error, EDDY_E_MEMORY, "no memory for the drawing");
    }
    SDL_RendererInfo info = {0};
    draw->software = SDL_GetRendererInfo(renderer, &info) == 0 && (info.flags & SDL_RENDERER_SOFTWARE);
    draw->batch.blend = SDL_BLENDMODE_BLEND;
    eddy_result result = load(draw, scale, error);
    if (result != EDDY_OK) {
        engine_draw_destroy(draw);
        return result;
    }
    draw_text_load(&draw->text);
    *out = draw;
    return EDDY_OK;
}

void engine_draw_destroy(engine_draw *draw) {
    if (!draw) {
        return;
    }
    unload(draw);
    draw_text_free(&draw->text);
    draw_level_free(&draw->level);
    free(draw->particles);
    free(draw->art_dir);
    free(draw);
}

eddy_result engine_draw_rescale(engine_draw *draw, float scale, eddy_error *error) {
    engine_draw *fresh = NULL;
    eddy_result result = engine_draw_create(draw->renderer, draw->art_dir, scale, &fresh, error);
    if (result != EDDY_OK) {
        return result; /* the old art goes on */
    }
    engine_draw swap = *draw;
    *draw = *fresh;
    *fresh = swap;
    engine_draw_destroy(fresh);
    return EDDY_OK;
}

/* Where the camera is between two shown frames. */
static void place_camera(engine_draw *draw) {
    const engine_picture *picture = draw->picture;
    const world_game *game = world_game_of(picture->world);
    eddy_vec2 at = {game->camera_x, game->camera_y};
    for (uint32_t i = 0; picture->before && i < picture->before->count; i++) {
        if (picture->before->entities[i].type == WORLD_GAME) {
            const world_game *before = picture->before->entities[i].data;
            at = draw_between((eddy_vec2){before->camera_x, before->camera_y}, at, picture->alpha);
            break;
        }
    }
    /* A camera that is not a place is shown at the level's corner. */
    draw->camera_x = fabsf(at.x) < 1e6f ? at.x : 0;
    draw->camera_y = fabsf(at.y) < 1e6f ? at.y : 0;
}

static bool begin(engine_draw *draw, const engine_picture *picture) {
    int w = 0, h = 0;
    if (SDL_GetRendererOutputSize(draw->renderer, &w, &h) != 0 || w < 1 || h < 1 ||
        !draw_level_index(&draw->level, picture->world)) {
        return false;
    }
    draw->picture = picture;
    draw->pictures++;
    draw->scale = fminf((float)w / ENGINE_VIEW_W, (float)h / ENGINE_VIEW_H);
    draw->left = floorf(((float)w - ENGINE_VIEW_W * draw->scale) * 0.5f);
    draw->top = floorf(((float)h - ENGINE_VIEW_H * draw->scale) * 0.5f);
    draw->time = draw_time_of(picture);
    draw->air = draw_air_of(draw->level.level->sky);
    draw->light.lamp_count = 0;
    place_camera(draw);
    SDL_RenderSetLogicalSize(draw->renderer, 0, 0);
    SDL_RenderSetScale(draw->renderer, 1, 1);
    SDL_RenderSetViewport(draw->renderer, NULL);
    SDL_RenderSetClipRect(draw->renderer, NULL);
    SDL_SetRenderDrawColor(draw->renderer, 11, 8, 20, 255);
    SDL_RenderClear(draw->renderer);
    SDL_Rect clip = {(int)draw->left, (int)draw->top, (int)ceilf(ENGINE_VIEW_W * draw->scale),
                     (int)ceilf(ENGINE_VIEW_H * draw->scale)};
    SDL_RenderSetClipRect(draw->renderer, &clip);
    return true;
}

void engine_draw_picture(engine_draw *draw, const engine_picture *picture) {
    if (!begin(draw, picture)) {
        return;
    }
    draw_sky(draw);
    draw_scenery_far(draw);
    draw_ground_show(draw, true);
    draw_scenery_near(draw);
    draw_things_behind(draw);
    draw_ground_show(draw, false);
    draw_things(draw);
    draw_particles(draw);
    draw_scenery_before(draw);
    draw_light_show(draw);
    draw_trails(draw);
    draw_time_tint(draw);
    draw_hud(draw);
    draw_flush(draw);
    draw_ground_ahead(draw);
    SDL_RenderSetClipRect(draw->renderer, NULL);
    draw->picture = NULL;
}
