#include "world_stage.h"

#include "world/random.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const stage_hall[] = {
    "..............................",
    "..............................",
    "..............................",
    "..............................",
    "..............................",
    "..............................",
    "..............................",
    "..............................",
    "..............................",
    "##############################",
    NULL,
};

/* ---- building ---- */

static void put_char(world_build *build, char c, uint32_t column, uint32_t row) {
    const float x = ((float)column + 0.5f) * WORLD_TILE, floor = ((float)row + 1) * WORLD_TILE;
    world_kettle kettle = {.x = x, .y = floor - KETTLE_HALF_H, .facing = c == 'K' ? -1 : 1};
    world_nettle nettle = {x, floor - 8, WORLD_TILE / 2, 8};
    world_wick wick = {.x = x, .y = floor - WORLD_TILE / 2};
    world_exit lamp = {x, floor - WORLD_TILE, WORLD_TILE / 2, WORLD_TILE};
    switch (c) {
    case '@':
        world_build_moth(build, x, floor - MOTH_HALF_H);
        break;
    case 'k':
    case 'K':
        world_build_add(build, WORLD_KETTLE, &kettle, false);
        break;
    case '^':
        world_build_add(build, WORLD_NETTLE, &nettle, false);
        break;
    case '*':
        world_build_add(build, WORLD_WICK, &wick, false);
        break;
    case 'E':
        world_build_add(build, WORLD_EXIT, &lamp, false);
        break;
    default:
        break;
    }
}

static world_build *begin_level(const char *const *rows, world_level level, uint32_t seed) {
    while (rows[level.height_tiles])
        level.height_tiles++;
    level.width_tiles = (uint32_t)strlen(rows[0]);
    eddy_error error = {0};
    world_build *build = NULL;
    world_build_desc desc = {.level = level, .seed = seed, .catalog = stage_catalog(), .music = "song"};
    ck_assert_msg(world_build_begin(&desc, &build, &error) == EDDY_OK, "%s", error.text);
    uint8_t *solid = calloc(level.width_tiles, level.height_tiles);
    for (uint32_t row = 0; row < level.height_tiles; row++) {
        ck_assert_uint_eq(strlen(rows[row]), level.width_tiles);
        for (uint32_t column = 0; column < level.width_tiles; column++) {
            solid[row * level.width_tiles + column] = rows[row][column] == '#';
            put_char(build, rows[row][column], column, row);
        }
    }
    world_build_tiles(build, solid);
    free(solid);
    return build;
}

world_build *stage_begin(const char *const *rows, uint32_t wicks_needed) {
    return begin_level(rows, (world_level){.seed = 7, .wicks_needed = wicks_needed, .title = "stage"}, 0);
}

world *stage_finish(world_build *build) {
    eddy_error error = {0};
    world *made = NULL;
    ck_assert_msg(world_build_finish(build, &made, &error) == EDDY_OK, "%s", error.text);
    return made;
}

world *stage_world(const char *const *rows) {
    return stage_finish(stage_begin(rows, 0));
}

const world_catalog *stage_catalog(void) {
    static world_catalog catalog;
    static const char *const once[] = {"jump", "land", "step", "die", "stomp", "wick", "lever", "gate", "exit"};
    static const char *const loops[] = {"kettle_walk", "pan_hum", "wheel_creak"};
    catalog.count = 0;
    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++) {
        world_sound_def def = {.length = 48000, .gain = 1, .range = 900, .repeat = EDDY_SOUND_ONCE};
        memcpy(def.key, once[i], strlen(once[i]));
        catalog.sounds[catalog.count++] = def;
    }
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        world_sound_def def = {.length = 48000, .gain = 0.5f, .range = 600, .repeat = EDDY_SOUND_LOOP};
        memcpy(def.key, loops[i], strlen(loops[i]));
        catalog.sounds[catalog.count++] = def;
    }
    catalog.sounds[catalog.count++] = (world_sound_def){
        .key = "song", .length = 480000, .gain = 1, .category = EDDY_CATEGORY_MUSIC, .repeat = EDDY_SOUND_LOOP};
    return &catalog;
}

