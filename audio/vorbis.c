#include "vorbis.h"

#include "pcm.h"

#include <errno.h>
#include <limits.h>
#include <ogg/ogg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* The header defines callback tables that not every file uses. */
#define OV_EXCLUDE_STATIC_CALLBACKS
#include <vorbis/vorbisfile.h>

/* A packet holds at most half of two blocks of 8192 samples. */
#define PACKET_FRAMES_MAX 8192
/* Errors in a row after which a decoder is not asked again. */
#define ERRORS_MAX 64
#define CHUNK_FRAMES 4096

/* ---- the file below the decoder ---- */

static size_t file_read(void *out, size_t size, size_t count, void *user) {
    return fread(out, size, count, user);
}

static int file_seek(void *user, ogg_int64_t offset, int whence) {
    if (offset > LONG_MAX || offset < LONG_MIN)
        return -1;
    return fseek(user, (long)offset, whence) == 0 ? 0 : -1; /* 0, not the place, is what vorbisfile takes for success */
}

static int file_close(void *user) {
    return fclose(user);
}

static long file_tell(void *user) {
    return ftell(user);
}

static eddy_result open_decoder(const char *path, OggVorbis_File *out, eddy_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
    const ov_callbacks callbacks = {file_read, file_seek, file_close, file_tell};
    int status = ov_open_callbacks(file, out, NULL, 0, callbacks);
    if (status == 0)
        return EDDY_OK;
    fclose(file);
    if (status == OV_EFAULT)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: the Vorbis decoder could not start", path);
    return eddy_fail(
        error, EDDY_E_FORMAT, "%s: expected Ogg Vorbis, found %s; encode it as Vorbis (oggenc), or use WAV or FLAC",
        path, status == OV_EBADHEADER ? "a damaged Vorbis header" : "an Ogg file of another kind, or only a part");
}

/* ---- measuring ---- */

static void set_oddity(vorbis_facts *facts, const char *text) {
    if (facts->regular)
        snprintf(facts->oddity, sizeof facts->oddity, "%s", text);
    facts->regular = false;
}

/* What the walk over the pages knows of the pages before. */
typedef struct page_walk {
    bool begun;
    int serial;
    long number;
    ogg_int64_t granule;
    uint64_t packets; /* ended since the granule */
} page_walk;

static void walk_page(page_walk *walk, ogg_page *page, vorbis_facts *facts) {
    ogg_int64_t granule = ogg_page_granulepos(page);
    if (walk->begun && ogg_page_serialno(page) != walk->serial)
        set_oddity(facts, "a second stream");
    else if (walk->begun && ogg_page_bos(page))
        set_oddity(facts, "a second link of the same number");
    else if (walk->begun && ogg_page_pageno(page) != walk->number + 1)
        set_oddity(facts, "a page is missing, damaged, doubled or out of order");
    walk->packets += (uint64_t)ogg_page_packets(page);
    if (granule >= 0) {
        if (granule < walk->granule)
            set_oddity(facts, "a page that claims to lie before the one in front of it");
        else if ((uint64_t)(granule - walk->granule) > walk->packets * PACKET_FRAMES_MAX)
            set_oddity(facts, "a page that claims more sound than it can hold");
        walk->granule = granule;
        walk->packets = 0;
    } else if (ogg_page_eos(page)) {
        set_oddity(facts, "no length on the last page");
    }
    walk->begun = true;
    walk->serial = ogg_page_serialno(page);
    walk->number = ogg_page_pageno(page);
}

