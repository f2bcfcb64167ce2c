/* Axis by axis collision that cannot tunnel: each axis looks at everything between here and there, in whole units.
 * Solid: tiles and gates. Pans hold what comes down on them. Private to world/. */
#ifndef EDDY_WORLD_COLLIDE_H
#define EDDY_WORLD_COLLIDE_H

#include "inside.h"

/** What a move met. */
typedef struct collide_hits {
    int32_t wall;    /**< -1, 1: stopped on that side; 0: not */
    bool head, feet; /**< stopped above, below */
    eddy_id support; /**< the pan or gate under the feet; 0: tiles, or nothing */
} collide_hits;

/** Is no tile and no gate in the box? */
bool collide_free(const world *w, box b);
/** How much of `dx` the box can go. What it is inside of already does not hold it. */
int32_t collide_reach_x(const world *w, box b, int32_t dx);
/** Likewise for `dy`; `gate` (may be NULL) gets the gate that stopped it, or 0. */
int32_t collide_reach_y(const world *w, box b, int32_t dy, eddy_id *gate);
/** Moves a box by (dx, dy) in steps of half a tile at most, x then y. A stopped axis goes no further. */
collide_hits collide_move(const world *w, box *b, int32_t dx, int32_t dy);
/** Does something carry a box whose lower edge is at b.bottom: tile, gate or pan right under it? */
bool collide_ground_under(const world *w, box b);

#endif
