/* SPDX-License-Identifier: Apache-2.0 */
/* On how many CPUs, and on which, to measure: the cpus= parameter. See bench/sizes.h. */
#include "bench/sizes.h"

#include <arch/time.h>

#include "bench/params.h"
#include "bench/selection.h"
#include "core/errno.h"
#include "core/log.h"
#include "core/param.h"
#include "core/slab.h"
#include "core/string.h"
#include "core/topology.h"
#include "core/wait.h"

/* Up to so many CPUs the quick suite takes all powers of two, even where they are oversubscribed or
 * their time is simulated. */
#define QUICK_SIZES_MAX_CPUS 8u

static const char *cpus_list = "";

PARAM_TEXT(
    cpus, "cpus", cpus_list,
    "a list of CPU counts, all, node:N, package:N, die:N, llc:N, cluster:N, core:N, thread:N, "
    "cpu:N (or N-M), nodes, packages, dies, llcs, clusters, cores, spread, compact",
    "on how many CPUs to measure, and on which: cpus=1,4,all or cpus=node:0,cores,spread");

static void add_size(uint32_t size)
{
    uint32_t *sizes = bench_settings.sizes, at = 0;

    while (at < bench_settings.nr_sizes && sizes[at] < size)
        at++;
    if (at < bench_settings.nr_sizes && sizes[at] == size)
        return;
    memmove(sizes + at + 1, sizes + at, (bench_settings.nr_sizes - at) * sizeof(sizes[0]));
    sizes[at] = size;
    bench_settings.nr_sizes++;
}

/* 0 when it is not a number of the chosen CPUs. */
static uint32_t parse_size(const char *item, size_t bytes)
{
    uint64_t value = 0;

    if (text_is(item, bytes, "all"))
        return bench_settings.nr_chosen;
    if (bytes == 0 || bytes > 5)
        return 0;
    for (size_t i = 0; i < bytes; i++) {
        if (item[i] < '0' || item[i] > '9')
            return 0;
        value = value * 10 + (uint64_t)(item[i] - '0');
    }
    return value <= bench_settings.nr_chosen ? (uint32_t)value : 0;
}

static void default_sizes(void)
{
    uint32_t all = bench_settings.nr_chosen;
    bool few = bench_settings.suite == SUITE_QUICK && all > QUICK_SIZES_MAX_CPUS &&
               (wait_oversubscribed() || arch_time_is_simulated());

    add_size(1);
    for (uint32_t size = 2; size < all && !few; size *= 2)
        add_size(size);
    add_size(all);
}

/* Where the item stands, for a person who looks at the parameter. */
static void say_bad_item(const char *item, size_t bytes, const char *why)
{
    unsigned at = (unsigned)(item - cpus_list) + 1;

    if (why)
        param_error("cpus", cpus_list, "\"%.*s\", at character %u, %s", (int)bytes, item, at, why);
    else
        param_error(
            "cpus", cpus_list,
            "\"%.*s\", at character %u, is not a number from 1 to %u, nor all, node:N, "
            "package:N, llc:N, core:N, cpu:N, nodes, packages, llcs, cores, spread, compact",
            (int)bytes, item, at, bench_settings.nr_chosen);
}

static void settle_sizes(void)
{
    const char *rest = cpus_list, *item, *why;
    size_t bytes;

    while (param_list_next(&rest, &item, &bytes)) {
        uint32_t size = parse_size(item, bytes);

        if (size)
            add_size(size);
        else if (!selection_is_item(item, bytes, &why) || why)
            say_bad_item(item, bytes, why);
    }
    if (!bench_settings.nr_sizes)
        default_sizes();
}

static int settle_cpus(void)
{
    uint32_t count = cpumask_count(&cpus_online), i = 0;
    bool nothing_left;
    int error;

    kfree(bench_settings.cpus); /* of the run before */
    kfree(bench_settings.sizes);
    bench_settings.nr_sizes = 0;
    bench_settings.selection[0] = '\0';
    bench_settings.cpus = kmalloc(count * sizeof(uint32_t));
    /* Items of a list are at least two characters apart, the default has one for each bit. */
    bench_settings.sizes = kmalloc((strlen(cpus_list) / 2 + 34) * sizeof(uint32_t));
    if (!bench_settings.cpus || !bench_settings.sizes)
        return -CS_ENOMEM;
    for (CPUMASK_EACH(&cpus_online, cpu))
        bench_settings.cpus[i++] = cpu;
    error = selection_apply(cpus_list, bench_settings.cpus, &count, &nothing_left);
    if (nothing_left)
        param_error("cpus", cpus_list, "no CPU that runs is in all of this; all are taken");
    else
        selection_text(cpus_list, bench_settings.selection, sizeof(bench_settings.selection));
    bench_settings.nr_chosen = count;
    return error;
}

int sizes_settle(void)
{
    int error = settle_cpus();

    if (!error)
        settle_sizes();
    return error;
}
