/* What the player holds: SDL events in, buttons out. No window. */
#include "suite.h"

#include <string.h>

#include "engine/input.h"
#include "world/world.h"

#define PAD 7 /**< an SDL joystick id */

static engine_input input;

static void begin_hold(void) {
    engine_input_begin(&input, false);
}

static void begin_toggle(void) {
    engine_input_begin(&input, true);
}

static void end(void) {
    engine_input_end(&input);
}

static void key(SDL_Scancode scancode, bool down) {
    SDL_Event event = {.key = {.type = down ? SDL_KEYDOWN : SDL_KEYUP, .keysym = {.scancode = scancode}}};
    engine_input_event(&input, &event);
}

static void pad_button(SDL_JoystickID pad, int button, bool down) {
    SDL_Event event = {.cbutton = {.type = down ? SDL_CONTROLLERBUTTONDOWN : SDL_CONTROLLERBUTTONUP,
                                   .which = pad,
                                   .button = (Uint8)button}};
    engine_input_event(&input, &event);
}

static void pad_axis(int axis, int value) {
    SDL_Event event = {
        .caxis = {.type = SDL_CONTROLLERAXISMOTION, .which = PAD, .axis = (Uint8)axis, .value = (Sint16)value}};
    engine_input_event(&input, &event);
}

static void pad_unplug(SDL_JoystickID pad) {
    SDL_Event event = {.cdevice = {.type = SDL_CONTROLLERDEVICEREMOVED, .which = pad}};
    engine_input_event(&input, &event);
}

static void lose_focus(void) {
    SDL_Event event = {.window = {.type = SDL_WINDOWEVENT, .event = SDL_WINDOWEVENT_FOCUS_LOST}};
    engine_input_event(&input, &event);
}

#define ck_held(expected) ck_assert_uint_eq(engine_input_held(&input), (expected))

/* ---- bindings ---- */

static const struct {
    SDL_Scancode scancode;
    uint16_t button;
} key_table[] = {
    {SDL_SCANCODE_LEFT, BUTTON_LEFT},     {SDL_SCANCODE_RIGHT, BUTTON_RIGHT},   {SDL_SCANCODE_UP, BUTTON_UP},
    {SDL_SCANCODE_DOWN, BUTTON_DOWN},     {SDL_SCANCODE_Z, BUTTON_JUMP},        {SDL_SCANCODE_X, BUTTON_USE},
    {SDL_SCANCODE_LSHIFT, BUTTON_REWIND}, {SDL_SCANCODE_RSHIFT, BUTTON_REWIND}, {SDL_SCANCODE_A, BUTTON_LEFT},
    {SDL_SCANCODE_D, BUTTON_RIGHT},       {SDL_SCANCODE_W, BUTTON_UP},          {SDL_SCANCODE_S, BUTTON_DOWN},
    {SDL_SCANCODE_SPACE, BUTTON_JUMP},    {SDL_SCANCODE_E, BUTTON_USE},         {SDL_SCANCODE_J, BUTTON_REWIND},
    {SDL_SCANCODE_K, BUTTON_SLOWER},      {SDL_SCANCODE_L, BUTTON_FASTER},      {SDL_SCANCODE_R, BUTTON_RESTART},
};

START_TEST(a_key_holds_its_button_until_it_is_let_go) {
    key(key_table[_i].scancode, true);
    ck_held(key_table[_i].button);
    ck_held(key_table[_i].button);
    key(key_table[_i].scancode, false);
    ck_held(0);
}
END_TEST

static const struct {
    int button;
    uint16_t held;
} pad_table[] = {
    {SDL_CONTROLLER_BUTTON_DPAD_LEFT, BUTTON_LEFT},
    {SDL_CONTROLLER_BUTTON_DPAD_RIGHT, BUTTON_RIGHT},
    {SDL_CONTROLLER_BUTTON_DPAD_UP, BUTTON_UP},
    {SDL_CONTROLLER_BUTTON_DPAD_DOWN, BUTTON_DOWN},
    {SDL_CONTROLLER_BUTTON_A, BUTTON_JUMP},
    {SDL_CONTROLLER_BUTTON_B, BUTTON_USE},
    {SDL_CONTROLLER_BUTTON_X, BUTTON_REWIND},
    {SDL_CONTROLLER_BUTTON_RIGHTSHOULDER, BUTTON_SLOWER},
    {SDL_CONTROLLER_BUTTON_LEFTSHOULDER, BUTTON_FASTER},
    {SDL_CONTROLLER_BUTTON_BACK, BUTTON_RESTART},
};

