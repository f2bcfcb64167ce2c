/* eddy bridge: JSON lines on stdin drive a game without a window; each line is answered by one line. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/session.h"
#include "json.h"
#include "levels.h"
#include "output.h"
#include "still.h"
#include "tool.h"

#define BRIDGE_TICKS_MAX 10000000 /**< in one request */

/** One game behind the bridge. */
typedef struct bridge_game {
    tool_places places;
    engine_session *session;
    bool recorded; /**< into a file that has no name: it goes when the bridge goes, however it does */
    uint32_t seed;
    uint64_t budget_bytes;
    bool quit;
} bridge_game;

typedef json_t *(*bridge_op)(bridge_game *game, json_t *request);

/* ---- answers ---- */

static json_t *answer_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
static json_t *answer_error(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return json_pack("{s:b, s:o}", "ok", 0, "error", tool_json_text(text)); /* may be cut within a character */
}

static json_t *answer_ok(void) {
    return json_pack("{s:b}", "ok", 1);
}

static json_t *events_json(const engine_session *session, bool began) {
    const engine_sound_event *events;
    const uint32_t count = engine_session_events(session, &events);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        if (events[i].began == began)
            json_array_append_new(
                list, json_pack("{s:s, s:I}", "asset", events[i].asset, "frame", (json_int_t)events[i].frame));
    return list;
}

/** What load, step, rewind, seek and state answer. */
static json_t *answer_state(bridge_game *game) {
    const engine_session_state state = engine_session_state_of(game->session);
    json_t *answer = answer_ok();
    json_object_set_new(answer, "tick", json_integer((json_int_t)state.tick));
    json_object_set_new(answer, "frame", json_integer(state.frame));
    json_object_set_new(answer, "branch", json_integer(state.branch));
    json_object_set_new(answer, "hash", tool_json_hash(state.hash));
    json_object_set_new(answer, "immune_hash", tool_json_hash(state.immune_hash));
    json_object_set_new(answer, "first_frame", json_integer(state.first_frame));
    json_object_set_new(answer, "last_frame", json_integer(state.last_frame));
    json_object_set_new(answer, "dead", json_boolean(state.dead));
    json_object_set_new(answer, "won", json_boolean(state.won));
    json_object_set_new(answer, "sounds_begun", events_json(game->session, true));
    json_object_set_new(answer, "sounds_ended", events_json(game->session, false));
    engine_session_clear_events(game->session);
    return answer;
}

/* ---- reading requests ---- */

/** A whole number under a key, within bounds. False: `*error` is the answer. An absent key gives `fallback`; a negative
 * fallback means that the key is needed. */
static bool request_number(json_t *request, const char *key, int64_t min, int64_t max, int64_t fallback, int64_t *out,
                           json_t **error) {
    json_t *value = json_object_get(request, key);
    if (!value && fallback >= min) {
        *out = fallback;
        return true;
    }
    if (json_is_integer(value) && json_integer_value(value) >= min && json_integer_value(value) <= max) {
        *out = json_integer_value(value);
        return true;
    }
    *error = answer_error("\"%s\" should be a whole number from %" PRId64 " to %" PRId64 "%s", key, min, max,
                          value ? "" : "; it is missing");
    return false;
}

static bool request_held(json_t *request, uint16_t *held, json_t **error) {
    json_t *list = json_object_get(request, "held"), *name;
    *held = 0;
    if (list && !json_is_array(list)) {
        *error = answer_error("\"held\" should be an array of button names");
        return false;
    }
    size_t index;
    json_array_foreach(list, index, name) {
        const uint16_t bit = json_is_string(name) ? world_button(json_string_value(name)) : 0;
        if (!bit) {
            *error = answer_error("unknown button \"%s\" in \"held\"; expected some of: %s",
                                  json_is_string(name) ? json_string_value(name) : "(no string)", world_button_names());
            return false;
        }
        *held |= bit;
    }
    return true;
}

static const char *request_path(json_t *request, json_t **error) {
    const char *path = json_string_value(json_object_get(request, "path"));
    if (!path || !*path)
        *error = answer_error("\"path\" should name a file");
    return path && *path ? path : NULL;
}

/* ---- opening ---- */

