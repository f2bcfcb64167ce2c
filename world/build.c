/* From what a level holds to a world at frame 0. The only place in the world that allocates, besides level loading. */
#include "build.h"

#include "collide.h"

#include <stdlib.h>
#include <string.h>

typedef struct built {
    eddy_id id;
    uint16_t type;
    bool immune;
    uint32_t offset; /* of the state in `states` */
} built;

struct world_build {
    world_level level;
    world_catalog catalog;
    char music[EDDY_SOUND_KEY_BYTES], ambience[EDDY_SOUND_KEY_BYTES];
    bool has_moth;
    float moth_x, moth_y;
    built *entities;
    uint32_t count, capacity;
    uint8_t *states;
    size_t state_bytes, state_capacity;
    eddy_id next_id, next_immune_id;
    eddy_result failed; /* sticky: the first failure of an add */
};

/* EDDY_ID_IMMUNE itself names the journal. */
enum { ID_GAME = 1, ID_MOTH = 2, ID_CLOCK = 1 };

static void copy_key(char out[EDDY_SOUND_KEY_BYTES], const char *key) {
    size_t length = key ? strnlen(key, EDDY_SOUND_KEY_BYTES - 1) : 0;
    memset(out, 0, EDDY_SOUND_KEY_BYTES);
    if (length)
        memcpy(out, key, length);
}

eddy_result world_build_begin(const world_build_desc *desc, world_build **out, eddy_error *error) {
    uint32_t w = desc->level.width_tiles, h = desc->level.height_tiles;
    if (w == 0 || h == 0 || w > WORLD_TILES_MAX || h > WORLD_TILES_MAX)
        return eddy_fail(error, EDDY_E_LIMIT, "a level of %u x %u tiles, expected 1 to %d in each direction",
                         (unsigned)w, (unsigned)h, WORLD_TILES_MAX);
    world_build *build = calloc(1, sizeof *build);
    if (!build)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory for a level");
    build->level = desc->level;
    if (desc->seed)
        build->level.seed = desc->seed;
    if (desc->catalog)
        build->catalog = *desc->catalog;
    copy_key(build->music, desc->music);
    copy_key(build->ambience, desc->ambience);
    build->next_id = ID_MOTH + 1;
    build->next_immune_id = EDDY_ID_IMMUNE + ID_CLOCK + 1;
    *out = build;
    return EDDY_OK;
}

void world_build_cancel(world_build *build) {
    if (!build)
        return;
    free(build->entities);
    free(build->states);
    free(build);
}

static bool build_grow(world_build *build, size_t bytes) {
    if (build->count == build->capacity) {
        uint32_t capacity = build->capacity ? 2 * build->capacity : 256;
        built *entities = realloc(build->entities, capacity * sizeof *entities);
        if (!entities)
            return false;
        build->entities = entities;
        build->capacity = capacity;
    }
    if (build->state_bytes + bytes > build->state_capacity) {
        size_t capacity = 2 * build->state_capacity + bytes + 16384;
        uint8_t *states = realloc(build->states, capacity);
        if (!states)
            return false;
        build->states = states;
        build->state_capacity = capacity;
    }
    return true;
}

static eddy_id build_put(world_build *build, eddy_id id, world_type type, const void *state, bool immune) {
    size_t bytes = world_schema()->types[type].size, held = (bytes + 15) / 16 * 16;
    if (build->failed)
        return 0;
    if (build->count >= EDDY_ENTITIES_MAX - 4 * WORLD_SOUNDS_MAX)
        build->failed = EDDY_E_LIMIT;
    else if (!build_grow(build, held))
        build->failed = EDDY_E_MEMORY;
    if (build->failed)
        return 0;
    memcpy(build->states + build->state_bytes, state, bytes);
    build->entities[build->count++] = (built){id, (uint16_t)type, immune, (uint32_t)build->state_bytes};
    build->state_bytes += held;
    return id;
}

eddy_id world_build_add(world_build *build, world_type type, const void *state, bool immune) {
    return build_put(build, immune ? build->next_immune_id++ : build->next_id++, type, state, immune);
}

