/* The core block of a sealed run, before zstd: which lives there are, and the struct that each begins with.
 *
 *     counts    life_count varint
 *     lives     by id, then birth; each of these a row of varints for all lives:
 *                 id - (id of the one before; 0 for the first)
 *                 type
 *                 birth   frames since the run's first
 *                 frames  that follow in the life
 *     fields    for each type that has lives, in the schema's order, and each of its fields: a byte, then the values
 *               of all lives one after the other, the low bytes of all first, then the next:
 *                 0  nothing: all are the default
 *                 1  bits; of a str: bytes
 *                 2  folded difference from the same element of the life before (of the default for the first)
 *                 3  folded difference from the element before in this row (of the default for the first) */
#ifndef EDDY_REWIND_SEAL_CORE_H
#define EDDY_REWIND_SEAL_CORE_H

#include "seal_section.h"

/** False: no memory. */
bool seal_core_write(const seal_run *run, seal_pieces *out);
/** Reads lives and states into a run that has none. A fault spoils the reader; false: no memory. */
bool seal_core_read(bytes_reader *reader, seal_run *run);

#endif