START_TEST(a_pad_button_holds_its_button_until_it_is_let_go) {
    pad_button(PAD, pad_table[_i].button, true);
    ck_held(pad_table[_i].held);
    pad_button(PAD, pad_table[_i].button, false);
    ck_held(0);
}
END_TEST

START_TEST(the_stick_counts_from_half_way_and_does_not_flutter) {
    pad_axis(SDL_CONTROLLER_AXIS_LEFTX, 12000);
    ck_held(0);
    pad_axis(SDL_CONTROLLER_AXIS_LEFTX, 20000);
    ck_held(BUTTON_RIGHT);
    pad_axis(SDL_CONTROLLER_AXIS_LEFTX, 12000);
    ck_held(BUTTON_RIGHT);
    pad_axis(SDL_CONTROLLER_AXIS_LEFTX, -32768);
    ck_held(BUTTON_LEFT);
    pad_axis(SDL_CONTROLLER_AXIS_LEFTX, 0);
    pad_axis(SDL_CONTROLLER_AXIS_LEFTY, -32768);
    ck_held(BUTTON_UP);
    pad_axis(SDL_CONTROLLER_AXIS_LEFTY, 32767);
    ck_held(BUTTON_DOWN);
}
END_TEST

START_TEST(two_holders_of_one_button_hold_it_until_both_let_go) {
    key(SDL_SCANCODE_LEFT, true);
    key(SDL_SCANCODE_A, true);
    key(SDL_SCANCODE_LEFT, false);
    ck_held(BUTTON_LEFT);
    key(SDL_SCANCODE_A, false);
    ck_held(0);
}
END_TEST

START_TEST(a_press_shorter_than_a_tick_counts_for_one_tick) {
    key(SDL_SCANCODE_Z, true);
    key(SDL_SCANCODE_Z, false);
    ck_held(BUTTON_JUMP);
    ck_held(0);
}
END_TEST

START_TEST(the_keyboards_repeat_is_no_press) {
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .repeat = 1, .keysym = {.scancode = SDL_SCANCODE_Z}}};
    engine_input_event(&input, &event);
    ck_held(0);
}
END_TEST

/* ---- the ladder ---- */

static const struct {
    SDL_Scancode scancode;
    uint16_t plain, rewinding;
} ladder_table[] = {
    {SDL_SCANCODE_UP, BUTTON_UP, BUTTON_SLOWER},
    {SDL_SCANCODE_DOWN, BUTTON_DOWN, BUTTON_FASTER},
    {SDL_SCANCODE_W, BUTTON_UP, BUTTON_SLOWER},
    {SDL_SCANCODE_S, BUTTON_DOWN, BUTTON_FASTER},
};

START_TEST(up_and_down_move_on_the_ladder_while_rewinding) {
    key(SDL_SCANCODE_LSHIFT, true);
    ck_held(BUTTON_REWIND);
    key(ladder_table[_i].scancode, true);
    ck_held(BUTTON_REWIND | ladder_table[_i].rewinding);
    key(ladder_table[_i].scancode, false);
    ck_held(BUTTON_REWIND);
    key(SDL_SCANCODE_LSHIFT, false);
    key(ladder_table[_i].scancode, true);
    ck_held(ladder_table[_i].plain);
}
END_TEST

START_TEST(a_direction_held_since_before_the_rewind_does_not_move_the_ladder) {
    key(ladder_table[_i].scancode, true);
    ck_held(ladder_table[_i].plain);
    key(SDL_SCANCODE_LSHIFT, true);
    ck_held(BUTTON_REWIND | ladder_table[_i].plain);
}
END_TEST