void *world_build_edit(world_build *build, eddy_id id) {
    for (uint32_t i = 0; i < build->count; i++)
        if (build->entities[i].id == id)
            return build->states + build->entities[i].offset;
    return NULL;
}

void world_build_moth(world_build *build, float x, float y) {
    build->has_moth = true;
    build->moth_x = x;
    build->moth_y = y;
}

/* ---- solids ---- */

/* How far down the run `first .. last` of row y is solid and not yet covered. */
static uint32_t run_height(const uint8_t *solid, const uint8_t *done, uint32_t w, uint32_t h, uint32_t y,
                           uint32_t first, uint32_t last) {
    uint32_t below = y + 1;
    for (; below < h; below++)
        for (uint32_t x = first; x <= last; x++)
            if (!solid[below * w + x] || done[below * w + x])
                return below - y;
    return below - y;
}

void world_build_tiles(world_build *build, const uint8_t *solid) {
    uint32_t w = build->level.width_tiles, h = build->level.height_tiles;
    uint8_t *done = calloc(w, h);
    if (!done) {
        build->failed = build->failed ? build->failed : EDDY_E_MEMORY;
        return;
    }
    for (uint32_t y = 0; y < h; y++) {
        for (uint32_t x = 0; x < w; x++) {
            if (!solid[y * w + x] || done[y * w + x])
                continue;
            uint32_t last = x;
            while (last + 1 < w && solid[y * w + last + 1] && !done[y * w + last + 1])
                last++;
            uint32_t height = run_height(solid, done, w, h, y, x, last);
            for (uint32_t row = y; row < y + height; row++)
                memset(done + (size_t)row * w + x, 1, last - x + 1);
            world_solid area = {.half_w = (float)(last - x + 1) * WORLD_TILE / 2,
                                .half_h = (float)height * WORLD_TILE / 2};
            area.x = (float)x * WORLD_TILE + area.half_w;
            area.y = (float)y * WORLD_TILE + area.half_h;
            world_build_add(build, WORLD_SOLID, &area, false);
        }
    }
    free(done);
}

/* ---- finish ---- */

static bool is_constant(world_type type) {
    return type >= WORLD_LEVEL && type < WORLD_JOURNAL;
}

/* What may be added, and as what. */
static eddy_result build_check(const world_build *build, eddy_error *error) {
    if (build->failed)
        return eddy_fail(error, build->failed,
                         build->failed == EDDY_E_LIMIT ? "more than %u entities" : "out of memory at %u entities",
                         (unsigned)build->count);
    if (!build->has_moth)
        return eddy_fail(error, EDDY_E_ENTITY, "the level has no moth: add one object of that type");
    for (uint32_t i = 0; i < build->count; i++) {
        const built *entity = &build->entities[i];
        bool allowed = (entity->type >= WORLD_KETTLE && entity->type <= WORLD_GATE) || is_constant(entity->type);
        bool may_be_immune = entity->type == WORLD_PAN || entity->type == WORLD_WHEEL;
        if (!allowed || (entity->immune && !may_be_immune))
            return eddy_fail(error, EDDY_E_ENTITY, "entity %u: a %s cannot be placed%s", (unsigned)entity->id,
                             entity->type < WORLD_TYPE_COUNT ? world_schema()->types[entity->type].name : "thing",
                             allowed ? " as immune; only pans and wheels can" : " in a level");
    }
    return EDDY_OK;
}

typedef struct capacities {
    uint32_t now[WORLD_TYPE_COUNT], immune[WORLD_TYPE_COUNT], constants[WORLD_TYPE_COUNT];
    bool any_immune;
} capacities;

