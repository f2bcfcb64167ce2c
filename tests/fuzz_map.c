/* Any bytes as a level: loaded and played a little, or refused with a text. */
#include "fuzz.h"

#include "world/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const world_catalog silence = {.count = 0};
    const char *path = fuzz_file(".tmj", data, size);
    world *loaded;
    eddy_error error = {.text = ""};
    if (world_load(path, &silence, 0, &loaded, &error) == EDDY_OK) {
        for (int step = 0; step < 30; step++)
            world_step(loaded, (world_input){.held = step % 8 < 4 ? BUTTON_RIGHT : BUTTON_JUMP, .fresh = UINT16_MAX});
        const eddy_view view = world_view(loaded);
        if (eddy_view_check(world_schema(), &view, &error) != EDDY_OK)
            abort(); /* what a level makes can be recorded */
        world_destroy(loaded);
    } else if (!error.text[0]) {
        abort(); /* refused without a word */
    }
    unlink(path);
    return 0;
}
