/* The session file: what was recorded comes back, and what can go wrong while recording costs nothing that was there.
 */
#include "file_session.h"
#include "rewind/file_sync.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void verify_is_good(eddy_reader *reader) {
    ck_assert_uint_eq(eddy_reader_verify(reader, NULL, NULL), 0);
}

/* ---- what comes back ---- */

START_TEST(the_head_carries_the_whole_schema) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "head"});
    ck_assert_int_eq(file_session_close(&session, NULL), EDDY_OK);
    eddy_reader *reader = file_open(session.path);
    const eddy_session_info *info = eddy_reader_info(reader);
    ck_assert_str_eq(info->title, "Test Pond");
    ck_assert_str_eq(info->program, "test 1");
    ck_assert_uint_eq(info->version, 1);
    ck_assert_uint_eq(info->rate_num, 60);
    ck_assert_uint_eq(info->rate_den, 1);
    ck_assert(info->clean);
    ck_assert_uint_eq(info->damage_count, 0);
    ck_assert_uint_eq(info->lost_bytes, 0);
    ck_assert_str_eq(info->damage_text, "");
    const eddy_schema *wrote = file_world_schema(), *read = info->schema;
    ck_assert_uint_eq(read->type_count, wrote->type_count);
    for (uint32_t t = 0; t < wrote->type_count; t++) {
        const eddy_type *a = &wrote->types[t], *b = &read->types[t];
        ck_assert_str_eq(a->name, b->name);
        ck_assert_uint_eq(a->size, b->size);
        ck_assert_uint_eq(a->field_count, b->field_count);
        for (uint32_t i = 0; i < a->size; i++)
            ck_assert_uint_eq(a->defaults ? ((const uint8_t *)a->defaults)[i] : 0, ((const uint8_t *)b->defaults)[i]);
        for (uint32_t f = 0; f < a->field_count; f++) {
            const eddy_field *x = &a->fields[f], *y = &b->fields[f];
            ck_assert_str_eq(x->name, y->name);
            ck_assert_int_eq(x->kind, y->kind);
            ck_assert_uint_eq(x->count, y->count);
            ck_assert_uint_eq(x->offset, y->offset);
            ck_assert(x->min == y->min && x->max == y->max);
            ck_assert_pstr_eq(x->unit, y->unit);
            ck_assert_pstr_eq(x->integrates, y->integrates);
            ck_assert_uint_eq(x->name_count, y->name_count);
            for (uint32_t n = 0; n < x->name_count; n++)
                ck_assert_str_eq(x->names[n], y->names[n]);
        }
    }
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

START_TEST(every_frame_of_both_axes_comes_back) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "frames", .seed = 7});
    file_session_play(&session, 400);
    file_session_stand(&session, 30);
    file_session_play(&session, 70);
    ck_assert_int_eq(file_session_close(&session, NULL), EDDY_OK);
    eddy_reader *reader = file_open(session.path);
    const eddy_session_info *info = eddy_reader_info(reader);
    ck_assert_uint_eq(info->axis[EDDY_AXIS_WORLD].frames, 471);
    ck_assert_uint_eq(info->axis[EDDY_AXIS_TICKS].frames, 501);
    ck_assert_uint_eq(info->axis[EDDY_AXIS_WORLD].branch_count, 1);
    ck_assert_uint_eq(info->axis[EDDY_AXIS_WORLD].first_frame, 0);
    ck_assert_uint_eq(info->axis[EDDY_AXIS_WORLD].last_frame, 470);
    ck_assert_uint_eq(info->axis[EDDY_AXIS_TICKS].last_frame, 500);
    ck_assert_uint_eq(file_session_compare(&session, reader, "played"), session.recorded_count);
    verify_is_good(reader);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

START_TEST(frames_can_be_read_in_any_order) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "order", .seed = 3});
    file_session_play(&session, 500);
    file_session_close(&session, NULL);
    eddy_reader *reader = file_open(session.path);
    uint32_t random = 5;
    for (int i = 0; i < 2000; i++) {
        uint32_t frame = file_random(&random) % 501;
        eddy_view view;
        eddy_error error = {0};
        MUST(eddy_reader_read(reader, EDDY_AXIS_WORLD, 0, frame, &view, &error) == EDDY_OK, "%s", error.text);
        const file_recorded *recorded = file_session_find(&session, EDDY_AXIS_WORLD, 0, frame);
        MUST(eddy_view_hash(file_world_schema(), &view) == recorded->hash, "read %d: frame %u", i, frame);
    }
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

