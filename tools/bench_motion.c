/* Scenes made for the benchmark: things that move as they do in games, by float arithmetic as a game would write it.
 * No libm, no clock and no stored random state, so that every compiler gives the same frames. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* ---- what there is ---- */

/** One thing, 400 bytes: what engines keep of each, used or not. */
typedef struct thing {
    uint32_t kind, room, parent, flags;
    float x, y, vx, vy;
    float home_x, home_y, reach_x, reach_y;
    float speed, phase, mass, drag, bounce, width, height, depth;
    int32_t picture, picture_clock, picture_period, sound_position, sound_length, last_frame, health, layer;
    char label[48], sprite[48], shadow[48], script[48], sound[48], palette[48];
} thing;
/* No hint says which field moves by which: a recorder has to find out. */
#define THING_FIELDS(F, S)                                                                                             \
    F(S, kind, U32, 1)                                                                                                 \
    F(S, room, U32, 1)                                                                                                 \
    F(S, parent, ID, 1)                                                                                                \
    F(S, flags, U32, 1)                                                                                                \
    F(S, x, F32, 1, .unit = "px")                                                                                      \
    F(S, y, F32, 1, .unit = "px")                                                                                      \
    F(S, vx, F32, 1, .unit = "px/s")                                                                                   \
    F(S, vy, F32, 1, .unit = "px/s")                                                                                   \
    F(S, home_x, F32, 1, .unit = "px")                                                                                 \
    F(S, home_y, F32, 1, .unit = "px")                                                                                 \
    F(S, reach_x, F32, 1, .unit = "px")                                                                                \
    F(S, reach_y, F32, 1, .unit = "px")                                                                                \
    F(S, speed, F32, 1, .unit = "px/s")                                                                                \
    F(S, phase, F32, 1, .unit = "turns")                                                                               \
    F(S, mass, F32, 1)                                                                                                 \
    F(S, drag, F32, 1)                                                                                                 \
    F(S, bounce, F32, 1)                                                                                               \
    F(S, width, F32, 1, .unit = "px")                                                                                  \
    F(S, height, F32, 1, .unit = "px")                                                                                 \
    F(S, depth, F32, 1)                                                                                                \
    F(S, picture, I32, 1)                                                                                              \
    F(S, picture_clock, I32, 1, .unit = "frames")                                                                      \
    F(S, picture_period, I32, 1, .unit = "frames")                                                                     \
    F(S, sound_position, I32, 1, .unit = "samples")                                                                    \
    F(S, sound_length, I32, 1, .unit = "samples")                                                                      \
    F(S, last_frame, I32, 1, .unit = "frames")                                                                         \
    F(S, health, I32, 1)                                                                                               \
    F(S, layer, I32, 1)                                                                                                \
    F(S, label, STR, 48)                                                                                               \
    F(S, sprite, STR, 48)                                                                                              \
    F(S, shadow, STR, 48)                                                                                              \
    F(S, script, STR, 48)                                                                                              \
    F(S, sound, STR, 48)                                                                                               \
    F(S, palette, STR, 48)
EDDY_FIELDS(thing, THING_FIELDS);
_Static_assert(sizeof(thing) == 400, "a thing is 400 bytes");

static const thing thing_default = {.mass = 1, .width = 32, .height = 32, .health = 1};
static const eddy_type types[] = {EDDY_TYPE(thing, &thing_default)};
static const eddy_schema schema = {.types = types, .type_count = 1};

/** What a thing does. */
enum thing_kind { PROP, BALL, WALKER, FLYER, ANIMATOR, SHOT, SOUND };

/** How many of what. */
struct bench_motion_desc {
    uint32_t props; /**< constant */
    bool props_are_told;
    uint32_t balls, walkers, flyers, animators, sounds;
    uint32_t movers_animated; /**< so many of the movers also animate */
    uint32_t spawn_period;    /**< frames from one transient to the next */
    uint32_t transients_max;
    bool noise;       /**< every mover is pushed at random in every frame */
    bool plain_walks; /**< walkers go at one speed on flat ground */
};

