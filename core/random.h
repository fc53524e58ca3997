/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded pseudo-random numbers: splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom
 * number generators", 2014). Deterministic from a printed seed; not for secrets. */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline void random_seed(struct random *r, uint64_t seed)
{
    r->state = seed;
}

static inline uint64_t random_next(struct random *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15ull);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Uniform in [0, limit); limit > 0. The bias of the multiply-shift is below limit / 2^32. */
static inline uint32_t random_below(struct random *r, uint32_t limit)
{
    return (uint32_t)(((random_next(r) >> 32) * limit) >> 32);
}

#endif
