/* Moth: running, jumping with every grace a jump should have, dying and leaving. Each counter that decides a later
 * frame is a field of world_moth, so a rewind into the grace of a jump brings back exactly what was left of it. */
#include "collide.h"

/* How it feels. Speeds in px/s, accelerations in px/s2, for 60 steps a second. */
#define RUN UNITS_OF_SPEED(360)
#define ACCEL_GROUND UNITS_OF_ACCEL(4000)
#define ACCEL_AIR UNITS_OF_ACCEL(2600)
#define ACCEL_FAST UNITS_OF_ACCEL(1600) /* slowing down from more than RUN: momentum of a pan lasts */
#define GRAVITY UNITS_OF_ACCEL(3600)
#define FALL UNITS_OF_SPEED(640)
#define FALL_DOWN UNITS_OF_SPEED(800) /* with `down` held */
#define JUMP UNITS_OF_SPEED(-420)
#define APEX UNITS_OF_SPEED(160)     /* slower than this with jump held, gravity is half */
#define LIFT_UP UNITS_OF_SPEED(-240) /* the most that a rising pan adds to a jump */
#define DYING UNITS_OF_SPEED(-480)
#define GRAVITY_DYING UNITS_OF_ACCEL(1800)
#define LEAVING UNITS_OF_SPEED(120)
#define SPEED_MOST UNITS_OF_SPEED(120000)
#define CORNER_PX 16
#define HARD_LANDING UNITS_OF_SPEED(300)
#define STRIDE UNITS_OF_PX(52)

enum {
    COYOTE_FRAMES = 6,
    BUFFER_FRAMES = 6,
    HOLD_FRAMES = 12,
    LIFT_FRAMES = 10,
    LAND_FRAMES = 12,
    DYING_FRAMES = 45,
    LEAVING_FRAMES = 60,
};

static const uint16_t moth_buttons = BUTTON_LEFT | BUTTON_RIGHT | BUTTON_UP | BUTTON_DOWN | BUTTON_JUMP | BUTTON_USE;

box moth_box(const world_moth *moth) {
    return box_of(moth->x, moth->y, MOTH_HALF_W, MOTH_HALF_H);
}

static void moth_place(world_moth *moth, box b) {
    moth->x = units_to_px((b.left + b.right) / 2);
    moth->y = units_to_px((b.top + b.bottom) / 2);
}

static void moth_become(world *w, world_moth *moth, world_moth_state state) {
    if (moth->state == state)
        return;
    moth->state = (uint8_t)state;
    moth->state_since = inside_game(w)->frame;
}

void moth_die(world *w) {
    world_game *game = inside_game(w);
    world_moth *moth = inside_moth(w);
    if (game->outcome != WORLD_GOING_ON)
        return;
    game->outcome = WORLD_DIED;
    game->outcome_since = game->frame;
    bursts_make(w, PARTICLE_SCRAPS, moth->x, moth->y, moth->vx, moth->vy);
    sounds_play(w, CUE_DIE, moth->x, moth->y, 1);
    moth_become(w, moth, MOTH_DYING);
    moth->vx = 0;
    moth->vy = units_to_speed(DYING);
    moth->support = 0;
    moth->on_ground = 0;
    moth->hold = moth->coyote = moth->buffer = moth->lift_frames = 0;
    moth->lift_vx = moth->lift_vy = 0;
}

/* Out of the picture: up, then down through everything. */
static void moth_drop_out(world *w, world_moth *moth) {
    int32_t vy = units_clamp(units_from_speed(moth->vy) + GRAVITY_DYING, DYING, FALL);
    moth->vy = units_to_speed(vy);
    moth->y = units_to_px(units_from_px(moth->y) + vy);
    world_game *game = inside_game(w);
    if (game->frame - game->outcome_since >= DYING_FRAMES)
        game->stopped = 1;
}

