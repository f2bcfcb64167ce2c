#include "rewind.h"

#include <stdarg.h>
#include <stdio.h>

const char *eddy_result_text(eddy_result result) {
    switch (result) {
#define EDDY_RESULT(name, value, sentence)                                                                             \
    case EDDY_##name:                                                                                                  \
        return sentence;
#include "results.inl"
#undef EDDY_RESULT
    }
    return "an unknown result";
}

const char *eddy_result_name(eddy_result result) {
    switch (result) {
#define EDDY_RESULT(name, value, sentence)                                                                             \
    case EDDY_##name:                                                                                                  \
        return #name;
#include "results.inl"
#undef EDDY_RESULT
    }
    return "E_UNKNOWN";
}

eddy_result eddy_fail(eddy_error *error, eddy_result code, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->code = code;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return code;
}

void eddy_log(const eddy_hooks *hooks, const char *format, ...) {
    if (!hooks->log)
        return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    hooks->log(hooks->user, line);
}