/* ---- playing ---- */

void stage_run(world *w, uint32_t frames, uint16_t held) {
    for (uint32_t i = 0; i < frames; i++)
        world_step(w, (world_input){.held = held, .fresh = UINT16_MAX});
}

void stage_settle(world *w) {
    for (uint32_t i = 0; i < 120; i++) {
        stage_run(w, 1, 0);
        const world_moth *moth = world_moth_of(w);
        if (moth->on_ground && moth->vx == 0 && moth->land_frames >= 12)
            return;
    }
    ck_abort_msg("Moth does not come to stand");
}

uint64_t stage_hash(const world *w) {
    eddy_view view = world_view(w);
    return eddy_view_hash(world_schema(), &view);
}

uint64_t stage_immune_hash(const world *w) {
    eddy_view view = world_immune(w);
    return eddy_view_hash(world_schema(), &view);
}

const void *stage_first(const world *w, world_type type) {
    eddy_view view = world_view(w);
    for (uint32_t i = 0; i < view.count; i++)
        if (view.entities[i].type == type)
            return view.entities[i].data;
    return NULL;
}

uint32_t stage_count(const world *w, world_type type) {
    eddy_view view = world_view(w);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count; i++)
        count += view.entities[i].type == type;
    return count;
}

uint32_t stage_sounds(const world *w, const char *asset) {
    eddy_view view = world_view(w);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count; i++)
        count += view.entities[i].type == WORLD_SOUND &&
                 strcmp(((const eddy_sound *)view.entities[i].data)->asset, asset) == 0;
    return count;
}

uint16_t stage_random_buttons(uint32_t seed, uint32_t frame) {
    /* the same for a few frames at a time, mostly on the move */
    uint32_t bits = random_hash(seed, frame / 9);
    uint16_t held = 0;
    held |= (bits & 3) == 0 ? BUTTON_LEFT : (bits & 3) < 3 ? BUTTON_RIGHT : 0;
    held |= bits >> 2 & 1 ? BUTTON_JUMP : 0;
    held |= (bits >> 3 & 7) == 0 ? BUTTON_DOWN : 0;
    held |= (bits >> 6 & 3) == 0 ? BUTTON_USE : 0;
    held |= (bits >> 8 & 15) == 0 ? BUTTON_LEFT : 0;
    return held;
}

/* ---- copies ---- */

stage_copy stage_copy_of(eddy_view view) {
    const eddy_schema *schema = world_schema();
    size_t bytes = 16;
    for (uint32_t i = 0; i < view.count; i++)
        bytes += (schema->types[view.entities[i].type].size + 15) / 16 * 16;
    stage_copy copy = {.entities = malloc((view.count + 1) * sizeof(eddy_entity)), .states = malloc(bytes)};
    size_t at = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        uint32_t size = schema->types[view.entities[i].type].size;
        copy.entities[i] = view.entities[i];
        copy.entities[i].data = memcpy(copy.states + at, view.entities[i].data, size);
        at += (size + 15) / 16 * 16;
    }
    copy.view = (eddy_view){.entities = copy.entities, .count = view.count};
    return copy;
}

void stage_copy_free(stage_copy *copy) {
    free(copy->entities);
    free(copy->states);
}

void *stage_copy_state(stage_copy *copy, eddy_id id) {
    const eddy_entity *found = eddy_view_find(&copy->view, id);
    ck_assert_ptr_nonnull(found);
    return (void *)(uintptr_t)found->data;
}

void stage_take(world *w, const stage_copy *copy) {
    eddy_error error = {0};
    ck_assert_msg(world_take(w, &copy->view, &error) == EDDY_OK, "%s", error.text);
}

typedef struct first_difference {
    char text[256];
} first_difference;