/** Where the session is recorded until somebody saves it; "" if the temporary folder refuses. */
static void make_recording_path(char path[TOOL_PATH_BYTES]) {
    const char *temporary = getenv("TMPDIR");
    snprintf(path, TOOL_PATH_BYTES, "%s/eddy-bridge-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    const int descriptor = mkstemp(path);
    if (descriptor < 0)
        path[0] = '\0';
    else
        close(descriptor);
}

/** Loads a level; the game before stays if it fails. */
static eddy_result bridge_load(bridge_game *game, const char *level_name, uint32_t seed, eddy_error *error) {
    tool_level level;
    eddy_result result = tool_level_find(&game->places, level_name, &level, error);
    if (result != EDDY_OK)
        return result;
    char recording[TOOL_PATH_BYTES];
    make_recording_path(recording);
    const engine_session_desc desc = {.map_path = level.path,
                                      .level_dir = game->places.catalog,
                                      .seed = seed,
                                      .budget_bytes = game->budget_bytes,
                                      .record_path = recording[0] ? recording : NULL,
                                      .device = EDDY_AUDIO_NONE,
                                      .hooks = {.log = tool_log}};
    engine_session *session;
    result = engine_session_create(&desc, &session, error);
    if (recording[0])
        unlink(recording); /* the session holds it open; `save` copies it */
    if (result != EDDY_OK)
        return result;
    engine_session_close(game->session, NULL);
    game->session = session;
    game->recorded = recording[0] != '\0';
    return EDDY_OK;
}

/* ---- operations ---- */

static json_t *op_load(bridge_game *game, json_t *request) {
    json_t *level = json_object_get(request, "level"), *refusal = NULL;
    char number[24];
    const char *name = json_string_value(level);
    if (json_is_integer(level)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(level));
        name = number;
    }
    if (!name)
        return answer_error("\"level\" should be a number, a name or a map file");
    int64_t seed;
    if (!request_number(request, "seed", 0, UINT32_MAX, game->seed, &seed, &refusal))
        return refusal;
    eddy_error error;
    if (bridge_load(game, name, (uint32_t)seed, &error) != EDDY_OK)
        return answer_error("%s", error.text);
    return answer_state(game);
}

static json_t *op_step(bridge_game *game, json_t *request) {
    int64_t n;
    uint16_t held;
    json_t *refusal = NULL;
    if (!request_number(request, "n", 0, BRIDGE_TICKS_MAX, 1, &n, &refusal) || !request_held(request, &held, &refusal))
        return refusal;
    for (int64_t i = 0; i < n && !tool_interrupted; i++)
        engine_session_tick(game->session, held);
    return answer_state(game);
}

static json_t *op_rewind(bridge_game *game, json_t *request) {
    int64_t n, speed;
    json_t *refusal = NULL;
    if (!request_number(request, "n", 0, BRIDGE_TICKS_MAX, 1, &n, &refusal))
        return refusal;
    json_t *value = json_object_get(request, "speed");
    speed = value ? json_integer_value(value) : -1;
    if (value && (!json_is_integer(value) || speed < -8 || speed > 8))
        return answer_error("\"speed\" should be a whole number from -8 to 8");
    for (int64_t i = 0; i < n && !tool_interrupted; i++)
        engine_session_rewind(game->session, 1, (int)speed);
    return answer_state(game);
}

static json_t *op_seek(bridge_game *game, json_t *request) {
    int64_t frame, branch;
    json_t *refusal = NULL;
    const engine_session_state state = engine_session_state_of(game->session);
    if (!request_number(request, "frame", 0, UINT32_MAX, -1, &frame, &refusal) ||
        !request_number(request, "branch", 0, UINT32_MAX, state.line, &branch, &refusal)) {
        json_object_set_new(refusal, "first_frame", json_integer(state.first_frame));
        json_object_set_new(refusal, "last_frame", json_integer(state.last_frame));
        return refusal;
    }
    eddy_error error;
    if (engine_session_seek(game->session, (uint32_t)branch, (uint32_t)frame, &error) != EDDY_OK) {
        json_t *answer = answer_error("%s", error.text);
        json_object_set_new(answer, "first_frame", json_integer(state.first_frame));
        json_object_set_new(answer, "last_frame", json_integer(state.last_frame));
        return answer;
    }
    return answer_state(game);
}

static json_t *op_state(bridge_game *game, json_t *request) {
    (void)request;
    return answer_state(game);
}

static void entities_add(json_t *list, eddy_view view, const char *type) {
    for (uint32_t i = 0; i < view.count; i++)
        if (!type || strcmp(world_schema()->types[view.entities[i].type].name, type) == 0)
            json_array_append_new(list, tool_json_entity(world_schema(), &view.entities[i]));
}