START_TEST(a_ladder_press_is_a_direction_again_after_the_rewind) {
    key(SDL_SCANCODE_LSHIFT, true);
    key(ladder_table[_i].scancode, true);
    engine_input_held(&input);
    key(SDL_SCANCODE_LSHIFT, false);
    ck_held(ladder_table[_i].plain);
}
END_TEST

START_TEST(a_tap_on_the_ladder_counts_there) {
    key(SDL_SCANCODE_LSHIFT, true);
    key(SDL_SCANCODE_DOWN, true);
    key(SDL_SCANCODE_DOWN, false);
    ck_held(BUTTON_REWIND | BUTTON_FASTER);
    ck_held(BUTTON_REWIND);
}
END_TEST

START_TEST(the_stick_moves_on_the_ladder_too) {
    pad_button(PAD, SDL_CONTROLLER_BUTTON_X, true);
    pad_axis(SDL_CONTROLLER_AXIS_LEFTY, 32767);
    ck_held(BUTTON_REWIND | BUTTON_FASTER);
}
END_TEST

/* ---- hold or toggle ---- */

START_TEST(toggled_a_press_begins_and_the_next_press_ends) {
    key(SDL_SCANCODE_J, true);
    ck_held(BUTTON_REWIND);
    key(SDL_SCANCODE_J, false);
    ck_held(BUTTON_REWIND);
    key(SDL_SCANCODE_UP, true);
    ck_held(BUTTON_REWIND | BUTTON_SLOWER);
    key(SDL_SCANCODE_UP, false);
    key(SDL_SCANCODE_LSHIFT, true);
    ck_held(0);
    key(SDL_SCANCODE_LSHIFT, false);
    ck_held(0);
}
END_TEST

/* ---- what ends a rewind ---- */

START_TEST(unplugging_the_pad_that_rewinds_ends_the_rewind_at_once) {
    pad_button(PAD, SDL_CONTROLLER_BUTTON_X, true);
    ck_held(BUTTON_REWIND);
    pad_unplug(PAD);
    ck_held(0);
}
END_TEST

START_TEST(unplugging_a_pad_ends_a_toggled_rewind) {
    pad_button(PAD, SDL_CONTROLLER_BUTTON_X, true);
    pad_button(PAD, SDL_CONTROLLER_BUTTON_X, false);
    ck_held(BUTTON_REWIND);
    pad_unplug(PAD);
    ck_held(0);
}
END_TEST

START_TEST(unplugging_another_pad_changes_nothing) {
    pad_button(PAD, SDL_CONTROLLER_BUTTON_A, true);
    pad_button(PAD + 1, SDL_CONTROLLER_BUTTON_DPAD_LEFT, true);
    pad_unplug(PAD + 1);
    ck_held(BUTTON_JUMP);
    pad_unplug(PAD + 9);
    ck_held(BUTTON_JUMP);
}
END_TEST

START_TEST(a_fifth_pad_is_passed_over) {
    for (int i = 0; i < ENGINE_PADS_MAX; i++)
        pad_button(PAD + i, SDL_CONTROLLER_BUTTON_START, false);
    pad_button(PAD + ENGINE_PADS_MAX, SDL_CONTROLLER_BUTTON_A, true);
    ck_held(0);
    pad_unplug(PAD);
    pad_button(PAD + ENGINE_PADS_MAX, SDL_CONTROLLER_BUTTON_A, true);
    ck_held(BUTTON_JUMP);
}
END_TEST

START_TEST(losing_the_focus_lets_go_of_everything) {
    key(SDL_SCANCODE_LSHIFT, true);
    key(SDL_SCANCODE_LEFT, true);
    ck_held(BUTTON_REWIND | BUTTON_LEFT);
    lose_focus();
    ck_held(0);
    ck_assert(engine_input_commands(&input) & ENGINE_COMMAND_BLUR);
}
END_TEST

