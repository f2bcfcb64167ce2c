/* Broken session files: never a crash, never a wrong frame offered as a good one, and what is whole can be read. */
#include "file_session.h"
#include "rewind/file_frames.h"
#include "rewind/file_record.h"
#include "suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- a file to break ---- */

#define RECORDS_MAX 200

/* A recording and its bytes; `path` is where broken variants go. */
typedef struct victim_file {
    file_session session;
    char path[64];
    uint8_t *bytes;
    size_t size;
    uint64_t at[RECORDS_MAX + 1]; /* where each record begins; the file's end behind the last */
    uint16_t kind[RECORDS_MAX];
    uint32_t count;
    uint32_t frames; /* offered when nothing is broken */
} victim_file;

static void victim_records(victim_file *victim) {
    file_damage damage = {0};
    file_scan scan = {.bytes = victim->bytes, .size = victim->size, .at = FILE_PREFIX_BYTES, .damage = &damage};
    file_record record;
    while (file_scan_next(&scan, &record)) {
        ck_assert_uint_lt(victim->count, RECORDS_MAX);
        victim->kind[victim->count] = record.kind;
        victim->at[victim->count++] = record.offset;
    }
    victim->at[victim->count] = victim->size;
    ck_assert_uint_eq(damage.count, 0);
}

/* About a hundred frames on two branches, a note, constants, several records. */
static void victim_begin(victim_file *victim, const char *name, uint32_t drifters) {
    memset(victim, 0, sizeof *victim);
    bool many = drifters <= 2; /* variants to come: the world's axis is enough */
    file_session *session = &victim->session;
    file_session_begin(session, &(file_session_desc){.name = name,
                                                     .drifters = drifters,
                                                     .seed = 11,
                                                     .base_interval = 10,
                                                     .heap_frames = 40,
                                                     .flush_frames = 6,
                                                     .no_ticks = many});
    file_session_play(session, 40);
    ck_assert_int_eq(eddy_writer_note(session->writer, "a note", NULL), EDDY_OK);
    stone constant = {.weight = 2};
    eddy_entity entity = {900, FILE_TYPE_STONE, &constant};
    ck_assert_int_eq(eddy_timeline_constants(session->timeline[0], &(eddy_view){&entity, 1}, NULL), EDDY_OK);
    file_session_resume(session, 25);
    file_session_play(session, 20);
    ck_assert_int_eq(file_session_close(session, NULL), EDDY_OK);
    victim->bytes = file_load(session->path, &victim->size);
    victim_records(victim);
    victim->frames = session->recorded_count;
    file_path(victim->path, sizeof victim->path, "broken");
}

static void victim_end(victim_file *victim) {
    free(victim->bytes);
    unlink(victim->path);
    file_session_end(&victim->session);
}

/* Reads all that a broken file offers. Every frame must be a recorded one, to the bit. */
typedef struct outcome {
    eddy_result opened;
    bool clean;
    uint32_t damage_count, offered;
    uint64_t lost_bytes, bad;
    char text[400];
} outcome;

static outcome examine(const victim_file *victim, const char *what) {
    outcome out = {0};
    eddy_reader *reader;
    eddy_error error = {0};
    out.opened = eddy_reader_open(victim->path, &reader, &error);
    if (out.opened != EDDY_OK) {
        MUST(out.opened == error.code && strstr(error.text, victim->path), "%s: %s", what, error.text);
        snprintf(out.text, sizeof out.text, "%s", error.text);
        return out;
    }
    const eddy_session_info *info = eddy_reader_info(reader);
    out.clean = info->clean;
    out.damage_count = info->damage_count;
    out.lost_bytes = info->lost_bytes;
    MUST((info->damage_count > 0) == (info->damage_text[0] != 0), "%s: %u damages, \"%s\"", what, info->damage_count,
         info->damage_text);
    MUST(!info->clean || (info->damage_count == 0 && info->lost_bytes == 0), "%s: clean and damaged", what);
    snprintf(out.text, sizeof out.text, "%s", info->damage_text);
    out.offered = file_session_compare(&victim->session, reader, what);
    if (out.lost_bytes % 8 == 0) { /* the comparison has decoded all of them; this is the other way to do it */
        out.bad = eddy_reader_verify(reader, NULL, NULL);
    }
    eddy_view view;
    for (uint32_t frame = 0; frame <= 45; frame += 15)
        eddy_reader_constants(reader, EDDY_AXIS_WORLD, 1, frame, &view, NULL);
    eddy_reader_close(reader);
    return out;
}

