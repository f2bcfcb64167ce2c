#include "window.h"

#include <stdio.h>
#include <unistd.h>

#include "draw.h"
#include "input.h"
#include "snapshot.h"

/* Times of the show, in ticks. */
#define FADE_IN_TICKS 36
#define FADE_OUT_TICKS 48
#define TITLE_TICKS 150
#define TITLE_FADE_TICKS 40

#define TICKS_A_PICTURE_MAX 5 /**< further behind than this, time is let go */
#define TOAST_MS 1800
#define RESCALE_AFTER_MS 250 /**< a window being dragged is not redrawn at every size */
#define PAUSED_WAIT_MS 50
#define FRAMES_BETWEEN_SHOWN_MAX 8 /**< the fastest rung: further apart, two frames are not neighbours */

/** Where the run is between begin and end. */
typedef enum window_stage { STAGE_PLAY, STAGE_END_CARD, STAGE_OVER } window_stage;

typedef struct window {
    const engine_window_desc *desc;
    SDL_Window *handle;
    SDL_Renderer *renderer;
    bool vsync;
    engine_draw *draw;
    uint64_t resized_ms; /**< when the size changed last; 0: art fits */

    engine_session *session;
    uint32_t level;
    uint64_t level_ticks, won_ticks;
    engine_snapshot before;
    eddy_view before_view; /**< of it, for the picture being made */
    bool has_before;
    eddy_error file_error; /**< the first file that could not be finished; code EDDY_OK: none */

    engine_input input;
    window_stage stage;
    bool paused, reduced_motion, debug_shown;
    uint64_t ticks;
    uint64_t counter, owed; /**< the performance counter at the last look; counts not yet turned into ticks */
    uint64_t flushed_ms;
    double fps;

    char toast[80];
    uint64_t toast_until_ms;
    uint32_t shots_saved; /**< with F12 */
} window;

static void window_toast(window *w, const char *text) {
    snprintf(w->toast, sizeof w->toast, "%s", text);
    w->toast_until_ms = SDL_GetTicks64() + TOAST_MS;
}

static bool window_interrupted(const window *w) {
    return w->desc->interrupted && *w->desc->interrupted;
}

/* ---- opening and closing ---- */

static float window_scale(const window *w) {
    int width = ENGINE_VIEW_W, height = ENGINE_VIEW_H;
    SDL_GetRendererOutputSize(w->renderer, &width, &height);
    const float across = (float)width / ENGINE_VIEW_W, down = (float)height / ENGINE_VIEW_H;
    const float scale = across < down ? across : down;
    return scale < 0.1f ? 0.1f : scale;
}

/** Is this OpenGL emulated by the processor? SDL's own software renderer is several times faster at what we draw. */
static bool renderer_is_emulated(SDL_Renderer *renderer) {
    static const char *const emulators[] = {"llvmpipe", "softpipe", "swrast", "SwiftShader"};
    enum { GL_RENDERER_NAME = 0x1F01 }; /* GL_RENDERER of OpenGL's header */
    SDL_RendererInfo info;
    if (SDL_GetRendererInfo(renderer, &info) != 0 || strncmp(info.name, "opengl", 6) != 0)
        return false;
    const unsigned char *(*get_string)(unsigned);
    *(void **)&get_string = SDL_GL_GetProcAddress("glGetString");
    const char *name = get_string ? (const char *)get_string(GL_RENDERER_NAME) : NULL;
    for (size_t i = 0; name && i < sizeof emulators / sizeof emulators[0]; i++)
        if (strstr(name, emulators[i]))
            return true;
    return false;
}

static eddy_result window_open_renderer(window *w, eddy_error *error) {
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
    w->renderer = SDL_CreateRenderer(w->handle, -1, SDL_RENDERER_ACCELERATED | SDL_RENDERER_PRESENTVSYNC);
    if (w->renderer && !SDL_GetHint(SDL_HINT_RENDER_DRIVER) && renderer_is_emulated(w->renderer)) {
        SDL_DestroyRenderer(w->renderer);
        w->renderer = NULL;
    }
    if (!w->renderer)
        w->renderer = SDL_CreateRenderer(w->handle, -1, SDL_RENDERER_SOFTWARE);
    if (!w->renderer)
        return eddy_fail(error, EDDY_E_DEVICE, "SDL can draw on no renderer here: %s", SDL_GetError());
    SDL_RendererInfo info;
    w->vsync = SDL_GetRendererInfo(w->renderer, &info) == 0 && (info.flags & SDL_RENDERER_PRESENTVSYNC);
    return EDDY_OK;
}

