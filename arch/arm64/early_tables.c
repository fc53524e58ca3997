/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page tables until arch_mmu_init(): one root for both halves of the address space.
 *
 *   slot of the root     low half (TTBR0)      high half (TTBR1)
 *   0 … 255              memory, one to one    memory, at the direct map
 *   511                  -                     the kernel image
 *
 * Everything is readable, writable and executable by the kernel here, and normal memory: only what
 * is known to be memory may be mapped.
 *
 * I1. Tables are reached by their physical addresses, which are mapped one to one as soon as
 *     translation is on: the same code works before and after.
 * I2. early_tables_build() writes with the caches off, so it drops what caches may hold of these
 *     lines before, lest it be written back over them, and after, lest a walk find it.
 * I3. A table is not zero from the start: it is cleared when it is taken.
 */
#include <arch/hooks.h>
#include <arch/mmu.h>
#include <port/pte.h>

#include "arch/arm64/arm64.h"
#include "arch/arm64/early.inc"
#include "arch/bare/paging.h"
#include "boot/early.h"

#define EARLY_LINE_BYTES                                                                           \
    16u /* the smallest line that there can be: clearing more often is harmless */
#define BLOCK_LEVEL_MAX 3u

struct early_tables {
    uint64_t table[EARLY_TABLES][TABLE_ENTRIES];
    uint64_t used; /* table[0] is the root */
};

void early_tables_build(struct early_tables *t, uint64_t image_phys, uint64_t image_end_phys);
_Noreturn void early_main(uint64_t info_phys,
                          const struct boot_handoff *(*converter)(uint64_t info_phys),
                          struct early_tables *t);

extern char early_tables[]; /* at its linked address */

uint64_t arm64_image_offset;
const struct boot_handoff *arm64_handoff;
static struct early_tables *early_tables_now;

static uint64_t *early_take(struct early_tables *t)
{
    uint64_t *table;

    if (t->used == EARLY_TABLES)
        return NULL;
    table = t->table[t->used++];
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        ((volatile uint64_t *)table)[i] = 0;
    return table;
}

/* Maps one block, the largest that fits, and returns its size; 0 when the tables are full. A place
 * that is mapped already is passed over. */
static uint64_t early_map_one(struct early_tables *t, uint64_t va, uint64_t phys, uint64_t bytes,
                              uint64_t attr)
{
    uint64_t *table = t->table[0];

    for (unsigned level = PAGING_LEVELS;; level--) {
        uint64_t size = paging_level_bytes(level);
        uint64_t *entry = &table[paging_index(va, level)];

        if (level <= BLOCK_LEVEL_MAX && !(*entry & PTE_VALID) && !((va | phys) % size) &&
            bytes >= size) {
            *entry = phys | PTE_INNER | attr | pte_leaf(level);
            return size;
        }
        if (!(*entry & PTE_VALID)) {
            table = early_take(t);
            if (!table)
                return 0;
            *entry = (uint64_t)table | PTE_VALID | PTE_TABLE; /* I1 */
        } else if (level == 1 || !(*entry & PTE_TABLE)) {
            return size - va % size;
        } else {
            table = (uint64_t *)(*entry & PTE_ADDRESS);
        }
    }
}

static bool early_map_at(struct early_tables *t, uint64_t va, uint64_t phys, uint64_t bytes,
                         uint64_t attr)
{
    uint64_t done = 0;

    while (done < bytes) {
        uint64_t size = early_map_one(t, va + done, phys + done, bytes - done, attr);

        if (!size)
            return false;
        done += size;
    }
    return true;
}

static void early_drop_lines(struct early_tables *t)
{
    for (uintptr_t at = (uintptr_t)t; at < (uintptr_t)(t + 1); at += EARLY_LINE_BYTES)
        __asm__ volatile("dc ivac, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb sy" : : : "memory");
}

/* Runs with the MMU off, at its physical address; see early_entry.S. The image's few tables fit. */
void early_tables_build(struct early_tables *t, uint64_t image_phys, uint64_t image_end_phys)
{
    uint64_t bytes = image_end_phys - image_phys;

    early_drop_lines(t);
    t->used = 0;
    (void)early_take(t);
    (void)early_map_at(t, image_phys, image_phys, bytes, PTE_ATTR(ATTR_NORMAL));
    (void)early_map_at(t, KERNEL_VIRT_OFFSET + KERNEL_PHYS, image_phys, bytes,
                       PTE_ATTR(ATTR_NORMAL));
    early_drop_lines(t);
}

bool early_map(uint64_t phys, uint64_t bytes)
{
    uint64_t first = phys & ~(uint64_t)(ARCH_PAGE_BYTES - 1);
    uint64_t last = phys + bytes + ARCH_PAGE_BYTES - 1;
    bool done;

    last &= ~(uint64_t)(ARCH_PAGE_BYTES - 1);
    if (last < first || last > DIRECT_MAP_END - DIRECT_MAP_BASE)
        return false;
    done = early_map_at(early_tables_now, first, first, last - first, PTE_ATTR(ATTR_NORMAL));
    /* The walker sees the new entries before anything that follows uses them. */
    __asm__ volatile("dsb ishst\n\tisb" : : : "memory");
    return done;
}

uint64_t early_phys(const void *in_image)
{
    return arm64_image_phys(in_image);
}

void early_map_console(uint64_t phys)
{
    uint64_t page = phys & ~(uint64_t)(ARCH_PAGE_BYTES - 1);

    (void)early_map_at(early_tables_now, page, page, ARCH_PAGE_BYTES, PTE_ATTR(ATTR_DEVICE));
    __asm__ volatile("dsb ishst\n\tisb" : : : "memory");
}

_Noreturn void early_main(uint64_t info_phys,
                          const struct boot_handoff *(*converter)(uint64_t info_phys),
                          struct early_tables *t)
{
    early_tables_now = t;
    arm64_image_offset = (uintptr_t)early_tables - (uintptr_t)t;
    arm64_handoff = converter(info_phys);
    kernel_main(arm64_handoff);
}
