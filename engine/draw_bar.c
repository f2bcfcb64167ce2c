/* How time is shown: the history bar along the bottom, and the ladder of speeds above it while rewinding. */
#include "draw_parts.h"

#include <stdio.h>

#define BAR_X 64.0f
#define BAR_W (ENGINE_VIEW_W - 2 * BAR_X)
#define BAR_Y (ENGINE_VIEW_H - 22.0f)
#define BLUE 0x9fc4ffu

uint32_t draw_bar_x(uint32_t frame, uint32_t frames, uint32_t width) {
    if (frames < 2 || width < 2) {
        return 0;
    }
    uint64_t last = frames - 1, span = width - 1;
    uint64_t at = frame < last ? frame : last;
    return (uint32_t)((at * span + last / 2) / last);
}

uint32_t draw_bar_frame(int64_t x, uint32_t frames, uint32_t width) {
    if (frames < 2 || width < 2 || x <= 0) {
        return 0;
    }
    uint64_t last = frames - 1, span = width - 1;
    uint64_t at = (uint64_t)x < span ? (uint64_t)x : span;
    return (uint32_t)((at * last + span / 2) / span);
}

static uint32_t time_color(int speed) {
    return speed < 0 ? DRAW_GOLD : speed > 0 ? BLUE : DRAW_PAPER;
}

static void clock_text(char *out, size_t bytes, uint32_t frames, double rate) {
    uint64_t seconds = rate > 0 ? (uint64_t)((double)frames / rate) : 0;
    snprintf(out, bytes, "%llu:%02u", (unsigned long long)(seconds / 60), (unsigned)(seconds % 60));
}

/* Slanted strokes over the part of the bar whose frames are forgotten. */
static void hatch(engine_draw *draw, float x, float y, float w, float h, float alpha) {
    draw_fill(draw, x, y, w, h, draw_color(DRAW_INK, 0.55f * alpha));
    for (float at = x + 1; at + h * 0.7f < x + w; at += 6) {
        draw_line(draw, at, y + h, at + h * 0.7f, y, 1.6f, draw_color(DRAW_PAPER, 0.55f * alpha));
    }
    draw_fill(draw, x + w - 1, y - 2, 2, h + 4, draw_color(DRAW_PAPER, 0.8f * alpha));
}

static void bar_marks(engine_draw *draw, float shown_x, float now_x, float y, float h, float alpha) {
    const engine_picture *picture = draw->picture;
    SDL_Color color = draw_color(picture->rewinding ? time_color(picture->speed) : DRAW_PAPER, alpha);
    draw_fill(draw, now_x - 1, y - 4, 2, h + 8, draw_color(DRAW_PAPER, 0.85f * alpha));
    draw_fill(draw, shown_x - 1, y - 5, 2.5f, h + 10, color);
    draw_box(draw, &draw->atlas.art[ART_GLOW], shown_x - 20, y + h * 0.5f - 20, 40, 40,
             draw_color(time_color(picture->rewinding ? picture->speed : -1), 0.5f * alpha));
    draw_box(draw, &draw->atlas.art[ART_DOT], shown_x - 8, y + h * 0.5f - 8, 16, 16, color);
}

static void bar_words(engine_draw *draw, float shown_x, float y, float alpha) {
    const engine_picture *picture = draw->picture;
    char text[32];
    clock_text(text, sizeof text, picture->last_frame, picture->rate);
    draw_text(draw, FACE_SANS, 13, BAR_X + BAR_W + 12, y, 0, draw_color(DRAW_PAPER, alpha), text);
    if (!picture->rewinding) {
        return;
    }
    clock_text(text, sizeof text, picture->shown_frame, picture->rate);
    float at = SDL_clamp(shown_x, BAR_X + 20, BAR_X + BAR_W - 20);
    draw_text(draw, FACE_BOLD, 14, at, y - 20, 0.5f, draw_color(time_color(picture->speed), alpha), text);
    if (BAR_X + BAR_W - at > 60) {
        draw_text(draw, FACE_SANS, 12, BAR_X + BAR_W, y - 18, 0.5f, draw_color(DRAW_PAPER, 0.85f * alpha), "now");
    }
    clock_text(text, sizeof text, picture->first_frame, picture->rate);
    draw_text(draw, FACE_SANS, 13, BAR_X - 12, y, 1, draw_color(DRAW_PAPER, 0.8f * alpha), text);
}

