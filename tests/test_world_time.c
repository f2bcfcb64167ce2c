/* What a world owes the recorder: a frame that is taken back is that frame, and leads where it led before. */
#include "suite.h"
#include "world_stage.h"

#include "world/collide.h"
#include "world/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUN_FRAMES = 600 };

/* A played run: every frame as it was, and its hash. */
typedef struct played {
    stage_copy frames[RUN_FRAMES + 1];
    uint64_t hashes[RUN_FRAMES + 1];
    uint32_t seed;
} played;

static void play_step(world *w, uint32_t seed, uint32_t frame) {
    stage_run(w, 1, stage_random_buttons(seed, frame));
}

static played *play(world *w, uint32_t seed) {
    played *run = calloc(1, sizeof *run);
    run->seed = seed;
    for (uint32_t frame = 0; frame <= RUN_FRAMES; frame++) {
        if (frame > 0)
            play_step(w, seed, frame);
        run->frames[frame] = stage_copy_of(world_view(w));
        run->hashes[frame] = stage_hash(w);
    }
    return run;
}

static void played_free(played *run) {
    for (uint32_t frame = 0; frame <= RUN_FRAMES; frame++)
        stage_copy_free(&run->frames[frame]);
    free(run);
}

/* Takes frame `from` and plays the same buttons for up to `count` frames: each must be what it was. */
static void replay(world *w, const played *run, uint32_t from, uint32_t count) {
    stage_take(w, &run->frames[from]);
    stage_same("taken", from, run->frames[from].view, world_view(w));
    for (uint32_t frame = from + 1; frame <= RUN_FRAMES && frame <= from + count; frame++) {
        play_step(w, run->seed, frame);
        if (stage_hash(w) != run->hashes[frame])
            stage_same("replayed", frame, run->frames[frame].view, world_view(w));
    }
}

/* ---- taking ---- */

START_TEST(taking_its_own_view_changes_nothing) {
    world *w = stage_everything(3, true);
    for (uint32_t frame = 1; frame <= 200; frame++) {
        play_step(w, 3, frame);
        stage_copy before = stage_copy_of(world_view(w)), immune = stage_copy_of(world_immune(w));
        eddy_view own = world_view(w), own_immune = world_immune(w);
        eddy_error error = {0};
        ck_assert_msg(world_take(w, &own, &error) == EDDY_OK, "%s", error.text);
        ck_assert_msg(world_take_immune(w, &own_immune, &error) == EDDY_OK, "%s", error.text);
        stage_same("own view", frame, before.view, world_view(w));
        stage_same("own immune view", frame, immune.view, world_immune(w));
        stage_copy_free(&before);
        stage_copy_free(&immune);
    }
    world_destroy(w);
}
END_TEST

START_TEST(every_frame_leads_where_it_led) {
    for (uint32_t seed = 1; seed <= 2; seed++) {
        world *w = stage_everything(seed, false);
        played *run = play(w, seed);
        for (uint32_t from = 0; from <= RUN_FRAMES; from++)
            replay(w, run, from, 20);
        for (uint32_t from = 0; from <= RUN_FRAMES; from += 97)
            replay(w, run, from, RUN_FRAMES);
        world_destroy(w);
        /* and in a world that was just loaded */
        w = stage_everything(seed, false);
        for (uint32_t from = RUN_FRAMES; from > 60; from -= 60)
            replay(w, run, from, 60);
        world_destroy(w);
        played_free(run);
    }
}
END_TEST

START_TEST(taking_a_thousand_times_is_taking_once) {
    world *w = stage_everything(2, false);
    played *run = play(w, 2);
    for (uint32_t n = 0; n < 1000; n++) {
        uint32_t frame = n * 7919 % (RUN_FRAMES + 1);
        stage_take(w, &run->frames[frame]);
        ck_assert_uint_eq(stage_hash(w), run->hashes[frame]);
    }
    world_destroy(w);
    played_free(run);
}
END_TEST

