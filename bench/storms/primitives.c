/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "primitives": one pair of each thing that the field's kernels do under the other storms.
 *
 *   op=percpu4      a per-CPU area of 4 bytes, allocated and freed
 *   op=percpu4x4    one of 4 slices of 4 bytes (grouped)
 *   op=percpu4by4   4 of 4 bytes, one by one
 *   op=page0        an order-0 page
 *   op=slab192      an object of 192 bytes
 *   op=call         an empty function through a pointer
 */
#include "bench/storm.h"
#include "core/errno.h"
#include "core/pages.h"
#include "core/panic.h"
#include "core/percpu_area.h"
#include "core/slab.h"

#define AREA_BYTES 4u
#define AREA_ALIGN 4u
#define GROUP 4u
#define OBJECT_BYTES 192u

typedef void primitive_fn(void);

enum primitive { PRIM_PERCPU, PRIM_GROUP, PRIM_SINGLES, PRIM_PAGE, PRIM_SLAB, PRIM_CALL };

static void out_of_memory(const struct storm_run *run)
{
    panic("primitives %s: out of memory", run->cs->name);
}

static int primitives_setup(struct storm_run *run)
{
    if (run->cs->arg[0] != PRIM_SLAB)
        return 0;
    run->shared = slab_cache_create("primitives", OBJECT_BYTES, 0, 0);
    return run->shared ? 0 : -CS_ENOMEM;
}

static int primitives_teardown(struct storm_run *run)
{
    if (run->shared && slab_cache_destroy(run->shared))
        return -CS_EIO;
    return 0;
}

static void loop_percpu(struct storm_run *run, uint64_t n)
{
    do {
        percpu_area_t area = percpu_area_alloc(AREA_BYTES, AREA_ALIGN);

        if (unlikely(!area))
            out_of_memory(run);
        percpu_area_free(area);
    } while (--n);
}

static void loop_group(struct storm_run *run, uint64_t n)
{
    do {
        percpu_area_t area = percpu_area_alloc_group(AREA_BYTES, AREA_ALIGN, GROUP);

        if (unlikely(!area))
            out_of_memory(run);
        percpu_area_free(area);
    } while (--n);
}

static void loop_singles(struct storm_run *run, uint64_t n)
{
    percpu_area_t areas[GROUP];

    do {
        for (unsigned i = 0; i < GROUP; i++) {
            areas[i] = percpu_area_alloc(AREA_BYTES, AREA_ALIGN);
            if (unlikely(!areas[i]))
                out_of_memory(run);
        }
        for (unsigned i = 0; i < GROUP; i++)
            percpu_area_free(areas[i]);
    } while (--n);
}

static void loop_page(struct storm_run *run, uint64_t n)
{
    do {
        struct page *page = page_alloc(0, 0);

        if (unlikely(!page))
            out_of_memory(run);
        page_free(page, 0);
    } while (--n);
}

static void loop_slab(struct storm_run *run, uint64_t n)
{
    struct slab_cache *cache = run->shared;

    do {
        void *object = slab_alloc(cache, 0);

        if (unlikely(!object))
            out_of_memory(run);
        slab_free(cache, object);
    } while (--n);
}

static noinline void empty_function(void)
{
    __asm__ volatile("");
}

static void loop_call(uint64_t n)
{
    primitive_fn *volatile called = empty_function;
    primitive_fn *function = called;

    do
        function();
    while (--n);
}

static void primitives_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    switch ((enum primitive)run->cs->arg[0]) {
    case PRIM_PERCPU:
        loop_percpu(run, n);
        break;
    case PRIM_GROUP:
        loop_group(run, n);
        break;
    case PRIM_SINGLES:
        loop_singles(run, n);
        break;
    case PRIM_PAGE:
        loop_page(run, n);
        break;
    case PRIM_SLAB:
        loop_slab(run, n);
        break;
    case PRIM_CALL:
        loop_call(n);
        break;
    }
}

static const struct storm_case primitives_cases[] = {
    {.name = "op=percpu4", .arg = {PRIM_PERCPU}, .in_quick = true},
    {.name = "op=percpu4x4", .arg = {PRIM_GROUP}, .in_quick = true},
    {.name = "op=percpu4by4", .arg = {PRIM_SINGLES}},
    {.name = "op=page0", .arg = {PRIM_PAGE}, .in_quick = true},
    {.name = "op=slab192", .arg = {PRIM_SLAB}, .in_quick = true},
    {.name = "op=call", .arg = {PRIM_CALL}, .one_cpu_only = true, .in_quick = true},
};

static const struct storm primitives_storm = {
    .name = "primitives",
    .summary = "allocate and free: per-CPU areas, pages, slab objects; an indirect call",
    .cases = primitives_cases,
    .nr_cases = ARRAY_LEN(primitives_cases),
    .rank = 10,
    .setup = primitives_setup,
    .loop = primitives_loop,
    .teardown = primitives_teardown,
};
STORM(primitives_storm);
