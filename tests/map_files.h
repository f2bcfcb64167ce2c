/* Small files for suites that read maps: written into a folder of their own, gone with the test's process. */
#ifndef EDDY_TESTS_MAP_FILES_H
#define EDDY_TESTS_MAP_FILES_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char map_folder[64];

/** Begins an empty folder. */
static inline void map_folder_make(void) {
    snprintf(map_folder, sizeof map_folder, "/tmp/eddy-maps-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(map_folder));
}

/** Removes it with all that is in it. */
static inline void map_folder_remove(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", map_folder);
    ck_assert_int_eq(system(command), 0);
}

/** The path of a name in the folder; one at a time. */
static inline const char *map_path(const char *name) {
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", map_folder, name);
    return path;
}

static inline const char *map_write_bytes(const char *name, const void *bytes, size_t count) {
    const char *path = map_path(name);
    char folder[160];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    mkdir(folder, 0777); /* one level below is enough */
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

/** Writes JSON that is quoted with ' for the sake of its readers; returns its path. */
static inline const char *map_write(const char *name, const char *json) {
    char *text = strdup(json);
    ck_assert_ptr_nonnull(text);
    for (char *at = text; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    const char *path = map_write_bytes(name, text, strlen(text));
    free(text);
    return path;
}

#endif