START_TEST(what_is_derived_fits_the_taken_frame) {
    world *w = stage_everything(2, false);
    stage_copy start = stage_copy_of(world_view(w));
    stage_run(w, 77, 0); /* the pans are elsewhere by now */
    stage_take(w, &start);
    eddy_view view = world_view(w);
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.entities[i].type != WORLD_PAN)
            continue;
        const world_pan *pan = view.entities[i].data;
        ck_assert(collide_ground_under(w, box_of(pan->x, pan->y - pan->half_h - 20, 10, 20)));
    }
    stage_copy_free(&start);
    world_destroy(w);
}
END_TEST

START_TEST(taking_fires_no_event) {
    /* Moth is put over a wick that is not taken, a kettle and nettles: only a step may notice */
    static const char *const rows[] = {"..........", "..........", ".@..*..k.^", "##########", NULL};
    world *w = stage_finish(stage_begin(rows, 1));
    stage_settle(w);
    stage_copy copy = stage_copy_of(world_view(w));
    world_moth *moth = stage_copy_state(&copy, world_game_of(w)->moth);
    const float places[] = {4.5f * 32, ((const world_kettle *)stage_first(w, WORLD_KETTLE))->x, 9.5f * 32};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        moth->x = places[i];
        stage_take(w, &copy);
        world_step_immune(w);
        stage_same("over a trigger", (uint32_t)i, copy.view, world_view(w));
        ck_assert_uint_eq(world_game_of(w)->wicks_taken, 0);
        ck_assert_int_eq(world_game_of(w)->outcome, WORLD_GOING_ON);
    }
    stage_copy_free(&copy);
    world_destroy(w);
}
END_TEST

START_TEST(rewinding_onto_a_bounce_adds_nothing) {
    static const char *const rows[] = {
        "........", "........", "........", "........", "........", "........", "...K....", "########", NULL,
    };
    world_build *build = stage_begin(rows, 0);
    world_build_moth(build, 112, 100);
    world *w = stage_finish(build);
    while (((const world_kettle *)stage_first(w, WORLD_KETTLE))->state == KETTLE_WALK)
        stage_run(w, 1, BUTTON_JUMP);
    stage_copy bounce = stage_copy_of(world_view(w));
    stage_run(w, 20, BUTTON_JUMP);
    stage_copy once = stage_copy_of(world_view(w));
    for (uint32_t n = 0; n < 200; n++) { /* back to the bounce, frozen there for a while, a frame on, back again */
        stage_take(w, &bounce);
        for (uint32_t tick = 0; tick < n % 5; tick++)
            world_step_immune(w);
        stage_run(w, n % 3, BUTTON_JUMP);
    }
    stage_take(w, &bounce);
    stage_run(w, 20, BUTTON_JUMP);
    stage_same("after 200 bounces", world_game_of(w)->frame, once.view, world_view(w));
    stage_copy_free(&bounce);
    stage_copy_free(&once);
    world_destroy(w);
}
END_TEST

START_TEST(grace_counters_come_back_as_they_were) {
    /* rewinding inside the coyote time again and again gives no later jump than the first time allowed */
    static const char *const rows[] = {"........", "........", ".@......", "####....", "........",
                                       "........", "........", "........", NULL};
    world *w = stage_world(rows);
    stage_settle(w);
    while (world_moth_of(w)->on_ground)
        stage_run(w, 1, BUTTON_RIGHT);
    stage_run(w, 4, BUTTON_RIGHT);
    stage_copy late = stage_copy_of(world_view(w));
    for (uint32_t n = 0; n < 20; n++) {
        stage_take(w, &late);
        stage_run(w, 2, BUTTON_RIGHT);
        stage_run(w, 1, BUTTON_RIGHT | BUTTON_JUMP);
        ck_assert_float_gt(world_moth_of(w)->vy, 0);
    }
    stage_take(w, &late);
    stage_run(w, 1, BUTTON_RIGHT);
    stage_run(w, 1, BUTTON_RIGHT | BUTTON_JUMP);
    ck_assert_float_lt(world_moth_of(w)->vy, 0);
    stage_copy_free(&late);
    world_destroy(w);
}
END_TEST