#define MOTION_USUAL                                                                                                   \
    .props = 212, .props_are_told = true, .balls = 8, .walkers = 10, .flyers = 8, .animators = 6,                      \
    .movers_animated = 10, .spawn_period = 20, .transients_max = 12
const bench_motion_desc bench_motion_smooth = {MOTION_USUAL};
const bench_motion_desc bench_motion_noise = {MOTION_USUAL, .noise = true};
const bench_motion_desc bench_motion_quiet = {.props = 212,
                                              .props_are_told = true,
                                              .balls = 6,
                                              .walkers = 20,
                                              .animators = 6,
                                              .movers_animated = 10,
                                              .spawn_period = 20,
                                              .transients_max = 12,
                                              .plain_walks = true};
const bench_motion_desc bench_motion_plain = {.props = 212,
                                              .balls = 8,
                                              .walkers = 10,
                                              .flyers = 8,
                                              .animators = 6,
                                              .movers_animated = 10,
                                              .spawn_period = 20,
                                              .transients_max = 12};
const bench_motion_desc bench_motion_loft = {.props = 212,
                                             .props_are_told = true,
                                             .balls = 200,
                                             .walkers = 200,
                                             .flyers = 100,
                                             .animators = 20,
                                             .sounds = 64,
                                             .movers_animated = 200,
                                             .spawn_period = 10,
                                             .transients_max = 32};
const bench_motion_desc bench_motion_constants = {.props = 100000,
                                                  .props_are_told = true,
                                                  .balls = 8,
                                                  .walkers = 10,
                                                  .flyers = 8,
                                                  .animators = 6,
                                                  .movers_animated = 10,
                                                  .spawn_period = 20,
                                                  .transients_max = 12};

/* ---- arithmetic ---- */

#define STEP (1.0f / 60.0f) /**< s */
#define ROOM_W 4000.0f      /**< px */
#define FLOOR_Y 1000.0f
#define GRAVITY 900.0f /**< px/s/s */

