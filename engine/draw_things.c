/* Nettles, kettles, wicks, levers, gates and the lamp to reach. */
#include "draw_parts.h"

#include <math.h>

static const SDL_Color white = {255, 255, 255, 255};

/* A phase in radians that turns `speed` a frame. */
static float phase(const engine_draw *draw, double speed, float offset) {
    return (float)fmod(draw->time * speed, 6.283185307179586) + offset;
}

static void show_nettles(engine_draw *draw, const world_nettle *nettle) {
    float w = nettle->half_w * 2, h = nettle->half_h * 2;
    int count = (int)paint_clamp(w / 15.0f + 0.5f, 1, 400);
    for (int i = 0; i < count; i++) {
        uint32_t seed = (uint32_t)((int32_t)nettle->x * 7 + (int32_t)nettle->y * 13);
        float r = paint_random(i, 0, seed), s = paint_random(i, 1, seed);
        const draw_sprite *sprite = &draw->atlas.art[ART_NETTLE_A + (int)(r * 2.999f)];
        float x = nettle->x - nettle->half_w + ((float)i + 0.25f + 0.5f * s) * w / (float)count;
        float tall = SDL_max(h, 30) * (1.02f + 0.42f * s) / sprite->h;
        float sway = sinf(phase(draw, 0.03, x * 0.05f)) * 0.05f + (r - 0.5f) * 0.22f;
        draw_put(draw, sprite, draw_place_at(x, nettle->y + nettle->half_h + 3, sway, s > 0.5f ? tall : -tall, tall),
                 white);
    }
}

static void show_exit(engine_draw *draw, const world_exit *lamp) {
    const world_game *game = world_game_of(draw->picture->world);
    const world_level *level = draw->level.level;
    const draw_sprite *sprite = &draw->atlas.art[ART_EXIT];
    float size = paint_clamp(lamp->half_h * 2 / sprite->h * 1.5f, 0.9f, 2.2f), foot = lamp->y + lamp->half_h + 2;
    bool open = game->wicks_taken >= level->wicks_needed;
    float lit = game->outcome == WORLD_WON ? paint_step(0, 36, (float)(draw->time - game->outcome_since)) : 0;
    float breath = 0.5f + 0.5f * sinf(phase(draw, 0.05, 0));
    draw_place place = draw_place_at(lamp->x, foot, 0, size, size);
    draw_put(draw, sprite, place, white);
    draw_put(draw, &draw->atlas.art[ART_EXIT_LIT], place, draw_color(0xffffff, lit));
    float bulb_y = foot - sprite->h * size * 0.845f;
    if (open) { /* ready to be lit: it glimmers */
        draw_lamp_add(draw, (draw_lamp){lamp->x, bulb_y, 120, (0.22f + 0.16f * breath) * (1 - lit), 0xffd9a0});
    }
    draw_lamp_add(draw, (draw_lamp){lamp->x, bulb_y, 620, lit, 0xffc67c});
    draw_lamp_add(draw, (draw_lamp){lamp->x, bulb_y, 210, lit, 0xffdc9c});
}

static void show_gate(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_gate *gate = entity->data;
    const world_gate *before = draw_before(draw->picture, entity->id, WORLD_GATE);
    float open = before ? before->open + (gate->open - before->open) * draw->picture->alpha : gate->open;
    const draw_sprite *plank = &draw->atlas.art[ART_GATE], *foot = &draw->atlas.art[ART_GATE_FOOT];
    float w = gate->half_w * 2 + 4, h = gate->half_h * 2, left = at.x - w * 0.5f;
    float top = at.y - gate->half_h - open * h;
    if (!draw_sees(draw, at.x, at.y, gate->half_w, h, 40)) {
        return;
    }
    float part_h = plank->h * w / plank->w;
    for (float y = 0; y < h; y += part_h) { /* the last one is cut where the gate ends */
        draw_sprite part = *plank;
        float shown = SDL_min(part_h, h - y);
        part.v1 = plank->v0 + (plank->v1 - plank->v0) * shown / part_h;
        draw_box(draw, &part, left, top + y, w, shown, white);
    }
    draw_put(draw, foot, draw_place_at(at.x, top + h, 0, w / foot->w, w / foot->w), white);
}