/* Into the lamp that was reached. */
static void moth_leave(world *w, world_moth *moth) {
    const store_list *exits = &w->constants.by_type[WORLD_EXIT];
    box b = moth_box(moth);
    int32_t x = units_from_px(moth->x), to_x = x;
    for (uint32_t i = 0; i < exits->count; i++) {
        const world_exit *lamp = store_data(exits, i);
        if (box_touches(b, box_of(lamp->x, lamp->y, lamp->half_w, lamp->half_h)))
            to_x = units_from_px(lamp->x);
    }
    int32_t vx = units_approach(x, to_x, LEAVING) - x;
    int32_t vy = units_clamp(units_from_speed(moth->vy) + GRAVITY, -SPEED_MOST, FALL);
    collide_hits hits = collide_move(w, &b, vx, vy);
    moth_place(moth, b);
    moth->support = hits.support;
    moth->on_ground = hits.feet;
    moth->vx = units_to_speed(hits.wall ? 0 : vx);
    moth->vy = units_to_speed(hits.feet || hits.head ? 0 : vy);
    world_game *game = inside_game(w);
    if (game->frame - game->outcome_since >= LEAVING_FRAMES)
        game->stopped = 1;
}

static int32_t moth_run(world_moth *moth, uint32_t held) {
    int32_t direction = ((held & BUTTON_RIGHT) != 0) - ((held & BUTTON_LEFT) != 0);
    int32_t vx = units_from_speed(moth->vx);
    int32_t target = direction * RUN + units_from_speed(moth->lift_vx);
    bool fast = direction != 0 && (vx > 0) == (target > 0) && (vx > 0 ? vx > target : vx < target);
    int32_t accel = fast ? ACCEL_FAST : moth->on_ground ? ACCEL_GROUND : ACCEL_AIR;
    if (direction != 0)
        moth->facing = (int8_t)direction;
    return units_approach(vx, target, accel);
}

/* Keeps what the pan gave for a few frames after leaving it. */
static void moth_lift_off(const world *w, world_moth *moth) {
    pan_motion by = pan_motion_of(w, moth->support);
    moth->support = 0;
    if (by.dx == 0 && by.dy >= 0)
        return;
    moth->lift_vx = units_to_speed(by.dx);
    moth->lift_vy = units_to_speed(units_clamp(by.dy, LIFT_UP, 0));
    moth->lift_frames = LIFT_FRAMES;
}

static void moth_lift_end(world_moth *moth) {
    moth->lift_vx = moth->lift_vy = 0;
    moth->lift_frames = 0;
}

/* A jump from the ground, or from where it was a moment ago. Returns the upward speed. */
static int32_t moth_jump(world *w, world_moth *moth, int32_t *vx) {
    if (moth->support) {
        moth_lift_off(w, moth);
        *vx += units_from_speed(moth->lift_vx);
    }
    moth->buffer = 0;
    moth->coyote = 0;
    moth->hold = HOLD_FRAMES;
    moth->on_ground = 0;
    sounds_play(w, CUE_JUMP, moth->x, moth->y, 1);
    return JUMP + units_from_speed(moth->lift_vy);
}

/* Gravity, as far as the jump button and the apex let it. */
static int32_t moth_fall(world_moth *moth, uint32_t held, int32_t vy) {
    bool jump_held = held & BUTTON_JUMP;
    if (moth->hold > 0 && jump_held) {
        moth->hold--;
        return vy;
    }
    moth->hold = 0;
    int32_t most = held & BUTTON_DOWN ? FALL_DOWN : FALL;
    int32_t gravity = jump_held && vy > -APEX && vy < APEX ? GRAVITY / 2 : GRAVITY;
    return vy > most ? units_approach(vy, most, GRAVITY) : units_clamp(vy + gravity, -SPEED_MOST, most);
}

/* A head that meets a corner slips by it: the least shift of up to 16 px that lets the whole rise through. */
static bool moth_slip_corner(const world *w, box *b, int32_t vx, int32_t rise) {
    for (int32_t px = 1; px <= CORNER_PX; px++) {
        for (int32_t side = -1; side <= 1; side += 2) {
            int32_t shift = side * px * UNITS_PX;
            if ((side < 0 && vx > 0) || (side > 0 && vx < 0) || collide_reach_x(w, *b, shift) != shift)
                continue;
            box shifted = box_moved(*b, shift, 0);
            if (collide_reach_y(w, shifted, rise, NULL) != rise)
                continue;
            *b = box_moved(shifted, 0, rise);
            return true;
        }
    }
    return false;
}

