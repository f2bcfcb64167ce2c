/* Draws the world and what lies over it with an SDL_Renderer, hardware or software. */
#ifndef EDDY_ENGINE_DRAW_H
#define EDDY_ENGINE_DRAW_H

#include <SDL.h>

#include "picture.h"

typedef struct engine_draw engine_draw;

/** Loads the art (SVG) and fonts for a renderer. `scale`: device px per logical px; art is rastered for it.
 * E_IO names the missing file; E_MEMORY. */
eddy_result engine_draw_create(SDL_Renderer *renderer, const char *art_dir, float scale, engine_draw **out,
                               eddy_error *error);
void engine_draw_destroy(engine_draw *draw);
/** Rasters again for another size of window. */
eddy_result engine_draw_rescale(engine_draw *draw, float scale, eddy_error *error);
/** One picture, letterboxed into the renderer's output; presents nothing. */
void engine_draw_picture(engine_draw *draw, const engine_picture *picture);

/** Writes a surface as a PNG, beside and renamed. E_IO names the path; E_MEMORY. */
eddy_result engine_draw_save(SDL_Surface *surface, const char *path, eddy_error *error);

/** Draws one picture without a window (software renderer) and writes a PNG of ENGINE_VIEW_W x ENGINE_VIEW_H, beside and
 * renamed. E_IO, E_MEMORY. Same picture, same bytes. */
eddy_result engine_draw_png(const char *art_dir, const engine_picture *picture, const char *path, eddy_error *error);

#endif
