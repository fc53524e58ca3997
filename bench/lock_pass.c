/* SPDX-License-Identifier: Apache-2.0 */
/* Lock profiles of storms. See bench/lock_pass.h. */
#include "bench/lock_pass.h"

#include <arch/time.h>

#include "bench/params.h"
#include "bench/summary.h"
#include "core/format.h"
#include "core/lock_profile.h"
#include "core/log.h"
#include "core/string.h"
#include "core/time.h"
#include "core/wait.h"

#define PASS_WINDOWS 7u
#define PASS_MS 500u /* no further window after so long */
/* Of the CPUs' time for waits, of the time for holding: a lock below it is no bottleneck. */
#define MATTERS_PERCENT 5u
#define LOCKS_BYTES 320u
#define DESIGNS_MAX 32u

/* What one window took, by class number. */
struct pass {
    struct lock_profile of[LOCK_CLASS_MAX + 1];
    struct sample sample;
};

/* The bottleneck of each column that was profiled; NULL: no lock matters. */
struct verdicts {
    uint32_t nr, column[DESIGNS_MAX];
    const struct lock_class *worst[DESIGNS_MAX];
};

static void snapshot(struct lock_profile of[LOCK_CLASS_MAX + 1])
{
    for (REGISTRY_EACH(lock_classes, struct lock_class, class))
        lock_profile_sum(*class, &of[(*class)->number]);
}

static void subtract(struct lock_profile *from, const struct lock_profile *what)
{
    from->acquisitions -= what->acquisitions;
    from->contentions -= what->contentions;
    from->wait_ticks -= what->wait_ticks;
    from->hold_ticks -= what->hold_ticks;
    from->stalls -= what->stalls;
    /* The longest wait is kept since the pass began: no more than this window's waits together. */
    from->wait_max_ticks = MIN(from->wait_max_ticks, from->wait_ticks);
}

static void take_window(struct team *team, struct pass *pass)
{
    struct lock_profile before[LOCK_CLASS_MAX + 1] = {0};

    snapshot(before);
    team_sample(team, &pass->sample);
    snapshot(pass->of);
    for (uint32_t i = 0; i <= LOCK_CLASS_MAX; i++)
        subtract(&pass->of[i], &before[i]);
}

/* The fastest of several windows: a holder that lost its processor for a time slice (a hypervisor's
 * steal, an emulator) would make any lock look like the bottleneck. */
static void take_fastest(struct team *team, struct pass *best)
{
    static struct pass pass; /* boot CPU only, as is the caller's */
    uint64_t begin = arch_stamp_loose(), limit = time_ms_to_ticks(PASS_MS);
    unsigned windows = 0, most = arch_time_is_simulated() ? 1 : PASS_WINDOWS;

    do {
        memset(&pass, 0, sizeof(pass));
        take_window(team, &pass);
        if (windows == 0 || pass.sample.ps_per_op < best->sample.ps_per_op)
            *best = pass;
    } while (++windows < most && arch_stamp_loose() - begin < limit);
}

/* Locks are marked when they are initialised: the team lives within begin and end. */
static bool take(const struct storm *storm, const struct storm_case *cs, const struct row *row,
                 struct pass *pass)
{
    struct team *team;
    bool ok;

    log_hush(true);
    lock_profile_begin();
    ok = team_create(&team, storm, cs, row->cpus, row->nr_cpus, bench_settings.seed) == 0;
    if (ok) {
        team_calibrate(team);
        take_fastest(team, pass);
        team_destroy(team);
    }
    lock_profile_end();
    log_hush(false);
    return ok;
}

static unsigned long long ns(uint64_t ticks)
{
    return time_ticks_to_ns(ticks);
}

static void print_class(const struct storm *storm, const struct row *row,
                        const struct lock_class *class, const struct lock_profile *p)
{
    log_line("lock storm=%s design=%s cpus=%u class=\"%s\" acq=%llu cont=%llu wait_ns=%llu "
             "hold_ns=%llu wait_max_ns=%llu stalls=%llu",
             storm->name, storm_design_name(storm), row->nr_cpus, class->name,
             (unsigned long long)p->acquisitions, (unsigned long long)p->contentions,
             ns(p->wait_ticks), ns(p->hold_ticks), ns(p->wait_max_ticks),
             (unsigned long long)p->stalls);
}

static uint64_t all_ns(const struct row *row, const struct pass *pass)
{
    return MAX(pass->sample.window_ps / 1000 * row->nr_cpus, 1ull);
}

/* Whether the CPUs waited for locks long enough for the waits to tell which one is the worst. Where
 * CPUs outnumber processors they tell who lost its processor while holding. */
static bool waits_decide(const struct row *row, const struct pass *pass)
{
    uint64_t wait_ticks = 0;

    for (uint32_t i = 0; i <= LOCK_CLASS_MAX; i++)
        wait_ticks += pass->of[i].wait_ticks;
    return !wait_oversubscribed() && ns(wait_ticks) >= all_ns(row, pass) / 100 * MATTERS_PERCENT;
}

static uint64_t weight(const struct lock_class *class, const struct pass *pass, bool by_wait)
{
    const struct lock_profile *p = &pass->of[class->number];

    return by_wait ? p->wait_ticks : class->of_objects ? 0 : p->hold_ticks;
}

/* How much of the CPUs' time went into waiting, or of the time the lock was held, in thousandths.
 */
