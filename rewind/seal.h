/* Sealing: a finished run of frames as columns, one for each cell of each entity that changes, packed. Decodes to the
 * same bits, and that is checked before anything is let go. Private to rewind/. */
#ifndef EDDY_REWIND_SEAL_H
#define EDDY_REWIND_SEAL_H

#include "block.h"

#include <stdatomic.h>

/** A frame on its way into columns. */
typedef struct seal_frame {
    uint32_t branch;
    uint64_t hash;
    eddy_view view; /**< valid until the next frame but one is read */
} seal_frame;

/** Where the frames come from. */
typedef struct seal_source {
    uint32_t first_frame, frame_count;
    /** Frame first_frame + index; asked for by ascending index, from 0, as often as needed. An entity whose `data` is
     * the same pointer as in the frame before has not changed; others may have. */
    eddy_result (*read)(void *user, uint32_t index, seal_frame *out, eddy_error *error);
    void *user;
} seal_source;

typedef struct seal_desc {
    const eddy_schema *schema;
    seal_source source;
    int level;                 /**< of zstd */
    const atomic_bool *cancel; /**< may be NULL; when it becomes true, seal_pack soon gives up with E_MEMORY */
    eddy_hooks hooks;          /**< every byte comes through here, zstd's too */
} seal_desc;

/** A sealed run: one piece of memory of exactly `size` bytes, from the hooks. */
typedef struct sealed_bytes {
    uint8_t *bytes;
    size_t size;
} sealed_bytes;

/** Packs a run and checks that every frame comes back with its hash. E_MEMORY; E_DAMAGED: a frame did not come back.
 * Any thread; the same input gives the same bytes. */
eddy_result seal_pack(const seal_desc *desc, sealed_bytes *out, eddy_error *error);

/** Without unpacking: the last frame of the run, and the branch of one. */
uint32_t sealed_last_frame(sealed_bytes sealed);
uint32_t sealed_branch_of(sealed_bytes sealed, uint32_t frame);

/** A sealed run unpacked: the values of its columns. Reading a frame from it costs the cells that change. */
typedef struct opened_run opened_run;

/** E_DAMAGED: the bytes are not what was packed (they carry a checksum); E_MEMORY. Any thread. */
eddy_result sealed_open(const eddy_schema *schema, sealed_bytes sealed, const eddy_hooks *hooks, opened_run **out,
                        eddy_error *error);
/** NULL is fine. */
void opened_close(opened_run *run);
size_t opened_owned_bytes(const opened_run *run);
/** A frame of the run. Entities that never change in it point into `run`, which must outlive what is in `out`. */
eddy_result opened_read(const opened_run *run, uint32_t frame, frame_buffer *out, eddy_error *error);

/** One cell of one entity over the frames `first` to `last` of the run, unpacking only that field: calls `each` for
 * `first`, and for every later frame in which the value is not what it was, with NULL while the entity is not there.
 * `field` is an index into the type's table, `element` into the field. */
typedef struct seal_query {
    eddy_id id;
    uint16_t type;
    uint32_t field, element;
    uint32_t first, last;
    void (*each)(void *user, uint32_t frame, const void *value);
    void *user;
} seal_query;
eddy_result sealed_history(const eddy_schema *schema, sealed_bytes sealed, const eddy_hooks *hooks,
                           const seal_query *query, eddy_error *error);
/** How often the field's cells change in the run, over all entities and elements; read from the directory. */
uint64_t sealed_changes(sealed_bytes sealed, uint16_t type, uint32_t field);

#endif
