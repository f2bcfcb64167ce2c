/* The game in a window, on SDL's dummy driver: a player made of events pushed between ticks. */
#include "suite.h"

#include <SDL.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/window.h"
#include "map_files.h"

#define LEVEL EDDY_SOURCE_DIR "/levels/first-lamp.tmj"
#define ART EDDY_SOURCE_DIR "/levels/art"
#define STATES_MAX 512

/** Twelve tiles of floor, Moth on the left, the exit four tiles further. */
#define SHORT_LEVEL                                                                                                    \
    "{'type':'map','orientation':'orthogonal','tilewidth':32,'tileheight':32,'width':12,'height':3,"                   \
    "'tilesets':[{'firstgid':1,'tiles':[]}],'layers':["                                                                \
    "{'type':'tilelayer','name':'walls','width':12,'height':3,'data':[0,0,0,0,0,0,0,0,0,0,0,0,"                        \
    "0,0,0,0,0,0,0,0,0,0,0,0, 1,1,1,1,1,1,1,1,1,1,1,1]},{'type':'objectgroup','name':'things','objects':["             \
    "{'id':1,'type':'moth','point':true,'x':48,'y':64},"                                                               \
    "{'id':2,'type':'exit','x':160,'y':0,'width':48,'height':64}]}]}"

static eddy_result open_session(const char *map, const char *record, engine_session **out, eddy_error *error) {
    const engine_session_desc desc = {
        .map_path = map ? map : LEVEL, .level_dir = EDDY_SOURCE_DIR "/levels", .record_path = record, .seed = 7};
    return engine_session_create(&desc, out, error);
}

/** What one run of the window does and sees. */
typedef struct player {
    void (*act)(struct player *player, uint64_t tick); /**< before tick + 1 */
    const char *map, *record;                          /**< NULL: First Lamp, not recorded */
    uint32_t opened;                                   /**< sessions */
    uint32_t watched;
    engine_session_state states[STATES_MAX]; /**< after each tick */
    float moth_x[STATES_MAX];
    volatile sig_atomic_t interrupted;
    SDL_TimerID timer;
} player;

static eddy_result player_open(void *user, uint32_t index, engine_session **out, eddy_error *error) {
    player *who = user;
    who->opened++;
    return index < 90 ? open_session(who->map, who->record, out, error)
                      : eddy_fail(error, EDDY_E_IO, "level %u is not there", index);
}

static eddy_result player_watch(void *user, engine_session *session, eddy_error *error) {
    (void)error;
    player *who = user;
    ck_assert_uint_lt(who->watched, STATES_MAX);
    who->states[who->watched] = engine_session_state_of(session);
    who->moth_x[who->watched] = world_moth_of(engine_session_world(session))->x;
    who->watched++;
    if (who->act)
        who->act(who, who->watched);
    return EDDY_OK;
}

static void push_key(SDL_Scancode scancode, bool down) {
    SDL_Event event = {.key = {.type = down ? SDL_KEYDOWN : SDL_KEYUP, .keysym = {.scancode = scancode}}};
    SDL_PushEvent(&event);
}

static void push_window(int what) {
    SDL_Event event = {.window = {.type = SDL_WINDOWEVENT, .event = (Uint8)what}};
    SDL_PushEvent(&event);
}

static eddy_result play(player *who, engine_window_desc desc, engine_window_end *end, eddy_error *error) {
    desc.art_dir = desc.art_dir ? desc.art_dir : ART;
    desc.width = desc.width ? desc.width : 320; /* small art is rastered sooner */
    desc.height = desc.height ? desc.height : 180;
    desc.open_level = player_open;
    desc.after_tick = player_watch;
    desc.user = who;
    desc.interrupted = &who->interrupted;
    const eddy_result result = engine_window_run(&desc, end, error);
    if (who->timer)
        SDL_RemoveTimer(who->timer);
    return result;
}

/** A run that must go well. */
static engine_window_end play_well(player *who, engine_window_desc desc) {
    engine_window_end end;
    eddy_error error = {.text = ""};
    ck_assert_msg(play(who, desc, &end, &error) == EDDY_OK, "%s", error.text);
    return end;
}

