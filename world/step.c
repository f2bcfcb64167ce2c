/* One step, from its buttons to the next frame; and how a world shows itself. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

/* What immune entities do on every tick, whatever the rewindable world does. */
static void immune_step(world *w) {
    world_clock *clock = inside_clock(w);
    if (!clock)
        return;
    clock->tick++;
    sounds_step(&w->immune);
    wheels_step(w, &w->immune);
    pans_step(w, &w->immune, w->immune_motions);
}

void world_step(world *w, world_input input) {
    world_game *game = inside_game(w);
    if (game->stopped)
        return;
    w->playing = true;
    game->frame++;
    sounds_step(&w->now);
    bursts_step(w);

    /* what carries and bars, first: actors then meet it where it is */
    levers_step(w);
    immune_step(w);
    wheels_step(w, &w->now);
    pans_step(w, &w->now, w->motions);
    gates_step(w);

    /* who moves */
    kettles_step(w);
    moth_step(w, input);

    /* who meets whom */
    if (game->outcome == WORLD_GOING_ON) {
        kettles_touch(w);
        wicks_touch(w);
        nettles_touch(w);
        exit_touch(w);
    }

    /* who looks and listens */
    camera_step(w);
    sounds_follow(w, false);
    sounds_follow(w, true);
    w->playing = false;
}

void world_step_immune(world *w) {
    w->playing = false;
    immune_step(w);
    sounds_follow(w, true);
}

void *inside_birth(world *w, world_type type, bool immune, eddy_id *id) {
    uint32_t *next_id = immune ? &inside_clock(w)->next_id : &inside_game(w)->next_id;
    const uint32_t end = immune ? UINT32_MAX : EDDY_ID_IMMUNE;
    if (*next_id >= end)
        return NULL; /* all ids of a line are used up: after 2^31 births nothing more is born */
    void *state = store_add(immune ? &w->immune : &w->now, *next_id, type);
    if (!state)
        return NULL;
    if (id)
        *id = *next_id;
    ++*next_id;
    return state;
}

static eddy_view view_of(const store *s) {
    return (eddy_view){.entities = s->all.entities, .count = s->all.count};
}

eddy_view world_view(const world *w) {
    return view_of(&w->now);
}

eddy_view world_constants(const world *w) {
    return view_of(&w->constants);
}

eddy_view world_immune(const world *w) {
    return view_of(&w->immune);
}

const world_game *world_game_of(const world *w) {
    return inside_game(w);
}

const world_moth *world_moth_of(const world *w) {
    return inside_moth(w);
}

const world_level *world_level_of(const world *w) {
    return inside_level(w);
}

bool world_stopped(const world *w) {
    return inside_game(w)->stopped;
}

uint16_t world_button(const char *name) {
#define WORLD_BUTTON(NAME, text, bit)                                                                                  \
    if (strcmp(name, text) == 0)                                                                                       \
        return BUTTON_##NAME;
#include "buttons.inl"
#undef WORLD_BUTTON
    return 0;
}

const char *world_button_names(void) {
    static const char names[] =
#define WORLD_BUTTON(NAME, text, bit) " " text
#include "buttons.inl"
#undef WORLD_BUTTON
        ;
    return names + 1; /* the first blank stands before them */
}

void world_destroy(world *w) {
    free(w ? w->memory : NULL);
}