/* ---- branches ---- */

START_TEST(a_branch_reads_through_to_its_ancestors) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "line"});
    file_session_play(&session, 200); /* branch 0: 0 .. 200 */
    file_session_resume(&session, 150);
    file_session_play(&session, 100); /* branch 1: 151 .. 250 */
    file_session_resume(&session, 40);
    file_session_play(&session, 10); /* branch 2: 41 .. 50, from branch 0 */
    file_session_close(&session, NULL);
    eddy_reader *reader = file_open(session.path);
    const eddy_session_info *info = eddy_reader_info(reader);
    ck_assert_uint_eq(info->axis[0].branch_count, 3);
    const eddy_branch_info expected[] = {{0, UINT32_MAX, 0, 200}, {1, 0, 151, 250}, {2, 0, 41, 50}};
    for (int i = 0; i < 3; i++)
        ck_assert_mem_eq(&info->axis[0].branches[i], &expected[i], sizeof expected[i]);
    ck_assert_uint_eq(info->axis[0].last_branch, 2);
    ck_assert_uint_eq(info->axis[0].first_frame, 0);
    ck_assert_uint_eq(info->axis[0].last_frame, 50);
    ck_assert_uint_eq(info->axis[0].frames, 201 + 100 + 10);
    const struct {
        uint32_t branch, frame, holder;
    } rows[] = {{0, 0, 0}, {0, 151, 0}, {1, 150, 0}, {1, 151, 1}, {1, 250, 1}, {1, 0, 0}, {2, 40, 0}, {2, 41, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t holder = 99;
        uint64_t hash;
        eddy_error error = {0};
        MUST(eddy_reader_frame(reader, EDDY_AXIS_WORLD, rows[i].branch, rows[i].frame, &holder, &hash, &error) ==
                 EDDY_OK,
             "row %zu: %s", i, error.text);
        MUST(holder == rows[i].holder, "row %zu: held by %u", i, holder);
        ck_assert(hash == file_session_find(&session, EDDY_AXIS_WORLD, holder, rows[i].frame)->hash);
        eddy_view view;
        ck_assert_int_eq(eddy_reader_read(reader, EDDY_AXIS_WORLD, rows[i].branch, rows[i].frame, &view, NULL),
                         EDDY_OK);
        ck_assert(eddy_view_hash(file_world_schema(), &view) == hash);
    }
    ck_assert_uint_eq(file_session_compare(&session, reader, "line"), session.recorded_count);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

START_TEST(a_restart_is_a_new_root) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "root"});
    file_session_play(&session, 30);
    file_session_restart(&session, 9);
    file_session_play(&session, 5);
    file_session_close(&session, NULL);
    eddy_reader *reader = file_open(session.path);
    const eddy_session_info *info = eddy_reader_info(reader);
    ck_assert_uint_eq(info->axis[0].branch_count, 2);
    ck_assert_uint_eq(info->axis[0].branches[1].parent, UINT32_MAX);
    ck_assert_uint_eq(info->axis[0].last_branch, 1);
    ck_assert_uint_eq(info->axis[0].last_frame, 5);
    ck_assert_uint_eq(info->axis[1].branch_count, 1); /* ticks go on */
    ck_assert_int_eq(eddy_reader_frame(reader, EDDY_AXIS_WORLD, 1, 6, NULL, NULL, NULL), EDDY_E_FRAME);
    ck_assert_uint_eq(file_session_compare(&session, reader, "root"), session.recorded_count);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

