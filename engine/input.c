#include "input.h"

#include <stdio.h>
#include <string.h>

#include "world/world.h"

/** Sets of controls that prompts name together. */
enum { SET_A, SET_B, SET_BOTH, SET_PAD };

/** One control: what it holds, in play and while rewinding (0: the same). */
typedef struct control {
    int code; /**< scancode, or pad button, or STICK_ */
    uint16_t button;
    uint16_t rewinding; /**< when pressed during a rewind */
    uint8_t set;
    const char *name; /**< of pads; keys are named by the keyboard's layout */
} control;

/** The two sets of keys, by place on the keyboard. A row's place is its bit in engine_input_source. */
static const control keys[] = {
    {SDL_SCANCODE_LEFT, BUTTON_LEFT, 0, SET_A, NULL},
    {SDL_SCANCODE_RIGHT, BUTTON_RIGHT, 0, SET_A, NULL},
    {SDL_SCANCODE_UP, BUTTON_UP, BUTTON_SLOWER, SET_A, NULL},
    {SDL_SCANCODE_DOWN, BUTTON_DOWN, BUTTON_FASTER, SET_A, NULL},
    {SDL_SCANCODE_Z, BUTTON_JUMP, 0, SET_A, NULL},
    {SDL_SCANCODE_X, BUTTON_USE, 0, SET_A, NULL},
    {SDL_SCANCODE_LSHIFT, BUTTON_REWIND, 0, SET_A, NULL},
    {SDL_SCANCODE_RSHIFT, BUTTON_REWIND, 0, SET_A, NULL},
    {SDL_SCANCODE_A, BUTTON_LEFT, 0, SET_B, NULL},
    {SDL_SCANCODE_D, BUTTON_RIGHT, 0, SET_B, NULL},
    {SDL_SCANCODE_W, BUTTON_UP, BUTTON_SLOWER, SET_B, NULL},
    {SDL_SCANCODE_S, BUTTON_DOWN, BUTTON_FASTER, SET_B, NULL},
    {SDL_SCANCODE_SPACE, BUTTON_JUMP, 0, SET_B, NULL},
    {SDL_SCANCODE_E, BUTTON_USE, 0, SET_B, NULL},
    {SDL_SCANCODE_J, BUTTON_REWIND, 0, SET_B, NULL},
    {SDL_SCANCODE_K, BUTTON_SLOWER, 0, SET_BOTH, NULL},
    {SDL_SCANCODE_L, BUTTON_FASTER, 0, SET_BOTH, NULL},
    {SDL_SCANCODE_R, BUTTON_RESTART, 0, SET_BOTH, NULL},
};

/** The stick's directions stand behind the pad's buttons. */
enum { STICK_LEFT = 100, STICK_RIGHT, STICK_UP, STICK_DOWN };

static const control pad_controls[] = {
    {SDL_CONTROLLER_BUTTON_DPAD_LEFT, BUTTON_LEFT, 0, SET_PAD, "Left"},
    {SDL_CONTROLLER_BUTTON_DPAD_RIGHT, BUTTON_RIGHT, 0, SET_PAD, "Right"},
    {SDL_CONTROLLER_BUTTON_DPAD_UP, BUTTON_UP, BUTTON_SLOWER, SET_PAD, "Up"},
    {SDL_CONTROLLER_BUTTON_DPAD_DOWN, BUTTON_DOWN, BUTTON_FASTER, SET_PAD, "Down"},
    {STICK_LEFT, BUTTON_LEFT, 0, SET_PAD, "Left"},
    {STICK_RIGHT, BUTTON_RIGHT, 0, SET_PAD, "Right"},
    {STICK_UP, BUTTON_UP, BUTTON_SLOWER, SET_PAD, "Up"},
    {STICK_DOWN, BUTTON_DOWN, BUTTON_FASTER, SET_PAD, "Down"},
    {SDL_CONTROLLER_BUTTON_A, BUTTON_JUMP, 0, SET_PAD, "A"},
    {SDL_CONTROLLER_BUTTON_B, BUTTON_USE, 0, SET_PAD, "B"},
    {SDL_CONTROLLER_BUTTON_X, BUTTON_REWIND, 0, SET_PAD, "X"},
    {SDL_CONTROLLER_BUTTON_RIGHTSHOULDER, BUTTON_SLOWER, 0, SET_PAD, "RB"},
    {SDL_CONTROLLER_BUTTON_LEFTSHOULDER, BUTTON_FASTER, 0, SET_PAD, "LB"},
    {SDL_CONTROLLER_BUTTON_BACK, BUTTON_RESTART, 0, SET_PAD, "Back"},
};