static json_t *op_entities(bridge_game *game, json_t *request) {
    const world *shown = engine_session_world(game->session);
    const char *type = json_string_value(json_object_get(request, "type"));
    json_t *list = json_array();
    entities_add(list, world_view(shown), type);
    entities_add(list, world_immune(shown), type);
    if (json_is_true(json_object_get(request, "constants")))
        entities_add(list, world_constants(shown), type);
    json_t *answer = answer_ok();
    json_object_set_new(answer, "entities", list);
    return answer;
}

static const eddy_entity *find_entity(bridge_game *game, eddy_id id) {
    const world *shown = engine_session_world(game->session);
    const eddy_view views[] = {world_view(shown), world_immune(shown), world_constants(shown)};
    const eddy_entity *found = NULL;
    for (int i = 0; i < 3 && !found; i++)
        found = eddy_view_find(&views[i], id);
    return found;
}

static json_t *op_get(bridge_game *game, json_t *request) {
    int64_t id;
    json_t *refusal = NULL;
    if (!request_number(request, "id", 1, UINT32_MAX, -1, &id, &refusal))
        return refusal;
    const eddy_entity *entity = find_entity(game, (eddy_id)id);
    if (!entity)
        return answer_error("no entity %" PRId64 " in the shown frame", id);
    json_t *answer = answer_ok();
    const char *name = json_string_value(json_object_get(request, "field"));
    if (!name) {
        json_t *whole = tool_json_entity(world_schema(), entity);
        json_object_update(answer, whole);
        json_decref(whole);
        return answer;
    }
    const eddy_type *type = &world_schema()->types[entity->type];
    for (uint32_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].name, name) == 0) {
            json_object_set_new(answer, "value", tool_json_field(&type->fields[i], entity->data));
            return answer;
        }
    json_decref(answer);
    return answer_error("a %s has no field \"%s\"", type->name, name);
}

static json_t *sound_json(const eddy_entity *entity) {
    const eddy_sound *sound = entity->data;
    return json_pack("{s:I, s:s, s:o, s:o, s:o}", "id", (json_int_t)entity->id, "asset", sound->asset, "position",
                     tool_json_real(sound->position), "gain", tool_json_real((double)sound->gain), "pitch",
                     tool_json_real((double)sound->pitch));
}

static json_t *op_sounds(bridge_game *game, json_t *request) {
    (void)request;
    const world *shown = engine_session_world(game->session);
    const eddy_view views[] = {world_view(shown), world_immune(shown)};
    json_t *list = json_array();
    for (int v = 0; v < 2; v++)
        for (uint32_t i = 0; i < views[v].count; i++)
            if (views[v].entities[i].type == WORLD_SOUND)
                json_array_append_new(list, sound_json(&views[v].entities[i]));
    json_t *answer = answer_ok();
    json_object_set_new(answer, "sounds", list);
    return answer;
}

static json_t *op_voices(bridge_game *game, json_t *request) {
    (void)request;
    eddy_audio_voice voices[256];
    const uint32_t capacity = sizeof voices / sizeof voices[0];
    uint32_t count = eddy_audio_voices(engine_session_audio(game->session), voices, capacity);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        const eddy_entity *entity = find_entity(game, voices[i].id);
        json_t *voice = entity && entity->type == WORLD_SOUND ? sound_json(entity) : NULL;
        if (!voice)
            continue; /* fading out: its entity is gone */
        json_object_set_new(voice, "heard_gain", tool_json_real((double)voices[i].heard_gain));
        json_array_append_new(list, voice);
    }
    json_t *answer = answer_ok();
    json_object_set_new(answer, "voices", list);
    return answer;
}

static json_t *op_shot(bridge_game *game, json_t *request) {
    json_t *refusal = NULL;
    const char *path = request_path(request, &refusal);
    if (!path)
        return refusal;
    eddy_error error;
    if (tool_output_check(path, NULL, &error) != EDDY_OK ||
        tool_still_png(game->session, game->places.art, path, &error) != EDDY_OK)
        return answer_error("%s", error.text);
    json_t *answer = answer_ok();
    json_object_set_new(answer, "path", json_string(path));
    return answer;
}

static json_t *op_save(bridge_game *game, json_t *request) {
    json_t *refusal = NULL;
    const char *path = request_path(request, &refusal);
    if (!path)
        return refusal;
    if (!game->recorded)
        return answer_error("this session is not recorded: the temporary folder could not be written");
    eddy_error error;
    if (engine_session_save(game->session, path, &error) != EDDY_OK)
        return answer_error("%s", error.text);
    json_t *answer = answer_ok();
    json_object_set_new(answer, "path", json_string(path));
    return answer;
}

static json_t *op_quit(bridge_game *game, json_t *request) {
    (void)request;
    game->quit = true;
    return answer_ok();
}

