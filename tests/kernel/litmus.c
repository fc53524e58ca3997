/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Litmus tests: two CPUs run the shapes that the kernel's protocols are made of, over and over, and
 * count outcomes that the memory model forbids. One is a failure.
 *
 *   publish          data, then flag (release)      | flag (acquire), then data
 *                    smp.c post/run_pending; log; every lock's hand-off
 *   store_buffering  x, fence, read y               | y, fence, read x
 *                    arch sleep/wake (Dekker): one of the two sees the other
 *   init             a per-CPU area comes zeroed on every CPU before its offset is published
 *   carry            what a sum may see of a carry on its way
 *
 * Both CPUs walk the same array of slots, side by side as far as a few relaxed looks at the other's
 * place can bring them (no barrier, which would order what is tested); the counts of the outcomes
 * that are allowed, of which some only a weak machine shows, are printed: they say how much the run
 * could have seen. Subject: litmus.
 */
#include <stdatomic.h>

#include "core/log.h"
#include "core/percpu.h"
#include "core/percpu_area.h"
#include "core/selftest.h"
#include "core/slab.h"
#include "core/smp.h"
#include "core/string.h"
#include "core/wait.h"
#include "counters/design.h"

#define SLOTS 1024u
#define ROUNDS_QUICK 8u
#define ROUNDS_FULL 400u
#define SPINS_MAX 2000u /* looks at the other's place: it may have lost its processor */
#define MEET_MS 20000u
#define RUN_MS 60000u
#define HAND_OVERS 200u
#define ADDS 20000u

/* Two words and what the CPUs read, each CPU's writes on lines of their own. */
struct slot {
    cacheline_aligned _Atomic uint32_t x;
    uint32_t read_by_first;
    cacheline_aligned _Atomic uint32_t y;
    uint32_t read_by_second;
};

struct pair {
    uint32_t cpus[2];
    struct slot *slots;
    void (*first)(struct slot *slot);
    void (*second)(struct slot *slot);
    cacheline_aligned _Atomic uint32_t arrived;
    struct {
        cacheline_aligned _Atomic uint32_t slot;
    } at[2];
};

/* The last two CPUs: on a machine with more than two, both are woken for it. */
static bool choose_pair(struct ktest *t, uint32_t cpus[2])
{
    uint32_t count = 0;

    for (CPUMASK_EACH(&cpus_online, cpu)) {
        cpus[0] = cpus[1];
        cpus[1] = cpu;
        count++;
    }
    if (count < 2)
        ktest_skip(t, "needs two CPUs");
    return count >= 2;
}

/* Both begin at the same time, as far as that goes. */
static void meet(_Atomic uint32_t *arrived)
{
    atomic_fetch_add_explicit(arrived, 1, memory_order_relaxed);
    wait_wake(arrived);
    if (!wait_for_value(arrived, 2, MEET_MS))
        log_line("litmus: the other CPU did not come");
}

static void walk(void *arg)
{
    struct pair *pair = arg;
    unsigned me = this_cpu_id() != pair->cpus[0];
    void (*part)(struct slot *) = me ? pair->second : pair->first;

    meet(&pair->arrived);
    for (uint32_t i = 0; i < SLOTS; i++) {
        atomic_store_explicit(&pair->at[me].slot, i, memory_order_relaxed);
        for (unsigned spins = 0; spins < SPINS_MAX; spins++)
            if (atomic_load_explicit(&pair->at[!me].slot, memory_order_relaxed) >= i)
                break;
        part(&pair->slots[i]);
    }
    atomic_store_explicit(&pair->at[me].slot, SLOTS, memory_order_relaxed);
}

/* Counts, over all rounds, the slots with each of the four outcomes (first << 1 | second). */
static void run_pair(struct ktest *t, struct pair *pair, uint64_t outcomes[4])
{
    uint32_t rounds = t->full ? ROUNDS_FULL : ROUNDS_QUICK;

    pair->slots = kmalloc(SLOTS * sizeof(struct slot));
    if (!EXPECT(t, pair->slots != NULL))
        return;
    for (uint32_t r = 0; r < rounds; r++) {
        memset(pair->slots, 0, SLOTS * sizeof(struct slot));
        atomic_store_explicit(&pair->arrived, 0, memory_order_relaxed);
        for (unsigned i = 0; i < 2; i++)
            atomic_store_explicit(&pair->at[i].slot, 0, memory_order_relaxed);
        ktest_run_on(t, pair->cpus, 2, walk, pair, RUN_MS);
        for (uint32_t i = 0; i < SLOTS; i++)
            outcomes[pair->slots[i].read_by_first << 1 | pair->slots[i].read_by_second]++;
    }
    kfree(pair->slots);
}