START_TEST(the_overwritten_future_stays_in_the_file) {
    for (uint32_t seed = 1; seed <= 6; seed++) {
        file_session session;
        file_session_begin(&session, &(file_session_desc){.name = "random",
                                                          .seed = seed,
                                                          .base_interval = seed % 2 ? 8 : 0,
                                                          .heap_frames = seed % 2 ? 48 : 0,
                                                          .flush_frames = 1 + seed * 7});
        uint32_t random = seed;
        for (int act = 0; act < 60; act++) {
            eddy_kept kept = eddy_timeline_kept(session.timeline[EDDY_AXIS_WORLD]);
            switch (file_random(&random) % 8) {
            case 0:
                file_session_restart(&session, seed + (uint32_t)act);
                break;
            case 1:
            case 2:
                file_session_resume(&session,
                                    kept.first_frame + file_random(&random) % (kept.last_frame - kept.first_frame + 1));
                break;
            case 3:
                file_session_stand(&session, file_random(&random) % 9);
                break;
            default:
                file_session_play(&session, file_random(&random) % 40);
            }
        }
        ck_assert_int_eq(file_session_close(&session, NULL), EDDY_OK);
        eddy_reader *reader = file_open(session.path);
        char what[32];
        snprintf(what, sizeof what, "seed %u", seed);
        ck_assert_uint_eq(file_session_compare(&session, reader, what), session.recorded_count);
        MUST(eddy_reader_info(reader)->clean, "%s: %s", what, eddy_reader_info(reader)->damage_text);
        verify_is_good(reader);
        eddy_reader_close(reader);
        file_session_end(&session);
    }
}
END_TEST

/* ---- notes and constants ---- */

START_TEST(notes_come_back_with_their_ticks) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "notes"});
    ck_assert_int_eq(eddy_writer_note(session.writer, "begun", NULL), EDDY_OK);
    file_session_play(&session, 20);
    ck_assert_int_eq(eddy_writer_note(session.writer, "", NULL), EDDY_OK);
    file_session_stand(&session, 5);
    ck_assert_int_eq(eddy_writer_note(session.writer, "zwölf Wünsche", NULL), EDDY_OK);
    file_session_close(&session, NULL);
    eddy_reader *reader = file_open(session.path);
    const struct {
        uint64_t tick;
        const char *text;
    } expected[] = {{0, "begun"}, {20, ""}, {25, "zwölf Wünsche"}};
    ck_assert_uint_eq(eddy_reader_info(reader)->note_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t tick;
        const char *text;
        ck_assert_int_eq(eddy_reader_note(reader, i, &tick, &text, NULL), EDDY_OK);
        ck_assert_uint_eq(tick, expected[i].tick);
        ck_assert_str_eq(text, expected[i].text);
    }
    uint64_t tick;
    const char *text;
    eddy_error error;
    ck_assert_int_eq(eddy_reader_note(reader, 3, &tick, &text, &error), EDDY_E_ARGUMENT);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

static void hand_over_stones(file_session *session, double weight) {
    stone stones[2] = {{.weight = weight}, {.weight = 2 * weight, .tiles = {1, 2, 3, 4}}};
    eddy_entity entities[2] = {{500, FILE_TYPE_STONE, &stones[0]}, {501, FILE_TYPE_STONE, &stones[1]}};
    eddy_error error = {0};
    MUST(eddy_timeline_constants(session->timeline[EDDY_AXIS_WORLD], &(eddy_view){entities, 2}, &error) == EDDY_OK,
         "%s", error.text);
}

static double first_weight(eddy_reader *reader, eddy_axis axis, uint32_t frame) {
    eddy_view view;
    eddy_error error = {0};
    MUST(eddy_reader_constants(reader, axis, 0, frame, &view, &error) == EDDY_OK, "%s", error.text);
    return view.count ? ((const stone *)view.entities[0].data)->weight : -1;
}

