/* Lines for people, through the log hook. Private to audio/. */
#ifndef EDDY_AUDIO_SAY_H
#define EDDY_AUDIO_SAY_H

#include "rewind/rewind.h"

/** Hands one printf line to the log hook; without a hook nothing happens. */
void audio_say(const eddy_hooks *hooks, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
