/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storm "accuracy": how far a counter's approximation goes from its total (facts F2).
 *
 *   threads=1        a process hops over all CPUs, mapping and unmapping 1 to 16 pages at a time,
 *                    first more of the one, then of the other; lazy designs are not active
 *   threads=2        the same once a second thread has joined
 *   beside=updates   all CPUs update one counter at once while the first of them reads it
 *
 * Values: err-pages, the largest distance of the approximation from the total that was seen
 * (beside updates: from the nearest total that was possible, bench/announced.h); bound-pages, the
 * design's own bound for that; hiwater-err, what the high watermark of the approximation is off at
 * the end of a hop. Beside updates instead sum-err, the same of the precise sum, and sum-bound.
 *
 * I1. No error beyond its bound, and the precise sum at rest is the total: else the run fails.
 */
#include <arch/percpu.h>
#include <arch/time.h>

#include "bench/announced.h"
#include "bench/storm.h"
#include "core/errno.h"
#include "core/log.h"
#include "core/slab.h"
#include "core/smp.h"
#include "core/time.h"
#include "counters/design.h"

#define ACCURACY_HOPS_MAX 512u
#define ACCURACY_ROUNDS 2000u   /* updates of each CPU beside the reader, at most */
#define ACCURACY_UPDATES 64000u /* of all CPUs, about */
#define ACCURACY_LARGEST 512
#define ACCURACY_MS 60000u

enum accuracy_arg { ACCURACY_ARG_THREADED, ACCURACY_ARG_BESIDE };

struct accuracy_process {
    struct random random;
    int64_t total, peak,
        peak_read; /* pages: now, most so far, most that the approximation showed */
    bool shrinks;
    uint32_t nr, max; /* mappings */
    uint8_t pages[];  /* of each */
};

struct accuracy_shared {
    void *counters;
    struct accuracy_process *process;
    struct announced *announced; /* of each CPU of the run */
    uint64_t error, sum_error;   /* largest seen; boot CPU, or the hopping process */
    int64_t peak_error;
    uint32_t wrong;
    const struct storm_run *run;
    cacheline_aligned _Atomic uint32_t finished;
};

/* --- setting up --- */

static void accuracy_free(struct accuracy_shared *shared)
{
    if (shared->counters)
        this_design.destroy_many(shared->counters, COUNTERS_PER_MM);
    kfree(shared->counters);
    kfree(shared->process);
    kfree(shared->announced);
    kfree(shared);
}

/* Room for what fills the residuals of all CPUs on the way up. */
static uint32_t accuracy_mappings(void)
{
    return nr_cpus * 128 + 1024;
}

static int accuracy_setup(struct storm_run *run)
{
    struct accuracy_shared *shared = kzalloc(sizeof(*shared));
    uint32_t max = accuracy_mappings();
    int error = -CS_ENOMEM;

    if (!shared)
        return error;
    shared->run = run;
    shared->process = kzalloc(sizeof(*shared->process) + max);
    shared->announced = kzalloc(run->nr_cpus * sizeof(shared->announced[0]));
    shared->counters = kzalloc(COUNTERS_PER_MM * this_design.counter_bytes);
    if (shared->process && shared->announced && shared->counters)
        error = this_design.init_many(shared->counters, 0, COUNTERS_PER_MM);
    if (!error && run->cs->arg[ACCURACY_ARG_THREADED])
        error = counter_activate(&this_design, shared->counters, COUNTERS_PER_MM);
    if (error) {
        accuracy_free(shared);
        return error;
    }
    shared->process->max = max;
    random_seed(&shared->process->random, run->seed);
    run->shared = shared;
    return 0;
}

/* The second counter of the four: the field's MM_ANONPAGES. */
static void *accuracy_counter(const struct accuracy_shared *shared)
{
    return (char *)shared->counters + this_design.counter_bytes;
}

static void accuracy_enter(const struct accuracy_shared *shared)
{
    if (this_design.enter)
        this_design.enter(shared->counters, COUNTERS_PER_MM);
}

static void accuracy_leave(const struct accuracy_shared *shared)
{
    if (this_design.leave)
        this_design.leave(shared->counters, COUNTERS_PER_MM);
}

/* --- the process that hops --- */

static void accuracy_peak(struct accuracy_process *p, int64_t read)
{
    p->peak_read = MAX(p->peak_read, counter_positive(read));
    p->peak = MAX(p->peak, p->total);
}

