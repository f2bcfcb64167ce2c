/* What went wrong in recorders elsewhere and must not here, where no other suite has it already: the table of all of
 * them is in tests/README.md, by the numbers given here. */
#include "rewind_stage.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* Position and life of one thing, as a game keeps them. */
typedef struct fighter {
    stage_mover at;
    stage_dot life;
} fighter;

static void append_fighter(eddy_timeline *timeline, const fighter *one) {
    const eddy_entity entities[] = {{1, STAGE_MOVER, &one->at}, {2, STAGE_DOT, &one->life}};
    stage_append(timeline, &(eddy_view){entities, 2});
}

static fighter fighter_in(const eddy_view *view) {
    fighter found;
    ck_assert_uint_eq(view->count, 2);
    memcpy(&found.at, view->entities[0].data, sizeof found.at);
    memcpy(&found.life, view->entities[1].data, sizeof found.life);
    return found;
}

/* Small heaps: what is said here must hold across their ends. */
static const eddy_timeline_desc small = {.base_interval = 10, .heap_frames = 40};

/* Report 1: a thing was destroyed, and the recorder went on touching it. */
START_TEST(created_at_10_destroyed_at_20_is_there_only_between) {
    eddy_timeline *timeline = stage_timeline(small);
    for (uint32_t frame = 0; frame <= 40; frame++) {
        stage_mover *thing = frame >= 10 && frame < 20 ? calloc(1, sizeof *thing) : NULL;
        stage_dot dot = {1};
        eddy_entity entities[] = {{1, STAGE_DOT, &dot}, {2, STAGE_MOVER, thing}};
        stage_append(timeline, &(eddy_view){entities, thing ? 2 : 1});
        free(thing);
    }
    const uint32_t seeks[] = {15, 25, 15, 9, 10, 19, 20};
    for (int sealed = 0; sealed < 2; sealed++) {
        for (size_t i = 0; i < sizeof seeks / sizeof *seeks; i++) {
            eddy_view view = stage_read(timeline, seeks[i]);
            bool is_there = eddy_view_find(&view, 2) != NULL;
            ck_assert_msg(is_there == (seeks[i] >= 10 && seeks[i] < 20), "frame %u", seeks[i]);
        }
        ck_assert_int_eq(eddy_timeline_seal(timeline, NULL), EDDY_OK);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

/* Report 4: ids overflowed after many lives. */
START_TEST(ids_up_to_the_last_one_keep_their_order) {
    eddy_timeline *timeline = stage_timeline(small);
    stage_dot dots[4] = {{1}, {2}, {3}, {4}};
    for (uint32_t frame = 0; frame < 90; frame++) {
        eddy_id last = UINT32_MAX - 89 + frame;
        eddy_entity entities[] = {
            {1, STAGE_DOT, &dots[0]}, {last - 1, STAGE_DOT, &dots[1]}, {last, STAGE_DOT, &dots[2]}};
        stage_append(timeline, &(eddy_view){entities, 3});
    }
    ck_assert_int_eq(eddy_timeline_seal(timeline, NULL), EDDY_OK);
    for (uint32_t frame = 90; frame-- > 0;) {
        eddy_view view = stage_read(timeline, frame);
        ck_assert_uint_eq(view.count, 3);
        ck_assert_uint_eq(view.entities[2].id, UINT32_MAX - 89 + frame);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

/* Reports 19 and 20: positions went back three seconds, deaths seven and a half; windows differed from thing to thing.
 */
START_TEST(everything_goes_back_by_the_same_frames) {
    eddy_timeline *timeline = stage_timeline(small);
    fighter one = {.life = {3}};
    for (uint32_t frame = 0; frame < 600; frame++) {
        one.at.x += 1;
        one.life.level = frame < 360 ? 3 : 0; /* dies four seconds before the end */
        append_fighter(timeline, &one);
    }
    const uint32_t back[] = {180, 240, 241, 450};
    for (size_t i = 0; i < sizeof back / sizeof *back; i++) {
        uint32_t frame = 599 - back[i];
        eddy_view view = stage_read(timeline, frame);
        fighter found = fighter_in(&view);
        ck_assert_uint_eq((uint32_t)found.at.x, frame + 1);
        ck_assert_msg((found.life.level == 0) == (frame >= 360), "%u frames back: life %u", back[i], found.life.level);
    }
    eddy_timeline_destroy(timeline);
}
END_TEST

/* Report 22: stepping past the beginning crashed, or went back by twice the limit. */
START_TEST(at_exactly_the_capacity_and_one_more_stepping_past_the_start_stays_there) {
    for (uint32_t frames = 39; frames <= 42; frames++) {
        eddy_timeline *timeline = stage_timeline(small);
        fighter one = {.at = {0}};
        for (uint32_t i = 0; i < frames; i++, one.at.timer++) {
            append_fighter(timeline, &one);
        }
        int64_t shown = frames - 1;
        for (uint32_t tick = 0; tick < 600; tick++) { /* -8x, ten seconds */
            shown -= 8;
            eddy_view view;
            eddy_result result = shown < 0 ? EDDY_E_FRAME : eddy_timeline_read(timeline, (uint32_t)shown, &view, NULL);
            shown = shown < 0 ? 0 : shown;
            ck_assert(result == EDDY_OK || shown == 0);
        }
        ck_assert_int_eq(eddy_timeline_resume(timeline, 0, NULL), EDDY_OK);
        one.at.timer = 777;
        append_fighter(timeline, &one);
        eddy_kept kept = eddy_timeline_kept(timeline);
        ck_assert_uint_eq(kept.count, 2);
        eddy_timeline_destroy(timeline);
    }
}
END_TEST

/* Report 25: a buffer counted in frames instead of bytes took all the memory there was. */
START_TEST(a_world_of_86_megabytes_a_frame_in_a_budget_of_64_is_refused_with_the_number) {
    enum { IMAGE_BYTES = 1 << 20, IMAGES = 82 };
    const eddy_field field = {.name = "bytes", .kind = EDDY_U8, .count = IMAGE_BYTES};
    const eddy_type type = {.name = "image", .size = IMAGE_BYTES, .fields = &field, .field_count = 1};
    const eddy_schema schema = {.types = &type, .type_count = 1};
    stage_memory memory = {.fail_in = -1};
    eddy_timeline *timeline = stage_timeline(
        (eddy_timeline_desc){.schema = &schema, .budget_bytes = 64000000, .hooks = stage_hooks(&memory)});
    uint8_t *image = calloc(1, IMAGE_BYTES);
    eddy_entity entities[IMAGES];
    for (uint32_t i = 0; i < IMAGES; i++) {
        entities[i] = (eddy_entity){i + 1, 0, image};
    }
    eddy_error error;
    ck_assert_int_eq(eddy_timeline_append(timeline, &(eddy_view){entities, IMAGES}, &error), EDDY_E_LIMIT);
    ck_assert_msg(strstr(error.text, "4000000"), "%s", error.text);
    ck_assert_uint_le(memory.peak_bytes, 64000000);
    free(image);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* Report 31: a seek ran the game again for seconds. Here it costs one heap at most, wherever it goes. */
START_TEST(a_seek_in_an_hour_costs_one_heap_at_most) {
    const uint32_t count = stage_long(STAGE_IS_TINY ? 5000 : 20000, 216000);
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.sealing = EDDY_SEALING_INLINE});
    fighter one = {.at = {0}};
    uint64_t *hashes = malloc(count * sizeof *hashes);
    for (uint32_t frame = 0; frame < count; frame++) {
        one.at.x = (float)(frame % 777) * 0.25f;
        one.at.timer = frame;
        append_fighter(timeline, &one);
        ck_assert_int_eq(eddy_timeline_frame(timeline, frame, NULL, &hashes[frame], NULL), EDDY_OK);
    }
    stage_random random = {.state = 31};
    for (uint32_t i = 0; i < 400; i++) {
        uint32_t frame = stage_below(&random, count);
        eddy_statistics before, after;
        eddy_timeline_statistics(timeline, &before);
        eddy_view view = stage_read(timeline, frame);
        eddy_timeline_statistics(timeline, &after);
        uint64_t blocks = after.blocks_decoded - before.blocks_decoded,
                 heaps = after.heaps_opened - before.heaps_opened;
        ck_assert_msg(blocks + 2 * heaps <= 2, "frame %u: %u blocks, %u heaps", frame, (unsigned)blocks,
                      (unsigned)heaps);
        ck_assert_uint_eq(eddy_view_hash(&stage_schema, &view), hashes[frame]);
    }
    free(hashes);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* Report 32: a pause counted as time, and the rewind after it fell short. */
START_TEST(a_pause_records_nothing) {
    eddy_timeline *timeline = stage_timeline(small);
    fighter one = {.at = {0}};
    for (uint32_t tick = 0; tick < 1200; tick++) {
        bool is_paused = tick >= 100 && tick < 1100;
        if (!is_paused) {
            one.at.timer++;
            append_fighter(timeline, &one);
        }
    }
    eddy_kept kept = eddy_timeline_kept(timeline);
    ck_assert_uint_eq(kept.count, 200);
    eddy_view view = stage_read(timeline, kept.last_frame - 60);
    ck_assert_uint_eq(fighter_in(&view).at.timer, 200 - 60);
    eddy_timeline_destroy(timeline);
}
END_TEST

/* The talk, C20: what a minute may cost so that 40 MB last for half an hour to an hour, live; and far longer sealed. */
START_TEST(forty_megabytes_hold_an_hour_of_a_level) {
    eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.base_interval = 120, .heap_frames = 1440});
    stage_mover movers[12] = {{0}};
    eddy_entity entities[12];
    for (uint32_t i = 0; i < 12; i++) {
        movers[i].vx = 30 + 5 * (float)i;
        entities[i] = (eddy_entity){i + 1, STAGE_MOVER, &movers[i]};
    }
    for (uint32_t frame = 0; frame < 3600; frame++) {
        for (uint32_t i = 0; i < 12; i++) {
            movers[i].x += movers[i].vx / 60;
            movers[i].vx = frame % (100 + i) == 0 ? -movers[i].vx : movers[i].vx;
        }
        stage_append(timeline, &(eddy_view){entities, 12});
    }
    ck_assert_int_eq(eddy_timeline_seal(timeline, NULL), EDDY_OK);
    eddy_statistics statistics;
    eddy_timeline_statistics(timeline, &statistics);
    ck_assert_msg(statistics.sealed_bytes * 60 <= 40000000 / 10, "%zu bytes a minute", statistics.sealed_bytes);
    eddy_timeline_destroy(timeline);
}
END_TEST

static void make(Suite *suite) {
    TCase *reports = suite_case(suite, "reports", 120);
    tcase_add_test(reports, created_at_10_destroyed_at_20_is_there_only_between);
    tcase_add_test(reports, ids_up_to_the_last_one_keep_their_order);
    tcase_add_test(reports, everything_goes_back_by_the_same_frames);
    tcase_add_test(reports, at_exactly_the_capacity_and_one_more_stepping_past_the_start_stays_there);
    tcase_add_test(reports, a_world_of_86_megabytes_a_frame_in_a_budget_of_64_is_refused_with_the_number);
    tcase_add_test(reports, a_seek_in_an_hour_costs_one_heap_at_most);
    tcase_add_test(reports, a_pause_records_nothing);
    TCase *talk = suite_case(suite, "the talk", 60);
    tcase_add_test(talk, forty_megabytes_hold_an_hour_of_a_level);
}

int main(void) {
    return suite_run("reports", make);
}