static outcome examine_bytes(const victim_file *victim, const void *bytes, size_t size, const char *what) {
    file_store(victim->path, bytes, size);
    return examine(victim, what);
}

/* ---- cut and flipped ---- */

START_TEST(a_file_cut_anywhere_opens_with_what_is_whole) {
    victim_file victim;
    victim_begin(&victim, "cut", 2);
    file_store(victim.path, victim.bytes, victim.size);
    uint32_t offered_before = victim.frames;
    for (size_t size = victim.size; size-- > 0;) {
        char what[32];
        snprintf(what, sizeof what, "cut at %zu", size);
        ck_assert_int_eq(truncate(victim.path, (off_t)size), 0);
        outcome out = examine(&victim, what);
        if (size < victim.at[1]) { /* the first head is not complete */
            MUST(out.opened == EDDY_E_FORMAT, "%s: %d", what, out.opened);
            continue;
        }
        MUST(out.opened == EDDY_OK, "%s: %s", what, out.text);
        MUST(!out.clean && out.damage_count == 0, "%s: clean %d, %s", what, out.clean, out.text);
        MUST(out.offered <= offered_before && out.bad == 0, "%s: %u frames", what, out.offered);
        offered_before = out.offered;
        uint32_t whole = 0;
        while (whole < victim.count && victim.at[whole + 1] <= size)
            whole++;
        MUST(out.lost_bytes == size - victim.at[whole], "%s: %llu bytes lost", what,
             (unsigned long long)out.lost_bytes);
    }
    victim_end(&victim);
}
END_TEST

START_TEST(a_flip_of_any_byte_is_found) {
    victim_file victim;
    victim_begin(&victim, "flip", 2);
    file_store(victim.path, victim.bytes, victim.size);
    int fd = open(victim.path, O_WRONLY);
    ck_assert_int_ge(fd, 0);
    uint64_t largest = 0;
    for (uint32_t i = 0; i < victim.count; i++)
        if (victim.at[i + 1] - victim.at[i] > largest)
            largest = victim.at[i + 1] - victim.at[i];
    for (size_t at = 0; at < victim.size; at++) {
        char what[32];
        snprintf(what, sizeof what, "flip at %zu", at);
        uint8_t flipped = victim.bytes[at] ^ (uint8_t)(at % 3 ? 1u << at % 8 : 0xffu);
        ck_assert_int_eq(pwrite(fd, &flipped, 1, (off_t)at), 1);
        outcome out = examine(&victim, what);
        ck_assert_int_eq(pwrite(fd, &victim.bytes[at], 1, (off_t)at), 1);
        MUST(out.opened == EDDY_OK, "%s: %s", what, out.text); /* both heads are never gone */
        MUST(out.damage_count > 0 && !out.clean, "%s: not found", what);
        MUST(strstr(out.text, "byte "), "%s: %s", what, out.text);
        /* Nothing but the record, and what leans on it, is lost. */
        MUST(out.bad == 0 && out.offered + 30 >= victim.frames, "%s: %u of %u frames", what, out.offered,
             victim.frames);
    }
    close(fd);
    victim_end(&victim);
}
END_TEST

START_TEST(a_hole_of_zeros_costs_what_it_covers) {
    victim_file victim;
    victim_begin(&victim, "hole", 5);
    uint8_t *bytes = malloc(victim.size);
    for (size_t at = victim.at[2]; at + 700 < victim.size; at += 311) {
        char what[32];
        snprintf(what, sizeof what, "zeros at %zu", at);
        memcpy(bytes, victim.bytes, victim.size);
        memset(bytes + at, 0, 600);
        outcome out = examine_bytes(&victim, bytes, victim.size, what);
        ck_assert_int_eq(out.opened, EDDY_OK);
        MUST(out.damage_count > 0 && out.bad == 0, "%s", what);
        MUST(out.offered > 0, "%s: nothing is left", what);
    }
    free(bytes);
    victim_end(&victim);
}
END_TEST