/* Maps or unmaps once; returns the pages. */
static int64_t accuracy_step(struct accuracy_process *p, void *counter)
{
    bool unmaps = random_below(&p->random, 4) == 0 ? !p->shrinks : p->shrinks;
    int64_t pages;

    if (p->nr == p->max)
        p->shrinks = unmaps = true;
    if (p->nr == 0)
        p->shrinks = unmaps = false;
    if (unmaps) {
        accuracy_peak(p, this_design.read(counter)); /* as the field does before it unmaps */
        pages = p->pages[--p->nr];
    } else {
        pages = p->pages[p->nr++] = (uint8_t)(1 + random_below(&p->random, 16));
    }
    this_design.add(counter, unmaps ? -pages : pages);
    p->total += unmaps ? -pages : pages;
    return pages;
}

static void accuracy_hop(void *arg)
{
    struct accuracy_shared *shared = arg;
    struct accuracy_process *p = shared->process;
    void *counter = accuracy_counter(shared);
    int64_t left = 1 + random_below(&p->random, 4 * MAX(32u, 2 * nr_cpus));

    accuracy_enter(shared);
    while (left > 0) {
        int64_t off;

        left -= accuracy_step(p, counter);
        off = this_design.read(counter) - p->total;
        shared->error = MAX(shared->error, (uint64_t)(off < 0 ? -off : off));
    }
    accuracy_peak(p, this_design.read(counter));
    shared->wrong += this_design.sum(counter) != p->total;
    accuracy_leave(shared);
}

static int accuracy_measure_hops(struct accuracy_shared *shared)
{
    const struct storm_run *run = shared->run;
    struct accuracy_process *p = shared->process;
    uint32_t hops = MIN(64 + 4 * run->nr_cpus, ACCURACY_HOPS_MAX), at = 0;

    p->peak = p->total;
    p->peak_read = counter_positive(this_design.read(accuracy_counter(shared)));
    for (uint32_t i = 0; i < hops; i++) {
        int error = smp_run(&run->cpus[at], 1, accuracy_hop, shared, ACCURACY_MS);

        if (error)
            return error;
        at = (at + 1 + random_below(&p->random, 2)) % run->nr_cpus;
    }
    shared->peak_error = p->peak_read > p->peak ? p->peak_read - p->peak : p->peak - p->peak_read;
    return 0;
}

/* --- a reader beside updates --- */

static uint32_t accuracy_index(const struct storm_run *run)
{
    uint32_t index = 0;

    while (run->cpus[index] != this_cpu_id())
        index++;
    return index;
}

/* Half of the CPUs add, half subtract. */
static void accuracy_update(struct accuracy_shared *shared, uint32_t index, struct random *random)
{
    int64_t size = 1 + (int64_t)random_below(random, ACCURACY_LARGEST);
    int64_t amount = index % 2 ? -size : size;

    announced_begin(&shared->announced[index], amount);
    this_design.add(accuracy_counter(shared), amount);
    announced_end(&shared->announced[index], amount);
}

static void accuracy_look(struct accuracy_shared *shared)
{
    const uint32_t nr = shared->run->nr_cpus;
    struct announced_range range;
    int64_t value;

    announced_before(shared->announced, nr, &range);
    value = this_design.read(accuracy_counter(shared));
    announced_after(shared->announced, nr, &range);
    shared->error = MAX(shared->error, announced_distance(&range, value));
    announced_before(shared->announced, nr, &range);
    value = this_design.sum(accuracy_counter(shared));
    announced_after(shared->announced, nr, &range);
    shared->sum_error = MAX(shared->sum_error, announced_distance(&range, value));
}

static void accuracy_read_on(struct accuracy_shared *shared, struct random *random)
{
    uint64_t begin = arch_stamp_loose(), limit = time_ms_to_ticks(ACCURACY_MS);
    uint32_t others = shared->run->nr_cpus - 1, looks = 0;

    /* Relaxed: only says when to stop. */
    while (
        (atomic_load_explicit(&shared->finished, memory_order_relaxed) < others || ++looks < 100) &&
        arch_stamp_loose() - begin < limit) {
        accuracy_update(shared, 0, random);
        accuracy_look(shared);
    }
}

static void accuracy_beside(void *arg)
{
    struct accuracy_shared *shared = arg;
    uint32_t index = accuracy_index(shared->run);
    uint32_t rounds = MIN(ACCURACY_ROUNDS, ACCURACY_UPDATES / shared->run->nr_cpus + 1);
    struct random random;

    random_seed(&random, shared->run->seed + index);
    accuracy_enter(shared);
    if (index == 0) {
        accuracy_read_on(shared, &random);
    } else {
        for (uint32_t i = 0; i < rounds; i++)
            accuracy_update(shared, index, &random);
        atomic_fetch_add_explicit(&shared->finished, 1, memory_order_relaxed);
    }
    accuracy_leave(shared);
}

