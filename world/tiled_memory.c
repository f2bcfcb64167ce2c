#include "tiled_reader.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 * 1024)

typedef struct block {
    struct block *next;
    size_t bytes, used;
    _Alignas(16) unsigned char data[];
} block;

struct tiled_memory {
    block *newest;
    size_t bytes;
};

tiled_memory *tiled_memory_create(void) {
    return calloc(1, sizeof(tiled_memory));
}

void tiled_memory_destroy(tiled_memory *memory) {
    if (!memory) {
        return;
    }
    for (block *each = memory->newest; each;) {
        block *next = each->next;
        free(each);
        each = next;
    }
    free(memory);
}

static block *block_create(tiled_memory *memory, size_t bytes) {
    block *made = calloc(1, sizeof *made + bytes);
    if (made) {
        made->bytes = bytes;
        made->next = memory->newest;
        memory->newest = made;
        memory->bytes += bytes;
    }
    return made;
}

void *tiled_take(tiled_reader *reader, size_t count, size_t item_bytes) {
    tiled_memory *memory = reader->map->memory;
    size_t left = TILED_MEMORY_BYTES_MAX - memory->bytes;
    if (item_bytes > 0 && count > left / item_bytes) {
        tiled_fail(reader, EDDY_E_LIMIT, "the map comes to more than %u MB of memory; make it smaller",
                   TILED_MEMORY_BYTES_MAX >> 20);
        return NULL;
    }
    size_t bytes = (count * item_bytes + 15) & ~(size_t)15;
    block *from = memory->newest;
    if (!from || from->bytes - from->used < bytes) {
        size_t wanted = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        if (wanted > left) {
            tiled_fail(reader, EDDY_E_LIMIT, "the map comes to more than %u MB of memory; make it smaller",
                       TILED_MEMORY_BYTES_MAX >> 20);
            return NULL;
        }
        from = block_create(memory, wanted);
        if (!from) {
            tiled_fail(reader, EDDY_E_MEMORY, "no memory for %zu bytes", wanted);
            return NULL;
        }
    }
    void *taken = from->data + from->used;
    from->used += bytes;
    return taken;
}

void *tiled_grow(tiled_reader *reader, const void *items, uint32_t count, size_t item_bytes) {
    if ((count & (count - 1)) != 0) {
        return (void *)(uintptr_t)items;
    }
    void *moved = tiled_take(reader, count ? (size_t)count * 2 : 1, item_bytes);
    if (moved && count > 0) {
        memcpy(moved, items, count * item_bytes);
    }
    return moved;
}

const char *tiled_copy(tiled_reader *reader, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copied = tiled_take(reader, bytes, 1);
    return copied ? memcpy(copied, text, bytes) : NULL;
}