static void show_lever(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_lever *lever = entity->data;
    if (!draw_sees(draw, at.x, at.y, LEVER_HALF_W, LEVER_HALF_H, 40)) {
        return;
    }
    float moved = lever->pulled_since || lever->on ? (float)(draw->time - lever->pulled_since) / 9.0f : 1;
    float swing = paint_step(0, 1, moved);
    float turn = (lever->on ? 1.0f : -1.0f) * (swing * 2 - 1) * 0.62f;
    float foot = at.y + LEVER_HALF_H;
    draw_put(draw, &draw->atlas.art[ART_LEVER_ARM], draw_place_at(at.x, foot - 9, turn, 1, 1), white);
    draw_put(draw, &draw->atlas.art[ART_LEVER_BASE], draw_place_at(at.x, foot + 1, 0, 1, 1), white);
    if (lever->on) {
        float left = 1;
        if (lever->mode == LEVER_TIMED && lever->hold) { /* how long it still holds, as a shrinking mark */
            left = paint_clamp(1 - (float)(draw->time - lever->pulled_since) / (float)lever->hold, 0, 1);
            draw_fill(draw, at.x - 15, foot - 50, 30, 4, draw_color(0x14101f, 0.7f));
            draw_fill(draw, at.x - 14, foot - 49, 28 * left, 2, draw_color(0xffc46a, 1));
        }
        draw_lamp_add(
            draw, (draw_lamp){at.x + sinf(turn) * 30, foot - 9 - cosf(turn) * 30, 54, 0.5f + 0.3f * left, 0xffb060});
    }
}

static void show_wick(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_wick *wick = entity->data;
    float since = (float)(draw->time - wick->taken_since);
    float gone = wick->taken ? paint_clamp(since / 26.0f, 0, 1) : 0;
    if (gone >= 1 || !draw_sees(draw, at.x, at.y, WICK_HALF, WICK_HALF, 90)) {
        return;
    }
    float bob = sinf(phase(draw, 0.045, at.x * 0.02f)) * 2.5f - gone * 42;
    float flick = 1 + 0.10f * sinf(phase(draw, 0.23, at.x)) + 0.05f * sinf(phase(draw, 0.61, at.y));
    float size = 1.0f + gone * 0.5f;
    SDL_Color color = draw_color(0xffffff, 1 - gone);
    draw_put(draw, &draw->atlas.art[ART_WICK], draw_place_at(at.x, at.y + 4 + bob, 0, size, size), color);
    draw_put(draw, &draw->atlas.art[ART_FLAME],
             draw_place_at(at.x, at.y - 4 + bob, sinf(phase(draw, 0.09, at.x)) * 0.12f, size, size * flick), color);
    draw_lamp_add(draw, (draw_lamp){at.x, at.y - 8 + bob, 96 * flick + 60 * gone, (1 - gone) * 0.8f, 0xffc87a});
}

/* Steam from the spout: a few puffs in closed form, so that a rewind draws them back in. */
static void show_steam(engine_draw *draw, const world_kettle *kettle, eddy_vec2 at, float alpha) {
    const draw_sprite *puff = &draw->atlas.art[ART_PUFF];
    for (int i = 0; i < 4; i++) {
        double cycle = draw->time / 46.0 + i * 0.25 + (double)(kettle->state_since % 17) * 0.07;
        float t = (float)(cycle - floor(cycle));
        float x = at.x + (float)kettle->facing * (17 - 16 * t) + sinf(t * 5 + (float)i) * 3, y = at.y - 11 - 26 * t;
        float size = (0.10f + 0.26f * t);
        draw_put(draw, puff, draw_place_at(x, y, 0, size, size),
                 draw_color(0xf2e8f4, alpha * 0.50f * (1 - t) * paint_step(0, 0.15f, t)));
    }
}

