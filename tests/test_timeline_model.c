/* The recorder beside a naive model that keeps a full copy of every frame of every branch: the same random script of
 * recording, seeking, rewinding, branching, pinning, forgetting and sealing on both. */
#include "rewind_stage.h"
#include "suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 6000
#define PINS_MAX 3
#define BOUNDED_BYTES (STAGE_IS_TINY ? 350000 : 500000)

/* A frame, shared by the lines that have it. */
typedef struct model_frame {
    stage_copy copy;
    uint32_t constant; /* level of the constant dot */
    uint32_t users;
} model_frame;

/* A line: those frames before `first` are forgotten. */
typedef struct model_line {
    model_frame *frames[FRAMES_MAX];
    uint32_t first, count; /* count: one past the last frame */
} model_line;

typedef struct model_pin {
    bool is_there, is_apart;
    uint32_t branch;
    model_line line;
} model_pin;

typedef struct naive_model {
    uint64_t seed;
    stage_random random;
    stage_world world;
    model_line line;
    model_pin pins[PINS_MAX];
    uint32_t cursor; /* the next frame */
    int cursor_pin;  /* of the line of a pin; -1: of the current one */
    bool restarting;
    uint32_t branches_made, branch, constant;
    bool is_bounded;
    eddy_timeline *timeline;
    stage_memory memory;
} naive_model;

static void line_push(model_line *line, model_frame *frame) {
    line->frames[line->count++] = frame;
    frame->users++;
}

static void line_pop(model_line *line) {
    model_frame *frame = line->frames[--line->count];
    if (--frame->users == 0) {
        stage_copy_free(&frame->copy);
        free(frame);
    }
}

static void line_cut(model_line *line, uint32_t count) {
    while (line->count > count) {
        line_pop(line);
    }
    line->first = line->first < line->count ? line->first : line->count;
}

static void line_set(model_line *line, const model_line *from, uint32_t count) {
    line_cut(line, 0);
    for (uint32_t i = 0; i < count; i++) {
        line_push(line, from->frames[i]);
    }
    line->first = from->first < count ? from->first : count;
}

/* One past the last frame of a branch of a line; 0: it is not on it. */
static uint32_t branch_end(const model_line *line, uint32_t branch) {
    uint32_t end = line->count;
    while (end > line->first && line->frames[end - 1]->copy.branch != branch) {
        end--;
    }
    return end > line->first ? end : 0;
}

/* The line is left behind `count`: pinned branches take along what goes. */
static void leave_line(naive_model *model, uint32_t count) {
    for (int i = 0; i < PINS_MAX; i++) {
        model_pin *pin = &model->pins[i];
        uint32_t end = pin->is_there && !pin->is_apart ? branch_end(&model->line, pin->branch) : 0;
        if (end > count) {
            line_set(&pin->line, &model->line, end);
            pin->is_apart = true;
        }
    }
    line_cut(&model->line, count);
}

/* ---- what the recorder may forget: only the oldest, and only when it has a budget or was told to ---- */

static void follow_kept(naive_model *model, model_line *line, eddy_kept kept, bool may_be_gone, const char *what) {
    if (may_be_gone && kept.count == 0) {
        line_cut(line, 0);
        return;
    }
    ck_assert_msg(kept.count > 0 && kept.last_frame == line->count - 1,
                  "seed %" PRIu64 ", %s: last frame %u, expected %u", model->seed, what, kept.last_frame,
                  line->count - 1);
    ck_assert_msg(kept.first_frame >= line->first && (model->is_bounded || kept.first_frame == line->first),
                  "seed %" PRIu64 ", %s: first frame %u, was %u", model->seed, what, kept.first_frame, line->first);
    line->first = kept.first_frame;
}

static void follow_forgetting(naive_model *model) {
    eddy_kept kept = eddy_timeline_kept(model->timeline);
    follow_kept(model, &model->line, kept, false, "present line");
    ck_assert_uint_eq(kept.branch, model->branch);
    for (int i = 0; i < PINS_MAX; i++) {
        model_pin *pin = &model->pins[i];
        if (pin->is_there && pin->is_apart && pin->line.count > 0) {
            follow_kept(model, &pin->line, eddy_timeline_kept_on(model->timeline, pin->branch), model->is_bounded,
                        "pinned line");
        }
    }
}

/* ---- the script ---- */

static void do_append(naive_model *model) {
    stage_world_step(&model->world);
    eddy_view view = stage_world_view(&model->world);
    stage_append(model->timeline, &view);
    uint32_t frame = model->restarting ? 0 : model->cursor;
    bool is_switch = model->cursor_pin >= 0 && !model->restarting;
    bool is_new_branch = is_switch || model->restarting || frame < model->line.count || model->branches_made == 0;
    leave_line(model, is_switch || model->restarting ? 0 : frame);
    if (is_switch) {
        line_set(&model->line, &model->pins[model->cursor_pin].line, frame);
    }
    if (is_new_branch) {
        model->branch = model->branches_made++;
    }
    model_frame *made = calloc(1, sizeof *made);
    *made = (model_frame){.copy = stage_copy_of(&view), .constant = model->constant};
    made->copy.branch = model->branch;
    line_push(&model->line, made);
    model->cursor = frame + 1;
    model->cursor_pin = -1;
    model->restarting = false;
    follow_forgetting(model);
}

