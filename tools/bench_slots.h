/* What an emulator would see of a world: one piece of memory of fixed size. A header, the constants, then for each type
 * a pool of slots. An entity has a slot for life, the lowest that is free at its birth; a slot that becomes free is
 * zeroed. A slot is id, type and struct. */
#ifndef EDDY_TOOLS_BENCH_SLOTS_H
#define EDDY_TOOLS_BENCH_SLOTS_H

#include "rewind/rewind.h"

#define SLOTS_HEADER_BYTES 64u

/** The slots of one type. */
typedef struct slot_pool {
    bool *taken;
    uint32_t count; /**< as many as were ever taken at once */
    uint32_t capacity;
    size_t offset; /**< in the image */
} slot_pool;

/** Who has which slot. */
typedef struct bench_slots {
    const eddy_schema *schema;
    slot_pool *pools; /**< of each type */
    /** of the frame followed last, by ascending id */
    eddy_id *ids;
    uint16_t *types;
    uint32_t *places, *next_places;
    uint32_t count, capacity;
    size_t image_bytes; /**< set by bench_slots_lay_out */
} bench_slots;

/** Makes empty pools. False: no memory. */
bool bench_slots_begin(bench_slots *slots, const eddy_schema *schema);
void bench_slots_free(bench_slots *slots);
/** Gives the entities of the next frame their slots. False: no memory. */
bool bench_slots_follow(bench_slots *slots, const eddy_view *view);
/** Everybody is gone; the pools stay as large as they are. */
void bench_slots_reset(bench_slots *slots);

/** Fixes where everything lies, from the pools as they are. */
void bench_slots_lay_out(bench_slots *slots, const eddy_view *constants);
/** Writes the constants into an image that is zero. */
void bench_slots_draw_constants(const bench_slots *slots, const eddy_view *constants, uint8_t *image);
/** Writes the frame that was followed last over one that was written before. */
void bench_slots_draw(const bench_slots *slots, const eddy_view *view, uint8_t *image);

#endif
