/* The painter of the ground: rock, earth, turf and the back walls of caves, from what world_solid_at says. No tile has
 * a picture of its own, so no grid shows. */
#include "draw_earth.h"

#include <math.h>

#define CELL_PX 8      /* of the coarse depth map */
#define MARGIN_TILES 6 /* beyond what DEPTH_MAX can see */
#define DEPTH_MAX 170.0f
#define MAP_TILES (DRAW_CHUNK_TILES + 2 * MARGIN_TILES)
#define MAP_CELLS (MAP_TILES * (WORLD_TILE / CELL_PX))
#define CORNER_PX 9.0f

/* What the painter knows of a chunk. */
struct draw_earth {
    const world *world;
    int32_t cx, cy;                     /* in chunks */
    bool rocky;                         /* there is rock in it or right beside it */
    bool rock[MAP_TILES * MAP_TILES];   /* its tiles and the margin's */
    float x, y;                         /* world px of its corner */
    float depth[MAP_CELLS * MAP_CELLS]; /* px from the nearest air, 0 in air */
    paint_rgb warm, cool, dark, deep, wall, grass, grass_tip, rim;
};

/* At a point of the chunk or its margin, world px. */
static bool solid(const draw_earth *map, float x, float y) {
    int32_t column = (int32_t)((x - map->x) * (1.0f / WORLD_TILE) + MARGIN_TILES);
    int32_t row = (int32_t)((y - map->y) * (1.0f / WORLD_TILE) + MARGIN_TILES);
    return map->rock[row * MAP_TILES + column];
}

static void fill_rock(draw_earth *map) {
    for (int32_t y = 0; y < MAP_TILES; y++) {
        for (int32_t x = 0; x < MAP_TILES; x++) {
            map->rock[y * MAP_TILES + x] = world_solid_at(map->world, map->cx * DRAW_CHUNK_TILES + x - MARGIN_TILES,
                                                          map->cy * DRAW_CHUNK_TILES + y - MARGIN_TILES);
        }
    }
}

/* Chamfer distance over the coarse cells of the chunk and its margin. */
static void fill_depth(draw_earth *map) {
    const float straight = CELL_PX, slant = CELL_PX * 1.4142f;
    for (int y = 0; y < MAP_CELLS; y++) {
        for (int x = 0; x < MAP_CELLS; x++) {
            float px = map->x - MARGIN_TILES * WORLD_TILE + ((float)x + 0.5f) * CELL_PX;
            float py = map->y - MARGIN_TILES * WORLD_TILE + ((float)y + 0.5f) * CELL_PX;
            map->depth[y * MAP_CELLS + x] = solid(map, px, py) ? 1000.0f : 0.0f;
        }
    }
    for (int pass = 0; pass < 2; pass++) {
        int step = pass ? -1 : 1, from = pass ? MAP_CELLS - 1 : 0;
        for (int i = 0, y = from; i < MAP_CELLS; i++, y += step) {
            for (int j = 0, x = from; j < MAP_CELLS; j++, x += step) {
                float *here = &map->depth[y * MAP_CELLS + x];
                bool side = j > 0, over = i > 0, far_side = j < MAP_CELLS - 1;
                *here = side ? fminf(*here, here[-step] + straight) : *here;
                *here = over ? fminf(*here, here[-step * MAP_CELLS] + straight) : *here;
                *here = over && side ? fminf(*here, here[-step * MAP_CELLS - step] + slant) : *here;
                *here = over && far_side ? fminf(*here, here[-step * MAP_CELLS + step] + slant) : *here;
            }
        }
    }
}

static float depth_at(const draw_earth *map, float x, float y) {
    float u = (x - map->x + MARGIN_TILES * WORLD_TILE) / CELL_PX - 0.5f;
    float v = (y - map->y + MARGIN_TILES * WORLD_TILE) / CELL_PX - 0.5f;
    int iu = (int)paint_clamp(floorf(u), 0, MAP_CELLS - 2), iv = (int)paint_clamp(floorf(v), 0, MAP_CELLS - 2);
    float fu = paint_clamp(u - (float)iu, 0, 1), fv = paint_clamp(v - (float)iv, 0, 1);
    const float *at = &map->depth[iv * MAP_CELLS + iu];
    float upper = at[0] + (at[1] - at[0]) * fu;
    float lower = at[MAP_CELLS] + (at[MAP_CELLS + 1] - at[MAP_CELLS]) * fu;
    return upper + (lower - upper) * fv;
}

