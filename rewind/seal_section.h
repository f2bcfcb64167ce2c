/* A section: the columns of one field as bytes, before zstd. FORMAT, all numbers varints unless said otherwise:
 *
 *     model     flags: 1 mover, 2 memo, 4 gate, 8 key, 16 key has the value before, 32 memo of differences,
 *               64 the pace divides, 128 the mover is taken a frame late
 *               mover: field, lane, factor (f64); gate: field, lane; key: field, lane; memo: step
 *     sizes     bytes of each stream, in the order below
 *     LIFE      for each column: life - (life of the column before)
 *     LANE      lane of the field; for a field of one lane nothing
 *     PREDICTOR a byte, its number
 *     COUNT     how many residuals are not zero; of a str: how many changes
 *     FIT       numbers of its own: FIT and AFFINE two f32 (f64 in a column of f64), STEP the step, folded
 *     GAP       where they are, when they are few: frames between them
 *     MASK      or a bit for each frame after the first, when they are more; nothing when nearly all
 *     VALUE     the residuals, folded; first the low bytes of all, then the next. Of a str: the new values
 */
#ifndef EDDY_REWIND_SEAL_SECTION_H
#define EDDY_REWIND_SEAL_SECTION_H

#include "seal_run.h"

typedef enum section_stream {
    STREAM_LIFE,
    STREAM_LANE,
    STREAM_PREDICTOR,
    STREAM_COUNT,
    STREAM_FIT,
    STREAM_GAP,
    STREAM_MASK,
    STREAM_VALUE,
    STREAMS
} section_stream;

/** Room for work on one column, each of as many numbers as a run has frames. */
typedef struct seal_desk {
    uint64_t *other_values, *other_residuals, *other_mover; /**< of a second column, decoded beside the first */
    uint64_t *values, *residuals, *trial, *mover, *gate, *key;
    column_memo *memo, *memo_before;
    void *memory;
    size_t bytes;
} seal_desk;
bool seal_desk_begin(seal_desk *desk, uint32_t frame_count, const eddy_hooks *hooks);
void seal_desk_end(seal_desk *desk, const eddy_hooks *hooks);

/** A walk over a column of a field: the columns that its model names are expanded onto the desk. */
column_walk seal_walk(const seal_run *run, const seal_field *field, const seal_column *column, seal_desk *desk);

/** How a column is coded. */
typedef struct seal_choice {
    predictor_id id;
    double fit[2];
    uint64_t add;
    uint64_t cost; /**< sixteenths of a bit, about */
} seal_choice;
/** The predictor that costs least; `desk->residuals` then holds what it leaves. `walk` and the memo are as after a
 * decoding of the column. */
seal_choice seal_choose(column_walk *walk, seal_desk *desk);
/** What desk->values would cost with a predictor that has no numbers of its own. With PREDICT_MEMO the memo learns. */
uint64_t seal_judge(column_walk *walk, predictor_id id, seal_desk *desk);
/** What most differences in a row are, if most are the same: 0 for what rests. */
uint64_t seal_usual_step(const column_walk *walk, const uint64_t *values);

/** What residuals 1 .. count-1 would cost, in sixteenths of a bit. */
uint64_t seal_cost(const uint64_t *residuals, uint32_t count, uint64_t mask);

/** Bytes with places where the statistics change, so that zstd begins a new block there. */
typedef struct seal_pieces {
    bytes_writer bytes, cuts; /**< cuts: size_t */
} seal_pieces;
/** What follows is of another kind. */
void seal_pieces_cut(seal_pieces *pieces);

/** Appends the section of a field. False: no memory, or cancelled. */
bool seal_section_write(const seal_desc *desc, const seal_run *run, const seal_field *field, seal_desk *desk,
                        seal_pieces *out);
/** Reads the section of a field: its columns, from `field->first` on, `field->count` of them, into the store from *at
 * on. A fault spoils the reader. */
void seal_section_read(bytes_reader *reader, seal_run *run, seal_field *field, seal_desk *desk, size_t *at);

/** Finds out how the fields of a run may be expected, and in which order they can be decoded: `order` holds
 * run->field_count numbers. */
void seal_model_search(const seal_desc *desc, seal_run *run, seal_desk *desk, uint32_t *order);

#endif
