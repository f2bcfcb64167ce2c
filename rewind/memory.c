#include "memory.h"

#include "limits.h"

#include <string.h>
#include <sys/mman.h>

void *memory_reserve(const eddy_hooks *hooks, size_t bytes) {
    if (hooks && hooks->reserve) {
        return hooks->reserve(hooks->user, bytes);
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
    void *memory = memory_reserve(&count->outer, bytes);
    if (memory) {
        count->owned_bytes += bytes;
    }
    return memory;
}

static void count_release(void *user, void *memory, size_t bytes) {
    memory_count *count = user;
    count->owned_bytes -= bytes;
    memory_release(&count->outer, memory, bytes);
}

void memory_count_begin(memory_count *count, const eddy_hooks *outer) {
    *count = (memory_count){.outer = *outer};
    count->inner = (eddy_hooks){.log = outer->log, .user = count, .reserve = count_reserve, .release = count_release};
}