START_TEST(same_dice_after_a_rewind) {
    world *w = stage_everything(5, false);
    for (uint32_t frame = 1; frame <= 40; frame++)
        play_step(w, 5, frame);
    stage_copy at_40 = stage_copy_of(world_view(w));
    stage_run(w, 60, BUTTON_RIGHT);
    uint32_t draws = world_game_of(w)->draws;
    uint64_t hash = stage_hash(w);
    stage_take(w, &at_40);
    stage_run(w, 60, BUTTON_RIGHT);
    ck_assert_uint_eq(world_game_of(w)->draws, draws);
    ck_assert_uint_eq(stage_hash(w), hash);
    stage_copy_free(&at_40);
    world_destroy(w);
}
END_TEST

/* ---- refusing ---- */

typedef struct broken {
    const char *what;
    eddy_result result;
    void (*breaks)(stage_copy *copy, const world *w);
} broken;

static void *of_type(stage_copy *copy, world_type type) {
    for (uint32_t i = 0; i < copy->view.count; i++)
        if (copy->entities[i].type == type)
            return (void *)(uintptr_t)copy->entities[i].data;
    return NULL;
}
static eddy_entity *entry_of(stage_copy *copy, world_type type) {
    for (uint32_t i = 0; i < copy->view.count; i++)
        if (copy->entities[i].type == type)
            return &copy->entities[i];
    return NULL;
}
static void drop(stage_copy *copy, world_type type) {
    eddy_entity *entry = entry_of(copy, type);
    memmove(entry, entry + 1, (size_t)(copy->entities + copy->view.count - entry - 1) * sizeof *entry);
    copy->view.count--;
}

#define BREAKS(name, ...)                                                                                              \
    static void name(stage_copy *c, const world *w) {                                                                  \
        (void)w;                                                                                                       \
        __VA_ARGS__;                                                                                                   \
    }
BREAKS(no_game, drop(c, WORLD_GAME))
BREAKS(no_moth, drop(c, WORLD_MOTH))
BREAKS(nothing, c->view.count = 0)
BREAKS(game_of_no_moth, ((world_game *)of_type(c, WORLD_GAME))->moth = 1)
BREAKS(support_unknown, ((world_moth *)of_type(c, WORLD_MOTH))->support = 9999)
BREAKS(support_no_pan, ((world_moth *)of_type(c, WORLD_MOTH))->support = entry_of(c, WORLD_WICK)->id)
BREAKS(support_immune_unknown, ((world_moth *)of_type(c, WORLD_MOTH))->support = EDDY_ID_IMMUNE | 77)
BREAKS(kettle_support, ((world_kettle *)of_type(c, WORLD_KETTLE))->support = 1)
BREAKS(wheel_unknown, ((world_pan *)of_type(c, WORLD_PAN))->wheel = 3)
BREAKS(wheel_gone, drop(c, WORLD_WHEEL))
BREAKS(lever_gone, drop(c, WORLD_LEVER))
BREAKS(gate_lever, ((world_gate *)of_type(c, WORLD_GATE))->lever = 2)
BREAKS(emitter_unknown, ((eddy_sound *)of_type(c, WORLD_SOUND))->emitter = 4321)
BREAKS(next_id_low, ((world_game *)of_type(c, WORLD_GAME))->next_id = 5)
BREAKS(moth_nan, ((world_moth *)of_type(c, WORLD_MOTH))->x = NAN)
BREAKS(moth_far, ((world_moth *)of_type(c, WORLD_MOTH))->y = 1e9f)
BREAKS(moth_fast, ((world_moth *)of_type(c, WORLD_MOTH))->vx = INFINITY)
BREAKS(moth_state, ((world_moth *)of_type(c, WORLD_MOTH))->state = 200)
BREAKS(immune_id, c->entities[c->view.count - 1].id |= EDDY_ID_IMMUNE)
BREAKS(constant_type, entry_of(c, WORLD_WICK)->type = WORLD_NETTLE)
BREAKS(unknown_type, entry_of(c, WORLD_WICK)->type = 4000)
BREAKS(journal_type, entry_of(c, WORLD_WICK)->type = WORLD_JOURNAL)
BREAKS(twice, c->entities[3] = c->entities[2])
BREAKS(swapped, eddy_entity e = c->entities[3]; c->entities[3] = c->entities[4]; c->entities[4] = e)

