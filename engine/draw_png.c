/* A picture without a window: drawn by the processor, written beside and renamed. */
#include "draw.h"

#include <SDL_image.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes a new file whole and brings it to the disk; 0 or the errno. SDL's own file would not tell of a full disk. */
static int write_png(SDL_Surface *surface, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) {
        return errno;
    }
    SDL_RWops *stream = SDL_RWFromFP(file, SDL_FALSE);
    errno = 0;
    bool written = stream && IMG_SavePNG_RW(surface, stream, 1) == 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
    int cause = written ? 0 : errno ? errno : EIO;
    if (fclose(file) != 0 && cause == 0) {
        cause = errno;
    }
    return cause;
}

eddy_result engine_draw_save(SDL_Surface *surface, const char *path, eddy_error *error) {
    size_t bytes = strlen(path) + 32;
    char *beside = malloc(bytes);
    if (!beside) {
        return eddy_fail(error, EDDY_E_MEMORY, "%s: no memory to write the picture", path);
    }
    snprintf(beside, bytes, "%s.%ld.part", path, (long)getpid());
    eddy_result result = EDDY_OK;
    int cause = write_png(surface, beside);
    if (cause != 0) {
        result = eddy_fail(error, EDDY_E_IO, "%s: cannot write the picture: %s; is the folder there, with room?", path,
                           strerror(cause));
    } else if (rename(beside, path) != 0) {
        result = eddy_fail(error, EDDY_E_IO, "%s: the picture cannot take this name: a folder, or not ours to replace?",
                           path);
    }
    if (result != EDDY_OK) {
        remove(beside);
    }
    free(beside);
    return result;
}

eddy_result engine_draw_png(const char *art_dir, const engine_picture *picture, const char *path, eddy_error *error) {
    SDL_Surface *surface = SDL_CreateRGBSurfaceWithFormat(0, ENGINE_VIEW_W, ENGINE_VIEW_H, 32, SDL_PIXELFORMAT_RGB888);
    SDL_Renderer *renderer = surface ? SDL_CreateSoftwareRenderer(surface) : NULL;
    engine_draw *draw = NULL;
    eddy_result result = EDDY_OK;
    if (!renderer) {
        result = eddy_fail(error, EDDY_E_MEMORY, "%s: no memory for the picture: %s", path, SDL_GetError());
    } else {
        result = engine_draw_create(renderer, art_dir, 1, &draw, error);
    }
    if (result == EDDY_OK) {
        engine_draw_picture(draw, picture);
        SDL_RenderFlush(renderer);
        result = engine_draw_save(surface, path, error);
    }
    engine_draw_destroy(draw);
    if (renderer) {
        SDL_DestroyRenderer(renderer);
    }
    SDL_FreeSurface(surface);
    return result;
}