START_TEST(each_frame_has_the_constants_of_its_epoch) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "constants"});
    file_session_play(&session, 9); /* 0 .. 9 without constants */
    hand_over_stones(&session, 1);
    file_session_play(&session, 10); /* 10 .. 19 */
    hand_over_stones(&session, 5);
    file_session_play(&session, 10); /* 20 .. 29 */
    file_session_close(&session, NULL);
    eddy_reader *reader = file_open(session.path);
    const struct {
        uint32_t frame;
        double weight;
    } rows[] = {{0, -1}, {9, -1}, {10, 1}, {19, 1}, {20, 5}, {29, 5}, {10, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_double_eq(first_weight(reader, EDDY_AXIS_WORLD, rows[i].frame), rows[i].weight);
    ck_assert_double_eq(first_weight(reader, EDDY_AXIS_TICKS, 29), -1);
    eddy_view view;
    eddy_reader_constants(reader, EDDY_AXIS_WORLD, 0, 20, &view, NULL);
    ck_assert_uint_eq(view.count, 2);
    ck_assert_uint_eq(view.entities[1].id, 501);
    ck_assert_uint_eq(((const stone *)view.entities[1].data)->tiles[3], 4);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

/* ---- while it is written ---- */

START_TEST(at_most_sixty_frames_are_unwritten) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "unwritten"});
    for (uint32_t i = 1; i <= 200; i++) {
        file_session_play(&session, 1);
        eddy_reader *reader = file_open(session.path);
        const eddy_session_info *info = eddy_reader_info(reader);
        MUST(info->axis[0].frames + 60 > i + 1 && info->axis[1].frames + 60 > i + 1, "frame %u: %llu and %llu written",
             i, (unsigned long long)info->axis[0].frames, (unsigned long long)info->axis[1].frames);
        ck_assert(!info->clean);
        ck_assert_uint_eq(info->damage_count, 0);
        ck_assert_uint_eq(info->lost_bytes, 0);
        eddy_reader_close(reader);
    }
    ck_assert_int_eq(eddy_writer_flush(session.writer, NULL), EDDY_OK);
    eddy_reader *reader = file_open(session.path);
    ck_assert_uint_eq(eddy_reader_info(reader)->axis[0].frames, 201);
    ck_assert_uint_eq(file_session_compare(&session, reader, "flushed"), session.recorded_count);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

START_TEST(a_kill_costs_less_than_sixty_frames) {
    for (uint32_t frames = 30; frames <= 330; frames += 100) {
        file_session session;
        char path[256];
        file_path(path, sizeof path, "kill");
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            setpgid(0, 0);
            file_session_begin(&session, &(file_session_desc){.name = "kill"});
            rename(session.path, path);
            file_session_play(&session, frames);
            kill(getpid(), SIGKILL);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        /* The same again, here: what the child recorded. */
        file_session_begin(&session, &(file_session_desc){.name = "kill-model"});
        file_session_play(&session, frames);
        eddy_reader *reader = file_open(path);
        const eddy_session_info *info = eddy_reader_info(reader);
        ck_assert(!info->clean);
        ck_assert_uint_eq(info->damage_count, 0);
        ck_assert_uint_ge(info->axis[0].frames + 59, frames + 1);
        ck_assert_uint_ge(info->axis[1].frames + 59, frames + 1);
        file_session_compare(&session, reader, "killed");
        verify_is_good(reader);
        eddy_reader_close(reader);
        file_session_end(&session);
        unlink(path);
    }
}
END_TEST

START_TEST(the_same_play_gives_the_same_bytes) {
    uint8_t *bytes[2];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        file_session session;
        file_session_begin(&session, &(file_session_desc){.name = "same"});
        file_session_play(&session, 150);
        file_session_close(&session, NULL);
        bytes[i] = file_load(session.path, &size[i]);
        file_session_end(&session);
    }
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}
END_TEST

START_TEST(a_long_recording_reaches_the_disk_heap_by_heap) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "long"});
    file_session_play(&session, 3000); /* two heaps, two fsyncs beside the game */
    ck_assert_int_eq(file_session_close(&session, NULL), EDDY_OK);
    eddy_reader *reader = file_open(session.path);
    ck_assert(eddy_reader_info(reader)->clean);
    ck_assert_uint_eq(file_session_compare(&session, reader, "long"), session.recorded_count);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

START_TEST(an_fsync_beside_the_game_tells_its_error_later) {
    file_sync sync = {0};
    int cause = 99;
    ck_assert_int_eq(file_sync_wait(&sync), 0);
    ck_assert(file_sync_start(&sync, -1, &cause)); /* no such file */
    ck_assert_int_eq(cause, 0);
    while (!file_sync_start(&sync, -1, &cause)) {
        ck_assert_int_eq(cause, 0); /* one at a time */
    }
    ck_assert_int_eq(cause, EBADF);
    ck_assert_int_eq(file_sync_wait(&sync), EBADF);
    ck_assert_int_eq(file_sync_wait(&sync), 0);
}
END_TEST