void draw_kettle(engine_draw *draw, const world_kettle *kettle, eddy_vec2 at, SDL_Color color) {
    float foot = at.y + KETTLE_HALF_H, facing = kettle->facing < 0 ? -1.0f : 1.0f;
    if (kettle->state == KETTLE_STOMPED) {
        float since = (float)(draw->time - kettle->state_since);
        float squash = paint_step(0, 5, since), gone = paint_step(24, 60, since);
        color.a = (uint8_t)((float)color.a * (1 - gone));
        draw_put(draw, &draw->atlas.art[ART_KETTLE_FLAT],
                 draw_place_at(at.x, foot + 1, 0, facing * (0.8f + 0.25f * squash), 1.4f - 0.4f * squash), color);
        return;
    }
    float stride = at.x / 17.0f * facing, bob = fabsf(sinf(stride)) * 2.2f;
    bool still = fabsf(kettle->vx) < 1;
    const draw_sprite *leg = &draw->atlas.art[ART_KETTLE_LEG];
    for (int i = 0; i < 2; i++) {
        float swing =
            kettle->on_ground ? (still ? 0 : sinf(stride + (float)i * 3.14159f) * 0.62f) : 0.3f - 0.6f * (float)i;
        draw_put(draw, leg, draw_place_at(at.x + (float)(i ? 6 : -6), foot - 9, swing * facing, facing, 1), color);
    }
    float lean = still ? 0 : sinf(stride) * 0.06f;
    draw_put(draw, &draw->atlas.art[ART_KETTLE_BODY], draw_place_at(at.x, foot - 5 - bob, lean, facing, 1), color);
}

static void show_kettle(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_kettle *kettle = entity->data;
    if (draw_sees(draw, at.x, at.y, KETTLE_HALF_W, KETTLE_HALF_H, 60)) {
        draw_kettle(draw, kettle, at, white);
        if (kettle->state == KETTLE_WALK) {
            show_steam(draw, kettle, at, 1);
            draw_lamp_add(draw, (draw_lamp){at.x, at.y + 8, 46, 0.35f, 0xff8a4a});
        }
    }
}

static void show_moth(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_moth *moth = entity->data;
    eddy_vec2 lantern = draw_moth_lantern(draw, moth, at);
    float flicker = 1 + 0.03f * sinf(phase(draw, 0.31, 0)) + 0.02f * sinf(phase(draw, 0.73, 1));
    float power = moth->state == MOTH_DYING ? 1 - paint_step(4, 30, (float)(draw->time - moth->state_since)) : 1;
    draw_moth(draw, moth, at, white);
    draw_lamp_add(draw, (draw_lamp){lantern.x, lantern.y, 260 * flicker, 0.80f * power, 0xffbe7c});
    draw_lamp_add(draw, (draw_lamp){lantern.x, lantern.y, 34 * flicker, 0.55f * power, 0xffdca0});
}

void draw_things_behind(engine_draw *draw) {
    draw_wheels(draw);
    draw_pans(draw, true);
    draw_origin_world(draw, 1);
    draw_each(draw, WORLD_GATE, show_gate);
    for (uint32_t i = 0; i < draw->level.exit_count; i++) {
        const world_exit *lamp = draw->level.exits[i];
        if (draw_sees(draw, lamp->x, lamp->y, lamp->half_w, lamp->half_h, 600)) {
            show_exit(draw, lamp);
        }
    }
    for (uint32_t i = 0; i < draw->level.nettle_count; i++) {
        const world_nettle *nettle = draw->level.nettles[i];
        if (draw_sees(draw, nettle->x, nettle->y, nettle->half_w, nettle->half_h, 40)) {
            show_nettles(draw, nettle);
        }
    }
}

void draw_things(engine_draw *draw) {
    draw_pans(draw, false);
    draw_each(draw, WORLD_LEVER, show_lever);
    draw_each(draw, WORLD_WICK, show_wick);
    draw_each(draw, WORLD_KETTLE, show_kettle);
    draw_each(draw, WORLD_MOTH, show_moth);
}
