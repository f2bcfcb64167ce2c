/* Input scripts: what is read, and what is refused with its place. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/path.h"
#include "engine/script.h"
#include "suite.h"
#include "world/world.h"

static const char path[] = "script_test.inp";

static eddy_result load(const char *text, engine_script *script, eddy_error *error) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    eddy_result result = engine_script_load(path, script, error);
    unlink(path);
    return result;
}

START_TEST(runs_are_held_for_their_count) {
    engine_script script;
    ck_assert_int_eq(load("# a comment\n2 right\n\n3 right+jump # and jump\r\n1 none\n4 rewind+faster\n", &script, NULL),
                     EDDY_OK);
    ck_assert_uint_eq(script.ticks, 10);
    static const uint16_t expected[] = {BUTTON_RIGHT, BUTTON_RIGHT, BUTTON_RIGHT | BUTTON_JUMP, BUTTON_RIGHT | BUTTON_JUMP,
                                        BUTTON_RIGHT | BUTTON_JUMP, 0, BUTTON_REWIND | BUTTON_FASTER};
    for (uint64_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        ck_assert_uint_eq(engine_script_held(&script, i), expected[i]);
    ck_assert_uint_eq(engine_script_held(&script, 10), 0);
    ck_assert_uint_eq(engine_script_held(&script, UINT64_MAX), 0);
    engine_script_free(&script);
}
END_TEST

START_TEST(an_empty_script_holds_nothing) {
    engine_script script;
    ck_assert_int_eq(load("# nothing\n0 right\n", &script, NULL), EDDY_OK);
    ck_assert_uint_eq(script.ticks, 0);
    ck_assert_uint_eq(engine_script_held(&script, 0), 0);
    engine_script_free(&script);
}
END_TEST

static const struct refusal {
    const char *text, *says;
} refusals[] = {
    {"1 right\n2 jmp\n", ":2: unknown button \"jmp\""},
    {"right\n", ":1: expected a number of ticks, found \"right\""},
    {"-3 right\n", ":1: expected a number"},
    {"3x right\n", ":1: expected a number"},
    {"3\n", ":1: expected `COUNT buttons`"},
    {"3 right jump\n", "third word: jump"},
    {"3 right+\n", "unknown button \"\""},
    {"99999999999999999999 right\n", ":1: expected a number"},
    {"100000000 right\n1 right\n", ":2: the script grows past"},
};

START_TEST(a_bad_line_is_refused_with_its_place) {
    engine_script script;
    eddy_error error;
    ck_assert_int_lt(load(refusals[_i].text, &script, &error), EDDY_OK);
    ck_assert_msg(strstr(error.text, refusals[_i].says) != NULL, "\"%s\" should say \"%s\"", error.text, refusals[_i].says);
    ck_assert_ptr_null(script.runs);
}
END_TEST

START_TEST(a_missing_file_or_a_folder_is_refused) {
    engine_script script;
    eddy_error error;
    ck_assert_int_eq(engine_script_load("no/such.inp", &script, &error), EDDY_E_IO);
    ck_assert_int_eq(engine_script_load(".", &script, &error), EDDY_E_IO);
}
END_TEST

START_TEST(every_name_that_messages_list_is_a_button) {
    char names[200];
    snprintf(names, sizeof names, "%s", world_button_names());
    uint32_t all = 0, count = 0;
    for (const char *name = strtok(names, " "); name; name = strtok(NULL, " "), count++)
        all |= world_button(name);
    ck_assert_uint_eq(count, 10);
    ck_assert_uint_eq(all, (1u << count) - 1);
}
END_TEST

START_TEST(a_path_too_long_is_an_error_and_no_path) {
    char out[12];
    eddy_error error;
    ck_assert_int_eq(engine_path_print(out, sizeof out, &error, "%s/%s", "folder", "file"), EDDY_OK);
    ck_assert_str_eq(out, "folder/file"); /* fits to the last byte */
    ck_assert_int_eq(engine_path_print(out, sizeof out, &error, "%s/%s", "folder", "file2"), EDDY_E_LIMIT);
    ck_assert_str_eq(out, "");
    ck_assert_ptr_nonnull(strstr(error.text, "folder/file...: expected a path of at most 11 bytes, found 12"));
}
END_TEST

static void make(Suite *suite) {
    TCase *script = suite_case(suite, "script", 10);
    tcase_add_test(script, runs_are_held_for_their_count);
    tcase_add_test(script, an_empty_script_holds_nothing);
    tcase_add_loop_test(script, a_bad_line_is_refused_with_its_place, 0, (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(script, a_missing_file_or_a_folder_is_refused);
    tcase_add_test(script, every_name_that_messages_list_is_a_button);
    tcase_add_test(script, a_path_too_long_is_an_error_and_no_path);
}

int main(void) {
    return suite_run("script", make);
}
