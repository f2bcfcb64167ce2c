/* Paths put together. One that is too long is an error, never the name of another file. */
#ifndef EDDY_ENGINE_PATH_H
#define EDDY_ENGINE_PATH_H

#include "rewind/rewind.h"

#define ENGINE_PATH_BYTES 4096 /**< Linux opens no longer ones */

/** Prints a path into `out`. E_LIMIT when it does not fit; `out` is then empty. */
eddy_result engine_path_print(char *out, size_t out_bytes, eddy_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
