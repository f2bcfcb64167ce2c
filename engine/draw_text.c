/* Text: each line is rendered once for a size of window and kept as a texture. Without a font nothing is written. */
#include "draw_parts.h"

#include <SDL_ttf.h>
#include <string.h>

static const char *const folders[] = {
    "/usr/share/fonts/truetype/dejavu/",   "/usr/share/fonts/dejavu/", "/usr/share/fonts/TTF/",
    "/usr/share/fonts/dejavu-sans-fonts/", "/Library/Fonts/",          "C:/Windows/Fonts/"};
static const char *const faces[FACE_COUNT] = {"DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif-Bold.ttf",
                                              "DejaVuSansMono.ttf"};

static TTF_Font *open_font(draw_face face, int size_px) {
    char path[256];
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        SDL_snprintf(path, sizeof path, "%s%s", folders[i], faces[face]);
        TTF_Font *font = TTF_OpenFont(path, size_px);
        if (font) {
            return font;
        }
    }
    return NULL;
}

static TTF_Font *font_of(engine_draw *draw, draw_face face, int size_px) {
    draw_text_cache *text = &draw->text;
    if (!text->ready) {
        return NULL;
    }
    for (int i = 0; i < text->font_count; i++) {
        if (text->fonts[i].face == face && text->fonts[i].size_px == size_px) {
            return text->fonts[i].font;
        }
    }
    if (text->font_count == DRAW_FONTS_MAX) { /* many sizes of window: begin again */
        for (int i = 0; i < text->font_count; i++) {
            TTF_CloseFont(text->fonts[i].font);
        }
        text->font_count = 0;
    }
    TTF_Font *font = open_font(face, size_px);
    if (!font) {
        text->ready = false;
        SDL_Log("no font %s found: the game goes on without words (Debian: fonts-dejavu-core)", faces[face]);
        return NULL;
    }
    text->fonts[text->font_count].face = face;
    text->fonts[text->font_count].size_px = size_px;
    text->fonts[text->font_count++].font = font;
    return font;
}

void draw_text_load(draw_text_cache *text) {
    text->ready = TTF_Init() == 0;
    if (!text->ready) {
        SDL_Log("no words in the picture: %s", TTF_GetError());
    }
    text->begun = text->ready;
}

void draw_text_free(draw_text_cache *text) {
    for (int i = 0; i < DRAW_WORDS_MAX; i++) {
        if (text->words[i].sprite.texture) {
            SDL_DestroyTexture(text->words[i].sprite.texture);
        }
    }
    for (int i = 0; i < text->font_count; i++) {
        TTF_CloseFont(text->fonts[i].font);
    }
    if (text->begun) {
        TTF_Quit();
    }
    *text = (draw_text_cache){0};
}

static bool render_word(engine_draw *draw, draw_word *word) {
    TTF_Font *font = font_of(draw, word->face, word->size_px);
    SDL_Surface *surface = font ? TTF_RenderUTF8_Blended(font, word->text, (SDL_Color){255, 255, 255, 255}) : NULL;
    if (!surface) {
        return false;
    }
    word->sprite = (draw_sprite){NULL, 0, 0, 1, 1, (float)surface->w, (float)surface->h, 0, 0}; /* device px */
    word->sprite.texture = draw_texture_from(draw->renderer, surface);
    return word->sprite.texture != NULL;
}

/* The rendered word, or NULL: no font, nothing to show. */
static const draw_sprite *word_sprite(engine_draw *draw, draw_face face, float size, const char *text) {
    int size_px = SDL_clamp((int)(size * draw->scale + 0.5f), 5, 400);
    draw_word *oldest = &draw->text.words[0];
    if (!text || !text[0] || !draw->text.ready) {
        return NULL;
    }
    for (int i = 0; i < DRAW_WORDS_MAX; i++) {
        draw_word *word = &draw->text.words[i];
        if (word->sprite.texture && word->face == face && word->size_px == size_px &&
            strncmp(word->text, text, DRAW_WORD_BYTES - 1) == 0) {
            word->used = draw->pictures;
            return &word->sprite;
        }
        oldest = word->used < oldest->used ? word : oldest;
    }
    if (oldest->sprite.texture) {
        draw_flush(draw); /* it may be waiting in the batch */
        SDL_DestroyTexture(oldest->sprite.texture);
    }
    *oldest = (draw_word){.face = face, .size_px = size_px, .used = draw->pictures};
    SDL_utf8strlcpy(oldest->text, text, sizeof oldest->text);
    return render_word(draw, oldest) ? &oldest->sprite : NULL;
}

float draw_text_width(engine_draw *draw, draw_face face, float size, const char *text) {
    const draw_sprite *sprite = word_sprite(draw, face, size, text);
    return sprite ? sprite->w / draw->scale : 0;
}

void draw_text(engine_draw *draw, draw_face face, float size, float x, float y, float align, SDL_Color color,
               const char *text) {
    const draw_sprite *sprite = word_sprite(draw, face, size, text);
    if (!sprite || !color.a) {
        return;
    }
    float w = sprite->w / draw->scale, h = sprite->h / draw->scale;
    /* On whole device px, so that letters stay sharp. */
    float left = SDL_floorf((x - w * align) * draw->scale + 0.5f) / draw->scale;
    float top = SDL_floorf((y - h * 0.5f) * draw->scale + 0.5f) / draw->scale;
    draw_box(draw, sprite, left, top, w, h, color);
}