/** 32 well mixed bits of three: the only randomness, and it has no state. */
static uint32_t mix(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu ^ (c + 0x165667b1u) * 0xc2b2ae35u;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

/** -1 <= r < 1 */
static float spread(uint32_t a, uint32_t b, uint32_t c) {
    return (float)(mix(a, b, c) >> 8) * 0x1p-23f - 1.0f;
}

/** low <= r < high */
static float between(uint32_t a, uint32_t b, float low, float high) {
    return low + (high - low) * (spread(a, b, 77) * 0.5f + 0.5f);
}

/** The sine of an angle in turns, within 2e-4: a polynomial of odd degree on a quarter turn to either side. */
static float wave(float turns) {
    float t = turns - (float)(int32_t)turns;
    if (t < 0)
        t += 1;
    if (t > 0.75f)
        t -= 1;
    else if (t > 0.25f)
        t = 0.5f - t;
    const float u = t * 6.2831853f, u2 = u * u;
    return u * (1.0f + u2 * (-0.16666667f + u2 * (0.0083333310f + u2 * -0.00019515296f)));
}

static float ground(float x) {
    return FLOOR_Y - 40.0f * wave(x * (1.0f / 700.0f)) - 12.0f * wave(x * (1.0f / 190.0f) + 0.3f);
}

/* ---- how things move ---- */

/** A scene in motion. Things lie at fixed places; `order` is the view, by ascending id. */
typedef struct motion {
    const bench_motion_desc *desc;
    thing *things, *props;
    eddy_entity *order, *prop_order;
    uint32_t *free_places;
    uint32_t capacity, count, free_count, transients;
    uint32_t frame;
    bool begun; /**< frame 0 has been given */
    eddy_id next_id;
} motion;

static void push_at_random(thing *it, eddy_id id, uint32_t frame) {
    it->vx += spread(id, frame, 1) * 12.0f;
    it->vy += spread(id, frame, 2) * 12.0f;
}

/** Falls, is slowed by the air, bounces; a push when it comes to rest. */
static void step_ball(thing *it, eddy_id id, uint32_t frame, bool noise) {
    it->vy += GRAVITY * STEP;
    it->vx *= it->drag;
    it->vy *= it->drag;
    if (noise)
        push_at_random(it, id, frame);
    it->x += it->vx * STEP;
    it->y += it->vy * STEP;
    if (it->y > FLOOR_Y) {
        it->y = FLOOR_Y - (it->y - FLOOR_Y);
        it->vy = -it->vy * it->bounce;
        if (it->vy > -120.0f) {
            it->vy = -between(id, frame, 500.0f, 900.0f);
            it->vx = spread(id, frame, 3) * 260.0f;
        }
    }
    if (it->x < 0 || it->x > ROOM_W) {
        it->x = it->x < 0 ? -it->x : 2 * ROOM_W - it->x;
        it->vx = -it->vx;
    }
}

/** Goes to and fro between two marks, slower uphill, easing into each change. */
static void step_walker(thing *it, eddy_id id, uint32_t frame, bool noise) {
    if ((it->x > it->home_x + it->reach_x && it->speed > 0) || (it->x < it->home_x - it->reach_x && it->speed < 0))
        it->speed = -it->speed;
    const float y_before = it->y;
    const float slope = (ground(it->x + 4.0f) - ground(it->x - 4.0f)) * 0.125f;
    const float aim = it->speed * (1.0f + (it->speed > 0 ? slope : -slope));
    it->vx += (aim - it->vx) * 0.08f;
    if (noise)
        push_at_random(it, id, frame);
    it->x += it->vx * STEP;
    it->y = ground(it->x);
    it->vy = (it->y - y_before) * 60.0f;
}

/** To and fro at one speed: only x changes. */
static void step_plain_walker(thing *it, eddy_id id, uint32_t frame, bool noise) {
    if ((it->x > it->home_x + it->reach_x && it->vx > 0) || (it->x < it->home_x - it->reach_x && it->vx < 0))
        it->vx = -it->vx;
    if (noise)
        push_at_random(it, id, frame);
    it->x += it->vx * STEP;
}

/** Follows a figure of sines about its home. */
static void step_flyer(thing *it, eddy_id id, uint32_t frame, bool noise) {
    const uint32_t pace = (uint32_t)(it->speed * STEP * 0x1p32f); /* turns wrap as integers do */
    const float turns = it->phase + (float)(frame * pace >> 8) * 0x1p-24f;
    const float turn_speed = it->speed * 6.2831853f;
    it->vx += (it->reach_x * turn_speed * wave(turns + 0.25f) - it->vx) * 0.2f;
    it->vy += (it->reach_y * turn_speed * 2.0f * wave(2.0f * turns + 0.25f) - it->vy) * 0.2f;
    if (noise)
        push_at_random(it, id, frame);
    it->x += it->vx * STEP;
    it->y += it->vy * STEP;
}

static void step_shot(thing *it, eddy_id id, uint32_t frame, bool noise) {
    it->vy += GRAVITY * 0.3f * STEP;
    it->vx *= it->drag;
    if (noise)
        push_at_random(it, id, frame);
    it->x += it->vx * STEP;
    it->y += it->vy * STEP;
}

/** A frame of sound is 800 samples, and 735 of one stored at 44.1 kHz. */
static void step_sound(thing *it) {
    it->sound_position += it->flags & 1 ? 735 : 800;
    if (it->sound_position >= it->sound_length)
        it->sound_position -= it->sound_length;
}

static void step_picture(thing *it) {
    if (--it->picture_clock > 0)
        return;
    it->picture_clock = it->picture_period;
    it->picture = (it->picture + 1) % 8;
}

static void step_thing(const motion *scene, thing *it, eddy_id id) {
    const bool noise = scene->desc->noise;
    switch (it->kind) {
    case BALL:
        step_ball(it, id, scene->frame, noise);
        break;
    case WALKER:
        (scene->desc->plain_walks ? step_plain_walker : step_walker)(it, id, scene->frame, noise);
        break;
    case FLYER:
        step_flyer(it, id, scene->frame, noise);
        break;
    case SHOT:
        step_shot(it, id, scene->frame, noise);
        break;
    case SOUND:
        step_sound(it);
        break;
    default:
        break;
    }
    if (it->picture_period)
        step_picture(it);
}

/* ---- birth and death ---- */

static void name_thing(thing *it, eddy_id id) {
    static const char *const kinds[] = {"prop", "ball", "walker", "flyer", "animator", "shot", "sound"};
    const char *kind = kinds[it->kind];
    snprintf(it->label, sizeof it->label, "%s number %u of room %u", kind, id, it->room);
    snprintf(it->sprite, sizeof it->sprite, "art/%s_%02u.png", kind, mix(id, 11, 0) % 40);
    snprintf(it->shadow, sizeof it->shadow, "art/shadow_%02u.png", mix(id, 12, 0) % 6);
    snprintf(it->script, sizeof it->script, "%s_idle", kind);
    snprintf(it->sound, sizeof it->sound, "sound/%s_%u.ogg", kind, mix(id, 13, 0) % 12);
    snprintf(it->palette, sizeof it->palette, "dusk");
}

static void make_thing(const bench_motion_desc *desc, thing *it, eddy_id id, uint32_t kind) {
    *it = thing_default;
    it->kind = kind;
    it->room = mix(id, 1, 0) % 9;
    it->layer = (int32_t)(mix(id, 2, 0) % 5);
    it->depth = between(id, 3, 0, 1);
    it->home_x = it->x = between(id, 4, 200, ROOM_W - 200);
    it->home_y = it->y = between(id, 5, 200, 800);
    it->drag = between(id, 6, 0.990f, 0.999f);
    it->bounce = between(id, 7, 0.5f, 0.8f);
    it->phase = between(id, 8, 0, 1);
    name_thing(it, id);
    switch (kind) {
    case BALL:
        it->vx = spread(id, 0, 9) * 260.0f;
        break;
    case WALKER:
        it->reach_x = between(id, 10, 90, 500);
        it->speed = between(id, 11, 40, 140);
        it->y = ground(it->x);
        it->vx = desc->plain_walks ? it->speed : 0;
        break;
    case FLYER:
        it->reach_x = between(id, 12, 40, 220);
        it->reach_y = between(id, 13, 20, 90);
        it->speed = between(id, 14, 0.05f, 0.3f);
        break;
    case SHOT:
        it->vx = spread(id, 0, 15) * 700.0f;
        it->vy = -between(id, 16, 20, 200);
        break;
    case SOUND:
        it->sound_length = (int32_t)(40000 + mix(id, 17, 0) % 200000);
        it->flags = mix(id, 18, 0) & 1;
        break;
    default:
        break;
    }
}

static void give_pictures(thing *it, eddy_id id) {
    it->picture_period = (int32_t)(4 + mix(id, 19, 0) % 8);
    it->picture_clock = it->picture_period;
}

static thing *add_thing(motion *scene, uint32_t kind) {
    thing *it = &scene->things[scene->free_places[--scene->free_count]];
    const eddy_id id = scene->next_id++;
    make_thing(scene->desc, it, id, kind);
    scene->order[scene->count++] = (eddy_entity){.id = id, .type = 0, .data = it};
    return it;
}

static void remove_dead(motion *scene) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        const thing *it = scene->order[i].data;
        if (it->last_frame == 0 || (uint32_t)it->last_frame != scene->frame) {
            scene->order[kept++] = scene->order[i];
        } else {
            scene->free_places[scene->free_count++] = (uint32_t)(it - scene->things);
            scene->transients--;
        }
    }
    scene->count = kept;
}

