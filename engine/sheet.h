/* A contact sheet: small pictures of a run in rows, drawn without a window. */
#ifndef EDDY_ENGINE_SHEET_H
#define EDDY_ENGINE_SHEET_H

#include "picture.h"

typedef struct engine_sheet engine_sheet;

/** An empty sheet for columns x rows pictures, each `cell_width` px wide. Errors of engine_draw_create; E_MEMORY. */
eddy_result engine_sheet_create(const char *art_dir, uint32_t columns, uint32_t rows, int cell_width,
                                engine_sheet **out, eddy_error *error);
/** Draws the next picture, row by row; a full sheet takes no more. */
void engine_sheet_add(engine_sheet *sheet, const engine_picture *picture);
/** Writes a PNG, beside and renamed. E_IO names the path. */
eddy_result engine_sheet_save(const engine_sheet *sheet, const char *path, eddy_error *error);
void engine_sheet_destroy(engine_sheet *sheet);

#endif
