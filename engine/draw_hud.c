/* What lies over the world: wicks, prompts, hints, the title card, the pause, the debug line. */
#include "draw_parts.h"

#include <math.h>
#include <stdio.h>

static void show_wicks(engine_draw *draw) {
    const world_level *level = draw->level.level;
    uint32_t taken = world_game_of(draw->picture->world)->wicks_taken;
    uint32_t shown = SDL_min(level->wicks_total, 12u);
    if (!level->wicks_total) {
        return;
    }
    const draw_sprite *wick = &draw->atlas.art[ART_WICK], *flame = &draw->atlas.art[ART_FLAME];
    float w = 30 + 24.0f * (float)shown + (level->wicks_total > shown ? 60.0f : 0);
    draw_nine(draw, &draw->atlas.art[ART_PANEL], 14, 16, 14, w, 50, draw_color(DRAW_INK, 0.46f));
    for (uint32_t i = 0; i < shown; i++) {
        float x = 43 + 24.0f * (float)i;
        bool lit = i < taken;
        draw_put(draw, wick, draw_place_at(x, 43, 0, 0.95f, 0.95f),
                 draw_color(lit ? 0xffffff : 0x9d93b0, lit ? 1 : 0.8f));
        if (lit) {
            float beat = 1 + 0.06f * sinf((float)(draw->picture->ticks % 4096) * 0.16f + (float)i);
            draw_box(draw, &draw->atlas.art[ART_GLOW], x - 20, 12, 40, 40, draw_color(DRAW_GOLD, 0.45f));
            draw_put(draw, flame, draw_place_at(x, 37, 0, 0.8f, 0.8f * beat), draw_color(0xffffff, 1));
        }
        if (i < level->wicks_needed) { /* underlined: the lamp asks for so many */
            draw_fill(draw, x - 8, 58, 16, 2, draw_color(lit ? DRAW_GOLD : DRAW_COPPER, 0.85f));
        }
    }
    if (level->wicks_total > shown) {
        char text[24];
        snprintf(text, sizeof text, "%u/%u", taken, level->wicks_total);
        draw_text(draw, FACE_BOLD, 15, 40 + 24.0f * (float)shown, 40, 0, draw_color(DRAW_PAPER, 0.9f), text);
    }
}

/* Hints of the boxes that Moth stands in; at most two at once. */
static void show_hints(engine_draw *draw) {
    const world_moth *moth = world_moth_of(draw->picture->world);
    float y = 118;
    int shown = 0;
    for (uint32_t i = 0; i < draw->level.hint_count && shown < 2; i++) {
        const world_hint *hint = draw->level.hints[i];
        if (fabsf(moth->x - hint->x) <= hint->half_w && fabsf(moth->y - hint->y) <= hint->half_h) {
            draw_hint_panel(draw, ENGINE_VIEW_W * 0.5f, y, 19, hint->text,
                            1 - paint_clamp(draw->picture->title_alpha, 0, 1));
            y += 84;
            shown++;
        }
    }
}

static void show_death(engine_draw *draw) {
    const engine_picture *picture = draw->picture;
    const world_game *game = world_game_of(picture->world);
    float since = (float)(draw->time - (double)game->outcome_since);
    float alpha = game->stopped ? 1 : paint_step(8, 40, since);
    draw_fill_fade(draw, 0, 0, ENGINE_VIEW_W, ENGINE_VIEW_H, draw_color(0x120c22, 0.30f * alpha),
                   draw_color(0x120c22, 0.62f * alpha));
    float beat = picture->reduced_motion ? 0 : sinf((float)(picture->ticks % 100000) * 0.07f) * 2.5f;
    draw_hint_panel(draw, ENGINE_VIEW_W * 0.5f, 300 + beat, 27, "Hold {rewind} to rewind", alpha);
}

static void show_won(engine_draw *draw) {
    const world_game *game = world_game_of(draw->picture->world);
    float since = (float)(draw->time - (double)game->outcome_since), x = ENGINE_VIEW_W * 0.5f, y = 92;
    float alpha = game->stopped ? 1 : paint_step(10, 50, since);
    draw_box(draw, &draw->atlas.art[ART_GLOW], x - 380, y - 70, 760, 140, draw_color(DRAW_INK, 0.60f * alpha));
    draw_text(draw, FACE_SERIF, 46, x + 2, y + 3, 0.5f, draw_color(DRAW_INK, 0.8f * alpha), "The lamp is lit");
    draw_text(draw, FACE_SERIF, 46, x, y, 0.5f, draw_color(DRAW_GOLD, alpha), "The lamp is lit");
}