START_TEST(runs_the_ticks_asked_for_and_no_more) {
    player who = {0};
    const engine_window_end end = play_well(&who, (engine_window_desc){.ticks_max = 40});
    ck_assert_uint_eq(end.ticks, 40);
    ck_assert_uint_eq(who.watched, 40);
    ck_assert_uint_eq(who.states[39].frame, 40);
    ck_assert(!end.interrupted && !end.won);
}
END_TEST

/* A script in a window is the same run as without one. */
START_TEST(a_script_gives_the_same_frames_as_without_a_window) {
    engine_script_run runs[] = {{0, 30, BUTTON_RIGHT}, {30, 20, BUTTON_REWIND}, {50, 10, BUTTON_RIGHT | BUTTON_JUMP}};
    const engine_script script = {runs, 3, 60};
    player who = {0};
    play_well(&who, (engine_window_desc){.script = &script, .ticks_max = 70});
    engine_session *session;
    eddy_error error;
    ck_assert_msg(open_session(NULL, NULL, &session, &error) == EDDY_OK, "%s", error.text);
    for (uint64_t tick = 0; tick < 70; tick++) {
        engine_session_tick(session, engine_script_held(&script, tick));
        const engine_session_state state = engine_session_state_of(session);
        ck_assert_msg(state.hash == who.states[tick].hash && state.frame == who.states[tick].frame,
                      "tick %u: frame %u in the window, frame %u without, or other hashes", (unsigned)tick,
                      who.states[tick].frame, state.frame);
    }
    engine_session_close(session, NULL);
}
END_TEST

static void act_walk(player *who, uint64_t tick) {
    (void)who;
    if (tick == 10)
        push_key(SDL_SCANCODE_RIGHT, true);
    if (tick == 40)
        push_key(SDL_SCANCODE_RIGHT, false);
}

START_TEST(a_key_walks) {
    player who = {.act = act_walk};
    play_well(&who, (engine_window_desc){.ticks_max = 60});
    ck_assert_float_eq(who.moth_x[0], who.moth_x[8]);
    ck_assert_float_gt(who.moth_x[39], who.moth_x[8] + 10);
}
END_TEST

/* Timers press again and again: on a slow machine the first press may come before the pause that it should end. */
static Uint32 push_resume(Uint32 interval, void *param) {
    (void)param;
    push_key(SDL_SCANCODE_G, true);
    return interval;
}

static void act_lose_focus_in_a_rewind(player *who, uint64_t tick) {
    if (tick == 60)
        push_key(SDL_SCANCODE_LSHIFT, true);
    if (tick == 80) {
        push_window(SDL_WINDOWEVENT_FOCUS_LOST);
        who->timer = SDL_AddTimer(300, push_resume, NULL);
    }
}

START_TEST(losing_the_focus_pauses_and_ends_the_rewind) {
    player who = {.act = act_lose_focus_in_a_rewind};
    const Uint64 begin = SDL_GetTicks64();
    play_well(&who, (engine_window_desc){.ticks_max = 100});
    ck_assert(who.states[75].rewinding);
    /* Up to five ticks of one picture may have been under way. */
    ck_assert(!who.states[86].rewinding);
    ck_assert_uint_gt(who.states[99].frame, who.states[86].frame);
    ck_assert_msg(SDL_GetTicks64() - begin >= 300 + 100 * 1000 / 60 - 200, "it did not pause");
}
END_TEST

static void act_pause(player *who, uint64_t tick) {
    if (tick == 20) {
        push_key(SDL_SCANCODE_ESCAPE, true);
        who->timer = SDL_AddTimer(200, push_resume, NULL);
    }
}

START_TEST(escape_pauses_and_any_key_goes_on) {
    player who = {.act = act_pause};
    const engine_window_end end = play_well(&who, (engine_window_desc){.ticks_max = 40});
    ck_assert_uint_eq(end.ticks, 40);
    ck_assert_uint_eq(who.states[39].frame, 40);
}
END_TEST

static Uint32 push_q(Uint32 interval, void *param) {
    (void)param;
    push_key(SDL_SCANCODE_Q, true);
    return interval;
}

