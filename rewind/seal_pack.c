#include "limits.h"
#include "seal_core.h"
#include "seal_open.h"
#include "seal_zstd.h"

/* A section below this goes into the core's block: a block of its own would cost more than it lets one skip. */
#define SMALL_SECTION_BYTES 2048u

typedef struct packing {
    const seal_desc *desc;
    seal_run run;
    seal_gathered gathered;
    seal_desk desk;
    seal_packer *packer;
    uint32_t *order;
    seal_pieces core, section;
    bytes_writer blocks, block_sizes, entries; /* packed blocks but the core; varints; varints */
    uint32_t block_count, entry_count;
} packing;

static eddy_result fail_memory(const seal_desc *desc, eddy_error *error) {
    return eddy_fail(error, EDDY_E_MEMORY, "no memory to seal frames %u to %u", desc->source.first_frame,
                     desc->source.first_frame + desc->source.frame_count - 1);
}

/* ---- blocks ---- */

static bool pack_pieces(packing *all, const seal_pieces *pieces, bytes_writer *out, bytes_writer *sizes) {
    size_t before = out->size;
    bool good = seal_packer_pack(all->packer, pieces->bytes.bytes, pieces->bytes.size,
                                 (const size_t *)(void *)pieces->cuts.bytes, pieces->cuts.size / sizeof(size_t), out);
    bytes_write_varint(sizes, pieces->bytes.size);
    bytes_write_varint(sizes, out->size - before);
    return good && !out->failed && !sizes->failed;
}

static void append_to_core(packing *all) {
    size_t at = all->core.bytes.size;
    bytes_write(&all->core.bytes, all->section.bytes.bytes, all->section.bytes.size);
    for (size_t i = 0; i < all->section.cuts.size; i += sizeof(size_t)) {
        size_t place;
        memcpy(&place, all->section.cuts.bytes + i, sizeof place);
        place += at;
        bytes_write(&all->core.cuts, &place, sizeof place);
    }
}

static void add_need(seal_entry *entry, seal_ref ref) {
    if (ref.field != SEAL_NONE) {
        entry->needs[entry->need_count++] = ref.field;
    }
}

static bool pack_section(packing *all, const seal_field *field) {
    all->section.bytes.size = all->section.cuts.size = 0;
    if (!seal_section_write(all->desc, &all->run, field, &all->desk, &all->section)) {
        return false;
    }
    size_t bytes = all->section.bytes.size;
    bool is_small = bytes < SMALL_SECTION_BYTES;
    seal_entry entry = {.type = field->type, .field = field->index, .changes = field->changes, .bytes = bytes};
    entry.columns = field->count;
    entry.block = is_small ? 0 : ++all->block_count;
    add_need(&entry, field->model.mover);
    add_need(&entry, field->model.gate);
    add_need(&entry, field->model.key);
    seal_entry_write(&all->entries, &entry);
    all->entry_count++;
    if (is_small) {
        append_to_core(all);
        return !all->core.bytes.failed && !all->core.cuts.failed;
    }
    return pack_pieces(all, &all->section, &all->blocks, &all->block_sizes);
}

/* ---- the whole ---- */

static uint32_t write_branches(const packing *all, bytes_writer *out) {
    uint32_t pieces = 0, frames = all->run.frame_count;
    for (uint32_t t = 0, end; t < frames; t = end) {
        for (end = t + 1; end < frames && all->gathered.branches[end] == all->gathered.branches[t]; end++) {
        }
        seal_branch_piece piece = {.branch = all->gathered.branches[t], .frames = end - t};
        bytes_write(out, &piece, sizeof piece);
        pieces++;
    }
    return pieces;
}

