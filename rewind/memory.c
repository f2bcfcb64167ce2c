#include "memory.h"

#include "limits.h"

#include <string.h>
#include <sys/mman.h>

void *memory_reserve(const eddy_hooks *hooks, size_t bytes) {
    if (hooks && hooks->reserve) {
        return hooks->reserve(hooks->user, bytes);
    }
    /* What is asked for is used soon: to have its pages at once is cheaper than one fault for each. */
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void memory_release(const eddy_hooks *hooks, void *memory, size_t bytes) {
    if (!memory) {
        return;
    }
    if (hooks && hooks->reserve) {
        if (hooks->release) {
            hooks->release(hooks->user, memory, bytes);
        }
    } else {
        munmap(memory, bytes);
    }
}

bool memory_grow(const eddy_hooks *hooks, void **memory, size_t *capacity_bytes, size_t used, size_t need) {
    if (need <= *capacity_bytes) {
        return true;
    }
    size_t capacity = *capacity_bytes > 0 ? *capacity_bytes : LIMIT_PAGE_BYTES;
    while (capacity < need) {
        capacity *= 2;
    }
    void *grown = memory_reserve(hooks, capacity);
    if (!grown) {
        return false;
    }
    if (used > 0) {
        memcpy(grown, *memory, used);
    }
    memory_release(hooks, *memory, *capacity_bytes);
    *memory = grown;
    *capacity_bytes = capacity;
    return true;
}

static void *count_reserve(void *user, size_t bytes) {
    memory_count *count = user;
    size_t owned = atomic_fetch_add_explicit(&count->owned_bytes, bytes, memory_order_relaxed) + bytes;
    bool is_allowed = count->limit_bytes == 0 || owned <= count->limit_bytes;
    void *memory = is_allowed ? memory_reserve(&count->outer, bytes) : NULL;
    if (!memory) {
        atomic_fetch_sub_explicit(&count->owned_bytes, bytes, memory_order_relaxed);
    }
    return memory;
}

static void count_release(void *user, void *memory, size_t bytes) {
    memory_count *count = user;
    atomic_fetch_sub_explicit(&count->owned_bytes, bytes, memory_order_relaxed);
    memory_release(&count->outer, memory, bytes);
}

void memory_count_begin(memory_count *count, const eddy_hooks *outer) {
    count->outer = *outer;
    count->limit_bytes = 0;
    atomic_init(&count->owned_bytes, 0);
    count->inner = (eddy_hooks){.log = outer->log, .user = count, .reserve = count_reserve, .release = count_release};
}

void memory_count_move(memory_count *from, memory_count *to, size_t bytes) {
    atomic_fetch_sub_explicit(&from->owned_bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&to->owned_bytes, bytes, memory_order_relaxed);
}