static eddy_result window_open(window *w, eddy_error *error) {
    const engine_window_desc *desc = w->desc;
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
        return eddy_fail(error, EDDY_E_DEVICE, "SDL finds no display: %s; try eddy play --headless", SDL_GetError());
    if (SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) != 0)
        eddy_log(&w->desc->hooks, "no gamepads: %s", SDL_GetError());
    const Uint32 flags =
        SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | (desc->fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    w->handle =
        SDL_CreateWindow("Kettlewick", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                         desc->width ? desc->width : ENGINE_VIEW_W, desc->height ? desc->height : ENGINE_VIEW_H, flags);
    if (!w->handle)
        return eddy_fail(error, EDDY_E_DEVICE, "SDL opens no window: %s; try eddy play --headless", SDL_GetError());
    SDL_SetWindowMinimumSize(w->handle, ENGINE_VIEW_W / 4, ENGINE_VIEW_H / 4);
    eddy_result result = window_open_renderer(w, error);
    if (result == EDDY_OK)
        result = engine_draw_create(w->renderer, desc->art_dir, window_scale(w), &w->draw, error);
    engine_input_begin(&w->input, desc->toggle_rewind);
    return result;
}

/** Closes the level being played. Trouble with its file does not end the game; the first one is told at the end. */
static void window_close_level(window *w) {
    if (!w->session)
        return;
    eddy_error closing;
    if (engine_session_close(w->session, &closing) != EDDY_OK && w->file_error.code == EDDY_OK)
        w->file_error = closing;
    w->session = NULL;
    w->has_before = false;
}