/* Share of a box of CORNER_PX around a point that is solid: 0.5 on a straight edge, and round at corners. */
static float cover_at(const draw_earth *map, float x, float y) {
    float left = x - CORNER_PX, top = y - CORNER_PX, size = 2 * CORNER_PX;
    float split_x = (floorf(left / WORLD_TILE) + 1) * WORLD_TILE, split_y = (floorf(top / WORLD_TILE) + 1) * WORLD_TILE;
    float fx = paint_clamp((split_x - left) / size, 0, 1), fy = paint_clamp((split_y - top) / size, 0, 1);
    float a = solid(map, left, top), b = solid(map, left + size, top);
    float c = solid(map, left, top + size), d = solid(map, left + size, top + size);
    return (a * fx + b * (1 - fx)) * fy + (c * fx + d * (1 - fx)) * (1 - fy);
}

/* Rounded stones: the two nearest of jittered points. `edge` is 0 in the joint and grows inwards. */
static float stone_at(float x, float y, float *edge) {
    float u = x / 30, v = y / 22;
    int32_t iu = (int32_t)floorf(u), iv = (int32_t)floorf(v);
    float nearest = 9, second = 9, shade = 0;
    for (int32_t j = iv - 1; j <= iv + 1; j++) {
        for (int32_t i = iu - 1; i <= iu + 1; i++) {
            float du = (float)i + 0.15f + 0.7f * paint_random(i, j, 3) + ((j & 1) ? 0.5f : 0) - u;
            float dv = (float)j + 0.2f + 0.6f * paint_random(i, j, 4) - v;
            float far = du * du + dv * dv;
            if (far < nearest) {
                second = nearest;
                nearest = far;
                shade = paint_random(i, j, 6);
            } else if (far < second) {
                second = far;
            }
        }
    }
    *edge = sqrtf(second) - sqrtf(nearest);
    return shade;
}

/* Colour of solid ground `depth` px inside. */
static paint_rgb earth_color(const draw_earth *map, float x, float y, float depth) {
    float bristle = paint_strokes(x, y, 71);
    float patch = paint_fbm(x * 0.011f, y * 0.011f, 3, 73);
    paint_rgb color = paint_mix(map->cool, map->warm, paint_step(0.36f, 0.66f, patch + bristle * 0.05f));
    float edge;
    float bend_x = (paint_noise(x * 0.07f, y * 0.07f, 75) - 0.5f) * 7,
          bend_y = (paint_noise(x * 0.07f, y * 0.07f, 77) - 0.5f) * 7;
    float shade = stone_at(x + bend_x, y + bend_y, &edge);
    float buried = paint_step(12, 150, depth + bristle * 8);
    float stony = (1 - 0.45f * buried) * paint_step(0.40f, 0.60f, paint_noise(x * 0.013f + 9, y * 0.013f, 79) + 0.10f);
    float face = paint_step(0.03f, 0.16f, edge);
    color = paint_scale(color, 1 + stony * ((shade - 0.5f) * 0.34f + (face - 1) * 0.42f));
    if (buried < 0.8f) { /* a little light on the upper left of each stone */
        float above;
        stone_at(x + 2.2f + bend_x, y + 2.6f + bend_y, &above);
        color = paint_scale(color, 1 + stony * paint_clamp((above - edge) * 0.55f, -0.10f, 0.16f));
    }
    color = paint_scale(color, 1 + bristle * 0.11f);
    return paint_mix(color, paint_scale(map->deep, 1 + 0.5f * (patch - 0.5f) + bristle * 0.06f), buried * 0.86f);
}

/* Px below the nearest air straight above, or 99. */
static float below_air(const draw_earth *map, float x, float y) {
    float top = floorf(y / WORLD_TILE) * WORLD_TILE;
    if (!solid(map, x, top - 1)) {
        return y - top;
    }
    return 99;
}

