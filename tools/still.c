#include "still.h"

#include "engine/draw.h"
#include "engine/input.h"

void tool_still_picture(engine_session *session, engine_picture *out) {
    static engine_input keyboard; /* holds the names that the picture borrows */
    engine_input_begin(&keyboard, false);
    *out = (engine_picture){.alpha = 1};
    engine_input_key_names(&keyboard, out->key_names);
    engine_session_picture(session, out);
}

eddy_result tool_still_png(engine_session *session, const char *art_dir, const char *path, eddy_error *error) {
    engine_picture picture;
    tool_still_picture(session, &picture);
    return engine_draw_png(art_dir, &picture, path, error);
}