START_TEST(a_saved_copy_is_closed_and_recording_goes_on) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "saved"});
    char copy[64];
    file_path(copy, sizeof copy, "copy");
    for (uint32_t frames = 10; frames <= 210; frames += 100) { /* over what was saved before */
        file_session_play(&session, frames);
        eddy_error error = {0};
        MUST(eddy_writer_save(session.writer, copy, &error) == EDDY_OK, "%s", error.text);
        eddy_reader *reader = file_open(copy);
        MUST(eddy_reader_info(reader)->clean, "%s", eddy_reader_info(reader)->damage_text);
        ck_assert_uint_eq(file_session_compare(&session, reader, "copy"), session.recorded_count);
        eddy_reader_close(reader);
    }
    eddy_error error = {0};
    ck_assert_int_eq(eddy_writer_save(session.writer, session.path, &error), EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "is the recording itself"));
    ck_assert_int_eq(eddy_writer_save(session.writer, "/dev/null", &error), EDDY_E_IO);
    ck_assert_int_eq(eddy_writer_save(session.writer, ".", &error), EDDY_E_IO);
    ck_assert_int_eq(eddy_writer_save(session.writer, "no/such/folder/a.eddy", &error), EDDY_E_IO);
    file_session_play(&session, 30);
    ck_assert_int_eq(file_session_close(&session, NULL), EDDY_OK);
    eddy_reader *reader = file_open(session.path);
    ck_assert(eddy_reader_info(reader)->clean);
    ck_assert_uint_eq(file_session_compare(&session, reader, "original"), session.recorded_count);
    eddy_reader_close(reader);
    unlink(copy);
    file_session_end(&session);
}
END_TEST

/* ---- where it cannot be written ---- */

static eddy_result try_create(const char *path, eddy_error *error) {
    eddy_writer *writer = NULL;
    *error = (eddy_error){0};
    eddy_result result =
        eddy_writer_create(&(eddy_writer_desc){.path = path, .schema = file_world_schema()}, &writer, error);
    ck_assert_int_eq(result, result == EDDY_OK ? EDDY_OK : (int)error->code);
    ck_assert(result == EDDY_OK || strstr(error->text, path));
    eddy_writer_close(writer, NULL);
    return result;
}

START_TEST(what_is_no_file_is_refused) {
    eddy_error error;
    mkfifo("pipe.eddy", 0600);
    mkdir("locked", 0500);
    const char *paths[] = {
        ".", "/", "/dev/null", "pipe.eddy", "no/such/folder/a.eddy", "/proc/a.eddy", "test_file.c/a.eddy"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        MUST(try_create(paths[i], &error) == EDDY_E_IO, "%s: %s", paths[i], error.text);
        MUST(strchr(error.text, ';'), "nothing to try: %s", error.text);
    }
    if (geteuid() != 0) {
        ck_assert_int_eq(try_create("locked/a.eddy", &error), EDDY_E_IO);
        ck_assert_ptr_nonnull(strstr(error.text, "choose a file or folder"));
    }
    char long_name[400];
    memset(long_name, 'a', sizeof long_name);
    long_name[sizeof long_name - 1] = 0;
    eddy_writer *writer;
    ck_assert_int_eq(
        eddy_writer_create(&(eddy_writer_desc){.path = long_name, .schema = file_world_schema()}, &writer, &error),
        EDDY_E_IO);
    ck_assert_int_eq(eddy_writer_create(&(eddy_writer_desc){.path = "", .schema = file_world_schema()}, &writer, NULL),
                     EDDY_E_ARGUMENT);
    ck_assert_ptr_null(writer);
    unlink("pipe.eddy");
    rmdir("locked");
}
END_TEST

