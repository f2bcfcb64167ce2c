/* A program that is not Kettlewick, with the recorder alone: records a falling drop and returns to a frame. */
#include <eddy/rewind/rewind.h>
#include <stdio.h>

typedef struct drop {
    float x, y, vy;
    uint32_t bounces;
} drop;
#define DROP_FIELDS(F, S)                                                                                              \
    F(S, x, F32, 1, .unit = "px")                                                                                      \
    F(S, y, F32, 1, .unit = "px")                                                                                      \
    F(S, vy, F32, 1, .unit = "px/s")                                                                                   \
    F(S, bounces, U32, 1)
EDDY_FIELDS(drop, DROP_FIELDS);

static int fail(const eddy_error *error) {
    fprintf(stderr, "%s\n", error->text);
    return 1;
}

int main(void) {
    static const drop fresh = {0};
    eddy_type types[] = {EDDY_TYPE(drop, &fresh)};
    const eddy_schema schema = {.types = types, .type_count = 1};
    const eddy_timeline_desc desc = {.schema = &schema};
    eddy_timeline *timeline;
    eddy_error error;
    if (eddy_timeline_create(&desc, &timeline, &error) != EDDY_OK)
        return fail(&error);

    drop here = {.x = 3, .y = 100};
    drop seen = {0};
    for (unsigned frame = 0; frame < 300; frame++) {
        const eddy_entity entity = {1, 0, &here};
        const eddy_view view = {&entity, 1};
        if (eddy_timeline_append(timeline, &view, &error) != EDDY_OK)
            return fail(&error);
        if (frame == 77)
            seen = here;
        here.vy -= 9.81f / 60;
        here.y += here.vy / 60;
    }
    eddy_view back;
    if (eddy_timeline_read(timeline, 77, &back, &error) != EDDY_OK)
        return fail(&error);
    const drop *returned = back.entities[0].data;
    if (returned->y != seen.y || returned->vy != seen.vy || returned->x != 3) {
        fprintf(stderr, "frame 77: expected y %a, got %a\n", (double)seen.y, (double)returned->y);
        return 1;
    }
    eddy_timeline_destroy(timeline);
    puts("rewind");
    return 0;
}
