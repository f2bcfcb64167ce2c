/* Eddy's recorder: every frame of a world, any of them back to the bit.
 *
 * Words
 *   frame      one step of the world; the state right after loading is frame 0
 *   base frame holds what differs from the default-constructed entities; every 120th frame and each branch's first
 *   diff frame holds what differs from its base frame, so any frame decodes from two blocks
 *   heap       the frames between multiples of 1,440 in one region of memory, given back to the system whole
 *   line       the frames that can be reached: a branch with its ancestors
 *   branch     frames recorded in a row; resuming in the past and recording again begins a new one
 *   constants  entities that never change after load: handed over once, outside every frame
 *   epoch      one set of constants; earlier frames restore with theirs
 *
 * Use
 *   eddy_timeline_create -> eddy_timeline_constants -> for each frame eddy_timeline_append
 *   -> eddy_timeline_read any frame; eddy_timeline_resume at one; eddy_timeline_append goes on from there.
 *
 * Rules
 *   A function that can fail returns an eddy_result and fills `error` when it is not NULL; on an error nothing has
 *   changed unless it says otherwise. destroy takes NULL. A timeline belongs to one thread at a time; two timelines
 *   are independent. Nothing here reads a clock, a random number or a file (the session file is eddy_writer/reader). */
#ifndef EDDY_REWIND_H
#define EDDY_REWIND_H

#include "field.h"

/* ---- results ---- */

typedef enum eddy_result {
#define EDDY_RESULT(name, value, sentence) EDDY_##name = (value),
#include "results.inl"
#undef EDDY_RESULT
} eddy_result;

/** A sentence for a result code. Never NULL. */
const char *eddy_result_text(eddy_result result);
/** "E_FRAME" and the like. Never NULL. */
const char *eddy_result_name(eddy_result result);

/** What went wrong: names the file or place, what was expected and found, and what to try. */
typedef struct eddy_error {
    eddy_result code;
    char text[400];
} eddy_error;