START_TEST(a_second_writer_is_refused_and_the_first_goes_on) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "locked"});
    file_session_play(&session, 100);
    eddy_error error;
    ck_assert_int_eq(try_create(session.path, &error), EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "another session"));
    file_session_play(&session, 100);
    ck_assert_int_eq(file_session_close(&session, NULL), EDDY_OK);
    eddy_reader *reader = file_open(session.path);
    ck_assert(eddy_reader_info(reader)->clean);
    ck_assert_uint_eq(file_session_compare(&session, reader, "locked"), session.recorded_count);
    /* Nor is a file emptied under a reader. */
    ck_assert_int_eq(try_create(session.path, &error), EDDY_E_IO);
    ck_assert_uint_eq(file_session_compare(&session, reader, "read"), session.recorded_count);
    eddy_reader_close(reader);
    /* Closed, it may be written over. */
    ck_assert_int_eq(try_create(session.path, &error), EDDY_OK);
    reader = file_open(session.path);
    ck_assert(eddy_reader_info(reader)->clean);
    ck_assert_uint_eq(eddy_reader_info(reader)->axis[0].frames, 0);
    ck_assert_uint_eq(eddy_reader_info(reader)->axis[0].last_branch, UINT32_MAX);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

/* While set, no file of this process grows beyond `limit`. */
static void limit_file_size(rlim_t limit) {
    struct rlimit now;
    MUST(getrlimit(RLIMIT_FSIZE, &now) == 0, "no limit");
    now.rlim_cur = limit;
    MUST(setrlimit(RLIMIT_FSIZE, &now) == 0, "limit refused");
}

START_TEST(a_full_disk_ends_the_file_and_not_the_game) {
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit = 4000; limit < 40000; limit += 3331) {
        file_session session;
        file_session_begin(&session, &(file_session_desc){.name = "full"});
        eddy_error error = {0}, closing = {0};
        limit_file_size(limit);
        file_session_play(&session, 2000);
        eddy_result status = eddy_writer_status(session.writer, &error);
        eddy_result noted = eddy_writer_note(session.writer, "too late", NULL);
        eddy_result flushed = eddy_writer_flush(session.writer, NULL);
        eddy_result closed = file_session_close(&session, &closing);
        limit_file_size(RLIM_INFINITY);
        MUST(status == EDDY_E_IO && noted == EDDY_E_IO && flushed == EDDY_E_IO && closed == EDDY_E_IO,
             "limit %u: %d %d %d %d", (unsigned)limit, status, noted, flushed, closed);
        ck_assert_str_eq(closing.text, error.text);
        ck_assert_str_eq(session.last_line, error.text);
        ck_assert_uint_eq(session.logged, 1);
        ck_assert_ptr_nonnull(strstr(error.text, session.path));
        ck_assert_ptr_nonnull(strstr(error.text, "make room"));
        ck_assert_uint_eq(eddy_timeline_kept(session.timeline[0]).last_frame, 2000);
        eddy_reader *reader = file_open(session.path);
        const eddy_session_info *info = eddy_reader_info(reader);
        ck_assert(!info->clean);
        ck_assert_uint_eq(info->damage_count, 0);
        ck_assert_uint_eq(info->lost_bytes, 0); /* cut back to the last whole record */
        ck_assert_uint_le(info->file_bytes, limit);
        file_session_compare(&session, reader, "full");
        eddy_reader_close(reader);
        file_session_end(&session);
    }
}
END_TEST

START_TEST(a_copy_without_room_leaves_what_was_there) {
    signal(SIGXFSZ, SIG_IGN);
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "copied"});
    char copy[64], part[96];
    file_path(copy, sizeof copy, "copy");
    snprintf(part, sizeof part, "%s.%ld.part", copy, (long)getpid());
    file_store(copy, "precious", 8);
    file_session_play(&session, 300);
    eddy_writer_flush(session.writer, NULL);
    eddy_error error = {0};
    limit_file_size(5000);
    eddy_result saved = eddy_writer_save(session.writer, copy, &error);
    limit_file_size(RLIM_INFINITY);
    ck_assert_int_eq(saved, EDDY_E_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "make room"));
    size_t size;
    uint8_t *bytes = file_load(copy, &size);
    ck_assert_uint_eq(size, 8);
    ck_assert_mem_eq(bytes, "precious", 8);
    free(bytes);
    ck_assert_int_ne(access(part, F_OK), 0);
    ck_assert_int_eq(eddy_writer_status(session.writer, NULL), EDDY_OK); /* the recording itself is well */
    unlink(copy);
    file_session_end(&session);
}
END_TEST

