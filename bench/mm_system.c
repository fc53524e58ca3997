/* SPDX-License-Identifier: Apache-2.0 */
/* Caches, tasks and mm objects of the address-space model; see mm_model.h. */
#include "bench/mm_model.h"

#include "core/errno.h"
#include "core/percpu.h"

/* This CPU's program; NULL while no task uses it. */
static PERCPU_STATIC struct mm_program *program_percpu;

static uint64_t cache_destroy(struct slab_cache *cache)
{
    return cache ? slab_cache_destroy(cache) : 0;
}

int mm_system_init(struct mm_system *system, size_t counters_bytes, size_t align)
{
    *system = (struct mm_system){.counters_offset = ALIGN_UP(sizeof(struct mm), align)};
    system->mms = slab_cache_create("mm", system->counters_offset + counters_bytes,
                                    MAX(align, CACHE_LINE_BYTES), SLAB_HWCACHE_ALIGN);
    system->areas = slab_cache_create("mm_area", sizeof(struct mm_area), 16, 0);
    system->area_locks = slab_cache_create("mm_area_lock", sizeof(struct mm_area_lock), 8, 0);
    system->anons = slab_cache_create("mm_anon", sizeof(struct mm_anon), 8, 0);
    system->chains = slab_cache_create("mm_anon_chain", sizeof(struct mm_anon_chain), 8, 0);
    system->leaves =
        slab_cache_create("mm_leaf", sizeof(struct mm_leaf), sizeof(struct mm_leaf), 0);
    system->vdso = page_alloc(0, PAGE_ZERO);
    if (system->vdso) {
        atomic_store_explicit(&system->vdso->refcount, 1, memory_order_relaxed);
        atomic_store_explicit(&system->vdso->mapcount, 0, memory_order_relaxed);
        system->vdso->private[0] = 0;
    }
    if (!system->mms || !system->areas || !system->area_locks || !system->anons ||
        !system->chains || !system->leaves || !system->vdso || lru_create(&system->lru)) {
        mm_system_destroy(system);
        return -CS_ENOMEM;
    }
    return 0;
}

uint64_t mm_system_destroy(struct mm_system *system)
{
    uint64_t left = lru_destroy(&system->lru);

    if (system->vdso) {
        left += (uint64_t)atomic_load_explicit(&system->vdso->refcount, memory_order_relaxed) - 1;
        page_free(system->vdso, 0);
    }
    left += cache_destroy(system->mms) + cache_destroy(system->areas);
    left += cache_destroy(system->area_locks) + cache_destroy(system->anons);
    left += cache_destroy(system->chains) + cache_destroy(system->leaves);
    *system = (struct mm_system){0};
    return left;
}

struct page *mm_page_take(struct mm_task *task, unsigned flags)
{
    struct page *page = page_alloc(0, flags);

    if (!page)
        return NULL;
    /* Relaxed: nobody else knows the page yet. */
    atomic_store_explicit(&page->refcount, 1, memory_order_relaxed);
    atomic_store_explicit(&page->mapcount, 0, memory_order_relaxed);
    page->private[0] = 0;
    task->pages_taken++;
    return page;
}

static void program_drop(struct mm_program *program)
{
    if (--program->users)
        return;
    for (unsigned i = 0; i < MM_IMAGE_FILE_PAGES && program->pages[i]; i++)
        page_free(program->pages[i], 0);
    kfree(program);
    *this_cpu_ptr(program_percpu) = NULL;
}

static struct mm_program *program_load(struct mm_task *task)
{
    struct mm_program *program = kzalloc(sizeof(*program));

    if (!program)
        return NULL;
    program->users = 1;
    *this_cpu_ptr(program_percpu) = program;
    for (unsigned i = 0; i < MM_IMAGE_FILE_PAGES; i++) {
        struct page *page = mm_page_take(task, PAGE_ZERO);

        if (!page) {
            program_drop(program);
            return NULL;
        }
        *(uint64_t *)page_to_virt(page) = i; /* what tests know a page by */
        program->pages[i] = page;
    }
    return program;
}

int mm_task_init(struct mm_task *task, struct mm_system *system)
{
    *task = (struct mm_task){.system = system, .program = *this_cpu_ptr(program_percpu)};
    if (task->program) {
        task->program->users++;
        return 0;
    }
    task->program = program_load(task);
    task->pages_taken = 0; /* the page cache's pages are no part of a cycle (I1) */
    return task->program ? 0 : -CS_ENOMEM;
}

void mm_task_destroy(struct mm_task *task)
{
    lru_drain(&task->system->lru, &task->batch);
    program_drop(task->program);
}

struct mm *mm_create(struct mm_task *task)
{
    struct mm_system *system = task->system;
    struct mm *mm = slab_alloc(system->mms, SLAB_ZERO);
    struct page *pgd;

    if (!mm)
        return NULL;
    mm->leaf = slab_alloc(system->leaves, SLAB_ZERO);
    pgd = mm->leaf ? mm_page_take(task, PAGE_ZERO) : NULL;
    if (!pgd) {
        if (mm->leaf)
            slab_free(system->leaves, mm->leaf);
        slab_free(system->mms, mm);
        return NULL;
    }
    mm->pgd = page_to_virt(pgd);
    return mm;
}

void mm_free(struct mm_task *task, struct mm *mm)
{
    page_free(virt_to_page(mm->pgd), 0);
    task->pages_given++;
    slab_free(task->system->leaves, mm->leaf);
    slab_free(task->system->mms, mm);
}
