/* A picture of what a session shows, without a window: shots, contact sheets. */
#ifndef EDDY_TOOLS_STILL_H
#define EDDY_TOOLS_STILL_H

#include "engine/session.h"

/** Fills a picture of the shown frame, nothing in between, with the names of the keyboard's keys. Valid until the
 * session changes. */
void tool_still_picture(engine_session *session, engine_picture *out);
/** Writes it as a PNG. Errors of engine_draw_png. */
eddy_result tool_still_png(engine_session *session, const char *art_dir, const char *path, eddy_error *error);

#endif
