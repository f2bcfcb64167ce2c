#include "path.h"

#include <stdarg.h>
#include <stdio.h>

eddy_result engine_path_print(char *out, size_t out_bytes, eddy_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(out, out_bytes, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < out_bytes)
        return EDDY_OK;
    eddy_result result = eddy_fail(error, EDDY_E_LIMIT, "%.120s...: expected a path of at most %zu bytes, found %d",
                                   out, out_bytes - 1, length);
    out[0] = '\0';
    return result;
}
