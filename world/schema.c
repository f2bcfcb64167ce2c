/* The schema: one row of WORLD_TYPES a type, checked against its struct by the build; the journal last. */
#include "world.h"

#include <threads.h>

/* Boxes share one table; their structs are distinct types with the same members. */
#define TABLE(NUMBER, name, S, ROWS) EDDY_FIELDS(S, ROWS);
WORLD_TYPES(TABLE)
#undef TABLE

/* The default-constructed entities: what base frames are written against. Zero where nothing is usual. */
static const world_moth moth_default = {.facing = 1, .on_ground = 1, .coyote = 6, .land_frames = 12};
static const world_kettle kettle_default = {.facing = 1, .on_ground = 1};
static const world_pan pan_default = {.half_w = 48, .half_h = 6, .moving = 1};
static const world_wheel wheel_default = {.direction = 1};
static const eddy_sound sound_default = {.gain = 1, .pitch = 1};

static const void *default_of(world_type type) {
    switch (type) {
    case WORLD_MOTH:
        return &moth_default;
    case WORLD_KETTLE:
        return &kettle_default;
    case WORLD_PAN:
        return &pan_default;
    case WORLD_WHEEL:
        return &wheel_default;
    case WORLD_SOUND:
        return &sound_default;
    default:
        return NULL;
    }
}

static eddy_type types[WORLD_TYPE_COUNT];
static const eddy_schema schema = {.types = types, .type_count = WORLD_TYPE_COUNT};

static void types_fill(void) {
#define TYPE(NUMBER, text, S, ROWS)                                                                                    \
    types[WORLD_##NUMBER] = (eddy_type)EDDY_TYPE(S, default_of(WORLD_##NUMBER));                                       \
    types[WORLD_##NUMBER].name = #text;
    WORLD_TYPES(TYPE)
#undef TYPE
    types[WORLD_JOURNAL] = eddy_journal_type;
}

const eddy_schema *world_schema(void) {
    static once_flag filled = ONCE_FLAG_INIT;
    call_once(&filled, types_fill);
    return &schema;
}
