/* The kinds of things: from an object of the map to entities of the world. */
#include "level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_MAX 36000u /* ten minutes */

/* ---- places ---- */

static float width_here(const level_loader *loader) {
    return (float)loader->here->width;
}

static float height_here(const level_loader *loader) {
    return (float)loader->here->height;
}

static float middle_x(const level_loader *loader) {
    return loader->here_x + width_here(loader) / 2;
}

static float middle_y(const level_loader *loader) {
    return loader->here_y + height_here(loader) / 2;
}

/** Where a thing of this half height has its middle when it stands on its spot. */
static float standing_y(const level_loader *loader, float half_h) {
    return loader->here_y + height_here(loader) - half_h;
}

static eddy_result add(level_loader *loader, world_type type, const void *state, bool immune, eddy_id *out) {
    eddy_id id = world_build_add(loader->build, type, state, immune);
    if (out) {
        *out = id;
    }
    return EDDY_OK; /* what the world did not take, world_build_finish reports */
}

/** Things that walk must not begin inside a wall: nothing could push them out. Above the map is open sky. */
static eddy_result check_room(level_loader *loader, float x, float y, float half_w, float half_h) {
    int32_t left = (int32_t)((x - half_w) / WORLD_TILE), right = (int32_t)((x + half_w - 0.01f) / WORLD_TILE);
    int32_t top = y > half_h ? (int32_t)((y - half_h) / WORLD_TILE) : 0;
    int32_t bottom = (int32_t)((y + half_h - 0.01f) / WORLD_TILE);
    if (x < half_w || right >= (int32_t)loader->width || bottom >= (int32_t)loader->height) {
        return level_fail(loader, EDDY_E_FORMAT, "expected a place inside the map's %u x %u tiles, found (%g, %g) px",
                          loader->width, loader->height, (double)x, (double)y);
    }
    for (int32_t row = top; row <= bottom; row++) {
        for (int32_t column = left; column <= right; column++) {
            if (loader->solid[(size_t)row * loader->width + (size_t)column]) {
                return level_fail(loader, EDDY_E_FORMAT, "it stands in the wall tile (%d, %d); move it", column, row);
            }
        }
    }
    return EDDY_OK;
}

/* ---- kinds ---- */

static eddy_result read_moth(level_loader *loader) {
    if (loader->spawn) {
        return level_fail(loader, EDDY_E_FORMAT, "expected one moth, found another as object %u; remove one",
                          loader->spawn);
    }
    float x = middle_x(loader), y = standing_y(loader, MOTH_HALF_H);
    loader->spawn = loader->here->id;
    world_build_moth(loader->build, x, y);
    return check_room(loader, x, y, MOTH_HALF_W, MOTH_HALF_H);
}

static eddy_result read_kettle(level_loader *loader) {
    bool left = false;
    world_kettle made = {.x = middle_x(loader), .y = standing_y(loader, KETTLE_HALF_H)};
    eddy_result result = level_get_bool(loader, "left", &left);
    made.facing = left ? -1 : 1;
    if (!result) {
        result = check_room(loader, made.x, made.y, KETTLE_HALF_W, KETTLE_HALF_H);
    }
    return result ? result : add(loader, WORLD_KETTLE, &made, false, NULL);
}

static eddy_result read_wick(level_loader *loader) {
    return add(loader, WORLD_WICK, &(world_wick){.x = middle_x(loader), .y = middle_y(loader)}, false, NULL);
}

/** Read before everything else, so that things may point at levers that come later in the map. */
static eddy_result read_lever(level_loader *loader) {
    world_lever made = {.x = middle_x(loader), .y = standing_y(loader, LEVER_HALF_H), .hold = 180};
    uint32_t mode = LEVER_TOGGLE;
    bool on = false;
    eddy_result result = level_get_name(loader, "mode", world_lever_mode_names, LEVER_MODE_COUNT, &mode);
    if (!result) {
        result = level_get_count(loader, "hold", 1, PERIOD_MAX, &made.hold);
    }
    if (!result) {
        result = level_get_bool(loader, "on", &on);
    }
    made.mode = (uint16_t)mode;
    made.on = on;
    eddy_id id = 0;
    if (!result) {
        result = add(loader, WORLD_LEVER, &made, false, &id);
        loader->levers[loader->lever_count++] = (level_lever){.object = loader->here->id, .entity = id};
    }
    return result;
}

