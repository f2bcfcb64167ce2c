/* Random numbers by counter: the n-th is a hash of (seed, n), so the only state is n. Private to world/. */
#ifndef EDDY_WORLD_RANDOM_H
#define EDDY_WORLD_RANDOM_H

#include <stdint.h>

/** 32 well mixed bits of two. */
static inline uint32_t random_hash(uint32_t seed, uint32_t counter) {
    uint32_t h = seed * 0x9e3779b1u + counter * 0x85ebca77u + 0x27d4eb2fu;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    return h ^ h >> 15;
}

/** 0 <= r < 1 from the upper 24 bits, exact in a float. */
static inline float random_unit(uint32_t bits) {
    return (float)(bits >> 8) * 0x1p-24f;
}

#endif