START_TEST(a_tail_that_was_never_written_is_a_cut) {
    victim_file victim;
    victim_begin(&victim, "tail", 3);
    uint8_t *bytes = calloc(1, victim.size + 5000);
    memcpy(bytes, victim.bytes, victim.size);
    size_t whole = victim.at[victim.count - 1];
    memset(bytes + whole, 0, victim.size - whole);
    outcome out = examine_bytes(&victim, bytes, victim.size + 5000, "zero tail");
    ck_assert(!out.clean && out.damage_count == 0);
    ck_assert_uint_eq(out.lost_bytes, victim.size + 5000 - whole);
    ck_assert_uint_eq(out.offered, victim.frames);
    bytes[victim.size + 10] = 7; /* that is no cut */
    out = examine_bytes(&victim, bytes, victim.size + 5000, "strange tail");
    ck_assert_uint_eq(out.damage_count, 1);
    free(bytes);
    victim_end(&victim);
}
END_TEST

/* ---- whole records in the wrong places ---- */

/* Puts records together in a new order; `order` ends with UINT32_MAX. */
static outcome examine_order(const victim_file *victim, const uint32_t *order, const char *what) {
    uint8_t *bytes = malloc(2 * victim->size);
    size_t size = FILE_PREFIX_BYTES;
    memcpy(bytes, victim->bytes, size);
    for (; *order != UINT32_MAX; order++) {
        size_t length = victim->at[*order + 1] - victim->at[*order];
        memcpy(bytes + size, victim->bytes + victim->at[*order], length);
        size += length;
    }
    outcome out = examine_bytes(victim, bytes, size, what);
    free(bytes);
    return out;
}

START_TEST(records_swapped_repeated_or_missing_are_found) {
    victim_file victim;
    victim_begin(&victim, "order", 3);
    uint32_t order[RECORDS_MAX + 2];
    for (uint32_t i = 0; i + 1 < victim.count; i++) {
        char what[48];
        for (int how = 0; how < 3; how++) {
            uint32_t n = 0;
            for (uint32_t k = 0; k < victim.count; k++) {
                bool swapped = how == 0 && (k == i || k == i + 1);
                if (how == 2 && k == i)
                    continue;
                order[n++] = swapped ? 2 * i + 1 - k : k;
                if (how == 1 && k == i)
                    order[n++] = k;
            }
            order[n] = UINT32_MAX;
            const char *const names[] = {"swapped", "repeated", "missing"};
            snprintf(what, sizeof what, "record %u %s", i, names[how]);
            outcome out = examine_order(&victim, order, what);
            MUST(out.opened == EDDY_OK, "%s: %s", what, out.text);
            MUST(out.damage_count > 0 && !out.clean && out.bad == 0, "%s: not found", what);
            if (how == 1)
                MUST(out.offered == victim.frames, "%s: %u frames", what, out.offered);
        }
    }
    victim_end(&victim);
}
END_TEST

START_TEST(a_record_behind_the_end_is_found) {
    victim_file victim;
    victim_begin(&victim, "behind", 3);
    bytes_writer out = {0};
    bytes_write(&out, victim.bytes, victim.size);
    file_record_put(&out, FILE_NOTE, victim.count, "\0\0\0\0\0\0\0\0\0\0\0\0", 13);
    outcome found = examine_bytes(&victim, out.bytes, out.size, "behind END");
    ck_assert_uint_eq(found.offered, victim.frames);
    ck_assert_uint_eq(found.damage_count, 1);
    ck_assert_ptr_nonnull(strstr(found.text, "nothing behind the END record"));
    bytes_writer_free(&out);
    victim_end(&victim);
}
END_TEST