static bool note_difference(void *user, const eddy_difference *difference) {
    first_difference *first = user;
    const char *type = world_schema()->types[difference->type].name;
    if (!difference->field) {
        snprintf(first->text, sizeof first->text, "%s %u is in one of them only", type, (unsigned)difference->id);
        return false;
    }
    char old_value[64], new_value[64];
    eddy_value_print(difference->field, difference->old_value, old_value, sizeof old_value);
    eddy_value_print(difference->field, difference->new_value, new_value, sizeof new_value);
    snprintf(first->text, sizeof first->text, "%s %u.%s: expected %s, found %s", type, (unsigned)difference->id,
             difference->field->name, old_value, new_value);
    return false;
}

void stage_same(const char *what, uint32_t frame, eddy_view expected, eddy_view found) {
    first_difference first = {{0}};
    const eddy_schema *schema = world_schema();
    if (eddy_view_hash(schema, &expected) == eddy_view_hash(schema, &found))
        return;
    eddy_view_diff(schema, &expected, &found, note_difference, &first);
    ck_abort_msg("%s, frame %u: %s", what, (unsigned)frame, first.text);
}

/* ---- everything ---- */

static const char *const everything_rows[] = {
    "........................................................................",
    "........................................................................",
    "........................................................................",
    "...............*.............................................*..........",
    "..............####.........................................####.........",
    "........................................................................",
    "...................................*....................................",
    "..........................k........##...................................",
    "........................######...................k..............E.......",
    "...........*...................................####.....................",
    "..........###..............................................#####........",
    "@...............k..........K............................................",
    "#######################################..........#######..........######",
    "#######################################..........#######..........######",
    "#######################################^^^^^^^^..#######..........######",
    NULL,
};

world *stage_everything(uint32_t seed, bool immune) {
    world_level level = {.seed = seed, .wicks_needed = 2, .title = "everything"};
    world_build *build = begin_level(everything_rows, level, seed);
    const world_wheel wheel = {.x = 1900, .y = 380, .radius = 120, .pans = 5, .period = 480, .direction = 1};
    eddy_id wheel_id = world_build_add(build, WORLD_WHEEL, &wheel, false);
    for (uint32_t i = 0; i < wheel.pans; i++)
        world_build_add(build, WORLD_PAN, &(world_pan){.half_w = 40, .half_h = 6, .wheel = wheel_id, .index = i},
                        false);
    world_lever toggle = {.x = 300, .y = 364, .mode = LEVER_TOGGLE};
    world_lever timed = {.x = 620, .y = 364, .mode = LEVER_TIMED, .hold = 90};
    eddy_id toggle_id = world_build_add(build, WORLD_LEVER, &toggle, false);
    eddy_id timed_id = world_build_add(build, WORLD_LEVER, &timed, false);
    world_gate gate = {.x = 1000, .y = 336, .half_w = 6, .half_h = 48, .lever = timed_id};
    world_build_add(build, WORLD_GATE, &gate, false);
    world_pan lift = {.half_w = 48, .half_h = 6, .from_x = 420, .from_y = 378, .to_x = 420, .to_y = 120, .period = 260};
    world_build_add(build, WORLD_PAN, &lift, false);
    world_pan ferry = {.half_w = 48,
                       .half_h = 6,
                       .from_x = 1290,
                       .from_y = 390,
                       .to_x = 1540,
                       .to_y = 390,
                       .period = 200,
                       .progress = 40,
                       .lever = toggle_id};
    world_build_add(build, WORLD_PAN, &ferry, immune);
    world_pan shuttle = {
        .half_w = 48, .half_h = 6, .from_x = 700, .from_y = 300, .to_x = 900, .to_y = 220, .period = 170};
    world_build_add(build, WORLD_PAN, &shuttle, immune);
    world_build_add(
        build, WORLD_EMITTER,
        &(world_emitter){.x = 600, .y = 240, .half_w = 600, .half_h = 240, .count = 100, .kind = PARTICLE_SNOW}, false);
    return stage_finish(build);
}
