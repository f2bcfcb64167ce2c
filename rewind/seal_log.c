#include "seal_log.h"

#include "limits.h"

typedef struct log_piece {
    struct log_piece *next;
    size_t used, capacity; /* this head included */
} log_piece;

uint8_t *seal_log_write(seal_log *log, size_t bytes) {
    log_piece *piece = log->last;
    if (!piece || piece->capacity - piece->used < bytes) {
        size_t capacity = sizeof *piece + bytes;
        capacity = capacity < LIMIT_SEAL_LOG_BYTES ? LIMIT_SEAL_LOG_BYTES : capacity;
        piece = memory_reserve(log->hooks, capacity);
        if (!piece) {
            return NULL;
        }
        *piece = (log_piece){.used = sizeof *piece, .capacity = capacity};
        *(log->last ? &log->last->next : &log->first) = piece;
        log->last = piece;
        log->at = sizeof *piece;
    }
    uint8_t *at = (uint8_t *)piece + piece->used;
    piece->used += bytes;
    return at;
}

static void drop_first(seal_log *log) {
    log_piece *piece = log->first;
    log->first = piece->next;
    log->last = log->first ? log->last : NULL;
    log->at = sizeof *piece;
    memory_release(log->hooks, piece, piece->capacity);
}

const uint8_t *seal_log_read(seal_log *log) {
    if (log->at == log->first->used) {
        drop_first(log);
    }
    return (const uint8_t *)log->first + log->at;
}

void seal_log_skip(seal_log *log, size_t bytes) {
    log->at += bytes;
}

void seal_log_free(seal_log *log) {
    while (log->first) {
        drop_first(log);
    }
}
