/* The art folder into a few textures: drawings are rastered once for a size of window and packed side by side. */
#include "draw_parts.h"
#include "path.h"

#include <SDL_image.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_PX 2048
#define PAD_PX 2

typedef struct art_row {
    const char *file; /**< NULL: made by arithmetic */
    float ax, ay, w, h;
    bool scenery;
} art_row;

static const art_row rows[ART_COUNT] = {
#define DRAW_ART(NAME, file, ax, ay) [ART_##NAME] = {file, ax, ay, 0, 0, false},
#define DRAW_SCENERY(NAME, file, ax, ay) [ART_##NAME] = {file, ax, ay, 0, 0, true},
#define DRAW_MADE(NAME, width, height) [ART_##NAME] = {NULL, 0.5f, 0.5f, width, height, false},
#include "draw_art.inl"
};

draw_art draw_art_of_kind(const char *kind) {
    for (int i = 0; i < ART_COUNT; i++) {
        if (rows[i].scenery && strcmp(rows[i].file, kind) == 0) {
            return (draw_art)i;
        }
    }
    return ART_COUNT;
}

SDL_Texture *draw_texture_from(SDL_Renderer *renderer, SDL_Surface *surface) {
    SDL_Texture *texture = surface ? SDL_CreateTextureFromSurface(renderer, surface) : NULL;
    SDL_FreeSurface(surface);
    if (texture) {
        SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND);
        SDL_SetTextureScaleMode(texture, SDL_ScaleModeLinear);
    }
    return texture;
}

/* The size that the file gives itself: rastered once small would cost as much as parsing, so it is read from the head.
 */
static bool svg_size(const char *text, float *w, float *h) {
    const char *head = strstr(text, "<svg");
    const char *width = head ? strstr(head, "width=\"") : NULL, *height = head ? strstr(head, "height=\"") : NULL;
    if (!width || !height) {
        return false;
    }
    *w = strtof(width + 7, NULL);
    *h = strtof(height + 8, NULL);
    return *w >= 1 && *h >= 1 && *w <= 4096 && *h <= 4096;
}

eddy_result draw_art_surface(const char *art_dir, const char *file, float scale, SDL_Surface **out, eddy_error *error) {
    char path[ENGINE_PATH_BYTES];
    eddy_result fits = engine_path_print(path, sizeof path, error, "%s/%s.svg", art_dir, file);
    if (fits != EDDY_OK) {
        return fits;
    }
    size_t bytes = 0;
    char *text = SDL_LoadFile(path, &bytes); /* ends in a zero byte */
    if (!text) {
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be read; is the folder of drawings complete?", path);
    }
    float w, h;
    if (!svg_size(text, &w, &h)) {
        SDL_free(text);
        return eddy_fail(error, EDDY_E_IO, "%s: expected an <svg> with a width and a height of 1..4096 px", path);
    }
    SDL_RWops *reader = SDL_RWFromConstMem(text, (int)bytes);
    SDL_Surface *raw = IMG_LoadSizedSVG_RW(reader, (int)ceilf(w * scale), (int)ceilf(h * scale));
    SDL_Surface *surface = raw ? SDL_ConvertSurfaceFormat(raw, SDL_PIXELFORMAT_ARGB8888, 0) : NULL;
    if (!raw) {
        eddy_fail(error, EDDY_E_IO, "%s: not a drawing that can be shown (%s)", path, IMG_GetError());
    } else if (!surface) {
        eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for the drawing", path);
    }
    eddy_result result = surface ? EDDY_OK : raw ? EDDY_E_MEMORY : EDDY_E_IO;
    SDL_RWclose(reader);
    SDL_free(text);
    SDL_FreeSurface(raw);
    *out = surface;
    return result;
}

/* ---- shapes by arithmetic: white, their form in the alpha ---- */

/* Distance in px to the edge of a round-cornered box that fills the shape but for one px; negative inside. */
static float round_box(float x, float y, float half, float radius) {
    float qx = fabsf(x) - half + 1 + radius, qy = fabsf(y) - half + 1 + radius;
    float outside = sqrtf(fmaxf(qx, 0) * fmaxf(qx, 0) + fmaxf(qy, 0) * fmaxf(qy, 0));
    return outside + fminf(fmaxf(qx, qy), 0) - radius;
}