START_TEST(both_copies_of_the_head_must_break_to_lose_the_file) {
    victim_file victim;
    victim_begin(&victim, "heads", 3);
    uint8_t *bytes = malloc(victim.size);
    memcpy(bytes, victim.bytes, victim.size);
    bytes[victim.at[0] + 50] ^= 1;
    outcome out = examine_bytes(&victim, bytes, victim.size, "one head");
    ck_assert_int_eq(out.opened, EDDY_OK);
    ck_assert_uint_eq(out.offered, victim.frames);
    ck_assert_uint_eq(out.damage_count, 1);
    bytes[victim.at[1] + 50] ^= 1;
    out = examine_bytes(&victim, bytes, victim.size, "both heads");
    ck_assert_int_eq(out.opened, EDDY_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(out.text, "both copies of its head"));
    free(bytes);
    victim_end(&victim);
}
END_TEST

START_TEST(frames_without_their_base_are_not_offered) {
    victim_file victim;
    victim_begin(&victim, "base", 3);
    uint8_t *bytes = malloc(victim.size);
    uint32_t lost_more = 0;
    for (uint32_t i = 0; i < victim.count; i++) {
        if (victim.kind[i] != FILE_FRAMES)
            continue;
        memcpy(bytes, victim.bytes, victim.size);
        bytes[victim.at[i] + FILE_HEAD_BYTES + 40] ^= 4;
        char what[32];
        snprintf(what, sizeof what, "record %u", i);
        bytes_reader in = bytes_reader_of(victim.bytes + victim.at[i] + FILE_HEAD_BYTES, 36);
        file_group group;
        ck_assert(file_group_read(&in, &group));
        outcome out = examine_bytes(&victim, bytes, victim.size, what);
        ck_assert_uint_eq(out.damage_count, 1);
        ck_assert_uint_eq(out.bad, 0);
        MUST(out.offered + group.frame_count <= victim.frames, "%s: %u offered", what, out.offered);
        MUST(out.offered + group.frame_count + 10 > victim.frames, "%s: %u offered", what, out.offered);
        lost_more += out.offered + group.frame_count < victim.frames;
    }
    ck_assert_uint_gt(lost_more, 3);
    free(bytes);
    victim_end(&victim);
}
END_TEST

/* ---- forged heads and payloads ---- */

/* Makes the checks of the record at `offset` right again. */
static void reseal(uint8_t *bytes, size_t size, uint64_t offset) {
    uint8_t *head = bytes + offset;
    uint32_t check = (uint32_t)XXH3_64bits(head, 20);
    memcpy(head + 20, &check, sizeof check);
    uint64_t length, seed;
    memcpy(&length, head + 8, sizeof length);
    memcpy(&seed, head + 16, sizeof seed);
    if (length > size - offset - FILE_HEAD_BYTES)
        return;
    uint64_t hash = XXH3_64bits_withSeed(head + FILE_HEAD_BYTES, (size_t)length, seed);
    memcpy(head + 24, &hash, sizeof hash);
}

START_TEST(lengths_are_never_believed_beyond_the_file) {
    victim_file victim;
    victim_begin(&victim, "lengths", 3);
    uint8_t *bytes = malloc(victim.size);
    for (uint32_t i = 0; i < victim.count; i++) {
        uint64_t left = victim.size - victim.at[i] - FILE_HEAD_BYTES;
        const uint64_t lengths[] = {0, 1, 0x7fffffff, 0x80000000u, 0xffffffffu, UINT64_MAX, left + 1, UINT64_MAX - 31};
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
            for (int sealed = 0; sealed < 2; sealed++) {
                char what[64];
                snprintf(what, sizeof what, "record %u, length %llx, sealed %d", i, (unsigned long long)lengths[k],
                         sealed);
                memcpy(bytes, victim.bytes, victim.size);
                memcpy(bytes + victim.at[i] + 8, &lengths[k], sizeof lengths[k]);
                if (sealed)
                    reseal(bytes, victim.size, victim.at[i]);
                outcome out = examine_bytes(&victim, bytes, victim.size, what);
                bool last = i + 1 == victim.count; /* a sealed length beyond the end is then a cut */
                MUST(out.opened != EDDY_OK || !out.clean, "%s: clean", what);
                MUST(out.opened != EDDY_OK || out.damage_count > 0 || last, "%s: not found", what);
            }
    }
    free(bytes);
    victim_end(&victim);
}
END_TEST

