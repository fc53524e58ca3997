/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of one process's address space, for storms: what execve makes and exit takes down.
 *
 *   struct mm ─ areas: one leaf of sorted areas ─ struct mm_area ─ lock, anon + chain
 *      │                                            (text, rodata, relro, data, bss, heap, stack …)
 *      └─ pgd ─ pud ─ pmd ─ pte: real 4-level tables of 512 entries, made when a fault needs them
 *                            └─ struct page: page cache of the task's program, or anonymous
 *
 * It is the data structures that do the work, in the field's proportions; nothing is a delay loop.
 * Where each size and number comes from:
 *   - Areas, pages and faults: measured, bench/mm_image.c.
 *   - mm object: 1632 bytes before its counters: 18 objects of 1792 bytes with 4 counters of 40
 *     bytes fill a 32 KiB slab, facts F2's 1820 bytes at 16 CPUs (F2's CPU masks left out).
 *   - area 160 bytes, its lock a separate object of 40 (facts F4; slab info of Linux 6.5…6.12).
 *   - anon 104 and chain 64 bytes (struct anon_vma, anon_vma_chain), leaf 256 (maple node).
 *   - Faults: file pages are mapped around the fault, 16 at a time (fault_around_bytes = 64 KiB);
 *     one counter update for EACH page mapped, as until Linux 6.5 (facts F1's base; later ones add
 *     once a range); anonymous pages are zeroed, copied ones copied.
 *   - Exit: pages are gathered, 8 in the gather itself and 510 in one page behind it (struct
 *     mmu_gather), and released batch by batch (bench/lru.h); one counter update for each counter
 *     and table that had pages (add_mm_rss_vec).
 * Every CPU runs a program of its own (facts F1: "separate statically linked binaries"), so page
 * cache pages are private to a CPU; the vdso's page is shared by all, as it is in the field.
 * Left out, so that the locks weigh more here than in a whole execve: files and ELF headers, page
 * locks and xarray, file rmap, credentials, cgroup charging, TLB shootdown (none for one CPU), the
 * move of the stack, x86's pgd_lock (other machines have none), and the process itself.
 *
 * The model knows no counters: what a step did to the four RSS counters comes back in rss[], and
 * the storm, compiled behind each design, adds it.
 *
 * I1. pages_taken - pages_given of a task is what its mm and gather hold: 0 between two cycles.
 * I2. A present entry holds one reference and one mapcount of its page.
 * I3. An area's anon is set before the first anonymous page is mapped in it.
 * Lock order: area lock, mm table lock, lruvec, zone. All but the last two are the task's own.
 */
#ifndef BENCH_MM_MODEL_H
#define BENCH_MM_MODEL_H

#include "bench/lru.h"
#include "core/slab.h"

enum mm_rss {
    MM_FILEPAGES,
    MM_ANONPAGES,
    MM_SWAPENTS,
    MM_SHMEMPAGES,
    MM_RSS_COUNTERS,
};

#define MM_STRUCT_BYTES 1632u
#define MM_LEAF_AREAS 15u
#define MM_IMAGE_FILE_PAGES 167u /* bench/mm_image.c */
#define MM_FAULT_AROUND_PAGES 16u
#define MM_GATHER_LOCAL 8u   /* MMU_GATHER_BUNDLE */
#define MM_GATHER_BATCH 510u /* (page - header) / pointer */

enum mm_area_flags {
    MM_AREA_FILE = 1u << 0,    /* backed by the program; else anonymous */
    MM_AREA_WRITE = 1u << 1,   /* private and written: copied page by page */
    MM_AREA_SPECIAL = 1u << 2, /* the vdso: one page for all tasks */
};

struct mm_area_lock {
    _Atomic int32_t readers;
    uint8_t rest[36];
};

/* What the anonymous pages of an area belong to, and its link to the area. */
struct mm_anon {
    struct list chains;
    uint32_t users;
    uint8_t rest[84];
};

struct mm_anon_chain {
    struct mm_area *area;
    struct mm_anon *anon;
    struct list of_area, of_anon;
    uint8_t rest[16];
};

struct mm_area {
    uint64_t start, end; /* addresses, page aligned */
    uint32_t flags;      /* enum mm_area_flags */
    uint32_t file_page;  /* index in the program of the first page */
    struct mm *mm;
    struct mm_area_lock *lock;
    struct mm_anon *anon; /* NULL until the first anonymous page */
    struct list chains;
    uint8_t rest[96];
};

/* Areas in order of address; as much as one leaf of a maple tree. */
struct mm_leaf {
    uint64_t nr;
    uint64_t ends[MM_LEAF_AREAS];
    struct mm_area *areas[MM_LEAF_AREAS];
    uint64_t rest;
};

struct mm {
    struct mm_leaf *leaf;
    uint64_t *pgd;
    struct spinlock table_lock; /* of no class: the task's own, so no bottleneck to be profiled */
    uint32_t tables;            /* page-table pages below the pgd */
    uint8_t rest[MM_STRUCT_BYTES - 24];
};

_Static_assert(sizeof(struct mm_area) == 160, "vm_area_struct");
_Static_assert(sizeof(struct mm_area_lock) == 40, "vma_lock");
_Static_assert(sizeof(struct mm_anon) == 104, "anon_vma");
_Static_assert(sizeof(struct mm_anon_chain) == 64, "anon_vma_chain");
_Static_assert(sizeof(struct mm_leaf) == 256, "maple node");
_Static_assert(sizeof(struct mm) == MM_STRUCT_BYTES, "mm_struct before its counters");

