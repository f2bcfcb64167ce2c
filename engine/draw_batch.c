/* Quads gathered into few draw calls, and the way from logical to device px. */
#include "draw_parts.h"

#include <math.h>

SDL_Color draw_color(uint32_t rgb, float alpha) {
    return (SDL_Color){(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb,
                       (uint8_t)(paint_clamp(alpha, 0, 1) * 255.0f + 0.5f)};
}

void draw_flush(engine_draw *draw) {
    draw_batch *batch = &draw->batch;
    if (!batch->quads) {
        return;
    }
    if (batch->texture) {
        SDL_SetTextureBlendMode(batch->texture, batch->blend);
    } else {
        SDL_SetRenderDrawBlendMode(draw->renderer, batch->blend);
    }
    SDL_RenderGeometry(draw->renderer, batch->texture, batch->vertices, batch->quads * 4, batch->indices,
                       batch->quads * 6);
    batch->quads = 0;
}

void draw_blend(engine_draw *draw, SDL_BlendMode blend) {
    if (draw->batch.blend != blend) {
        draw_flush(draw);
        draw->batch.blend = blend;
    }
}

void draw_origin(engine_draw *draw, float shift_x, float shift_y) {
    draw->origin_x = draw->left + floorf(shift_x * draw->scale + 0.5f);
    draw->origin_y = draw->top + floorf(shift_y * draw->scale + 0.5f);
}

void draw_origin_world(engine_draw *draw, float parallax) {
    draw_origin(draw, ENGINE_VIEW_W * 0.5f - draw->camera_x * parallax,
                ENGINE_VIEW_H * 0.5f - draw->camera_y * parallax);
}

/* The software renderer draws upright quads by whole px and is fast when nothing is stretched: meet it there. */
static void snap_upright(SDL_FPoint corners[4]) {
    bool upright = corners[0].x == corners[3].x && corners[1].x == corners[2].x && corners[0].y == corners[1].y &&
                   corners[2].y == corners[3].y;
    for (int i = 0; upright && i < 4; i++) {
        corners[i].x = floorf(corners[i].x + 0.5f);
        corners[i].y = floorf(corners[i].y + 0.5f);
    }
}

/* A quad far outside the picture is not worth a vertex, and may be outside what an int can count. */
static bool is_outside(const engine_draw *draw, const SDL_FPoint corners[4]) {
    float right = draw->left + ENGINE_VIEW_W * draw->scale, bottom = draw->top + ENGINE_VIEW_H * draw->scale;
    bool left_of = true, right_of = true, above = true, below = true, sane = true;
    for (int i = 0; i < 4; i++) {
        left_of = left_of && corners[i].x < draw->left;
        right_of = right_of && corners[i].x > right;
        above = above && corners[i].y < draw->top;
        below = below && corners[i].y > bottom;
        sane = sane && fabsf(corners[i].x) < 1e6f && fabsf(corners[i].y) < 1e6f; /* false for NaN too */
    }
    return !sane || left_of || right_of || above || below;
}

/* Four corners, clockwise from top left. `sprite` NULL: plain colour. */
static void draw_corners(engine_draw *draw, const draw_sprite *sprite, const SDL_FPoint corners[4],
                         const SDL_Color colors[4]) {
    draw_batch *batch = &draw->batch;
    SDL_FPoint at[4];
    for (int i = 0; i < 4; i++) {
        at[i].x = draw->origin_x + corners[i].x * draw->scale;
        at[i].y = draw->origin_y + corners[i].y * draw->scale;
    }
    if (is_outside(draw, at)) {
        return;
    }
    if (draw->software) {
        snap_upright(at);
    }
    SDL_Texture *texture = sprite ? sprite->texture : NULL;
    if (texture != batch->texture || batch->quads == DRAW_BATCH_QUADS) {
        draw_flush(draw);
        batch->texture = texture;
    }
    static const draw_sprite none = {0};
    const draw_sprite *from = sprite ? sprite : &none;
    const SDL_FPoint uv[4] = {{from->u0, from->v0}, {from->u1, from->v0}, {from->u1, from->v1}, {from->u0, from->v1}};
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 4; i++) {
        batch->vertices[batch->quads * 4 + i] = (SDL_Vertex){at[i], colors[i], uv[i]};
    }
    for (int i = 0; i < 6; i++) {
        batch->indices[batch->quads * 6 + i] = batch->quads * 4 + order[i];
    }
    batch->quads++;
}

