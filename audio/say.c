#include "say.h"

#include <stdarg.h>
#include <stdio.h>

void audio_say(const eddy_hooks *hooks, const char *format, ...) {
    if (!hooks->log)
        return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    hooks->log(hooks->user, line);
}
