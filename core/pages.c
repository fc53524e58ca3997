/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page allocator: what callers see, and the per-CPU lists in front of the zones.
 *
 *   page_alloc(0) --> this CPU's list --(empty: PAGE_BATCH under one hold)--> zone of its node
 *
 * P1. A list holds pages of its CPU's own node only; pages of other nodes go back to their zone.
 * P2. A page in a list has PAGE_FREE_PCP and is linked by link.next alone, last freed first.
 * P3. A list is touched by its own CPU alone, interrupts masked.
 *
 * Zones of other nodes are asked in the order of their numbers when a node is empty.
 */
#include "core/log.h"
#include "core/memory_bug.h"
#include "core/pages_internal.h"
#include "core/panic.h"
#include "core/percpu.h"
#include "core/selftest.h"
#include "core/topology.h"

#define HUGE_ORDER 9u
#define HUGE_BATCH 2u

struct page_list {
    struct page *head;
    uint32_t count;
    uint32_t batch, max; /* 0 until pages_init_percpu() */
};

struct page_cpu {
    struct page_list small, huge;
    uint32_t node;
} cacheline_aligned;

static PERCPU_STATIC struct page_cpu page_cpu_percpu;
static bool page_lists_ready; /* set once, before the other CPUs start */

/* --- per-CPU lists; interrupts are masked --- */

static inline void list_push(struct page_list *list, struct page *page)
{
    page_set_flags(page, PAGE_FREE_PCP);
    page->link.next = (struct list *)list->head;
    list->head = page;
    list->count++;
}

static inline struct page *list_pop(struct page_list *list)
{
    struct page *page = list->head;

    list->head = (struct page *)page->link.next;
    list->count--;
    return page;
}

static noinline void list_refill(struct page_list *list, uint32_t node, unsigned order)
{
    struct page_zone *zone = &page_zones[node];
    struct page *page;

    page_zone_lock(zone);
    while (list->count < list->batch && (page = page_zone_take(zone, order)))
        list_push(list, page);
    page_zone_unlock(zone);
}

static noinline void list_spill(struct page_list *list, uint32_t node, unsigned order,
                                uint32_t count)
{
    struct page_zone *zone = &page_zones[node];

    page_zone_lock(zone);
    while (count-- > 0)
        page_zone_give(zone, list_pop(list), order);
    page_zone_unlock(zone);
}

static struct page_list *list_for(struct page_cpu *cpu, unsigned order)
{
    if (order == 0)
        return &cpu->small;
    return order == HUGE_ORDER ? &cpu->huge : NULL;
}

/* --- taking --- */

static struct page *zone_alloc(uint32_t node, unsigned order)
{
    struct page_zone *zone = &page_zones[node];
    struct page *page;

    page_zone_lock(zone);
    page = page_zone_take(zone, order);
    page_zone_unlock(zone);
    return page;
}

/* The node asked for, then all others. */
static noinline struct page *alloc_any_zone(uint32_t node, unsigned order)
{
    struct page *page = NULL;

    for (uint32_t i = 0; i < nr_nodes && !page; i++)
        page = zone_alloc((node + i) % nr_nodes, order);
    return page;
}

static struct page *alloc_from_list(unsigned order)
{
    struct page_cpu *cpu = this_cpu_ptr(page_cpu_percpu);
    struct page_list *list = list_for(cpu, order);

    if (!list)
        return NULL;
    if (!list->head)
        list_refill(list, cpu->node, order);
    return list->head ? list_pop(list) : NULL;
}

static noinline void clear_block(struct page *page, unsigned order)
{
    for (uint64_t i = 0; i < 1ull << order; i++)
        page_clear(page_to_virt(page + i));
}

static always_inline void page_hand_out(struct page *page)
{
    page_set_flags(page, 0);
    atomic_store_explicit(&page->refcount, 1, memory_order_relaxed);
}

/* Everything but the pair that is measured. */
static noinline struct page *alloc_slow(unsigned order, unsigned flags, uint32_t node)
{
    struct page *page = NULL;
    unsigned long state;

    if (fail_injection_hit() || order > PAGE_MAX_ORDER)
        return NULL;
    state = irq_save();
    if (page_lists_ready && node == this_cpu_ptr(page_cpu_percpu)->node)
        page = alloc_from_list(order);
    if (!page)
        page = alloc_any_zone(node, order);
    irq_restore(state);
    if (!page)
        return NULL;
    page_hand_out(page);
    if (flags & PAGE_ZERO)
        clear_block(page, order);
    return page;
}

static noinline struct page *alloc_slow_here(unsigned order, unsigned flags)
{
    return alloc_slow(order, flags, page_lists_ready ? this_cpu_ptr(page_cpu_percpu)->node : 0);
}

struct page *page_alloc(unsigned order, unsigned flags)
{
    struct page_list *list;
    struct page *page;
    unsigned long state;

    if (unlikely(order | flags | fail_injection_armed | !page_lists_ready))
        return alloc_slow_here(order, flags);
    state = irq_save();
    list = &this_cpu_ptr(page_cpu_percpu)->small;
    page = list->head;
    if (unlikely(!page)) {
        irq_restore(state);
        return alloc_slow_here(order, flags);
    }
    list->head = (struct page *)page->link.next;
    list->count--;
    irq_restore(state);
    page_hand_out(page);
    return page;
}

struct page *page_alloc_node(unsigned order, unsigned flags, uint32_t node)
{
    return alloc_slow(order, flags, node);
}