START_TEST(losing_the_focus_ends_a_toggled_rewind) {
    key(SDL_SCANCODE_J, true);
    ck_held(BUTTON_REWIND);
    key(SDL_SCANCODE_J, false);
    lose_focus();
    ck_held(0);
}
END_TEST

/* ---- pauses ---- */

START_TEST(the_press_that_resumes_is_not_the_worlds) {
    key(SDL_SCANCODE_RIGHT, true);
    ck_held(BUTTON_RIGHT);
    key(SDL_SCANCODE_SPACE, true); /* paused meanwhile */
    engine_input_resume(&input);
    ck_held(BUTTON_RIGHT);
    key(SDL_SCANCODE_SPACE, false);
    ck_held(BUTTON_RIGHT);
    key(SDL_SCANCODE_SPACE, true);
    ck_held(BUTTON_RIGHT | BUTTON_JUMP);
}
END_TEST

START_TEST(a_rewind_pressed_in_a_pause_does_not_latch) {
    key(SDL_SCANCODE_J, true);
    engine_input_resume(&input);
    ck_held(0);
    key(SDL_SCANCODE_J, false);
    ck_held(0);
}
END_TEST

/* ---- commands ---- */

static const struct {
    SDL_Scancode scancode;
    uint32_t command;
} command_table[] = {
    {SDL_SCANCODE_ESCAPE, ENGINE_COMMAND_PAUSE}, {SDL_SCANCODE_P, ENGINE_COMMAND_PAUSE},
    {SDL_SCANCODE_Q, ENGINE_COMMAND_QUIT},       {SDL_SCANCODE_F3, ENGINE_COMMAND_DEBUG},
    {SDL_SCANCODE_TAB, ENGINE_COMMAND_DEBUG},    {SDL_SCANCODE_F4, ENGINE_COMMAND_TOGGLE_REWIND},
    {SDL_SCANCODE_F6, ENGINE_COMMAND_REDUCED},   {SDL_SCANCODE_F11, ENGINE_COMMAND_FULLSCREEN},
    {SDL_SCANCODE_F12, ENGINE_COMMAND_SHOT},     {SDL_SCANCODE_G, 0},
};

START_TEST(a_command_is_given_once) {
    key(command_table[_i].scancode, true);
    ck_assert_uint_eq(engine_input_commands(&input), command_table[_i].command | ENGINE_COMMAND_ANY);
    ck_assert_uint_eq(engine_input_commands(&input), 0);
    ck_held(0);
}
END_TEST

START_TEST(with_alt_held_keys_are_the_desktops) {
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .keysym = {.scancode = SDL_SCANCODE_TAB, .mod = KMOD_LALT}}};
    engine_input_event(&input, &event);
    ck_assert_uint_eq(engine_input_commands(&input), 0);
    event.key.keysym.scancode = SDL_SCANCODE_RETURN;
    engine_input_event(&input, &event);
    ck_assert_uint_eq(engine_input_commands(&input), ENGINE_COMMAND_FULLSCREEN);
}
END_TEST

START_TEST(start_pauses_and_closing_closes) {
    pad_button(PAD, SDL_CONTROLLER_BUTTON_START, true);
    ck_assert_uint_eq(engine_input_commands(&input), ENGINE_COMMAND_PAUSE | ENGINE_COMMAND_ANY);
    SDL_Event event = {.type = SDL_QUIT};
    engine_input_event(&input, &event);
    ck_assert_uint_eq(engine_input_commands(&input), ENGINE_COMMAND_CLOSE);
}
END_TEST

/* ---- names ---- */

static const char *name_of(int bit) {
    const char *names[16];
    engine_input_key_names(&input, names);
    return names[bit];
}

START_TEST(prompts_name_the_keys_of_the_set_used_last) {
    ck_assert_str_eq(name_of(6), "Left Shift");
    ck_assert_str_eq(name_of(4), "Z");
    ck_assert_str_eq(name_of(7), "K");
    key(SDL_SCANCODE_D, true);
    ck_assert_str_eq(name_of(6), "J");
    ck_assert_str_eq(name_of(4), "Space");
    ck_assert_str_eq(name_of(9), "R");
    pad_button(PAD, SDL_CONTROLLER_BUTTON_A, true);
    ck_assert_str_eq(name_of(6), "X");
    ck_assert_str_eq(name_of(8), "LB");
    pad_unplug(PAD);
    ck_assert_str_eq(name_of(6), "Left Shift");
    ck_assert_ptr_null(name_of(12));
}
END_TEST

