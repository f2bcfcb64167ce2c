/* The inside of a world and what its parts offer each other. Private to world/. */
#ifndef EDDY_WORLD_INSIDE_H
#define EDDY_WORLD_INSIDE_H

#include "random.h"
#include "store.h"
#include "units.h"
#include "world.h"

#define WORLD_SOUNDS_MAX 64 /**< alive, rewindable; as many again immune */
#define WORLD_BURSTS_MAX 64

typedef enum world_cue {
#define WORLD_CUE(NAME, key) CUE_##NAME,
#include "cues.inl"
#undef WORLD_CUE
    CUE_COUNT
} world_cue;

/** Where a pan is, and how far it moved in this step. Derived: worth nothing when the step is over. */
typedef struct pan_motion {
    box at;
    int32_t dx, dy;
} pan_motion;

struct world {
    store now, spare;           /* the rewindable entities; a restore fills `spare`, then swaps */
    store immune, immune_spare; /* those that live on ticks */
    store constants;
    world_sound_def cue_defs[CUE_COUNT]; /* copied from the catalog; key "" is silence */
    /* derived */
    uint8_t *solid; /* width * height tiles, row-major */
    int32_t width, height;
    /* of this step, in the order of the lists of pans */
    pan_motion *motions, *immune_motions;
    bool playing; /* world_step, not world_step_immune: rewindable entities may be written */
    void *memory; /* everything above in one block */
};

static inline world_game *inside_game(const world *w) {
    return store_data(&w->now.by_type[WORLD_GAME], 0);
}
static inline world_moth *inside_moth(const world *w) {
    return store_data(&w->now.by_type[WORLD_MOTH], 0);
}
static inline const world_level *inside_level(const world *w) {
    return store_data(&w->constants.by_type[WORLD_LEVEL], 0);
}
/** The clock of the immune, or NULL when the level has none. */
static inline world_clock *inside_clock(const world *w) {
    return w->immune.by_type[WORLD_CLOCK].count ? store_data(&w->immune.by_type[WORLD_CLOCK], 0) : NULL;
}
/** The store that holds an id's entity while it lives. */
static inline const store *inside_store(const world *w, eddy_id id) {
    return id & EDDY_ID_IMMUNE ? &w->immune : &w->now;
}
/** An entity of either kind of time, or NULL. */
static inline void *inside_get(const world *w, eddy_id id, world_type type) {
    return store_get(inside_store(w, id), id, type);
}
/** The next random number; the counter is recorded. */
static inline uint32_t inside_draw(world *w) {
    return random_hash(inside_level(w)->seed, inside_game(w)->draws++);
}
/** A newborn in the rewindable world (or the immune one), default-constructed; NULL when there is no room. */
void *inside_birth(world *w, world_type type, bool immune, eddy_id *id);

/* pan.c: pans and wheels. Each steps the entities of one store; riders go along while world->playing. */
void wheels_step(world *w, store *s);
void pans_step(world *w, store *s, pan_motion *motions);
/** Puts every pan where its clock says, without moving riders: at load. */
void pans_place(world *w, store *s);
/** Makes `motions` fit pans that have not moved: at load and after a restore. */
void pans_rest(const store *s, pan_motion *motions);
/** Whether what hangs on this lever runs: no lever, or one that is on. */
bool lever_runs(const world *w, eddy_id lever);
/** How far the pan moved in this step; zero for anything else. */
pan_motion pan_motion_of(const world *w, eddy_id pan);

/* kettle.c */
box kettle_box(const world_kettle *kettle);
void kettles_step(world *w);
/** Moth and kettles that touch: a stomp, or death. */
void kettles_touch(world *w);

/* moth.c */
void moth_step(world *w, world_input input);
/** Touching something deadly: begins dying, unless the outcome is decided. */
void moth_die(world *w);
box moth_box(const world_moth *moth);

/* things.c */
void levers_step(world *w);
/** Pulls the lever in reach, if any. */
void levers_pull(world *w);
void gates_step(world *w);
box gate_box(const world_gate *gate);
void wicks_touch(world *w);
void nettles_touch(world *w);
void exit_touch(world *w);

/* sounds.c */
/** One frame of the clocks of one store's sounds; those that are over go. */
void sounds_step(store *s);
/** Takes the places of emitters; begins and ends the loops of what moves within earshot. */
void sounds_follow(world *w, bool immune);
/** Makes a sound that plays once at a place, px. */
void sounds_play(world *w, world_cue cue, float x, float y, float pitch);
/** Makes the loop that a level has from frame 0. */
void sounds_begin(world *w, const world_sound_def *def);

/* particles.c */
void bursts_step(world *w);
void bursts_make(world *w, world_particle_kind kind, float x, float y, float vx, float vy);

/* camera.c */
void camera_step(world *w);
/** Where it would come to rest: at load. */
void camera_place(world *w);

/* take.c */
/** Checks what the schema cannot: counts, ids, references between these entities and the others. */
eddy_result take_check(const world *w, const eddy_view *view, bool immune, eddy_error *error);

#endif
