/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation and counting of CPU sets. */
#include "core/cpumask.h"

#include "core/errno.h"
#include "core/slab.h"
#include "core/topology.h"

int cpumask_alloc(struct cpumask *mask)
{
    mask->nr_words = (nr_cpus + 63) / 64;
    mask->words = kzalloc(mask->nr_words * sizeof(uint64_t));
    return mask->words ? 0 : -CS_ENOMEM;
}

void cpumask_free(struct cpumask *mask)
{
    kfree(mask->words);
    mask->words = NULL;
}

uint32_t cpumask_count(const struct cpumask *mask)
{
    uint32_t count = 0;

    for (uint32_t w = 0; w < mask->nr_words; w++)
        for (uint64_t bits = mask->words[w]; bits; bits &= bits - 1)
            count++;
    return count;
}