void draw_bar(engine_draw *draw) {
    const engine_picture *picture = draw->picture;
    float alpha = picture->rewinding ? 1.0f : 0.42f, h = picture->rewinding ? 10.0f : 5.0f;
    float y = BAR_Y - h * 0.5f;
    uint32_t frames = picture->last_frame < UINT32_MAX ? picture->last_frame + 1 : UINT32_MAX;
    uint32_t width = (uint32_t)BAR_W;
    float first_x = BAR_X + (float)draw_bar_x(picture->first_frame, frames, width);
    float shown_x = BAR_X + (float)draw_bar_x(picture->shown_frame, frames, width);
    float now_x = BAR_X + (float)width - 1;
    if (frames < 2) {
        shown_x = now_x; /* nothing yet: the playhead is now */
    }
    draw_origin(draw, 0, 0);
    draw_fill(draw, BAR_X - 2, y - 2, BAR_W + 4, h + 4, draw_color(DRAW_INK, 0.60f * alpha));
    draw_fill(draw, first_x, y, shown_x - first_x, h, draw_color(DRAW_COPPER, 0.95f * alpha));
    draw_fill(draw, first_x, y, shown_x - first_x, h * 0.4f, draw_color(DRAW_GOLD, 0.45f * alpha));
    draw_fill(draw, shown_x, y, now_x - shown_x, h, draw_color(0xd9cfe6, 0.55f * alpha));
    if (picture->forgotten && first_x > BAR_X) {
        hatch(draw, BAR_X, y, first_x - BAR_X, h, alpha);
    }
    bar_marks(draw, shown_x, now_x, y, h, alpha);
    bar_words(draw, shown_x, BAR_Y, picture->rewinding ? 1.0f : 0.6f);
}

/* ---- the ladder ---- */

static const int rungs[] = {ENGINE_LADDER};
#define RUNG_COUNT ((int)(sizeof rungs / sizeof rungs[0]))

static void arrow(engine_draw *draw, float x, float y, float size, bool back, SDL_Color color) {
    draw_put(draw, &draw->atlas.art[ART_ARROW], draw_place_at(x, y, 0, (back ? -1 : 1) * size / 32, size / 32), color);
}

/* The glyph: one arrow for 1x, two from 2x on, two bars for a standing clock. */
static void glyph(engine_draw *draw, float x, float y, int speed, SDL_Color color) {
    char text[16];
    int size = speed < 0 ? -speed : speed;
    if (speed == 0) {
        draw_fill(draw, x - 11, y - 14, 7, 28, color);
        draw_fill(draw, x + 4, y - 14, 7, 28, color);
        return;
    }
    int arrows = size == 1 ? 1 : size <= 4 ? 2 : 3;
    float left = x - (float)(arrows - 1) * 11 - 20;
    for (int i = 0; i < arrows; i++) {
        arrow(draw, left + (float)i * 22, y, 30, speed < 0, color);
    }
    snprintf(text, sizeof text, "%d\xc3\x97", size);
    draw_text(draw, FACE_BOLD, 24, left + (float)arrows * 22, y, 0, color, text);
}

void draw_ladder(engine_draw *draw) {
    const engine_picture *picture = draw->picture;
    const float x = ENGINE_VIEW_W * 0.5f, y = ENGINE_VIEW_H - 102.0f, step = 34;
    uint32_t color = time_color(picture->speed);
    draw_origin(draw, 0, 0);
    draw_nine(draw, &draw->atlas.art[ART_PANEL], 14, x - 176, y - 36, 352, 76, draw_color(DRAW_INK, 0.66f));
    draw_nine(draw, &draw->atlas.art[ART_FRAME], 14, x - 176, y - 36, 352, 76, draw_color(color, 0.5f));
    glyph(draw, x, y - 11, picture->speed, draw_color(color, 1));
    float left = x - (float)(RUNG_COUNT - 1) * 0.5f * step;
    draw_line(draw, left, y + 14, left + (float)(RUNG_COUNT - 1) * step, y + 14, 2, draw_color(DRAW_PAPER, 0.35f));
    for (int i = 0; i < RUNG_COUNT; i++) {
        char text[16];
        bool here = rungs[i] == picture->speed;
        float at = left + (float)i * step, size = here ? 17.0f : 9.0f;
        draw_box(draw, &draw->atlas.art[ART_DOT], at - size * 0.5f, y + 14 - size * 0.5f, size, size,
                 draw_color(here ? color : DRAW_PAPER, here ? 1.0f : 0.65f));
        snprintf(text, sizeof text, rungs[i] < 0 ? "\xe2\x88\x92%d" : "%d", rungs[i] < 0 ? -rungs[i] : rungs[i]);
        draw_text(draw, here ? FACE_BOLD : FACE_SANS, 11, at, y + 29, 0.5f,
                  draw_color(here ? color : DRAW_PAPER, here ? 1.0f : 0.7f), text);
    }
}