/** Fills `error` (may be NULL) with a printf text and returns `code`. */
eddy_result eddy_fail(eddy_error *error, eddy_result code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Where lines for people go. NULL: nowhere. */
typedef void (*eddy_log_fn)(void *user, const char *line);

/** Log and memory hooks. Zero: no log, pages straight from the system. */
typedef struct eddy_hooks {
    eddy_log_fn log;
    /** Returns `bytes` of zeroed memory, or NULL. NULL hook: mmap. Every byte the recorder owns comes through here. */
    void *(*reserve)(void *user, size_t bytes);
    /** Takes back what reserve gave, with the same size. With EDDY_SEALING_WORKER both are called from the worker's
     * thread too. */
    void (*release)(void *user, void *memory, size_t bytes);
    void *user;
} eddy_hooks;

/** Hands one printf line to the log hook; without a hook nothing happens. */
void eddy_log(const eddy_hooks *hooks, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- views ---- */

#define EDDY_ENTITIES_MAX 65535u /**< in one frame */

/** One entity of a frame: `data` points at the struct of its type. */
typedef struct eddy_entity {
    eddy_id id;
    uint16_t type;
    const void *data;
} eddy_entity;

/** A frame as the game hands it over or gets it back: ascending ids, no repeats. Borrowed, never owned. */
typedef struct eddy_view {
    const eddy_entity *entities;
    uint32_t count;
} eddy_view;

/** The entity with an id, or NULL. O(log n). */
const eddy_entity *eddy_view_find(const eddy_view *view, eddy_id id);

/** Checks field rows, names, sizes and defaults. E_SCHEMA says which row. */
eddy_result eddy_schema_check(const eddy_schema *schema, eddy_error *error);
/** The index of a type by name, or UINT32_MAX. */
uint32_t eddy_schema_find(const eddy_schema *schema, const char *type_name);
/** The first thing in which the layouts of two schemas differ, in words: the name of a type of `a` or of one of its
 * fields. NULL: the same types in the same order, with fields of the same names, kinds and counts. */
const char *eddy_schema_difference(const eddy_schema *a, const eddy_schema *b);
/** Checks order, types, ranges, enums, bools, str tails. E_ENTITY, E_LIMIT or E_VALUE names the id and the field. */
eddy_result eddy_view_check(const eddy_schema *schema, const eddy_view *view, eddy_error *error);
/** XXH3 of (id, type, fields little-endian in table order). */
uint64_t eddy_entity_hash(const eddy_schema *schema, const eddy_entity *entity);
/** The hash of a frame: the wrapping sum of its entities' hashes. O(bytes). */
uint64_t eddy_view_hash(const eddy_schema *schema, const eddy_view *view);

/** One element of one field of one entity that differs between two views. */
typedef struct eddy_difference {
    eddy_id id;
    uint16_t type;
    const eddy_field *field; /**< NULL: the entity is in one view only (or its type differs) */
    uint32_t element;
    const void *old_value, *new_value; /**< one element (a str whole); NULL on the side where the entity is absent */
} eddy_difference;

/** Calls `each` for every difference, by ascending id, then table order; stops when it returns false.
 * Returns how many calls were made. */
uint32_t eddy_view_diff(const eddy_schema *schema, const eddy_view *old_view, const eddy_view *new_view,
                        bool (*each)(void *user, const eddy_difference *difference), void *user);

/** Writes one element (a str whole) as text ("12.5", "true", "walking", "(3, 4)"); floats round-trip.
 * Returns the length as snprintf does. */
int eddy_value_print(const eddy_field *field, const void *value, char *out, size_t out_bytes);

/* ---- timeline ---- */

typedef struct eddy_timeline eddy_timeline;

/** When the frames of a finished heap become columns: a tenth of the memory, the same bits. */
typedef enum eddy_sealing {
    EDDY_SEALING_WORKER, /**< on a thread of the timeline's own; append waits for it only when it falls behind */
    EDDY_SEALING_INLINE, /**< no thread: append seals, now and then. The same bytes, the same frames kept */
    EDDY_SEALING_OFF,    /**< heaps stay live */
} eddy_sealing;

/** What a new timeline should be. Zero means default. */
typedef struct eddy_timeline_desc {
    const eddy_schema *schema;
    size_t budget_bytes;    /**< everything the timeline owns; 0: 40,000,000. Exceeded by at most one heap. A frame's
                                 structs may take a sixteenth of it */
    size_t heap_bytes_max;  /**< a heap ends at the first base frame past this; 0: an eighth of the budget, 4 MiB at
                                 most; 64 KiB at least */
    uint32_t base_interval; /**< frames from base to base; 0: 120 */
    uint32_t heap_frames;   /**< frames from heap to heap, a multiple of base_interval; 0: 1,440 */
    uint32_t cache_frames;  /**< decoded frames kept beside the world, at least 2; 0: 24 */
    eddy_sealing sealing;
    int seal_level; /**< of zstd, 1 to 19; 0: 9 */
    eddy_hooks hooks;
} eddy_timeline_desc;

/** Makes an empty timeline: no frame yet, branch 0 next.
 * E_SCHEMA; E_ARGUMENT: heap_frames is no multiple of base_interval; E_BUDGET: under three heaps, with the number that
 * would do; E_MEMORY. */
eddy_result eddy_timeline_create(const eddy_timeline_desc *desc, eddy_timeline **out, eddy_error *error);
void eddy_timeline_destroy(eddy_timeline *timeline);

/** Hands over the constants: copied once, the next epoch begins. Costs nothing a frame afterwards. */
eddy_result eddy_timeline_constants(eddy_timeline *timeline, const eddy_view *constants, eddy_error *error);
/** The constants that a kept frame was recorded with. E_FRAME: not kept. Valid until that epoch is forgotten. */
eddy_result eddy_timeline_constants_at(const eddy_timeline *timeline, uint32_t frame, eddy_view *out,
                                       eddy_error *error);

/** Records the next frame: after the last one, or after the frame resumed at (then, if newer frames existed, they are
 * let go and a new branch begins). Forgets the oldest heaps when the budget asks for it. E_ENTITY, E_LIMIT, E_VALUE,
 * E_MEMORY: refused, nothing changed. O(entities + changes). */
eddy_result eddy_timeline_append(eddy_timeline *timeline, const eddy_view *view, eddy_error *error);

/** Any kept frame, bit for bit. Decodes two blocks at most, none when cached. The view is valid until the next append,
 * resume or restart, and for at least `cache_frames - 1` further reads (only for the next one when the worlds are so
 * large that decoded frames would take over an eighteenth of the budget). E_FRAME names the kept range; E_MEMORY. */
eddy_result eddy_timeline_read(eddy_timeline *timeline, uint32_t frame, eddy_view *out, eddy_error *error);

/** The next append follows `frame`. Nothing is cut before it: until then every newer frame can still be read, and
 * resuming at the newest frame changes nothing. E_FRAME. */
eddy_result eddy_timeline_resume(eddy_timeline *timeline, uint32_t frame, eddy_error *error);

/** The next append is frame 0 of a new root branch; what was kept goes when it comes. */
void eddy_timeline_restart(eddy_timeline *timeline);

/** A window onto what is kept. `count` 0: nothing is. */
typedef struct eddy_kept {
    uint32_t first_frame, last_frame, count;
    uint32_t branch; /**< of the last frame */
} eddy_kept;
eddy_kept eddy_timeline_kept(const eddy_timeline *timeline);

/** The branch and the hash of a kept frame. Live heaps keep the hashes; in a sealed one the frame is read and hashed,
 * which counts as a read. E_FRAME, E_MEMORY. `branch` and `hash` may be NULL. */
eddy_result eddy_timeline_frame(eddy_timeline *timeline, uint32_t frame, uint32_t *branch, uint64_t *hash,
                                eddy_error *error);

/** Keeps a branch, with its ancestors, when the line leaves it: the future that a resume overwrites (an echo), or a
 * line to come back to. `branch` is on the present line or pinned already; pins are counted. Its frames go only with
 * the oldest of all. E_FRAME, E_MEMORY. */
eddy_result eddy_timeline_pin(eddy_timeline *timeline, uint32_t branch, eddy_error *error);
/** One pin less; with the last one, frames that are not on the present line go. An unpinned branch is fine. */
void eddy_timeline_unpin(eddy_timeline *timeline, uint32_t branch);
/** What is kept of the line of a branch: up to its last frame. `count` 0: nothing. */
eddy_kept eddy_timeline_kept_on(eddy_timeline *timeline, uint32_t branch);
/** As eddy_timeline_read, on the line of a branch of the present line or of a pinned one. */
eddy_result eddy_timeline_read_on(eddy_timeline *timeline, uint32_t branch, uint32_t frame, eddy_view *out,
                                  eddy_error *error);
/** The next append follows a frame of such a branch, and leaves the present line. E_FRAME. */
eddy_result eddy_timeline_resume_on(eddy_timeline *timeline, uint32_t branch, uint32_t frame, eddy_error *error);

/** Names an entity from outside the recorded world: a voice, a selection, a camera's target. Zero is none. The branch
 * is the epoch: after the future in which an entity was born has been cut, its handle finds nothing, though another may
 * have been born with its id. */
typedef struct eddy_handle {
    eddy_id id;
    uint32_t branch, frame; /**< where it was known to live */
} eddy_handle;
/** The handle of an entity of a frame. E_FRAME; E_ENTITY: it is not there. */
eddy_result eddy_timeline_handle(eddy_timeline *timeline, eddy_id id, uint32_t frame, eddy_handle *out,
                                 eddy_error *error);
/** Finds the entity in a frame of the present line and brings the handle up to date. False: it is not there, or what
 * has its id now is another. Also false, to be safe, when the frames that could tell have been forgotten since the
 * handle was last brought up to date. `out` is valid as a read. Cost: at most two reads. */
bool eddy_timeline_resolve(eddy_timeline *timeline, eddy_handle *handle, uint32_t frame, eddy_entity *out);

/** One value of one entity over a range of frames of the present line. */
typedef struct eddy_history {
    eddy_id id;
    uint16_t type;
    uint32_t field;                   /**< index in the type's table */
    uint32_t element;                 /**< index in the field; 0 for a str, which is told whole */
    uint32_t first_frame, last_frame; /**< both included */
    /** The first frame of the range, and every later one in which the value is not what it was. `value` is the element
     * (not aligned), valid for the call; NULL: the entity is not there, or not of the type. */
    void (*each)(void *user, uint32_t frame, const void *value);
    void *user;
} eddy_history;
/** Calls `each` in order. Sealed heaps unpack only that field. E_FRAME, E_ARGUMENT, E_MEMORY. */
eddy_result eddy_timeline_history(eddy_timeline *timeline, const eddy_history *asked, eddy_error *error);

/** Seals every frame kept, the open heap included (the next append begins another), and waits for it. With
 * EDDY_SEALING_OFF nothing happens. E_MEMORY: what could not be sealed stays live; E_BUDGET: the budget is too small to
 * seal in, and everything stays live. */
eddy_result eddy_timeline_seal(eddy_timeline *timeline, eddy_error *error);
/** Waits until the worker has nothing to do, or does it here. What is kept and when heaps become sealed stays as it is:
 * the next appends only have nothing to wait for. For a loading screen, or a benchmark that records faster than anybody
 * plays.
 */
void eddy_timeline_settle(eddy_timeline *timeline);
/** Forgets whole heaps of the present line that lie before `frame`, and before the one that the next append follows.
 * E_FRAME. */
eddy_result eddy_timeline_forget(eddy_timeline *timeline, uint32_t frame, eddy_error *error);
/** Gives back every decoded frame and heap: views that were read are no longer valid. */
void eddy_timeline_trim(eddy_timeline *timeline);

/** What a timeline costs now. */
typedef struct eddy_statistics {
    size_t owned_bytes;  /**< everything: heaps, cache, constants, tables */
    size_t spare_bytes;  /**< of that: decoded frames and heaps, sealing at work */
    size_t heap_bytes;   /**< of all heaps: pages of the live ones, bytes of the sealed */
    size_t sealed_bytes; /**< of the sealed ones */
    uint32_t sealed_heaps, sealed_frames;
    size_t base_bytes, diff_bytes, newborn_bytes; /**< payload in the live heaps of the present line */
    size_t last_frame_bytes;                      /**< payload of the newest frame, its newborns included */
    bool last_frame_is_base;
    uint32_t heaps, frames, branches_made, branches_pinned;
    uint64_t frames_forgotten;
    uint64_t reads, cache_hits, blocks_decoded;
    uint64_t heaps_opened;     /**< sealed heaps decoded because a frame was read */
    uint64_t heaps_prefetched; /**< by the worker, before one was */
} eddy_statistics;
void eddy_timeline_statistics(const eddy_timeline *timeline, eddy_statistics *out);

/* ---- the journal: what happened on each real tick ---- */

/** How a tick went by. */
typedef enum eddy_tick_mode { EDDY_TICK_PLAY, EDDY_TICK_REWIND, EDDY_TICK_STOPPED, EDDY_TICK_RESTART } eddy_tick_mode;

/** The one entity of a tick timeline that is not immune game state: what was shown, and the buttons. Its id is
 * EDDY_JOURNAL_ID and its type is named "journal". */
typedef struct eddy_journal {
    uint32_t branch, frame; /**< shown after the tick */
    uint32_t buttons;       /**< held, as the game numbers them */
    int16_t speed;          /**< rung of the ladder; 1 in play, 0 while stopped */
    uint16_t mode;          /**< eddy_tick_mode */
} eddy_journal;
#define EDDY_JOURNAL_ID EDDY_ID_IMMUNE
/** The type to put into a schema. */
extern const eddy_type eddy_journal_type;

/* ---- the session file (FORMAT.md) ---- */

/** Which of a session's two timelines: the world by frame, or everything real by tick. */
typedef enum eddy_axis { EDDY_AXIS_WORLD, EDDY_AXIS_TICKS, EDDY_AXIS_COUNT } eddy_axis;

typedef struct eddy_writer eddy_writer;

typedef struct eddy_writer_desc {
    const char *path;
    const eddy_schema *schema;   /**< of both axes */
    uint32_t rate_num, rate_den; /**< frames a second; 0: 60/1 */
    const char *title;           /**< for people: the level's name */
    const char *program;         /**< "eddy 0.1.0" */
    uint32_t flush_frames;       /**< at most this many frames unwritten; 0: 60 */
    eddy_hooks hooks;
} eddy_writer_desc;

/** Creates (or empties) the file and writes its head. E_IO names the path and the cause. */
eddy_result eddy_writer_create(const eddy_writer_desc *desc, eddy_writer **out, eddy_error *error);
/** Writes what is pending and the footer, then frees. NULL is fine. Returns what eddy_writer_status would. */
eddy_result eddy_writer_close(eddy_writer *writer, eddy_error *error);
/** From now on every constants, append and restart of `timeline` goes into the file under `axis`. The timeline must be
 * empty, before its constants. Detach by closing the writer before the timeline is destroyed, or by eddy_writer_detach.
 */
eddy_result eddy_writer_attach(eddy_writer *writer, eddy_axis axis, eddy_timeline *timeline, eddy_error *error);
void eddy_writer_detach(eddy_writer *writer, eddy_timeline *timeline);
/** Writes what is pending now. */
eddy_result eddy_writer_flush(eddy_writer *writer, eddy_error *error);
/** A closed copy of what has been recorded so far under another path, put in its place whole; recording goes on. E_IO.
 */
eddy_result eddy_writer_save(eddy_writer *writer, const char *path, eddy_error *error);
/** A line of text at the present tick. */
eddy_result eddy_writer_note(eddy_writer *writer, const char *text, eddy_error *error);
/** EDDY_OK, or the first error. After one the game goes on, the file ends at its last whole record, and the log hook
 * has been told once. */
eddy_result eddy_writer_status(const eddy_writer *writer, eddy_error *error);

typedef struct eddy_reader eddy_reader;

typedef struct eddy_branch_info {
    uint32_t branch, parent; /**< parent UINT32_MAX: a root */
    uint32_t first_frame, last_frame;
} eddy_branch_info;

/** What a session file says of itself. Strings and arrays belong to the reader. */
typedef struct eddy_session_info {
    const char *title, *program;
    uint32_t version;
    uint32_t rate_num, rate_den;
    const eddy_schema *schema;
    uint64_t file_bytes;
    struct {
        uint64_t frames; /**< stored on all branches, each once */
        uint32_t branch_count;
        const eddy_branch_info *branches;
        uint32_t last_branch;             /**< the line that was recorded last; UINT32_MAX: none */
        uint32_t first_frame, last_frame; /**< of that line */
    } axis[EDDY_AXIS_COUNT];
    uint32_t note_count;
    bool clean; /**< closed with its footer, and nothing is damaged */
    uint32_t damage_count;
    uint64_t lost_bytes;     /**< passed over as damaged or cut */
    const char *damage_text; /**< the first damage, with its offset, what was expected and found; "" when none */
} eddy_session_info;

/** Maps the file and finds every frame. A damaged or cut file opens with what is whole. E_IO, E_FORMAT (not an eddy
 * file, or its head is damaged), E_VERSION, E_MEMORY. */
eddy_result eddy_reader_open(const char *path, eddy_reader **out, eddy_error *error);
void eddy_reader_close(eddy_reader *reader);
const eddy_session_info *eddy_reader_info(const eddy_reader *reader);
/** A frame on the line of `branch` (the branch or its ancestors). Valid until the next read. E_FRAME names the range.
 */
eddy_result eddy_reader_read(eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame, eddy_view *out,
                             eddy_error *error);
/** The recorded hash of a frame, and the branch that holds it (may be NULL); no decoding. */
eddy_result eddy_reader_frame(const eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame,
                              uint32_t *holder, uint64_t *hash, eddy_error *error);
/** The constants of the epoch that a frame was recorded in. */
eddy_result eddy_reader_constants(eddy_reader *reader, eddy_axis axis, uint32_t branch, uint32_t frame, eddy_view *out,
                                  eddy_error *error);
/** Note `index`: its tick and text. */
eddy_result eddy_reader_note(const eddy_reader *reader, uint32_t index, uint64_t *tick, const char **text,
                             eddy_error *error);
/** Decodes and rehashes every stored frame. `bad` (may be NULL) is called for each that does not come back.
 * Returns the number of bad frames. */
uint64_t eddy_reader_verify(eddy_reader *reader,
                            void (*bad)(void *user, eddy_axis axis, uint32_t branch, uint32_t frame,
                                        const eddy_error *error),
                            void *user);

#endif
