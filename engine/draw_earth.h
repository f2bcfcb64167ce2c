/* Painting one chunk of ground into a surface. Private to the drawing. */
#ifndef EDDY_ENGINE_DRAW_EARTH_H
#define EDDY_ENGINE_DRAW_EARTH_H

#include "draw_parts.h"

#define DRAW_CHUNK_PX ((float)(DRAW_CHUNK_TILES * WORLD_TILE)) /**< logical px of a chunk's side */

/** What the painter knows of one chunk: its rock, how deep it lies, its colours. */
typedef struct draw_earth draw_earth;

/** Looks at the chunk. NULL: no memory. The world must outlive it. */
draw_earth *draw_earth_begin(const world *shown, const draw_air *air, int32_t cx, int32_t cy);
void draw_earth_end(draw_earth *map);
/** Nothing to paint in front; there may still be a wall behind. */
bool draw_earth_is_air(const draw_earth *map);
/** Paints the rows [from, to) of a square surface of the whole chunk. About 0.15 us a px. */
void draw_earth_rows(const draw_earth *map, SDL_Surface *surface, int from, int to);
/** Grass and roots over all rows. */
void draw_earth_tufts(const draw_earth *map, SDL_Surface *surface);
/** What is seen behind the air of caves; NULL: open air everywhere (or no memory). The caller frees it. */
SDL_Surface *draw_earth_wall(const draw_earth *map, float scale);

#endif
