/* What the player holds: SDL events in, buttons of the world out, once a tick.
 *
 * Two keyboard sets and any number of gamepads hold the same buttons; a button is down while anything holds it. A press
 * shorter than a tick still counts for one tick. Up and down pressed during a rewind move on its ladder (up and RB
 * towards +8, down and LB towards -8), so no speed needs two keys at once beyond the rewind itself, and with
 * `toggle_rewind` not even those. Losing the focus lets go of everything; a gamepad that goes lets go of its own, and
 * ends a latched rewind.
 *
 * Plain data, no window and no allocation: tests push SDL_Event structs. */
#ifndef EDDY_ENGINE_INPUT_H
#define EDDY_ENGINE_INPUT_H

#include <SDL.h>
#include <stdbool.h>
#include <stdint.h>

#define ENGINE_PADS_MAX 4
#define ENGINE_KEY_NAME_BYTES 24

/** What is asked of the window, not of the world: bits. */
typedef enum engine_command {
    ENGINE_COMMAND_PAUSE = 1 << 0,         /**< Esc, P, Start */
    ENGINE_COMMAND_QUIT = 1 << 1,          /**< Q: while paused */
    ENGINE_COMMAND_CLOSE = 1 << 2,         /**< the window is closed */
    ENGINE_COMMAND_DEBUG = 1 << 3,         /**< F3, Tab */
    ENGINE_COMMAND_TOGGLE_REWIND = 1 << 4, /**< F4: hold or toggle */
    ENGINE_COMMAND_REDUCED = 1 << 5,       /**< F6: reduced motion */
    ENGINE_COMMAND_FULLSCREEN = 1 << 6,    /**< F11, Alt+Enter */
    ENGINE_COMMAND_SHOT = 1 << 7,          /**< F12 */
    ENGINE_COMMAND_BLUR = 1 << 8,          /**< the focus went */
    ENGINE_COMMAND_ANY = 1 << 9,           /**< any key or pad button was pressed: resumes */
} engine_command;

/** A device that holds buttons: the keyboard or one pad. */
typedef struct engine_input_source {
    uint64_t down;    /**< controls held, by row of the device's table */
    uint64_t pressed; /**< pressed since the last tick */
    uint64_t ignored; /**< held, but not for the world until let go */
    uint64_t ladder;  /**< of up and down: pressed in a rewind, so they move on its ladder */
} engine_input_source;

typedef struct engine_input_pad {
    SDL_JoystickID id;
    bool present;
    SDL_GameController *handle; /**< NULL: known by its events only */
    engine_input_source source;
} engine_input_pad;

/** Zero it, then engine_input_begin. */
typedef struct engine_input {
    bool toggle_rewind; /**< a press begins the rewind and the next press ends it */
    bool latched;       /**< toggle_rewind: the last tick rewound */
    engine_input_source keyboard;
    engine_input_pad pads[ENGINE_PADS_MAX];
    uint32_t commands;
    engine_input_source *last_source; /**< of the last press, and its control */
    int last_control;
    int names_of; /**< which set was used last: names for prompts */
    char names[16][ENGINE_KEY_NAME_BYTES];
} engine_input;

void engine_input_begin(engine_input *input, bool toggle_rewind);
/** Closes the gamepads. */
void engine_input_end(engine_input *input);

/** Takes one event; what is not input is passed over. */
void engine_input_event(engine_input *input, const SDL_Event *event);
/** BUTTON_ bits for the next tick; forgets the short presses. */
uint16_t engine_input_held(engine_input *input);
/** The commands since the last call. */
uint32_t engine_input_commands(engine_input *input);

/** After a pause: presses made meanwhile do not count, and the control pressed last not until it is let go. */
void engine_input_resume(engine_input *input);
/** Lets go of everything. */
void engine_input_release(engine_input *input);

/** The name of the bound key for each button bit, of the set used last ("Z", "Left Shift", "RB"); NULL where none is
 * bound. Valid until the next event. */
void engine_input_key_names(const engine_input *input, const char *names[16]);

#endif