static void window_close(window *w) {
    engine_input_end(&w->input);
    engine_snapshot_free(&w->before);
    engine_draw_destroy(w->draw);
    if (w->renderer)
        SDL_DestroyRenderer(w->renderer);
    if (w->handle)
        SDL_DestroyWindow(w->handle);
    SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

static eddy_result window_open_level(window *w, uint32_t level, eddy_error *error) {
    const eddy_result result = w->desc->open_level(w->desc->user, level, &w->session, error);
    if (result != EDDY_OK)
        return result;
    w->level = level;
    w->level_ticks = w->won_ticks = 0;
    w->counter = SDL_GetPerformanceCounter();
    w->owed = 0;
    char title[80];
    snprintf(title, sizeof title, "%s - Kettlewick", world_level_of(engine_session_world(w->session))->title);
    SDL_SetWindowTitle(w->handle, title);
    return EDDY_OK;
}

/* ---- the picture ---- */

static float ramp(double from, double to, double value) {
    const double t = (value - from) / (to - from);
    return (float)(t < 0 ? 0 : t > 1 ? 1 : t);
}

static void picture_fill_cards(const window *w, engine_picture *picture) {
    const double ticks = (double)w->level_ticks;
    picture->title = world_level_of(engine_session_world(w->session))->title;
    picture->title_alpha = ramp(FADE_IN_TICKS / 2.0, FADE_IN_TICKS, ticks) *
                           (1 - ramp(TITLE_TICKS, TITLE_TICKS + TITLE_FADE_TICKS, ticks));
    const float in = 1 - ramp(0, FADE_IN_TICKS, ticks), out = ramp(0, FADE_OUT_TICKS, (double)w->won_ticks);
    picture->fade = in > out ? in : out;
    if (w->stage == STAGE_END_CARD) {
        picture->title = "The lamps are lit";
        picture->title_alpha = 1;
        picture->toast = "press a key";
    }
}

static const char *picture_toast(const window *w, const engine_picture *picture) {
    if (SDL_GetTicks64() < w->toast_until_ms)
        return w->toast;
    if (picture->rewinding && picture->speed < 0 && picture->shown_frame == picture->first_frame)
        return picture->forgotten ? "start of memory" : "the very beginning";
    return NULL;
}

static void window_fill_picture(window *w, engine_picture *picture) {
    const uint64_t frequency = SDL_GetPerformanceFrequency();
    *picture = (engine_picture){.alpha = 1};
    engine_session_picture(w->session, picture);
    if (w->has_before) {
        w->before_view = engine_snapshot_view(&w->before);
        picture->before = &w->before_view;
        picture->alpha = ramp(0, (double)frequency / ENGINE_RATE, (double)w->owed);
    }
    picture->paused = w->paused;
    picture->reduced_motion = w->reduced_motion;
    picture->debug.shown = w->debug_shown;
    picture->debug.fps = w->fps;
    picture->toast = picture_toast(w, picture);
    picture_fill_cards(w, picture);
    engine_input_key_names(&w->input, picture->key_names);
}

static void window_draw(window *w) {
    engine_picture picture;
    window_fill_picture(w, &picture);
    engine_draw_picture(w->draw, &picture);
    SDL_RenderPresent(w->renderer);
}

/** A picture of the world as it is, without what lies between two frames. */
static eddy_result window_shoot(window *w, const char *path, eddy_error *error) {
    engine_picture picture;
    window_fill_picture(w, &picture);
    picture.before = NULL;
    picture.alpha = 1;
    return engine_draw_png(w->desc->art_dir, &picture, path, error);
}

/** The pictures of this tick. One that cannot be written is told at once and makes the run fail at its end; the game
 * goes on. */
static void window_take_shots(window *w) {
    for (uint32_t i = 0; i < w->desc->shot_count; i++) {
        eddy_error error;
        if (w->desc->shots[i].tick != w->ticks || window_shoot(w, w->desc->shots[i].path, &error) == EDDY_OK)
            continue;
        eddy_log(&w->desc->hooks, "%s", error.text);
        if (w->file_error.code == EDDY_OK)
            w->file_error = error;
    }
}

/** F12: the first free name in the folder one is in. */
static void window_save_shot(window *w) {
    char path[40];
    do
        snprintf(path, sizeof path, "kettlewick-%03u.png", ++w->shots_saved);
    while (access(path, F_OK) == 0 && w->shots_saved < 999);
    eddy_error error;
    char text[sizeof w->toast];
    if (window_shoot(w, path, &error) == EDDY_OK) {
        snprintf(text, sizeof text, "saved %s", path);
    } else {
        eddy_log(&w->desc->hooks, "%s", error.text);
        snprintf(text, sizeof text, "%s could not be saved", path);
    }
    window_toast(w, text);
    w->counter = SDL_GetPerformanceCounter();
}

/** Art is rastered for the size of the window once it has settled. */
static eddy_result window_rescale(window *w, eddy_error *error) {
    if (!w->resized_ms || SDL_GetTicks64() - w->resized_ms < RESCALE_AFTER_MS)
        return EDDY_OK;
    w->resized_ms = 0;
    const eddy_result result = engine_draw_rescale(w->draw, window_scale(w), error);
    w->counter = SDL_GetPerformanceCounter();
    return result;
}

/* ---- events and commands ---- */

static void window_pause(window *w, bool paused) {
    if (w->paused == paused || w->stage != STAGE_PLAY)
        return;
    w->paused = paused;
    eddy_audio_pause(engine_session_audio(w->session), paused);
    if (paused)
        engine_session_flush(w->session);
    else
        engine_input_resume(&w->input);
    w->counter = SDL_GetPerformanceCounter();
}

static void window_toggle_fullscreen(window *w) {
    const bool full = SDL_GetWindowFlags(w->handle) & SDL_WINDOW_FULLSCREEN;
    SDL_SetWindowFullscreen(w->handle, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

static void window_change_options(window *w, uint32_t commands) {
    if (commands & ENGINE_COMMAND_DEBUG)
        w->debug_shown = !w->debug_shown;
    if (commands & ENGINE_COMMAND_FULLSCREEN)
        window_toggle_fullscreen(w);
    if (commands & ENGINE_COMMAND_SHOT)
        window_save_shot(w);
    if (commands & ENGINE_COMMAND_REDUCED) {
        w->reduced_motion = !w->reduced_motion;
        window_toast(w, w->reduced_motion ? "reduced motion" : "full motion");
    }
    if (commands & ENGINE_COMMAND_TOGGLE_REWIND) {
        engine_input_release(&w->input);
        w->input.toggle_rewind = !w->input.toggle_rewind;
        window_toast(w, w->input.toggle_rewind ? "rewind: press to begin, press to end" : "rewind: hold");
    }
}

static void window_obey(window *w, uint32_t commands) {
    const uint32_t options = ENGINE_COMMAND_DEBUG | ENGINE_COMMAND_FULLSCREEN | ENGINE_COMMAND_SHOT |
                             ENGINE_COMMAND_REDUCED | ENGINE_COMMAND_TOGGLE_REWIND;
    window_change_options(w, commands);
    if ((commands & ENGINE_COMMAND_CLOSE) || (w->paused && (commands & ENGINE_COMMAND_QUIT)) ||
        (w->stage == STAGE_END_CARD && (commands & ENGINE_COMMAND_ANY)))
        w->stage = STAGE_OVER;
    else if (w->paused && (commands & (ENGINE_COMMAND_ANY | ENGINE_COMMAND_PAUSE)) && !(commands & options))
        window_pause(w, false);
    else if (commands & ENGINE_COMMAND_PAUSE)
        window_pause(w, true);
    /* A run by script is not watched: it goes on behind other windows. */
    if ((commands & ENGINE_COMMAND_BLUR) && !w->desc->script)
        window_pause(w, true);
}

static void window_handle_event(window *w, const SDL_Event *event) {
    if (event->type == SDL_WINDOWEVENT && event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
        w->resized_ms = SDL_GetTicks64() | 1;
    /* Textures of a renderer that began anew are empty. */
    if (event->type == SDL_RENDER_TARGETS_RESET || event->type == SDL_RENDER_DEVICE_RESET)
        w->resized_ms = 1;
    engine_input_event(&w->input, event);
}

static void window_handle_events(window *w) {
    SDL_Event event;
    while (SDL_PollEvent(&event))
        window_handle_event(w, &event);
    window_obey(w, engine_input_commands(&w->input));
}

/* ---- time ---- */

/** The state before a tick, for the pictures between. */
static void window_keep_before(window *w) {
    const eddy_view view = world_view(engine_session_world(w->session));
    w->has_before = engine_snapshot_take(&w->before, world_schema(), &view, NULL) == EDDY_OK;
}

/** Did the shown frame jump, so that nothing lies between? */
static bool frames_jumped(const engine_session_state *from, const engine_session_state *to) {
    const int64_t distance = (int64_t)to->frame - from->frame;
    return distance > FRAMES_BETWEEN_SHOWN_MAX || distance < -FRAMES_BETWEEN_SHOWN_MAX ||
           (distance < 0 && !to->rewinding);
}

static void window_tick(window *w) {
    const engine_session_state from = engine_session_state_of(w->session);
    window_keep_before(w);
    uint16_t held = engine_input_held(&w->input);
    if (w->desc->script)
        held = engine_script_held(w->desc->script, w->ticks);
    engine_session_tick(w->session, held);
    w->ticks++;
    w->level_ticks++;
    const engine_session_state to = engine_session_state_of(w->session);
    if (frames_jumped(&from, &to))
        w->has_before = false;
    w->won_ticks = to.won && to.stopped && !to.rewinding ? w->won_ticks + 1 : 0;
}

/** Counts real time since the last look; far behind, time is let go. */
static void window_measure(window *w) {
    const uint64_t now = SDL_GetPerformanceCounter(), frequency = SDL_GetPerformanceFrequency();
    const uint64_t passed = now - w->counter, most = frequency * TICKS_A_PICTURE_MAX / ENGINE_RATE;
    w->counter = now;
    w->owed += passed < most ? passed : most;
    if (w->owed > most)
        w->owed = most;
    if (passed > 0 && !w->paused)
        w->fps += ((double)frequency / (double)passed - w->fps) * 0.05;
}

static bool window_ticks_over(const window *w) {
    return w->desc->ticks_max && w->ticks >= w->desc->ticks_max;
}

static eddy_result window_run_ticks(window *w, eddy_error *error) {
    const uint64_t step = SDL_GetPerformanceFrequency() / ENGINE_RATE;
    while (w->owed >= step && !window_ticks_over(w)) {
        w->owed -= step;
        window_tick(w);
        window_take_shots(w);
        eddy_result result = EDDY_OK;
        if (w->desc->after_tick)
            result = w->desc->after_tick(w->desc->user, w->session, error);
        if (result != EDDY_OK)
            return result;
    }
    return EDDY_OK;
}

/** Once a second of real time what was played is safe in the file. */
static void window_flush(window *w) {
    const uint64_t now = SDL_GetTicks64();
    if (now - w->flushed_ms < 1000)
        return;
    w->flushed_ms = now;
    engine_session_flush(w->session);
}

/** Won and faded out: the next level, or the card at the end. */
static eddy_result window_next_level(window *w, eddy_error *error) {
    if (w->won_ticks < FADE_OUT_TICKS || w->desc->script)
        return EDDY_OK;
    if (w->level + 1 >= w->desc->first_level + w->desc->level_count) {
        w->stage = STAGE_END_CARD;
        eddy_audio_pause(engine_session_audio(w->session), true);
        engine_session_flush(w->session);
        return EDDY_OK;
    }
    window_close_level(w);
    return window_open_level(w, w->level + 1, error);
}

static eddy_result window_advance(window *w, eddy_error *error) {
    window_measure(w);
    eddy_result result = window_run_ticks(w, error);
    if (result == EDDY_OK)
        window_flush(w);
    if (result == EDDY_OK)
        result = window_next_level(w, error);
    return result;
}

/** Without a display that paces us, sleeps until the next tick is due; with one, only bounds the pictures a second. */
static void window_rest(const window *w) {
    if (w->paused || w->stage == STAGE_END_CARD) {
        SDL_WaitEventTimeout(NULL, PAUSED_WAIT_MS);
        return;
    }
    const double frequency = (double)SDL_GetPerformanceFrequency();
    const double spent_ms = (double)(SDL_GetPerformanceCounter() - w->counter) / frequency * 1000;
    const double owed_ms = (double)w->owed / frequency * 1000;
    const double wait_ms = w->vsync ? 4 - spent_ms : 1000.0 / ENGINE_RATE - owed_ms - spent_ms;
    if (wait_ms >= 1)
        SDL_Delay((Uint32)wait_ms);
}

static eddy_result window_loop(window *w, eddy_error *error) {
    eddy_result result = EDDY_OK;
    window_take_shots(w);
    while (result == EDDY_OK && w->stage != STAGE_OVER) {
        window_handle_events(w);
        if (w->stage == STAGE_PLAY && !w->paused)
            result = window_advance(w, error);
        if (result == EDDY_OK)
            result = window_rescale(w, error);
        if (result != EDDY_OK || window_interrupted(w) || window_ticks_over(w))
            break;
        window_draw(w);
        window_rest(w);
    }
    return result;
}

static void window_fill_end(const window *w, engine_window_end *end) {
    *end = (engine_window_end){.ticks = w->ticks, .level = w->level, .interrupted = window_interrupted(w)};
    if (w->session)
        end->won = engine_session_state_of(w->session).won;
}

eddy_result engine_window_run(const engine_window_desc *desc, engine_window_end *end, eddy_error *error) {
    window w = {.desc = desc, .reduced_motion = desc->reduced_motion, .debug_shown = desc->debug_shown};
    engine_window_end unused;
    eddy_result result = window_open(&w, error);
    if (result == EDDY_OK)
        result = window_open_level(&w, desc->first_level, error);
    if (result == EDDY_OK)
        result = window_loop(&w, error);
    window_fill_end(&w, end ? end : &unused);
    window_close_level(&w);
    window_close(&w);
    if (result == EDDY_OK && w.file_error.code != EDDY_OK)
        result = eddy_fail(error, w.file_error.code, "%s", w.file_error.text);
    return result;
}
