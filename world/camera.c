/* The camera: recorded, because the listener of the sound is there. Whole units, so it comes to rest and then costs
 * nothing. */
#include "inside.h"

#define AHEAD UNITS_OF_PX(110)  /* it looks where Moth faces */
#define ABOVE UNITS_OF_PX(40)   /* and a little over Moth */
#define LEEWAY UNITS_OF_PX(130) /* a jump within this does not move it up or down */
#define SLOWNESS_X 14           /* frames to get over most of a distance */
#define SLOWNESS_Y 10

/* A little nearer: a fraction of the way, at least one unit. */
static int32_t ease(int32_t value, int32_t target, int32_t slowness) {
    int32_t way = target - value;
    int32_t part = way / slowness;
    return value + (part != 0 ? part : way > 0 ? 1 : way < 0 ? -1 : 0);
}

/* Keeps `half` a view inside 0..size; in the middle of a level that is smaller. */
static int32_t inside_level_range(int32_t value, int32_t half, int32_t size) {
    return size <= 2 * half ? size / 2 : units_clamp(value, half, size - half);
}

static int32_t clamp_x(const world *w, int32_t x) {
    return inside_level_range(x, UNITS_OF_PX(WORLD_VIEW_W / 2), w->width * UNITS_TILE);
}

static int32_t clamp_y(const world *w, int32_t y) {
    return inside_level_range(y, UNITS_OF_PX(WORLD_VIEW_H / 2), w->height * UNITS_TILE);
}

void camera_step(world *w) {
    world_game *game = inside_game(w);
    const world_moth *moth = inside_moth(w);
    if (moth->state == MOTH_DYING)
        return;
    int32_t x = units_from_px(game->camera_x), y = units_from_px(game->camera_y);
    int32_t to_x = clamp_x(w, units_from_px(moth->x) + moth->facing * AHEAD);
    int32_t to_y = units_from_px(moth->y) - ABOVE;
    if (!moth->on_ground)
        to_y = units_clamp(y, to_y - LEEWAY, to_y + LEEWAY);
    game->camera_x = units_to_px(ease(x, to_x, SLOWNESS_X));
    game->camera_y = units_to_px(ease(y, clamp_y(w, to_y), SLOWNESS_Y));
}

void camera_place(world *w) {
    world_game *game = inside_game(w);
    const world_moth *moth = inside_moth(w);
    game->camera_x = units_to_px(clamp_x(w, units_from_px(moth->x) + moth->facing * AHEAD));
    game->camera_y = units_to_px(clamp_y(w, units_from_px(moth->y) - ABOVE));
}
