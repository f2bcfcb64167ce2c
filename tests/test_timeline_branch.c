/* Branches that are kept while somebody needs them, going back to one, and handles that do not outlive their future. */
#include "rewind/timeline.h"
#include "rewind_stage.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* Small heaps, whatever the build, so that lines have many parts. */
static const eddy_timeline_desc small = {.base_interval = 10, .heap_frames = 40, .sealing = EDDY_SEALING_INLINE};

/* ---- one mover whose timer says on which line it was recorded ---- */

static void append_value(eddy_timeline *timeline, uint32_t value) {
    stage_mover mover = {.x = (float)value, .timer = value};
    eddy_entity entity = {.id = 1, .type = STAGE_MOVER, .data = &mover};
    stage_append(timeline, &(eddy_view){&entity, 1});
}

/* Frames first to last with the values frame + offset. */
static void append_range(eddy_timeline *timeline, uint32_t first, uint32_t last, uint32_t offset) {
    for (uint32_t frame = first; frame <= last; frame++) {
        append_value(timeline, frame + offset);
        ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, frame);
    }
}

static uint32_t value_of(const eddy_view *view) {
    ck_assert_uint_eq(view->count, 1);
    return ((const stage_mover *)view->entities[0].data)->timer;
}

static uint32_t value_at(eddy_timeline *timeline, uint32_t frame) {
    eddy_view view = stage_read(timeline, frame);
    return value_of(&view);
}

static uint32_t value_on(eddy_timeline *timeline, uint32_t branch, uint32_t frame) {
    eddy_view view;
    eddy_error error;
    ck_assert_msg(eddy_timeline_read_on(timeline, branch, frame, &view, &error) == EDDY_OK, "%s", error.text);
    return value_of(&view);
}

static void resume(eddy_timeline *timeline, uint32_t frame) {
    ck_assert_int_eq(eddy_timeline_resume(timeline, frame, NULL), EDDY_OK);
}

static void pin(eddy_timeline *timeline, uint32_t branch) {
    eddy_error error;
    ck_assert_msg(eddy_timeline_pin(timeline, branch, &error) == EDDY_OK, "%s", error.text);
}

static eddy_statistics statistics_of(const eddy_timeline *timeline) {
    eddy_statistics statistics;
    eddy_timeline_statistics(timeline, &statistics);
    return statistics;
}

/* ---- pinning ---- */