typedef struct command_key {
    int scancode;
    uint32_t command;
} command_key;

static const command_key command_keys[] = {
    {SDL_SCANCODE_ESCAPE, ENGINE_COMMAND_PAUSE}, {SDL_SCANCODE_P, ENGINE_COMMAND_PAUSE},
    {SDL_SCANCODE_Q, ENGINE_COMMAND_QUIT},       {SDL_SCANCODE_F3, ENGINE_COMMAND_DEBUG},
    {SDL_SCANCODE_TAB, ENGINE_COMMAND_DEBUG},    {SDL_SCANCODE_F4, ENGINE_COMMAND_TOGGLE_REWIND},
    {SDL_SCANCODE_F6, ENGINE_COMMAND_REDUCED},   {SDL_SCANCODE_F11, ENGINE_COMMAND_FULLSCREEN},
    {SDL_SCANCODE_F12, ENGINE_COMMAND_SHOT},
};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))
_Static_assert(sizeof keys / sizeof *keys <= 64 && sizeof pad_controls / sizeof *pad_controls <= 64, "a bit each");

/* The stick counts from half way and lets go below a third, so that it does not flutter. */
#define STICK_PRESS 16384
#define STICK_LET_GO 10923

static int control_find(const control *controls, int count, int code) {
    for (int i = 0; i < count; i++)
        if (controls[i].code == code)
            return i;
    return -1;
}

/* ---- what is held ---- */

static uint16_t source_buttons(const engine_input_source *source, const control *controls, int count, bool rewinding) {
    const uint64_t effective = (source->down | source->pressed) & ~source->ignored;
    uint16_t held = 0;
    for (int i = 0; i < count; i++)
        if (effective >> i & 1)
            held |= rewinding && (source->ladder >> i & 1) ? controls[i].rewinding : controls[i].button;
    return held;
}

static uint16_t input_buttons(const engine_input *input, bool rewinding) {
    uint16_t held = source_buttons(&input->keyboard, keys, COUNT_OF(keys), rewinding);
    for (int i = 0; i < ENGINE_PADS_MAX; i++)
        held |= source_buttons(&input->pads[i].source, pad_controls, COUNT_OF(pad_controls), rewinding);
    return held;
}

/** Has a control of rewind been pressed since the last tick? */
static bool rewind_pressed(const engine_input_source *source, const control *controls, int count) {
    for (int i = 0; i < count; i++)
        if (controls[i].button == BUTTON_REWIND && ((source->pressed & ~source->ignored) >> i & 1))
            return true;
    return false;
}

/** Will the next tick rewind? */
static bool input_rewinding(const engine_input *input) {
    if (!input->toggle_rewind)
        return (input_buttons(input, false) & BUTTON_REWIND) != 0;
    bool pressed = rewind_pressed(&input->keyboard, keys, COUNT_OF(keys));
    for (int i = 0; i < ENGINE_PADS_MAX; i++)
        pressed = pressed || rewind_pressed(&input->pads[i].source, pad_controls, COUNT_OF(pad_controls));
    return input->latched != pressed;
}

static void input_forget_presses(engine_input *input) {
    input->keyboard.pressed = 0;
    for (int i = 0; i < ENGINE_PADS_MAX; i++)
        input->pads[i].source.pressed = 0;
}

uint16_t engine_input_held(engine_input *input) {
    const bool rewinding = input_rewinding(input);
    uint16_t held = input_buttons(input, rewinding);
    if (input->toggle_rewind)
        held = (uint16_t)((held & ~BUTTON_REWIND) | (rewinding ? BUTTON_REWIND : 0));
    input->latched = input->toggle_rewind && rewinding;
    input_forget_presses(input);
    return held;
}

uint32_t engine_input_commands(engine_input *input) {
    const uint32_t commands = input->commands;
    input->commands = 0;
    return commands;
}

void engine_input_resume(engine_input *input) {
    input_forget_presses(input);
    if (input->last_source)
        input->last_source->ignored |= input->last_source->down & UINT64_C(1) << input->last_control;
}

