/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "copy": memcpy of a few bytes or of a page, between buffers of each CPU's own node.
 * The example of docs/adding-a-storm.md: copied into bench/storms/ it is part of the image.
 */
#include "bench/storm.h"
#include "core/errno.h"
#include "core/slab.h"
#include "core/string.h"

#define COPY_MAX_BYTES 4096u

struct copy_cpu {
    uint8_t from[COPY_MAX_BYTES], to[COPY_MAX_BYTES];
};

/* Runs on the CPU itself, so the buffers lie on its node. */
static int copy_setup_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct copy_cpu *cpu = kzalloc(sizeof(*cpu));

    if (!cpu)
        return -CS_ENOMEM;
    for (unsigned i = 0; i < COPY_MAX_BYTES; i++)
        cpu->from[i] = (uint8_t)random_next(&me->random);
    me->private = cpu;
    return 0;
}

/* The timed part: n operations, nothing else. */
static void copy_loop(struct storm_run *run, struct storm_cpu *me, uint64_t n)
{
    struct copy_cpu *cpu = me->private;
    size_t bytes = (size_t)run->cs->arg[0];

    do {
        memcpy(cpu->to, cpu->from, bytes);
        __asm__ volatile("" ::: "memory"); /* the copy is wanted, though nobody reads it */
    } while (--n);
}

/* What must hold at the end: what was copied has arrived. */
static void copy_teardown_cpu(struct storm_run *run, struct storm_cpu *me)
{
    struct copy_cpu *cpu = me->private;

    if (memcmp(cpu->from, cpu->to, (size_t)run->cs->arg[0]) != 0)
        *(_Atomic uint32_t *)run->shared = 1;
    kfree(cpu);
}

static int copy_setup(struct storm_run *run)
{
    run->shared = kzalloc(CACHE_LINE_BYTES);
    return run->shared ? 0 : -CS_ENOMEM;
}

static int copy_teardown(struct storm_run *run)
{
    int result = *(_Atomic uint32_t *)run->shared ? -CS_EIO : 0;

    kfree(run->shared);
    return result;
}

static const struct storm_case copy_cases[] = {
    {.name = "bytes=64", .arg = {64}, .in_quick = true},
    {.name = "bytes=4096", .arg = {4096}},
};

static const struct storm copy_storm = {
    .name = "copy",
    .summary = "memcpy within a CPU's own node",
    .cases = copy_cases,
    .nr_cases = ARRAY_LEN(copy_cases),
    .rank = 90,
    .setup = copy_setup,
    .setup_cpu = copy_setup_cpu,
    .loop = copy_loop,
    .teardown_cpu = copy_teardown_cpu,
    .teardown = copy_teardown,
};
STORM(copy_storm);