static void show_title(engine_draw *draw) {
    const engine_picture *picture = draw->picture;
    float alpha = paint_clamp(picture->title_alpha, 0, 1), x = ENGINE_VIEW_W * 0.5f, y = 236;
    if (alpha <= 0 || !picture->title || !picture->title[0]) {
        return;
    }
    float w = SDL_max(draw_text_width(draw, FACE_SERIF, 54, picture->title), 200);
    draw_box(draw, &draw->atlas.art[ART_GLOW], x - w * 0.9f, y - 110, w * 1.8f, 220,
             draw_color(DRAW_INK, 0.80f * alpha));
    draw_text(draw, FACE_SERIF, 54, x + 2, y + 3, 0.5f, draw_color(DRAW_INK, 0.7f * alpha), picture->title);
    draw_text(draw, FACE_SERIF, 54, x, y, 0.5f, draw_color(DRAW_PAPER, alpha), picture->title);
    for (int side = -1; side <= 1; side += 2) {
        draw_line(draw, x + (float)side * 16, y + 50, x + (float)side * w * 0.5f, y + 50, 2.4f,
                  draw_color(DRAW_COPPER, 0.9f * alpha));
    }
    draw_put(draw, &draw->atlas.art[ART_FLAME], draw_place_at(x, y + 58, 0, 0.9f, 0.9f), draw_color(0xffffff, alpha));
}

static void show_pause(engine_draw *draw) {
    float x = ENGINE_VIEW_W * 0.5f, y = ENGINE_VIEW_H * 0.44f;
    draw_fill(draw, 0, 0, ENGINE_VIEW_W, ENGINE_VIEW_H, draw_color(0x161029, 0.58f));
    draw_text(draw, FACE_SERIF, 50, x, y, 0.5f, draw_color(DRAW_PAPER, 1), "Paused");
    draw_line(draw, x - 110, y + 44, x + 110, y + 44, 2.4f, draw_color(DRAW_COPPER, 0.9f));
    draw_text(draw, FACE_SANS, 17, x, y + 70, 0.5f, draw_color(DRAW_PAPER, 0.8f), "any key goes on, Q quits");
}

static void show_toast(engine_draw *draw) {
    const char *toast = draw->picture->toast;
    if (!toast || !toast[0]) {
        return;
    }
    float w = draw_text_width(draw, FACE_SANS, 17, toast) + 44, x = ENGINE_VIEW_W * 0.5f, y = ENGINE_VIEW_H - 172.0f;
    draw_nine(draw, &draw->atlas.art[ART_PANEL], 14, x - w * 0.5f, y - 19, w, 38, draw_color(DRAW_INK, 0.72f));
    draw_text(draw, FACE_SANS, 17, x, y, 0.5f, draw_color(DRAW_GOLD, 1), toast);
}

static void show_debug(engine_draw *draw) {
    const engine_debug *debug = &draw->picture->debug;
    char text[DRAW_WORD_BYTES];
    snprintf(text, sizeof text, "frame %u %s  %zu B/frame  %.3f MB/min  %.2f/%.0f MB  sounds %u  voices %u  %.0f fps",
             debug->frame, debug->is_base ? "base" : "diff", debug->frame_bytes, debug->megabytes_per_minute,
             (double)debug->owned_bytes / 1e6, (double)debug->budget_bytes / 1e6, debug->live_sounds, debug->voices,
             debug->fps);
    float w = draw_text_width(draw, FACE_MONO, 14, text) + 24;
    draw_fill(draw, ENGINE_VIEW_W - w, 0, w, 26, draw_color(DRAW_INK, 0.78f));
    draw_text(draw, FACE_MONO, 14, ENGINE_VIEW_W - 12, 13, 1, draw_color(0xd8f0d0, 1), text);
}

void draw_hud(engine_draw *draw) {
    const engine_picture *picture = draw->picture;
    uint8_t outcome = world_game_of(picture->world)->outcome;
    draw_origin(draw, 0, 0);
    draw_blend(draw, SDL_BLENDMODE_BLEND);
    if (outcome == WORLD_DIED && !picture->rewinding) {
        show_death(draw);
    } else if (outcome == WORLD_WON && !picture->rewinding) {
        show_won(draw);
    } else if (!picture->rewinding) {
        show_hints(draw);
    }
    show_wicks(draw);
    draw_bar(draw);
    if (picture->rewinding) {
        draw_ladder(draw);
    }
    show_title(draw);
    if (picture->paused) {
        show_pause(draw);
    }
    show_toast(draw);
    if (picture->fade > 0) {
        draw_fill(draw, 0, 0, ENGINE_VIEW_W, ENGINE_VIEW_H, draw_color(0x0b0814, paint_clamp(picture->fade, 0, 1)));
    }
    if (picture->debug.shown) {
        show_debug(draw);
    }
}
