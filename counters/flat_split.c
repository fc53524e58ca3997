/* SPDX-License-Identifier: Apache-2.0 */
/* Life of flat counters in two parts; see counters/flat_split.h. */
#include "counters/flat_split.h"

#include "core/errno.h"
#include "core/init.h"
#include "core/slab.h"

struct flat_split_range flat_split_range = {FLAT_BATCH_MIN - 1, 2 * FLAT_BATCH_MIN - 1};

static void flat_split_range_init(void)
{
    flat_split_range.half = (uint64_t)flat_batch - 1;
    flat_split_range.width = 2 * flat_split_range.half + 1;
}
INIT_FN(flat_split_range_init, INIT_LATE, 11); /* after flat_batch */

/* At least a line, so that kmalloc() aligns to it and no reader's line is among them. */
static struct flat_counter *folds_alloc(unsigned nr)
{
    return kmalloc(MAX(nr * sizeof(struct flat_counter), (size_t)CACHE_LINE_BYTES));
}

int flat_split_init_many(struct flat_split *counters, int64_t amount, unsigned nr)
{
    struct flat_counter *folds = folds_alloc(nr);

    counters[0].area = 0;
    if (!folds)
        return -CS_ENOMEM;
    if (flat_init_many(folds, amount, nr)) {
        kfree(folds);
        return -CS_ENOMEM;
    }
    for (unsigned i = 0; i < nr; i++)
        counters[i] = (struct flat_split){.area = folds[i].area, .folds = &folds[i]};
    return 0;
}

void flat_split_destroy_many(struct flat_split *counters, unsigned nr)
{
    if (!counters[0].area)
        return;
    flat_destroy_many(counters[0].folds, nr);
    kfree(counters[0].folds);
    for (unsigned i = 0; i < nr; i++)
        counters[i].area = 0;
}