static void do_constants(naive_model *model) {
    uint8_t level = (uint8_t)(model->constant + 1);
    eddy_entity entity = {.id = 9, .type = STAGE_DOT, .data = &level};
    eddy_view constants = {.entities = &entity, .count = 1};
    ck_assert_int_eq(eddy_timeline_constants(model->timeline, &constants, NULL), EDDY_OK);
    model->constant = level;
}

static void check_frame(naive_model *model, uint32_t frame) {
    const model_frame *expected = model->line.frames[frame];
    stage_expect_frame(model->timeline, frame, &expected->copy, model->seed);
    eddy_view view;
    ck_assert_int_eq(eddy_timeline_constants_at(model->timeline, frame, &view, NULL), EDDY_OK);
    uint32_t found = view.count > 0 ? *(const uint8_t *)view.entities[0].data : 0;
    ck_assert_msg(found == expected->constant, "seed %" PRIu64 ", frame %u: constants %u, expected %u", model->seed,
                  frame, found, expected->constant);
}

static void check_pinned(naive_model *model, const model_pin *pin, uint32_t frame) {
    eddy_view view;
    eddy_error error;
    const stage_copy *expected = &pin->line.frames[frame]->copy;
    ck_assert_msg(eddy_timeline_read_on(model->timeline, pin->branch, frame, &view, &error) == EDDY_OK,
                  "seed %" PRIu64 ": %s", model->seed, error.text);
    const char *difference = stage_difference(&expected->view, &view);
    ck_assert_msg(!difference, "seed %" PRIu64 ", branch %u, frame %u: %s", model->seed, pin->branch, frame,
                  difference);
}

static void do_read(naive_model *model) {
    const model_line *line = &model->line;
    if (line->count == 0) {
        return;
    }
    check_frame(model, line->first + stage_below(&model->random, line->count - line->first));
    const model_pin *pin = &model->pins[stage_below(&model->random, PINS_MAX)];
    if (pin->is_there && pin->is_apart && pin->line.count > 0) {
        check_pinned(model, pin, pin->line.first + stage_below(&model->random, pin->line.count - pin->line.first));
    }
}

/* A frame of a line, mostly near its end. */
static uint32_t draw_frame(naive_model *model, const model_line *line) {
    uint32_t kept = line->count - line->first;
    uint32_t back = stage_below(&model->random, 3) ? stage_below(&model->random, kept < 20 ? kept : 20)
                                                   : stage_below(&model->random, kept);
    return line->count - 1 - back;
}

static void do_resume(naive_model *model) {
    int index = (int)stage_below(&model->random, 2 * PINS_MAX);
    const model_pin *pin = index < PINS_MAX ? &model->pins[index] : NULL;
    bool is_switch = pin && pin->is_there && pin->is_apart && pin->line.count > 0;
    const model_line *line = is_switch ? &pin->line : &model->line;
    if (line->count == 0) {
        return;
    }
    uint32_t frame = draw_frame(model, line);
    ck_assert_int_eq(is_switch ? eddy_timeline_resume_on(model->timeline, pin->branch, frame, NULL)
                               : eddy_timeline_resume(model->timeline, frame, NULL),
                     EDDY_OK);
    stage_world_take(&model->world, &line->frames[frame]->copy.view);
    model->cursor = frame + 1;
    model->cursor_pin = is_switch ? index : -1;
    model->restarting = false;
}

/* Pins a branch of the present line, or takes a pin away. */
static void do_pin(naive_model *model) {
    int index = (int)stage_below(&model->random, PINS_MAX);
    model_pin *pin = &model->pins[index];
    if (pin->is_there) {
        eddy_timeline_unpin(model->timeline, pin->branch);
        line_cut(&pin->line, 0);
        pin->is_there = pin->is_apart = false;
        if (model->cursor_pin == index) { /* the recorder goes back to the end of the present line */
            model->cursor_pin = -1;
            model->cursor = model->line.count;
        }
    } else if (model->line.count > 0) {
        uint32_t branch = model->line.frames[draw_frame(model, &model->line)]->copy.branch;
        for (int i = 0; i < PINS_MAX; i++) {
            if (model->pins[i].is_there && model->pins[i].branch == branch) {
                return;
            }
        }
        ck_assert_int_eq(eddy_timeline_pin(model->timeline, branch, NULL), EDDY_OK);
        *pin = (model_pin){.is_there = true, .branch = branch};
    }
}

static void do_forget(naive_model *model) {
    model_line *line = &model->line;
    if (line->count == 0) {
        return;
    }
    uint32_t frame = line->first + stage_below(&model->random, line->count - line->first);
    ck_assert_int_eq(eddy_timeline_forget(model->timeline, frame, NULL), EDDY_OK);
    uint32_t first = eddy_timeline_kept(model->timeline).first_frame;
    ck_assert_msg(first >= line->first && first <= frame, "seed %" PRIu64 ": forgot up to %u, asked for %u",
                  model->seed, first, frame);
    line->first = first;
}