static int accuracy_measure_beside(struct accuracy_shared *shared)
{
    const struct storm_run *run = shared->run;
    struct announced_range range;
    int error;

    atomic_store_explicit(&shared->finished, 0, memory_order_relaxed);
    error = smp_run(run->cpus, run->nr_cpus, accuracy_beside, shared, 2 * ACCURACY_MS);
    announced_before(shared->announced, run->nr_cpus, &range);
    /* At rest the sums of what was added and of what was subtracted are the total. */
    shared->wrong += this_design.sum(accuracy_counter(shared)) != range.low + range.high;
    return error;
}

/* --- results --- */

static uint64_t accuracy_bound(const struct storm_run *run)
{
    bool active = run->cs->arg[ACCURACY_ARG_THREADED] || !this_design.activate;
    uint64_t bound = active ? this_design.error_bound(nr_cpus) : 0;

    if (run->cs->arg[ACCURACY_ARG_BESIDE] && this_design.transient_bound)
        bound += this_design.transient_bound(nr_cpus, ACCURACY_LARGEST);
    return bound;
}

static uint64_t accuracy_sum_bound(void)
{
    return this_design.sum_transient_bound
               ? this_design.sum_transient_bound(nr_cpus, ACCURACY_LARGEST)
               : 0;
}

static int accuracy_measure(struct storm_run *run)
{
    struct accuracy_shared *shared = run->shared;
    int error;

    shared->error = shared->sum_error = 0;
    error = run->cs->arg[ACCURACY_ARG_BESIDE] ? accuracy_measure_beside(shared)
                                              : accuracy_measure_hops(shared);
    shared->wrong +=
        shared->error > accuracy_bound(run) || shared->sum_error > accuracy_sum_bound();
    return error;
}

static unsigned accuracy_metrics(struct storm_run *run, struct storm_metric out[STORM_METRICS_MAX])
{
    const struct accuracy_shared *shared = run->shared;

    out[0] = (struct storm_metric){"err-pages", (int64_t)shared->error * 1000};
    out[1] = (struct storm_metric){"bound-pages", (int64_t)accuracy_bound(run) * 1000};
    if (!run->cs->arg[ACCURACY_ARG_BESIDE]) {
        out[2] = (struct storm_metric){"hiwater-err", shared->peak_error * 1000};
        return 3;
    }
    out[2] = (struct storm_metric){"sum-err", (int64_t)shared->sum_error * 1000};
    out[3] = (struct storm_metric){"sum-bound", (int64_t)accuracy_sum_bound() * 1000};
    return 4;
}

static int accuracy_teardown(struct storm_run *run)
{
    struct accuracy_shared *shared = run->shared;
    uint32_t wrong = shared->wrong;

    if (wrong)
        log_warn("accuracy/%s %s: %u times beyond the bound, or a sum at rest was not the total",
                 this_design.name, run->cs->name, wrong);
    accuracy_free(shared);
    return wrong ? -CS_EIO : 0;
}

#define ACCURACY_SECOND                                                                            \
    "flat=flat,flat=flat-second-thread,tree=tree,tree=tree-second-thread,"                         \
    "tree-lazy=tree,tree-lazy=tree-second-thread"

static const struct storm_case accuracy_cases[] = {
    {.name = "threads=1",
     .arg = {0, 0},
     .all_cpus_only = true,
     .in_quick = true,
     .published = "measured",
     .published_variant = "flat=flat-single,tree-lazy=tree-lazy-single"},
    {.name = "threads=2",
     .arg = {1, 0},
     .all_cpus_only = true,
     .in_quick = true,
     .published = "bound,measured",
     .published_variant = ACCURACY_SECOND},
    {.name = "beside=updates", .arg = {1, 1}, .all_cpus_only = true, .in_quick = true},
};

static const struct storm accuracy_storm = {
    .name = "accuracy",
    .counter = &this_design,
    .measures_updates = true,
    .compare_with = "flat",
    .summary = "the largest error of a counter's approximation, against its bound",
    .cases = accuracy_cases,
    .nr_cases = ARRAY_LEN(accuracy_cases),
    .rank = 26,
    .setup = accuracy_setup,
    .measure = accuracy_measure,
    .unit = "err-pages",
    .samples_max = 3,
    .teardown = accuracy_teardown,
    .metrics = accuracy_metrics,
    .published_bench = "accuracy",
};
STORM(accuracy_storm);
