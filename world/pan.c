/* Pans and wheels. A pan's place is closed form in the frames it has moved, so it never drifts, and whole units, so a
 * rider's place on it never does either. */
#include "collide.h"
#include "trig.h"

bool lever_runs(const world *w, eddy_id lever) {
    if (lever == 0)
        return true;
    const world_lever *found = inside_get(w, lever, WORLD_LEVER);
    return found && found->on;
}

/* The clock that stamps in this store count on, after this step. */
static uint32_t clock_of(const world *w, const store *s) {
    const world_clock *clock = inside_clock(w);
    return s == &w->immune ? (clock ? clock->tick : 0) : inside_game(w)->frame;
}

void wheels_step(world *w, store *s) {
    const store_list *wheels = &s->by_type[WORLD_WHEEL];
    for (uint32_t i = 0; i < wheels->count; i++) {
        world_wheel *wheel = store_data(wheels, i);
        if (lever_runs(w, wheel->lever))
            wheel->progress++;
    }
}

/* There and back along the line in one period, slow at the ends. */
static eddy_vec2 place_on_line(const world_pan *pan, uint32_t progress) {
    if (pan->period == 0)
        return (eddy_vec2){pan->from_x, pan->from_y};
    float t = 2 * (float)(progress % pan->period) / (float)pan->period;
    t = t > 1 ? 2 - t : t;
    float s = t * t * (3 - 2 * t);
    return (eddy_vec2){pan->from_x + (pan->to_x - pan->from_x) * s, pan->from_y + (pan->to_y - pan->from_y) * s};
}

/* From the top of the wheel, clockwise for direction 1. */
static eddy_vec2 place_on_wheel(const world_pan *pan, const world_wheel *wheel) {
    float turn = wheel->period ? (float)(wheel->progress % wheel->period) / (float)wheel->period : 0;
    turn = turn * (float)wheel->direction + (wheel->pans ? (float)pan->index / (float)wheel->pans : 0);
    return (eddy_vec2){wheel->x + wheel->radius * trig_sin_turns(turn),
                       wheel->y - wheel->radius * trig_cos_turns(turn)};
}

static eddy_vec2 pan_place(const world *w, const world_pan *pan, uint32_t now) {
    const world_wheel *wheel = pan->wheel ? inside_get(w, pan->wheel, WORLD_WHEEL) : NULL;
    return wheel ? place_on_wheel(pan, wheel)
                 : place_on_line(pan, pan->progress + (pan->moving ? now - pan->since : 0));
}

/* Starts or stops a pan whose lever changed: what it has moved is kept, `since` is the frame before this one. */
static void pan_obey(const world *w, world_pan *pan, uint32_t now) {
    bool runs = lever_runs(w, pan->lever);
    if (pan->wheel || runs == (bool)pan->moving)
        return;
    if (pan->moving)
        pan->progress += now - 1 - pan->since;
    pan->since = now - 1;
    pan->moving = runs;
}

/* Carries one actor that has the pan as its support: as far as walls let it, never into them. */
static void rider_carry(const world *w, box pan_was, pan_motion by, box b, float *x, float *y, eddy_id *support) {
    if (b.bottom != pan_was.top || !box_over(b, pan_was)) {
        *support = 0; /* it stands elsewhere by now: an immune pan went on during a rewind */
        return;
    }
    int32_t dx = collide_reach_x(w, b, by.dx);
    int32_t dy = collide_reach_y(w, box_moved(b, dx, 0), by.dy, NULL);
    *x = units_to_px(units_from_px(*x) + dx);
    *y = units_to_px(units_from_px(*y) + dy);
    if (dy != by.dy)
        *support = 0; /* a ceiling: the pan goes on through; a floor: it stands there now */
}

static void riders_carry(world *w, eddy_id pan, box pan_was, pan_motion by) {
    world_moth *moth = inside_moth(w);
    if (moth->support == pan)
        rider_carry(w, pan_was, by, moth_box(moth), &moth->x, &moth->y, &moth->support);
    const store_list *kettles = &w->now.by_type[WORLD_KETTLE];
    for (uint32_t i = 0; i < kettles->count; i++) {
        world_kettle *kettle = store_data(kettles, i);
        if (kettle->support == pan)
            rider_carry(w, pan_was, by, kettle_box(kettle), &kettle->x, &kettle->y, &kettle->support);
    }
}

void pans_step(world *w, store *s, pan_motion *motions) {
    uint32_t now = clock_of(w, s);
    const store_list *pans = &s->by_type[WORLD_PAN];
    for (uint32_t i = 0; i < pans->count; i++) {
        world_pan *pan = store_data(pans, i);
        pan_obey(w, pan, now);
        box was = box_of(pan->x, pan->y, pan->half_w, pan->half_h);
        eddy_vec2 place = pan_place(w, pan, now);
        int32_t x = units_from_px(place.x), y = units_from_px(place.y);
        motions[i].dx = x - units_from_px(pan->x);
        motions[i].dy = y - units_from_px(pan->y);
        motions[i].at = box_moved(was, motions[i].dx, motions[i].dy);
        pan->x = units_to_px(x);
        pan->y = units_to_px(y);
        if (w->playing)
            riders_carry(w, pans->entities[i].id, was, motions[i]);
    }
}

void pans_place(world *w, store *s) {
    uint32_t now = clock_of(w, s);
    const store_list *pans = &s->by_type[WORLD_PAN];
    for (uint32_t i = 0; i < pans->count; i++) {
        world_pan *pan = store_data(pans, i);
        eddy_vec2 place = pan_place(w, pan, now);
        pan->x = units_to_px(units_from_px(place.x));
        pan->y = units_to_px(units_from_px(place.y));
    }
}

void pans_rest(const store *s, pan_motion *motions) {
    const store_list *pans = &s->by_type[WORLD_PAN];
    for (uint32_t i = 0; i < pans->count; i++) {
        const world_pan *pan = store_data(pans, i);
        motions[i] = (pan_motion){.at = box_of(pan->x, pan->y, pan->half_w, pan->half_h)};
    }
}

pan_motion pan_motion_of(const world *w, eddy_id pan) {
    const pan_motion *motions = pan & EDDY_ID_IMMUNE ? w->immune_motions : w->motions;
    const store_list *pans = &inside_store(w, pan)->by_type[WORLD_PAN];
    for (uint32_t i = 0; i < pans->count; i++)
        if (pans->entities[i].id == pan)
            return motions[i];
    return (pan_motion){.dx = 0};
}
