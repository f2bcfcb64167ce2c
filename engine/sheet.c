#include "sheet.h"

#include <stdlib.h>

#include "draw.h"

#define SHEET_GAP 8 /* px between pictures and around them */

struct engine_sheet {
    SDL_Surface *page, *cell;
    SDL_Renderer *renderer; /* draws on `cell` */
    engine_draw *draw;
    uint32_t columns, rows, count;
};

static eddy_result sheet_open(engine_sheet *sheet, const char *art_dir, int width, int height, eddy_error *error) {
    const int page_w = (int)sheet->columns * (width + SHEET_GAP) + SHEET_GAP;
    const int page_h = (int)sheet->rows * (height + SHEET_GAP) + SHEET_GAP;
    sheet->page = SDL_CreateRGBSurfaceWithFormat(0, page_w, page_h, 32, SDL_PIXELFORMAT_RGBA32);
    sheet->cell = SDL_CreateRGBSurfaceWithFormat(0, width, height, 32, SDL_PIXELFORMAT_RGBA32);
    sheet->renderer = sheet->cell ? SDL_CreateSoftwareRenderer(sheet->cell) : NULL;
    if (!sheet->page || !sheet->renderer)
        return eddy_fail(error, EDDY_E_MEMORY, "no contact sheet of %d x %d px: %s", page_w, page_h, SDL_GetError());
    SDL_SetSurfaceBlendMode(sheet->cell, SDL_BLENDMODE_NONE);
    SDL_FillRect(sheet->page, NULL, SDL_MapRGBA(sheet->page->format, 0x17, 0x14, 0x1c, 0xff));
    return engine_draw_create(sheet->renderer, art_dir, (float)width / ENGINE_VIEW_W, &sheet->draw, error);
}

eddy_result engine_sheet_create(const char *art_dir, uint32_t columns, uint32_t rows, int cell_width,
                                engine_sheet **out, eddy_error *error) {
    *out = NULL;
    engine_sheet *sheet = calloc(1, sizeof *sheet);
    if (!sheet)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for a contact sheet");
    sheet->columns = columns;
    sheet->rows = rows;
    eddy_result result = sheet_open(sheet, art_dir, cell_width, cell_width * ENGINE_VIEW_H / ENGINE_VIEW_W, error);
    if (result != EDDY_OK) {
        engine_sheet_destroy(sheet);
        return result;
    }
    *out = sheet;
    return EDDY_OK;
}

void engine_sheet_add(engine_sheet *sheet, const engine_picture *picture) {
    if (sheet->count == sheet->columns * sheet->rows)
        return;
    engine_draw_picture(sheet->draw, picture);
    SDL_RenderFlush(sheet->renderer);
    SDL_Rect place = {.x = SHEET_GAP + (int)(sheet->count % sheet->columns) * (sheet->cell->w + SHEET_GAP),
                      .y = SHEET_GAP + (int)(sheet->count / sheet->columns) * (sheet->cell->h + SHEET_GAP)};
    SDL_BlitSurface(sheet->cell, NULL, sheet->page, &place);
    sheet->count++;
}

eddy_result engine_sheet_save(const engine_sheet *sheet, const char *path, eddy_error *error) {
    return engine_draw_save(sheet->page, path, error);
}

void engine_sheet_destroy(engine_sheet *sheet) {
    if (!sheet)
        return;
    engine_draw_destroy(sheet->draw);
    if (sheet->renderer)
        SDL_DestroyRenderer(sheet->renderer);
    SDL_FreeSurface(sheet->cell);
    SDL_FreeSurface(sheet->page);
    free(sheet);
}