START_TEST(every_button_of_the_world_has_a_key_in_each_set) {
    static const SDL_Scancode sets[] = {SDL_SCANCODE_LEFT, SDL_SCANCODE_A};
    for (size_t set = 0; set <= sizeof sets / sizeof *sets; set++) {
        if (set < sizeof sets / sizeof *sets)
            key(sets[set], true);
        else
            pad_button(PAD, SDL_CONTROLLER_BUTTON_A, true);
#define WORLD_BUTTON(NAME, text, bit) ck_assert_msg(name_of(bit) != NULL, "%s has no key in set %zu", text, set);
#include "world/buttons.inl"
#undef WORLD_BUTTON
    }
}
END_TEST

#define COUNT_OF(table) ((int)(sizeof(table) / sizeof *(table)))

static void make(Suite *suite) {
    TCase *held = suite_case(suite, "held", 10);
    tcase_add_checked_fixture(held, begin_hold, end);
    tcase_add_loop_test(held, a_key_holds_its_button_until_it_is_let_go, 0, COUNT_OF(key_table));
    tcase_add_loop_test(held, a_pad_button_holds_its_button_until_it_is_let_go, 0, COUNT_OF(pad_table));
    tcase_add_test(held, the_stick_counts_from_half_way_and_does_not_flutter);
    tcase_add_test(held, two_holders_of_one_button_hold_it_until_both_let_go);
    tcase_add_test(held, a_press_shorter_than_a_tick_counts_for_one_tick);
    tcase_add_test(held, the_keyboards_repeat_is_no_press);
    tcase_add_loop_test(held, up_and_down_move_on_the_ladder_while_rewinding, 0, COUNT_OF(ladder_table));
    tcase_add_loop_test(held, a_direction_held_since_before_the_rewind_does_not_move_the_ladder, 0,
                        COUNT_OF(ladder_table));
    tcase_add_loop_test(held, a_ladder_press_is_a_direction_again_after_the_rewind, 0, COUNT_OF(ladder_table));
    tcase_add_test(held, a_tap_on_the_ladder_counts_there);
    tcase_add_test(held, the_stick_moves_on_the_ladder_too);
    tcase_add_test(held, unplugging_the_pad_that_rewinds_ends_the_rewind_at_once);
    tcase_add_test(held, unplugging_another_pad_changes_nothing);
    tcase_add_test(held, a_fifth_pad_is_passed_over);
    tcase_add_test(held, losing_the_focus_lets_go_of_everything);
    tcase_add_test(held, the_press_that_resumes_is_not_the_worlds);

    TCase *toggled = suite_case(suite, "toggled", 10);
    tcase_add_checked_fixture(toggled, begin_toggle, end);
    tcase_add_test(toggled, toggled_a_press_begins_and_the_next_press_ends);
    tcase_add_test(toggled, unplugging_a_pad_ends_a_toggled_rewind);
    tcase_add_test(toggled, losing_the_focus_ends_a_toggled_rewind);
    tcase_add_test(toggled, a_rewind_pressed_in_a_pause_does_not_latch);

    TCase *commands = suite_case(suite, "commands", 10);
    tcase_add_checked_fixture(commands, begin_hold, end);
    tcase_add_loop_test(commands, a_command_is_given_once, 0, COUNT_OF(command_table));
    tcase_add_test(commands, with_alt_held_keys_are_the_desktops);
    tcase_add_test(commands, start_pauses_and_closing_closes);
    tcase_add_test(commands, prompts_name_the_keys_of_the_set_used_last);
    tcase_add_test(commands, every_button_of_the_world_has_a_key_in_each_set);
}

int main(void) {
    return suite_run("input", make);
}