static void moth_landed(world *w, world_moth *moth, int32_t fall) {
    moth->land_frames = 0;
    moth->hold = 0;
    moth_lift_end(moth);
    if (fall < HARD_LANDING)
        return;
    sounds_play(w, CUE_LAND, moth->x, moth->y, 1);
    bursts_make(w, PARTICLE_DUST, moth->x, moth->y + MOTH_HALF_H, moth->vx, 0);
}

/* A footstep each stride of ground, counted from where the ground is: needs no counter. */
static void moth_footstep(world *w, const world_moth *moth, int32_t walked) {
    const world_pan *pan = moth->support ? inside_get(w, moth->support, WORLD_PAN) : NULL;
    int32_t x = units_from_px(moth->x) - (pan ? units_from_px(pan->x) : 0);
    if (units_floor_div(x, STRIDE) == units_floor_div(x - walked, STRIDE))
        return;
    float pitch = 0.94f + 0.12f * random_unit(inside_draw(w));
    sounds_play(w, CUE_STEP, moth->x, moth->y + MOTH_HALF_H, pitch);
}

/* Moves, and sets everything that follows from what was met. */
static void moth_move(world *w, world_moth *moth, int32_t vx, int32_t vy) {
    box b = moth_box(moth);
    int32_t was_x = b.left, was_y = b.top;
    collide_hits hits = collide_move(w, &b, vx, vy);
    if (hits.head && moth_slip_corner(w, &b, vx, vy - (b.top - was_y)))
        hits.head = false;
    moth_place(moth, b);
    moth->vx = units_to_speed(hits.wall ? 0 : vx);
    moth->vy = units_to_speed(hits.feet || hits.head ? 0 : vy);
    if (hits.head)
        moth->hold = 0;
    bool was_on_ground = moth->on_ground;
    if (!hits.feet && moth->support) {
        moth_lift_off(w, moth);
        moth->vx = units_to_speed(units_from_speed(moth->vx) + units_from_speed(moth->lift_vx));
    }
    moth->support = hits.support;
    moth->on_ground = hits.feet;
    if (hits.feet && !was_on_ground)
        moth_landed(w, moth, vy);
    else if (moth->land_frames < LAND_FRAMES)
        moth->land_frames++;
    if (hits.feet && was_on_ground)
        moth_footstep(w, moth, b.left - was_x);
    if (hits.feet)
        moth->coyote = COYOTE_FRAMES;
    else if (!was_on_ground && moth->coyote > 0)
        moth->coyote--;
}

static void moth_live(world *w, world_moth *moth, uint32_t pressed) {
    int8_t faced = moth->facing;
    int32_t was_vx = units_from_speed(moth->vx);
    if (pressed & BUTTON_JUMP)
        moth->buffer = BUFFER_FRAMES;
    int32_t vx = moth_run(moth, moth->held);
    int32_t vy = units_from_speed(moth->vy);
    if (moth->on_ground && moth->facing != faced && (was_vx > RUN / 2 || was_vx < -RUN / 2))
        bursts_make(w, PARTICLE_DUST, moth->x, moth->y + MOTH_HALF_H, moth->vx, 0);
    bool jumps = moth->buffer > 0 && (moth->on_ground || moth->coyote > 0);
    if (jumps)
        vy = moth_jump(w, moth, &vx);
    else
        vy = moth_fall(moth, moth->held, vy);
    moth_move(w, moth, vx, vy);
    if (!(pressed & BUTTON_JUMP) && moth->buffer > 0)
        moth->buffer--;
    if (moth->lift_frames > 0 && --moth->lift_frames == 0)
        moth_lift_end(moth);
    if (pressed & BUTTON_USE)
        levers_pull(w);
    moth_become(w, moth,
                moth->on_ground ? (moth->vx != 0 ? MOTH_RUN : MOTH_IDLE)
                : moth->vy < 0  ? MOTH_RISE
                                : MOTH_FALL);
    if (units_from_px(moth->y - MOTH_HALF_H) >= w->height * UNITS_TILE)
        moth_die(w);
}

void moth_step(world *w, world_input input) {
    world_moth *moth = inside_moth(w);
    uint32_t pressed = input.held & input.fresh & moth_buttons & ~moth->held;
    moth->held = input.held & moth_buttons;
    if (moth->state == MOTH_DYING)
        moth_drop_out(w, moth);
    else if (moth->state == MOTH_LEAVING)
        moth_leave(w, moth);
    else
        moth_live(w, moth, pressed);
}
