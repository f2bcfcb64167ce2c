/* Runs a fuzz target without a fuzzer: each file named, cuts of it, and mutations of it that are the same every time.
 * EDDY_LONG: many more of them. */
#include <string.h>

#include "fuzz.h"

#define MUTATIONS 200
#define MUTATIONS_LONG 20000
#define FILE_BYTES_MAX (8u << 20)

static uint64_t random_state;

/** splitmix64 */
static uint64_t next_random(void) {
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** Changes a copy in one to four places: a bit, a byte, a run, a number, a digit. */
static void mutate(uint8_t *data, size_t size) {
    static const uint8_t bytes[] = {0, 1, 0x7f, 0x80, 0xff, '"', '{', '-', '9', '\n'};
    for (uint64_t changes = 1 + next_random() % 4; changes > 0 && size > 0; changes--) {
        const size_t place = next_random() % size;
        const size_t length = 1 + next_random() % 8;
        switch (next_random() % 4) {
        case 0:
            data[place] ^= (uint8_t)(1u << next_random() % 8);
            break;
        case 1:
            data[place] = bytes[next_random() % sizeof bytes];
            break;
        case 2:
            memset(data + place, bytes[next_random() % sizeof bytes], length < size - place ? length : size - place);
            break;
        default:
            memmove(data + place, data + next_random() % size / 2, (size - place) / 2);
            break;
        }
    }
}

static void replay(const uint8_t *seed, size_t size, uint64_t mutations) {
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        abort();
    LLVMFuzzerTestOneInput(seed, size);
    for (uint64_t i = 0; i < mutations; i++) {
        random_state = i;
        memcpy(copy, seed, size);
        const size_t cut = next_random() % 4 == 0 ? next_random() % (size + 1) : size;
        mutate(copy, cut);
        LLVMFuzzerTestOneInput(copy, cut);
    }
    free(copy);
}

int main(int argc, char **argv) {
    static uint8_t seed[FILE_BYTES_MAX];
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 2;
        }
        const size_t size = fread(seed, 1, sizeof seed, file);
        fclose(file);
        replay(seed, size, getenv("EDDY_LONG") ? MUTATIONS_LONG : MUTATIONS);
    }
    return 0;
}
