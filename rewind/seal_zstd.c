#define ZSTD_STATIC_LINKING_ONLY
#include "seal_zstd.h"

#include <zstd.h>

/* What a pack may need beside its input: 2^18 + 2 * 2^17 entries of four bytes at most. */
#define PACK_WINDOW_LOG_MAX 19u
#define PACK_HASH_LOG_MAX 17u
#define PACK_CHAIN_LOG_MAX 17u

struct seal_packer {
    const eddy_hooks *hooks;
    ZSTD_CCtx *context;
    int level;
};

struct seal_unpacker {
    const eddy_hooks *hooks;
    ZSTD_DCtx *context;
};

/* zstd gives memory back without its size: it stands before it. */
typedef union counted_memory {
    size_t bytes;
    max_align_t align;
} counted_memory;

static void *zstd_reserve(void *user, size_t bytes) {
    counted_memory *memory = memory_reserve(user, sizeof *memory + bytes);
    if (!memory) {
        return NULL;
    }
    memory->bytes = sizeof *memory + bytes;
    return memory + 1;
}

static void zstd_release(void *user, void *pointer) {
    if (pointer) {
        counted_memory *memory = (counted_memory *)pointer - 1;
        memory_release(user, memory, memory->bytes);
    }
}

static ZSTD_customMem memory_of(const eddy_hooks *hooks) {
    return (ZSTD_customMem){
        .customAlloc = zstd_reserve, .customFree = zstd_release, .opaque = (void *)(uintptr_t)hooks};
}

seal_packer *seal_packer_create(int level, const eddy_hooks *hooks) {
    seal_packer *packer = memory_reserve(hooks, sizeof *packer);
    if (!packer) {
        return NULL;
    }
    *packer = (seal_packer){.hooks = hooks, .level = level, .context = ZSTD_createCCtx_advanced(memory_of(hooks))};
    if (!packer->context) {
        seal_packer_destroy(packer);
        return NULL;
    }
    return packer;
}

void seal_packer_destroy(seal_packer *packer) {
    if (packer) {
        ZSTD_freeCCtx(packer->context);
        memory_release(packer->hooks, packer, sizeof *packer);
    }
}

static unsigned at_most(unsigned value, unsigned most) {
    return value < most ? value : most;
}

static void set_up(seal_packer *packer, size_t size) {
    ZSTD_CCtx *context = packer->context;
    ZSTD_compressionParameters fit = ZSTD_getCParams(packer->level, size > 0 ? size : 1, 0);
    ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, packer->level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, (int)at_most(fit.windowLog, PACK_WINDOW_LOG_MAX));
    ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, (int)at_most(fit.hashLog, PACK_HASH_LOG_MAX));
    ZSTD_CCtx_setParameter(context, ZSTD_c_chainLog, (int)at_most(fit.chainLog, PACK_CHAIN_LOG_MAX));
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(context, ZSTD_c_stableInBuffer, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_stableOutBuffer, 1);
}

bool seal_packer_pack(seal_packer *packer, const uint8_t *bytes, size_t size, const size_t *cuts, size_t cut_count,
                      bytes_writer *out) {
    size_t most = ZSTD_compressBound(size) + 16 + 8 * (cut_count + 1);
    uint8_t *to = bytes_room(out, most);
    if (!to) {
        return false;
    }
    set_up(packer, size);
    ZSTD_outBuffer into = {.dst = to, .size = most};
    ZSTD_inBuffer from = {.src = bytes};
    for (size_t i = 0; i <= cut_count; i++) {
        bool is_last = i == cut_count || cuts[i] >= size;
        from.size = is_last ? size : cuts[i];
        size_t left;
        do {
            left = ZSTD_compressStream2(packer->context, &into, &from, is_last ? ZSTD_e_end : ZSTD_e_flush);
        } while (!ZSTD_isError(left) && left > 0);
        if (ZSTD_isError(left)) {
            return false;
        }
        if (is_last) {
            break;
        }
    }
    bytes_advance(out, to + into.pos);
    return true;
}

seal_unpacker *seal_unpacker_create(const eddy_hooks *hooks) {
    seal_unpacker *unpacker = memory_reserve(hooks, sizeof *unpacker);
    if (!unpacker) {
        return NULL;
    }
    *unpacker = (seal_unpacker){.hooks = hooks, .context = ZSTD_createDCtx_advanced(memory_of(hooks))};
    if (!unpacker->context) {
        seal_unpacker_destroy(unpacker);
        return NULL;
    }
    return unpacker;
}

void seal_unpacker_destroy(seal_unpacker *unpacker) {
    if (unpacker) {
        ZSTD_freeDCtx(unpacker->context);
        memory_release(unpacker->hooks, unpacker, sizeof *unpacker);
    }
}

bool seal_unpacker_unpack(seal_unpacker *unpacker, const uint8_t *packed, size_t packed_size, uint8_t *out,
                          size_t size) {
    size_t got = ZSTD_decompressDCtx(unpacker->context, out, size, packed, packed_size);
    return !ZSTD_isError(got) && got == size;
}