void draw_box(engine_draw *draw, const draw_sprite *sprite, float x, float y, float w, float h, SDL_Color color) {
    if (!color.a || w <= 0 || h <= 0) {
        return;
    }
    const SDL_FPoint corners[4] = {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
    const SDL_Color colors[4] = {color, color, color, color};
    draw_corners(draw, sprite, corners, colors);
}

void draw_fill(engine_draw *draw, float x, float y, float w, float h, SDL_Color color) {
    draw_box(draw, NULL, x, y, w, h, color);
}

void draw_fill_fade(engine_draw *draw, float x, float y, float w, float h, SDL_Color upper, SDL_Color lower) {
    const SDL_FPoint corners[4] = {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
    const SDL_Color colors[4] = {upper, upper, lower, lower};
    draw_corners(draw, NULL, corners, colors);
}

void draw_nine(engine_draw *draw, const draw_sprite *sprite, float border, float x, float y, float w, float h,
               SDL_Color color) {
    float edge = fminf(border, fminf(w, h) * 0.5f);
    const float xs[4] = {x, x + edge, x + w - edge, x + w}, ys[4] = {y, y + edge, y + h - edge, y + h};
    float part_u = border / sprite->w, part_v = border / sprite->h;
    const float us[4] = {0, part_u, 1 - part_u, 1}, vs[4] = {0, part_v, 1 - part_v, 1};
    float du = sprite->u1 - sprite->u0, dv = sprite->v1 - sprite->v0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            draw_sprite part = *sprite;
            part.u0 = sprite->u0 + du * us[column];
            part.u1 = sprite->u0 + du * us[column + 1];
            part.v0 = sprite->v0 + dv * vs[row];
            part.v1 = sprite->v0 + dv * vs[row + 1];
            draw_box(draw, &part, xs[column], ys[row], xs[column + 1] - xs[column], ys[row + 1] - ys[row], color);
        }
    }
}

draw_place draw_place_at(float x, float y, float turn, float scale_x, float scale_y) {
    float c = cosf(turn), s = sinf(turn);
    if (turn == 0) {
        c = 1;
        s = 0;
    }
    return (draw_place){c * scale_x, -s * scale_y, x, s * scale_x, c * scale_y, y};
}

draw_place draw_place_in(draw_place outer, draw_place inner) {
    return (draw_place){
        outer.xx * inner.xx + outer.xy * inner.yx,
        outer.xx * inner.xy + outer.xy * inner.yy,
        outer.xx * inner.x0 + outer.xy * inner.y0 + outer.x0,
        outer.yx * inner.xx + outer.yy * inner.yx,
        outer.yx * inner.xy + outer.yy * inner.yy,
        outer.yx * inner.x0 + outer.yy * inner.y0 + outer.y0,
    };
}

/* The software renderer turns a triangle without smoothing, but a copy with it: a turned sprite goes there by itself.
 * What shear the place has is left out; it is never more than a lean within a squash. */
