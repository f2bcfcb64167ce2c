/* One level being played, headless or not: the world, its two timelines, the file, the sound, and the rules of time
 * that bind them. A session knows ticks and buttons; it knows no window. */
#ifndef EDDY_ENGINE_SESSION_H
#define EDDY_ENGINE_SESSION_H

#include "audio/audio.h"
#include "picture.h"

#define ENGINE_RATE WORLD_RATE /**< frames a second */
#define ENGINE_TICK_SAMPLES (EDDY_SOUND_RATE / ENGINE_RATE)
#define ENGINE_BUDGET_BYTES 40000000u

typedef struct engine_session engine_session;

typedef struct engine_session_desc {
    const char *map_path;
    const char *level_dir;   /**< holds sounds.json */
    const char *sound_dir;   /**< holds the sound files; NULL: no sound is loaded */
    uint32_t seed;           /**< 0: the level's own */
    size_t budget_bytes;     /**< of both timelines; 0: ENGINE_BUDGET_BYTES */
    const char *record_path; /**< session file; NULL: none */
    const char *from_path;   /**< take over at a recorded frame; NULL: the level's beginning */
    uint32_t from_frame;
    eddy_audio_device device; /**< NONE or PLAYBACK: what a person hears */
    bool capture;             /**< also render each tick's sound through a loopback */
    /** Takes each tick's captured sound: 2 * ENGINE_TICK_SAMPLES floats, silence without `capture`. NULL: none. */
    void (*samples)(void *user, const float *samples);
    void *samples_user;
    eddy_hooks hooks; /**< log */
} engine_session_desc;

/** The level at frame 0, tick 0, branch 0, recorded as such. Errors of the parts, with their texts. A file that cannot
 * be created is an error; a missing device is not. */
eddy_result engine_session_create(const engine_session_desc *desc, engine_session **out, eddy_error *error);
/** Finishes the file. The result is the file's. */
eddy_result engine_session_close(engine_session *session, eddy_error *error);

/** One real tick with these buttons held: a step, a step of rewinding, or standing still. */
void engine_session_tick(engine_session *session, uint16_t held);
/** `n` ticks of rewinding at `speed` (-8..8), whatever the ladder says; holds at both ends. */
void engine_session_rewind(engine_session *session, uint32_t n, int speed);
/** Shows a frame of the line of `branch`: no tick, no sound, no immune step. E_FRAME names the range. */
eddy_result engine_session_seek(engine_session *session, uint32_t branch, uint32_t frame, eddy_error *error);

/** Where a session is. */
typedef struct engine_session_state {
    uint64_t tick;
    uint32_t frame, branch;           /**< shown */
    uint32_t line;                    /**< branch of the line's newest frame */
    uint32_t first_frame, last_frame; /**< of the line, as kept in memory */
    uint64_t hash, immune_hash;
    bool rewinding;
    int speed;      /**< rung while rewinding */
    bool dead, won; /**< in the shown frame */
    bool stopped;   /**< the world's clock stands until a rewind or a restart */
} engine_session_state;
engine_session_state engine_session_state_of(const engine_session *session);

/** What a tick would show now: the rung while rewinding, else 1, or 0 while the clock stands. */
int engine_session_speed(const engine_session *session);
const world *engine_session_world(const engine_session *session);
/** What a person hears, device or not. */
eddy_audio *engine_session_audio(engine_session *session);
/** The level's stem, as "first-lamp": what the file is titled. */
const char *engine_session_title(const engine_session *session);
void engine_session_statistics(const engine_session *session, eddy_statistics *out);
/** Writes what is pending to the file now: for a pause, and once a second of real time. */
void engine_session_flush(engine_session *session);
/** A closed copy of what has been recorded so far, put in its place whole; recording goes on. E_IO; E_ARGUMENT: this
 * session is not recorded. */
eddy_result engine_session_save(engine_session *session, const char *path, eddy_error *error);
/** A line of text into the file at this tick. A session itself notes "died", "won" and "restart". */
void engine_session_note(engine_session *session, const char *text);

/** Fills the time part of a picture, the trails included (valid until the session changes). */
void engine_session_picture(engine_session *session, engine_picture *picture);

/** Sounds that began or ended in a step of play. A rewind or a seek restores and makes no event. */
typedef struct engine_sound_event {
    char asset[EDDY_SOUND_KEY_BYTES];
    uint32_t frame;
    bool began;
} engine_sound_event;
/** Events since the last engine_session_clear_events, oldest first; up to 256 are kept, the newest. */
uint32_t engine_session_events(const engine_session *session, const engine_sound_event **out);
void engine_session_clear_events(engine_session *session);

#endif
