#include "collide.h"

#define SUBSTEP (UNITS_TILE / 2)

bool world_solid_at(const world *w, int32_t tile_x, int32_t tile_y) {
    if (tile_x < 0 || tile_x >= w->width)
        return true;
    if (tile_y < 0)
        return false;
    if (tile_y >= w->height)
        tile_y = w->height - 1;
    return w->solid[(size_t)tile_y * (size_t)w->width + (size_t)tile_x] != 0;
}

/* Is one of the tiles solid that the box is beside in this column (or over in this row)? */
static bool column_solid(const world *w, int32_t tile_x, box b) {
    int32_t last = units_floor_div(b.bottom - 1, UNITS_TILE);
    for (int32_t tile_y = units_floor_div(b.top, UNITS_TILE); tile_y <= last; tile_y++)
        if (world_solid_at(w, tile_x, tile_y))
            return true;
    return false;
}

static bool row_solid(const world *w, int32_t tile_y, box b) {
    int32_t last = units_floor_div(b.right - 1, UNITS_TILE);
    for (int32_t tile_x = units_floor_div(b.left, UNITS_TILE); tile_x <= last; tile_x++)
        if (world_solid_at(w, tile_x, tile_y))
            return true;
    return false;
}

bool collide_free(const world *w, box b) {
    int32_t last = units_floor_div(b.right - 1, UNITS_TILE);
    for (int32_t tile_x = units_floor_div(b.left, UNITS_TILE); tile_x <= last; tile_x++)
        if (column_solid(w, tile_x, b))
            return false;
    const store_list *gates = &w->now.by_type[WORLD_GATE];
    for (uint32_t i = 0; i < gates->count; i++)
        if (box_touches(gate_box(store_data(gates, i)), b))
            return false;
    return true;
}

static int32_t tiles_reach_x(const world *w, box b, int32_t dx) {
    if (dx > 0) {
        int32_t last = units_floor_div(b.right + dx - 1, UNITS_TILE);
        for (int32_t tile = units_floor_div(b.right - 1, UNITS_TILE) + 1; tile <= last; tile++)
            if (column_solid(w, tile, b))
                return tile * UNITS_TILE - b.right;
    } else if (dx < 0) {
        int32_t last = units_floor_div(b.left + dx, UNITS_TILE);
        for (int32_t tile = units_floor_div(b.left, UNITS_TILE) - 1; tile >= last; tile--)
            if (column_solid(w, tile, b))
                return (tile + 1) * UNITS_TILE - b.left;
    }
    return dx;
}

static int32_t tiles_reach_y(const world *w, box b, int32_t dy) {
    if (dy > 0) {
        int32_t last = units_floor_div(b.bottom + dy - 1, UNITS_TILE);
        for (int32_t tile = units_floor_div(b.bottom - 1, UNITS_TILE) + 1; tile <= last; tile++)
            if (row_solid(w, tile, b))
                return tile * UNITS_TILE - b.bottom;
    } else if (dy < 0) {
        int32_t last = units_floor_div(b.top + dy, UNITS_TILE);
        for (int32_t tile = units_floor_div(b.top, UNITS_TILE) - 1; tile >= last; tile--)
            if (row_solid(w, tile, b))
                return (tile + 1) * UNITS_TILE - b.top;
    }
    return dy;
}

int32_t collide_reach_x(const world *w, box b, int32_t dx) {
    dx = tiles_reach_x(w, b, dx);
    const store_list *gates = &w->now.by_type[WORLD_GATE];
    for (uint32_t i = 0; i < gates->count; i++) {
        box gate = gate_box(store_data(gates, i));
        if (!box_beside(gate, b))
            continue;
        if (dx > 0 && b.right <= gate.left && b.right + dx > gate.left)
            dx = gate.left - b.right;
        if (dx < 0 && b.left >= gate.right && b.left + dx < gate.right)
            dx = gate.right - b.left;
    }
    return dx;
}