/* Within a small budget there may be no room to seal in: then heaps stay live. */
static void do_seal(naive_model *model) {
    eddy_error error;
    eddy_result result = eddy_timeline_seal(model->timeline, &error);
    ck_assert_msg(result == EDDY_OK || (model->is_bounded && (result == EDDY_E_MEMORY || result == EDDY_E_BUDGET)),
                  "seed %" PRIu64 ": %s", model->seed, error.text);
    eddy_statistics statistics;
    eddy_timeline_statistics(model->timeline, &statistics);
    bool is_off = model->seed % 4 == 3;
    ck_assert(result != EDDY_OK || statistics.sealed_frames == (is_off ? 0 : statistics.frames));
}

static void read_all(naive_model *model) {
    for (uint32_t frame = model->line.count; frame-- > model->line.first;) {
        check_frame(model, frame);
    }
    for (int i = 0; i < PINS_MAX; i++) {
        const model_pin *pin = &model->pins[i];
        for (uint32_t frame = pin->line.count; frame-- > pin->line.first;) {
            check_pinned(model, pin, frame);
        }
    }
}

/* Frames outside what is kept are refused, with the range in the text. */
static void check_ends(naive_model *model) {
    eddy_error error;
    eddy_view view;
    ck_assert_int_eq(eddy_timeline_read(model->timeline, model->line.count, &view, &error), EDDY_E_FRAME);
    ck_assert_ptr_nonnull(strstr(error.text, "not kept"));
    if (model->line.first > 0) {
        ck_assert_int_eq(eddy_timeline_read(model->timeline, model->line.first - 1, &view, &error), EDDY_E_FRAME);
    }
}

static bool has_forgotten(const naive_model *model) {
    eddy_statistics statistics;
    eddy_timeline_statistics(model->timeline, &statistics);
    return statistics.frames_forgotten > 0;
}

static void do_something(naive_model *model) {
    uint32_t draw = stage_below(&model->random, 1000);
    if (draw < 700) {
        do_append(model);
    } else if (draw < 930) {
        do_read(model);
    } else if (draw < 965) {
        do_resume(model);
    } else if (draw < 985) {
        do_pin(model);
    } else if (draw < 987) {
        do_seal(model);
    } else if (draw < 989) {
        do_forget(model);
    } else if (draw < (model->is_bounded ? 999 : 997)) { /* there must be something to forget */
        do_constants(model);
    } else {
        eddy_timeline_restart(model->timeline);
        model->restarting = true;
    }
}

static void check_memory(naive_model *model, size_t budget_bytes) {
    eddy_timeline_trim(model->timeline);
    do_seal(model); /* the worker rests now */
    eddy_statistics statistics;
    eddy_timeline_statistics(model->timeline, &statistics);
    ck_assert_uint_eq(statistics.owned_bytes, model->memory.live_bytes);
    ck_assert_msg(!model->is_bounded || statistics.owned_bytes <= budget_bytes, "seed %" PRIu64 ": %zu bytes",
                  model->seed, statistics.owned_bytes);
}

static void model_begin(naive_model *model, uint64_t seed, size_t budget_bytes) {
    memset(model, 0, sizeof *model);
    model->seed = seed;
    model->random.state = seed * 77;
    model->cursor_pin = -1;
    model->memory.fail_in = -1;
    model->is_bounded = budget_bytes > 0;
    stage_world_begin(&model->world, seed);
    static const eddy_sealing sealings[] = {EDDY_SEALING_WORKER, EDDY_SEALING_INLINE, EDDY_SEALING_WORKER,
                                            EDDY_SEALING_OFF};
    bool has_small_heaps = seed % 3 == 0 || model->is_bounded;
    model->timeline = stage_timeline((eddy_timeline_desc){.budget_bytes = budget_bytes,
                                                          .cache_frames = 2 + (uint32_t)seed % 5,
                                                          .base_interval = has_small_heaps ? 5 : 0,
                                                          .heap_frames = has_small_heaps ? 20 : 0,
                                                          .sealing = sealings[seed % 4],
                                                          .hooks = stage_hooks(&model->memory)});
}

static void model_end(naive_model *model) {
    line_cut(&model->line, 0);
    for (int i = 0; i < PINS_MAX; i++) {
        line_cut(&model->pins[i].line, 0);
    }
    eddy_timeline_destroy(model->timeline);
    ck_assert_int_eq(model->memory.live_count, 0);
    ck_assert_uint_eq(model->memory.live_bytes, 0);
}

static void run_script(uint64_t seed, uint32_t steps, size_t budget_bytes) {
    static naive_model model;
    model_begin(&model, seed, budget_bytes);
    for (uint32_t step = 0;
         (step < steps || (model.is_bounded && !has_forgotten(&model))) && model.line.count < FRAMES_MAX; step++) {
        do_something(&model);
    }
    ck_assert_msg(!model.is_bounded || has_forgotten(&model), "seed %" PRIu64 ": nothing was forgotten", seed);
    read_all(&model);
    check_ends(&model);
    check_memory(&model, budget_bytes);
    read_all(&model);
    model_end(&model);
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