/** A shot or a sound, by turns. It lives until a frame that is fixed at its birth, so no countdown runs. */
static void add_transient(motion *scene) {
    const uint32_t turn = scene->frame / scene->desc->spawn_period;
    thing *it = add_thing(scene, turn % 2 ? SOUND : SHOT);
    it->last_frame = (int32_t)(scene->frame + 60 + mix(turn, 20, 0) % 200);
    scene->transients++;
}

static void step(motion *scene) {
    scene->frame++;
    for (uint32_t i = 0; i < scene->count; i++) {
        const eddy_entity *entity = &scene->order[i];
        step_thing(scene, &scene->things[(const thing *)entity->data - scene->things], entity->id);
    }
    remove_dead(scene);
    if (scene->frame % scene->desc->spawn_period == 0 && scene->transients < scene->desc->transients_max)
        add_transient(scene);
}

/* ---- the source ---- */

static void populate(motion *scene) {
    const bench_motion_desc *desc = scene->desc;
    const struct {
        uint32_t kind, count;
    } groups[] = {{PROP, desc->props_are_told ? 0 : desc->props},
                  {BALL, desc->balls},
                  {WALKER, desc->walkers},
                  {FLYER, desc->flyers},
                  {ANIMATOR, desc->animators},
                  {SOUND, desc->sounds}};
    uint32_t movers = 0;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        for (uint32_t j = 0; j < groups[i].count; j++) {
            thing *it = add_thing(scene, groups[i].kind);
            const bool mover = groups[i].kind >= BALL && groups[i].kind <= FLYER;
            /* every few movers one, so that all kinds are among them */
            const uint32_t all = desc->balls + desc->walkers + desc->flyers;
            if (groups[i].kind == ANIMATOR ||
                (mover && (movers + 1) * desc->movers_animated / all > movers * desc->movers_animated / all))
                give_pictures(it, scene->order[scene->count - 1].id);
            movers += mover;
        }
}

