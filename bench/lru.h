/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page list of a node under its lock ("lruvec"), and the batches in front of them and
 * behind them: what an exiting process and a faulting one meet in when they share nothing else.
 *
 *   fault:  page -> this CPU's batch of 15 -> (full, or drained at exit) lock, 15 x list_add
 *   exit:   pages -> drop a reference each -> those that reach 0: lock, list_del -> page_free
 *
 * Structure and sizes are the published ones (Linux 6.5, August 2023, the base of facts F1):
 *   - PAGEVEC_SIZE is 15 (31 since 6.9): pages wait in a CPU's batch, which holds a reference.
 *   - release_pages keeps the lock over neighbouring pages of one node and gives it up after
 *     SWAP_CLUSTER_MAX = 32 of them; pages that live on (file pages) take no lock, but are counted
 *     and walked inside the hold when it is taken already.
 *   - Freed pages go to the CPU's page list (free_unref_page_list), outside the lruvec lock; the
 *     zone lock is taken once for PAGE_BATCH pages when that list spills.
 *   - The size of the list is counted under the lock.
 * Left out: memory cgroups (one group: one lruvec a node), aging and reclaim, page-flag atomics,
 * the lists of file pages (an exec neither adds nor removes one: its program is in the page cache).
 *
 * I1. A page is listed exactly while PAGE_LRU is in its state; both change under its node's lock.
 * I2. A page whose last reference is dropped is in no batch, since a batch holds a reference.
 * I3. nr is the number of pages on the list.
 * Lock order: nothing is taken under an lruvec's lock.
 * Cost of a hold: the lock's line (the list's head is on it), the line of each page, and those of
 * the outermost neighbours.
 */
#ifndef BENCH_LRU_H
#define BENCH_LRU_H

#include "core/pages.h"
#include "core/spinlock.h"

#define LRU_BATCH_PAGES 15u /* PAGEVEC_SIZE */
#define LRU_HOLD_PAGES 32u  /* SWAP_CLUSTER_MAX */

/* page->private[0] of a page that the model owns. */
enum lru_page_state {
    PAGE_LRU = 1u << 0,  /* on its node's list */
    PAGE_ANON = 1u << 1, /* anonymous memory; else page cache */
};

struct lruvec {
    cacheline_aligned struct spinlock lock;
    struct list pages;
    uint64_t nr;
    uint64_t holds; /* under the lock, for the report */
};
_Static_assert(sizeof(struct lruvec) == CACHE_LINE_BYTES, "lock and head share a line");

struct lru {
    struct lruvec *vecs; /* one a node */
    uint32_t nr_nodes;
};

/* Belongs to one CPU. */
struct lru_batch {
    uint32_t nr;
    struct page *pages[LRU_BATCH_PAGES];
};

/* 0, or -CS_ENOMEM. */
int lru_create(struct lru *lru) must_check;
/* Frees the lists; returns how many pages were still on them (a leak). No other user is left. */
uint64_t lru_destroy(struct lru *lru);

/* Queues a page for the list; the batch takes a reference of its own. */
void lru_add(struct lru *lru, struct lru_batch *batch, struct page *page);
/* Moves what waits in the batch to the lists and drops the batch's references. Returns how many
 * pages were freed by that (none where somebody else still holds them). */
uint64_t lru_drain(struct lru *lru, struct lru_batch *batch);

/* Drops one reference of each of the pages; what reaches 0 leaves the list and is freed. Returns
 * how many. The array is used as scratch. */
uint64_t lru_release(struct lru *lru, struct page **pages, unsigned count);

/* Lock holds so far, all nodes. Exact when nobody is at work. */
uint64_t lru_holds(const struct lru *lru);

static inline void page_get(struct page *page)
{
    /* Relaxed: the caller's own reference, or the page cache's, keeps the page here. */
    atomic_fetch_add_explicit(&page->refcount, 1, memory_order_relaxed);
}

/* True when that was the last reference. Release: what was done to the page through this reference
 * comes before; acquire for the one that frees it. */
static inline bool page_put(struct page *page)
{
    return atomic_fetch_sub_explicit(&page->refcount, 1, memory_order_acq_rel) == 1;
}

#endif
