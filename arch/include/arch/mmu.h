/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: address space. One address space for all CPUs, made once, W^X throughout.
 *
 *   void *phys_to_virt(uint64_t phys);      the direct map of all usable memory; before
 *                                           arch_mmu_init() of what lies below ARCH_EARLY_END
 *   uint64_t virt_to_phys(const void *va);  of an address in the direct map
 *   ARCH_EARLY_END                          usable memory below it is in the direct map before
 *                                           arch_mmu_init() already
 *   ARCH_PAGE_BYTES, ARCH_PAGE_SHIFT        4096, 12 (granule of mapping)
 *   VMEMMAP_BASE                            where core/pages.c has its array of struct page, indexed
 *                                           by page frame number; only parts that describe memory
 *                                           are mapped
 */
#ifndef ARCH_MMU_H
#define ARCH_MMU_H

#include <stddef.h>
#include <stdint.h>

#include <port/mmu.h>

#define ARCH_PAGE_SHIFT 12u
#define ARCH_PAGE_BYTES 4096u

enum arch_map_flags {
    ARCH_MAP_RW = 1u << 0,
    ARCH_MAP_DEVICE = 1u << 1,  /* uncached */
    ARCH_MAP_COMBINE = 1u << 2, /* write combining: framebuffers */
};

/* Builds the kernel's own tables (image with W^X, direct map of [phys ranges] with the largest
 * pages that fit, nothing at address 0) from hook_table_page() and switches to them. Called once by
 * the boot CPU with a callback that yields the usable ranges: fills *base and *bytes for index i
 * and returns 0, or -ENOENT past the end. Ports without an own MMU do nothing. */
void arch_mmu_init(int (*usable_range)(uint32_t i, uint64_t *base, uint64_t *bytes));

/* Maps [va, va+bytes) to [phys, …), all page aligned. 0, -ENOMEM (no table page), -EEXIST. */
int arch_map(uintptr_t va, uint64_t phys, size_t bytes, unsigned flags) __attribute__((warn_unused_result));
/* Takes `count` mappings of `bytes` each back, `stride` bytes apart, on every CPU (the caller is the
 * only one that still uses them). Where CPUs must be asked one by one, it is done once for all. */
void arch_unmap_each(uintptr_t va, size_t bytes, size_t stride, uint32_t count);

static inline void arch_unmap(uintptr_t va, size_t bytes)
{
    arch_unmap_each(va, bytes, 0, 1);
}

/* Where the kernel image lies: physical, page aligned, bss included; *bytes = 0 when it is not in the
 * memory of the map (hosted). Works before arch_mmu_init(). */
void arch_kernel_image(uint64_t *phys, uint64_t *bytes);

/* A window onto device memory, never freed; any alignment. NULL when no room, or where the address is
 * beyond what the processor can reach. */
volatile void *arch_map_device(uint64_t phys, size_t bytes);

/* The same onto memory that is not in the direct map, such as firmware's tables: cacheable, as those
 * who wrote it had it (arm64: another attribute could show what the caches have not written yet). */
void *arch_map_memory(uint64_t phys, size_t bytes);

/* The same onto a framebuffer: writes are combined and may come late, reads are slow. */
void *arch_map_pixels(uint64_t phys, size_t bytes);

/* What was written there is in the memory itself from here on, not only in caches, whose content a
 * reset loses. Ordered behind it: later writes. Cost: a write to memory for each line. */
void arch_write_back(const void *at, size_t bytes);

/* A stack of at least `bytes` with an unmapped page below it; returns its top, 0 on -ENOMEM. */
uintptr_t arch_stack_alloc(size_t bytes);

#endif