void engine_input_release(engine_input *input) {
    input->latched = false;
    input->last_source = NULL;
    input->keyboard = (engine_input_source){0};
    for (int i = 0; i < ENGINE_PADS_MAX; i++)
        input->pads[i].source = (engine_input_source){0};
}

/* ---- names ---- */

static void name_key(char *out, const control *key) {
    if (key->name) {
        snprintf(out, ENGINE_KEY_NAME_BYTES, "%s", key->name);
        return;
    }
    const char *name = SDL_GetKeyName(SDL_GetKeyFromScancode((SDL_Scancode)key->code));
    snprintf(out, ENGINE_KEY_NAME_BYTES, "%s", name[0] ? name : SDL_GetScancodeName((SDL_Scancode)key->code));
}

/** Names the first control of the set for each button. */
static void input_name_keys(engine_input *input, int set) {
    const control *controls = set == SET_PAD ? pad_controls : keys;
    const int count = set == SET_PAD ? COUNT_OF(pad_controls) : COUNT_OF(keys);
    input->names_of = set;
    memset(input->names, 0, sizeof input->names);
    for (int i = 0; i < count; i++)
        for (int bit = 0; bit < 16; bit++)
            if (controls[i].button == 1u << bit && !input->names[bit][0] &&
                (controls[i].set == set || controls[i].set == SET_BOTH))
                name_key(input->names[bit], &controls[i]);
}

void engine_input_key_names(const engine_input *input, const char *names[16]) {
    for (int bit = 0; bit < 16; bit++)
        names[bit] = input->names[bit][0] ? input->names[bit] : NULL;
}

/* ---- events ---- */

static void control_press(engine_input *input, engine_input_source *source, const control *controls, int index) {
    const uint64_t bit = UINT64_C(1) << index;
    if (source->down & bit)
        return;
    if (controls[index].rewinding && input_rewinding(input))
        source->ladder |= bit;
    else
        source->ladder &= ~bit;
    source->down |= bit;
    source->pressed |= bit;
    input->last_source = source;
    input->last_control = index;
    if (controls[index].set != SET_BOTH && controls[index].set != input->names_of)
        input_name_keys(input, controls[index].set);
}

static void control_let_go(engine_input_source *source, int index) {
    const uint64_t bit = UINT64_C(1) << index;
    if (source->ignored & bit)
        source->pressed &= ~bit;
    source->down &= ~bit;
    source->ignored &= ~bit;
}

static void control_set(engine_input *input, engine_input_source *source, const control *controls, int index,
                        bool down) {
    if (index < 0)
        return;
    if (down)
        control_press(input, source, controls, index);
    else
        control_let_go(source, index);
}

/** With Alt or the system key held, keys belong to the desktop; Alt+Enter is the one that is ours. */
static uint32_t key_commands(const SDL_Keysym *key) {
    if (key->mod & (KMOD_ALT | KMOD_GUI))
        return key->scancode == SDL_SCANCODE_RETURN && (key->mod & KMOD_ALT) ? ENGINE_COMMAND_FULLSCREEN : 0;
    uint32_t commands = ENGINE_COMMAND_ANY;
    for (int i = 0; i < COUNT_OF(command_keys); i++)
        if (command_keys[i].scancode == (int)key->scancode)
            commands |= command_keys[i].command;
    return commands;
}

static void key_event(engine_input *input, const SDL_KeyboardEvent *event) {
    const bool down = event->type == SDL_KEYDOWN;
    if (down && event->repeat)
        return;
    if (down) {
        input->commands |= key_commands(&event->keysym);
        input->last_source = NULL;
    }
    control_set(input, &input->keyboard, keys, control_find(keys, COUNT_OF(keys), (int)event->keysym.scancode), down);
}

/** The pad with an id; a new place for an unknown one; NULL when all are taken. */
static engine_input_pad *pad_of(engine_input *input, SDL_JoystickID id) {
    engine_input_pad *vacant = NULL;
    for (int i = 0; i < ENGINE_PADS_MAX; i++) {
        engine_input_pad *pad = &input->pads[i];
        if (pad->present && pad->id == id)
            return pad;
        if (!pad->present && !vacant)
            vacant = pad;
    }
    if (vacant)
        *vacant = (engine_input_pad){.id = id, .present = true};
    return vacant;
}