static bool assemble(packing *all, sealed_bytes *out) {
    const eddy_hooks *hooks = &all->desc->hooks;
    bytes_writer front = {.hooks = hooks}, core = {.hooks = hooks}, core_sizes = {.hooks = hooks};
    seal_head head = {.first_frame = all->run.first_frame, .frame_count = all->run.frame_count};
    head.digest = seal_checksum(all->gathered.hashes, head.frame_count * sizeof *all->gathered.hashes);
    bool good = pack_pieces(all, &all->core, &core, &core_sizes);
    bytes_write(&front, &head, sizeof head);
    head.branch_pieces = write_branches(all, &front);
    bytes_write_varint(&front, all->block_count + 1);
    bytes_write(&front, core_sizes.bytes, core_sizes.size);
    bytes_write(&front, all->block_sizes.bytes, all->block_sizes.size);
    bytes_write_varint(&front, all->run.store_bytes);
    bytes_write_varint(&front, all->run.column_count);
    bytes_write_varint(&front, all->entry_count);
    bytes_write(&front, all->entries.bytes, all->entries.size);
    head.blocks_at = (uint32_t)front.size;
    good = good && !front.failed && !all->entries.failed;
    out->size = front.size + core.size + all->blocks.size;
    out->bytes = good ? memory_reserve(hooks, out->size) : NULL;
    if (out->bytes) {
        memcpy(out->bytes, front.bytes, front.size);
        memcpy(out->bytes + front.size, core.bytes, core.size);
        if (all->blocks.size > 0) {
            memcpy(out->bytes + front.size + core.size, all->blocks.bytes, all->blocks.size);
        }
        memcpy(out->bytes, &head, sizeof head);
        head.checksum = seal_checksum(out->bytes + sizeof head.checksum, out->size - sizeof head.checksum);
        memcpy(out->bytes, &head, sizeof head);
    }
    bytes_writer_free(&front);
    bytes_writer_free(&core);
    bytes_writer_free(&core_sizes);
    return out->bytes != NULL;
}

static bool pack_run(packing *all, sealed_bytes *out) {
    seal_model_search(all->desc, &all->run, &all->desk, all->order);
    bool good = seal_core_write(&all->run, &all->core);
    for (uint32_t i = 0; i < all->run.field_count && good; i++) {
        const seal_field *field = &all->run.fields[all->order[i]];
        good = field->count == 0 || pack_section(all, field);
    }
    return good && assemble(all, out);
}

/* ---- checking ---- */

/* Adds the hashes of a life to those of its frames. */
static void hash_life(const seal_run *run, uint32_t number, uint8_t *state, uint64_t *sums) {
    const seal_life *life = &run->lives[number];
    uint32_t size = run->schema->types[life->type].size, span = life_span(life);
    eddy_entity entity = {.id = life->id, .type = life->type, .data = state};
    memcpy(state, run->states + life->state, size);
    uint64_t hash = eddy_entity_hash(run->schema, &entity);
    for (uint32_t t = 0; t < span; t++) {
        bool changed = false;
        for (uint32_t i = life->first_use; t > 0 && i < life->first_use + life->use_count; i++) {
            const seal_column *column = &run->columns[run->uses[i]];
            const seal_field *field = &run->fields[run->use_fields[i]];
            uint32_t bytes = field->shape.bytes;
            const uint8_t *value = seal_column_at(run, &field->shape, column, t);
            uint8_t *to = state + field->field->offset + column->lane * bytes;
            if (value && memcmp(to, value, bytes) != 0) {
                memcpy(to, value, bytes);
                changed = true;
            }
        }
        hash = changed ? eddy_entity_hash(run->schema, &entity) : hash;
        sums[life->birth + t] += hash;
    }
}

static eddy_result check_frames(const packing *all, const seal_run *run, uint64_t *sums, uint8_t *state,
                                eddy_error *error) {
    for (uint32_t i = 0; i < run->life_count; i++) {
        if (seal_is_cancelled(all->desc)) {
            return fail_memory(all->desc, error);
        }
        hash_life(run, i, state, sums);
    }
    for (uint32_t t = 0; t < run->frame_count; t++) {
        if (sums[t] != all->gathered.hashes[t]) {
            return eddy_fail(error, EDDY_E_DAMAGED,
                             "frame %u: expected it to come back from sealing with the hash %016llx, found %016llx",
                             run->first_frame + t, (unsigned long long)all->gathered.hashes[t],
                             (unsigned long long)sums[t]);
        }
    }
    return EDDY_OK;
}

