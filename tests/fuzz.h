/* What fuzz targets share. A target is one page: bytes from outside go into one door, and nothing may break. */
#ifndef EDDY_TESTS_FUZZ_H
#define EDDY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Puts the bytes into a file of this process, for doors that take a path. Its name; valid until the next call. */
static inline const char *fuzz_file(const char *suffix, const uint8_t *data, size_t size) {
    static char path[64];
    snprintf(path, sizeof path, "fuzz-%ld%s", (long)getpid(), suffix);
    FILE *file = fopen(path, "wb");
    if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
    return path;
}

#endif