static void print_outcomes(const char *name, const uint64_t n[4])
{
    log_line("litmus %s: 0,0 %llu times, 0,1 %llu, 1,0 %llu, 1,1 %llu", name,
             (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2],
             (unsigned long long)n[3]);
}

static void publish_data(struct slot *slot)
{
    atomic_store_explicit(&slot->x, 1, memory_order_relaxed);
    atomic_store_explicit(&slot->y, 1, memory_order_release); /* after x */
}

/* read_by_first: the flag, read_by_second: the data. */
static void read_published(struct slot *slot)
{
    uint32_t flag = atomic_load_explicit(&slot->y, memory_order_acquire); /* before x */

    slot->read_by_first = flag;
    slot->read_by_second = atomic_load_explicit(&slot->x, memory_order_relaxed);
}

static void publish_is_seen_whole(struct ktest *t)
{
    struct pair pair = {.first = publish_data, .second = read_published};
    uint64_t outcomes[4] = {0};

    if (!choose_pair(t, pair.cpus))
        return;
    run_pair(t, &pair, outcomes);
    print_outcomes("publish (flag,data)", outcomes);
    EXPECT_EQ(t, outcomes[2], 0); /* the flag without the data */
}
KTEST(litmus, publish_is_seen_whole, KTEST_QUICK);

