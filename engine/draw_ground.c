/* The ground on the screen: chunks of tiles painted once and kept as textures. What is in sight is painted at once;
 * what lies just beyond is painted ahead, a few rows a picture, so that walking never waits for paint. */
#include "draw_earth.h"

#include <math.h>

#define GROUND_SCALE_MAX 1.5f
#define WALL_SCALE_MAX 1.0f /* in the dark, and seen through gaps: coarse is enough */
#define AHEAD_PX 12000      /* painted ahead in one picture */

/* Chunks that a picture shows. */
typedef struct chunk_window {
    int32_t left, top, right, bottom;
} chunk_window;

static chunk_window window_of(const engine_draw *draw) {
    return (chunk_window){
        (int32_t)floorf((draw->camera_x - ENGINE_VIEW_W * 0.5f) / DRAW_CHUNK_PX),
        (int32_t)floorf((draw->camera_y - ENGINE_VIEW_H * 0.5f) / DRAW_CHUNK_PX),
        (int32_t)floorf((draw->camera_x + ENGINE_VIEW_W * 0.5f) / DRAW_CHUNK_PX),
        (int32_t)floorf((draw->camera_y + ENGINE_VIEW_H * 0.5f) / DRAW_CHUNK_PX),
    };
}

static void free_chunk(draw_chunk *chunk) {
    if (chunk->texture) {
        SDL_DestroyTexture(chunk->texture);
    }
    if (chunk->wall) {
        SDL_DestroyTexture(chunk->wall);
    }
    *chunk = (draw_chunk){0};
}

static void drop_job(draw_job *job) {
    draw_earth_end(job->map);
    SDL_FreeSurface(job->surface);
    *job = (draw_job){0};
}

void draw_ground_free(draw_ground *ground) {
    for (int i = 0; i < DRAW_CHUNKS_MAX; i++) {
        free_chunk(&ground->chunks[i]);
    }
    drop_job(&ground->ahead);
    ground->key = 0;
}

static draw_chunk *find(draw_ground *ground, int32_t x, int32_t y) {
    for (int i = 0; i < DRAW_CHUNKS_MAX; i++) {
        if (ground->chunks[i].valid && ground->chunks[i].x == x && ground->chunks[i].y == y) {
            return &ground->chunks[i];
        }
    }
    return NULL;
}

/* An empty chunk in the cache; the one that was not seen for longest goes. */
static draw_chunk *take_slot(engine_draw *draw, int32_t x, int32_t y) {
    draw_chunk *oldest = &draw->ground.chunks[0];
    for (int i = 1; i < DRAW_CHUNKS_MAX && oldest->valid; i++) {
        draw_chunk *chunk = &draw->ground.chunks[i];
        if (!chunk->valid || chunk->used < oldest->used) {
            oldest = chunk;
        }
    }
    draw_flush(draw); /* the one that goes may be waiting in the batch */
    draw->batch.texture = NULL;
    free_chunk(oldest);
    *oldest = (draw_chunk){.x = x, .y = y, .used = draw->pictures, .valid = true};
    return oldest;
}

static draw_job begin_job(const engine_draw *draw, int32_t x, int32_t y) {
    draw_job job = {.x = x, .y = y, .map = draw_earth_begin(draw->picture->world, &draw->air, x, y)};
    int size = (int)ceilf(DRAW_CHUNK_PX * fminf(draw->raster_scale, GROUND_SCALE_MAX));
    job.surface = job.map && !draw_earth_is_air(job.map) ? paint_surface(size, size) : NULL;
    job.active = true;
    return job;
}

/* Paints some more rows; true: the chunk is done and in the cache. */
static bool go_on(engine_draw *draw, draw_job *job, int rows) {
    if (job->surface) {
        draw_earth_rows(job->map, job->surface, job->row, job->row + rows);
        job->row += rows;
        if (job->row < job->surface->h) {
            return false;
        }
        draw_earth_tufts(job->map, job->surface);
    }
    draw_chunk *chunk = take_slot(draw, job->x, job->y);
    if (job->map) {
        SDL_Surface *wall = draw_earth_wall(job->map, fminf(draw->raster_scale, WALL_SCALE_MAX));
        chunk->texture = draw_texture_from(draw->renderer, job->surface);
        chunk->wall = draw_texture_from(draw->renderer, wall);
        job->surface = NULL; /* the texture's maker freed it */
    }
    drop_job(job);
    return true;
}

/* The chunk at a place, painted to its end if need be. */
static draw_chunk *chunk_at(engine_draw *draw, int32_t x, int32_t y) {
    draw_chunk *chunk = find(&draw->ground, x, y);
    if (!chunk) {
        draw_job *ahead = &draw->ground.ahead, job;
        if (ahead->active && ahead->x == x && ahead->y == y) {
            job = *ahead;
            *ahead = (draw_job){0};
        } else {
            job = begin_job(draw, x, y);
        }
        go_on(draw, &job, INT16_MAX);
        chunk = find(&draw->ground, x, y);
    }
    chunk->used = draw->pictures;
    return chunk;
}

/* Looks for the next chunk beyond the sides of the window, then above and below; false: all are painted. */
static bool choose_ahead(engine_draw *draw, chunk_window window) {
    for (int32_t y = window.top; y <= window.bottom; y++) {
        for (int side = 0; side < 2; side++) {
            int32_t x = side ? window.left - 1 : window.right + 1;
            if (!find(&draw->ground, x, y)) {
                draw->ground.ahead = begin_job(draw, x, y);
                return true;
            }
        }
    }
    for (int32_t x = window.left; x <= window.right; x++) {
        for (int side = 0; side < 2; side++) {
            int32_t y = side ? window.top - 1 : window.bottom + 1;
            if (!find(&draw->ground, x, y)) {
                draw->ground.ahead = begin_job(draw, x, y);
                return true;
            }
        }
    }
    return false;
}

void draw_ground_ahead(engine_draw *draw) {
    draw_job *ahead = &draw->ground.ahead;
    if (ahead->active || choose_ahead(draw, window_of(draw))) {
        int rows = ahead->surface ? SDL_max(1, AHEAD_PX / ahead->surface->w) : 1;
        go_on(draw, ahead, rows);
    }
}

void draw_ground_show(engine_draw *draw, bool walls) {
    /* Jobs look at the world that began them: another one begins them anew. */
    if (draw->ground.key != draw->level.key || draw->ground.world != draw->picture->world) {
        draw_ground_free(&draw->ground);
        draw->ground.key = draw->level.key;
        draw->ground.world = draw->picture->world;
    }
    chunk_window window = window_of(draw);
    draw_origin_world(draw, 1);
    for (int32_t y = window.top; y <= window.bottom; y++) {
        for (int32_t x = window.left; x <= window.right; x++) {
            draw_chunk *chunk = chunk_at(draw, x, y);
            draw_sprite sprite = {walls ? chunk->wall : chunk->texture, 0, 0, 1, 1, DRAW_CHUNK_PX, DRAW_CHUNK_PX, 0, 0};
            if (sprite.texture) {
                draw_box(draw, &sprite, (float)x * DRAW_CHUNK_PX, (float)y * DRAW_CHUNK_PX, DRAW_CHUNK_PX,
                         DRAW_CHUNK_PX, draw_color(0xffffff, 1));
            }
        }
    }
}