static void put_turned(engine_draw *draw, const draw_sprite *sprite, draw_place place, SDL_Color color) {
    int page_w = 0, page_h = 0;
    float wide = sqrtf(place.xx * place.xx + place.yx * place.yx);
    float tall = wide > 0 ? (place.xx * place.yy - place.xy * place.yx) / wide : 0;
    float w = sprite->w * wide * draw->scale, h = sprite->h * fabsf(tall) * draw->scale;
    if (w < 0.5f || h < 0.5f || w > 4096 || h > 4096) {
        return;
    }
    draw_flush(draw);
    SDL_QueryTexture(sprite->texture, NULL, NULL, &page_w, &page_h);
    SDL_Rect from = {(int)(sprite->u0 * (float)page_w + 0.5f), (int)(sprite->v0 * (float)page_h + 0.5f),
                     (int)((sprite->u1 - sprite->u0) * (float)page_w + 0.5f),
                     (int)((sprite->v1 - sprite->v0) * (float)page_h + 0.5f)};
    SDL_FPoint pivot = {w * sprite->ax, h * (tall < 0 ? 1 - sprite->ay : sprite->ay)};
    SDL_FRect to = {draw->origin_x + place.x0 * draw->scale - pivot.x,
                    draw->origin_y + place.y0 * draw->scale - pivot.y, w, h};
    SDL_SetTextureBlendMode(sprite->texture, draw->batch.blend);
    SDL_SetTextureColorMod(sprite->texture, color.r, color.g, color.b);
    SDL_SetTextureAlphaMod(sprite->texture, color.a);
    SDL_RenderCopyExF(draw->renderer, sprite->texture, &from, &to,
                      (double)atan2f(place.yx, place.xx) * 57.29577951308232, &pivot,
                      tall < 0 ? SDL_FLIP_VERTICAL : SDL_FLIP_NONE);
    SDL_SetTextureColorMod(sprite->texture, 255, 255, 255);
    SDL_SetTextureAlphaMod(sprite->texture, 255);
}

void draw_put(engine_draw *draw, const draw_sprite *sprite, draw_place place, SDL_Color color) {
    if (!color.a) {
        return;
    }
    float left = -sprite->ax * sprite->w, top = -sprite->ay * sprite->h;
    const float xs[4] = {left, left + sprite->w, left + sprite->w, left};
    const float ys[4] = {top, top, top + sprite->h, top + sprite->h};
    SDL_FPoint corners[4], device[4];
    for (int i = 0; i < 4; i++) {
        corners[i].x = place.xx * xs[i] + place.xy * ys[i] + place.x0;
        corners[i].y = place.yx * xs[i] + place.yy * ys[i] + place.y0;
        device[i].x = draw->origin_x + corners[i].x * draw->scale;
        device[i].y = draw->origin_y + corners[i].y * draw->scale;
    }
    if (draw->software && (place.xy != 0 || place.yx != 0)) {
        if (!is_outside(draw, device)) {
            put_turned(draw, sprite, place, color);
        }
        return;
    }
    const SDL_Color colors[4] = {color, color, color, color};
    draw_corners(draw, sprite, corners, colors);
}

void draw_line(engine_draw *draw, float x0, float y0, float x1, float y1, float width, SDL_Color color) {
    float dx = x1 - x0, dy = y1 - y0;
    float length = sqrtf(dx * dx + dy * dy);
    if (length < 0.01f) {
        return;
    }
    /* A soft edge needs room: the software renderer would smooth a thin line away. */
    const draw_sprite *line = draw->software && width * draw->scale < 4 ? NULL : &draw->atlas.art[ART_LINE];
    float half = line ? width * 0.5f : SDL_max(width * 0.36f, 0.5f / draw->scale);
    float nx = -dy / length * half, ny = dx / length * half;
    const SDL_FPoint corners[4] = {{x0 - nx, y0 - ny}, {x1 - nx, y1 - ny}, {x1 + nx, y1 + ny}, {x0 + nx, y0 + ny}};
    const SDL_Color colors[4] = {color, color, color, color};
    draw_corners(draw, line, corners, colors);
}

bool draw_sees(const engine_draw *draw, float x, float y, float half_w, float half_h, float margin) {
    return fabsf(x - draw->camera_x) <= ENGINE_VIEW_W * 0.5f + half_w + margin &&
           fabsf(y - draw->camera_y) <= ENGINE_VIEW_H * 0.5f + half_h + margin;
}