static capacities build_capacities(const world_build *build) {
    capacities c = {0};
    for (uint32_t i = 0; i < build->count; i++) {
        const built *entity = &build->entities[i];
        (is_constant(entity->type) ? c.constants : entity->immune ? c.immune : c.now)[entity->type]++;
        c.any_immune |= entity->immune;
    }
    c.now[WORLD_GAME] = c.now[WORLD_MOTH] = 1;
    c.now[WORLD_SOUND] = WORLD_SOUNDS_MAX;
    c.now[WORLD_BURST] = WORLD_BURSTS_MAX;
    c.immune[WORLD_CLOCK] = c.any_immune;
    c.immune[WORLD_SOUND] = c.any_immune ? WORLD_SOUNDS_MAX : 0;
    c.constants[WORLD_LEVEL] = 1;
    return c;
}

static size_t rounded(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* One block of memory for the life of the world. */
static world *world_reserve(const world_build *build, const capacities *c) {
    size_t now = rounded(store_bytes(c->now)), immune = rounded(store_bytes(c->immune));
    size_t constants = rounded(store_bytes(c->constants)),
           tiles = (size_t)build->level.width_tiles * build->level.height_tiles;
    size_t motions = rounded((c->now[WORLD_PAN] + c->immune[WORLD_PAN] + 1) * sizeof(pan_motion));
    size_t bytes = rounded(sizeof(world)) + 2 * now + 2 * immune + constants + motions + tiles;
    uint8_t *memory = calloc(1, bytes);
    if (!memory)
        return NULL;
    world *made = (world *)(void *)memory;
    made->memory = memory;
    uint8_t *at = memory + rounded(sizeof(world));
    store_init(&made->now, c->now, at);
    store_init(&made->spare, c->now, at + now);
    store_init(&made->immune, c->immune, at + 2 * now);
    store_init(&made->immune_spare, c->immune, at + 2 * now + immune);
    at += 2 * now + 2 * immune;
    store_init(&made->constants, c->constants, at);
    at += constants;
    made->motions = (pan_motion *)(void *)at;
    made->immune_motions = made->motions + c->now[WORLD_PAN];
    made->solid = at + motions;
    made->width = (int32_t)build->level.width_tiles;
    made->height = (int32_t)build->level.height_tiles;
    return made;
}

static void place_all(world *w, const world_build *build, const capacities *c) {
    world_game *game = store_add(&w->now, ID_GAME, WORLD_GAME);
    world_moth *moth = store_add(&w->now, ID_MOTH, WORLD_MOTH);
    game->moth = ID_MOTH;
    moth->x = build->moth_x;
    moth->y = build->moth_y;
    if (c->any_immune) {
        world_clock *clock = store_add(&w->immune, EDDY_ID_IMMUNE + ID_CLOCK, WORLD_CLOCK);
        clock->next_id = build->next_immune_id;
    }
    for (uint32_t i = 0; i < build->count; i++) {
        const built *entity = &build->entities[i];
        store *s = is_constant(entity->type) ? &w->constants : entity->immune ? &w->immune : &w->now;
        store_put(s, entity->id, entity->type, build->states + entity->offset);
    }
    world_level *level = store_add(&w->constants, build->next_id, WORLD_LEVEL);
    *level = build->level;
    level->wicks_total = w->now.by_type[WORLD_WICK].count;
    game->next_id = build->next_id + 1;
}

/* Puts in order what a level may leave at zero, and places into whole units: types with a place begin with x, y. */
static void tidy_one(const world *w, const eddy_entity *entity) {
    void *state = (void *)(uintptr_t)entity->data;
    if (entity->type == WORLD_KETTLE) {
        world_kettle *kettle = state;
        kettle->facing = kettle->facing < 0 ? -1 : 1;
    } else if (entity->type == WORLD_WHEEL) {
        world_wheel *wheel = state;
        wheel->direction = wheel->direction < 0 ? -1 : 1;
    } else if (entity->type == WORLD_PAN) {
        world_pan *pan = state;
        pan->since = 0;
        pan->moving = lever_runs(w, pan->lever);
    }
    if (entity->type != WORLD_GAME && entity->type != WORLD_CLOCK) {
        float *x = state, *y = x + 1;
        *x = units_to_px(units_from_px(*x));
        *y = units_to_px(units_from_px(*y));
    }
}

static void tidy_all(world *w) {
    const store *stores[] = {&w->now, &w->immune};
    for (size_t s = 0; s < sizeof stores / sizeof stores[0]; s++)
        for (uint32_t i = 0; i < stores[s]->all.count; i++)
            tidy_one(w, &stores[s]->all.entities[i]);
}

/* The collision grid: every tile that a solid covers. */
static void grid_fill(world *w) {
    const store_list *solids = &w->constants.by_type[WORLD_SOLID];
    for (uint32_t i = 0; i < solids->count; i++) {
        const world_solid *solid = store_data(solids, i);
        box b = box_of(solid->x, solid->y, solid->half_w, solid->half_h);
        int32_t first_x = units_clamp(units_floor_div(b.left, UNITS_TILE), 0, w->width);
        int32_t end_x = units_clamp(units_floor_div(b.right - 1, UNITS_TILE) + 1, first_x, w->width);
        int32_t first_y = units_clamp(units_floor_div(b.top, UNITS_TILE), 0, w->height);
        int32_t end_y = units_clamp(units_floor_div(b.bottom - 1, UNITS_TILE) + 1, first_y, w->height);
        for (int32_t y = first_y; y < end_y; y++)
            memset(w->solid + (size_t)y * (size_t)w->width + first_x, 1, (size_t)(end_x - first_x));
    }
}

static void cues_fill(world *w, const world_catalog *catalog) {
    static const char *const keys[CUE_COUNT] = {
#define WORLD_CUE(NAME, key) [CUE_##NAME] = key,
#include "cues.inl"
#undef WORLD_CUE
    };
    for (uint32_t cue = 0; cue < CUE_COUNT; cue++) {
        const world_sound_def *def = world_catalog_find(catalog, keys[cue]);
        if (def)
            w->cue_defs[cue] = *def;
    }
}

/* Who begins in the air has no ground to jump from. */
static void stand_all(world *w) {
    world_moth *moth = inside_moth(w);
    moth->on_ground = collide_ground_under(w, moth_box(moth));
    if (!moth->on_ground) {
        moth->coyote = 0;
        moth->state = MOTH_FALL;
    }
    const store_list *kettles = &w->now.by_type[WORLD_KETTLE];
    for (uint32_t i = 0; i < kettles->count; i++) {
        world_kettle *kettle = store_data(kettles, i);
        kettle->on_ground = collide_ground_under(w, kettle_box(kettle));
    }
}

/* Everything that is at frame 0 because of what was placed. */
static void begin_play(world *w, const world_build *build) {
    const char *keys[] = {build->music, build->ambience};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const world_sound_def *def = keys[i][0] ? world_catalog_find(&build->catalog, keys[i]) : NULL;
        if (def)
            sounds_begin(w, def);
    }
    pans_place(w, &w->now);
    pans_place(w, &w->immune);
    pans_rest(&w->now, w->motions);
    pans_rest(&w->immune, w->immune_motions);
    stand_all(w);
    camera_place(w);
    sounds_follow(w, false);
    sounds_follow(w, true);
}

eddy_result world_build_finish(world_build *build, world **out, eddy_error *error) {
    world *made = NULL;
    eddy_result result = build_check(build, error);
    if (!result) {
        capacities c = build_capacities(build);
        made = world_reserve(build, &c);
        if (made)
            place_all(made, build, &c);
        else
            result =
                eddy_fail(error, EDDY_E_MEMORY, "out of memory for a level of %u entities", (unsigned)build->count);
    }
    if (!result) {
        eddy_view now = world_view(made), immune = world_immune(made), constants = world_constants(made);
        result = eddy_view_check(world_schema(), &constants, error);
        result = result ? result : take_check(made, &now, false, error);
        result = result ? result : take_check(made, &immune, true, error);
    }
    if (!result) {
        tidy_all(made);
        grid_fill(made);
        cues_fill(made, &build->catalog);
        begin_play(made, build);
        *out = made;
    } else {
        world_destroy(made);
    }
    world_build_cancel(build);
    return result;
}
