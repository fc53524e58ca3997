/* SPDX-License-Identifier: Apache-2.0 */
/* Page list of a node and their batches; see lru.h. */
#include "bench/lru.h"

#include "core/errno.h"
#include "core/slab.h"
#include "core/topology.h"

LOCK_CLASS(lruvec_class, "lruvec (page release)");

int lru_create(struct lru *lru)
{
    lru->nr_nodes = nr_nodes;
    lru->vecs = kzalloc(nr_nodes * sizeof(*lru->vecs));
    if (!lru->vecs)
        return -CS_ENOMEM;
    for (uint32_t node = 0; node < nr_nodes; node++) {
        struct lruvec *vec = &lru->vecs[node];

        spin_lock_init(&vec->lock, &lruvec_class);
        list_init(&vec->pages);
    }
    return 0;
}

uint64_t lru_destroy(struct lru *lru)
{
    uint64_t left = 0;

    for (uint32_t node = 0; lru->vecs && node < lru->nr_nodes; node++)
        left += lru->vecs[node].nr;
    kfree(lru->vecs);
    lru->vecs = NULL;
    return left;
}

uint64_t lru_holds(const struct lru *lru)
{
    uint64_t holds = 0;

    for (uint32_t node = 0; node < lru->nr_nodes; node++)
        holds += lru->vecs[node].holds;
    return holds;
}

/* The lock that is held while a run of pages is gone through: that of the last page's node, kept
 * for at most LRU_HOLD_PAGES pages. */
struct lru_hold {
    struct lruvec *vec; /* NULL: nothing held */
    unsigned long irqs;
    unsigned pages;
};

static void hold_end(struct lru_hold *hold)
{
    if (!hold->vec)
        return;
    spin_unlock_irqrestore(&hold->vec->lock, hold->irqs);
    hold->vec = NULL;
}

static struct lruvec *hold_for(struct lru_hold *hold, struct lru *lru, const struct page *page)
{
    struct lruvec *vec = &lru->vecs[page->node];

    if (hold->vec == vec)
        return vec;
    hold_end(hold);
    hold->irqs = spin_lock_irqsave(&vec->lock);
    hold->vec = vec;
    hold->pages = 0;
    vec->holds++;
    return vec;
}

static void vec_add(struct lruvec *vec, struct page *page)
{
    page->private[0] |= PAGE_LRU;
    list_add(&vec->pages, &page->link);
    vec->nr++;
}

static void vec_del(struct lruvec *vec, struct page *page)
{
    list_del(&page->link);
    page->private[0] &= ~(uint64_t)PAGE_LRU;
    vec->nr--;
}

void lru_add(struct lru *lru, struct lru_batch *batch, struct page *page)
{
    page_get(page);
    batch->pages[batch->nr++] = page;
    if (batch->nr == LRU_BATCH_PAGES)
        lru_drain(lru, batch);
}

uint64_t lru_drain(struct lru *lru, struct lru_batch *batch)
{
    struct lru_hold hold = {0};
    unsigned nr = batch->nr;

    if (!nr)
        return 0;
    for (unsigned i = 0; i < nr; i++)
        vec_add(hold_for(&hold, lru, batch->pages[i]), batch->pages[i]);
    hold_end(&hold);
    batch->nr = 0;
    return lru_release(lru, batch->pages, nr);
}

uint64_t lru_release(struct lru *lru, struct page **pages, unsigned count)
{
    struct lru_hold hold = {0};
    unsigned freed = 0;

    for (unsigned i = 0; i < count; i++) {
        struct page *page = pages[i];

        if (hold.vec && ++hold.pages == LRU_HOLD_PAGES)
            hold_end(&hold);
        if (!page_put(page))
            continue;
        if (page->private[0] & PAGE_LRU)
            vec_del(hold_for(&hold, lru, page), page);
        pages[freed++] = page;
    }
    hold_end(&hold);
    for (unsigned i = 0; i < freed; i++)
        page_free(pages[i], 0);
    return freed;
}
