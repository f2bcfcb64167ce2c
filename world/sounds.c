/* Sound entities: made by rules, moved on by the game's clock, gone when their length and a tenth are over. Nothing
 * here plays anything. */
#include "inside.h"

#include <string.h>

#define FRAME_SAMPLES ((double)EDDY_SOUND_RATE / WORLD_RATE)
#define EARSHOT 1.15f /* a loop begins this far out, in ranges: before it can be heard */
#define EARSHOT_END 1.3f

void sounds_step(store *s) {
    const store_list *sounds = &s->by_type[WORLD_SOUND];
    for (uint32_t i = sounds->count; i-- > 0;) {
        eddy_sound *sound = store_data(sounds, i);
        eddy_sound_step(sound, FRAME_SAMPLES, 1);
        if (eddy_sound_over(sound))
            store_remove(s, sounds->entities[i].id);
    }
}

/* When all places are taken the oldest sound that plays once gives way; loops stay. */
static bool sounds_make_room(store *s) {
    const store_list *sounds = &s->by_type[WORLD_SOUND];
    if (sounds->count < WORLD_SOUNDS_MAX)
        return true;
    for (uint32_t i = 0; i < sounds->count; i++) {
        const eddy_sound *sound = store_data(sounds, i);
        if (sound->repeat != EDDY_SOUND_ONCE)
            continue;
        store_remove(s, sounds->entities[i].id);
        return true;
    }
    return false;
}

static eddy_sound *sound_make(world *w, const world_sound_def *def, bool immune, float x, float y, float pitch) {
    if (def->key[0] == 0 || !sounds_make_room(immune ? &w->immune : &w->now))
        return NULL;
    eddy_sound *sound = inside_birth(w, WORLD_SOUND, immune, NULL);
    if (!sound)
        return NULL;
    sound->length = def->length;
    sound->x = x;
    sound->y = y;
    sound->range = def->range;
    sound->gain = def->gain;
    sound->pitch = pitch;
    memcpy(sound->asset, def->key, sizeof sound->asset);
    sound->place = def->range > 0 ? EDDY_SOUND_AT : EDDY_SOUND_HERE;
    sound->repeat = def->repeat;
    sound->category = def->category;
    sound->priority = def->priority;
    return sound;
}

void sounds_play(world *w, world_cue cue, float x, float y, float pitch) {
    eddy_sound *sound = sound_make(w, &w->cue_defs[cue], false, x, y, pitch);
    if (sound)
        sound->repeat = EDDY_SOUND_ONCE;
}

void sounds_begin(world *w, const world_sound_def *def) {
    eddy_sound *sound = sound_make(w, def, false, 0, 0, 1);
    if (sound)
        sound->place = EDDY_SOUND_HERE;
}

/* ---- loops of things that move ---- */

/* The loop that an entity makes now, or CUE_COUNT; and where it is. */
static world_cue loop_of(const world *w, const eddy_entity *entity, eddy_vec2 *place) {
    switch (entity->type) {
    case WORLD_KETTLE: {
        const world_kettle *kettle = entity->data;
        *place = (eddy_vec2){kettle->x, kettle->y};
        return kettle->state == KETTLE_WALK ? CUE_KETTLE : CUE_COUNT;
    }
    case WORLD_PAN: {
        const world_pan *pan = entity->data;
        *place = (eddy_vec2){pan->x, pan->y};
        return pan->wheel == 0 && pan->moving && pan->period > 0 ? CUE_PAN : CUE_COUNT;
    }
    case WORLD_WHEEL: {
        const world_wheel *wheel = entity->data;
        *place = (eddy_vec2){wheel->x, wheel->y};
        return lever_runs(w, wheel->lever) && wheel->period > 0 ? CUE_WHEEL : CUE_COUNT;
    }
    default:
        return CUE_COUNT;
    }
}

static bool within(const world *w, eddy_vec2 place, float reach) {
    const world_game *game = inside_game(w);
    float dx = place.x - game->camera_x, dy = place.y - game->camera_y;
    return dx * dx + dy * dy <= reach * reach;
}

/* Follows the emitter of one sound. False: the sound is to go. */
static bool sound_follow(const world *w, eddy_sound *sound) {
    const eddy_entity *emitter = store_find(inside_store(w, sound->emitter), sound->emitter);
    eddy_vec2 place;
    bool once = sound->repeat == EDDY_SOUND_ONCE;
    world_cue cue = emitter ? loop_of(w, emitter, &place) : CUE_COUNT;
    if (cue == CUE_COUNT) {
        sound->emitter = 0; /* it stays where it was, to its end */
        return once;
    }
    sound->x = place.x;
    sound->y = place.y;
    return once || sound->range == 0 || within(w, place, sound->range * EARSHOT_END);
}

static bool has_loop(const store *s, eddy_id emitter) {
    const store_list *sounds = &s->by_type[WORLD_SOUND];
    for (uint32_t i = 0; i < sounds->count; i++)
        if (((const eddy_sound *)sounds->entities[i].data)->emitter == emitter)
            return true;
    return false;
}

static void loops_begin(world *w, bool immune, world_type type) {
    store *s = immune ? &w->immune : &w->now;
    const store_list *emitters = &s->by_type[type];
    for (uint32_t i = 0; i < emitters->count; i++) {
        eddy_vec2 place;
        world_cue cue = loop_of(w, &emitters->entities[i], &place);
        if (cue == CUE_COUNT)
            continue;
        const world_sound_def *def = &w->cue_defs[cue];
        eddy_id id = emitters->entities[i].id;
        if ((def->range > 0 && !within(w, place, def->range * EARSHOT)) || has_loop(s, id))
            continue;
        /* a little out of tune with its neighbours, by id: no draw */
        float pitch = 0.97f + 0.06f * random_unit(random_hash(inside_level(w)->seed, id));
        eddy_sound *sound = sound_make(w, def, immune, place.x, place.y, pitch);
        if (sound) {
            sound->emitter = id;
            sound->repeat = EDDY_SOUND_LOOP;
        }
    }
}

void sounds_follow(world *w, bool immune) {
    store *s = immune ? &w->immune : &w->now;
    const store_list *sounds = &s->by_type[WORLD_SOUND];
    for (uint32_t i = sounds->count; i-- > 0;) {
        eddy_sound *sound = store_data(sounds, i);
        if (sound->emitter && !sound_follow(w, sound))
            store_remove(s, sounds->entities[i].id);
    }
    loops_begin(w, immune, WORLD_KETTLE);
    loops_begin(w, immune, WORLD_PAN);
    loops_begin(w, immune, WORLD_WHEEL);
}