static eddy_result verify(const packing *all, sealed_bytes sealed, eddy_error *error) {
    const eddy_hooks *hooks = &all->desc->hooks;
    opened_run *opened;
    eddy_result result = sealed_open(all->desc->schema, sealed, hooks, &opened, error);
    if (result != EDDY_OK) {
        return result;
    }
    size_t largest = 0, sum_bytes = all->desc->source.frame_count * sizeof(uint64_t);
    for (uint32_t i = 0; i < all->desc->schema->type_count; i++) {
        size_t size = all->desc->schema->types[i].size;
        largest = size > largest ? size : largest;
    }
    uint8_t *memory = memory_reserve(hooks, sum_bytes + largest);
    result = memory ? check_frames(all, &opened->run, (uint64_t *)(void *)memory, memory + sum_bytes, error)
                    : fail_memory(all->desc, error);
    memory_release(hooks, memory, sum_bytes + largest);
    opened_close(opened);
    return result;
}

/* ---- from outside ---- */

static void begin(packing *all, const seal_desc *desc) {
    bytes_writer empty = {.hooks = &desc->hooks};
    *all = (packing){.desc = desc, .blocks = empty, .block_sizes = empty, .entries = empty};
    all->core.bytes = all->core.cuts = all->section.bytes = all->section.cuts = empty;
}

/* What packing needs but checking does not: both at once would take half as much memory again. */
static void end_packing(packing *all) {
    const eddy_hooks *hooks = &all->desc->hooks;
    bytes_writer *writers[] = {&all->core.bytes, &all->core.cuts,   &all->section.bytes, &all->section.cuts,
                               &all->blocks,     &all->block_sizes, &all->entries};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        bytes_writer_free(writers[i]);
    }
    memory_release(hooks, all->order, all->run.field_count * sizeof *all->order + 1);
    all->order = NULL;
    seal_packer_destroy(all->packer);
    all->packer = NULL;
    seal_desk_end(&all->desk, hooks);
    seal_run_free(&all->run);
}

static bool prepare(packing *all) {
    const eddy_hooks *hooks = &all->desc->hooks;
    all->packer = seal_packer_create(all->desc->level, hooks);
    all->order = memory_reserve(hooks, all->run.field_count * sizeof *all->order + 1);
    return all->packer && all->order && seal_desk_begin(&all->desk, all->run.frame_count, hooks);
}

eddy_result seal_pack(const seal_desc *desc, sealed_bytes *out, eddy_error *error) {
    uint32_t frames = desc->source.frame_count;
    *out = (sealed_bytes){0};
    if (frames == 0 || frames > SEAL_FRAMES_MAX) {
        return eddy_fail(error, EDDY_E_LIMIT, "expected a run of 1 to %u frames, found %u", SEAL_FRAMES_MAX, frames);
    }
    packing all;
    begin(&all, desc);
    eddy_result result = seal_run_begin(&all.run, desc->schema, &desc->hooks)
                             ? seal_gather(desc, &all.run, &all.gathered, error)
                             : fail_memory(desc, error);
    if (result == EDDY_OK && !(prepare(&all) && pack_run(&all, out))) {
        result = fail_memory(desc, error);
    }
    end_packing(&all);
    if (result == EDDY_OK) {
        result = verify(&all, *out, error);
    }
    if (result != EDDY_OK) {
        memory_release(&desc->hooks, out->bytes, out->size);
        *out = (sealed_bytes){0};
    }
    seal_gathered_free(&all.gathered, desc);
    return result;
}
