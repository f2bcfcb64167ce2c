/* Any bytes as a session file: opened, asked, verified, read. What is damaged is said, never crashed on. */
#include "fuzz.h"

#include "rewind/rewind.h"

static void read_line(eddy_reader *reader, eddy_axis axis) {
    const eddy_session_info *info = eddy_reader_info(reader);
    if (info->axis[axis].frames == 0)
        return;
    const uint32_t branch = info->axis[axis].last_branch, last = info->axis[axis].last_frame;
    for (uint32_t step = 0; step < 8; step++) {
        eddy_view view;
        eddy_error error;
        const uint32_t frame = (uint32_t)((uint64_t)last * step / 7);
        if (eddy_reader_read(reader, axis, branch, frame, &view, &error) == EDDY_OK &&
            eddy_view_check(info->schema, &view, &error) != EDDY_OK)
            abort(); /* a frame that is handed out is a valid one */
        eddy_reader_constants(reader, axis, branch, frame, &view, &error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(".eddy", data, size);
    eddy_reader *reader;
    eddy_error error;
    if (eddy_reader_open(path, &reader, &error) == EDDY_OK) {
        eddy_reader_verify(reader, NULL, NULL);
        read_line(reader, EDDY_AXIS_WORLD);
        read_line(reader, EDDY_AXIS_TICKS);
        for (uint32_t i = 0; i < eddy_reader_info(reader)->note_count; i++)
            eddy_reader_note(reader, i, NULL, NULL, NULL);
        eddy_reader_close(reader);
    }
    unlink(path);
    return 0;
}