static void paint_ground_pixel(const draw_earth *map, SDL_Surface *surface, int px, int py, float scale) {
    float x = map->x + ((float)px + 0.5f) / scale, y = map->y + ((float)py + 0.5f) / scale;
    float wobble =
        (paint_noise(x * 0.16f, y * 0.16f, 83) - 0.5f) * 0.20f + (paint_noise(x * 0.05f, y * 0.05f, 85) - 0.5f) * 0.12f;
    float cover = cover_at(map, x, y);
    float field = cover + wobble * (1 - fabsf(cover * 2 - 1));
    float alpha = paint_clamp((field - 0.5f) * 2 * CORNER_PX * scale * 0.8f + 0.5f, 0, 1);
    if (alpha <= 0) {
        return;
    }
    float rim = (field - 0.5f) * 2 * CORNER_PX; /* px inside the painted edge, near it */
    float depth = fminf(depth_at(map, x, y), DEPTH_MAX);
    paint_rgb color = earth_color(map, x, y, depth);
    float top = below_air(map, x, y);
    if (depth < 40) { /* light from above on what faces up, shade on what faces down */
        float slope = cover_at(map, x, y + 12) - cover_at(map, x, y - 12);
        color = paint_mix(color, map->dark, 0.62f * paint_step(0.05f, 0.9f, -slope));
        color = paint_mix(color, map->rim, 0.34f * paint_step(0.05f, 0.9f, slope + wobble));
    }
    float turf = 6 + 5 * paint_noise(x * 0.09f, 0, 89) + 4 * paint_noise(x * 0.33f, 1, 91);
    float green = 1 - paint_step(turf - 2.0f, turf + 1.5f, top);
    paint_rgb leaf =
        paint_mix(map->grass_tip, map->grass, paint_step(0, turf * 0.8f, top + 3 * paint_strokes(x, y * 0.5f, 93)));
    color = paint_mix(color, leaf, green);
    /* Ink gathers along every edge but the turf's. */
    color = paint_mix(color, map->dark, 0.75f * (1 - paint_step(0.4f, 2.6f, rim)) * (1 - 0.7f * green));
    paint_put(surface, px, py, color, alpha);
}

/* Blades of grass on one open tile top, roots under one open tile bottom. */
static void paint_tufts(const draw_earth *map, SDL_Surface *surface, int32_t tx, int32_t ty, float scale) {
    bool top = !world_solid_at(map->world, tx, ty - 1), bottom = !world_solid_at(map->world, tx, ty + 1);
    for (int i = 0; top && i < 15; i++) {
        float r = paint_random(tx * 16 + i, ty, 97), s = paint_random(tx * 16 + i, ty, 101);
        float x = ((float)tx + ((float)i + r) / 15) * WORLD_TILE, y = (float)ty * WORLD_TILE + 3;
        float clump = paint_step(0.35f, 0.75f, paint_noise(x * 0.035f, (float)ty, 103));
        float tall = 4 + 4 * s + 9 * clump * s;
        paint_blade blade = {(x - map->x) * scale,
                             (y - map->y) * scale,
                             (x - map->x + (r - 0.45f) * tall) * scale,
                             (y - map->y - tall) * scale,
                             (s - 0.5f) * 3 * scale,
                             (1.6f + s) * scale,
                             paint_scale(map->grass, 0.85f + 0.3f * r),
                             paint_mix(map->grass, map->grass_tip, r),
                             0.95f};
        paint_draw_blade(surface, &blade);
    }
    for (int i = 0; bottom && i < 5; i++) {
        float r = paint_random(tx * 16 + i, ty, 107), s = paint_random(tx * 16 + i, ty, 109);
        if (r > 0.45f) {
            continue;
        }
        float x = ((float)tx + ((float)i + s) / 5) * WORLD_TILE, y = ((float)ty + 1) * WORLD_TILE - 2;
        paint_blade blade = {(x - map->x) * scale,
                             (y - map->y) * scale,
                             (x - map->x + (s - 0.5f) * 6) * scale,
                             (y - map->y + 5 + 16 * s * s) * scale,
                             (r - 0.2f) * 8 * scale,
                             2.0f * scale,
                             map->dark,
                             map->dark,
                             0.9f};
        paint_draw_blade(surface, &blade);
    }
}

/* ---- the back walls of caves ---- */

#define REACH_TILES 13

