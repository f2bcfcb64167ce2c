/* Words with keys among them: "{jump} leaps" shows the key that is bound to jumping. */
#include "draw_parts.h"

#include <string.h>

#define HINT_WIDTH 560.0f
#define HINT_PIECES_MAX 64
#define HINT_LINES 8

#define HINT_INK 0x1a1626u
#define HINT_COPPER 0xd98a4eu

/* The name of the key of a button, e.g. "jump"; its own name when nothing is bound; false: no such button. */
static bool key_of(const char *button, size_t length, const char *const key_names[16], draw_piece *out) {
    char name[32];
    if (length == 0 || length >= sizeof name) {
        return false;
    }
    memcpy(name, button, length);
    name[length] = 0;
    uint16_t bit = world_button(name);
    if (!bit) {
        return false;
    }
    int index = 0;
    while (!(bit >> index & 1)) {
        index++;
    }
    const char *key = key_names[index] && key_names[index][0] ? key_names[index] : name;
    SDL_utf8strlcpy(out->text, key, sizeof out->text);
    return true;
}

bool draw_hint_next(const char **text, const char *const key_names[16], draw_piece *out) {
    const char *at = *text;
    *out = (draw_piece){0};
    while (*at == ' ') {
        at++;
    }
    if (*at == '\n') {
        *text = at + 1;
        out->line_end = true;
        return true;
    }
    if (!*at) {
        *text = at;
        return false;
    }
    const char *close = *at == '{' ? strchr(at, '}') : NULL;
    if (close && key_of(at + 1, (size_t)(close - at - 1), key_names, out)) {
        out->key = true;
        *text = close + 1;
        return true;
    }
    /* A word: up to a blank or the next brace; a brace that names no button is a letter like any other. */
    size_t length = 1 + strcspn(at + 1, " \n{");
    length = SDL_min(length, sizeof out->text - 1);
    while (length > 1 && ((unsigned char)at[length] & 0xc0) == 0x80) {
        length--; /* not inside a UTF-8 letter */
    }
    memcpy(out->text, at, length);
    *text = at + length;
    return true;
}

static float keycap_width(engine_draw *draw, float size, const char *name) {
    float inner = draw_text_width(draw, FACE_BOLD, size * 0.86f, name);
    return SDL_max(inner + size * 1.0f, size * 1.6f);
}

static void show_keycap(engine_draw *draw, float x, float y, float size, const char *name, float alpha) {
    float w = keycap_width(draw, size, name), h = size * 1.62f;
    const draw_sprite *panel = &draw->atlas.art[ART_PANEL];
    float border = size * 0.5f;
    draw_sprite small = *panel;
    small.w = panel->w * border / 14.0f; /* smaller corners for smaller caps */
    small.h = small.w;
    draw_nine(draw, &small, border, x, y - h * 0.5f + size * 0.12f, w, h, draw_color(HINT_INK, 0.85f * alpha));
    draw_nine(draw, &small, border, x, y - h * 0.5f, w, h - size * 0.06f, draw_color(0xb9a685, alpha));
    draw_nine(draw, &small, border, x + 1, y - h * 0.5f + 1, w - 2, h - size * 0.24f, draw_color(DRAW_PAPER, alpha));
    draw_text(draw, FACE_BOLD, size * 0.86f, x + w * 0.5f, y - size * 0.10f, 0.5f, draw_color(HINT_INK, alpha), name);
}

typedef struct laid_piece {
    draw_piece piece;
    float x, w;
    int line;
} laid_piece;

/* Is this piece set close to the key before it: the comma after a key? */
static bool is_glued(const laid_piece *item) {
    return !item->piece.key && item[-1].piece.key && item->piece.text[0] && strchr(".,:;!?)", item->piece.text[0]);
}

/* Breaks the pieces into lines no wider than `wide`; returns the last line. */
static int lay_out(laid_piece *laid, int count, float space, float wide, float widths[HINT_LINES]) {
    float x = 0;
    int line = 0;
    memset(widths, 0, HINT_LINES * sizeof *widths);
    for (int i = 0; i < count; i++) {
        laid_piece *item = &laid[i];
        bool glued = i > 0 && is_glued(item);
        float gap = x > 0 && !glued ? space : 0;
        bool full = x + gap + item->w > wide && !glued;
        if ((item->piece.line_end || full) && x > 0 && line < HINT_LINES - 1) {
            line++;
            x = gap = 0;
        }
        item->x = x + gap;
        item->line = line;
        x = item->x + item->w;
        widths[line] = x;
    }
    return line;
}

/* Measures all pieces, then breaks them into the fewest lines, and those as even as they get. Returns the count. */
static int lay_out_evenly(engine_draw *draw, const char *text, float size, laid_piece *laid, float widths[HINT_LINES],
                          int *last) {
    float space = size * 0.34f;
    int count = 0;
    for (; count < HINT_PIECES_MAX && draw_hint_next(&text, draw->picture->key_names, &laid[count].piece); count++) {
        laid[count].w = laid[count].piece.key ? keycap_width(draw, size, laid[count].piece.text)
                                              : draw_text_width(draw, FACE_SANS, size, laid[count].piece.text);
    }
    *last = lay_out(laid, count, space, HINT_WIDTH, widths);
    float narrow = HINT_WIDTH * 0.5f;
    while (*last > 0 && narrow < HINT_WIDTH && lay_out(laid, count, space, narrow, widths) > *last) {
        narrow += 20;
    }
    *last = lay_out(laid, count, space, *last > 0 && narrow < HINT_WIDTH ? narrow : HINT_WIDTH, widths);
    return count;
}

void draw_hint_panel(engine_draw *draw, float x, float y, float size, const char *text, float alpha) {
    laid_piece laid[HINT_PIECES_MAX];
    float widths[HINT_LINES], widest = 0;
    int last;
    int count = lay_out_evenly(draw, text, size, laid, widths, &last);
    int lines = last + 1;
    for (int i = 0; i < lines; i++) {
        widest = SDL_max(widest, widths[i]);
    }
    if (count == 0 || widest <= 0) {
        return;
    }
    float step = size * 2.0f, w = widest + size * 2.2f, h = step * (float)lines + size * 0.9f;
    float left = SDL_clamp(x - w * 0.5f, 12, ENGINE_VIEW_W - 12 - w);
    draw_nine(draw, &draw->atlas.art[ART_PANEL], 14, left, y - h * 0.5f, w, h, draw_color(HINT_INK, 0.74f * alpha));
    draw_nine(draw, &draw->atlas.art[ART_FRAME], 14, left, y - h * 0.5f, w, h, draw_color(HINT_COPPER, 0.55f * alpha));
    for (int i = 0; i < count; i++) {
        float at_x = left + w * 0.5f - widths[laid[i].line] * 0.5f + laid[i].x;
        float at_y = y + ((float)laid[i].line - (float)(lines - 1) * 0.5f) * step;
        if (laid[i].piece.key) {
            show_keycap(draw, at_x, at_y, size, laid[i].piece.text, alpha);
        } else {
            draw_text(draw, FACE_SANS, size, at_x, at_y, 0, draw_color(DRAW_PAPER, alpha), laid[i].piece.text);
        }
    }
}
