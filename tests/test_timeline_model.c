/* The recorder beside a naive model that keeps a full copy of every frame: the same random script on both. */
#include "rewind_stage.h"
#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FRAMES_MAX 6000
#define BOUNDED_BYTES (STAGE_IS_TINY ? 350000 : 500000)

typedef struct naive_model {
    uint64_t seed;
    stage_random random;
    stage_world world;
    stage_copy frames[FRAMES_MAX];  /* of the current line; those before `first` are forgotten */
    uint32_t constants[FRAMES_MAX]; /* level of the constant dot */
    uint32_t first, count;          /* count: one past the last frame */
    uint32_t cursor;                /* the next frame */
    bool restarting;
    uint32_t branches_made, branch, constant;
    eddy_timeline *timeline;
    stage_memory memory;
} naive_model;

static void cut(naive_model *model, uint32_t frame) {
    while (model->count > frame) {
        stage_copy_free(&model->frames[--model->count]);
    }
}

/* Frames the timeline no longer has may only be the oldest, and only when it has a budget. */
static void follow_forgetting(naive_model *model, bool is_bounded) {
    eddy_kept kept = eddy_timeline_kept(model->timeline);
    ck_assert_uint_eq(kept.last_frame, model->count - 1);
    ck_assert_uint_eq(kept.branch, model->branch);
    ck_assert_msg(kept.first_frame >= model->first && (is_bounded || kept.first_frame == 0),
                  "seed %" PRIu64 ": first frame %u, was %u", model->seed, kept.first_frame, model->first);
    model->first = kept.first_frame;
}

static void do_append(naive_model *model) {
    stage_world_step(&model->world);
    eddy_view view = stage_world_view(&model->world);
    stage_append(model->timeline, &view);
    uint32_t frame = model->restarting ? 0 : model->cursor;
    bool is_new_branch = model->restarting || frame < model->count || model->branches_made == 0;
    if (model->restarting) {
        cut(model, 0);
        model->first = 0;
    }
    cut(model, frame);
    if (is_new_branch) {
        model->branch = model->branches_made++;
    }
    model->frames[frame] = stage_copy_of(&view);
    model->frames[frame].branch = model->branch;
    model->constants[frame] = model->constant;
    model->count = model->cursor = frame + 1;
    model->restarting = false;
}

static void do_constants(naive_model *model) {
    uint8_t level = (uint8_t)(model->constant + 1);
    eddy_entity entity = {.id = 9, .type = STAGE_DOT, .data = &level};
    eddy_view constants = {.entities = &entity, .count = 1};
    ck_assert_int_eq(eddy_timeline_constants(model->timeline, &constants, NULL), EDDY_OK);
    model->constant = level;
}

static void check_constants(naive_model *model, uint32_t frame) {
    eddy_view view;
    ck_assert_int_eq(eddy_timeline_constants_at(model->timeline, frame, &view, NULL), EDDY_OK);
    uint32_t found = view.count > 0 ? *(const uint8_t *)view.entities[0].data : 0;
    ck_assert_msg(found == model->constants[frame], "seed %" PRIu64 ", frame %u: constants %u, expected %u",
                  model->seed, frame, found, model->constants[frame]);
}

static void do_read(naive_model *model) {
    if (model->count > 0) {
        uint32_t frame = model->first + stage_below(&model->random, model->count - model->first);
        stage_expect_frame(model->timeline, frame, &model->frames[frame], model->seed);
        check_constants(model, frame);
    }
}

static void do_resume(naive_model *model) {
    if (model->count > 0) {
        uint32_t kept = model->count - model->first;
        uint32_t back = stage_below(&model->random, 3) ? stage_below(&model->random, kept < 20 ? kept : 20)
                                                       : stage_below(&model->random, kept);
        uint32_t frame = model->count - 1 - back;
        ck_assert_int_eq(eddy_timeline_resume(model->timeline, frame, NULL), EDDY_OK);
        stage_world_take(&model->world, &model->frames[frame].view);
        model->cursor = frame + 1;
        model->restarting = false;
    }
}