static eddy_result walk_pages(const char *path, vorbis_facts *facts, eddy_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return eddy_fail(error, EDDY_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
    ogg_sync_state sync;
    ogg_sync_init(&sync);
    page_walk walk = {0};
    for (size_t got = 1; got > 0;) {
        char *room = ogg_sync_buffer(&sync, 65536);
        got = room ? fread(room, 1, 65536, file) : 0;
        ogg_sync_wrote(&sync, (long)got);
        ogg_page page;
        for (int found; (found = ogg_sync_pageout(&sync, &page)) != 0;)
            if (found > 0) /* what is skipped shows in the numbers of the pages */
                walk_page(&walk, &page, facts);
    }
    bool failed = ferror(file) != 0;
    ogg_sync_clear(&sync);
    fclose(file);
    return failed ? eddy_fail(error, EDDY_E_IO, "%s: cannot be read", path) : EDDY_OK;
}

eddy_result vorbis_measure(const char *path, vorbis_facts *out, eddy_error *error) {
    OggVorbis_File decoder;
    eddy_result result = open_decoder(path, &decoder, error);
    if (result != EDDY_OK)
        return result;
    const vorbis_info *info = ov_info(&decoder, 0);
    vorbis_facts facts = {.rate = (uint32_t)info->rate, .channels = (uint32_t)info->channels, .regular = true};
    facts.start = ov_pcm_tell(&decoder);
    int64_t total = ov_pcm_total(&decoder, -1);
    facts.frames = total - facts.start;
    if (ov_streams(&decoder) != 1)
        set_oddity(&facts, "several links");
    if (facts.start != 0)
        set_oddity(&facts, "a start that is not zero");
    if (facts.frames <= 0)
        set_oddity(&facts, "no length");
    ov_clear(&decoder);
    result = walk_pages(path, &facts, error);
    if (result == EDDY_OK)
        *out = facts;
    return result;
}

/* ---- decoding ---- */

/* Decoder planes to interleaved frames. Returns how many samples were no number. */
static uint64_t fold(float **planes, uint32_t channels, long frames, float *out) {
    const uint32_t folded = pcm_folded(channels);
    float *const begin = out;
    for (long i = 0; i < frames; i++) {
        if (folded == channels) {
            for (uint32_t c = 0; c < channels; c++)
                *out++ = planes[c][i];
            continue;
        }
        float sum = 0.0f;
        for (uint32_t c = 0; c < channels; c++)
            sum += planes[c][i];
        *out++ = sum / (float)channels;
    }
    return pcm_clean(begin, (size_t)frames * folded);
}

/* Samples on their way into memory. */
typedef struct gathering {
    float *samples;
    uint32_t channels;
    int64_t frames, capacity, frames_max;
    int64_t base;     /* what the decoder calls frame 0, as far as it is known */
    int64_t hole;     /* where sound was lost since the decoder last knew its place; -1: nowhere */
    int64_t silenced; /* frames of silence put into holes */
    uint64_t bad;     /* samples that were no number */
} gathering;

static eddy_result gather_room(gathering *all, int64_t frames) {
    if (frames > all->frames_max - all->frames) /* no sum: a damaged place may be anywhere */
        return EDDY_E_LIMIT;
    if (all->frames + frames <= all->capacity)
        return EDDY_OK;
    int64_t capacity = all->capacity * 2 > all->frames + frames ? all->capacity * 2 : all->frames + frames + 65536;
    capacity = capacity < all->frames_max ? capacity : all->frames_max;
    float *grown = realloc(all->samples, (size_t)capacity * all->channels * sizeof *grown);
    if (!grown)
        return EDDY_E_MEMORY;
    all->samples = grown;
    all->capacity = capacity;
    return EDDY_OK;
}

/* The decoder learns where it is only at the end of a page: what came since the hole moves up to its right place. */
static eddy_result gather_fill_hole(gathering *all, int64_t place) {
    if (all->hole < 0)
        all->base = place - all->frames;
    int64_t missing = place - all->base - all->frames;
    if (missing <= 0)
        return EDDY_OK;
    eddy_result result = gather_room(all, missing);
    if (result != EDDY_OK)
        return result;
    const size_t frame_bytes = all->channels * sizeof(float);
    float *hole = all->samples + (size_t)all->hole * all->channels;
    memmove(hole + (size_t)missing * all->channels, hole, (size_t)(all->frames - all->hole) * frame_bytes);
    memset(hole, 0, (size_t)missing * frame_bytes);
    all->frames += missing;
    all->silenced += missing;
    all->hole = -1;
    return EDDY_OK;
}

static eddy_result gather_all(gathering *all, OggVorbis_File *decoder, const vorbis_facts *facts, const char *path,
                              eddy_error *error) {
    uint32_t errors = 0;
    for (int link = 0;;) {
        float **planes;
        long got = ov_read_float(decoder, &planes, CHUNK_FRAMES, &link);
        if (got == 0)
            return EDDY_OK;
        if (got < 0) {
            all->hole = all->hole < 0 ? all->frames : all->hole;
            if (++errors == ERRORS_MAX)
                return EDDY_OK;
            continue;
        }
        errors = 0;
        const vorbis_info *info = ov_info(decoder, -1);
        if ((uint32_t)info->rate != facts->rate || (uint32_t)info->channels != facts->channels)
            return eddy_fail(error, EDDY_E_FORMAT,
                             "%s: link %d has %ld Hz and %d channels, the first one %u Hz and %u: expected one format; "
                             "encode it as one stream",
                             path, link, info->rate, info->channels, facts->rate, facts->channels);
        eddy_result result = gather_fill_hole(all, ov_pcm_tell(decoder) - got);
        result = result == EDDY_OK ? gather_room(all, got) : result;
        if (result != EDDY_OK)
            return eddy_fail(
                error, result,
                "%s: %s: expected up to %lld frames in the sound cache (%s); encode it anew, so that it can "
                "be streamed, or raise cache_bytes",
                path, eddy_result_text(result), (long long)all->frames_max,
                facts->regular ? "it is short" : facts->oddity);
        all->bad += fold(planes, facts->channels, got, all->samples + (size_t)all->frames * all->channels);
        all->frames += got;
    }
}

eddy_result vorbis_decode(const char *path, const vorbis_facts *facts, size_t bytes_max, const eddy_hooks *hooks,
                          float **samples, int64_t *frames, eddy_error *error) {
    OggVorbis_File decoder;
    eddy_result result = open_decoder(path, &decoder, error);
    if (result != EDDY_OK)
        return result;
    gathering all = {.channels = pcm_folded(facts->channels), .base = facts->start, .hole = -1};
    all.frames_max = (int64_t)(bytes_max / (all.channels * sizeof(float)));
    result = gather_all(&all, &decoder, facts, path, error);
    ov_clear(&decoder);
    /* More than the file says: pages doubled, or a second link of the same number. */
    if (facts->frames > 0 && all.frames > facts->frames)
        all.frames = facts->frames;
    if (result == EDDY_OK && all.frames == 0)
        result = eddy_fail(error, EDDY_E_FORMAT, "%s: has Vorbis headers but no sound; encode it anew", path);
    if (result != EDDY_OK) {
        free(all.samples);
        return result;
    }
    if (!facts->regular)
        eddy_log(hooks, "%s: %s; decoded from end to end, %lld frames, %lld of them silence in place of lost sound",
                 path, facts->oddity, (long long)all.frames, (long long)all.silenced);
    if (all.bad > 0)
        eddy_log(hooks, "%s: %llu samples that are no finite number play as silence", path,
                 (unsigned long long)all.bad);
    *samples = all.samples;
    *frames = all.frames;
    return EDDY_OK;
}

/* ---- reading from anywhere ---- */

struct vorbis_reader {
    OggVorbis_File decoder;
    int64_t at; /* next frame without a seek; -1: unknown */
    uint32_t channels, folded;
};

eddy_result vorbis_reader_open(const char *path, const vorbis_facts *facts, vorbis_reader **out, eddy_error *error) {
    vorbis_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for a stream", path);
    eddy_result result = open_decoder(path, &reader->decoder, error);
    if (result != EDDY_OK) {
        free(reader);
        return result;
    }
    const vorbis_info *info = ov_info(&reader->decoder, -1);
    reader->channels = facts->channels;
    reader->folded = pcm_folded(facts->channels);
    if ((uint32_t)info->rate != facts->rate || (uint32_t)info->channels != facts->channels ||
        ov_pcm_total(&reader->decoder, -1) != facts->frames) {
        vorbis_reader_close(reader);
        return eddy_fail(error, EDDY_E_FORMAT, "%s: is not the file it was when it was loaded", path);
    }
    *out = reader;
    return EDDY_OK;
}

void vorbis_reader_close(vorbis_reader *reader) {
    if (!reader)
        return;
    ov_clear(&reader->decoder);
    free(reader);
}

static bool reader_seek(vorbis_reader *reader, int64_t first) {
    if (reader->at == first)
        return true;
    return ov_pcm_seek(&reader->decoder, first) == 0 && ov_pcm_tell(&reader->decoder) == first;
}

bool vorbis_reader_read(vorbis_reader *reader, int64_t first, uint32_t count, float *out) {
    const uint32_t folded = reader->folded;
    uint32_t filled = 0, errors = 0;
    uint64_t bad = 0;
    bool whole = reader_seek(reader, first);
    while (whole && filled < count) {
        float **planes;
        int link;
        long got = ov_read_float(&reader->decoder, &planes, (int)(count - filled), &link);
        if (got == 0 || (got < 0 && ++errors == ERRORS_MAX))
            break;
        if (got < 0)
            continue;
        int64_t lost = ov_pcm_tell(&reader->decoder) - got - first - filled;
        if (errors > 0 && lost > 0) { /* a hole: silence up to where the decoder says it is */
            uint32_t silence = lost < (int64_t)(count - filled) ? (uint32_t)lost : count - filled;
            memset(out + (size_t)filled * folded, 0, (size_t)silence * folded * sizeof *out);
            filled += silence;
        }
        uint32_t taken = (uint32_t)got < count - filled ? (uint32_t)got : count - filled;
        bad += fold(planes, reader->channels, (long)taken, out + (size_t)filled * folded);
        filled += taken;
    }
    memset(out + (size_t)filled * folded, 0, (size_t)(count - filled) * folded * sizeof *out);
    whole = whole && filled == count && errors == 0 && bad == 0;
    reader->at = whole ? first + count : -1;
    return whole;
}