/* How far a tile of air is shut in: 1 when there is rock on every side but below, 0 under the open sky. */
static float shut_in(const world *shown, int32_t tx, int32_t ty) {
    static const struct {
        int32_t x, y;
        float weight; /* a ceiling tells more than a wall */
    } ways[] = {{0, -1, 2.0f},   {-1, -2, 1.5f}, {1, -2, 1.5f}, {-1, -1, 1.0f}, {1, -1, 1.0f},
                {-2, -1, 0.75f}, {2, -1, 0.75f}, {-1, 0, 1.0f}, {1, 0, 1.0f}};
    float hits = 0, all = 0;
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        all += ways[way].weight;
        for (int32_t i = 1; i <= REACH_TILES; i++) {
            if (world_solid_at(shown, tx + ways[way].x * i, ty + ways[way].y * i)) {
                hits += ways[way].weight;
                break;
            }
        }
    }
    return paint_step(0.62f, 0.93f, hits / all);
}

#define SHUT_SIDE (DRAW_CHUNK_TILES + 4)

/* Rock takes what the air beside it has, so that no shade leaks out of the rock into the open. */
static float shut_beside(const world *shown, int32_t tx, int32_t ty) {
    float sum = 0;
    int count = 0;
    for (int32_t y = ty - 1; y <= ty + 1; y++) {
        for (int32_t x = tx - 1; x <= tx + 1; x++) {
            if (!world_solid_at(shown, x, y)) {
                sum += shut_in(shown, x, y);
                count++;
            }
        }
    }
    return count ? sum / (float)count : 0;
}

/* Fills the grid of one chunk with its margin of two tiles; false: open air everywhere. */
static bool fill_shut(const world *shown, int32_t cx, int32_t cy, float shut[SHUT_SIDE * SHUT_SIDE]) {
    bool any = false;
    for (int y = 0; y < SHUT_SIDE; y++) {
        for (int x = 0; x < SHUT_SIDE; x++) {
            int32_t tx = cx * DRAW_CHUNK_TILES + x - 2, ty = cy * DRAW_CHUNK_TILES + y - 2;
            bool rock = world_solid_at(shown, tx, ty);
            float value = rock ? shut_beside(shown, tx, ty) : shut_in(shown, tx, ty);
            shut[y * SHUT_SIDE + x] = value;
            any = any || value > 0;
        }
    }
    return any;
}

/* The grid at a point of the chunk, tiles; smoothed over three tiles. */
static float shut_at(const float shut[SHUT_SIDE * SHUT_SIDE], float tile_x, float tile_y) {
    static const float spread[3] = {0.25f, 0.5f, 0.25f};
    float u = tile_x + 1.5f, v = tile_y + 1.5f, sum = 0; /* of the middle tile's upper left neighbour */
    int iu = (int)u, iv = (int)v;
    float fu = u - (float)iu, fv = v - (float)iv;
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++) {
            float wx = (x < 3 ? spread[x] * (1 - fu) : 0) + (x > 0 ? spread[x - 1] * fu : 0);
            float wy = (y < 3 ? spread[y] * (1 - fv) : 0) + (y > 0 ? spread[y - 1] * fv : 0);
            int column = (int)paint_clamp((float)(iu - 1 + x), 0, SHUT_SIDE - 1);
            int row = (int)paint_clamp((float)(iv - 1 + y), 0, SHUT_SIDE - 1);
            sum += wx * wy * shut[row * SHUT_SIDE + column];
        }
    }
    return sum;
}

static paint_rgb wall_color(const draw_earth *map, float x, float y) {
    float edge, bristle = paint_mark(x * 0.8f, y * 0.8f);
    float shade = stone_at(x * 0.62f + 400 + bristle, y * 0.62f + bristle, &edge);
    float joint = paint_step(0.02f, 0.14f, edge);
    paint_rgb color = paint_mix(map->wall, map->warm, 0.16f * paint_fbm(x * 0.01f, y * 0.01f, 2, 131));
    color = paint_scale(color, 0.80f + 0.16f * shade + 0.10f * bristle - 0.20f * (1 - joint));
    /* Shade falls from the ceiling and pools along the rock. */
    float near = 0;
    for (int i = 1; i <= 3; i++) {
        near += cover_at(map, x, y - (float)i * 18) * 0.30f / (float)i;
    }
    return paint_mix(color, map->dark, paint_clamp(near, 0, 0.5f));
}