/* What all tasks share. */
struct mm_system {
    struct slab_cache *mms, *areas, *area_locks, *anons, *chains, *leaves;
    size_t counters_offset;
    struct lru lru;
    struct page *vdso;
};

/* A CPU's program in the page cache: one for all tasks of the CPU, since every design of a storm
 * has a task there at the same time, and 167 pages for each would be much. */
struct mm_program {
    uint32_t users;
    struct page *pages[MM_IMAGE_FILE_PAGES];
};

/* One CPU's process and its way to the lists. */
struct mm_task {
    struct mm_system *system;
    struct mm_program *program;
    struct lru_batch batch;
    uint64_t pages_taken, pages_given;
};

struct mm_gather {
    struct mm_task *task;
    unsigned nr_local, nr_batch;
    struct page *local[MM_GATHER_LOCAL];
    struct page *batch_page; /* NULL until the local ones are used up, or when there is none */
};

/* Caches and lists for mms with `counters_bytes` of counters. -CS_ENOMEM with nothing kept. */
int mm_system_init(struct mm_system *system, size_t counters_bytes, size_t align) must_check;
/* Returns how many objects and listed pages had not been given back: 0 or a bug. */
uint64_t mm_system_destroy(struct mm_system *system);

/* Both on the CPU that runs the task. The first one reads the program into the page cache.
 * -CS_ENOMEM with nothing kept. */
int mm_task_init(struct mm_task *task, struct mm_system *system) must_check;
void mm_task_destroy(struct mm_task *task);

/* An empty mm; NULL on -ENOMEM. Its counters are zeroed and not initialised. */
struct mm *mm_create(struct mm_task *task) must_check;
/* After mm_exit_end() and the counters' destruction; or at once when mm_create() alone was done. */
void mm_free(struct mm_task *task, struct mm *mm);

static inline void *mm_counters(struct mm_task *task, struct mm *mm)
{
    return (char *)mm + task->system->counters_offset;
}

/* Adds an area. -CS_ENOMEM, -CS_EEXIST (overlap), -CS_ENOSPC (leaf full), -CS_EINVAL. */
int mm_area_add(struct mm_task *task, struct mm *mm, uint64_t start, uint64_t end, uint32_t flags,
                uint32_t file_page) must_check;
/* The area that holds va, or NULL. */
struct mm_area *mm_area_find(const struct mm *mm, uint64_t va);
/* Gives an area its anon object (I3). 0 or -CS_ENOMEM. */
int mm_area_anon(struct mm_task *task, struct mm_area *area) must_check;
/* Unlinks and frees every area; their pages are gone already. */
void mm_areas_free(struct mm_task *task, struct mm *mm);

/* A page fault at va. What it changed is added to rss[]. -CS_ENOMEM, or -CS_EINVAL where nothing is
 * mapped or may be written; then nothing changed but page tables, which exit takes down. */
int mm_fault(struct mm_task *task, struct mm *mm, uint64_t va, bool write,
             int32_t rss[MM_RSS_COUNTERS]) must_check;

/* Fork: the areas of `parent` in the empty `child`, and the entries of those with anonymous parts, to
 * be copied when written; what has only file pages is left to faults, as the field does. What it
 * maps in the child is added to rss[]. Whatever it returns, exit takes down what it did. */
int mm_fork(struct mm_task *task, struct mm *parent, struct mm *child,
            int32_t rss[MM_RSS_COUNTERS]) must_check;

/* Page tables. Entries: address | flags; 0 is absent. */
#define MM_LEVELS 4u
#define MM_ENTRIES 512u
enum mm_entry_flags {
    MM_PRESENT = 1u << 0,
    MM_WRITABLE = 1u << 1,
    MM_ENTRY_FLAGS = ARCH_PAGE_BYTES - 1,
};
/* The entry for va at a level (0: pte … 3: pgd), with the tables above it; NULL where one is absent
 * (and could not be made, when `task` is given for making them). */
uint64_t *mm_entry(struct mm *mm, uint64_t va, unsigned level, struct mm_task *task);
/* The page mapped at va, NULL for none. */
struct page *mm_mapped(struct mm *mm, uint64_t va);

static inline struct page *mm_entry_page(uint64_t entry)
{
    return pfn_to_page(entry >> ARCH_PAGE_SHIFT);
}

static inline uint64_t mm_page_entry(const struct page *page, uint64_t flags)
{
    return page_to_pfn(page) << ARCH_PAGE_SHIFT | flags;
}

/* An order-0 page of the task with one reference, or NULL. */
struct page *mm_page_take(struct mm_task *task, unsigned flags) must_check;

/* Exit: begin; zap every area i < mm->leaf->nr, adding what it changes to rss[]; end. */
void mm_exit_begin(struct mm_gather *gather, struct mm_task *task);
void mm_exit_area(struct mm_gather *gather, struct mm *mm, unsigned i,
                  int32_t rss[MM_RSS_COUNTERS]);
void mm_exit_end(struct mm_gather *gather, struct mm *mm);

/* The measured program (bench/mm_image.c). */
struct mm_touch {
    uint64_t va;
    bool write;
};
#define MM_IMAGE_TOUCHES 25u
#define MM_IMAGE_RSS_FILE 163
#define MM_IMAGE_RSS_ANON 11
#define MM_IMAGE_TABLES 10u
extern const struct mm_touch mm_image_touches[MM_IMAGE_TOUCHES];
/* Maps the program's areas. Whatever it returns, exit takes down what it did. */
int mm_image_map(struct mm_task *task, struct mm *mm) must_check;

#endif
