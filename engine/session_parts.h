/* The inside of a session, shared by its sources. Private to engine/. */
#ifndef EDDY_ENGINE_SESSION_PARTS_H
#define EDDY_ENGINE_SESSION_PARTS_H

#include "session.h"
#include "snapshot.h"

#define SESSION_EVENTS_MAX 256
#define SESSION_SOUNDS_MAX 512
#define SESSION_TRAILS_MAX 64
#define SESSION_TRAIL_POINTS 30 /**< over two seconds */
#define SESSION_TITLE_BYTES 64

/** The sounds of one shown frame, for the ears and for the bridge. */
typedef struct session_sounds {
    eddy_audio_sound sounds[SESSION_SOUNDS_MAX];
    uint32_t count;
} session_sounds;

/** Who was sounding in the frame before, by id. */
typedef struct session_heard {
    eddy_id id;
    char asset[EDDY_SOUND_KEY_BYTES];
} session_heard;

struct engine_session {
    char title[SESSION_TITLE_BYTES];
    eddy_hooks hooks;
    size_t budget_bytes;

    world *world;
    world_catalog catalog;
    engine_snapshot beginning, beginning_immune; /**< frame 0, for a restart */

    eddy_timeline *frames, *ticks; /**< the two axes */
    eddy_writer *writer;           /**< NULL: not recorded */
    eddy_entity *tick_entities;    /**< the journal and the immune entities of one tick */
    uint32_t tick_entity_capacity;

    /* time */
    uint64_t tick;
    uint32_t shown; /**< frame */
    bool detached;  /**< shown by a rewind or a seek: the next step must resume there first */
    bool rewinding;
    int rung;              /**< index on the ladder */
    uint16_t held_before;  /**< buttons of the last tick */
    bool trouble_reported; /**< an append failed and the log knows */

    /* sound */
    eddy_audio *audio;    /**< heard; NONE works too */
    eddy_audio *loopback; /**< captured; NULL: not */
    void (*samples_sink)(void *user, const float *samples);
    void *samples_user;
    bool jumped; /**< the next look does not follow from the last one */
    session_sounds scene;
    session_heard heard[SESSION_SOUNDS_MAX];
    uint32_t heard_count;
    float samples[2 * ENGINE_TICK_SAMPLES];
    engine_sound_event events[SESSION_EVENTS_MAX];
    uint32_t event_count;

    /* picture */
    engine_trail trails[SESSION_TRAILS_MAX];
    eddy_vec2 trail_points[SESSION_TRAILS_MAX][SESSION_TRAIL_POINTS];
};

/* session_start.c */
/** Opens a recording and checks that its frame can be taken over, before anything is written. */
eddy_result session_take_over_open(const engine_session *session, const char *path, uint32_t frame, eddy_reader **out,
                                   eddy_error *error);
/** Takes the frame over. */
eddy_result session_take_over(engine_session *session, eddy_reader *reader, const char *path, uint32_t frame,
                              eddy_error *error);

/* session_time.c */
/** Shows a kept frame: restores the world, nothing else. */
eddy_result session_show(engine_session *session, uint32_t frame, eddy_error *error);
/** Records the present tick on the tick axis. */
void session_record_tick(engine_session *session, uint16_t held, int speed, eddy_tick_mode mode);

/* session_sound.c */
/** Opens the ears that the description asks for and loads the level's sounds. */
eddy_result session_sound_open(engine_session *session, const engine_session_desc *desc, eddy_error *error);
/** The first look: what sounds from the beginning is there before the first tick sweeps it. No tick is rendered. */
void session_sound_begin(engine_session *session);
/** Lets the ears look at what a tick shows; renders the tick when captured. */
void session_sound_look(engine_session *session);
/** Remembers who sounds now, so that the next step can tell who began and ended. */
void session_sound_remember(engine_session *session);
/** Notes who began and who ended since session_sound_remember. */
void session_sound_compare(engine_session *session);

#endif