static void act_pause_and_quit(player *who, uint64_t tick) {
    if (tick == 10)
        push_key(SDL_SCANCODE_Q, true); /* alone it does nothing */
    if (tick == 20) {
        push_key(SDL_SCANCODE_Q, false);
        push_key(SDL_SCANCODE_ESCAPE, true);
        who->timer = SDL_AddTimer(100, push_q, NULL);
    }
}

START_TEST(q_quits_a_pause) {
    player who = {.act = act_pause_and_quit};
    const engine_window_end end = play_well(&who, (engine_window_desc){.ticks_max = 400});
    ck_assert_uint_ge(end.ticks, 20);
    ck_assert_uint_lt(end.ticks, 30);
}
END_TEST

static void act_close(player *who, uint64_t tick) {
    (void)who;
    if (tick == 15)
        push_window(SDL_WINDOWEVENT_CLOSE);
}

START_TEST(closing_the_window_ends_the_run_and_finishes_the_file) {
    player who = {.act = act_close, .record = "window-close.eddy"};
    const engine_window_end end = play_well(&who, (engine_window_desc){.ticks_max = 400});
    ck_assert_uint_lt(end.ticks, 30);
    eddy_reader *reader;
    eddy_error error;
    ck_assert_msg(eddy_reader_open(who.record, &reader, &error) == EDDY_OK, "%s", error.text);
    ck_assert(eddy_reader_info(reader)->clean);
    ck_assert_uint_eq(eddy_reader_info(reader)->axis[EDDY_AXIS_WORLD].last_frame, end.ticks);
    eddy_reader_close(reader);
    unlink(who.record);
}
END_TEST

static void act_win(player *who, uint64_t tick) {
    const engine_session_state *state = &who->states[tick - 1];
    if (state->tick == 1) {
        push_key(SDL_SCANCODE_RIGHT, false);
        push_key(SDL_SCANCODE_RIGHT, true);
    }
    if (who->opened == 2 && state->won && state->stopped && !who->timer)
        who->timer = SDL_AddTimer(2000, push_resume, NULL); /* well into the card at the end */
}

START_TEST(winning_goes_on_to_the_next_level_and_then_to_the_end) {
    map_folder_make();
    player who = {.act = act_win, .map = map_write("short.tmj", SHORT_LEVEL)};
    const engine_window_end end = play_well(&who, (engine_window_desc){.level_count = 2});
    map_folder_remove();
    ck_assert_uint_eq(who.opened, 2);
    ck_assert_uint_eq(end.level, 1);
    ck_assert(end.won);
    uint32_t begun = 0;
    for (uint32_t i = 0; i < who.watched; i++)
        begun += who.states[i].tick == 1;
    ck_assert_uint_eq(begun, 2);
    ck_assert(who.states[who.watched - 1].stopped);
}
END_TEST

static void act_rewind_from_the_exit(player *who, uint64_t tick) {
    const engine_session_state *state = &who->states[tick - 1];
    if (state->tick == 1)
        push_key(SDL_SCANCODE_RIGHT, true);
    if (state->won && state->stopped)
        push_key(SDL_SCANCODE_LSHIFT, true);
}

START_TEST(a_rewind_from_the_exit_calls_the_fade_off) {
    map_folder_make();
    player who = {.act = act_rewind_from_the_exit, .map = map_write("short.tmj", SHORT_LEVEL)};
    const engine_window_end end = play_well(&who, (engine_window_desc){.level_count = 2, .ticks_max = 300});
    map_folder_remove();
    ck_assert_uint_eq(who.opened, 1);
    ck_assert(!end.won);
    ck_assert(who.states[299].rewinding);
}
END_TEST

static void act_interrupt(player *who, uint64_t tick) {
    if (tick == 15)
        who->interrupted = SIGINT;
}

START_TEST(a_signal_ends_the_run_and_is_told) {
    player who = {.act = act_interrupt};
    const engine_window_end end = play_well(&who, (engine_window_desc){.ticks_max = 400});
    ck_assert(end.interrupted);
    ck_assert_uint_lt(end.ticks, 30);
}
END_TEST

