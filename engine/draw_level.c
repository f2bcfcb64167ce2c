/* The constants of a level by type. They are gathered anew for each picture: the pointers belong to the world. */
#include "draw_parts.h"

#include <stdlib.h>
#include <string.h>

static bool push(void *list, uint32_t *count, uint32_t *room, const void *item) {
    const void ***items = list;
    if (*count == *room) {
        uint32_t wanted = *room ? *room * 2 : 64;
        const void **grown = realloc((void *)*items, wanted * sizeof *grown);
        if (!grown) {
            return false;
        }
        *items = grown;
        *room = wanted;
    }
    (*items)[(*count)++] = item;
    return true;
}

static uint64_t mix_key(uint64_t key, const void *data, size_t bytes) {
    const uint8_t *byte = data;
    for (; bytes >= 8; bytes -= 8, byte += 8) {
        uint64_t word;
        memcpy(&word, byte, 8);
        key = (key ^ word) * 0x9e3779b97f4a7c15u;
        key ^= key >> 29;
    }
    return key;
}

/* Insertion: a level's scenery is few and mostly in order. Stable, so that equals keep the level's order. */
static void sort_scenery(draw_level *level) {
    for (uint32_t i = 1; i < level->scenery_count; i++) {
        const world_scenery *moved = level->scenery[i];
        uint32_t at = i;
        for (; at > 0 && level->scenery[at - 1]->depth > moved->depth; at--) {
            level->scenery[at] = level->scenery[at - 1];
        }
        level->scenery[at] = moved;
    }
}

static bool take(draw_level *level, const eddy_entity *entity) {
    const void *data = entity->data;
    switch (entity->type) {
    case WORLD_LEVEL:
        level->level = data;
        level->key = mix_key(level->key, data, sizeof *level->level);
        return true;
    case WORLD_SOLID:
        level->key = mix_key(level->key, data, sizeof(world_solid));
        return true;
    case WORLD_SCENERY:
        return push(&level->scenery, &level->scenery_count, &level->scenery_room, data);
    case WORLD_NETTLE:
        return push(&level->nettles, &level->nettle_count, &level->nettle_room, data);
    case WORLD_EXIT:
        return push(&level->exits, &level->exit_count, &level->exit_room, data);
    case WORLD_EMITTER:
        return push(&level->emitters, &level->emitter_count, &level->emitter_room, data);
    case WORLD_HINT:
        return push(&level->hints, &level->hint_count, &level->hint_room, data);
    default:
        return true;
    }
}

bool draw_level_index(draw_level *level, const world *shown) {
    level->scenery_count = level->nettle_count = level->exit_count = level->emitter_count = level->hint_count = 0;
    level->key = 1;
    level->level = NULL;
    eddy_view constants = world_constants(shown);
    bool whole = true;
    for (uint32_t i = 0; i < constants.count; i++) {
        whole = take(level, &constants.entities[i]) && whole;
    }
    if (!level->level) {
        level->level = world_level_of(shown);
        level->key = mix_key(level->key, level->level, sizeof *level->level);
    }
    sort_scenery(level);
    return whole;
}

void draw_level_free(draw_level *level) {
    free((void *)level->scenery);
    free((void *)level->nettles);
    free((void *)level->exits);
    free((void *)level->emitters);
    free((void *)level->hints);
    *level = (draw_level){0};
}
