/* The game in a window: events, the fixed step, interpolated drawing, pause, and the way from level to level. */
#ifndef EDDY_ENGINE_WINDOW_H
#define EDDY_ENGINE_WINDOW_H

#include <signal.h>

#include "script.h"
#include "session.h"

/** A picture asked for: of what is shown after `tick` ticks of the run. */
typedef struct engine_window_shot {
    uint64_t tick;
    const char *path;
} engine_window_shot;

/** What to run. Zero means default. Everything is borrowed for the call. */
typedef struct engine_window_desc {
    const char *art_dir;
    /** Opens level `index` (first_level ... first_level + level_count - 1) as a new session; the window closes it. */
    eddy_result (*open_level)(void *user, uint32_t index, engine_session **out, eddy_error *error);
    /** Watches every tick; an error ends the run. NULL: nobody does. */
    eddy_result (*after_tick)(void *user, engine_session *session, eddy_error *error);
    void *user;                        /**< for both */
    uint32_t first_level, level_count; /**< the levels played one after the other; 0: the first one only */

    const engine_script
        *script;        /**< plays instead of the player, and stays in the first level; NULL: the player plays */
    uint64_t ticks_max; /**< the run ends after so many ticks; 0: when the window is closed */
    const engine_window_shot *shots;
    uint32_t shot_count;
    const volatile sig_atomic_t *interrupted; /**< not 0: finish and return; NULL: never */

    bool toggle_rewind, reduced_motion, debug_shown, fullscreen;
    int width, height; /**< px; 0: 1280 x 720 */
    eddy_hooks hooks;  /**< log */
} engine_window_desc;

/** How a run ended. */
typedef struct engine_window_end {
    uint64_t ticks;
    uint32_t level;   /**< the last one played */
    bool won;         /**< its exit was reached */
    bool interrupted; /**< by `interrupted` */
} engine_window_end;

/** Opens the window and plays until it is closed, the ticks are over, the last level is won, or a signal came. Works
 * with SDL's dummy and offscreen drivers too. `end` may be NULL. E_DEVICE: no window could be opened; errors of drawing
 * and of sessions, with their texts; a file that could not be finished is the result even when all else went well. */
eddy_result engine_window_run(const engine_window_desc *desc, engine_window_end *end, eddy_error *error);

#endif