static void pad_added(engine_input *input, int device_index) {
    SDL_GameController *handle = SDL_GameControllerOpen(device_index);
    if (!handle)
        return;
    engine_input_pad *pad = pad_of(input, SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(handle)));
    if (pad && !pad->handle)
        pad->handle = handle;
    else
        SDL_GameControllerClose(handle); /* one reference less: SDL counts them */
}

static void pad_removed(engine_input *input, SDL_JoystickID id) {
    for (int i = 0; i < ENGINE_PADS_MAX; i++) {
        engine_input_pad *pad = &input->pads[i];
        if (!pad->present || pad->id != id)
            continue;
        if (pad->handle)
            SDL_GameControllerClose(pad->handle);
        *pad = (engine_input_pad){0};
        input->latched = false;
        input->last_source = NULL;
        if (input->names_of == SET_PAD)
            input_name_keys(input, SET_A);
    }
}

static void pad_button_event(engine_input *input, const SDL_ControllerButtonEvent *event) {
    engine_input_pad *pad = pad_of(input, event->which);
    if (!pad)
        return;
    const bool down = event->type == SDL_CONTROLLERBUTTONDOWN;
    if (down) {
        input->commands |= ENGINE_COMMAND_ANY;
        input->last_source = NULL;
        if (event->button == SDL_CONTROLLER_BUTTON_START)
            input->commands |= ENGINE_COMMAND_PAUSE;
    }
    control_set(input, &pad->source, pad_controls, control_find(pad_controls, COUNT_OF(pad_controls), event->button),
                down);
}

/** One end of the stick: `value` is positive towards it. */
static void stick_set(engine_input *input, engine_input_pad *pad, int code, int value) {
    const int index = control_find(pad_controls, COUNT_OF(pad_controls), code);
    const bool was_down = pad->source.down >> index & 1;
    control_set(input, &pad->source, pad_controls, index, value > (was_down ? STICK_LET_GO : STICK_PRESS));
}

static void pad_axis_event(engine_input *input, const SDL_ControllerAxisEvent *event) {
    engine_input_pad *pad = pad_of(input, event->which);
    if (!pad)
        return;
    if (event->axis == SDL_CONTROLLER_AXIS_LEFTX) {
        stick_set(input, pad, STICK_LEFT, -event->value);
        stick_set(input, pad, STICK_RIGHT, event->value);
    } else if (event->axis == SDL_CONTROLLER_AXIS_LEFTY) {
        stick_set(input, pad, STICK_UP, -event->value);
        stick_set(input, pad, STICK_DOWN, event->value);
    }
}

static void window_event(engine_input *input, const SDL_WindowEvent *event) {
    if (event->event == SDL_WINDOWEVENT_CLOSE) {
        input->commands |= ENGINE_COMMAND_CLOSE;
    } else if (event->event == SDL_WINDOWEVENT_FOCUS_LOST || event->event == SDL_WINDOWEVENT_MINIMIZED) {
        input->commands |= ENGINE_COMMAND_BLUR;
        engine_input_release(input);
    }
}

void engine_input_event(engine_input *input, const SDL_Event *event) {
    switch (event->type) {
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        key_event(input, &event->key);
        break;
    case SDL_CONTROLLERDEVICEADDED:
        pad_added(input, event->cdevice.which);
        break;
    case SDL_CONTROLLERDEVICEREMOVED:
        pad_removed(input, event->cdevice.which);
        break;
    case SDL_CONTROLLERBUTTONDOWN:
    case SDL_CONTROLLERBUTTONUP:
        pad_button_event(input, &event->cbutton);
        break;
    case SDL_CONTROLLERAXISMOTION:
        pad_axis_event(input, &event->caxis);
        break;
    case SDL_WINDOWEVENT:
        window_event(input, &event->window);
        break;
    case SDL_KEYMAPCHANGED:
        input_name_keys(input, input->names_of);
        break;
    case SDL_QUIT:
        input->commands |= ENGINE_COMMAND_CLOSE;
        break;
    default:
        break;
    }
}

void engine_input_begin(engine_input *input, bool toggle_rewind) {
    *input = (engine_input){.toggle_rewind = toggle_rewind};
    input_name_keys(input, SET_A);
}

void engine_input_end(engine_input *input) {
    for (int i = 0; i < ENGINE_PADS_MAX; i++)
        if (input->pads[i].handle)
            SDL_GameControllerClose(input->pads[i].handle);
    *input = (engine_input){0};
}
