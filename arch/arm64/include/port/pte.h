/* SPDX-License-Identifier: Apache-2.0 */
/* The bits of a translation table's entry; Arm ARM DDI 0487, chapter D8. For arch/bare/paging.c,
 * mmu.c and early_tables.c. */
#ifndef PORT_PTE_H
#define PORT_PTE_H

#include <stdbool.h>
#include <stdint.h>

#define PTE_VALID (1ull << 0)
#define PTE_TABLE (1ull << 1) /* a table above the last level, a page at the last */
#define PTE_ATTR(index) ((uint64_t)(index) << 2)
#define PTE_READ_ONLY (1ull << 7) /* AP[2] */
#define PTE_INNER (3ull << 8)     /* inner shareable */
#define PTE_AF (1ull << 10)
#define PTE_PXN (1ull << 53)
#define PTE_UXN (1ull << 54)
#define PTE_ADDRESS 0x0000fffffffff000ull

/* Indices into MAIR_VALUE (early.inc). */
enum pte_attr { ATTR_NORMAL, ATTR_DEVICE, ATTR_COMBINE, ATTR_DEVICE_STRICT };

static inline bool pte_is_present(uint64_t entry)
{
    return entry & PTE_VALID;
}

/* Of one that is valid, above the last level. */
static inline bool pte_is_table(uint64_t entry)
{
    return entry & PTE_TABLE;
}

/* Pages and blocks, none of them for user code. */
static inline uint64_t pte_leaf(unsigned level)
{
    return PTE_VALID | (level == 1 ? PTE_TABLE : 0) | PTE_AF | PTE_UXN;
}

/* Of leaves. */
static inline bool pte_is_writable(uint64_t entry)
{
    return !(entry & PTE_READ_ONLY);
}

static inline bool pte_is_executable(uint64_t entry)
{
    return !(entry & PTE_PXN);
}

static inline bool pte_is_for_users(uint64_t entry)
{
    return !(entry & PTE_UXN);
}

static inline void pte_set(uint64_t *entry, uint64_t value)
{
    *(volatile uint64_t *)entry = value;
}

/* The page's zeroes are seen by every walker before it is. */
static inline void pte_set_table(uint64_t *entry, uint64_t page)
{
    __asm__ volatile("dmb ishst" : : : "memory");
    pte_set(entry, page | PTE_VALID | PTE_TABLE);
}

/* Walks of any CPU find the entries before what follows (D8.13). */
static inline void pte_written(void)
{
    __asm__ volatile("dsb ishst\n\tisb" : : : "memory");
}

#endif
