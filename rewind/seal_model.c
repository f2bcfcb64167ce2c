#include "seal_section.h"

void seal_model_search(const seal_desc *desc, seal_run *run, seal_desk *desk, uint32_t *order) {
    (void)desc;
    (void)desk;
    for (uint32_t i = 0; i < run->field_count; i++) {
        order[i] = i;
        run->fields[i].model.has_memo = run->fields[i].shape.class != LANE_WIDE;
    }
}