static void too_many(stage_copy *c, const world *w) {
    (void)w;
    for (uint32_t i = 0; i < c->view.count; i++)
        if (c->entities[i].type == WORLD_WICK)
            c->entities[i] = (eddy_entity){c->entities[i].id, WORLD_KETTLE, of_type(c, WORLD_KETTLE)};
}

static const broken brokens[] = {
    {"no game", EDDY_E_ENTITY, no_game},
    {"no moth", EDDY_E_ENTITY, no_moth},
    {"no entity at all", EDDY_E_ENTITY, nothing},
    {"the game's moth is no moth", EDDY_E_ENTITY, game_of_no_moth},
    {"unknown support", EDDY_E_ENTITY, support_unknown},
    {"support is a wick", EDDY_E_ENTITY, support_no_pan},
    {"unknown immune support", EDDY_E_ENTITY, support_immune_unknown},
    {"a kettle's support is the game", EDDY_E_ENTITY, kettle_support},
    {"a pan's wheel is a kettle", EDDY_E_ENTITY, wheel_unknown},
    {"a pan's wheel is gone", EDDY_E_ENTITY, wheel_gone},
    {"a gate's lever is gone", EDDY_E_ENTITY, lever_gone},
    {"a gate's lever is the moth", EDDY_E_ENTITY, gate_lever},
    {"unknown emitter", EDDY_E_ENTITY, emitter_unknown},
    {"the id counter is behind", EDDY_E_VALUE, next_id_low},
    {"x is NaN", EDDY_E_VALUE, moth_nan},
    {"y is far out", EDDY_E_VALUE, moth_far},
    {"vx is infinite", EDDY_E_VALUE, moth_fast},
    {"unknown state", EDDY_E_VALUE, moth_state},
    {"an immune id", EDDY_E_ENTITY, immune_id},
    {"a constant", EDDY_E_ENTITY, constant_type},
    {"unknown type", EDDY_E_ENTITY, unknown_type},
    {"a journal", EDDY_E_ENTITY, journal_type},
    {"the same id twice", EDDY_E_ENTITY, twice},
    {"not in order", EDDY_E_ENTITY, swapped},
    {"more kettles than the level has", EDDY_E_LIMIT, too_many},
};

START_TEST(a_broken_frame_is_refused_and_changes_nothing) {
    const broken *row = &brokens[_i];
    world *w = stage_everything(1, false);
    stage_run(w, 30, BUTTON_RIGHT);
    stage_copy good = stage_copy_of(world_view(w)), bad = stage_copy_of(world_view(w));
    row->breaks(&bad, w);
    eddy_error error = {0};
    eddy_result result = world_take(w, &bad.view, &error);
    ck_assert_msg(result == row->result, "%s: %s (%s), expected %s", row->what, eddy_result_name(result), error.text,
                  eddy_result_name(row->result));
    ck_assert_msg(strlen(error.text) > 10, "%s: no text", row->what);
    stage_same(row->what, 30, good.view, world_view(w));
    stage_run(w, 10, BUTTON_RIGHT); /* and it plays on */
    stage_copy_free(&good);
    stage_copy_free(&bad);
    world_destroy(w);
}
END_TEST

/* ---- immune things ---- */

START_TEST(immune_entities_have_a_view_of_their_own) {
    world *w = stage_everything(4, true);
    stage_run(w, 30, BUTTON_RIGHT);
    eddy_view now = world_view(w), immune = world_immune(w);
    ck_assert_uint_gt(immune.count, 2);
    for (uint32_t i = 0; i < now.count; i++)
        ck_assert(!(now.entities[i].id & EDDY_ID_IMMUNE));
    for (uint32_t i = 0; i < immune.count; i++)
        ck_assert(immune.entities[i].id & EDDY_ID_IMMUNE);
    world_destroy(w);
    w = stage_everything(4, false);
    ck_assert_uint_eq(world_immune(w).count, 0);
    world_destroy(w);
}
END_TEST