static uint64_t share_permille(const struct row *row, const struct lock_class *class,
                               const struct pass *pass, bool by_wait)
{
    uint64_t whole_ns = by_wait ? all_ns(row, pass) : all_ns(row, pass) / row->nr_cpus;

    return MIN(ns(weight(class, pass, by_wait)) * 1000 / MAX(whole_ns, 1ull), 1000ull);
}

/* Where CPUs take turns, a share of the wall's time says little: the lock held longest is named. */
static bool lock_matters(const struct row *row, uint64_t permille, bool by_wait)
{
    return by_wait || permille >= MATTERS_PERCENT * 10 ||
           (wait_oversubscribed() && row->nr_cpus > 1);
}

static void print_bottleneck(const struct storm *storm, const struct row *row,
                             const struct lock_class *class, uint64_t permille, bool by_wait)
{
    bool matters = lock_matters(row, permille, by_wait);
    char percent[FORMAT_MILLI_BYTES];

    log_line("bottleneck of %s/%s on %u CPU%s: %s\"%s\"%s %s%%%s%s", storm->name,
             storm_design_name(storm), row->nr_cpus, row->nr_cpus == 1 ? "" : "s",
             matters ? "" : "no lock matters here (most: ", class->name, matters ? ":" : ",",
             format_milli(percent, (int64_t)permille * 100, 1),
             by_wait ? " of the CPUs' time went into waiting for it" : " of the time it was held",
             matters ? by_wait ? "" : ", most of all" : ")");
}

/* The shared lock that weighs most, its profile lines printed; NULL when none was taken. */
static const struct lock_class *print_classes(const struct storm *storm, const struct row *row,
                                              const struct pass *pass, bool by_wait)
{
    const struct lock_class *worst = NULL;

    for (REGISTRY_EACH(lock_classes, struct lock_class, class)) {
        const struct lock_profile *p = &pass->of[(*class)->number];

        if (!p->acquisitions)
            continue;
        print_class(storm, row, *class, p);
        if (weight(*class, pass, by_wait) > (worst ? weight(worst, pass, by_wait) : 0))
            worst = *class;
    }
    return worst;
}

/* Returns the bottleneck, NULL when no shared lock matters. */
static const struct lock_class *report(const struct storm *storm, const struct row *row,
                                       const struct pass *pass)
{
    bool by_wait = waits_decide(row, pass);
    const struct lock_class *worst = print_classes(storm, row, pass, by_wait);
    uint64_t permille;

    if (!worst) {
        log_line("bottleneck of %s/%s on %u CPU%s: no shared lock was taken", storm->name,
                 storm_design_name(storm), row->nr_cpus, row->nr_cpus == 1 ? "" : "s");
        return NULL;
    }
    permille = share_permille(row, worst, pass, by_wait);
    print_bottleneck(storm, row, worst, permille, by_wait);
    return lock_matters(row, permille, by_wait) ? worst : NULL;
}

/* "\"NAME\" with slots, tree"; nothing when it is no design's. */
static size_t add_designs(char *text, size_t used, const struct block *block,
                          const struct verdicts *v, const struct lock_class *class)
{
    const char *separator = used ? "; " : " ";
    bool first = true;

    for (uint32_t i = 0; i < v->nr; i++) {
        if (v->worst[i] != class || used >= LOCKS_BYTES)
            continue;
        if (first)
            used += format_text(text + used, LOCKS_BYTES - used, "%s%s%s%s with", separator,
                                class ? "\"" : "", class ? class->name : "none", class ? "\"" : "");
        if (used < LOCKS_BYTES)
            used += format_text(text + used, LOCKS_BYTES - used, "%s %s", first ? "" : ",",
                                storm_design_name(block->storms[v->column[i]]));
        first = false;
    }
    return used;
}

/* The bottlenecks side by side: each lock with the designs that it holds up. */
static void conclude(const struct block *block, uint32_t case_index, const struct row *row,
                     const struct verdicts *v)
{
    const char *plural = row->nr_cpus == 1 ? "" : "s";
    char locks[LOCKS_BYTES] = "";
    size_t used = 0;

    for (REGISTRY_EACH(lock_classes, struct lock_class, class))
        used = add_designs(locks, used, block, v, *class);
    if (used)
        add_designs(locks, used, block, v, NULL);
    else
        format_text(locks, sizeof(locks), " no lock matters, whatever the design");
    log_line("=> bottlenecks of %s on %u CPU%s:%s", block->name, row->nr_cpus, plural, locks);
    if (summary_wants(block, case_index))
        summary_add("locks that hold %s up on %u CPU%s:%s", block->name, row->nr_cpus, plural,
                    locks);
}

void lock_pass(const struct block *block, uint32_t case_index, const struct row *row)
{
    static struct pass pass; /* boot CPU only; too large for its stack */
    struct verdicts v = {.nr = 0};

    for (uint32_t i = 0; i < block->nr_storms && v.nr < DESIGNS_MAX; i++) {
        const struct storm *storm = block->storms[i];

        if (!storm->profile_locks || row->cells[i].absent)
            continue;
        if (!take(storm, &storm->cases[case_index], row, &pass))
            continue;
        v.column[v.nr] = i;
        v.worst[v.nr++] = report(storm, row, &pass);
    }
    if (v.nr)
        conclude(block, case_index, row, &v);
}
