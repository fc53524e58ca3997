/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory behind the per-CPU units: the first pages at boot, and the hooks of the area allocator.
 *
 *     percpu_pages[offset / page] --> page of CPU 0 --> page of CPU 1 --> …   (page.link.next)
 *
 * B1. For each populated page of a unit the table has the chain of the CPUs' pages, so that they
 *     are found again without asking the page tables. The caller of the hooks (percpu_area_pages.c)
 *     serialises them.
 * B2. A CPU's copies lie on its node, as far as the node has memory.
 */
#include "core/percpu_boot.h"

#include <arch/mmu.h>
#include <arch/smp.h>

#include "core/errno.h"
#include "core/pages.h"
#include "core/panic.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/slab.h"
#include "core/string.h"
#include "core/topology.h"

#define PERCPU_PAGES_MAX (PERCPU_STRIDE_BYTES / ARCH_PAGE_BYTES)

/* Chains of the populated pages, by offset (B1). */
static struct page **percpu_pages;

static uintptr_t unit_address(uint32_t cpu, percpu_area_t offset)
{
    return percpu_base(cpu) + offset;
}

static void page_put_back(percpu_area_t offset, uint32_t cpus)
{
    struct page **chain = &percpu_pages[offset / ARCH_PAGE_BYTES], *page;

    arch_unmap_each(unit_address(0, offset), ARCH_PAGE_BYTES, PERCPU_STRIDE_BYTES, cpus);
    while (cpus-- > 0) {
        page = *chain;
        *chain = (struct page *)page->link.next;
        page_free(page, 0);
    }
}

/* One page of every CPU's unit. */
static int page_bring(percpu_area_t offset)
{
    struct page **chain = &percpu_pages[offset / ARCH_PAGE_BYTES], *page;

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        page = page_alloc_node(0, PAGE_ZERO, cpu_to_node(cpu));
        if (page && arch_map(unit_address(cpu, offset), page_to_pfn(page) << ARCH_PAGE_SHIFT,
                             ARCH_PAGE_BYTES, ARCH_MAP_RW)) {
            page_free(page, 0);
            page = NULL;
        }
        if (!page) {
            page_put_back(offset, cpu);
            return -CS_ENOMEM;
        }
        page->link.next = (struct list *)*chain;
        *chain = page;
    }
    return 0;
}

int percpu_hook_populate(percpu_area_t offset, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += ARCH_PAGE_BYTES) {
        if (page_bring(offset + done) == 0)
            continue;
        percpu_hook_depopulate(offset, done);
        return -CS_ENOMEM;
    }
    return 0;
}

void percpu_hook_depopulate(percpu_area_t offset, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += ARCH_PAGE_BYTES)
        page_put_back(offset + done, nr_cpus);
}

/* --- metadata: whole pages past the slab, so that the allocator can start before it --- */

static unsigned order_of(size_t bytes)
{
    unsigned order = 0;

    while ((size_t)ARCH_PAGE_BYTES << order < bytes)
        order++;
    return order;
}

void *percpu_hook_alloc(size_t bytes)
{
    struct page *page;

    if (bytes < ARCH_PAGE_BYTES && slab_is_ready())
        return kzalloc(bytes);
    page = page_alloc(order_of(bytes), PAGE_ZERO);
    return page ? page_to_virt(page) : NULL;
}

void percpu_hook_free(void *object, size_t bytes)
{
    if (bytes < ARCH_PAGE_BYTES)
        kfree(object);
    else
        page_free(virt_to_page(object), order_of(bytes));
}

/* --- boot --- */

/* Head and static variables: the bytes of chunk 0 that areas must leave alone. */
static size_t used_bytes(void)
{
    return MAX(PERCPU_STATIC_OFFSET + percpu_static_bytes(), (size_t)PERCPU_HEAD_BYTES);
}

static void unit_fill(uint32_t cpu)
{
    struct percpu_head *head = (struct percpu_head *)percpu_base(cpu);

    memcpy((char *)percpu_base(cpu) + PERCPU_STATIC_OFFSET, percpu_image_start,
           percpu_static_bytes());
    head->base = percpu_base(cpu);
    head->cpu_id = cpu;
    head->hw_id = (uint32_t)cpu_get(cpu)->hw_id;
}

void percpu_boot_init(void)
{
    size_t bytes = ALIGN_UP(used_bytes(), (size_t)ARCH_PAGE_BYTES);

    percpu_pages = percpu_hook_alloc(PERCPU_PAGES_MAX * sizeof(*percpu_pages));
    if (!percpu_pages || percpu_hook_populate(0, bytes))
        panic("no memory for %zu static bytes on each of %u CPUs", bytes, nr_cpus);
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        unit_fill(cpu);
    arch_cpu_bind_boot(0);
    percpu_area_init(nr_cpus, used_bytes());
}