START_TEST(immune_entities_step_on_ticks_and_touch_nothing_else) {
    world *w = stage_everything(4, true);
    stage_run(w, 30, BUTTON_RIGHT);
    stage_copy at_30 = stage_copy_of(world_view(w));
    uint64_t immune_hash = stage_immune_hash(w);
    for (uint32_t tick = 0; tick < 500; tick++) {
        world_step_immune(w);
        ck_assert_uint_ne(stage_immune_hash(w), immune_hash);
        immune_hash = stage_immune_hash(w);
        stage_same("immune step", 30, at_30.view, world_view(w));
    }
    /* a rewind leaves them alone */
    stage_take(w, &at_30);
    ck_assert_uint_eq(stage_immune_hash(w), immune_hash);
    stage_copy_free(&at_30);
    world_destroy(w);
}
END_TEST

START_TEST(an_immune_pan_goes_the_same_way_in_play_and_in_a_rewind) {
    world *played_world = stage_everything(4, true), *rewound = stage_everything(4, true);
    stage_run(played_world, 300, 0);
    for (uint32_t tick = 0; tick < 300; tick++)
        world_step_immune(rewound);
    eddy_view a = world_immune(played_world), b = world_immune(rewound);
    for (uint32_t i = 0; i < a.count; i++) {
        if (a.entities[i].type != WORLD_PAN)
            continue;
        const world_pan *pan = a.entities[i].data, *other = eddy_view_find(&b, a.entities[i].id)->data;
        ck_assert_float_eq(pan->x, other->x);
        ck_assert_float_eq(pan->y, other->y);
    }
    world_destroy(played_world);
    world_destroy(rewound);
}
END_TEST

START_TEST(an_immune_hum_plays_on_through_a_rewind) {
    static const char *const rows[] = {"..........", "..........", "..........", ".@........", "##########", NULL};
    world_build *build = stage_begin(rows, 0);
    world_pan pan = {.half_w = 40, .half_h = 5, .from_x = 160, .from_y = 60, .to_x = 260, .to_y = 60, .period = 90};
    world_build_add(build, WORLD_PAN, &pan, true);
    world *w = stage_finish(build);
    ck_assert_uint_eq(stage_sounds(w, "pan_hum"), 0); /* not among the rewindable */
    double position = -1;
    for (uint32_t tick = 0; tick < 100; tick++) {
        eddy_view immune = world_immune(w);
        const eddy_sound *hum = immune.entities[immune.count - 1].data;
        const world_pan *at = immune.entities[1].data;
        ck_assert_str_eq(hum->asset, "pan_hum");
        ck_assert_float_eq(hum->x, at->x);
        ck_assert_double_gt(hum->position, position);
        position = hum->position;
        if (tick % 3 == 0)
            stage_run(w, 1, 0);
        else
            world_step_immune(w);
    }
    world_destroy(w);
}
END_TEST

START_TEST(who_stood_on_an_immune_pan_is_not_dragged_after_it) {
    static const char *const rows[] = {"....................",
                                       "....................",
                                       "....................",
                                       "....................",
                                       "....................",
                                       "####################",
                                       NULL};
    world_build *build = stage_begin(rows, 0);
    world_build_moth(build, 100, 154 - MOTH_HALF_H);
    world_pan pan = {.half_w = 40, .half_h = 6, .from_x = 100, .from_y = 160, .to_x = 500, .to_y = 160, .period = 200};
    world_build_add(build, WORLD_PAN, &pan, true);
    world *w = stage_finish(build);
    stage_run(w, 10, 0);
    ck_assert_uint_ne(world_moth_of(w)->support, 0);
    stage_copy riding = stage_copy_of(world_view(w));
    for (uint32_t tick = 0; tick < 70; tick++)
        world_step_immune(w);
    float x = world_moth_of(w)->x;
    stage_take(w, &riding);
    stage_run(w, 60, 0);
    ck_assert_uint_eq(world_moth_of(w)->support, 0);
    ck_assert_float_eq(world_moth_of(w)->y, 160 - MOTH_HALF_H); /* on the floor */
    ck_assert_float_eq(world_moth_of(w)->x, x);
    stage_copy_free(&riding);
    world_destroy(w);
}
END_TEST