static eddy_result read_gate(level_loader *loader) {
    world_gate made = {.x = middle_x(loader),
                       .y = middle_y(loader),
                       .half_w = width_here(loader) / 2,
                       .half_h = height_here(loader) / 2};
    eddy_result result = level_get_lever(loader, &made.lever);
    if (!result && !made.lever) {
        result = level_fail(loader, EDDY_E_FORMAT, "expected an object property \"lever\", found none: what opens it?");
    }
    return result ? result : add(loader, WORLD_GATE, &made, false, NULL);
}

static eddy_result read_pan(level_loader *loader) {
    const eddy_vec2 *points = loader->here->points;
    float length = 96;
    bool immune = false;
    world_pan made = {.half_h = LEVEL_PAN_HALF_H, .period = 240};
    eddy_result result = level_get_number(loader, "length", 8, 1024, &length);
    if (!result) {
        result = level_get_count(loader, "period", 0, PERIOD_MAX, &made.period);
    }
    if (!result) {
        result = level_get_count(loader, "phase", 0, PERIOD_MAX, &made.progress);
    }
    if (!result) {
        result = level_get_lever(loader, &made.lever);
    }
    if (!result) {
        result = level_get_bool(loader, "immune", &immune);
    }
    /* The line is that of the feet: the pan hangs below it. */
    made.half_w = length / 2;
    made.from_x = loader->here_x + points[0].x;
    made.from_y = loader->here_y + points[0].y + LEVEL_PAN_HALF_H;
    made.to_x = loader->here_x + points[1].x;
    made.to_y = loader->here_y + points[1].y + LEVEL_PAN_HALF_H;
    return result ? result : add(loader, WORLD_PAN, &made, immune, NULL);
}

static eddy_result add_wheel(level_loader *loader, const world_wheel *made, float length, bool immune) {
    eddy_id wheel = 0;
    eddy_result result = add(loader, WORLD_WHEEL, made, immune, &wheel);
    for (uint32_t i = 0; !result && i < made->pans; i++) {
        world_pan pan = {.half_w = length / 2, .half_h = LEVEL_PAN_HALF_H, .wheel = wheel, .index = i};
        result = add(loader, WORLD_PAN, &pan, immune, NULL);
    }
    return result;
}

static eddy_result read_wheel(level_loader *loader) {
    float length = 96;
    bool immune = false, backward = false;
    world_wheel made = {.x = middle_x(loader),
                        .y = middle_y(loader),
                        .radius = width_here(loader) / 2,
                        .pans = 4,
                        .period = 900,
                        .direction = 1};
    eddy_result result = level_get_number(loader, "length", 8, 1024, &length);
    if (!result) {
        result = level_get_count(loader, "pans", 1, 64, &made.pans);
    }
    if (!result) {
        result = level_get_count(loader, "period", 2, PERIOD_MAX, &made.period);
    }
    if (!result) {
        result = level_get_count(loader, "phase", 0, PERIOD_MAX, &made.progress);
    }
    if (!result) {
        result = level_get_bool(loader, "backward", &backward);
    }
    if (!result) {
        result = level_get_lever(loader, &made.lever);
    }
    if (!result) {
        result = level_get_bool(loader, "immune", &immune);
    }
    made.direction = backward ? -1 : 1;
    return result ? result : add_wheel(loader, &made, length, immune);
}

static eddy_result read_nettle(level_loader *loader) {
    world_nettle made = {middle_x(loader), middle_y(loader), width_here(loader) / 2, height_here(loader) / 2};
    return add(loader, WORLD_NETTLE, &made, false, NULL);
}

