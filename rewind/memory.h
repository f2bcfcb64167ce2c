/* Memory through the user's hooks, counted. */
#ifndef EDDY_REWIND_MEMORY_H
#define EDDY_REWIND_MEMORY_H

#include "rewind.h"

#include <stdatomic.h>

/** Zeroed memory from the hook, or from the system when there is none. NULL: none left. */
void *memory_reserve(const eddy_hooks *hooks, size_t bytes);
/** `memory` may be NULL. `bytes` as reserved. */
void memory_release(const eddy_hooks *hooks, void *memory, size_t bytes);

/** Makes room for `need` bytes in *memory, keeping its first `used`. At least doubles. On failure (false) nothing has
 * changed. */
bool memory_grow(const eddy_hooks *hooks, void **memory, size_t *capacity_bytes, size_t used, size_t need);

/** Hooks that pass on to others and count what is held. `inner` is handed to the parts of a timeline; the worker's may
 * use them at the same time. */
typedef struct memory_count {
    eddy_hooks outer; /**< the user's */
    eddy_hooks inner;
    size_t limit_bytes; /**< more is refused; 0: no limit */
    atomic_size_t owned_bytes;
} memory_count;
/** `count` must not move afterwards. */
void memory_count_begin(memory_count *count, const eddy_hooks *outer);
/** What was reserved through one count belongs to another from now on. */
void memory_count_move(memory_count *from, memory_count *to, size_t bytes);

#endif