START_TEST(immune_frames_replay_by_tick) {
    world *w = stage_everything(6, true);
    stage_copy now = stage_copy_of(world_view(w)), immune = stage_copy_of(world_immune(w));
    uint64_t hashes[2] = {0, 0};
    for (int time = 0; time < 2; time++) {
        stage_take(w, &now);
        eddy_error error = {0};
        ck_assert_msg(world_take_immune(w, &immune.view, &error) == EDDY_OK, "%s", error.text);
        for (uint32_t frame = 1; frame <= 300; frame++)
            play_step(w, 6, frame);
        hashes[time] = stage_hash(w) + 3 * stage_immune_hash(w);
    }
    ck_assert_uint_eq(hashes[0], hashes[1]);
    stage_copy_free(&now);
    stage_copy_free(&immune);
    world_destroy(w);
}
END_TEST

/* ---- whatever happens ---- */

START_TEST(no_buttons_break_the_world) {
    for (uint32_t seed = 1; seed <= 60; seed++) {
        world *w = stage_everything(seed, seed % 2);
        for (uint32_t frame = 1; frame <= 700; frame++) {
            play_step(w, seed, frame);
            const world_moth *moth = world_moth_of(w);
            if (moth->state != MOTH_DYING)
                ck_assert_msg(collide_free(w, moth_box(moth)) && moth->x > 0 && moth->x < 72 * 32 && moth->y < 16 * 32,
                              "seed %u, frame %u: Moth at (%g, %g)", seed, frame, (double)moth->x, (double)moth->y);
            if (frame % 25)
                continue;
            eddy_view now = world_view(w), immune = world_immune(w);
            eddy_error error = {0};
            ck_assert_msg(eddy_view_check(world_schema(), &now, &error) == EDDY_OK &&
                              eddy_view_check(world_schema(), &immune, &error) == EDDY_OK &&
                              take_check(w, &now, false, &error) == EDDY_OK,
                          "seed %u, frame %u: %s", seed, frame, error.text);
        }
        world_destroy(w);
    }
}
END_TEST

/* Changes the first element of one field. */
static void mutate(stage_copy *copy, uint32_t seed) {
    const eddy_entity *entity = &copy->entities[random_hash(seed, 1) % copy->view.count];
    const eddy_type *type = &world_schema()->types[entity->type];
    const eddy_field *field = &type->fields[random_hash(seed, 2) % type->field_count];
    static const uint32_t awkward[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x47800000, 0xc7800000, 0x48000000};
    uint32_t bits = seed % 2 ? random_hash(seed, 3) : awkward[random_hash(seed, 3) % 8];
    uint32_t bytes = eddy_kind_bytes(field->kind);
    memcpy((uint8_t *)(uintptr_t)entity->data + field->offset, &bits, bytes < 4 ? bytes : 4);
}

START_TEST(a_frame_that_is_accepted_can_be_played) {
    uint32_t accepted = 0, refused = 0;
    world *w = stage_everything(1, true);
    for (uint32_t frame = 1; frame <= 90; frame++)
        play_step(w, 1, frame);
    stage_copy start = stage_copy_of(world_view(w));
    for (uint32_t seed = 1; seed <= 1500; seed++) {
        stage_copy copy = stage_copy_of(start.view);
        for (uint32_t n = 0; n <= seed % 3; n++)
            mutate(&copy, seed + 100000 * n);
        eddy_error error = {0};
        bool taken = world_take(w, &copy.view, &error) == EDDY_OK;
        accepted += taken;
        refused += !taken;
        for (uint32_t frame = 1; taken && frame <= 40; frame++)
            play_step(w, seed, frame);
        eddy_view now = world_view(w);
        ck_assert_msg(take_check(w, &now, false, &error) == EDDY_OK, "seed %u: %s", (unsigned)seed, error.text);
        stage_copy_free(&copy);
    }
    ck_assert_uint_gt(accepted, 250);
    ck_assert_uint_gt(refused, 250);
    stage_copy_free(&start);
    world_destroy(w);
}
END_TEST