/* Alpha of a made shape at (x, y) logical px from its middle; `half` is half its width. */
static float made_alpha(draw_art art, float x, float y, float half, float scale) {
    float far = sqrtf(x * x + y * y) / half;
    float soft = 0.5f / scale;
    switch (art) {
    case ART_DOT:
        return 1 - paint_step(0.55f, 0.98f, far);
    case ART_GLOW: {
        float fall = paint_clamp(1 - far, 0, 1);
        return fall * fall * (0.35f + 0.65f * fall);
    }
    case ART_PUFF: {
        float ragged = far + (paint_fbm(x * 0.10f + 40, y * 0.10f + 40, 3, 5) - 0.5f) * 0.9f;
        return (1 - paint_step(0.25f, 0.85f, ragged)) * (1 - paint_step(0.8f, 1.0f, far));
    }
    case ART_LINE:
        return 1 - paint_step(0.30f, 1.0f, fabsf(y) / 6.0f);
    case ART_PANEL:
        return paint_clamp(0.5f - round_box(x, y, half, 12) / (2 * soft), 0, 1);
    case ART_FRAME:
        return paint_clamp(0.5f - (fabsf(round_box(x, y, half, 12) + 1.0f) - 0.8f) / (2 * soft), 0, 1);
    case ART_ARROW: { /* points right, fills the height */
        float edge = (fabsf(y) - (half - 2 - (x + half - 2) * 0.5f)) * 0.894f;
        return paint_clamp(0.5f - fmaxf(edge, -x - half + 2) / (2 * soft), 0, 1);
    }
    case ART_SCRAP: {
        float edge = fmaxf(fabsf(x * 0.9f + y * 0.3f) - 4.6f, fabsf(y - x * 0.25f) - 5.6f);
        return paint_clamp(0.5f - edge, 0, 1);
    }
    default:
        return 0;
    }
}

static SDL_Surface *make_shape(draw_art art, float scale) {
    float w = rows[art].w, h = rows[art].h;
    SDL_Surface *surface = paint_surface((int)ceilf(w * scale), (int)ceilf(h * scale));
    for (int y = 0; surface && y < surface->h; y++) {
        for (int x = 0; x < surface->w; x++) {
            float alpha = made_alpha(art, ((float)x + 0.5f) / scale - w * 0.5f, ((float)y + 0.5f) / scale - h * 0.5f,
                                     w * 0.5f, scale);
            /* Dither, so that wide glows show no rings. */
            float grain = alpha > 0 && alpha < 1 ? (paint_random(x, y, 77) - 0.5f) / 255.0f : 0;
            paint_put(surface, x, y, (paint_rgb){1, 1, 1}, alpha + grain);
        }
    }
    return surface;
}

/* The shape of a surface in white. */
static SDL_Surface *make_haze(SDL_Surface *from) {
    SDL_Surface *surface = SDL_ConvertSurfaceFormat(from, SDL_PIXELFORMAT_ARGB8888, 0);
    for (int y = 0; surface && y < surface->h; y++) {
        uint32_t *pixel = (uint32_t *)(void *)((uint8_t *)surface->pixels + (size_t)y * (size_t)surface->pitch);
        for (int x = 0; x < surface->w; x++) {
            pixel[x] |= 0xffffffu;
        }
    }
    return surface;
}

/* ---- packing ---- */

typedef struct art_piece {
    SDL_Surface *surface;
    draw_sprite *sprite;
    int page, x, y;
} art_piece;

static int taller_first(const void *a, const void *b) {
    const art_piece *one = a, *two = b;
    if (one->surface->h != two->surface->h) {
        return two->surface->h - one->surface->h;
    }
    return one->sprite < two->sprite ? -1 : 1;
}

/* Shelves: a row as high as its first piece. Returns the number of pages, 0 when a piece or the pages do not fit. */
static int pack(art_piece *pieces, int count, int page_px) {
    int page = 0, x = 0, y = 0, shelf = 0;
    for (int i = 0; i < count; i++) {
        int w = pieces[i].surface->w + PAD_PX, h = pieces[i].surface->h + PAD_PX;
        if (x + w > page_px) {
            x = 0;
            y += shelf;
            shelf = 0;
        }
        if (y + h > page_px) {
            page++;
            x = y = shelf = 0;
        }
        if (w > page_px || h > page_px || page == DRAW_PAGES_MAX) {
            return 0;
        }
        pieces[i].page = page;
        pieces[i].x = x;
        pieces[i].y = y;
        x += w;
        shelf = SDL_max(shelf, h);
    }
    return page + 1;
}

static int page_height(const art_piece *pieces, int count, int page) {
    int height = 1;
    for (int i = 0; i < count; i++) {
        if (pieces[i].page == page) {
            height = SDL_max(height, pieces[i].y + pieces[i].surface->h);
        }
    }
    return height;
}

