/* Particles, closed form: each is a function of (seed, its number, time), so nothing of them is recorded and any frame
 * shows the same ones however it was come to. A burst is an entity while it lasts; an emitter is a constant. */
#include "inside.h"
#include "trig.h"

/* ---- bursts ---- */

/** How the particles of a burst go. Angles in turns, 0 to the right, 0.25 down. */
typedef struct burst_look {
    uint16_t count, life; /* particles; frames */
    float angle, spread;  /* middle direction, whole width of the fan */
    float speed;          /* px/s of the fastest */
    float gravity, drag;  /* px/s2; 1/s */
    float follow;         /* how much of its maker's speed they keep */
    float size, grow;     /* px, and how many more at the end */
    float spin;           /* turns a second at most */
} burst_look;

static const burst_look burst_looks[PARTICLE_KIND_COUNT] = {
    [PARTICLE_DUST] = {10, 26, 0.75f, 0.36f, 110, 60, 5, 0.25f, 5, 9, 0.3f},
    [PARTICLE_EMBERS] = {14, 60, 0.75f, 0.30f, 120, -40, 2, 0.2f, 3, -2, 0},
    [PARTICLE_SNOW] = {12, 60, 0.25f, 0.80f, 60, 80, 2, 0.2f, 4, -1, 0.2f},
    [PARTICLE_SPARKS] = {22, 40, 0.75f, 1.00f, 230, 260, 3, 0, 4, -3, 0},
    [PARTICLE_STEAM] = {14, 50, 0.75f, 0.28f, 130, -120, 3, 0, 8, 18, 0.2f},
    [PARTICLE_SCRAPS] = {26, 56, 0.75f, 0.80f, 330, 620, 2, 0.3f, 9, -2, 1.6f},
};

void bursts_step(world *w) {
    uint32_t frame = inside_game(w)->frame;
    const store_list *bursts = &w->now.by_type[WORLD_BURST];
    for (uint32_t i = bursts->count; i-- > 0;) {
        const world_burst *burst = store_data(bursts, i);
        if (frame - burst->born >= burst->life)
            store_remove(&w->now, bursts->entities[i].id);
    }
}

void bursts_make(world *w, world_particle_kind kind, float x, float y, float vx, float vy) {
    const store_list *bursts = &w->now.by_type[WORLD_BURST];
    if (bursts->count >= WORLD_BURSTS_MAX)
        store_remove(&w->now, bursts->entities[0].id); /* the oldest gives way */
    uint32_t seed = inside_draw(w);
    world_burst *burst = inside_birth(w, WORLD_BURST, false, NULL);
    if (!burst)
        return;
    *burst = (world_burst){.x = x,
                           .y = y,
                           .vx = vx,
                           .vy = vy,
                           .born = inside_game(w)->frame,
                           .seed = seed,
                           .kind = (uint16_t)kind,
                           .count = burst_looks[kind].count,
                           .life = burst_looks[kind].life};
}

/* Two independent numbers 0 <= u < 1 of 16 bits from one hash. */
static inline float low_unit(uint32_t bits) {
    return (float)(bits & 0xffff) * 0x1p-16f;
}
static inline float high_unit(uint32_t bits) {
    return (float)(bits >> 16) * 0x1p-16f;
}

uint32_t world_burst_particles(const world_burst *burst, double frame, world_particle *out, uint32_t capacity) {
    double age_frames = frame - (double)burst->born;
    if (!(age_frames >= 0 && age_frames < (double)burst->life) || burst->kind >= PARTICLE_KIND_COUNT)
        return 0;
    const burst_look *look = &burst_looks[burst->kind];
    float t = (float)(age_frames / WORLD_RATE), part = (float)(age_frames / burst->life);
    float reach = t / (1 + look->drag * t); /* px a px/s carries, under drag */
    uint32_t count = burst->count < capacity ? burst->count : capacity;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = random_hash(burst->seed, 2 * i), b = random_hash(burst->seed, 2 * i + 1);
        float angle = look->angle + (low_unit(a) - 0.5f) * look->spread;
        float speed = look->speed * (0.25f + 0.75f * high_unit(a));
        float vx = speed * trig_cos_turns(angle) + look->follow * burst->vx;
        float vy = speed * trig_sin_turns(angle) + look->follow * burst->vy;
        float turn = high_unit(b) + look->spin * (low_unit(b) - 0.5f) * 2 * t;
        float own = 0.7f + 0.6f * low_unit(b);
        out[i] = (world_particle){.x = burst->x + vx * reach,
                                  .y = burst->y + vy * reach + 0.5f * look->gravity * t * t,
                                  .size = own * (look->size + look->grow * part),
                                  .turn = turn - (float)(int32_t)turn + (turn < 0 ? 1 : 0),
                                  .alpha = (1 - part) * (1 - part * part),
                                  .warmth = (1 - part) * (0.5f + 0.5f * high_unit(b))};
    }
    return count;
}

