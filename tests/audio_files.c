#include "audio_files.h"

#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <ogg/ogg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vorbis/vorbisenc.h>

static char folder[64];

void files_setup(void) {
    strcpy(folder, "/tmp/eddy-audio-XXXXXX");
    char *made = mkdtemp(folder);
    assert(made);
    (void)made;
}

void files_teardown(void) {
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        if (entry->d_name[0] != '.')
            unlink(files_path(entry->d_name));
    if (listing)
        closedir(listing);
    rmdir(folder);
}

const char *files_path(const char *name) {
    static char paths[8][400];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

float *material_sine(size_t frames, uint32_t channels, uint32_t periods, float level) {
    float *samples = malloc(frames * channels * sizeof *samples);
    assert(samples);
    for (size_t i = 0; i < frames; i++)
        for (uint32_t c = 0; c < channels; c++) {
            double turns = (double)i * (periods + 3 * c) / (double)frames;
            samples[i * channels + c] = level * (float)sin(6.283185307179586 * turns);
        }
    return samples;
}

float *material_noise(size_t frames, uint32_t channels, float level, uint32_t seed) {
    float *samples = malloc(frames * channels * sizeof *samples);
    assert(samples);
    for (size_t i = 0; i < frames * channels; i++) {
        seed = seed * 1664525u + 1013904223u;
        samples[i] = level * ((float)(seed >> 8) / 8388608.0f - 1.0f);
    }
    return samples;
}

void file_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert(file);
    size_t written = fwrite(bytes, 1, size, file);
    int closed = fclose(file);
    assert(written == size && closed == 0);
    (void)written;
    (void)closed;
}

uint8_t *file_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert(bytes);
    size_t got = fread(bytes, 1, *size, file);
    fclose(file);
    assert(got == *size);
    (void)got;
    return bytes;
}

static void put(uint8_t *out, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

void file_write_wav(const char *path, uint32_t rate, uint32_t channels, size_t frames, const float *samples) {
    size_t data = frames * channels * sizeof *samples;
    uint8_t *bytes = malloc(44 + data);
    assert(bytes);
    memcpy(bytes, "RIFF____WAVEfmt ", 16);
    put(bytes + 4, (uint32_t)(36 + data), 4);
    put(bytes + 16, 16, 4);
    put(bytes + 20, 3, 2);
    put(bytes + 22, channels, 2);
    put(bytes + 24, rate, 4);
    put(bytes + 28, rate * channels * 4, 4);
    put(bytes + 32, channels * 4, 2);
    put(bytes + 34, 32, 2);
    memcpy(bytes + 36, "data", 4);
    put(bytes + 40, (uint32_t)data, 4);
    memcpy(bytes + 44, samples, data);
    file_write(path, bytes, 44 + data);
    free(bytes);
}

/* ---- Ogg ---- */

static void write_page(FILE *file, const ogg_page *page) {
    fwrite(page->header, 1, (size_t)page->header_len, file);
    fwrite(page->body, 1, (size_t)page->body_len, file);
}

static void drain(vorbis_dsp_state *state, vorbis_block *block, ogg_stream_state *stream, FILE *file) {
    while (vorbis_analysis_blockout(state, block) == 1) {
        vorbis_analysis(block, NULL);
        vorbis_bitrate_addblock(block);
        ogg_packet packet;
        while (vorbis_bitrate_flushpacket(state, &packet)) {
            ogg_stream_packetin(stream, &packet);
            ogg_page page;
            while (ogg_stream_pageout(stream, &page))
                write_page(file, &page);
        }
    }
}

static void encode(const char *path, uint32_t rate, uint32_t channels, size_t frames, const float *samples, int serial,
                   bool flush_head) {
    vorbis_info info;
    vorbis_comment comment;
    vorbis_dsp_state state;
    vorbis_block block;
    ogg_stream_state stream;
    FILE *file = fopen(path, "wb");
    assert(file);
    vorbis_info_init(&info);
    int status = vorbis_encode_init_vbr(&info, (long)channels, (long)rate, 0.5f);
    assert(status == 0);
    (void)status;
    vorbis_comment_init(&comment);
    vorbis_analysis_init(&state, &info);
    vorbis_block_init(&state, &block);
    ogg_stream_init(&stream, serial);
    ogg_packet head[3];
    vorbis_analysis_headerout(&state, &comment, &head[0], &head[1], &head[2]);
    for (int i = 0; i < 3; i++)
        ogg_stream_packetin(&stream, &head[i]);
    ogg_page page;
    while (flush_head && ogg_stream_flush(&stream, &page))
        write_page(file, &page);
    for (size_t at = 0; at < frames;) {
        size_t n = frames - at < 1024 ? frames - at : 1024;
        float **planes = vorbis_analysis_buffer(&state, (int)n);
        for (size_t i = 0; i < n; i++)
            for (uint32_t c = 0; c < channels; c++)
                planes[c][i] = samples[(at + i) * channels + c];
        vorbis_analysis_wrote(&state, (int)n);
        drain(&state, &block, &stream, file);
        at += n;
    }
    vorbis_analysis_wrote(&state, 0);
    drain(&state, &block, &stream, file);
    while (ogg_stream_flush(&stream, &page))
        write_page(file, &page);
    ogg_stream_clear(&stream);
    vorbis_block_clear(&block);
    vorbis_dsp_clear(&state);
    vorbis_comment_clear(&comment);
    vorbis_info_clear(&info);
    fclose(file);
}

void file_write_ogg(const char *path, uint32_t rate, uint32_t channels, size_t frames, const float *samples,
                    int serial) {
    encode(path, rate, channels, frames, samples, serial, true);
}

void file_write_ogg_loose(const char *path, uint32_t rate, uint32_t channels, size_t frames, const float *samples) {
    encode(path, rate, channels, frames, samples, 7, false);
}

size_t ogg_page_find(const uint8_t *bytes, size_t size, uint32_t index, size_t *page_bytes) {
    size_t at = 0;
    *page_bytes = 0;
    for (uint32_t i = 0; at + 27 <= size; i++) {
        size_t length = 27 + (size_t)bytes[at + 26];
        for (uint32_t s = 0; s < bytes[at + 26] && at + 27 + s < size; s++)
            length += bytes[at + 27 + s];
        if (i == index) {
            *page_bytes = length;
            return at;
        }
        at += length;
    }
    return at;
}

uint32_t ogg_page_total(const uint8_t *bytes, size_t size) {
    uint32_t total = 0;
    for (size_t length = 1; length > 0; total++)
        ogg_page_find(bytes, size, total, &length);
    return total - 1;
}

void ogg_page_set_granule(uint8_t *page, size_t page_bytes, int64_t granule) {
    for (int i = 0; i < 8; i++)
        page[6 + i] = (uint8_t)((uint64_t)granule >> (8 * i));
    ogg_page whole = {.header = page, .header_len = 27 + page[26]};
    whole.body = page + whole.header_len;
    whole.body_len = (long)page_bytes - whole.header_len;
    ogg_page_checksum_set(&whole);
}

void ogg_pages_repair(uint8_t *bytes, size_t size) {
    size_t length;
    for (uint32_t i = 0;; i++) {
        size_t at = ogg_page_find(bytes, size, i, &length);
        if (length == 0 || at + length > size)
            return;
        ogg_page_set_granule(bytes + at, length, ogg_page_granule(bytes + at));
    }
}

int64_t ogg_page_granule(const uint8_t *page) {
    uint64_t granule = 0;
    for (int i = 0; i < 8; i++)
        granule |= (uint64_t)page[6 + i] << (8 * i);
    return (int64_t)granule;
}