/* Opens and reads whatever a file offers: it may be wrong, for it was forged, but nothing may break. */
static void read_all(const char *path) {
    eddy_reader *reader;
    eddy_error error = {0};
    if (eddy_reader_open(path, &reader, &error) != EDDY_OK) {
        MUST(error.code != EDDY_E_MEMORY, "a forged count has allocated: %s", error.text);
        MUST(error.text[0], "no word of what is wrong");
        return;
    }
    const eddy_session_info *info = eddy_reader_info(reader);
    for (int axis = 0; axis < EDDY_AXIS_COUNT; axis++)
        for (uint32_t b = 0; b < info->axis[axis].branch_count; b++) {
            const eddy_branch_info *branch = &info->axis[axis].branches[b];
            for (uint32_t k = 0; k < 40; k++) {
                eddy_view view;
                uint32_t frame = branch->last_frame - k;
                eddy_result result = eddy_reader_read(reader, (eddy_axis)axis, branch->branch, frame, &view, &error);
                ck_assert(result == EDDY_OK || result == EDDY_E_FRAME || result == EDDY_E_DAMAGED);
                if (result == EDDY_OK)
                    MUST(eddy_view_check(info->schema, &view, &error) == EDDY_OK, "%s", error.text);
                eddy_reader_constants(reader, (eddy_axis)axis, branch->branch, frame, &view, &error);
            }
        }
    for (uint32_t i = 0; i < info->note_count; i++) {
        uint64_t tick;
        const char *text;
        ck_assert_int_eq(eddy_reader_note(reader, i, &tick, &text, NULL), EDDY_OK);
        ck_assert_uint_lt(strlen(text), info->file_bytes);
    }
    eddy_reader_verify(reader, NULL, NULL);
    eddy_reader_close(reader);
}

START_TEST(forged_payloads_break_nothing) {
    victim_file victim;
    victim_begin(&victim, "forged", 3);
    uint8_t *bytes = malloc(victim.size);
    static const uint8_t favourites[] = {0, 1, 2, 3, 0x7f, 0x80, 0xff, 0xfe, 0x40};
    for (uint32_t seed = 0; seed < 1500; seed++) {
        uint32_t random = seed * 7919 + 1;
        memcpy(bytes, victim.bytes, victim.size);
        uint32_t record = file_random(&random) % victim.count;
        size_t length = victim.at[record + 1] - victim.at[record] - FILE_HEAD_BYTES;
        uint32_t changes = 1 + file_random(&random) % 3;
        for (uint32_t i = 0; i < changes; i++) {
            size_t at = file_random(&random) % (file_random(&random) % 2 && length > 80 ? 80 : length);
            bytes[victim.at[record] + FILE_HEAD_BYTES + at] = favourites[file_random(&random) % sizeof favourites];
        }
        reseal(bytes, victim.size, victim.at[record]);
        if (record == 0) { /* the second copy must not help */
            memcpy(bytes + victim.at[1] + FILE_HEAD_BYTES, bytes + victim.at[0] + FILE_HEAD_BYTES, length);
            reseal(bytes, victim.size, victim.at[1]);
        }
        file_store(victim.path, bytes, victim.size);
        read_all(victim.path);
    }
    free(bytes);
    victim_end(&victim);
}
END_TEST

