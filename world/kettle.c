/* Kettles walk to and fro on what carries them, fall when it goes, die by a stomp and kill by a touch. */
#include "collide.h"

#define WALK UNITS_OF_SPEED(60)
#define GRAVITY UNITS_OF_ACCEL(3600)
#define FALL UNITS_OF_SPEED(640)
#define BOUNCE UNITS_OF_SPEED(-360)
#define STOMP_UNITS UNITS_OF_PX(14) /* feet at most this deep in a kettle are on top of it */

enum {
    STOMPED_FRAMES = 45, /* a flattened one lies this long */
    BOUNCE_HOLD_FRAMES = 9,
};

box kettle_box(const world_kettle *kettle) {
    return box_of(kettle->x, kettle->y, KETTLE_HALF_W, KETTLE_HALF_H);
}

/* Is there a floor under the foot that would step out next? */
static bool kettle_ledge(const world *w, box b, int32_t facing) {
    box foot = b;
    if (facing > 0)
        foot.left = b.right - 1;
    else
        foot.right = b.left + 1;
    return !collide_ground_under(w, box_moved(foot, facing * WALK, 0));
}

static void kettle_walk(world *w, world_kettle *kettle) {
    box b = kettle_box(kettle);
    int32_t facing = kettle->facing < 0 ? -1 : 1;
    bool walks = kettle->state == KETTLE_WALK && kettle->on_ground;
    if (walks && kettle_ledge(w, b, facing) && !kettle_ledge(w, b, -facing))
        facing = -facing;
    int32_t vx = walks && !kettle_ledge(w, b, facing) ? facing * WALK : 0;
    int32_t vy = units_clamp(units_from_speed(kettle->vy) + GRAVITY, -FALL, FALL);
    collide_hits hits = collide_move(w, &b, vx, vy);
    if (hits.wall)
        facing = -hits.wall;
    kettle->x = units_to_px((b.left + b.right) / 2);
    kettle->y = units_to_px((b.top + b.bottom) / 2);
    kettle->vx = units_to_speed(hits.wall ? 0 : vx);
    kettle->vy = units_to_speed(hits.feet ? 0 : vy);
    kettle->facing = (int16_t)facing;
    kettle->on_ground = hits.feet;
    kettle->support = hits.support;
}

void kettles_step(world *w) {
    uint32_t frame = inside_game(w)->frame;
    const store_list *kettles = &w->now.by_type[WORLD_KETTLE];
    for (uint32_t i = kettles->count; i-- > 0;) { /* downward, so that one may go; they do not meet each other */
        world_kettle *kettle = store_data(kettles, i);
        kettle_walk(w, kettle);
        bool flat_for_long = kettle->state == KETTLE_STOMPED && frame - kettle->state_since >= STOMPED_FRAMES;
        if (flat_for_long || kettle_box(kettle).top >= w->height * UNITS_TILE)
            store_remove(&w->now, kettles->entities[i].id);
    }
}

static void kettle_stomp(world *w, world_kettle *kettle) {
    world_moth *moth = inside_moth(w);
    kettle->state = KETTLE_STOMPED;
    kettle->state_since = inside_game(w)->frame;
    moth->vy = units_to_speed(BOUNCE);
    moth->hold = moth->held & BUTTON_JUMP ? BOUNCE_HOLD_FRAMES : 0;
    moth->coyote = moth->buffer = 0;
    moth->on_ground = 0;
    moth->support = 0;
    sounds_play(w, CUE_STOMP, kettle->x, kettle->y, 1);
    bursts_make(w, PARTICLE_STEAM, kettle->x, kettle->y - KETTLE_HALF_H, 0, 0);
}

void kettles_touch(world *w) {
    const world_moth *moth = inside_moth(w);
    box b = moth_box(moth);
    bool falls = moth->vy > 0;
    const store_list *kettles = &w->now.by_type[WORLD_KETTLE];
    for (uint32_t i = 0; i < kettles->count; i++) {
        world_kettle *kettle = store_data(kettles, i);
        box other = kettle_box(kettle);
        if (kettle->state != KETTLE_WALK || !box_touches(b, other))
            continue;
        if (b.bottom - other.top > STOMP_UNITS) {
            moth_die(w);
            return;
        }
        if (falls)
            kettle_stomp(w, kettle); /* two side by side go both; one that Moth rises from does nothing */
    }
}