int32_t collide_reach_y(const world *w, box b, int32_t dy, eddy_id *stopped_by) {
    eddy_id met = 0;
    dy = tiles_reach_y(w, b, dy);
    const store_list *gates = &w->now.by_type[WORLD_GATE];
    for (uint32_t i = 0; i < gates->count; i++) {
        box gate = gate_box(store_data(gates, i));
        if (!box_over(gate, b))
            continue;
        if (dy > 0 && b.bottom <= gate.top && b.bottom + dy > gate.top) {
            dy = gate.top - b.bottom;
            met = gates->entities[i].id;
        }
        if (dy < 0 && b.top >= gate.bottom && b.top + dy < gate.bottom) {
            dy = gate.bottom - b.top;
            met = gates->entities[i].id;
        }
    }
    if (stopped_by)
        *stopped_by = met;
    return dy;
}

/* The highest pan of a store that holds feet going from `feet` to `feet + dy`. Pans have moved already: feet that were
 * above a pan where it was count as above it, when `moved` says that this is the first sub-step. */
static const eddy_entity *pan_met(const store *s, const pan_motion *motions, box b, int32_t dy, bool moved,
                                  int32_t *best_top) {
    const store_list *pans = &s->by_type[WORLD_PAN];
    const eddy_entity *met = NULL;
    for (uint32_t i = 0; i < pans->count; i++) {
        box top = motions[i].at;
        int32_t before = moved && motions[i].dy < 0 ? top.top - motions[i].dy : top.top;
        int32_t after = b.bottom + dy;
        if (!box_over(top, b) || b.bottom > before || (dy > 0 ? after < top.top : after <= top.top))
            continue;
        if (top.top < *best_top) {
            *best_top = top.top;
            met = &pans->entities[i];
        }
    }
    return met;
}

/* Lets pans stop a vertical move that tiles and gates allow. Returns the move, and the pan in `hits`. */
static int32_t pans_hold(const world *w, box b, int32_t dy, bool first, collide_hits *hits) {
    int32_t top = INT32_MAX;
    const eddy_entity *pan = pan_met(&w->now, w->motions, b, dy, first, &top);
    const eddy_entity *immune = pan_met(&w->immune, w->immune_motions, b, dy, first, &top);
    pan = immune ? immune : pan;
    if (!pan)
        return dy;
    int32_t to_top = top - b.bottom;
    if (to_top < 0 && collide_reach_y(w, b, to_top, NULL) != to_top)
        return dy; /* no room up there: the pan goes by */
    hits->feet = true;
    hits->support = pan->id;
    return to_top;
}

static int32_t substep(int32_t left) {
    return units_clamp(left, -SUBSTEP, SUBSTEP);
}

collide_hits collide_move(const world *w, box *b, int32_t dx, int32_t dy) {
    collide_hits hits = {0};
    bool first = true;
    while (first || dx != 0 || dy != 0) {
        int32_t want_x = substep(dx), want_y = substep(dy);
        int32_t go_x = collide_reach_x(w, *b, want_x);
        *b = box_moved(*b, go_x, 0);
        dx -= want_x;
        if (go_x != want_x) {
            hits.wall = want_x > 0 ? 1 : -1;
            dx = 0;
        }
        eddy_id gate = 0;
        int32_t go_y = collide_reach_y(w, *b, want_y, &gate);
        collide_hits held = {0};
        bool stopped = go_y != want_y;
        if (stopped) {
            held.feet = want_y > 0;
            held.head = want_y < 0;
            held.support = held.feet ? gate : 0;
        }
        go_y = pans_hold(w, *b, go_y, first, &held);
        *b = box_moved(*b, 0, go_y);
        dy -= want_y;
        if (stopped || held.feet) {
            hits.head |= held.head;
            hits.feet = held.feet;
            hits.support = held.support;
            dy = 0;
        }
        first = false;
    }
    return hits;
}

bool collide_ground_under(const world *w, box b) {
    int32_t top = INT32_MAX;
    return collide_reach_y(w, b, 1, NULL) != 1 || pan_met(&w->now, w->motions, b, 1, false, &top) != NULL ||
           pan_met(&w->immune, w->immune_motions, b, 1, false, &top) != NULL;
}