/* Copies the pieces of one page into a texture. */
static bool make_page(draw_atlas *atlas, SDL_Renderer *renderer, art_piece *pieces, int count, int page, int page_px) {
    int height = page_height(pieces, count, page);
    SDL_Surface *surface = paint_surface(page_px, height);
    for (int i = 0; surface && i < count; i++) {
        if (pieces[i].page == page) {
            SDL_Rect to = {pieces[i].x, pieces[i].y, 0, 0};
            SDL_SetSurfaceBlendMode(pieces[i].surface, SDL_BLENDMODE_NONE);
            SDL_BlitSurface(pieces[i].surface, NULL, surface, &to);
        }
    }
    atlas->pages[page] = draw_texture_from(renderer, surface);
    for (int i = 0; i < count; i++) {
        if (pieces[i].page == page) {
            draw_sprite *sprite = pieces[i].sprite;
            sprite->texture = atlas->pages[page];
            sprite->u0 = (float)pieces[i].x / (float)page_px;
            sprite->v0 = (float)pieces[i].y / (float)height;
            sprite->u1 = (float)(pieces[i].x + pieces[i].surface->w) / (float)page_px;
            sprite->v1 = (float)(pieces[i].y + pieces[i].surface->h) / (float)height;
        }
    }
    return atlas->pages[page] != NULL;
}

static eddy_result raster_all(draw_atlas *atlas, const char *art_dir, float scale, art_piece *pieces, int *count,
                              eddy_error *error) {
    for (int i = 0; i < ART_COUNT; i++) {
        art_piece *piece = &pieces[(*count)];
        if (rows[i].file) {
            eddy_result result = draw_art_surface(art_dir, rows[i].file, scale, &piece->surface, error);
            if (result != EDDY_OK) {
                return result;
            }
            paint_wash(piece->surface, scale, (uint32_t)i * 31u + 5u, 0.9f, 0.55f);
        } else if (!(piece->surface = make_shape((draw_art)i, scale))) {
            return eddy_fail(error, EDDY_E_MEMORY, "no memory for a shape of the picture");
        }
        piece->sprite = &atlas->art[i];
        (*count)++;
        *piece->sprite = (draw_sprite){.w = (float)piece->surface->w / scale,
                                       .h = (float)piece->surface->h / scale,
                                       .ax = rows[i].ax,
                                       .ay = rows[i].ay};
        if (rows[i].scenery) {
            atlas->haze[i] = atlas->art[i];
            pieces[*count] = (art_piece){make_haze(piece->surface), &atlas->haze[i], 0, 0, 0};
            if (!pieces[*count].surface) {
                return eddy_fail(error, EDDY_E_MEMORY, "no memory for a drawing's haze");
            }
            (*count)++;
        }
    }
    return EDDY_OK;
}

static eddy_result build_pages(draw_atlas *atlas, SDL_Renderer *renderer, art_piece *pieces, int count,
                               eddy_error *error) {
    SDL_RendererInfo info = {0};
    SDL_GetRendererInfo(renderer, &info);
    int page_px = info.max_texture_width > 0 ? SDL_min(PAGE_PX, info.max_texture_width) : PAGE_PX;
    qsort(pieces, (size_t)count, sizeof *pieces, taller_first);
    atlas->page_count = pack(pieces, count, page_px);
    if (!atlas->page_count) {
        return eddy_fail(error, EDDY_E_MEMORY, "the drawings do not fit %d textures of %d px", DRAW_PAGES_MAX, page_px);
    }
    for (int page = 0; page < atlas->page_count; page++) {
        if (!make_page(atlas, renderer, pieces, count, page, page_px)) {
            return eddy_fail(error, EDDY_E_MEMORY, "no memory for a texture of %d px: %s", page_px, SDL_GetError());
        }
    }
    return EDDY_OK;
}

eddy_result draw_atlas_load(draw_atlas *atlas, SDL_Renderer *renderer, const char *art_dir, float scale,
                            eddy_error *error) {
    art_piece *pieces = calloc(2 * ART_COUNT, sizeof *pieces);
    if (!pieces) {
        return eddy_fail(error, EDDY_E_MEMORY, "no memory to read the drawings");
    }
    int count = 0;
    eddy_result result = raster_all(atlas, art_dir, scale, pieces, &count, error);
    if (result == EDDY_OK) {
        result = build_pages(atlas, renderer, pieces, count, error);
    }
    for (int i = 0; i < 2 * ART_COUNT; i++) {
        SDL_FreeSurface(pieces[i].surface);
    }
    free(pieces);
    if (result != EDDY_OK) {
        draw_atlas_free(atlas);
    }
    return result;
}

void draw_atlas_free(draw_atlas *atlas) {
    for (int i = 0; i < DRAW_PAGES_MAX; i++) {
        if (atlas->pages[i]) {
            SDL_DestroyTexture(atlas->pages[i]);
        }
    }
    *atlas = (draw_atlas){0};
}