START_TEST(no_room_for_the_head_creates_nothing) {
    signal(SIGXFSZ, SIG_IGN);
    char path[64];
    file_path(path, sizeof path, "nothing");
    eddy_writer *writer;
    eddy_error error = {0};
    limit_file_size(100);
    eddy_result created =
        eddy_writer_create(&(eddy_writer_desc){.path = path, .schema = file_world_schema()}, &writer, &error);
    limit_file_size(RLIM_INFINITY);
    ck_assert_int_eq(created, EDDY_E_IO);
    ck_assert_ptr_null(writer);
    ck_assert_ptr_nonnull(strstr(error.text, path));
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

/* ---- no memory ---- */

typedef struct failing_memory {
    int left; /* reservations until one fails; it and all later ones fail */
    int failed;
    size_t held_bytes;
} failing_memory;

static void *failing_reserve(void *user, size_t bytes) {
    failing_memory *memory = user;
    if (memory->left-- <= 0) {
        memory->failed++;
        return NULL;
    }
    memory->held_bytes += bytes;
    return calloc(1, bytes);
}

static void failing_release(void *user, void *block, size_t bytes) {
    ((failing_memory *)user)->held_bytes -= bytes;
    free(block);
}

START_TEST(without_memory_the_file_ends_and_not_the_game) {
    char path[64];
    file_path(path, sizeof path, "memory");
    int failures = 0;
    for (int left = 0; left < 40; left++) {
        failing_memory memory = {.left = left};
        eddy_hooks hooks = {.reserve = failing_reserve, .release = failing_release, .user = &memory};
        eddy_timeline *timeline;
        eddy_writer *writer;
        eddy_error error = {0};
        ck_assert_int_eq(eddy_timeline_create(&(eddy_timeline_desc){.schema = file_world_schema()}, &timeline, NULL),
                         EDDY_OK);
        eddy_result created = eddy_writer_create(
            &(eddy_writer_desc){.path = path, .schema = file_world_schema(), .hooks = hooks}, &writer, &error);
        ck_assert(created == EDDY_OK || created == EDDY_E_MEMORY);
        if (created == EDDY_OK) {
            ck_assert_int_eq(eddy_writer_attach(writer, EDDY_AXIS_WORLD, timeline, NULL), EDDY_OK);
            file_world world;
            file_world_begin(&world, 1, 10);
            for (int i = 0; i < 130; i++) {
                file_world_view look;
                ck_assert_int_eq(eddy_timeline_append(timeline, file_world_look(&world, &look), NULL), EDDY_OK);
                file_world_step(&world);
            }
            eddy_result closed = eddy_writer_close(writer, &error);
            ck_assert_int_eq(closed, memory.failed ? EDDY_E_MEMORY : EDDY_OK);
            eddy_reader *reader = file_open(path);
            ck_assert_int_eq(eddy_reader_info(reader)->clean, closed == EDDY_OK);
            ck_assert_uint_eq(eddy_reader_info(reader)->damage_count, 0);
            ck_assert_uint_eq(eddy_reader_info(reader)->lost_bytes, 0);
            eddy_reader_close(reader);
        }
        failures += memory.failed > 0;
        ck_assert_uint_eq(memory.held_bytes, 0);
        eddy_timeline_destroy(timeline);
    }
    ck_assert_int_gt(failures, 2);
    ck_assert_int_lt(failures, 40);
    unlink(path);
}
END_TEST

/* ---- misuse ---- */

START_TEST(an_axis_takes_one_empty_timeline) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "axis", .no_ticks = true});
    eddy_error error;
    ck_assert_int_eq(eddy_writer_attach(session.writer, EDDY_AXIS_TICKS, session.timeline[0], &error), EDDY_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "already"));
    eddy_timeline *other;
    ck_assert_int_eq(eddy_timeline_create(&(eddy_timeline_desc){.schema = file_world_schema()}, &other, NULL), EDDY_OK);
    ck_assert_int_eq(eddy_writer_attach(session.writer, EDDY_AXIS_WORLD, other, &error), EDDY_E_ARGUMENT);
    ck_assert_int_eq(eddy_writer_attach(session.writer, EDDY_AXIS_COUNT, other, &error), EDDY_E_ARGUMENT);
    eddy_writer_detach(session.writer, other); /* not attached: nothing happens */
    eddy_writer_detach(session.writer, session.timeline[0]);
    file_session_play(&session, 10); /* no longer recorded in the file */
    ck_assert_int_eq(eddy_writer_attach(session.writer, EDDY_AXIS_WORLD, other, &error), EDDY_E_ARGUMENT);
    ck_assert_int_eq(file_session_close(&session, NULL), EDDY_OK);
    eddy_reader *reader = file_open(session.path);
    ck_assert_uint_eq(eddy_reader_info(reader)->axis[0].frames, 1);
    ck_assert(eddy_reader_info(reader)->clean);
    eddy_reader_close(reader);
    eddy_timeline_destroy(other);
    file_session_end(&session);
    eddy_writer_close(NULL, NULL);
    eddy_reader_close(NULL);
}
END_TEST