/* --- giving back --- */

/* A page that is free already, or never was the allocator's, is refused. */
static noinline void refuse(const struct page *page)
{
    bool reserved = page_flags(page) & PAGE_RESERVED;
    const char *what = reserved ? "free of a reserved page" : "double free of a page";

    memory_bug("page allocator", what, page_to_pfn(page) << ARCH_PAGE_SHIFT);
}

static void zone_free(struct page *page, unsigned order)
{
    struct page_zone *zone = &page_zones[page->node];

    page_zone_lock(zone);
    page_zone_give(zone, page, order);
    page_zone_unlock(zone);
}

static noinline void free_slow(struct page *page, unsigned order)
{
    unsigned long state;
    struct page_cpu *cpu;
    struct page_list *list = NULL;

    if (page_flags(page) & PAGE_NOT_HELD) {
        refuse(page);
        return;
    }
    state = irq_save();
    if (page_lists_ready) {
        cpu = this_cpu_ptr(page_cpu_percpu);
        list = page->node == cpu->node ? list_for(cpu, order) : NULL;
        if (list && list->count >= list->max)
            list_spill(list, cpu->node, order, list->batch);
    }
    if (list)
        list_push(list, page);
    else
        zone_free(page, order);
    irq_restore(state);
}

void page_free(struct page *page, unsigned order)
{
    unsigned long state;
    struct page_cpu *cpu;

    if (unlikely(order | !page_lists_ready | (page_flags(page) & PAGE_NOT_HELD))) {
        free_slow(page, order);
        return;
    }
    state = irq_save();
    cpu = this_cpu_ptr(page_cpu_percpu);
    if (unlikely((page->node != cpu->node) | (cpu->small.count >= cpu->small.max))) {
        irq_restore(state);
        free_slow(page, order);
        return;
    }
    list_push(&cpu->small, page);
    irq_restore(state);
}

void page_free_many(struct page **pages, unsigned count)
{
    unsigned long state = irq_save();
    struct page_zone *zone = NULL;

    for (unsigned i = 0; i < count; i++) {
        bool bad = page_flags(pages[i]) & PAGE_NOT_HELD;
        struct page_zone *own = bad ? NULL : &page_zones[pages[i]->node];

        if (own != zone) {
            if (zone)
                page_zone_unlock(zone);
            zone = own;
            if (zone)
                page_zone_lock(zone);
        }
        if (likely(zone))
            page_zone_give(zone, pages[i], 0);
        else
            refuse(pages[i]);
    }
    if (zone)
        page_zone_unlock(zone);
    irq_restore(state);
}

uint64_t pages_drain_cpu(void)
{
    unsigned long state = irq_save();
    struct page_cpu *cpu = this_cpu_ptr(page_cpu_percpu);
    uint64_t pages = cpu->small.count + ((uint64_t)cpu->huge.count << HUGE_ORDER);

    if (cpu->small.count)
        list_spill(&cpu->small, cpu->node, 0, cpu->small.count);
    if (cpu->huge.count)
        list_spill(&cpu->huge, cpu->node, HUGE_ORDER, cpu->huge.count);
    irq_restore(state);
    return pages;
}

/* --- start-up and statistics --- */

void pages_init_percpu(void)
{
    for (uint32_t id = 0; id < nr_cpus; id++) {
        struct page_cpu *cpu = per_cpu_ptr(page_cpu_percpu, id);

        cpu->small = (struct page_list){.batch = PAGE_BATCH, .max = 4 * PAGE_BATCH};
        cpu->huge = (struct page_list){.batch = HUGE_BATCH, .max = 4 * HUGE_BATCH};
        cpu->node = cpu_to_node(id);
    }
    page_lists_ready = true;
}

void pages_stats(struct pages_stats *out)
{
    *out = (struct pages_stats){0};
    for (uint32_t node = 0; node < nr_nodes; node++) {
        struct page_zone *zone = &page_zones[node];
        unsigned long state = spin_lock_irqsave(&zone->lock);

        out->total_pages += zone->total_pages;
        out->free_pages += zone->free_pages;
        out->zone_lock_holds += zone->lock_holds;
        spin_unlock_irqrestore(&zone->lock, state);
    }
    for (uint32_t id = 0; page_lists_ready && id < nr_cpus; id++) {
        const struct page_cpu *cpu = per_cpu_ptr(page_cpu_percpu, id);

        out->pcp_pages += cpu->small.count + ((uint64_t)cpu->huge.count << HUGE_ORDER);
    }
}

uint64_t pages_free_blocks(unsigned order)
{
    uint64_t blocks = 0;

    for (uint32_t node = 0; node < nr_nodes; node++) {
        struct page_zone *zone = &page_zones[node];
        unsigned long state = spin_lock_irqsave(&zone->lock);

        for (struct list *l = zone->free[order].next; l != &zone->free[order]; l = l->next)
            blocks++;
        spin_unlock_irqrestore(&zone->lock, state);
    }
    return blocks;
}

void pages_report(void)
{
    struct pages_stats s;

    pages_stats(&s);
    log_line("pages: %llu of %llu free, %llu in per-CPU lists, %llu zone lock holds",
             (unsigned long long)s.free_pages, (unsigned long long)s.total_pages,
             (unsigned long long)s.pcp_pages, (unsigned long long)s.zone_lock_holds);
}

struct spinlock *pages_zone_lock(uint32_t node)
{
    return &page_zones[node].lock;
}
