/* Field tables: what stops the build, what a schema may be, what a view may hold, how values are hashed, compared and
 * printed. */
#include "rewind_stage.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- tripwires: sources that must not compile ---- */

#define TRIPWIRE_HEAD                                                                                                  \
    "#include \"rewind/field.h\"\n"                                                                                    \
    "typedef struct kettle { float x; uint8_t state[2]; uint16_t timer; } kettle;\n"

static const struct {
    const char *what, *source, *message; /* message NULL: it compiles */
} tripwires[] = {
    {"a right table",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 1, .unit = \"px\") F(S, state, U8, 2) F(S, timer, U16, 1)\n"
                   "EDDY_FIELDS(kettle, ROWS); const eddy_type t = EDDY_TYPE(kettle, 0);\n",
     NULL},
    {"a forgotten field",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 1) F(S, state, U8, 2)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "a field has no row"},
    {"a forgotten field in the middle",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 1) F(S, timer, U16, 1)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "not in the order of the struct, or padding before it"},
    {"padding at the end",
     "#include \"rewind/field.h\"\n"
     "typedef struct hole { float x; uint8_t state; } hole;\n"
     "#define ROWS(F, S) F(S, x, F32, 1) F(S, state, U8, 1)\nEDDY_FIELDS(hole, ROWS);\n",
     "the struct has padding"},
    {"padding inside",
     "#include \"rewind/field.h\"\n"
     "typedef struct hole { uint8_t state; float x; } hole;\n"
     "#define ROWS(F, S) F(S, state, U8, 1) F(S, x, F32, 1)\nEDDY_FIELDS(hole, ROWS);\n",
     "padding before it"},
    {"too small a count",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 1) F(S, state, U8, 1) F(S, timer, U16, 1)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "or its count, is not the C type"},
    {"too large a count",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 2) F(S, state, U8, 2) F(S, timer, U16, 1)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "the count in the row is not"},
    {"a kind of another type of the same size",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, U32, 1) F(S, state, U8, 2) F(S, timer, U16, 1)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "is not the C type of the member"},
    {"a kind of another sign",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 1) F(S, state, U8, 2) F(S, timer, I16, 1)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "is not the C type of the member"},
    {"another order",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 1) F(S, timer, U16, 1) F(S, state, U8, 2)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "not in the order of the struct, or padding before it"},
    {"a row twice",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 1) F(S, state, U8, 2) F(S, timer, U16, 1) F(S, timer, U16, 1)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "duplicate member"},
    {"a member that is not there",
     TRIPWIRE_HEAD "#define ROWS(F, S) F(S, x, F32, 1) F(S, state, U8, 2) F(S, tmer, U16, 1)\n"
                   "EDDY_FIELDS(kettle, ROWS);\n",
     "tmer"},
};

/* The compiler's status; what it said is in `said`. */
static int compile(const char *source, char *said, size_t said_bytes) {
    char path[] = "/tmp/eddy-tripwire-XXXXXX", command[1000];
    int handle = mkstemp(path);
    ck_assert_int_ge(handle, 0);
    FILE *file = fdopen(handle, "w");
    fputs(source, file);
    fclose(file);
    snprintf(command, sizeof command,
             "'%s' -std=c17 -Wall -Wextra -Wpedantic -Werror -I'%s' -fsyntax-only -x c '%s' 2>&1", EDDY_C_COMPILER,
             EDDY_SOURCE_DIR, path);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t length = fread(said, 1, said_bytes - 1, pipe);
    said[length] = 0;
    char rest[256];
    while (fread(rest, 1, sizeof rest, pipe) > 0) {
    }
    int status = pclose(pipe);
    remove(path);
    return status;
}

START_TEST(a_wrong_table_does_not_compile) {
    char said[8000];
    int status = compile(tripwires[_i].source, said, sizeof said);
    const char *message = tripwires[_i].message;
    ck_assert_msg((status == 0) == (message == NULL), "%s: status %d: %s", tripwires[_i].what, status, said);
    /* clang words its own complaints otherwise; ours are the same everywhere */
    bool is_ours = message && strcmp(message, "duplicate member") != 0;
    ck_assert_msg(!is_ours || strstr(said, message), "%s: expected \"%s\" in: %s", tripwires[_i].what, message, said);
}
END_TEST

