/* A sealed run unpacked. Private to rewind/seal*.c. */
#ifndef EDDY_REWIND_SEAL_OPEN_H
#define EDDY_REWIND_SEAL_OPEN_H

#include "seal_head.h"

struct opened_run {
    seal_run run;
    uint64_t digest;
};

/** As sealed_open; `only`, when not NULL, is the one field whose columns are wanted. */
eddy_result seal_open(const eddy_schema *schema, sealed_bytes sealed, const eddy_hooks *hooks, const seal_query *only,
                      opened_run **out, eddy_error *error);

#endif
