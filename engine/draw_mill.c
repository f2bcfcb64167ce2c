/* Wheels, and the pans that hang on wheels or run along a line. */
#include "draw_parts.h"

#include <math.h>

#define TURN 6.2831853f
#define HANG_PX 34.0f /* from a pan up to what it hangs on */

static const SDL_Color white = {255, 255, 255, 255};

/* Links from one point to another. */
static void show_chain(engine_draw *draw, float x0, float y0, float x1, float y1) {
    const draw_sprite *chain = &draw->atlas.art[ART_CHAIN];
    float dx = x1 - x0, dy = y1 - y0;
    float length = sqrtf(dx * dx + dy * dy);
    int links = (int)paint_clamp(length / (chain->h * 0.86f) + 0.5f, 1, 400);
    float turn = atan2f(-dx, dy), stretch = length / (float)links / (chain->h * 0.86f);
    for (int i = 0; i < links; i++) {
        float t = (float)i / (float)links;
        draw_put(draw, chain, draw_place_at(x0 + dx * t, y0 + dy * t, turn, 1, stretch), white);
    }
}

static void show_beam(engine_draw *draw, float x0, float y0, float x1, float y1, float width) {
    const draw_sprite *beam = &draw->atlas.art[ART_BEAM];
    float dx = x1 - x0, dy = y1 - y0;
    float length = sqrtf(dx * dx + dy * dy);
    draw_put(draw, beam, draw_place_at(x0, y0, atan2f(dy, dx), length / beam->w, width / beam->h), white);
}

/* Of the arm that the first pan hangs on: at the top when the wheel's turn begins. */
static float wheel_angle(engine_draw *draw, const world_wheel *wheel, eddy_id id) {
    const world_wheel *before = draw_before(draw->picture, id, WORLD_WHEEL);
    double progress = wheel->progress;
    if (before && fabs((double)wheel->progress - (double)before->progress) <= 16) {
        progress = before->progress + (progress - before->progress) * (double)draw->picture->alpha;
    }
    double turns = wheel->period ? progress / wheel->period : 0;
    return (float)(fmod(turns, 1.0) * 6.283185307179586) * (float)(wheel->direction < 0 ? -1 : 1) - TURN / 4;
}

/* A big wooden wheel whose rim passes through the points its pans hang on. */
static void show_wheel(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_wheel *wheel = entity->data;
    float y = at.y - HANG_PX, radius = wheel->radius;
    if (!draw_sees(draw, at.x, y, radius, radius, 60) || radius <= 0) {
        return;
    }
    float angle = wheel_angle(draw, wheel, entity->id);
    uint32_t arms = SDL_clamp(wheel->pans ? wheel->pans : 6, 3u, 64u);
    uint32_t parts = arms * SDL_max(1u, (uint32_t)(radius * TURN / (float)arms / 44.0f));
    const draw_sprite *rim = &draw->atlas.art[ART_RIM];
    for (int ring = 0; ring < 2; ring++) {
        float r = ring ? radius : radius * 0.58f, step = TURN / (float)parts;
        for (uint32_t i = 0; i < parts; i++) {
            float a = angle + ((float)i + 0.5f) * step;
            draw_put(draw, rim,
                     draw_place_at(at.x + cosf(a) * r * cosf(step * 0.5f), y + sinf(a) * r * cosf(step * 0.5f),
                                   a + TURN / 4, 2 * r * sinf(step * 0.5f) / (rim->w * 0.9f), ring ? 1.0f : 0.7f),
                     white);
        }
    }
    for (uint32_t i = 0; i < arms; i++) {
        float a = angle + (float)i * TURN / (float)arms;
        show_beam(draw, at.x, y, at.x + cosf(a) * radius, y + sinf(a) * radius, 12);
        draw_put(draw, &draw->atlas.art[ART_PULLEY],
                 draw_place_at(at.x + cosf(a) * radius, y + sinf(a) * radius, a, 0.6f, 0.6f), white);
    }
    draw_put(draw, &draw->atlas.art[ART_HUB], draw_place_at(at.x, y, angle, 1, 1), white);
}

/* Two posts that bear the wheel's axle, down to the ground's dark. */
static void show_trestle(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_wheel *wheel = entity->data;
    float y = at.y - HANG_PX, foot = y + wheel->radius + 120;
    (void)entity;
    if (draw_sees(draw, at.x, y, wheel->radius, wheel->radius, 160)) {
        show_beam(draw, at.x, y, at.x - wheel->radius * 0.42f, foot, 20);
        show_beam(draw, at.x, y, at.x + wheel->radius * 0.42f, foot, 20);
        show_beam(draw, at.x - wheel->radius * 0.2f, y + wheel->radius * 0.55f, at.x + wheel->radius * 0.2f,
                  y + wheel->radius * 0.55f, 14);
    }
}