START_TEST(a_pinned_future_stays_when_it_is_overwritten) {
    eddy_timeline *timeline = stage_timeline(small);
    append_range(timeline, 0, 200, 0);
    pin(timeline, 0);
    resume(timeline, 90);
    append_range(timeline, 91, 150, 1000);
    for (uint32_t frame = 0; frame <= 200; frame++) {
        ck_assert_uint_eq(value_on(timeline, 0, frame), frame);
    }
    for (uint32_t frame = 0; frame <= 150; frame++) {
        ck_assert_uint_eq(value_at(timeline, frame), frame <= 90 ? frame : frame + 1000);
        ck_assert_uint_eq(value_on(timeline, 1, frame), frame <= 90 ? frame : frame + 1000);
    }
    eddy_kept kept = eddy_timeline_kept_on(timeline, 0);
    ck_assert_uint_eq(kept.count, 201);
    ck_assert_uint_eq(kept.branch, 0);
    ck_assert_uint_eq(statistics_of(timeline).branches_pinned, 1);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(an_unpinned_future_goes) {
    eddy_timeline *timeline = stage_timeline(small);
    append_range(timeline, 0, 100, 0);
    pin(timeline, 0);
    pin(timeline, 0); /* pins are counted */
    resume(timeline, 50);
    append_range(timeline, 51, 60, 1000);
    eddy_timeline_unpin(timeline, 0);
    ck_assert_uint_eq(value_on(timeline, 0, 100), 100);
    eddy_timeline_unpin(timeline, 0);
    eddy_timeline_unpin(timeline, 0); /* one too many is fine, and so is a branch that never was */
    eddy_timeline_unpin(timeline, 77);
    eddy_view view;
    eddy_error error;
    ck_assert_int_eq(eddy_timeline_read_on(timeline, 0, 100, &view, &error), EDDY_E_FRAME);
    ck_assert_msg(strstr(error.text, "0 to 50"), "%s", error.text);
    ck_assert_uint_eq(value_on(timeline, 0, 50), 50); /* the present line's own past stays */
    ck_assert_int_eq(eddy_timeline_read_on(timeline, 5, 0, &view, &error), EDDY_E_FRAME);
    ck_assert_int_eq(eddy_timeline_pin(timeline, 5, &error), EDDY_E_FRAME);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_pin_keeps_a_branch_up_to_where_it_was_left) {
    eddy_timeline *timeline = stage_timeline(small);
    append_range(timeline, 0, 100, 0);
    resume(timeline, 70);
    append_range(timeline, 71, 120, 1000); /* branch 1; of branch 0 there is 0 to 70 */
    pin(timeline, 0);
    resume(timeline, 30);
    append_range(timeline, 31, 40, 2000);
    ck_assert_uint_eq(eddy_timeline_kept_on(timeline, 0).last_frame, 70);
    ck_assert_uint_eq(value_on(timeline, 0, 70), 70);
    eddy_view view;
    ck_assert_int_eq(eddy_timeline_read_on(timeline, 1, 71, &view, NULL), EDDY_E_FRAME);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_restart_leaves_a_pinned_line_too) {
    eddy_timeline *timeline = stage_timeline(small);
    append_range(timeline, 0, 100, 0);
    pin(timeline, 0);
    eddy_timeline_restart(timeline);
    append_range(timeline, 0, 20, 1000);
    ck_assert_uint_eq(value_on(timeline, 0, 100), 100);
    ck_assert_uint_eq(value_at(timeline, 20), 1020);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).count, 21);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(prefix_heaps_are_shared_not_copied) {
    stage_memory memory = {.fail_in = -1};
    eddy_timeline_desc desc = small;
    desc.sealing = EDDY_SEALING_OFF;
    desc.hooks = stage_hooks(&memory);
    eddy_timeline *timeline = stage_timeline(desc);
    append_range(timeline, 0, 4000, 0);
    size_t before = memory.live_bytes;
    for (uint32_t i = 0; i < 10; i++) {
        pin(timeline, eddy_timeline_kept(timeline).branch);
        resume(timeline, 3900 - i);
        append_range(timeline, 3901 - i, 3950, 1000 * i);
    }
    size_t heap_bytes = before / (4001 / 40);
    ck_assert_msg(memory.live_bytes - before < 10 * 3 * heap_bytes,
                  "ten branches of a hundred heaps cost %zu of %zu bytes", (size_t)memory.live_bytes - before, before);
    for (uint32_t branch = 0; branch < 10; branch++) {
        ck_assert_uint_eq(value_on(timeline, branch, 100), 100);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

/* An echo: each rewind pins what it overwrites and lets go of what the one before did. */
START_TEST(ten_thousand_short_rewinds_with_an_echo_do_not_leak) {
    stage_memory memory = {.fail_in = -1};
    eddy_timeline_desc desc = small;
    desc.hooks = stage_hooks(&memory);
    eddy_timeline *timeline = stage_timeline(desc);
    append_range(timeline, 0, 60, 0);
    size_t early = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        eddy_kept kept = eddy_timeline_kept(timeline);
        pin(timeline, kept.branch);
        resume(timeline, kept.last_frame - 12);
        append_range(timeline, kept.last_frame - 11, kept.last_frame, i);
        if (i > 0) {
            eddy_timeline_unpin(timeline, kept.branch - 1);
        }
        ck_assert_uint_eq(value_on(timeline, kept.branch, kept.last_frame), kept.last_frame + (i ? i - 1 : 0));
        if (i == 100) {
            early = memory.live_bytes;
        }
    }
    ck_assert_msg(memory.live_bytes <= early + 65536, "%zu bytes, after 100 rewinds %zu", (size_t)memory.live_bytes,
                  early);
    eddy_timeline_destroy(timeline);
    ck_assert_int_eq(memory.live_count, 0);
}
END_TEST

START_TEST(rewinds_that_go_forward_end_as_one_sealed_heap_a_window) {
    eddy_timeline *timeline = stage_timeline(small);
    append_range(timeline, 0, 400, 0);
    while (eddy_timeline_kept(timeline).last_frame < 800) { /* 45 back, into a sealed heap, 50 on */
        uint32_t last = eddy_timeline_kept(timeline).last_frame;
        pin(timeline, eddy_timeline_kept(timeline).branch);
        resume(timeline, last - 45);
        append_range(timeline, last - 44, last + 5, 0);
        eddy_timeline_unpin(timeline, eddy_timeline_kept(timeline).branch - 1);
    }
    uint32_t last = eddy_timeline_kept(timeline).last_frame;
    append_range(timeline, last + 1, 900, 0);
    ck_assert_int_eq(eddy_timeline_seal(timeline, NULL), EDDY_OK);
    ck_assert_uint_eq(statistics_of(timeline).sealed_frames, 901);
    ck_assert_uint_eq(statistics_of(timeline).heaps, 900 / 40 + 1);
    for (uint32_t frame = 0; frame <= 900; frame++) {
        ck_assert_uint_eq(value_at(timeline, frame), frame);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

/* Windows of many parts that end faster than their jobs take effect: each is sealed whole all the same. */
START_TEST(many_short_windows_with_rewinds_are_all_sealed) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){
        .heap_bytes_max = 65536, .base_interval = 120, .heap_frames = 1440, .sealing = EDDY_SEALING_INLINE});
    append_range(timeline, 0, 20, 0);
    for (uint32_t i = 0; i < 400; i++) {
        eddy_kept kept = eddy_timeline_kept(timeline);
        pin(timeline, kept.branch);
        resume(timeline, kept.last_frame - 1);
        append_range(timeline, kept.last_frame, kept.last_frame + 1, 0);
        eddy_timeline_unpin(timeline, kept.branch);
    }
    uint32_t last = eddy_timeline_kept(timeline).last_frame;
    append_range(timeline, last + 1, last + 3000, 0);
    uint32_t live = statistics_of(timeline).heaps - statistics_of(timeline).sealed_heaps;
    ck_assert_msg(live <= 2, "%u heaps stay live", live);
    for (uint32_t frame = 0; frame <= last + 3000; frame++) {
        ck_assert_uint_eq(value_at(timeline, frame), frame);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

static void hear_nothing(void *user, const eddy_view *constants, block_bytes block) {
    (void)user, (void)constants, (void)block;
}

static void expect_base_at_multiple(void *user, const recorded_frame *frame) {
    uint32_t *bases = user;
    bool is_due = frame->frame % 10 == 0 || frame->begins_branch;
    ck_assert_msg(frame->is_base == is_due, "branch %u, frame %u", frame->branch, frame->frame);
    *bases += frame->is_base;
}

START_TEST(bases_stay_at_multiples_on_every_branch) {
    eddy_timeline *timeline = stage_timeline(small);
    uint32_t bases = 0;
    timeline_observe(timeline, &(timeline_observer){hear_nothing, expect_base_at_multiple, &bases});
    append_range(timeline, 0, 123, 0);
    stage_random random = {.state = 5};
    for (uint32_t i = 0; i < 60; i++) {
        eddy_kept kept = eddy_timeline_kept(timeline);
        if (i % 2) {
            pin(timeline, kept.branch);
        }
        uint32_t frame = kept.last_frame - stage_below(&random, 100);
        resume(timeline, frame);
        append_range(timeline, frame + 1, frame + 101, i);
    }
    ck_assert_uint_gt(bases, 600);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_pinned_branch_goes_with_the_oldest) {
    eddy_timeline_desc desc = small;
    desc.budget_bytes = 400000;
    desc.heap_bytes_max = 65536;
    desc.sealing = EDDY_SEALING_OFF;
    eddy_timeline *timeline = stage_timeline(desc);
    append_range(timeline, 0, 100, 0);
    pin(timeline, 0);
    resume(timeline, 50);
    append_range(timeline, 51, 60, 1000);
    uint32_t frame = 60;
    while (eddy_timeline_kept_on(timeline, 0).count > 0 && frame < 200000) {
        append_value(timeline, 1000 + ++frame);
        ck_assert_uint_le(statistics_of(timeline).owned_bytes, 400000 + 65536);
    }
    ck_assert_uint_lt(frame, 200000);
    eddy_view view;
    eddy_error error;
    ck_assert_int_eq(eddy_timeline_read_on(timeline, 0, 100, &view, &error), EDDY_E_FRAME);
    ck_assert_msg(strstr(error.text, "forgotten"), "%s", error.text);
    ck_assert_uint_eq(value_at(timeline, frame), 1000 + frame);
    eddy_timeline_unpin(timeline, 0);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- going back to another line ---- */

START_TEST(a_pinned_branch_can_be_gone_on_from) {
    eddy_timeline *timeline = stage_timeline(small);
    append_range(timeline, 0, 100, 0); /* A */
    pin(timeline, 0);
    resume(timeline, 50);
    append_range(timeline, 51, 130, 1000); /* B */
    pin(timeline, 1);
    ck_assert_int_eq(eddy_timeline_resume_on(timeline, 0, 100, NULL), EDDY_OK);
    ck_assert_uint_eq(value_at(timeline, 130), 1130); /* B is there until the first new frame */
    append_range(timeline, 101, 110, 2000);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).branch, 2);
    for (uint32_t frame = 0; frame <= 110; frame++) { /* a step back never shows B */
        ck_assert_uint_eq(value_at(timeline, frame), frame <= 100 ? frame : 2000 + frame);
    }
    ck_assert_uint_eq(value_on(timeline, 1, 130), 1130);
    eddy_timeline_unpin(timeline, 1);
    eddy_view view;
    ck_assert_int_eq(eddy_timeline_read_on(timeline, 1, 130, &view, NULL), EDDY_E_FRAME);
    eddy_timeline_unpin(timeline, 0);
    ck_assert_uint_eq(value_at(timeline, 100), 100);
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(unpinning_what_was_to_be_gone_on_from_stays_on_the_present_line) {
    eddy_timeline *timeline = stage_timeline(small);
    append_range(timeline, 0, 100, 0);
    pin(timeline, 0);
    resume(timeline, 50);
    append_range(timeline, 51, 60, 1000);
    ck_assert_int_eq(eddy_timeline_resume_on(timeline, 0, 90, NULL), EDDY_OK);
    eddy_timeline_unpin(timeline, 0);
    append_value(timeline, 1061);
    ck_assert_uint_eq(eddy_timeline_kept(timeline).last_frame, 61);
    ck_assert_uint_eq(value_at(timeline, 60), 1060);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* ---- two axes ---- */

/* What happened, by tick: play, and now and then some ticks of rewinding; the journal says what each of them showed. */
START_TEST(what_happened_replays_by_tick_and_what_is_reachable_by_frame) {
    enum { TICKS = 600 };
    const eddy_schema schema = {.types = &eddy_journal_type, .type_count = 1};
    eddy_timeline_desc desc = small;
    eddy_timeline *frames = stage_timeline(desc);
    desc.schema = &schema;
    eddy_timeline *ticks = stage_timeline(desc);
    stage_random random = {.state = 21};
    uint32_t shown[TICKS], at = 0, rewinding = 0;
    append_value(frames, 0);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        eddy_kept kept = eddy_timeline_kept(frames);
        if (rewinding > 0 && at > 0) {
            rewinding--;
            at--;
        } else {
            if (at < kept.last_frame) { /* a recording keeps what is overwritten */
                pin(frames, kept.branch);
                resume(frames, at);
            }
            append_value(frames, 1000 + tick);
            at = eddy_timeline_kept(frames).last_frame;
            rewinding = stage_below(&random, 25) == 0 ? stage_below(&random, 60) : 0;
        }
        shown[tick] = value_at(frames, at);
        eddy_journal journal = {.frame = at, .speed = 1};
        ck_assert_int_eq(eddy_timeline_frame(frames, at, &journal.branch, NULL, NULL), EDDY_OK);
        eddy_entity entity = {EDDY_JOURNAL_ID, 0, &journal};
        stage_append(ticks, &(eddy_view){&entity, 1});
    }
    ck_assert_uint_gt(statistics_of(frames).branches_made, 5);
    ck_assert_int_eq(eddy_timeline_seal(frames, NULL), EDDY_OK);
    for (uint32_t tick = TICKS; tick-- > 0;) {
        eddy_view view = stage_read(ticks, tick);
        const eddy_journal *journal = view.entities[0].data;
        ck_assert_msg(value_on(frames, journal->branch, journal->frame) == shown[tick], "tick %u", tick);
    }
    ck_assert_uint_eq(eddy_timeline_kept(ticks).count, TICKS);
    ck_assert_uint_lt(eddy_timeline_kept(frames).count, TICKS);
    eddy_timeline_destroy(frames);
    eddy_timeline_destroy(ticks);
}
END_TEST

/* ---- handles ---- */

/* Entity 1 always, and entity `other` if it is not 0. */
static void append_two(eddy_timeline *timeline, eddy_id other) {
    static stage_mover movers[2];
    movers[0].timer++;
    eddy_entity entities[2] = {{1, STAGE_MOVER, &movers[0]}, {other, STAGE_MOVER, &movers[1]}};
    stage_append(timeline, &(eddy_view){entities, other ? 2 : 1});
}

static bool resolves(eddy_timeline *timeline, eddy_handle handle, uint32_t frame) {
    eddy_entity entity;
    bool found = eddy_timeline_resolve(timeline, &handle, frame, &entity);
    ck_assert(!found || entity.id == handle.id);
    return found;
}

START_TEST(a_handle_does_not_find_what_was_born_in_another_future) {
    eddy_timeline *timeline = stage_timeline(small);
    for (uint32_t frame = 0; frame <= 100; frame++) {
        append_two(timeline, frame >= 60 ? 2 : 0);
    }
    eddy_handle old, both;
    ck_assert_int_eq(eddy_timeline_handle(timeline, 2, 100, &old, NULL), EDDY_OK);
    ck_assert_int_eq(eddy_timeline_handle(timeline, 1, 100, &both, NULL), EDDY_OK);
    ck_assert(resolves(timeline, old, 80));
    ck_assert(!resolves(timeline, old, 59));

    resume(timeline, 50); /* before its birth: what is born now has the same id */
    for (uint32_t frame = 51; frame <= 100; frame++) {
        append_two(timeline, frame >= 55 ? 2 : 0);
    }
    ck_assert(!resolves(timeline, old, 100));
    ck_assert(resolves(timeline, both, 100));
    eddy_handle young;
    ck_assert_int_eq(eddy_timeline_handle(timeline, 2, 70, &young, NULL), EDDY_OK);

    resume(timeline, 65); /* after its birth: it is the same one */
    append_two(timeline, 2);
    ck_assert(resolves(timeline, young, 66));
    ck_assert(!resolves(timeline, old, 66));
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_handle_of_a_line_that_was_left_is_stale_on_another) {
    eddy_timeline *timeline = stage_timeline(small);
    for (uint32_t frame = 0; frame <= 100; frame++) {
        append_two(timeline, 0);
    }
    pin(timeline, 0);
    resume(timeline, 20);
    for (uint32_t frame = 21; frame <= 100; frame++) {
        append_two(timeline, 2);
    }
    eddy_handle handle;
    ck_assert_int_eq(eddy_timeline_handle(timeline, 2, 90, &handle, NULL), EDDY_OK);
    ck_assert_int_eq(eddy_timeline_resume_on(timeline, 0, 95, NULL), EDDY_OK);
    append_two(timeline, 2);
    ck_assert(!resolves(timeline, handle, 96));
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(a_handle_is_brought_up_to_date_and_outlives_the_forgotten_past) {
    eddy_timeline *timeline = stage_timeline(small);
    for (uint32_t frame = 0; frame <= 100; frame++) {
        append_two(timeline, 0);
    }
    eddy_handle kept, left;
    ck_assert_int_eq(eddy_timeline_handle(timeline, 1, 100, &kept, NULL), EDDY_OK);
    left = kept;
    resume(timeline, 90);
    for (uint32_t frame = 91; frame <= 300; frame++) {
        append_two(timeline, 0);
        eddy_entity entity;
        ck_assert(eddy_timeline_resolve(timeline, &kept, frame, &entity));
    }
    ck_assert_int_eq(eddy_timeline_forget(timeline, 200, NULL), EDDY_OK);
    ck_assert(resolves(timeline, kept, 300));
    ck_assert(!resolves(timeline, left, 300)); /* nothing can tell any more: better nothing than another */
    eddy_timeline_destroy(timeline);
}
END_TEST

START_TEST(no_handle_is_made_of_nothing) {
    eddy_timeline *timeline = stage_timeline(small);
    eddy_handle handle;
    ck_assert_int_eq(eddy_timeline_handle(timeline, 1, 0, &handle, NULL), EDDY_E_FRAME);
    append_two(timeline, 0);
    eddy_error error;
    ck_assert_int_eq(eddy_timeline_handle(timeline, 9, 0, &handle, &error), EDDY_E_ENTITY);
    ck_assert_uint_eq(handle.id, 0);
    ck_assert(!resolves(timeline, handle, 0));
    eddy_timeline_destroy(timeline);
}
END_TEST

static void make(Suite *suite) {
    TCase *pinning = suite_case(suite, "pinning", 60);
    tcase_add_test(pinning, a_pinned_future_stays_when_it_is_overwritten);
    tcase_add_test(pinning, an_unpinned_future_goes);
    tcase_add_test(pinning, a_pin_keeps_a_branch_up_to_where_it_was_left);
    tcase_add_test(pinning, a_restart_leaves_a_pinned_line_too);
    tcase_add_test(pinning, prefix_heaps_are_shared_not_copied);
    tcase_add_test(pinning, ten_thousand_short_rewinds_with_an_echo_do_not_leak);
    tcase_add_test(pinning, rewinds_that_go_forward_end_as_one_sealed_heap_a_window);
    tcase_add_test(pinning, many_short_windows_with_rewinds_are_all_sealed);
    tcase_add_test(pinning, bases_stay_at_multiples_on_every_branch);
    tcase_add_test(pinning, a_pinned_branch_goes_with_the_oldest);
    TCase *lines = suite_case(suite, "other lines", 20);
    tcase_add_test(lines, a_pinned_branch_can_be_gone_on_from);
    tcase_add_test(lines, unpinning_what_was_to_be_gone_on_from_stays_on_the_present_line);
    tcase_add_test(lines, what_happened_replays_by_tick_and_what_is_reachable_by_frame);
    TCase *handles = suite_case(suite, "handles", 20);
    tcase_add_test(handles, a_handle_does_not_find_what_was_born_in_another_future);
    tcase_add_test(handles, a_handle_of_a_line_that_was_left_is_stale_on_another);
    tcase_add_test(handles, a_handle_is_brought_up_to_date_and_outlives_the_forgotten_past);
    tcase_add_test(handles, no_handle_is_made_of_nothing);
}

int main(void) {
    return suite_run("timeline_branch", make);
}