SDL_Surface *draw_earth_wall(const draw_earth *map, float scale) {
    float shut[SHUT_SIDE * SHUT_SIDE];
    if (!fill_shut(map->world, map->cx, map->cy, shut)) {
        return NULL;
    }
    int size = (int)ceilf(DRAW_CHUNK_PX * scale);
    SDL_Surface *surface = paint_surface(size, size);
    scale = (float)size / DRAW_CHUNK_PX;
    for (int py = 0; surface && py < size; py++) {
        for (int px = 0; px < size; px++) {
            float x = ((float)px + 0.5f) / scale, y = ((float)py + 0.5f) / scale;
            float alpha = shut_at(shut, x / WORLD_TILE, y / WORLD_TILE);
            if (alpha > 0.01f) {
                paint_put(surface, px, py, wall_color(map, map->x + x, map->y + y), alpha);
            }
        }
    }
    return surface;
}

static bool chunk_is_empty(const world *shown, int32_t cx, int32_t cy) {
    for (int32_t y = -1; y <= DRAW_CHUNK_TILES; y++) {
        for (int32_t x = -1; x <= DRAW_CHUNK_TILES; x++) {
            if (world_solid_at(shown, cx * DRAW_CHUNK_TILES + x, cy * DRAW_CHUNK_TILES + y)) {
                return false;
            }
        }
    }
    return true;
}

static void mix_palette(draw_earth *map, const draw_air *air) {
    paint_rgb tint = paint_mix(air->middle, air->top, 0.4f);
    map->warm = paint_mix(paint_from(0x8a6250), tint, 0.22f);
    map->cool = paint_mix(paint_from(0x5d5474), tint, 0.30f);
    map->dark = paint_mix(paint_from(0x191626), paint_scale(air->top, 0.5f), 0.35f);
    map->deep = paint_mix(paint_from(0x1b162b), paint_scale(air->top, 0.7f), 0.35f);
    map->wall = paint_mix(paint_from(0x352c4c), paint_scale(air->top, 0.9f), 0.40f);
    map->grass = paint_mix(paint_from(0x3d5a55), tint, 0.18f);
    map->grass_tip = paint_mix(paint_from(0xa9b98a), air->horizon, 0.22f);
    map->rim = paint_mix(paint_from(0xc79a7c), air->horizon, 0.25f);
}

draw_earth *draw_earth_begin(const world *shown, const draw_air *air, int32_t cx, int32_t cy) {
    draw_earth *map = SDL_calloc(1, sizeof *map);
    if (!map) {
        return NULL;
    }
    map->world = shown;
    map->cx = cx;
    map->cy = cy;
    map->x = (float)cx * DRAW_CHUNK_PX;
    map->y = (float)cy * DRAW_CHUNK_PX;
    mix_palette(map, air);
    fill_rock(map);
    fill_depth(map);
    map->rocky = !chunk_is_empty(shown, cx, cy);
    return map;
}

bool draw_earth_is_air(const draw_earth *map) {
    return !map->rocky;
}

void draw_earth_end(draw_earth *map) {
    SDL_free(map);
}

void draw_earth_rows(const draw_earth *map, SDL_Surface *surface, int from, int to) {
    float scale = (float)surface->w / DRAW_CHUNK_PX;
    for (int y = from; y < to && y < surface->h; y++) {
        for (int x = 0; x < surface->w; x++) {
            paint_ground_pixel(map, surface, x, y, scale);
        }
    }
}

void draw_earth_tufts(const draw_earth *map, SDL_Surface *surface) {
    float scale = (float)surface->w / DRAW_CHUNK_PX;
    for (int32_t y = -1; y <= DRAW_CHUNK_TILES; y++) {
        for (int32_t x = -1; x <= DRAW_CHUNK_TILES; x++) {
            if (map->rock[(y + MARGIN_TILES) * MAP_TILES + x + MARGIN_TILES]) {
                paint_tufts(map, surface, map->cx * DRAW_CHUNK_TILES + x, map->cy * DRAW_CHUNK_TILES + y, scale);
            }
        }
    }
}