void draw_wheels(engine_draw *draw) {
    draw_origin_world(draw, 1);
    draw_each(draw, WORLD_WHEEL, show_trestle);
    draw_each(draw, WORLD_WHEEL, show_wheel);
}

/* The rail that a pan of its own runs along, or the bracket that it is drawn up to. */
static void show_rail(engine_draw *draw, const world_pan *pan, eddy_vec2 at) {
    const draw_sprite *pulley = &draw->atlas.art[ART_PULLEY];
    float top = at.y - pan->half_h, wide = fabsf(pan->to_x - pan->from_x);
    float pivot_x = at.x, pivot_y = top - HANG_PX - 20;
    if (wide >= 8) {
        float lift = pan->half_h + HANG_PX + 20;
        draw_line(draw, pan->from_x - 24, pan->from_y - lift, pan->to_x + 24, pan->to_y - lift, 5,
                  draw_color(0x2a2335, 1));
        draw_line(draw, pan->from_x - 24, pan->from_y - lift - 1, pan->to_x + 24, pan->to_y - lift - 1, 1.6f,
                  draw_color(0x9a7f78, 0.8f));
    } else {
        float high = SDL_min(pan->from_y, pan->to_y) - pan->half_h - HANG_PX - 70;
        show_chain(draw, pivot_x, high, pivot_x, pivot_y);
        draw_put(draw, pulley, draw_place_at(pivot_x, high, at.y * 0.05f, 1, 1), white);
    }
    for (int side = -1; side <= 1; side += 2) {
        show_chain(draw, pivot_x, pivot_y, at.x + (float)side * pan->half_w * 0.86f, top + 3);
    }
    draw_put(draw, pulley, draw_place_at(pivot_x, pivot_y, (at.x + at.y) * 0.05f, 0.8f, 0.8f), white);
}

static void show_chains(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_pan *pan = entity->data;
    if (!draw_sees(draw, at.x, at.y, pan->half_w, pan->half_h, 700)) {
        return;
    }
    if (!pan->wheel) {
        show_rail(draw, pan, at);
        return;
    }
    for (int side = -1; side <= 1; side += 2) {
        show_chain(draw, at.x, at.y - HANG_PX, at.x + (float)side * pan->half_w * 0.86f, at.y - pan->half_h + 3);
    }
}

/* A ring of chalk dashes that crawl: a rewind does not touch this thing. */
static void show_chalk(engine_draw *draw, float x, float y, float half_w, float half_h) {
    float crawl = draw->picture->reduced_motion ? 0 : (float)(draw->picture->ticks % 48) / 48.0f * 12;
    float w = half_w * 2 + 8, h = half_h * 2 + 8, around = 2 * (w + h);
    for (float at = crawl; at < around + crawl; at += 12) {
        float ends[2][2];
        for (int i = 0; i < 2; i++) {
            float s = fmodf(at + (float)i * 6, around);
            float px = s < w ? s : s < w + h ? w : s < 2 * w + h ? 2 * w + h - s : 0;
            float py = s < w ? 0 : s < w + h ? s - w : s < 2 * w + h ? h : around - s;
            ends[i][0] = x - w * 0.5f + px;
            ends[i][1] = y - h * 0.5f + py;
        }
        draw_line(draw, ends[0][0], ends[0][1], ends[1][0], ends[1][1], 2.4f, draw_color(0xf6f2ff, 0.85f));
    }
}

static void show_pan(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_pan *pan = entity->data;
    const draw_sprite *sprite = &draw->atlas.art[ART_PAN];
    if (draw_sees(draw, at.x, at.y, pan->half_w, pan->half_h, 40)) {
        draw_put(draw, sprite, draw_place_at(at.x, at.y - pan->half_h, 0, 2 * pan->half_w / sprite->w, 1), white);
        if (entity->id & EDDY_ID_IMMUNE) {
            show_chalk(draw, at.x, at.y, pan->half_w, pan->half_h);
        }
    }
}

void draw_pans(engine_draw *draw, bool chains) {
    draw_origin_world(draw, 1);
    draw_each(draw, WORLD_PAN, chains ? show_chains : show_pan);
}
