/* What is only looked at: trees, houses, lamps, in layers behind and before the walls. */
#include "draw_parts.h"

#include <math.h>
#include <string.h>

/* Things behind move less than the walls, things before move more. */
static float parallax_of(float depth) {
    depth = paint_clamp(depth, -8, 2);
    return depth < 0 ? 1 / (1 - depth) : 1 + depth * 0.5f;
}

/* Up and down they move nearly with the walls, so that their feet stay on the ground they were put on. */
static float level_of(float depth) {
    return depth < 0 ? 1 / (1 - paint_clamp(depth, -8, 0) * 0.08f) : 1;
}

/* A place that moves `parallax` times as fast is where the map says when the camera looks straight at it. */
static float shifted(float at, float camera, float parallax) {
    return camera + (at - camera) * parallax;
}

/* Plants lean a little in the wind; by world time, so that a rewind leans them back. */
static float sway_of(const engine_draw *draw, draw_art art, float x) {
    float wave = sinf((float)fmod(draw->time * 0.021, 6.283185307) + x * 0.013f);
    switch (art) {
    case ART_TREE:
    case ART_PINE:
        return wave * 0.006f;
    case ART_FERN:
    case ART_GRASS:
    case ART_BUSH:
        return wave * 0.022f;
    case ART_REEDS:
        return wave * 0.040f;
    default:
        return 0;
    }
}

/* Lamps give light; where on the drawing, in parts of its height, and how far. */
static void light_scenery(engine_draw *draw, draw_art art, float x, float y, float scale) {
    float h = draw->atlas.art[art].h * scale;
    float flicker = 0.94f + 0.06f * sinf((float)fmod(draw->time * 0.11, 6.283185307) + x);
    if (art == ART_LAMP) {
        draw_lamp_add(draw, (draw_lamp){x, y - h * 0.86f, 190 * scale, 0.85f * flicker, 0xffc27a});
    } else if (art == ART_LANTERN) {
        draw_lamp_add(draw, (draw_lamp){x, y - h * 0.30f, 150 * scale, 0.75f * flicker, 0xffb066});
    } else if (art == ART_HOUSE || art == ART_MILL || art == ART_TOWER) {
        draw_lamp_add(draw, (draw_lamp){x, y - h * 0.34f, 110 * scale, 0.30f, 0xffb870});
    }
}

static void show_one(engine_draw *draw, const world_scenery *scenery) {
    draw_art art = draw_art_of_kind(scenery->kind);
    if (art == ART_COUNT) {
        return;
    }
    float depth = scenery->depth, parallax = parallax_of(depth);
    float scale = scenery->scale > 0 ? scenery->scale : 1;
    const draw_sprite *sprite = &draw->atlas.art[art];
    float x = shifted(scenery->x, draw->camera_x, parallax), y = shifted(scenery->y, draw->camera_y, level_of(depth));
    if (!draw_sees(draw, x, y - sprite->h * scale * 0.5f, sprite->w * scale, sprite->h * scale, 40)) {
        return;
    }
    draw_place place = draw_place_at(x, y, sway_of(draw, art, scenery->x), scenery->flip ? -scale : scale, scale);
    if (depth > 0) { /* before everything: little light falls on it */
        place.y0 += 12 * scale;
        draw_put(draw, sprite, place, draw_color(0x8078a0, 1));
        return;
    }
    draw_put(draw, sprite, place, draw_color(0xffffff, 1));
    if (depth < 0) {
        float haze = paint_clamp(0.16f + 0.26f * -depth, 0, 0.72f);
        draw_put(draw, &draw->atlas.haze[art], place, draw_color(paint_to(draw->air.haze), haze));
    }
    if (depth > -0.5f) {
        light_scenery(draw, art, x, y, scale);
    }
}

/* Those with a depth above `from` and up to `to`. */
static void show_depths(engine_draw *draw, float from, float to) {
    draw_origin_world(draw, 1);
    for (uint32_t i = 0; i < draw->level.scenery_count; i++) {
        float depth = draw->level.scenery[i]->depth;
        if (depth > from && depth <= to) {
            show_one(draw, draw->level.scenery[i]);
        }
    }
}

void draw_scenery_far(engine_draw *draw) {
    show_depths(draw, -1e9f, -0.05f);
}

void draw_scenery_near(engine_draw *draw) {
    show_depths(draw, -0.05f, 0);
}

void draw_scenery_before(engine_draw *draw) {
    show_depths(draw, 0, 1e9f);
}