/* The numbers that a forger would try. */
static const uint32_t forged_numbers[] = {0, 1, 2, 7, 0x00ffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
#define FORGED_NUMBERS (sizeof forged_numbers / sizeof forged_numbers[0])

START_TEST(counts_in_the_head_are_checked_before_they_allocate) {
    victim_file victim;
    victim_begin(&victim, "counts", 2);
    uint8_t *bytes = malloc(victim.size);
    size_t length = victim.at[1] - victim.at[0] - FILE_HEAD_BYTES;
    for (size_t at = 0; at + 4 <= length; at++) {
        memcpy(bytes, victim.bytes, victim.size);
        for (int copy = 0; copy < 2; copy++) {
            memcpy(bytes + victim.at[copy] + FILE_HEAD_BYTES + at, &forged_numbers[at % FORGED_NUMBERS], 4);
            reseal(bytes, victim.size, victim.at[copy]);
        }
        file_store(victim.path, bytes, victim.size);
        read_all(victim.path);
    }
    free(bytes);
    victim_end(&victim);
}
END_TEST

START_TEST(numbers_of_a_group_of_frames_are_checked) {
    victim_file victim;
    victim_begin(&victim, "group", 2);
    uint8_t *bytes = malloc(victim.size);
    uint32_t groups = 0;
    for (uint32_t i = 0; i < victim.count && groups < 5; i++) {
        groups += victim.kind[i] == FILE_FRAMES;
        for (size_t at = 0; victim.kind[i] == FILE_FRAMES && at < 36; at += 4) {
            for (size_t k = 0; k < FORGED_NUMBERS; k++) {
                memcpy(bytes, victim.bytes, victim.size);
                memcpy(bytes + victim.at[i] + FILE_HEAD_BYTES + at, &forged_numbers[k], 4);
                reseal(bytes, victim.size, victim.at[i]);
                file_store(victim.path, bytes, victim.size);
                read_all(victim.path);
            }
        }
    }
    free(bytes);
    victim_end(&victim);
}
END_TEST

START_TEST(a_block_that_does_not_decode_leaves_the_others_readable) {
    victim_file victim;
    victim_begin(&victim, "decode", 3);
    uint32_t record = 0;
    file_group group;
    do { /* a record that begins with a base behind frame 0 */
        MUST(++record < victim.count, "no such record");
        bytes_reader in = bytes_reader_of(victim.bytes + victim.at[record] + FILE_HEAD_BYTES, 36);
        MUST(victim.kind[record] != FILE_FRAMES || file_group_read(&in, &group), "record %u", record);
    } while (victim.kind[record] != FILE_FRAMES || group.base_frame != FILE_NONE || group.first_frame == 0);
    uint8_t *first = victim.bytes + victim.at[record] + FILE_HEAD_BYTES + 36;
    bytes_reader in = bytes_reader_of(first, victim.at[record + 1] - victim.at[record] - FILE_HEAD_BYTES - 36);
    file_frame frame;
    MUST(file_frame_read(&in, &frame) && frame.is_base, "record %u does not begin with a base", record);
    victim.bytes[frame.block.bytes - victim.bytes] = 0x7f; /* more entities than the block can hold */
    reseal(victim.bytes, victim.size, victim.at[record]);
    file_store(victim.path, victim.bytes, victim.size);
    eddy_reader *reader = file_open(victim.path);
    for (int round = 0; round < 3; round++) {
        eddy_view view;
        eddy_error error;
        ck_assert_int_eq(
            eddy_reader_read(reader, (eddy_axis)group.axis, group.branch, group.first_frame, &view, &error),
            EDDY_E_DAMAGED);
        ck_assert_uint_eq(view.count, 0);
        MUST(strstr(error.text, "expected a count of entities"), "%s", error.text);
        ck_assert_int_eq(eddy_reader_read(reader, (eddy_axis)group.axis, 0, 0, &view, &error), EDDY_OK);
        ck_assert(eddy_view_hash(file_world_schema(), &view) ==
                  file_session_find(&victim.session, (eddy_axis)group.axis, 0, 0)->hash);
    }
    ck_assert_uint_gt(eddy_reader_verify(reader, NULL, NULL), 0);
    eddy_reader_close(reader);
    victim_end(&victim);
}
END_TEST

START_TEST(a_note_with_a_zero_inside_is_not_used) {
    victim_file victim;
    victim_begin(&victim, "zero", 3);
    uint32_t note = 0;
    while (victim.kind[note] != FILE_NOTE) {
        note++;
    }
    victim.bytes[victim.at[note] + FILE_HEAD_BYTES + 8 + 4 + 2] = 0;
    reseal(victim.bytes, victim.size, victim.at[note]);
    file_store(victim.path, victim.bytes, victim.size);
    eddy_reader *reader = file_open(victim.path);
    ck_assert_uint_eq(eddy_reader_info(reader)->note_count, 0);
    ck_assert_uint_eq(eddy_reader_info(reader)->damage_count, 1);
    eddy_reader_close(reader);
    victim_end(&victim);
}
END_TEST

static void note_bad(void *user, eddy_axis axis, uint32_t branch, uint32_t frame, const eddy_error *error) {
    MUST(axis == EDDY_AXIS_WORLD && branch == 0 && frame == 0, "axis %d branch %u frame %u", axis, branch, frame);
    MUST(error->code == EDDY_E_DAMAGED && strstr(error->text, "expected hash"), "%s", error->text);
    ++*(int *)user;
}

START_TEST(a_wrong_recorded_hash_is_found_by_verify) {
    victim_file victim;
    victim_begin(&victim, "hash", 3);
    uint32_t record = 0;
    while (victim.kind[record] != FILE_FRAMES)
        record++;
    uint64_t hash = victim.session.recorded[0].hash;
    uint8_t *at = victim.bytes + victim.at[record] + FILE_HEAD_BYTES;
    while (memcmp(at, &hash, sizeof hash) != 0)
        ck_assert(++at < victim.bytes + victim.at[record + 1] - sizeof hash);
    *at ^= 1;
    reseal(victim.bytes, victim.size, victim.at[record]);
    file_store(victim.path, victim.bytes, victim.size);
    eddy_reader *reader = file_open(victim.path);
    int bad = 0;
    ck_assert_uint_eq(eddy_reader_verify(reader, note_bad, &bad), 1);
    ck_assert_int_eq(bad, 1);
    eddy_reader_close(reader);
    victim_end(&victim);
}
END_TEST

START_TEST(an_unknown_kind_of_record_is_passed_over) {
    victim_file victim;
    victim_begin(&victim, "unknown", 3);
    uint8_t *bytes = malloc(victim.size);
    memcpy(bytes, victim.bytes, victim.size);
    uint32_t note = 0;
    while (victim.kind[note] != FILE_NOTE)
        note++;
    uint16_t kind = 999;
    memcpy(bytes + victim.at[note] + 4, &kind, sizeof kind);
    uint32_t end = victim.count - 1; /* END must agree that there is no note */
    memset(bytes + victim.at[end] + FILE_HEAD_BYTES + 28, 0, 8);
    reseal(bytes, victim.size, victim.at[note]);
    reseal(bytes, victim.size, victim.at[end]);
    outcome out = examine_bytes(&victim, bytes, victim.size, "unknown kind");
    ck_assert_uint_eq(out.offered, victim.frames);
    MUST(out.clean, "%s", out.text);
    free(bytes);
    victim_end(&victim);
}
END_TEST

START_TEST(an_end_that_counts_otherwise_is_found) {
    victim_file victim;
    victim_begin(&victim, "end", 3);
    uint64_t end = victim.at[victim.count - 1];
    for (size_t at = 0; at < 36; at++) {
        victim.bytes[end + FILE_HEAD_BYTES + at] ^= 1;
        reseal(victim.bytes, victim.size, end);
        outcome out = examine_bytes(&victim, victim.bytes, victim.size, "END");
        ck_assert_uint_eq(out.offered, victim.frames);
        MUST(out.damage_count == 1 && !out.clean, "byte %zu of END", at);
        victim.bytes[end + FILE_HEAD_BYTES + at] ^= 1;
    }
    victim_end(&victim);
}
END_TEST

/* ---- what is no session file ---- */

static eddy_result try_open(const char *path, eddy_error *error) {
    eddy_reader *reader = (eddy_reader *)1;
    *error = (eddy_error){0};
    eddy_result result = eddy_reader_open(path, &reader, error);
    MUST(result != EDDY_OK, "%s opened", path);
    ck_assert_ptr_null(reader);
    ck_assert_int_eq(error->code, result);
    MUST(strstr(error->text, path), "%s", error->text);
    return result;
}

START_TEST(what_is_no_file_says_so) {
    eddy_error error;
    mkfifo("reader-pipe", 0600);
    const char *paths[] = {".", "/dev/null", "/dev/zero", "reader-pipe", "no/such/file.eddy", ""};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        MUST(try_open(paths[i], &error) == EDDY_E_IO, "%s: %s", paths[i], error.text);
    unlink("reader-pipe");
}
END_TEST

START_TEST(another_programs_file_says_so) {
    static const uint8_t newer[] = {0x8e, 'E', 'D', 'D', 'Y', '\r', '\n', 0x1a, '\n', 7, 0, 0, 0, 0, 0, 0, 9, 9};
    static const uint8_t text[] = {0x8e, 'E', 'D', 'D', 'Y', '\n', 0x1a, '\n', 1, 0, 0, 0, 0, 0, 0, 9, 9};
    const struct {
        const char *bytes;
        size_t size;
        eddy_result result;
        const char *says;
    } rows[] = {
        {"", 0, EDDY_E_FORMAT, "is empty"},
        {"x", 1, EDDY_E_FORMAT, "not an eddy recording"},
        {"\x89PNG\r\n\x1a\n0000000000", 18, EDDY_E_FORMAT, "not an eddy recording"},
        {"#!/bin/sh\necho hello, this is longer\n", 36, EDDY_E_FORMAT, "not an eddy recording"},
        {(const char *)newer, sizeof newer, EDDY_E_VERSION, "version 7 of the format, this program reads up to 1"},
        {(const char *)text, sizeof text, EDDY_E_FORMAT, "line ends converted"},
        {(const char *)file_prefix, 16, EDDY_E_FORMAT, "before its head is complete"},
        {(const char *)file_prefix, 5, EDDY_E_FORMAT, "before its head is complete"},
    };
    char path[64];
    file_path(path, sizeof path, "foreign");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        file_store(path, rows[i].bytes, rows[i].size);
        eddy_error error;
        MUST(try_open(path, &error) == rows[i].result, "row %zu: %s", i, error.text);
        MUST(strstr(error.text, rows[i].says), "row %zu: %s", i, error.text);
    }
    unlink(path);
}
END_TEST

