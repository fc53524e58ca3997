/* SPDX-License-Identifier: Apache-2.0 */
/* The bits of a page table's entry; Intel SDM vol. 3, 4.5. For arch/bare/paging.c and mmu.c. */
#ifndef PORT_PTE_H
#define PORT_PTE_H

#include <stdbool.h>
#include <stdint.h>

#define PTE_PRESENT (1ull << 0)
#define PTE_WRITE (1ull << 1)
#define PTE_USER (1ull << 2)
#define PTE_PWT (1ull << 3)
#define PTE_PCD (1ull << 4)
#define PTE_ACCESSED (1ull << 5)
#define PTE_DIRTY (1ull << 6)
#define PTE_LARGE (1ull << 7)
#define PTE_NX (1ull << 63)
#define PTE_ADDRESS 0x000ffffffffff000ull

static inline bool pte_is_present(uint64_t entry)
{
    return entry & PTE_PRESENT;
}

/* Of one that is present, above the last level. */
static inline bool pte_is_table(uint64_t entry)
{
    return !(entry & PTE_LARGE);
}

/* Accessed and dirty are set at once, so that the CPU writes nothing into tables while something is
 * measured. */
static inline uint64_t pte_leaf(unsigned level)
{
    return PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY | (level > 1 ? PTE_LARGE : 0);
}

/* Of leaves. */
static inline bool pte_is_writable(uint64_t entry)
{
    return entry & PTE_WRITE;
}

static inline bool pte_is_executable(uint64_t entry)
{
    return !(entry & PTE_NX);
}

static inline bool pte_is_for_users(uint64_t entry)
{
    return entry & PTE_USER;
}

static inline void pte_set(uint64_t *entry, uint64_t value)
{
    *(volatile uint64_t *)entry = value;
}

/* Stores are seen in order, by walkers too: the page's zeroes before it. */
static inline void pte_set_table(uint64_t *entry, uint64_t page)
{
    pte_set(entry, page | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED);
}

static inline void pte_written(void)
{
}

#endif