static eddy_result read_exit(level_loader *loader) {
    world_exit made = {middle_x(loader), middle_y(loader), width_here(loader) / 2, height_here(loader) / 2};
    return add(loader, WORLD_EXIT, &made, false, NULL);
}

static eddy_result read_emitter(level_loader *loader) {
    world_emitter made = {.x = middle_x(loader),
                          .y = middle_y(loader),
                          .half_w = width_here(loader) / 2,
                          .half_h = height_here(loader) / 2,
                          .count = 24,
                          .seed = loader->here->id,
                          .kind = PARTICLE_EMBERS};
    eddy_result result = level_get_name(loader, "kind", world_particle_kind_names, PARTICLE_KIND_COUNT, &made.kind);
    if (!result) {
        result = level_get_count(loader, "count", 1, 20000, &made.count);
    }
    if (!result) {
        result = level_get_count(loader, "seed", 0, UINT32_MAX, &made.seed);
    }
    return result ? result : add(loader, WORLD_EMITTER, &made, false, NULL);
}

static eddy_result read_scenery(level_loader *loader) {
    bool flip = false;
    world_scenery made = {.x = middle_x(loader), .y = standing_y(loader, 0), .scale = 1};
    eddy_result result = level_get_text(loader, "kind", made.kind, sizeof made.kind);
    if (!result && !made.kind[0]) {
        result = level_fail(loader, EDDY_E_FORMAT, "expected a property \"kind\" that names a drawing, found none");
    }
    if (!result) {
        result = level_get_number(loader, "scale", 0.05, 20, &made.scale);
    }
    if (!result) {
        result = level_get_number(loader, "depth", -10, 10, &made.depth);
    }
    if (!result) {
        result = level_get_bool(loader, "flip", &flip);
    }
    made.flip = flip;
    return result ? result : add(loader, WORLD_SCENERY, &made, false, NULL);
}

static eddy_result read_hint(level_loader *loader) {
    world_hint made = {.x = middle_x(loader),
                       .y = middle_y(loader),
                       .half_w = width_here(loader) / 2,
                       .half_h = height_here(loader) / 2};
    eddy_result result = level_get_text(loader, "text", made.text, sizeof made.text);
    if (!result && !made.text[0]) {
        result = level_fail(loader, EDDY_E_FORMAT, "expected a property \"text\", found none");
    }
    return result ? result : add(loader, WORLD_HINT, &made, false, NULL);
}

static const level_kind level_kinds[] = {
    {"moth", LEVEL_SPOT, "", read_moth},
    {"kettle", LEVEL_SPOT, " left ", read_kettle},
    {"wick", LEVEL_MIDDLE, "", read_wick},
    {"lever", LEVEL_SPOT, " mode hold on ", read_lever},
    {"gate", LEVEL_BOX, " lever ", read_gate},
    {"pan", LEVEL_LINE, " length period phase lever immune ", read_pan},
    {"wheel", LEVEL_DISC, " pans length period phase backward lever immune ", read_wheel},
    {"nettle", LEVEL_BOX, "", read_nettle},
    {"exit", LEVEL_BOX, "", read_exit},
    {"emitter", LEVEL_BOX, " kind count seed ", read_emitter},
    {"scenery", LEVEL_SPOT, " kind scale depth flip ", read_scenery},
    {"hint", LEVEL_BOX, " text ", read_hint},
};
#define KIND_COUNT (sizeof level_kinds / sizeof level_kinds[0])

const level_kind *level_kind_find(const char *name) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(level_kinds[i].name, name) == 0) {
            return &level_kinds[i];
        }
    }
    return NULL;
}

void level_kind_list(char *out, size_t out_bytes) {
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < KIND_COUNT && used < out_bytes; i++) {
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", i ? ", " : "", level_kinds[i].name);
    }
}
