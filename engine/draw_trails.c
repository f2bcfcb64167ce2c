/* The look of a rewind: where things really were, as fading pictures of themselves, and the tint of the direction. */
#include "draw_parts.h"

#include <math.h>

#define GHOSTS_MAX 14

/* Frames between two ghosts: faster time leaves wider steps. */
static uint32_t ghost_step(int speed) {
    int size = speed < 0 ? -speed : speed;
    return size >= 8 ? 18 : size >= 4 ? 13 : size >= 2 ? 8 : 3;
}

static uint32_t tint_of(int speed) {
    return speed < 0 ? 0xffc873u : speed > 0 ? 0x7fb2ffu : 0xd8d2e4u;
}

/* A ribbon through the points, broken where the thing jumped. */
static void show_ribbon(engine_draw *draw, const engine_trail *trail, uint32_t color, float width) {
    for (uint32_t i = 1; i < trail->point_count; i++) {
        eddy_vec2 a = trail->points[i - 1], b = trail->points[i];
        float fade = 1 - (float)i / (float)trail->point_count;
        if (fabsf(a.x - b.x) + fabsf(a.y - b.y) < 4 * DRAW_JUMP_PX) {
            draw_line(draw, a.x, a.y, b.x, b.y, width * (0.35f + 0.65f * fade), draw_color(color, 0.30f * fade));
        }
    }
}

static const eddy_entity *entity_of(engine_draw *draw, const engine_trail *trail) {
    eddy_view view = world_view(draw->picture->world);
    const eddy_entity *found = eddy_view_find(&view, trail->id);
    return found && found->type == trail->type ? found : NULL;
}

static void show_ghost(engine_draw *draw, const engine_trail *trail, const eddy_entity *entity, eddy_vec2 at,
                       SDL_Color color) {
    if (trail->type == WORLD_MOTH && entity) {
        draw_moth(draw, entity->data, at, color);
    } else if (trail->type == WORLD_KETTLE && entity) {
        draw_kettle(draw, entity->data, at, color);
    } else if (trail->type == WORLD_PAN && entity) {
        const world_pan *pan = entity->data;
        const draw_sprite *sprite = &draw->atlas.art[ART_PAN];
        draw_put(draw, sprite, draw_place_at(at.x, at.y - pan->half_h, 0, 2 * pan->half_w / sprite->w, 1), color);
    } else { /* what is gone by now leaves only marks */
        draw_put(draw, &draw->atlas.art[ART_DOT], draw_place_at(at.x, at.y, 0, 0.6f, 0.6f), color);
    }
}

static void show_trail(engine_draw *draw, const engine_trail *trail) {
    int speed = draw->picture->speed;
    uint32_t step = ghost_step(speed), color = tint_of(speed);
    const eddy_entity *entity = entity_of(draw, trail);
    bool is_moth = trail->type == WORLD_MOTH;
    draw_blend(draw, SDL_BLENDMODE_ADD);
    show_ribbon(draw, trail, color, is_moth ? 12.0f : 5.0f);
    draw_blend(draw, SDL_BLENDMODE_BLEND);
    uint32_t last = trail->point_count ? (trail->point_count - 1) / step * step : 0;
    for (uint32_t i = SDL_min(last, step * GHOSTS_MAX); i >= step; i -= step) { /* the oldest lies lowest */
        float fade = 1 - (float)i / (float)(trail->point_count + step);
        show_ghost(draw, trail, entity, trail->points[i], draw_color(color, (is_moth ? 0.62f : 0.30f) * fade));
    }
}

void draw_trails(engine_draw *draw) {
    if (!draw->picture->rewinding) {
        return;
    }
    draw_origin_world(draw, 1);
    for (uint32_t i = 0; i < draw->picture->trail_count; i++) {
        show_trail(draw, &draw->picture->trails[i]);
    }
}

/* Fine lines that drift slowly, as of a worn print. */
static void show_lines(engine_draw *draw, float strength) {
    float drift = (float)(draw->picture->ticks % 240) / 240.0f * 6;
    for (float y = drift - 6; y < ENGINE_VIEW_H; y += 6) {
        draw_fill(draw, 0, y, ENGINE_VIEW_W, 1.5f, draw_color(0x100c1c, 0.05f + 0.07f * strength));
    }
    for (uint32_t i = 0; i < 3; i++) { /* a few scratches that wander */
        float x = ENGINE_VIEW_W * paint_noise((float)(draw->picture->ticks % 100000) * 0.013f, (float)i * 9, 501);
        draw_fill(draw, x, 0, 1.2f, ENGINE_VIEW_H, draw_color(0xfff4dc, 0.05f + 0.05f * strength));
    }
}

/* 0.15 standing .. 1 at eight times. */
static float strength_of(int speed) {
    int size = speed < 0 ? -speed : speed;
    return size >= 8 ? 1.0f : size >= 4 ? 0.75f : size >= 2 ? 0.5f : size == 1 ? 0.3f : 0.15f;
}

uint32_t draw_time_wash(const engine_picture *picture) {
    if (!picture->rewinding) {
        return 0xffffffu;
    }
    paint_rgb full = paint_from(picture->speed < 0 ? 0xffd294u : picture->speed > 0 ? 0x9cc0ffu : 0xcfcbd8u);
    return paint_to(paint_mix((paint_rgb){1, 1, 1}, full, 0.45f + 0.55f * strength_of(picture->speed)));
}

void draw_time_tint(engine_draw *draw) {
    const engine_picture *picture = draw->picture;
    if (!picture->rewinding) {
        return;
    }
    float strength = strength_of(picture->speed);
    uint32_t veil = picture->speed < 0 ? 0xe09a3cu : picture->speed > 0 ? 0x3f72e0u : 0x9a94b0u;
    draw_origin(draw, 0, 0);
    draw_fill(draw, 0, 0, ENGINE_VIEW_W, ENGINE_VIEW_H, draw_color(veil, 0.10f + 0.13f * strength));
    if (!picture->reduced_motion) {
        show_lines(draw, strength);
    }
}