static void store_then_read_y(struct slot *slot)
{
    atomic_store_explicit(&slot->x, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    slot->read_by_first = atomic_load_explicit(&slot->y, memory_order_relaxed);
}

static void store_then_read_x(struct slot *slot)
{
    atomic_store_explicit(&slot->y, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    slot->read_by_second = atomic_load_explicit(&slot->x, memory_order_relaxed);
}

static void one_of_two_sees_the_other(struct ktest *t)
{
    struct pair pair = {.first = store_then_read_y, .second = store_then_read_x};
    uint64_t outcomes[4] = {0};

    if (!choose_pair(t, pair.cpus))
        return;
    run_pair(t, &pair, outcomes);
    print_outcomes("store buffering (y,x)", outcomes);
    EXPECT_EQ(t, outcomes[0], 0); /* neither saw the other */
}
KTEST(litmus, one_of_two_sees_the_other, KTEST_QUICK);

/* --- init against publish --- */

struct handover {
    uint32_t cpus[2];
    _Atomic uint32_t arrived;
    _Atomic uint32_t turn; /* odd: an area is published; even: it was looked at */
    percpu_area_t area;
    uint32_t not_zero, lost, failed;
};

#define HANDOVER_WORDS 16u

/* Every word of this CPU's copy was zero; then it is filled, so that the next area that lies there
 * has something to clear. */
static void look_at_area(struct handover *h)
{
    for (uint32_t i = 0; i < HANDOVER_WORDS; i++) {
        h->not_zero += this_cpu_read_s32(h->area + 4 * i) != 0;
        this_cpu_write_s32(h->area + 4 * i, -1);
    }
}

static void hand_over(struct handover *h)
{
    for (uint32_t i = 0; i < HAND_OVERS; i++) {
        h->area = percpu_area_alloc(4 * HANDOVER_WORDS, 4);
        h->failed += !h->area;
        /* Release: the zeroes of all copies, and the offset. */
        atomic_store_explicit(&h->turn, 2 * i + 1, memory_order_release);
        wait_wake(&h->turn);
        h->lost += !wait_for_value(&h->turn, 2 * i + 2, MEET_MS);
        percpu_area_free(h->area);
    }
}

static void take_over(struct handover *h)
{
    for (uint32_t i = 0; i < HAND_OVERS; i++) {
        h->lost += !wait_for_value(&h->turn, 2 * i + 1, MEET_MS); /* acquires */
        if (h->area)
            look_at_area(h);
        atomic_store_explicit(&h->turn, 2 * i + 2, memory_order_release);
        wait_wake(&h->turn);
    }
}

static void run_handover(void *arg)
{
    struct handover *h = arg;

    meet(&h->arrived);
    if (this_cpu_id() == h->cpus[0])
        hand_over(h);
    else
        take_over(h);
}

static void areas_are_zero_when_published(struct ktest *t)
{
    static struct handover h;

    h = (struct handover){.area = 0};
    if (!choose_pair(t, h.cpus))
        return;
    ktest_run_on(t, h.cpus, 2, run_handover, &h, RUN_MS);
    EXPECT_EQ(t, h.not_zero, 0);
    EXPECT_EQ(t, h.lost, 0);
    EXPECT_EQ(t, h.failed, 0);
}
KTEST(litmus, areas_are_zero_when_published, KTEST_QUICK);

/* --- carry against sum --- */

struct race {
    const struct counter_design *design;
    uint32_t cpus[2];
    void *counter;
    int64_t slack;
    uint64_t sums, too_low, too_high;
    cacheline_aligned _Atomic uint32_t arrived;
    cacheline_aligned _Atomic int64_t begun, done; /* additions of 1 */
};

static void add_ones(struct race *race)
{
    for (int64_t i = 1; i <= ADDS; i++) {
        /* A sum that counts this one is followed by a read of `begun` that counts it, too: the
         * fence keeps the announcement before the addition. */
        atomic_store_explicit(&race->begun, i, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        race->design->add(race->counter, 1);
        atomic_store_explicit(&race->done, i, memory_order_release);
    }
}

static void sum_meanwhile(struct race *race)
{
    int64_t low, sum, high;

    do {
        low = atomic_load_explicit(&race->done, memory_order_acquire);
        sum = race->design->sum(race->counter);
        atomic_thread_fence(memory_order_seq_cst);
        high = atomic_load_explicit(&race->begun, memory_order_relaxed);
        race->sums++;
        race->too_low += sum < low - race->slack;
        race->too_high += sum > high + race->slack;
    } while (low < (int64_t)ADDS);
}

static void run_race(void *arg)
{
    struct race *race = arg;

    meet(&race->arrived);
    if (this_cpu_id() == race->cpus[0])
        add_ones(race);
    else
        sum_meanwhile(race);
}

/* A sum that holds the lock which a carry holds, or a counter without carries, is off by nothing.
 * The tree's takes no lock: it can meet each carry on one side, on both or on neither, and so be
 * off by what the residuals on the way hold: no more than its bound. */
static int64_t slack_of(const struct counter_design *design)
{
    return strncmp(design->name, "tree", 4) ? 0 : (int64_t)design->error_bound(nr_cpus);
}

static void race_design(struct ktest *t, struct race *race)
{
    const struct counter_design *d = race->design;

    race->counter = kzalloc(ALIGN_UP(d->counter_bytes, (size_t)CACHE_LINE_BYTES));
    if (!EXPECT(t, race->counter != NULL))
        return;
    if (EXPECT_EQ(t, d->init_many(race->counter, 0, 1), 0)) {
        ktest_run_on(t, race->cpus, 2, run_race, race, RUN_MS);
        EXPECT_EQ(t, race->too_low, 0);
        EXPECT_EQ(t, race->too_high, 0);
        EXPECT_EQ(t, d->sum(race->counter), ADDS);
        log_line("litmus carry %s: %llu sums, all within %lld", d->name,
                 (unsigned long long)race->sums, (long long)race->slack);
        d->destroy_many(race->counter, 1);
    }
    kfree(race->counter);
}

static void sums_count_what_is_done(struct ktest *t)
{
    static struct race race;
    uint32_t cpus[2] = {0, 0};

    if (!choose_pair(t, cpus))
        return;
    for (REGISTRY_EACH(counter_designs, const struct counter_design, p)) {
        memset(&race, 0, sizeof(race));
        race.design = *p;
        race.cpus[0] = cpus[0];
        race.cpus[1] = cpus[1];
        race.slack = slack_of(*p);
        race_design(t, &race);
    }
}
KTEST(litmus, sums_count_what_is_done, KTEST_QUICK);