START_TEST(frames_come_back_through_the_recorder) {
    world *w = stage_everything(9, false);
    eddy_timeline *timeline = NULL;
    eddy_error error = {0};
    eddy_timeline_desc desc = {.schema = world_schema()};
    ck_assert_msg(eddy_timeline_create(&desc, &timeline, &error) == EDDY_OK, "%s", error.text);
    eddy_view constants = world_constants(w);
    ck_assert_msg(eddy_timeline_constants(timeline, &constants, &error) == EDDY_OK, "%s", error.text);
    played *run = play(w, 9);
    for (uint32_t frame = 0; frame <= RUN_FRAMES; frame++)
        ck_assert_msg(eddy_timeline_append(timeline, &run->frames[frame].view, &error) == EDDY_OK, "%s", error.text);
    for (uint32_t n = 0; n < 300; n++) {
        uint32_t frame = n * 7919 % (RUN_FRAMES + 1);
        eddy_view view;
        ck_assert_msg(eddy_timeline_read(timeline, frame, &view, &error) == EDDY_OK, "%s", error.text);
        ck_assert_msg(world_take(w, &view, &error) == EDDY_OK, "%s", error.text);
        stage_same("recorded", frame, run->frames[frame].view, world_view(w));
    }
    eddy_timeline_destroy(timeline);
    played_free(run);
    world_destroy(w);
}
END_TEST

START_TEST(a_full_world_of_ids_goes_on) {
    world *w = stage_everything(1, false);
    stage_copy copy = stage_copy_of(world_view(w));
    ((world_game *)of_type(&copy, WORLD_GAME))->next_id = EDDY_ID_IMMUNE - 3;
    stage_take(w, &copy);
    for (uint32_t frame = 1; frame < 200; frame++)
        play_step(w, 1, frame);
    eddy_view now = world_view(w);
    for (uint32_t i = 0; i < now.count; i++)
        ck_assert(!(now.entities[i].id & EDDY_ID_IMMUNE));
    stage_copy_free(&copy);
    world_destroy(w);
}
END_TEST

static void make(Suite *suite) {
    TCase *take = suite_case(suite, "take", 60);
    tcase_add_test(take, taking_its_own_view_changes_nothing);
    tcase_add_test(take, every_frame_leads_where_it_led);
    tcase_add_test(take, taking_a_thousand_times_is_taking_once);
    tcase_add_test(take, what_is_derived_fits_the_taken_frame);
    tcase_add_test(take, taking_fires_no_event);
    tcase_add_test(take, rewinding_onto_a_bounce_adds_nothing);
    tcase_add_test(take, grace_counters_come_back_as_they_were);
    tcase_add_test(take, frames_come_back_through_the_recorder);
    tcase_add_test(take, same_dice_after_a_rewind);
    tcase_add_loop_test(take, a_broken_frame_is_refused_and_changes_nothing, 0,
                        (int)(sizeof brokens / sizeof brokens[0]));
    TCase *immune = suite_case(suite, "immune", 20);
    tcase_add_test(immune, immune_entities_have_a_view_of_their_own);
    tcase_add_test(immune, immune_entities_step_on_ticks_and_touch_nothing_else);
    tcase_add_test(immune, an_immune_pan_goes_the_same_way_in_play_and_in_a_rewind);
    tcase_add_test(immune, an_immune_hum_plays_on_through_a_rewind);
    tcase_add_test(immune, who_stood_on_an_immune_pan_is_not_dragged_after_it);
    tcase_add_test(immune, immune_frames_replay_by_tick);
    TCase *random = suite_case(suite, "random", 60);
    tcase_add_test(random, no_buttons_break_the_world);
    tcase_add_test(random, a_frame_that_is_accepted_can_be_played);
    tcase_add_test(random, a_full_world_of_ids_goes_on);
}

int main(void) {
    return suite_run("world: time", make);
}