static void read_all(naive_model *model) {
    for (uint32_t frame = model->count; frame-- > model->first;) {
        stage_expect_frame(model->timeline, frame, &model->frames[frame], model->seed);
        check_constants(model, frame);
    }
}

/* Frames outside what is kept are refused, with the range in the text. */
static void check_ends(naive_model *model) {
    eddy_error error;
    eddy_view view;
    ck_assert_int_eq(eddy_timeline_read(model->timeline, model->count, &view, &error), EDDY_E_FRAME);
    ck_assert_ptr_nonnull(strstr(error.text, "not kept"));
    if (model->first > 0) {
        ck_assert_int_eq(eddy_timeline_read(model->timeline, model->first - 1, &view, &error), EDDY_E_FRAME);
    }
}

static bool has_forgotten(const naive_model *model) {
    eddy_statistics statistics;
    eddy_timeline_statistics(model->timeline, &statistics);
    return statistics.frames_forgotten > 0;
}

static void run_script(uint64_t seed, uint32_t steps, size_t budget_bytes) {
    static naive_model model;
    memset(&model, 0, sizeof model);
    model.seed = seed;
    model.random.state = seed * 77;
    model.memory.fail_in = -1;
    stage_world_begin(&model.world, seed);
    bool is_bounded = budget_bytes > 0, has_small_heaps = seed % 3 == 0 || is_bounded;
    model.timeline = stage_timeline((eddy_timeline_desc){.budget_bytes = budget_bytes,
                                                         .cache_frames = 2 + (uint32_t)seed % 5,
                                                         .base_interval = has_small_heaps ? 5 : 0,
                                                         .heap_frames = has_small_heaps ? 20 : 0,
                                                         .hooks = stage_hooks(&model.memory)});
    for (uint32_t step = 0; (step < steps || (is_bounded && !has_forgotten(&model))) && model.count < FRAMES_MAX;
         step++) {
        uint32_t draw = stage_below(&model.random, 1000);
        if (draw < 700) {
            do_append(&model);
            follow_forgetting(&model, is_bounded);
        } else if (draw < 950) {
            do_read(&model);
        } else if (draw < 990) {
            do_resume(&model);
        } else if (draw < (is_bounded ? 999 : 997)) { /* there must be something to forget */
            do_constants(&model);
        } else {
            eddy_timeline_restart(model.timeline);
            model.restarting = true;
        }
    }
    eddy_statistics statistics;
    eddy_timeline_statistics(model.timeline, &statistics);
    ck_assert_uint_eq(statistics.owned_bytes, model.memory.live_bytes);
    ck_assert_msg(!is_bounded || statistics.owned_bytes <= budget_bytes, "seed %" PRIu64 ": %zu bytes", seed,
                  statistics.owned_bytes);
    ck_assert_msg(!is_bounded || has_forgotten(&model), "seed %" PRIu64 ": nothing was forgotten", seed);
    read_all(&model);
    check_ends(&model);
    cut(&model, 0);
    eddy_timeline_destroy(model.timeline);
    ck_assert_int_eq(model.memory.live_count, 0);
    ck_assert_uint_eq(model.memory.live_bytes, 0);
}

START_TEST(random_scripts_on_recorder_and_model_agree) {
    run_script((uint64_t)_i + 1, 1500, 0);
}
END_TEST

START_TEST(random_scripts_agree_while_the_oldest_is_forgotten) {
    run_script((uint64_t)_i + 100, 2500, BOUNDED_BYTES);
}
END_TEST

static void make(Suite *suite) {
    TCase *scripts = suite_case(suite, "scripts", 60);
    tcase_add_loop_test(scripts, random_scripts_on_recorder_and_model_agree, 0, (int)stage_long(8, 200));
    tcase_add_loop_test(scripts, random_scripts_agree_while_the_oldest_is_forgotten, 0, (int)stage_long(6, 100));
}

int main(void) {
    return suite_run("timeline_model", make);
}
