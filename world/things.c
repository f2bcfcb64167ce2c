/* Things that stand still: levers, gates, wicks, nettles, the exit. */
#include "collide.h"

#define LEVER_REACH_UNITS UNITS_OF_PX(14)
#define GATE_STEP (1.0f / 32) /* of its way, a frame; exact */

void levers_step(world *w) {
    uint32_t frame = inside_game(w)->frame;
    const store_list *levers = &w->now.by_type[WORLD_LEVER];
    for (uint32_t i = 0; i < levers->count; i++) {
        world_lever *lever = store_data(levers, i);
        if (lever->on && lever->mode == LEVER_TIMED && frame - lever->pulled_since >= lever->hold)
            lever->on = 0;
    }
}

void levers_pull(world *w) {
    const world_moth *moth = inside_moth(w);
    const store_list *levers = &w->now.by_type[WORLD_LEVER];
    box reach = box_grown(moth_box(moth), LEVER_REACH_UNITS);
    world_lever *nearest = NULL;
    int32_t nearest_units = INT32_MAX;
    for (uint32_t i = 0; i < levers->count; i++) {
        world_lever *lever = store_data(levers, i);
        if (!box_touches(reach, box_of(lever->x, lever->y, LEVER_HALF_W, LEVER_HALF_H)))
            continue;
        int32_t away = units_from_px(lever->x) - units_from_px(moth->x);
        away = away < 0 ? -away : away;
        if (away < nearest_units) {
            nearest = lever;
            nearest_units = away;
        }
    }
    if (!nearest)
        return;
    nearest->on = nearest->mode == LEVER_TIMED ? 1 : !nearest->on;
    nearest->pulled_since = inside_game(w)->frame;
    sounds_play(w, CUE_LEVER, nearest->x, nearest->y, 1);
}

static box gate_box_at(const world_gate *gate, float open) {
    box closed = box_of(gate->x, gate->y, gate->half_w, gate->half_h);
    return box_moved(closed, 0, -units_round((double)open * (closed.bottom - closed.top)));
}

box gate_box(const world_gate *gate) {
    return gate_box_at(gate, gate->open);
}

/* How far an actor has to go along with a gate that moves from `was` to `b`: one that stands on it rides up and down.
 * False: it is in the way, the gate has to wait. */
static bool actor_yields(const world *w, eddy_id gate, box was, box b, box actor, eddy_id support, int32_t *dy) {
    *dy = 0;
    if (support != gate || actor.bottom != was.top)
        return !box_touches(b, actor);
    *dy = collide_reach_y(w, actor, b.top - was.top, NULL);
    return *dy == b.top - was.top || *dy >= 0; /* held by a floor beside it, the gate sinks away below */
}

/* Asks moth and kettles to make way, and with `go` moves them. */
static bool actors_yield(world *w, eddy_id id, box was, box b, bool go) {
    int32_t dy = 0;
    const store_list *kettles = &w->now.by_type[WORLD_KETTLE];
    for (uint32_t i = 0; i < kettles->count; i++) {
        world_kettle *kettle = store_data(kettles, i);
        if (!actor_yields(w, id, was, b, kettle_box(kettle), kettle->support, &dy))
            return false;
        if (go)
            kettle->y = units_to_px(units_from_px(kettle->y) + dy);
    }
    world_moth *moth = inside_moth(w);
    if (moth->state == MOTH_DYING)
        return true;
    if (!actor_yields(w, id, was, b, moth_box(moth), moth->support, &dy))
        return false;
    if (go)
        moth->y = units_to_px(units_from_px(moth->y) + dy);
    return true;
}

/* One frame of a gate. It waits for whatever is in its way: a gate crushes nothing. */
static void gate_step(world *w, eddy_id id, world_gate *gate) {
    float target = gate->lever != 0 && lever_runs(w, gate->lever) ? 1.0f : 0.0f;
    if (gate->open == target)
        return;
    float open = gate->open < target ? gate->open + GATE_STEP : gate->open - GATE_STEP;
    open = open < 0 ? 0 : open > 1 ? 1 : open;
    box was = gate_box_at(gate, gate->open), next = gate_box_at(gate, open);
    if (!actors_yield(w, id, was, next, false))
        return;
    actors_yield(w, id, was, next, true);
    if (gate->open == 0 || gate->open == 1)
        sounds_play(w, CUE_GATE, gate->x, gate->y, 1);
    gate->open = open;
}

void gates_step(world *w) {
    const store_list *gates = &w->now.by_type[WORLD_GATE];
    for (uint32_t i = 0; i < gates->count; i++)
        gate_step(w, gates->entities[i].id, store_data(gates, i));
}

void wicks_touch(world *w) {
    world_game *game = inside_game(w);
    box moth = moth_box(inside_moth(w));
    const store_list *wicks = &w->now.by_type[WORLD_WICK];
    for (uint32_t i = 0; i < wicks->count; i++) {
        world_wick *wick = store_data(wicks, i);
        if (wick->taken || !box_touches(moth, box_of(wick->x, wick->y, WICK_HALF, WICK_HALF)))
            continue;
        wick->taken = 1;
        wick->taken_since = game->frame;
        game->wicks_taken++;
        sounds_play(w, CUE_WICK, wick->x, wick->y, 1);
        bursts_make(w, PARTICLE_SPARKS, wick->x, wick->y, 0, 0);
    }
}

void nettles_touch(world *w) {
    /* a little thinner than they look: grazing a leaf is forgiven */
    box moth = box_grown(moth_box(inside_moth(w)), UNITS_OF_PX(-3));
    const store_list *nettles = &w->constants.by_type[WORLD_NETTLE];
    for (uint32_t i = 0; i < nettles->count; i++) {
        const world_nettle *nettle = store_data(nettles, i);
        if (box_touches(moth, box_of(nettle->x, nettle->y, nettle->half_w, nettle->half_h))) {
            moth_die(w);
            return;
        }
    }
}

static bool exit_is_open(const world *w) {
    return inside_game(w)->wicks_taken >= inside_level(w)->wicks_needed;
}

void exit_touch(world *w) {
    world_game *game = inside_game(w);
    world_moth *moth = inside_moth(w);
    const store_list *exits = &w->constants.by_type[WORLD_EXIT];
    if (!exit_is_open(w) || game->outcome != WORLD_GOING_ON)
        return;
    for (uint32_t i = 0; i < exits->count; i++) {
        const world_exit *lamp = store_data(exits, i);
        if (!box_touches(moth_box(moth), box_of(lamp->x, lamp->y, lamp->half_w, lamp->half_h)))
            continue;
        game->outcome = WORLD_WON;
        game->outcome_since = game->frame;
        moth->state = MOTH_LEAVING;
        moth->state_since = game->frame;
        sounds_play(w, CUE_EXIT, lamp->x, lamp->y, 1);
        bursts_make(w, PARTICLE_SPARKS, lamp->x, lamp->y, 0, 0);
        return;
    }
}