/* ---- emitters ---- */

/** How the particles of an emitter go: round and round in its box. */
typedef struct emitter_look {
    float down, across; /* px/s of the fastest */
    float sway;         /* px to each side */
    float sway_rate;    /* a second */
    float size;         /* px of the largest */
    float spin;         /* turns a second */
    float fade;         /* part of its way over which one appears and goes */
    float flicker;      /* 0..1 */
} emitter_look;

static const emitter_look emitter_looks[PARTICLE_KIND_COUNT] = {
    [PARTICLE_DUST] = {6, 9, 14, 0.11f, 3, 0, 0.3f, 0.4f},
    [PARTICLE_EMBERS] = {-46, 12, 18, 0.35f, 4, 0, 0.25f, 0.5f},
    [PARTICLE_SNOW] = {58, -26, 22, 0.22f, 6, 0.15f, 0.08f, 0},
    [PARTICLE_SPARKS] = {-90, 0, 26, 0.9f, 3, 0, 0.3f, 0.8f},
    [PARTICLE_STEAM] = {-52, 6, 12, 0.25f, 26, 0.08f, 0.45f, 0},
    [PARTICLE_SCRAPS] = {40, 30, 34, 0.4f, 9, 0.5f, 0.15f, 0},
};

/* The part of a turn, 0 <= part < 1, that so many frames come to; double keeps hours of frames smooth. */
static float cycle(double frame, double a_frame) {
    double turns = frame * a_frame;
    float part = (float)(turns - (double)(int64_t)turns);
    part = part < 0 ? part + 1 : part;
    return part < 1 ? part : 0;
}

/* The sum of two parts of a turn, as a part. */
static inline float part_sum(float a, float b) {
    float sum = a + b;
    return sum < 1 ? sum : sum - 1;
}

enum { DEPTHS = 16 }; /* how near a particle is: the larger are nearer and faster */

/** What the particles of an emitter have in common at one moment. */
typedef struct emitter_moment {
    float down[DEPTHS], across[DEPTHS], near[DEPTHS];
    float sway, spin;
} emitter_moment;

static emitter_moment emitter_moment_at(const world_emitter *emitter, const emitter_look *look, double frame) {
    emitter_moment moment;
    const double down = (double)look->down / (2 * (double)emitter->half_h * WORLD_RATE);
    const double across = (double)look->across / (2 * (double)emitter->half_w * WORLD_RATE);
    for (int depth = 0; depth < DEPTHS; depth++) {
        moment.near[depth] = 0.4f + 0.6f * (float)depth / (DEPTHS - 1);
        moment.down[depth] = cycle(frame, down * (double)moment.near[depth]);
        moment.across[depth] = cycle(frame, across * (double)moment.near[depth]);
    }
    moment.sway = cycle(frame, (double)look->sway_rate / WORLD_RATE);
    moment.spin = cycle(frame, (double)look->spin / WORLD_RATE);
    return moment;
}

uint32_t world_emitter_particles(const world_emitter *emitter, double frame, world_particle *out, uint32_t capacity) {
    if (emitter->kind >= PARTICLE_KIND_COUNT || !(emitter->half_w > 0 && emitter->half_h > 0))
        return 0;
    const emitter_look *look = &emitter_looks[emitter->kind];
    const emitter_moment moment = emitter_moment_at(emitter, look, frame);
    const float left = emitter->x - emitter->half_w, top = emitter->y - emitter->half_h;
    const float width = 2 * emitter->half_w, height = 2 * emitter->half_h, a_fade = 1 / look->fade;
    const bool rises = look->down < 0;
    const bool spins = look->spin > 0;
    uint32_t count = emitter->count < capacity ? emitter->count : capacity;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = random_hash(emitter->seed, 2 * i), b = random_hash(emitter->seed, 2 * i + 1);
        float near = moment.near[b & (DEPTHS - 1)];
        float v = part_sum(moment.down[b & (DEPTHS - 1)], low_unit(a));
        float u = part_sum(moment.across[b & (DEPTHS - 1)], high_unit(a));
        float own = high_unit(b), swing = trig_sin_turns(part_sum(moment.sway, own));
        float edge = (v < 0.5f ? v : 1 - v) * a_fade;
        float alpha = (edge < 1 ? edge : 1) * (1 - look->flicker * (0.5f + 0.5f * swing)) * (0.5f + 0.5f * near);
        out[i] = (world_particle){.x = left + u * width + swing * look->sway * near,
                                  .y = top + v * height,
                                  .size = look->size * near,
                                  .turn = spins ? part_sum(moment.spin, own) : 0,
                                  .alpha = alpha,
                                  .warmth = rises ? v * near : near}; /* hot where it began, at the bottom */
    }
    return count;
}