/* ---- kinds ---- */

START_TEST(kinds_have_names_sizes_and_pinned_numbers) {
#define EDDY_KIND(name, number, ctype, bytes, text)                                                                    \
    ck_assert_int_eq(EDDY_##name, number);                                                                             \
    ck_assert_uint_eq(eddy_kind_bytes(EDDY_##name), bytes);                                                            \
    ck_assert_str_eq(eddy_kind_name(EDDY_##name), text);                                                               \
    ck_assert_int_eq(eddy_kind_from_name(text), EDDY_##name);
#include "rewind/kinds.inl"
#undef EDDY_KIND
    ck_assert_int_eq(eddy_kind_from_name("F32"), EDDY_KIND_COUNT);
    ck_assert_ptr_null(eddy_kind_name(EDDY_KIND_COUNT));
    ck_assert_uint_eq(eddy_kind_bytes(EDDY_KIND_COUNT), 0);
}
END_TEST

START_TEST(results_have_sentences_and_names) {
    ck_assert_str_eq(eddy_result_name(EDDY_E_FRAME), "E_FRAME");
    ck_assert_str_eq(eddy_result_text(EDDY_OK), "done");
    ck_assert_str_eq(eddy_result_name((eddy_result)-99), "E_UNKNOWN");
    ck_assert_str_eq(eddy_result_text((eddy_result)5), "an unknown result");
    ck_assert_int_eq(eddy_fail(NULL, EDDY_E_IO, "%d", 1), EDDY_E_IO);
}
END_TEST

START_TEST(the_journal_is_a_type_named_journal) {
    const eddy_schema schema = {.types = &eddy_journal_type, .type_count = 1};
    ck_assert_int_eq(eddy_schema_check(&schema, NULL), EDDY_OK);
    ck_assert_uint_eq(eddy_schema_find(&schema, "journal"), 0);
    ck_assert_uint_eq(eddy_schema_find(&schema, "diary"), UINT32_MAX);
}
END_TEST

/* ---- schemas ---- */

START_TEST(schemas_differ_in_their_first_type_or_field) {
    const eddy_field fields[] = {{.name = "x", .kind = EDDY_F32, .count = 1}, {.name = "n", .kind = EDDY_U8, .count = 4}};
    const eddy_field kinds[] = {{.name = "x", .kind = EDDY_I32, .count = 1}, {.name = "n", .kind = EDDY_U8, .count = 4}};
    const eddy_field counts[] = {{.name = "x", .kind = EDDY_F32, .count = 1}, {.name = "n", .kind = EDDY_U8, .count = 5}};
    const eddy_type here[] = {{.name = "body", .fields = fields, .field_count = 2}};
    const eddy_schema schema = {.types = here, .type_count = 1};
    const struct {
        eddy_type type;
        uint32_t type_count;
        const char *says; /* NULL: the same */
    } others[] = {{{.name = "body", .fields = fields, .field_count = 2}, 1, NULL},
                  {{.name = "body", .fields = fields, .field_count = 2}, 0, "the number of types"},
                  {{.name = "soul", .fields = fields, .field_count = 2}, 1, "body"},
                  {{.name = "body", .fields = fields, .field_count = 1}, 1, "body"},
                  {{.name = "body", .fields = kinds, .field_count = 2}, 1, "x"},
                  {{.name = "body", .fields = counts, .field_count = 2}, 1, "n"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const eddy_schema other = {.types = &others[i].type, .type_count = others[i].type_count};
        const char *difference = eddy_schema_difference(&schema, &other);
        ck_assert_msg(others[i].says ? difference && !strcmp(difference, others[i].says) : !difference,
                      "row %zu: found \"%s\"", i, difference ? difference : "(none)");
    }
}
END_TEST

static const char *const two_names[] = {"off", "on"};
static const float bad_default = 11;

/* One type of one field with something wrong; the text must name it. */
static const struct {
    const char *expected;
    eddy_type type;
    eddy_field field;
} bad_schemas[] = {
    {"has no name", {.size = 4}, {.name = "x", .kind = EDDY_F32, .count = 1}},
    {"at least one field", {.name = "t", .size = 4, .field_count = 0}, {.name = NULL}},
    {"a name", {.name = "t", .size = 4}, {.kind = EDDY_F32, .count = 1}},
    {"a known kind", {.name = "t", .size = 4}, {.name = "x", .kind = EDDY_KIND_COUNT, .count = 1}},
    {"a count", {.name = "t", .size = 4}, {.name = "x", .kind = EDDY_F32, .count = 0}},
    {"a count", {.name = "t", .size = 4}, {.name = "x", .kind = EDDY_F32, .count = UINT32_MAX}},
    {"an offset", {.name = "t", .size = 4}, {.name = "x", .kind = EDDY_F32, .count = 1, .offset = 4}},
    {"min <= max", {.name = "t", .size = 4}, {.name = "x", .kind = EDDY_F32, .count = 1, .min = 2, .max = 1}},
    {"min <= max", {.name = "t", .size = 4}, {.name = "x", .kind = EDDY_F32, .count = 1, .min = NAN, .max = 1}},
    {"enum names", {.name = "t", .size = 4}, {.name = "x", .kind = EDDY_U32, .count = 1, .name_count = 2}},
    {"fields take 4 bytes, the struct has 8", {.name = "t", .size = 8}, {.name = "x", .kind = EDDY_F32, .count = 1}},
    {"defaults",
     {.name = "t", .size = 4, .defaults = &bad_default},
     {.name = "x", .kind = EDDY_F32, .count = 1, .min = 0, .max = 10}},
};

START_TEST(a_wrong_schema_is_refused_with_its_row) {
    eddy_type type = bad_schemas[_i].type;
    eddy_error error = {0};
    type.fields = &bad_schemas[_i].field;
    type.field_count = bad_schemas[_i].field.name || bad_schemas[_i].field.count ? 1 : 0;
    const eddy_schema schema = {.types = &type, .type_count = 1};
    ck_assert_int_eq(eddy_schema_check(&schema, &error), EDDY_E_SCHEMA);
    ck_assert_msg(strstr(error.text, bad_schemas[_i].expected), "expected \"%s\" in: %s", bad_schemas[_i].expected,
                  error.text);
}
END_TEST

START_TEST(names_are_used_once) {
    const eddy_field twice[] = {{.name = "x", .kind = EDDY_F32, .count = 1},
                                {.name = "x", .kind = EDDY_F32, .count = 1, .offset = 4}};
    const eddy_type type = {.name = "t", .size = 8, .fields = twice, .field_count = 2};
    const eddy_schema schema = {.types = &type, .type_count = 1};
    ck_assert_int_eq(eddy_schema_check(&schema, NULL), EDDY_E_SCHEMA);

    const eddy_type types[] = {stage_schema.types[0], stage_schema.types[0]};
    const eddy_schema same = {.types = types, .type_count = 2};
    ck_assert_int_eq(eddy_schema_check(&same, NULL), EDDY_E_SCHEMA);
    ck_assert_int_eq(eddy_schema_check(NULL, NULL), EDDY_E_SCHEMA);
    const eddy_schema none = {.types = types, .type_count = 0};
    ck_assert_int_eq(eddy_schema_check(&none, NULL), EDDY_E_SCHEMA);
    ck_assert_int_eq(eddy_schema_check(&stage_schema, NULL), EDDY_OK);
}
END_TEST

/* ---- views ---- */

START_TEST(entities_are_found_by_id) {
    uint8_t dot = 0;
    eddy_entity entities[] = {{2, STAGE_DOT, &dot}, {5, STAGE_DOT, &dot}, {EDDY_ID_IMMUNE | 1, STAGE_DOT, &dot}};
    eddy_view view = {.entities = entities, .count = 3};
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_ptr_eq(eddy_view_find(&view, entities[i].id), &entities[i]);
    }
    ck_assert_ptr_null(eddy_view_find(&view, 0));
    ck_assert_ptr_null(eddy_view_find(&view, 3));
    ck_assert_ptr_null(eddy_view_find(&view, UINT32_MAX));
    view.count = 0;
    ck_assert_ptr_null(eddy_view_find(&view, 2));
}
END_TEST

START_TEST(order_types_and_data_are_checked) {
    uint8_t dot = 0;
    const struct {
        eddy_entity entities[2];
        const char *expected;
    } cases[] = {
        {{{0, STAGE_DOT, &dot}, {1, STAGE_DOT, &dot}}, "expected an id above 0"},
        {{{4, STAGE_DOT, &dot}, {4, STAGE_DOT, &dot}}, "expected an id above 4"},
        {{{4, STAGE_DOT, &dot}, {3, STAGE_DOT, &dot}}, "entity 3"},
        {{{4, STAGE_DOT, &dot}, {5, STAGE_TYPE_COUNT, &dot}}, "expected a type below 4, found 4"},
        {{{4, STAGE_DOT, &dot}, {5, STAGE_DOT, NULL}}, "found NULL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        eddy_error error = {0};
        eddy_view view = {.entities = cases[i].entities, .count = 2};
        ck_assert_int_eq(eddy_view_check(&stage_schema, &view, &error), EDDY_E_ENTITY);
        ck_assert_msg(strstr(error.text, cases[i].expected), "expected \"%s\" in: %s", cases[i].expected, error.text);
    }
    eddy_view many = {.entities = cases[0].entities, .count = EDDY_ENTITIES_MAX + 1};
    ck_assert_int_eq(eddy_view_check(&stage_schema, &many, NULL), EDDY_E_LIMIT);
}
END_TEST

/* A type with one field of each way to be wrong. */
typedef struct guarded {
    double real;
    uint64_t whole;
    int64_t whole_signed;
    eddy_vec2 at;
    float ratio;
    int16_t mode;
    uint8_t flags[2];
    char name[8];
} guarded;
#define GUARDED_FIELDS(F, S)                                                                                           \
    F(S, real, F64, 1, .min = -1, .max = 1)                                                                            \
    F(S, whole, U64, 1, .min = 3, .max = 1e18)                                                                         \
    F(S, whole_signed, I64, 1, .min = -5, .max = 5)                                                                    \
    F(S, at, VEC2, 1, .min = 0, .max = 10)                                                                             \
    F(S, ratio, F32, 1, .min = 0, .max = 1)                                                                            \
    F(S, mode, I16, 1, .names = two_names, .name_count = 2)                                                            \
    F(S, flags, U8, 2, .max = 1)                                                                                       \
    F(S, name, STR, 8)
EDDY_FIELDS(guarded, GUARDED_FIELDS);
static const guarded guarded_default = {.whole = 3};
static const eddy_type guarded_types[] = {EDDY_TYPE(guarded, &guarded_default)};
static const eddy_schema guarded_schema = {.types = guarded_types, .type_count = 1};

START_TEST(values_out_of_range_are_refused_with_the_field) {
    const struct {
        guarded value;
        const char *field; /* NULL: all is well */
    } cases[] = {
        {{.whole = 3}, NULL},
        {{.whole = 3, .real = 1, .whole_signed = -5, .at = {10, 0}, .ratio = 1, .mode = 1, .name = "moth"}, NULL},
        {{.whole = 3, .name = {'e', 'i', 'g', 'h', 't', 'c', 'h', 's'}}, NULL},
        {{.whole = 3, .ratio = -0.0f}, NULL},
        {{.whole = 3, .real = 1.0000000000000002}, "real[0]: expected a value in the field's range -1 .. 1"},
        {{.whole = 3, .real = NAN}, "real[0]"},
        {{.whole = 2}, "whole[0]"},
        {{.whole = UINT64_MAX}, "whole[0]"},
        {{.whole = 3, .whole_signed = 6}, "whole_signed[0]"},
        {{.whole = 3, .at = {0, 10.5f}}, "at[0]"},
        {{.whole = 3, .at = {NAN, 0}}, "at[0]"},
        {{.whole = 3, .ratio = INFINITY}, "ratio[0]"},
        {{.whole = 3, .mode = 2}, "mode[0]: expected one of the named values, found 2"},
        {{.whole = 3, .mode = -1}, "mode[0]"},
        {{.whole = 3, .flags = {0, 2}}, "flags[1]"},
        {{.whole = 3, .name = {'a', 0, 'b'}}, "name[0]: expected only zeros after a str's end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        eddy_error error = {0};
        eddy_entity entity = {.id = 12, .type = 0, .data = &cases[i].value};
        eddy_view view = {.entities = &entity, .count = 1};
        eddy_result result = eddy_view_check(&guarded_schema, &view, &error);
        ck_assert_msg(result == (cases[i].field ? EDDY_E_VALUE : EDDY_OK), "case %zu: %s", i, error.text);
        ck_assert_msg(!cases[i].field ||
                          (strstr(error.text, cases[i].field) && strstr(error.text, "entity 12 (guarded)")),
                      "case %zu: expected \"%s\" in: %s", i, cases[i].field, error.text);
        /* The recorder, which checks only what changed, says the same. */
        eddy_timeline *timeline = stage_timeline((eddy_timeline_desc){.schema = &guarded_schema});
        ck_assert_int_eq(eddy_timeline_append(timeline, &view, NULL), result);
        eddy_timeline_destroy(timeline);
    }
}
END_TEST

START_TEST(a_bool_is_0_or_1) {
    stage_every every = {0};
    uint8_t two = 2;
    memcpy(&every.flags[1], &two, 1);
    eddy_entity entity = {.id = 1, .type = STAGE_EVERY, .data = &every};
    eddy_view view = {.entities = &entity, .count = 1};
    eddy_error error = {0};
    ck_assert_int_eq(eddy_view_check(&stage_schema, &view, &error), EDDY_E_VALUE);
    ck_assert_msg(strstr(error.text, "flags[1]: expected 0 or 1 in a bool, found 2"), "%s", error.text);
}
END_TEST

START_TEST(the_hash_of_a_frame_is_the_sum_of_its_entities) {
    stage_world *world = malloc(sizeof *world);
    stage_world_begin(world, 4);
    for (int i = 0; i < 60; i++) {
        stage_world_step(world);
    }
    eddy_view view = stage_world_view(world);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        uint64_t hash = eddy_entity_hash(&stage_schema, &view.entities[i]);
        eddy_entity other = view.entities[i];
        other.id ^= EDDY_ID_IMMUNE;
        ck_assert_uint_ne(hash, eddy_entity_hash(&stage_schema, &other));
        sum += hash;
    }
    ck_assert_uint_eq(sum, eddy_view_hash(&stage_schema, &view));
    ck_assert_uint_eq(eddy_view_hash(&stage_schema, &(eddy_view){0}), 0);
    free(world);
}
END_TEST

START_TEST(the_hash_is_pinned) {
    /* It stands in files: these numbers may not change. */
    const stage_mover mover = {.x = 1, .y = 2, .vx = 3, .vy = 4, .timer = 5, .state = 1, .spare = 7};
    static stage_blob blob;
    for (uint32_t i = 0; i < sizeof blob.bytes; i++) {
        blob.bytes[i] = (uint8_t)(i * 7);
    }
    eddy_entity small = {.id = 3, .type = STAGE_MOVER, .data = &mover};
    eddy_entity large = {.id = 4, .type = STAGE_BLOB, .data = &blob};
    ck_assert_uint_eq(eddy_entity_hash(&stage_schema, &small), 0x8ce9a5003af147e0u);
    ck_assert_uint_eq(eddy_entity_hash(&stage_schema, &large), 0x235c9628b3835d39u);
}
END_TEST

/* ---- differences ---- */

typedef struct diff_log {
    char text[2000];
    uint32_t stop_after;
} diff_log;

static bool log_difference(void *user, const eddy_difference *difference) {
    diff_log *log = user;
    char old_text[60] = "-", new_text[60] = "-";
    if (difference->field) {
        eddy_value_print(difference->field, difference->old_value, old_text, sizeof old_text);
        eddy_value_print(difference->field, difference->new_value, new_text, sizeof new_text);
    } else {
        snprintf(old_text, sizeof old_text, "%s", difference->old_value ? "there" : "-");
        snprintf(new_text, sizeof new_text, "%s", difference->new_value ? "there" : "-");
    }
    size_t length = strlen(log->text);
    snprintf(log->text + length, sizeof log->text - length, "%u.%s[%u] %s>%s; ", difference->id,
             difference->field ? difference->field->name : "", difference->element, old_text, new_text);
    return --log->stop_after > 0;
}

START_TEST(differences_come_by_id_then_by_table) {
    stage_every before = {.single = {1, 2, 3}, .name = "moth"}, after = before;
    stage_mover mover = {0};
    uint8_t dot = 1;
    after.single[2] = -0.0f;
    after.at.y = 4;
    memcpy(after.name, "owl\0", 4);
    eddy_entity old_entities[] = {{1, STAGE_DOT, &dot}, {5, STAGE_EVERY, &before}, {7, STAGE_DOT, &dot}};
    eddy_entity new_entities[] = {{5, STAGE_EVERY, &after}, {7, STAGE_MOVER, &mover}, {8, STAGE_DOT, &dot}};
    eddy_view old_view = {old_entities, 3}, new_view = {new_entities, 3};
    diff_log log = {.stop_after = 100};
    ck_assert_uint_eq(eddy_view_diff(&stage_schema, &old_view, &new_view, log_difference, &log), 7);
    ck_assert_str_eq(log.text, "1.[0] there>-; 5.single[2] 3>-0; 5.at[0] (0, 0)>(0, 4); 5.name[0] moth>owl; "
                               "7.[0] there>-; 7.[0] ->there; 8.[0] ->there; ");
    for (uint32_t stop = 1; stop < 7; stop++) {
        log = (diff_log){.stop_after = stop};
        ck_assert_uint_eq(eddy_view_diff(&stage_schema, &old_view, &new_view, log_difference, &log), stop);
    }
    ck_assert_uint_eq(eddy_view_diff(&stage_schema, &old_view, &old_view, log_difference, &log), 0);
}
END_TEST

/* ---- texts ---- */

static void expect_text(const eddy_field *field, const void *value, const char *expected) {
    char text[80];
    int length = eddy_value_print(field, value, text, sizeof text);
    ck_assert_str_eq(text, expected);
    ck_assert_int_eq(length, (int)strlen(expected));
}

START_TEST(values_print_as_people_write_them) {
    const stage_every every = {.real = 0.1,
                               .big = UINT64_MAX,
                               .big_signed = INT64_MIN,
                               .single = {0.1f, -0.0f, NAN},
                               .at = {3, 4.5f},
                               .whole = UINT32_MAX,
                               .whole_signed = -7,
                               .target = 12,
                               .byte = 255,
                               .byte_signed = -128,
                               .flags = {true, false},
                               .name = {'t', 'w', 'e', 'l', 'v', 'e', 'l', 'e', 't', 't', 'e', 'r'}};
    const stage_mover mover = {.state = 1};
    const uint16_t unnamed = 9;
    expect_text(stage_field(STAGE_EVERY, "real"), &every.real, "0.1");
    expect_text(stage_field(STAGE_EVERY, "big"), &every.big, "18446744073709551615");
    expect_text(stage_field(STAGE_EVERY, "big_signed"), &every.big_signed, "-9223372036854775808");
    expect_text(stage_field(STAGE_EVERY, "single"), &every.single[0], "0.1");
    expect_text(stage_field(STAGE_EVERY, "single"), &every.single[1], "-0");
    expect_text(stage_field(STAGE_EVERY, "single"), &every.single[2], "nan");
    expect_text(stage_field(STAGE_EVERY, "at"), &every.at, "(3, 4.5)");
    expect_text(stage_field(STAGE_EVERY, "whole"), &every.whole, "4294967295");
    expect_text(stage_field(STAGE_EVERY, "whole_signed"), &every.whole_signed, "-7");
    expect_text(stage_field(STAGE_EVERY, "target"), &every.target, "12");
    expect_text(stage_field(STAGE_EVERY, "byte"), &every.byte, "255");
    expect_text(stage_field(STAGE_EVERY, "byte_signed"), &every.byte_signed, "-128");
    expect_text(stage_field(STAGE_EVERY, "flags"), &every.flags[0], "true");
    expect_text(stage_field(STAGE_EVERY, "flags"), &every.flags[1], "false");
    expect_text(stage_field(STAGE_EVERY, "name"), every.name, "twelveletter");
    expect_text(stage_field(STAGE_MOVER, "state"), &mover.state, "walk");
    expect_text(stage_field(STAGE_MOVER, "state"), &unnamed, "9");
    expect_text(&(eddy_field){.kind = EDDY_KIND_COUNT}, &unnamed, "?");
}
END_TEST

START_TEST(printed_floats_read_back_to_the_bit) {
    stage_random random = {.state = 3};
    char text[80];
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = stage_draw(&random);
        float single;
        double real;
        memcpy(&single, &bits, sizeof single);
        memcpy(&real, &bits, sizeof real);
        if (!isnan(single)) {
            eddy_value_print(stage_field(STAGE_EVERY, "single"), &single, text, sizeof text);
            float back = strtof(text, NULL);
            ck_assert_msg(memcmp(&back, &single, sizeof back) == 0, "%s", text);
        }
        if (!isnan(real)) {
            eddy_value_print(stage_field(STAGE_EVERY, "real"), &real, text, sizeof text);
            double back = strtod(text, NULL);
            ck_assert_msg(memcmp(&back, &real, sizeof back) == 0, "%s", text);
        }
    }
}
END_TEST

static void make(Suite *suite) {
    TCase *compiler = suite_case(suite, "tripwires", 30);
    tcase_add_loop_test(compiler, a_wrong_table_does_not_compile, 0, sizeof tripwires / sizeof tripwires[0]);
    TCase *names = suite_case(suite, "kinds", 5);
    tcase_add_test(names, kinds_have_names_sizes_and_pinned_numbers);
    tcase_add_test(names, results_have_sentences_and_names);
    tcase_add_test(names, the_journal_is_a_type_named_journal);
    TCase *schemas = suite_case(suite, "schemas", 5);
    tcase_add_loop_test(schemas, a_wrong_schema_is_refused_with_its_row, 0, sizeof bad_schemas / sizeof bad_schemas[0]);
    tcase_add_test(schemas, names_are_used_once);
    tcase_add_test(schemas, schemas_differ_in_their_first_type_or_field);
    TCase *views = suite_case(suite, "views", 5);
    tcase_add_test(views, entities_are_found_by_id);
    tcase_add_test(views, order_types_and_data_are_checked);
    tcase_add_test(views, values_out_of_range_are_refused_with_the_field);
    tcase_add_test(views, a_bool_is_0_or_1);
    tcase_add_test(views, the_hash_of_a_frame_is_the_sum_of_its_entities);
    tcase_add_test(views, the_hash_is_pinned);
    tcase_add_test(views, differences_come_by_id_then_by_table);
    TCase *texts = suite_case(suite, "texts", 10);
    tcase_add_test(texts, values_print_as_people_write_them);
    tcase_add_test(texts, printed_floats_read_back_to_the_bit);
}

int main(void) {
    return suite_run("field", make);
}
