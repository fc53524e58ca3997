/* SPDX-License-Identifier: Apache-2.0 */
/* Between the memory map and the memory that boot hands out of it (core/memory_map.h has what the
 * rest of the kernel calls). */
#ifndef CORE_BOOTMEM_H
#define CORE_BOOTMEM_H

#include "core/compiler.h"

struct memory_range {
    uint64_t base, bytes;
};

#define BOOTMEM_LOW_END (1ull << 20)   /* real-mode code runs below */
#define BOOTMEM_SPARE_RANGES 64u       /* free ranges that taking may add */

/* `free_ranges` is storage for `capacity` ranges; it starts as a copy of the usable ones. */
void bootmem_init(const struct memory_range *usable, uint32_t nr_usable,
                  struct memory_range *free_ranges, uint32_t capacity);
/* Takes out what the caller has already in use. */
void bootmem_exclude(uint64_t base, uint64_t bytes);
/* Sets the page for hook_low_page() aside, while low memory is still there. */
void bootmem_keep_low_page(void);

#endif
