/* Particles: asked of the world in closed form for the fractional frame that is shown; one sprite each. */
#include "draw_parts.h"

#include <math.h>

/* How a kind looks: two colours from cold to warm, its sprite, whether it shines. */
typedef struct kind_row {
    uint32_t cold, warm;
    draw_art art;
    float size, alpha;
    bool shines;
} kind_row;

static const kind_row kinds[PARTICLE_KIND_COUNT] = {
    [PARTICLE_DUST] = {0x9a86a0, 0xd9bfa2, ART_PUFF, 1.5f, 0.65f, false},
    [PARTICLE_EMBERS] = {0xd2522a, 0xffd98c, ART_DOT, 1.0f, 0.95f, true},
    [PARTICLE_SNOW] = {0xc9c4ea, 0xfff6ea, ART_DOT, 1.0f, 0.85f, false},
    [PARTICLE_SPARKS] = {0xff8a3c, 0xfff0b8, ART_DOT, 1.0f, 1.0f, true},
    [PARTICLE_STEAM] = {0xb9b4d4, 0xfff2e4, ART_PUFF, 1.7f, 0.50f, false},
    [PARTICLE_SCRAPS] = {0xcdbb98, 0xfff4dc, ART_SCRAP, 1.5f, 0.95f, false},
};

static void show(engine_draw *draw, const world_particle *particles, uint32_t count, uint32_t kind) {
    const kind_row *row = &kinds[kind < PARTICLE_KIND_COUNT ? kind : PARTICLE_DUST];
    const draw_sprite *sprite = &draw->atlas.art[row->art];
    paint_rgb cold = paint_from(row->cold), warm = paint_from(row->warm);
    draw_blend(draw, row->shines ? SDL_BLENDMODE_ADD : SDL_BLENDMODE_BLEND);
    for (uint32_t i = 0; i < count; i++) {
        const world_particle *particle = &particles[i];
        float size = particle->size * row->size;
        if (!draw_sees(draw, particle->x, particle->y, size, size, 0)) {
            continue;
        }
        SDL_Color color = draw_color(paint_to(paint_mix(cold, warm, paint_clamp(particle->warmth, 0, 1))),
                                     particle->alpha * row->alpha);
        if (row->art == ART_SCRAP) { /* a tumbling slip of paper: seen edge-on now and then */
            float turn = particle->turn * 6.2831853f;
            float flat = 0.35f + 0.65f * fabsf(cosf(turn * 1.7f));
            draw_put(draw, sprite,
                     draw_place_at(particle->x, particle->y, turn, size / sprite->w, size * flat / sprite->h), color);
        } else {
            draw_box(draw, sprite, particle->x - size * 0.5f, particle->y - size * 0.5f, size, size, color);
        }
    }
}

static void show_burst(engine_draw *draw, const eddy_entity *entity, eddy_vec2 at) {
    const world_burst *burst = entity->data;
    (void)at; /* its particles know where they are */
    if (draw_sees(draw, burst->x, burst->y, 0, 0, 600)) {
        uint32_t count = world_burst_particles(burst, draw->time, draw->particles, DRAW_PARTICLES_MAX);
        show(draw, draw->particles, count, burst->kind);
    }
}

void draw_particles(engine_draw *draw) {
    draw_origin_world(draw, 1);
    draw_each(draw, WORLD_BURST, show_burst);
    for (uint32_t i = 0; i < draw->level.emitter_count; i++) {
        const world_emitter *emitter = draw->level.emitters[i];
        if (draw_sees(draw, emitter->x, emitter->y, emitter->half_w, emitter->half_h, 64)) {
            uint32_t count = world_emitter_particles(emitter, draw->time, draw->particles, DRAW_PARTICLES_MAX);
            show(draw, draw->particles, count, emitter->kind);
        }
    }
    draw_blend(draw, SDL_BLENDMODE_BLEND);
}