START_TEST(shots_are_of_the_tick_asked_for) {
    const engine_window_shot shots[] = {{0, "window-0.png"}, {12, "window-12.png"}};
    player who = {0};
    play_well(&who, (engine_window_desc){.ticks_max = 20, .shots = shots, .shot_count = 2});
    for (int i = 0; i < 2; i++)
        ck_assert_msg(unlink(shots[i].path) == 0, "%s was not written", shots[i].path);
}
END_TEST

static void act_everything(player *who, uint64_t tick) {
    (void)who;
    static const SDL_Scancode presses[] = {SDL_SCANCODE_F3, SDL_SCANCODE_TAB,  SDL_SCANCODE_F4,
                                           SDL_SCANCODE_J,  SDL_SCANCODE_DOWN, SDL_SCANCODE_R,
                                           SDL_SCANCODE_F6, SDL_SCANCODE_F11,  SDL_SCANCODE_F11};
    if (tick >= 20 && tick - 20 < sizeof presses / sizeof *presses) {
        push_key(presses[tick - 20], true);
        push_key(presses[tick - 20], false);
    }
    if (tick == 40)
        push_window(SDL_WINDOWEVENT_SIZE_CHANGED);
}

START_TEST(every_key_and_a_resize_can_be_lived_through) {
    player who = {.act = act_everything};
    const engine_window_end end = play_well(&who, (engine_window_desc){.ticks_max = 90, .width = 800, .height = 600});
    ck_assert_uint_eq(end.ticks, 90);
}
END_TEST

START_TEST(a_level_that_is_not_there_ends_with_its_error) {
    player who = {0};
    eddy_error error;
    ck_assert_int_eq(play(&who, (engine_window_desc){.first_level = 99, .ticks_max = 5}, NULL, &error), EDDY_E_IO);
    ck_assert_str_eq(error.text, "level 99 is not there");
}
END_TEST

START_TEST(missing_art_ends_with_the_files_name) {
    player who = {0};
    eddy_error error;
    ck_assert_int_ne(play(&who, (engine_window_desc){.art_dir = "/nowhere", .ticks_max = 5}, NULL, &error), EDDY_OK);
    ck_assert_msg(strstr(error.text, "/nowhere") != NULL, "%s", error.text);
}
END_TEST

START_TEST(without_a_display_the_error_says_what_to_try) {
    setenv("SDL_VIDEODRIVER", "no-such-driver", 1);
    player who = {0};
    eddy_error error;
    ck_assert_int_eq(play(&who, (engine_window_desc){.ticks_max = 5}, NULL, &error), EDDY_E_DEVICE);
    ck_assert_msg(strstr(error.text, "--headless") != NULL, "%s", error.text);
}
END_TEST

static void use_dummy_driver(void) {
    setenv("SDL_VIDEODRIVER", "dummy", 1);
}

static void make(Suite *suite) {
    TCase *run = suite_case(suite, "run", 60);
    tcase_add_checked_fixture(run, use_dummy_driver, NULL);
    tcase_add_test(run, runs_the_ticks_asked_for_and_no_more);
    tcase_add_test(run, a_script_gives_the_same_frames_as_without_a_window);
    tcase_add_test(run, a_key_walks);
    tcase_add_test(run, losing_the_focus_pauses_and_ends_the_rewind);
    tcase_add_test(run, escape_pauses_and_any_key_goes_on);
    tcase_add_test(run, q_quits_a_pause);
    tcase_add_test(run, closing_the_window_ends_the_run_and_finishes_the_file);
    tcase_add_test(run, winning_goes_on_to_the_next_level_and_then_to_the_end);
    tcase_add_test(run, a_rewind_from_the_exit_calls_the_fade_off);
    tcase_add_test(run, a_signal_ends_the_run_and_is_told);
    tcase_add_test(run, shots_are_of_the_tick_asked_for);
    tcase_add_test(run, every_key_and_a_resize_can_be_lived_through);
    tcase_add_test(run, a_level_that_is_not_there_ends_with_its_error);
    tcase_add_test(run, missing_art_ends_with_the_files_name);
    tcase_add_test(run, without_a_display_the_error_says_what_to_try);
}

int main(void) {
    return suite_run("window", make);
}