START_TEST(a_frame_that_is_not_there_names_the_range) {
    file_session session;
    file_session_begin(&session, &(file_session_desc){.name = "range"});
    file_session_play(&session, 20);
    file_session_close(&session, NULL);
    eddy_reader *reader = file_open(session.path);
    eddy_view view;
    eddy_error error;
    ck_assert_int_eq(eddy_reader_read(reader, EDDY_AXIS_WORLD, 0, 21, &view, &error), EDDY_E_FRAME);
    ck_assert_ptr_nonnull(strstr(error.text, "0 to 20, not 21"));
    ck_assert_ptr_nonnull(strstr(error.text, session.path));
    ck_assert_int_eq(eddy_reader_read(reader, EDDY_AXIS_WORLD, 4, 0, &view, &error), EDDY_E_FRAME);
    ck_assert_ptr_nonnull(strstr(error.text, "branch 4"));
    ck_assert_int_eq(eddy_reader_read(reader, EDDY_AXIS_COUNT, 0, 0, &view, &error), EDDY_E_FRAME);
    ck_assert_int_eq(eddy_reader_constants(reader, EDDY_AXIS_WORLD, 0, 99, &view, &error), EDDY_E_FRAME);
    eddy_reader_close(reader);
    file_session_end(&session);
}
END_TEST

static void make(Suite *suite) {
    TCase *back = suite_case(suite, "what comes back", 20);
    tcase_add_test(back, the_head_carries_the_whole_schema);
    tcase_add_test(back, every_frame_of_both_axes_comes_back);
    tcase_add_test(back, frames_can_be_read_in_any_order);
    tcase_add_test(back, a_branch_reads_through_to_its_ancestors);
    tcase_add_test(back, a_restart_is_a_new_root);
    tcase_add_test(back, the_overwritten_future_stays_in_the_file);
    tcase_add_test(back, notes_come_back_with_their_ticks);
    tcase_add_test(back, each_frame_has_the_constants_of_its_epoch);
    TCase *writing = suite_case(suite, "while it is written", 20);
    tcase_add_test(writing, at_most_sixty_frames_are_unwritten);
    tcase_add_test(writing, a_kill_costs_less_than_sixty_frames);
    tcase_add_test(writing, the_same_play_gives_the_same_bytes);
    tcase_add_test(writing, a_long_recording_reaches_the_disk_heap_by_heap);
    tcase_add_test(writing, an_fsync_beside_the_game_tells_its_error_later);
    tcase_add_test(writing, a_saved_copy_is_closed_and_recording_goes_on);
    TCase *refused = suite_case(suite, "where it cannot be written", 20);
    tcase_add_test(refused, what_is_no_file_is_refused);
    tcase_add_test(refused, a_second_writer_is_refused_and_the_first_goes_on);
    tcase_add_test(refused, a_full_disk_ends_the_file_and_not_the_game);
    tcase_add_test(refused, a_copy_without_room_leaves_what_was_there);
    tcase_add_test(refused, no_room_for_the_head_creates_nothing);
    tcase_add_test(refused, without_memory_the_file_ends_and_not_the_game);
    TCase *misuse = suite_case(suite, "misuse", 20);
    tcase_add_test(misuse, an_axis_takes_one_empty_timeline);
    tcase_add_test(misuse, a_frame_that_is_not_there_names_the_range);
}

int main(void) {
    return suite_run("file", make);
}