static json_t *op_hello(bridge_game *game, json_t *request);

/* The one list of operations. */
#define BRIDGE_OPS(X)                                                                                                  \
    X(hello) X(load) X(step) X(rewind) X(seek) X(state) X(entities) X(get) X(sounds) X(voices) X(shot) X(save) X(quit)

static const struct {
    const char *name;
    bridge_op run;
} operations[] = {
#define BRIDGE_OP(name) {#name, op_##name},
    BRIDGE_OPS(BRIDGE_OP)
#undef BRIDGE_OP
};
enum { OPERATION_COUNT = sizeof operations / sizeof operations[0] };

static json_t *op_hello(bridge_game *game, json_t *request) {
    (void)request;
    json_t *names = json_array();
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        json_array_append_new(names, json_string(operations[i].name));
    return json_pack("{s:b, s:s, s:o, s:i, s:o}", "ok", 1, "program", "eddy " EDDY_VERSION, "level",
                     tool_json_text(engine_session_title(game->session)), "rate", ENGINE_RATE, "ops", names);
}

/* ---- the loop ---- */

static json_t *answer_line(bridge_game *game, const char *line, size_t length) {
    json_error_t where;
    json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
    if (!request)
        return answer_error("not a JSON value: %s", where.text);
    json_t *answer = NULL;
    const char *op = json_string_value(json_object_get(request, "op"));
    for (size_t i = 0; op && i < OPERATION_COUNT && !answer; i++)
        if (strcmp(op, operations[i].name) == 0)
            answer = operations[i].run(game, request);
    if (!answer)
        answer = op ? answer_error("unknown op \"%s\"; `hello` lists them", op)
                    : answer_error("expected an object with \"op\", as {\"op\":\"state\"}");
    json_decref(request);
    return answer;
}

static void bridge_run(bridge_game *game) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while (!game->quit && !tool_interrupted && !ferror(stdout) && (length = getline(&line, &capacity, stdin)) >= 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            length--;
        tool_json_line(stdout, answer_line(game, line, (size_t)length));
    }
    free(line);
}

static const char help[] = "usage: eddy bridge [LEVEL] [--seed N] [--budget BYTES] [--level-dir D]\n"
                           "Loads LEVEL and answers JSON lines: {\"op\":\"step\",\"n\":30,\"held\":[\"right\"]}, "
                           "{\"op\":\"rewind\",\"n\":60,\"speed\":-4},\n"
                           "{\"op\":\"seek\",\"frame\":12}, {\"op\":\"state\"}; {\"op\":\"hello\"} lists all. "
                           "tools/README.md describes them.\n"
                           "exit status: 0 done, 1 failed, 2 usage, 130 interrupted\n";

static int parse(int argc, char **argv, bridge_game *game, const char **level) {
    static const struct option options[] = {{"seed", required_argument, NULL, 's'},
                                            {"budget", required_argument, NULL, 'b'},
                                            {"level-dir", required_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *level_dir = NULL;
    uint64_t number;
    int id;
    while ((id = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (id == 's' && tool_number(optarg, 0, UINT32_MAX, &number))
            game->seed = (uint32_t)number;
        else if (id == 'b' && tool_bytes(optarg, &number))
            game->budget_bytes = number;
        else if (id == 'd')
            level_dir = optarg;
        else if (id == 'h')
            game->quit = true;
        else
            return tool_usage("bridge", "an option is not understood");
    }
    if (argc - optind > 1)
        return tool_usage("bridge", "one LEVEL at a time; found \"%s\" too", argv[optind + 1]);
    if (optind < argc)
        *level = argv[optind];
    eddy_error error;
    return tool_places_find(level_dir, &game->places, &error) == EDDY_OK ? TOOL_DONE : tool_failed(&error);
}

int tool_bridge(int argc, char **argv) {
    bridge_game game = {0};
    const char *level = "1";
    int status = parse(argc, argv, &game, &level);
    if (status != TOOL_DONE)
        return status;
    if (game.quit) {
        fputs(help, stdout);
        return TOOL_DONE;
    }
    tool_catch_interrupts();
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away ends the loop */
    eddy_error error;
    eddy_result result = bridge_load(&game, level, game.seed, &error);
    if (result != EDDY_OK)
        return result == EDDY_E_ARGUMENT ? tool_usage("bridge", "%s", error.text) : tool_failed(&error);
    bridge_run(&game);
    engine_session_close(game.session, NULL);
    return tool_interrupted ? TOOL_INTERRUPTED : TOOL_DONE;
}