static eddy_result motion_rewind(bench_source *source, eddy_error *error) {
    (void)error;
    motion *scene = source->state;
    scene->count = scene->transients = scene->frame = 0;
    scene->begun = false;
    scene->next_id = (scene->desc->props_are_told ? scene->desc->props : 0) + 1;
    scene->free_count = 0;
    for (uint32_t i = scene->capacity; i > 0; i--)
        scene->free_places[scene->free_count++] = i - 1;
    populate(scene);
    return EDDY_OK;
}

static eddy_result motion_next(bench_source *source, eddy_view *out, eddy_error *error) {
    (void)error;
    motion *scene = source->state;
    if (scene->begun)
        step(scene);
    scene->begun = true;
    *out = (eddy_view){scene->order, scene->count};
    return EDDY_OK;
}

static void motion_close(bench_source *source) {
    motion *scene = source->state;
    free(scene->things);
    free(scene->props);
    free(scene->order);
    free(scene->prop_order);
    free(scene->free_places);
    free(scene);
    source->state = NULL;
}

/** Props with ids of their own, below all others. */
static void make_props(motion *scene) {
    for (uint32_t i = 0; i < scene->desc->props; i++) {
        make_thing(scene->desc, &scene->props[i], i + 1, PROP);
        scene->prop_order[i] = (eddy_entity){.id = i + 1, .type = 0, .data = &scene->props[i]};
    }
}

static bool allocate(motion *scene) {
    const bench_motion_desc *desc = scene->desc;
    const uint32_t told = desc->props_are_told ? desc->props : 0;
    scene->capacity = desc->props - told + desc->balls + desc->walkers + desc->flyers + desc->animators + desc->sounds +
                      desc->transients_max;
    scene->things = calloc(scene->capacity, sizeof *scene->things);
    scene->order = calloc(scene->capacity, sizeof *scene->order);
    scene->free_places = calloc(scene->capacity, sizeof *scene->free_places);
    scene->props = calloc(told + 1, sizeof *scene->props);
    scene->prop_order = calloc(told + 1, sizeof *scene->prop_order);
    return scene->things && scene->order && scene->free_places && scene->props && scene->prop_order;
}

eddy_result bench_motion_open(const bench_scene *scene, const bench_options *options, bench_source *out,
                              eddy_error *error) {
    motion *moving = calloc(1, sizeof *moving);
    if (!moving)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for the scene", scene->name);
    moving->desc = scene->parameters;
    out->state = moving;
    out->close = motion_close;
    out->rewind = motion_rewind;
    out->next = motion_next;
    out->schema = &schema;
    out->rate_num = 60;
    out->rate_den = 1;
    out->frames = bench_source_frames(out, options->minutes);
    if (!allocate(moving))
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for the scene", scene->name);
    if (moving->desc->props_are_told) {
        make_props(moving);
        out->constants = (eddy_view){moving->prop_order, moving->desc->props};
    }
    return EDDY_OK;
}
