/* A log of changes on its way into columns: written once, then read once from the beginning, and given back as it is
 * read. In pieces, for one that grows by doubling would take three times its size. Private to rewind/seal*.c. */
#ifndef EDDY_REWIND_SEAL_LOG_H
#define EDDY_REWIND_SEAL_LOG_H

#include "memory.h"

typedef struct seal_log {
    struct log_piece *first, *last;
    size_t at; /**< the reader's place in the first piece */
    const eddy_hooks *hooks;
} seal_log;

/** Room for `bytes` in one piece at the end, or NULL: no memory. They count as written. */
uint8_t *seal_log_write(seal_log *log, size_t bytes);
/** The next bytes of an entry; the caller knows its size only after it has seen its beginning, so the rest follows with
 * seal_log_skip. The end is not checked. */
const uint8_t *seal_log_read(seal_log *log);
void seal_log_skip(seal_log *log, size_t bytes);
void seal_log_free(seal_log *log);

#endif