START_TEST(random_bytes_break_nothing) {
    char path[64];
    file_path(path, sizeof path, "random");
    uint8_t bytes[3000];
    for (uint32_t seed = 0; seed < 300; seed++) {
        uint32_t random = seed + 1;
        size_t size = file_random(&random) % sizeof bytes;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)file_random(&random);
        if (seed % 2 && size > FILE_PREFIX_BYTES)
            memcpy(bytes, file_prefix, FILE_PREFIX_BYTES);
        file_store(path, bytes, size);
        read_all(path);
    }
    unlink(path);
}
END_TEST

static void make(Suite *suite) {
    TCase *bytes = suite_case(suite, "bytes", 60);
    tcase_add_test(bytes, a_file_cut_anywhere_opens_with_what_is_whole);
    tcase_add_test(bytes, a_flip_of_any_byte_is_found);
    tcase_add_test(bytes, a_hole_of_zeros_costs_what_it_covers);
    tcase_add_test(bytes, a_tail_that_was_never_written_is_a_cut);
    TCase *records = suite_case(suite, "records", 60);
    tcase_add_test(records, records_swapped_repeated_or_missing_are_found);
    tcase_add_test(records, a_record_behind_the_end_is_found);
    tcase_add_test(records, both_copies_of_the_head_must_break_to_lose_the_file);
    tcase_add_test(records, frames_without_their_base_are_not_offered);
    TCase *forged = suite_case(suite, "forged", 60);
    tcase_add_test(forged, lengths_are_never_believed_beyond_the_file);
    tcase_add_test(forged, forged_payloads_break_nothing);
    tcase_add_test(forged, counts_in_the_head_are_checked_before_they_allocate);
    tcase_add_test(forged, numbers_of_a_group_of_frames_are_checked);
    tcase_add_test(forged, a_block_that_does_not_decode_leaves_the_others_readable);
    tcase_add_test(forged, a_note_with_a_zero_inside_is_not_used);
    tcase_add_test(forged, a_wrong_recorded_hash_is_found_by_verify);
    tcase_add_test(forged, an_unknown_kind_of_record_is_passed_over);
    tcase_add_test(forged, an_end_that_counts_otherwise_is_found);
    TCase *foreign = suite_case(suite, "foreign", 60);
    tcase_add_test(foreign, what_is_no_file_says_so);
    tcase_add_test(foreign, another_programs_file_says_so);
    tcase_add_test(foreign, random_bytes_break_nothing);
}

int main(void) {
    return suite_run("file damage", make);
}
